package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/sparse"
)

// maxLabels is how many different labels still look like classes.
const maxLabels = 10

// dataFacts describe a data file.
type dataFacts struct {
	Name        string `json:"name"`
	Format      string `json:"format"`
	Compression string `json:"compression"`
	TextBytes   int64  `json:"text_bytes"`

	Rows      int     `json:"rows"`
	Features  int     `json:"features"`
	NNZ       int64   `json:"nnz"`
	Density   float64 `json:"density"` // NNZ / (Rows·Features)
	IndexBase int     `json:"index_base"`
	Sorted    int     `json:"sorted_rows"` // rows whose indices were out of order
	AllOnes   bool    `json:"all_ones"`    // every stored value is 1

	RowNNZ    spread `json:"row_nnz"`
	RowNorm   spread `json:"row_norm"`
	FeatureSD spread `json:"feature_sd"` // of the features that vary
	Constant  int    `json:"constant_features"`

	Table       *sparse.TableFacts `json:"table,omitempty"`
	Labels      []labelCount       `json:"labels,omitempty"` // at most maxLabels kinds
	LabelSpread spread             `json:"label_spread"`

	Memory memoryFacts `json:"memory"`

	data *sparse.Dataset
}

// memoryFacts tell what data and training take, in bytes.
type memoryFacts struct {
	Data   int64 `json:"data"`           // as loaded, labels included; the reader may leave a quarter more unused
	Solver int64 `json:"solver"`         // what scas train adds for A = I, estimated
	Peak   int64 `json:"peak,omitempty"` // of this process so far; 0 if the system does not tell
}

type spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

type labelCount struct {
	Label float64 `json:"label"`
	Name  string  `json:"name,omitempty"` // of a label that is a word
	Rows  int     `json:"rows"`
}

func newDataFacts(name string, format sparse.Format, d *sparse.Dataset) *dataFacts {
	rows, cols := d.X.Dims()
	f := &dataFacts{
		data: d, Format: format.String(), Table: d.Table,
		Name: name, Compression: d.Stats.Compression.String(), TextBytes: d.Stats.Bytes,
		Rows: rows, Features: cols, NNZ: d.X.NNZ(), Density: density(rows, cols, d.X.NNZ()), AllOnes: true,
		IndexBase: int(d.Stats.IndexBase - sparse.ZeroBased), Sorted: d.Stats.SortedRows,
		Labels: countLabels(d.Labels), LabelSpread: newSpread(d.Labels),
		Memory: memoryFacts{
			Data: dataBytes(d), Peak: peakMemory(),
			Solver: (&solver.Problem{Data: d.X, Penalty: solver.L1{Lambda: 1}}).Memory(nil),
		},
	}
	if d.Table != nil && d.Table.Classes != nil {
		for k := range f.Labels {
			f.Labels[k].Name = d.Table.Classes[k]
		}
	}
	nnz, norms := make([]float64, rows), d.X.RowNormsSq()
	for i, v := range norms {
		_, val := d.X.Row(i)
		nnz[i], norms[i] = float64(len(val)), math.Sqrt(v)
		f.AllOnes = f.AllOnes && !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	}
	x := d.X
	if k := columns.Find(x, nil, nil, nil, nil); k != nil {
		x = k.Data // the others do not vary
	}
	varying := slices.DeleteFunc(x.ColumnStats().StdDev, func(sd float64) bool { return sd == 0 })
	f.Constant = cols - len(varying)
	f.RowNNZ, f.RowNorm, f.FeatureSD = newSpread(nnz), newSpread(norms), newSpread(varying)
	return f
}

func newSpread(v []float64) (s spread) {
	if len(v) == 0 {
		return s
	}
	for _, x := range v {
		s.Mean += x
	}
	return spread{slices.Min(v), s.Mean / float64(len(v)), slices.Max(v)}
}

// countLabels counts the rows of each label, in increasing order; nil if there
// are too many kinds.
func countLabels(labels []float64) []labelCount {
	rows := make(map[float64]int)
	for _, b := range labels {
		if rows[b]++; len(rows) > maxLabels {
			return nil
		}
	}
	var counts []labelCount
	for _, b := range slices.Sorted(maps.Keys(rows)) {
		counts = append(counts, labelCount{Label: b, Rows: rows[b]})
	}
	return counts
}

func (d *dataFacts) addTo(f *facts) {
	form := d.Format
	if form == sparse.LIBSVM.String() {
		form = "text"
	}
	f.add("data", "%s, %s, %s bytes of %s", d.Name, d.Compression, grouped(d.TextBytes), form)
	f.add("size", "%s, %s", plural(d.Rows, "row"), plural(d.Features, "feature"))
	f.add("entries", "%s, %.3g %% of the table%s", grouped(d.NNZ), 100*d.Density, map[bool]string{true: ", all equal to 1"}[d.AllOnes])
	addColumns(f, d.data)
	f.add("labels", "%s", d.labels())
	f.addIf(d.data.Names != nil, "features", "%s", some(d.data.Names))
	f.addIf(d.data.Names == nil, "index base", "%d", d.IndexBase)
	f.addIf(d.Sorted > 0, "", "%s had indices out of order", plural(d.Sorted, "row"))
	f.add("row entries", "%g to %g, mean %.4g", d.RowNNZ.Min, d.RowNNZ.Max, d.RowNNZ.Mean)
	f.add("row norms", "%.4g to %.4g, mean %.4g", d.RowNorm.Min, d.RowNorm.Max, d.RowNorm.Mean)
	f.addIf(d.FeatureSD.Max > 0, "feature sd", "%.4g to %.4g, a ratio of %.3g", d.FeatureSD.Min, d.FeatureSD.Max, d.FeatureSD.Max/d.FeatureSD.Min)
	f.addIf(d.Constant > 0, "", "%s the same in every row", plural(d.Constant, "feature"))
	f.add("memory", "%s of data; training adds up to some %s (A = I)", byteCount(d.Memory.Data), byteCount(d.Memory.Solver))
	f.addIf(d.Memory.Peak > 0, "", "this process took %s at most", byteCount(d.Memory.Peak))
}

func (d *dataFacts) labels() string {
	if d.data.Labels == nil {
		return "none"
	}
	if t := d.Table; d.Labels == nil && t != nil && t.Classes != nil {
		return fmt.Sprintf("%s, such as %s", plural(len(t.Classes), "word"), some(t.Classes))
	}
	if d.Labels == nil {
		return fmt.Sprintf("more than %d values, %.4g to %.4g, mean %.4g", maxLabels, d.LabelSpread.Min, d.LabelSpread.Max, d.LabelSpread.Mean)
	}
	parts := make([]string, len(d.Labels))
	for k, l := range d.Labels {
		parts[k] = fmt.Sprintf("%s (%s)", cmp.Or(l.Name, fmt.Sprint(l.Label)), grouped(l.Rows))
	}
	return strings.Join(parts, ", ")
}

// peakMemory returns the largest amount of memory this process has had resident,
// 0 if the system does not tell.
func peakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	return kilobytes(string(status), "VmHWM:")
}

// byteCount writes a number of bytes for people.
func byteCount(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return plural(n, "byte")
	}
	v, k := float64(n)/(1<<10), 0
	for v >= 1<<10 {
		v, k = v/(1<<10), k+1
	}
	return fmt.Sprintf("%.3g %ciB", v, units[k])
}
