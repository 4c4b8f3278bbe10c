package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/solver"
)

// A Figure is a chart and the numbers under it.
type Figure struct {
	Name    string // of its file, without .svg
	Caption string
	SVG     template.HTML // for the page
	File    string        // the same as a file
	PNG     string        // the same as a bitmap, if asked for
	CSV     string        // the curves
	Head    []string
	Rows    [][]string
}

// A trace is a line of a figure.
type trace struct {
	name   string
	method solver.Method
	output Output
	x      axis
	bold   bool
	// only says on which axis the line makes sense; empty means both.
	only string
}

// The axes of figures.
const (
	overPasses  = "passes"
	overSeconds = "seconds"
)

// traces returns the lines of a figure: SCAS-ADMM first, so that it has the same
// colour everywhere.
func (r *Results) traces(kind string, mu float64) []trace {
	run := func(name solver.Method) bool {
		for _, m := range r.Protocol.Methods {
			if m == name {
				return applies(m, mu)
			}
		}
		return false
	}
	t := []trace{
		{"scas", solver.SCAS, Last, byPasses, true, ""},
		{"scas-k (ours)", solver.SCASK, Last, byPasses, true, ""},
	}
	add := func(ms ...solver.Method) {
		for _, m := range ms {
			name := string(m)
			if o := traitsOf(m).Output; o == Average {
				name += ", average"
			}
			t = append(t, trace{name, m, traitsOf(m).Output, byPasses, false, ""})
		}
	}
	switch kind {
	case "main":
		t = append(t, trace{"scas, average", solver.SCAS, Average, byPasses, false, ""},
			trace{"scas-k, automatic", "scas-k-auto", Last, byPasses, true, ""})
		add("stoc", "sa", "svrg", "batch-linear")
		t = append(t, trace{"batch, paper's count", solver.Batch, Last, byPaper, false, overPasses},
			trace{"batch, honest", solver.Batch, Last, byPasses, false, overPasses}, trace{"batch, exact", solver.Batch, Last, byPasses, false, overSeconds})
	case "predecessors":
		add("stoc", "oadm", "opg", "rda", "os1", "os2", "sa", "sa-iu", "batch-linear", "batch-uzawa")
	case "successors":
		for _, m := range r.Protocol.Methods {
			if traitsOf(m).Group == Successors && m != solver.SCASK || m == solver.SCASStrong {
				add(m)
			}
		}
	}
	kept := t[:0]
	for _, one := range t {
		if run(one.method) {
			kept = append(kept, one)
		}
	}
	return kept
}

// wanted are the passes at which the tables give numbers.
func (r *Results) wanted() []float64 {
	var out []float64
	for _, x := range []float64{2, 5, 10, 20, 30} {
		if x <= r.Protocol.Passes {
			out = append(out, x)
		}
	}
	return out
}

// gapFloor is where curves of gaps end: P* is known to about as much.
const gapFloor = 1e-13

// figures are those of one problem.
func (r *Results) figures(data string, mu float64) ([]Figure, error) {
	var out []Figure
	for _, f := range []struct {
		kind, caption string
		test          bool
	}{
		{"main", "objective minus optimum", false},
		{"main", "test loss", true},
		{"predecessors", "objective minus optimum, the stochastic predecessors", false},
		{"successors", "objective minus optimum, successors and our variants", false},
	} {
		for _, seconds := range []bool{false, true} {
			fig, err := r.figure(data, mu, f.kind, f.caption, f.test, seconds)
			if err != nil {
				return nil, err
			}
			if fig != nil {
				out = append(out, *fig)
			}
		}
	}
	return out, nil
}

// figure makes one figure, nil if there is nothing in it.
func (r *Results) figure(data string, mu float64, kind, caption string, test, seconds bool) (*Figure, error) {
	a := chart.Axes{X: "effective passes", Y: "objective − optimum", LogY: true, Floor: gapFloor}
	name := fmt.Sprintf("%s-mu%g-%s", data, mu, kind)
	if test {
		a = chart.Axes{X: a.X, Y: "mean loss on the test half"}
		name += "-test"
	}
	if seconds {
		a.X, a.LogX = "seconds, one thread, setup included", true
		name += "-seconds"
	}
	a.Title = fmt.Sprintf("%s, mu = %g: %s", data, mu, caption)
	f := &Figure{Name: name, Caption: a.Title + " against " + a.X, Head: r.head(test, seconds)}
	var lines []chart.BandLine
	drawn := 0
	for _, t := range r.traces(kind, mu) {
		c, ok := r.line(data, mu, t, test, seconds)
		line := chart.BandLine{Name: t.name, Bold: t.bold} // without points it keeps its colour from the next
		if ok {
			f.Rows = append(f.Rows, r.row(t.name, c, test, seconds))
		}
		if len(c.X) > 1 {
			line.X, line.Y, line.Low, line.High = c.X, c.Mean, c.Low, c.High
			drawn++
		}
		lines = append(lines, line)
	}
	if drawn == 0 {
		return nil, nil
	}
	if test {
		a.YMax = testCeiling(lines)
	}
	return f, f.draw(a, lines, r.PNG)
}

