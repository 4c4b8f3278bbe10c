package main

import (
	"cmp"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

type infoCmd struct {
	Data string `arg:"" optional:"" name:"DATA" help:"Data file as for scas train, or - for standard input; or a model, which is described as by scas model show."`

	dataFlags
	memoryFlags
	JSON bool `name:"json" help:"Print one JSON object." group:"What is written:"`
}

func (infoCmd) Help() string {
	return `Examples:

    scas info
    scas info train.svm.gz
    scas info houses.csv
    scas info model.json
    SCAS_LEVEL=avx2 scas info --json

The environment variable SCAS_LEVEL (generic, avx2, avx512) chooses the kernels of
every command; all levels give the same bits. The estimate of the memory that
training needs in addition to the data is for A = I and --method auto. A graph adds
vectors with an entry for each of its edges, and scas, scas-k and scas-strong may
then keep a rotated copy of the data (scas train --method list).

Memory. A command ends with an error before it begins if the estimate of its memory
is above --memory SIZE. The default of SIZE is GOMEMLIMIT, or if that is not set,
half of the memory of the machine or container. The estimate includes the program
(24MiB) and, while text is read, up to twice the data. A .scas file (scas convert)
may be larger than SIZE. These commands then read it in pieces:

    train, path, cv    up to 2,048 coefficients; SIZE must be at least 128MiB,
                       and more if each row has a weight, an offset or a fold
                       (with --dist, SIZE is for each rank)
    train              any number of coefficients with --method scas-k or
                       scas-l, --no-intercept and --no-standardize
    graph              SIZE must hold the covariance of each pair of features
    predict, info      any file

Exit codes: 0 done, 1 cannot read, 2 wrong usage, 3 a number in the input is not
finite, 130 interrupted.`
}

type machineSummary struct {
	Version         string   `json:"scas_version"`
	GoVersion       string   `json:"go"`
	Platform        string   `json:"platform"` // operating system, architecture and, on amd64, GOAMD64
	CPU             string   `json:"cpu"`
	Vendor          string   `json:"vendor"`
	CPUs            int      `json:"cpus"`
	Level           string   `json:"level"`          // the kernel level in use
	AvailableLevels []string `json:"available"`      // the kernel levels that this machine supports
	Env             string   `json:"scas_level_env"` // value of the environment variable SCAS_LEVEL
}

func newMachineSummary() machineSummary {
	m := machineSummary{
		Version: version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: cpuid.CPU.BrandName, Vendor: cpuid.CPU.VendorString, CPUs: runtime.NumCPU(),
		Level: kernels.Active().String(), Env: os.Getenv("SCAS_LEVEL"),
	}
	for _, l := range kernels.Available() {
		m.AvailableLevels = append(m.AvailableLevels, l.String())
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "GOAMD64" {
				m.Platform += " " + s.Value
			}
		}
	}
	return m
}

func (m machineSummary) summary() (f summary) {
	f.add("scas", "%s, %s, %s", m.Version, m.GoVersion, m.Platform)
	cpu := cmp.Or(m.CPU, "unnamed")
	if m.Vendor != "" {
		cpu += " (" + m.Vendor + ")"
	}
	f.add("processor", "%s, %s", cpu, plural(m.CPUs, "logical CPU"))
	f.add("kernels", "%s in use; this machine has %s", m.Level, strings.Join(m.AvailableLevels, ", "))
	f.add("SCAS_LEVEL", "%s", cmp.Or(m.Env, "not set: the best level is used"))
	return f
}

// An infoReport is the result of scas info.
type infoReport struct {
	machineSummary
	Data  *dataSummary `json:"data,omitempty"`
	Model *modelReport `json:"model,omitempty"`
}

func (r *infoReport) text() string {
	f := r.machineSummary.summary()
	switch {
	case r.Model != nil:
		return f.String() + "\n" + r.Model.text()
	case r.Data != nil:
		f.addBlank()
		r.Data.addTo(&f)
	}
	return f.String()
}

// shownInInfo is the largest number of coefficients, and of groups, of a model that scas info prints.
const shownInInfo = 20

// describe returns the summary of data. It reads the rows of a large mapped file window by window.
func (c *infoCmd) describe(e *env, format sparse.Format, data *sparse.Dataset) (*dataSummary, error) {
	n, p := data.X.Dims()
	need, described, summarised := float64(2*dataBytes(data)), plural(data.X.NNZ(), "entry"), data
	limit, _ := c.Memory.limit()
	outOfCore := c.Memory.lessThanMapped(data) || data.X.Mapped() && limit > 0 && need > float64(limit)
	if outOfCore {
		need, described = 64*float64(p), plural(p, "feature")
	}
	if err := c.Memory.allow(need, "describing %s of %s", described, dataName(c.Data)); err != nil {
		return nil, err
	}
	if !outOfCore {
		summarised = withoutEmptyColumns(data)
	}
	f, err := newDataSummary(dataName(c.Data), format, summarised, c.Memory.windows(e, data, outOfCore))
	if err != nil || outOfCore {
		return f, err
	}
	f.data, f.Features, f.Density = data, p, density(n, p, data.X.NNZ())
	f.ConstantFeatures = p - f.FeatureSD.count
	f.Memory.Solver = (&model.Spec{}).EstimateMemory(data.X, model.Fits{Classes: len(data.Classes.Values)})
	return f, nil
}

// withoutEmptyColumns returns data without its empty columns if there are more columns than entries.
// Otherwise, and if there are no entries, it returns data unchanged.
func withoutEmptyColumns(data *sparse.Dataset) *sparse.Dataset {
	n, p := data.X.Dims()
	if int64(p) <= data.X.NNZ() || data.X.NNZ() == 0 {
		return data
	}
	rows := data.X.Rows(0, n)
	usedColumns := slices.Clone(rows.Idx)
	slices.Sort(usedColumns)
	usedColumns = slices.Compact(usedColumns)
	idx := make([]int32, len(rows.Idx))
	for k, j := range rows.Idx {
		column, _ := slices.BinarySearch(usedColumns, j)
		idx[k] = int32(column)
	}
	x, err := sparse.New(n, len(usedColumns), rows.Ptr, idx, rows.Val)
	if err != nil {
		panic(err) // impossible, because the rows come from a valid matrix
	}
	out := *data
	out.X = x
	return &out
}

func (c *infoCmd) Run(e *env) error {
	r := infoReport{machineSummary: newMachineSummary()}
	if c.Data != "" && c.Data != "-" && isModel(c.Data) {
		m, _, err := readModel(c.Data, c.Memory)
		if err != nil {
			return err
		}
		r.Model = newModelReport(c.Data, m, shownInInfo)
	} else if c.Data != "" {
		opt := c.anyLabelOptions()
		opt.Beyond = true
		data, err := e.readData(c.Data, opt, &c.formatFlags, c.Memory)
		if err != nil {
			return err
		}
		r.Data, err = c.describe(e, opt.Format, data)
		if err != nil {
			return e.interruptError(err, "nothing described")
		}
	}
	return e.show(c.JSON, &r)
}
