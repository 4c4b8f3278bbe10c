package paper

import (
	"bytes"
	"fmt"
	"html/template"
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
}

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
		{"scas", solver.SCAS, Last, byPasses, true},
		{"scas-k (ours)", solver.SCASK, Last, byPasses, true},
	}
	add := func(ms ...solver.Method) {
		for _, m := range ms {
			name := string(m)
			if o := traitsOf(m).Output; o == Average {
				name += ", average"
			}
			t = append(t, trace{name, m, traitsOf(m).Output, byPasses, false})
		}
	}
	switch kind {
	case "main":
		t = append(t, trace{"scas, average", solver.SCAS, Average, byPasses, false})
		add("stoc", "sa", "svrg", "batch-linear")
		t = append(t, trace{"batch, paper's count", "batch", Last, byPaper, false}, trace{"batch, honest", "batch", Last, byPasses, false})
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
	limit := r.Protocol.Passes
	if test {
		a = chart.Axes{X: a.X, Y: "mean loss on the test half"}
		name += "-test"
	}
	if seconds {
		a.X, a.LogX = "seconds, one thread, setup included", true
		name += "-seconds"
	}
	a.Title = fmt.Sprintf("%s, mu = %g: %s", data, mu, caption)
	f := &Figure{Name: name, Caption: a.Title + " against " + a.X, Head: []string{"method"}}
	for _, x := range r.wanted() {
		f.Head = append(f.Head, fmt.Sprintf("%g passes", x))
	}
	f.Head = append(f.Head, "band at the end")
	var lines []chart.BandLine
	for _, t := range r.traces(kind, mu) {
		value := gapOf(t.output)
		if test {
			value = testLast
			if t.output == Average {
				continue // known at the end of a run only; see the table of methods
			}
		}
		c, ok := r.curve(data, mu, t.method, value, t.x)
		if !ok {
			continue
		}
		c = c.Until(limit)
		row := r.row(t.name, c, test)
		if seconds {
			if c, ok = r.Against(c, data, mu); !ok {
				continue
			}
		}
		f.Rows = append(f.Rows, row)
		lines = append(lines, chart.BandLine{Name: t.name, X: c.X, Y: c.Mean, Low: c.Low, High: c.High, Bold: t.bold})
	}
	if len(lines) == 0 {
		return nil, nil
	}
	if test {
		a.YMax = testCeiling(lines)
	}
	var b bytes.Buffer
	if err := chart.Bands(&b, a, lines); err != nil {
		return nil, err
	}
	f.File = b.String()
	f.SVG = inline(f.File, f.Caption)
	return f, nil
}

// testCeiling leaves room above the best test loss for twice the spread of the
// ends, so that the start does not flatten everything.
func testCeiling(lines []chart.BandLine) float64 {
	low, high := lines[0].Y[0], 0.0
	for _, l := range lines {
		end := l.Y[len(l.Y)-1]
		high = max(high, end)
		for _, y := range l.Y {
			low = min(low, y)
		}
	}
	return low + max(2*(high-low), 0.02*low)
}

func (r *Results) row(name string, c Curve, test bool) []string {
	format := "%.1e"
	if test {
		format = "%.5f"
	}
	row := []string{name}
	for _, x := range r.wanted() {
		cell := ""
		if v, ok := c.At(x); ok {
			cell = number(format, v, test)
		}
		row = append(row, cell)
	}
	last := len(c.X) - 1
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
func boundFigure(b *Bound) (*Figure, error) {
	a := chart.Axes{Title: b.Theorem + ": bound and measured gap", X: "outer iterations", Y: "objective − optimum at the average", LogX: true, LogY: true, Floor: gapFloor}
	var buf bytes.Buffer
	err := chart.Bands(&buf, a, []chart.BandLine{
		{Name: "measured", X: b.T, Y: b.Gap, Bold: true}, {Name: "bound", X: b.T, Y: b.Limit},
	})
	if err != nil {
		return nil, err
	}
	f := &Figure{Name: "bound-" + strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(b.Theorem, ",", "")), " ", "-"), Caption: a.Title, File: buf.String()}
	f.SVG = inline(f.File, f.Caption)
	f.Head = []string{"T", "sample gradients", "measured", "bound"}
	for k := range b.T {
		if k == 0 || k == len(b.T)-1 || (k+1)%20 == 0 || k == 9 {
			f.Rows = append(f.Rows, []string{fmt.Sprint(b.T[k]), fmt.Sprintf("%.3g", b.Gradients[k]), fmt.Sprintf("%.2e", b.Gap[k]), fmt.Sprintf("%.2e", b.Limit[k])})
		}
	}
	return f, nil
}
