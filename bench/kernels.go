package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/roof"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/bench/internal/table"
	"github.com/scas-admm/scas/kernels"
)

type kernelsCmd struct {
	Quick    bool   `help:"Three shapes of data and fewer repetitions: half a minute."`
	Only     string `placeholder:"REGEX" help:"Only the cases whose kernel/shape matches, such as '^Inner' or 'a9a'."`
	CSV      string `name:"csv" placeholder:"FILE" help:"Also write a CSV file."`
	SVG      string `name:"svg" placeholder:"DIR" help:"Also draw ratios.svg and roofline.svg into a directory."`
	Results  string `placeholder:"DIR" help:"Write everything into a directory, as kernels-CPU.csv, .txt, .benchfmt and .svg."`
	Benchfmt string `placeholder:"FILE" help:"Also write Go benchmark format, for benchstat -col /level."`

	scale suite.Scale // set by tests
}

// plan returns how much to measure.
func (c *kernelsCmd) plan() (suite.Scale, measure.Options, time.Duration) {
	switch {
	case c.scale == suite.Tiny:
		return suite.Tiny, measure.Options{Reps: 3, Sample: 10 * time.Microsecond}, time.Millisecond
	case c.Quick:
		return suite.Quick, measure.Options{Reps: 5, Sample: time.Millisecond}, 20 * time.Millisecond
	}
	return suite.Full, measure.Options{Reps: 25, Sample: 10 * time.Millisecond}, 300 * time.Millisecond
}

// Run measures and reports.
func (c *kernelsCmd) Run(e *env) error {
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return fmt.Errorf("--only is not a regular expression: %w", err)
	}
	r := &kernelResults{results: results{name: "kernels", facts: machine.Describe(e.args)}, shortest: map[string]float64{}}
	scale, opt, each := c.plan()
	r.limits = roof.Measure(r.facts, each)
	out := io.MultiWriter(e.stdout, &r.text)
	if err := output.Begin(out, r.facts.Lines(), r.limits.Lines(), seriesLines(opt)); err != nil {
		return err
	}
	print := &table.Printer{W: out, Series: suite.Series(), Unit: "ns"}
	if err := print.Head(); err != nil {
		return err
	}
	if err := c.measure(e, only, scale, opt, r, print); err != nil {
		return err
	}
	if len(r.rows) == 0 {
		return fmt.Errorf("--only %s matches no kernel/shape, such as Margins/a9a", c.Only)
	}
	if _, err := io.WriteString(out, doorLine(r.shortest, opt)); err != nil {
		return err
	}
	return c.write(r)
}

// kernelResults are what a run of the command measured.
type kernelResults struct {
	results
	limits roof.Roof
	points []chart.RoofPoint
	// shortest is the time of the shortest call of each kernel that was measured, in ns.
	shortest map[string]float64
}

// note keeps the shortest call of a kernel.
func (r *kernelResults) note(k measure.Case, series []measure.Series) {
	for _, s := range series {
		call := s.Min() * float64(k.Units)
		if was, there := r.shortest[k.Kernel]; !there || call < was {
			r.shortest[k.Kernel] = call
		}
	}
}

// doorLine says what the checks of arguments take, beside the shortest calls measured.
func doorLine(shortest map[string]float64, opt measure.Options) string {
	var parts []string
	worst := 0.0
	for _, d := range suite.Doors(123) {
		if call, measured := shortest[d.Kernel]; measured {
			ns := measure.Call(d.Call, opt)
			worst = max(worst, ns/call)
			parts = append(parts, fmt.Sprintf("%s %.0f", d.Kernel, ns))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("\ndoors: a call that only checks its arguments takes, in ns: %s; at most %.2g %% of a call above\n", strings.Join(parts, ", "), 100*worst)
}

func seriesLines(opt measure.Options) []string {
	lines := []string{fmt.Sprintf("samples: %d of at least %v each, implementations taking turns; levels checked bit for bit", opt.Reps, opt.Sample)}
	if !suite.HasSIMD() {
		lines = append(lines, "missing: series archsimd; build with GOEXPERIMENT=simd and Go 1.26 on amd64 to include it")
	}
	return lines
}

// measure runs the groups that match.
func (c *kernelsCmd) measure(e *env, only *regexp.Regexp, scale suite.Scale, opt measure.Options, r *kernelResults, print *table.Printer) error {
	for _, g := range suite.Groups(scale) {
		if !slices.ContainsFunc(g.Names, only.MatchString) {
			continue
		}
		for _, k := range g.Build() {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			if !only.MatchString(k.Kernel + "/" + k.Shape) {
				continue
			}
			series, err := measure.Run(k, opt)
			if err != nil {
				return err
			}
			limit, bound := r.limits.Limit(k)
			rows := table.Rows(k, series, limit, bound)
			if err := print.Case(rows); err != nil {
				return err
			}
			r.rows = append(r.rows, rows...)
			r.note(k, series)
			r.points = append(r.points, roofPoint(k, series, r.limits))
		}
	}
	return nil
}

// roofPoint places the best level of a case under the roof.
func roofPoint(k measure.Case, series []measure.Series, limits roof.Roof) chart.RoofPoint {
	best := math.Inf(1)
	for _, s := range series {
		if _, err := kernels.ParseLevel(s.Level); err == nil {
			best = min(best, s.Min())
		}
	}
	q := chart.RoofPoint{Name: k.Kernel + "  " + k.Shape, Rate: k.Flops / (best * float64(k.Units))}
	q.Intensity, q.Level = limits.Intensity(k)
	return q
}

// write writes the files that the flags ask for.
func (c *kernelsCmd) write(r *kernelResults) error {
	ratios := func(w io.Writer) error {
		return chart.Ratios(w, "Kernels against naive Go, "+r.facts.CPU, r.rows)
	}
	roofline := func(w io.Writer) error {
		return chart.Roofline(w, "Roofline, one core, "+r.facts.CPU, r.limits, r.points)
	}
	files := r.files(c.CSV, c.Benchfmt, c.Results)
	if c.SVG != "" {
		files = append(files, output.File{Path: filepath.Join(c.SVG, "ratios.svg"), Fill: ratios}, output.File{Path: filepath.Join(c.SVG, "roofline.svg"), Fill: roofline})
	}
	if c.Results != "" {
		base := r.base(c.Results)
		files = append(files, output.File{Path: base + "-ratios.svg", Fill: ratios}, output.File{Path: base + "-roofline.svg", Fill: roofline})
	}
	return output.WriteAll(files)
}
