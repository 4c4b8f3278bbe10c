package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/bench/internal/chart"
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

// A panel is what a figure shows of a problem.
type panel struct {
	kind, caption string
	test          bool // the loss on the test half, not the gap
	seconds       bool // against seconds, not passes
}

// figures are those of one problem.
func figures(p *problem, bitmap bool) ([]*Figure, error) {
	var out []*Figure
	for _, of := range []panel{
		{kind: "main", caption: "objective minus optimum"},
		{kind: "main", caption: "test loss", test: true},
		{kind: "predecessors", caption: "objective minus optimum, the stochastic predecessors"},
		{kind: "successors", caption: "objective minus optimum, successors and our variants"},
	} {
		for _, of.seconds = range []bool{false, true} {
			f, err := figure(p, of, bitmap)
			if err != nil {
				return nil, err
			}
			if f != nil {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// axes returns the axes of a figure and the name of its file.
func (of panel) axes(p *problem) (a chart.Axes, name string) {
	a = chart.Axes{X: "effective passes", Y: "objective − optimum", LogY: true, Floor: gapFloor}
	name = fmt.Sprintf("%s-mu%g-%s", p.Name, p.mu, of.kind)
	if of.test {
		a = chart.Axes{X: a.X, Y: "mean loss on the test half"}
		name += "-test"
	}
	if of.seconds {
		a.X, a.LogX = "seconds, one thread, setup included", true
		name += "-seconds"
	}
	a.Title = fmt.Sprintf("%s, mu = %g: %s", p.Name, p.mu, of.caption)
	return a, name
}

// figure makes one figure, nil if there is nothing in it.
func figure(p *problem, of panel, bitmap bool) (*Figure, error) {
	a, name := of.axes(p)
	f := &Figure{Name: name, Caption: a.Title + " against " + a.X}
	columns := of.columns(p.Protocol.Passes)
	for _, c := range columns {
		f.Head = append(f.Head, c.head)
	}
	var lines []chart.BandLine
	drawn := 0
	for _, t := range traces(p, of.kind) {
		c, ok := of.curve(p, t)
		if n := tallyOf(p, t.method, t.output).Units; n > 0 && n < len(p.splits) {
			t.name += fmt.Sprintf(" (splits: %d)", n)
		}
		line := chart.BandLine{Name: t.name, Bold: t.bold} // without points it keeps its colour from the next
		if ok {
			f.Rows = append(f.Rows, cells(columns, t.name, c))
		}
		if ok && len(c.x) > 1 {
			line.X, line.Y, line.Low, line.High = c.x, c.mean, c.low, c.high
			drawn++
		}
		lines = append(lines, line)
	}
	if drawn == 0 {
		return nil, nil
	}
	if of.test {
		a.YMax = testCeiling(lines)
	}
	return f, f.draw(a, lines, bitmap)
}

// curve returns what a figure shows of a trace; ok is false if it has no place
// there.
func (of panel) curve(p *problem, t trace) (c curve, ok bool) {
	on, value := overPasses, gap
	if of.seconds {
		on = overSeconds
	}
	if of.test {
		value = testLoss
	}
	if t.only != "" && t.only != on {
		return c, false
	}
	if t.rule != "" {
		p = p.under(t.rule)
	}
	x := t.x
	if of.seconds {
		x = byPasses // at which seconds were taken
	}
	if c, ok = curveOf(p, t.method, t.output, value, x); ok && of.seconds {
		return overSecondsOf(p, t.method, c)
	}
	return c.until(p.Protocol.Passes), ok
}

// draw makes the forms of a figure.
func (f *Figure) draw(a chart.Axes, lines []chart.BandLine, bitmap bool) error {
	var svg, png bytes.Buffer
	if err := chart.Bands(&svg, a, lines); err != nil {
		return err
	}
	if a.PNG = bitmap; bitmap {
		if err := chart.Bands(&png, a, lines); err != nil {
			return err
		}
	}
	records := [][]string{{"curve", a.X, "mean", "least", "greatest"}}
	for _, l := range lines {
		for k, x := range l.X {
			record := []string{l.Name}
			for _, v := range []float64{x, l.Y[k], l.Low[k], l.High[k]} {
				record = append(record, strconv.FormatFloat(v, 'g', 6, 64))
			}
			records = append(records, record)
		}
	}
	f.File, f.PNG, f.CSV = svg.String(), png.String(), csvText(records)
	f.SVG = inline(f.File, f.Caption)
	return nil
}

// inline makes an SVG file part of a page.
func inline(svg, label string) template.HTML {
	if at := strings.Index(svg, "<svg"); at >= 0 {
		svg = svg[at:]
	}
	label = template.HTMLEscapeString(label)
	return template.HTML(strings.Replace(svg, "<svg", `<svg role="img" aria-label="`+label+`"`, 1)) // made by our own chart package
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

// A column is one of the table under a figure.
type column struct {
	head string
	cell func(name string, c curve) string // empty where the curve does not get to
}

// columns returns those of a figure: values at passes, or over seconds, when gaps
// are reached.
func (of panel) columns(passes float64) []column {
	out := []column{{"method", func(name string, _ curve) string { return name }}}
	switch {
	case !of.seconds:
		for _, x := range []float64{2, 5, 10, 20, 30} {
			if x <= passes {
				out = append(out, column{fmt.Sprintf("%g passes", x), func(_ string, c curve) string { return of.valueAt(c, x) }})
			}
		}
	case !of.test:
		for _, gap := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6} {
			out = append(out, column{fmt.Sprintf("s to %.0e", gap), func(_ string, c curve) string { return reached(c, gap) }})
		}
	}
	if of.seconds {
		out = append(out, column{"s at the end", func(_ string, c curve) string { return short(c.x[len(c.x)-1], 3) }})
	}
	return append(out, column{"band at the end", func(_ string, c curve) string {
		last := len(c.x) - 1
		return of.number(c.low[last]) + " to " + of.number(c.high[last])
	}})
}

// cells returns a line of the table.
func cells(columns []column, name string, c curve) []string {
	out := make([]string, len(columns))
	if len(c.x) == 1 {
		out[0], out[len(out)-1] = name, "no iteration ends within the passes"
		return out
	}
	for k, col := range columns {
		out[k] = col.cell(name, c)
	}
	return out
}

// valueAt returns a curve's value after so many passes; beyond its end, which is before
// them where the next stage would take more, the last with the passes that it took.
func (of panel) valueAt(c curve, x float64) string {
	if v, ok := c.at(x); ok {
		return of.number(v)
	}
	last := len(c.x) - 1
	if x < c.x[last] {
		return ""
	}
	return fmt.Sprintf("%s at %.3g", of.number(c.mean[last]), c.x[last])
}

// reached returns where a curve has fallen to a gap.
func reached(c curve, gap float64) string {
	if k := slices.IndexFunc(c.mean, func(v float64) bool { return v <= gap }); k >= 0 {
		return short(c.x[k], 3)
	}
	return ""
}

func (of panel) number(v float64) string {
	switch {
	case of.test:
		return fmt.Sprintf("%.5f", v)
	case v <= gapFloor:
		return "< 1e-13"
	}
	return fmt.Sprintf("%.1e", v)
}