// draw makes the forms of a figure.
func (f *Figure) draw(a chart.Axes, lines []chart.BandLine, bitmap bool) error {
	var svg, png, table bytes.Buffer
	if err := chart.Bands(&svg, a, lines); err != nil {
		return err
	}
	if a.PNG = bitmap; bitmap {
		if err := chart.Bands(&png, a, lines); err != nil {
			return err
		}
	}
	out := csv.NewWriter(&table)
	_ = out.Write([]string{"curve", a.X, "mean", "least", "greatest"}) // kept until Error
	for _, l := range lines {
		for k, x := range l.X {
			row := []string{l.Name}
			for _, v := range []float64{x, l.Y[k], l.Low[k], l.High[k]} {
				row = append(row, strconv.FormatFloat(v, 'g', 6, 64))
			}
			_ = out.Write(row)
		}
	}
	out.Flush()
	f.File, f.PNG, f.CSV = svg.String(), png.String(), table.String()
	f.SVG = inline(f.File, f.Caption)
	return out.Error()
}

// line returns what a figure shows of a trace; ok is false if it has no place
// there.
func (r *Results) line(data string, mu float64, t trace, test, seconds bool) (c Curve, ok bool) {
	on := overPasses
	value := gapOf(t.output)
	if seconds {
		on = overSeconds
	}
	if test {
		value = testLast
	}
	// The test loss of an average is known at the end of a run only.
	if t.only != "" && t.only != on || test && t.output == Average {
		return c, false
	}
	if c, ok = r.curve(data, mu, t.method, value, t.x); ok && seconds {
		return r.Against(c, data, mu)
	}
	return c.Until(r.Protocol.Passes), ok
}

// testCeiling leaves room above the best test loss, so that the start and
// methods that have hardly begun do not flatten the others.
func testCeiling(lines []chart.BandLine) float64 {
	var ends []float64
	low := math.Inf(1)
	for _, l := range lines {
		if len(l.Y) > 0 {
			ends = append(ends, l.Y[len(l.Y)-1])
			low = min(low, slices.Min(l.Y))
		}
	}
	slices.Sort(ends)
	return low + max(4*(ends[len(ends)/2]-low), 0.05*low)
}

// reached are the gaps for which tables give the seconds.
var reached = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}

// head returns the columns of the table under a figure: values at passes, or over
// seconds, when gaps are reached.
func (r *Results) head(test, seconds bool) []string {
	head := []string{"method"}
	switch {
	case !seconds:
		for _, x := range r.wanted() {
			head = append(head, fmt.Sprintf("%g passes", x))
		}
	case !test:
		for _, gap := range reached {
			head = append(head, fmt.Sprintf("s to %.0e", gap))
		}
	}
	if seconds {
		head = append(head, "s at the end")
	}
	return append(head, "band at the end")
}

// row is a line of the table. Cells beyond the curve are empty.
func (r *Results) row(name string, c Curve, test, seconds bool) []string {
	format := "%.1e"
	if test {
		format = "%.5f"
	}
	row := []string{name}
	last := len(c.X) - 1
	if last == 0 {
		row = append(row, make([]string, len(r.head(test, seconds))-2)...)
		return append(row, "no iteration ends within the passes")
	}
	switch {
	case !seconds:
		for _, x := range r.wanted() {
			cell := ""
			if v, ok := c.At(x); ok {
				cell = number(format, v, test)
			}
			row = append(row, cell)
		}
	case !test:
		for _, gap := range reached {
			cell := ""
			if k := slices.IndexFunc(c.Mean, func(v float64) bool { return v <= gap }); k >= 0 {
				cell = short(c.X[k], 3)
			}
			row = append(row, cell)
		}
	}
	if seconds {
		row = append(row, short(c.X[last], 3))
	}
	return append(row, number(format, c.Low[last], test)+" to "+number(format, c.High[last], test))
}

func number(format string, v float64, test bool) string {
	if !test && v <= gapFloor {
		return "< 1e-13"
	}
	return fmt.Sprintf(format, v)
}

// inline makes an SVG file part of a page.
func inline(svg, label string) template.HTML {
	if at := strings.Index(svg, "<svg"); at >= 0 {
		svg = svg[at:]
	}
	label = template.HTMLEscapeString(label)
	return template.HTML(strings.Replace(svg, "<svg", `<svg role="img" aria-label="`+label+`"`, 1)) // made by our own chart package
}

// boundFigure draws a theorem's bound beside what was measured.
func boundFigure(b *Bound, bitmap bool) (*Figure, error) {
	a := chart.Axes{Title: b.Theorem + ": bound and measured gap", X: "outer iterations", Y: "objective − optimum at the average", LogX: true, LogY: true, Floor: gapFloor}
	f := &Figure{Name: "bound-" + strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(b.Theorem, ",", "")), " ", "-"), Caption: a.Title}
	lines := []chart.BandLine{
		{Name: "measured", X: b.T, Y: b.Gap, Low: b.Gap, High: b.Gap, Bold: true},
		{Name: "bound", X: b.T, Y: b.Limit, Low: b.Limit, High: b.Limit},
	}
	if err := f.draw(a, lines, bitmap); err != nil {
		return nil, err
	}
	f.Head = []string{"T", "sample gradients", "measured", "bound"}
	for k := range b.T {
		if k == 0 || k == len(b.T)-1 || (k+1)%20 == 0 || k == 9 {
			f.Rows = append(f.Rows, []string{fmt.Sprint(b.T[k]), fmt.Sprintf("%.3g", b.Gradients[k]), fmt.Sprintf("%.2e", b.Gap[k]), fmt.Sprintf("%.2e", b.Limit[k])})
		}
	}
	return f, nil
}
