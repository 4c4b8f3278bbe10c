package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver/chart"
)

// A Figure is a drawing and its numbers.
type Figure struct {
	Name string        // of its files, without .svg and .csv
	SVG  template.HTML // for the page
	File string        // the same as a file
	CSV  string        // the curves, empty for a sheet of charts
}

// A panel is what a chart shows of a problem.
type panel struct {
	kind, caption string
	test          bool // the loss on the test half instead of the gap
	seconds       bool // over seconds instead of passes
}

// panels are the charts of every problem, each over passes and over seconds.
var panels = []panel{
	{kind: "main", caption: "objective minus optimum"},
	{kind: "main", caption: "test loss", test: true},
	{kind: "predecessors", caption: "objective minus optimum, the stochastic predecessors"},
	{kind: "successors", caption: "objective minus optimum, successors and our variants"},
}

// figures draws the panels of one problem that have a curve.
func figures(p *problem) (out []*Figure, err error) {
	for _, of := range panels {
		for _, of.seconds = range []bool{false, true} {
			c := of.chart(p)
			if !drawn(c) {
				continue
			}
			name := fmt.Sprintf("%s-mu%g-%s", p.Name, p.mu, of.kind)
			if of.test {
				name += "-test"
			}
			if of.seconds {
				name += "-seconds"
			}
			f, err := newFigure(name, c)
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// drawn reports whether a chart has a curve.
func drawn(c *chart.Chart) bool {
	return slices.ContainsFunc(c.Lines, func(l chart.Line) bool { return l.X != nil })
}

// chart returns what a panel shows of a problem. Methods without a curve have a line
// without points, so that all others keep their colours.
func (of panel) chart(p *problem) *chart.Chart {
	c := &chart.Chart{X: "effective passes", Y: "objective − optimum", LogY: true, Floor: gapFloor}
	if of.test {
		c = &chart.Chart{X: c.X, Y: "mean loss on the test half"}
	}
	if of.seconds {
		c.X, c.LogX = "seconds, one thread, setup included", true
	}
	c.Title = fmt.Sprintf("%s, mu = %g: %s", p.Name, p.mu, of.caption)
	for k, t := range traces(p, of.kind) {
		line := chart.Line{Name: t.name, Series: k, Bold: t.bold}
		if n := tallyOf(p, t.method, t.output).Units; of.kind != "paper" && n > 0 && n < len(p.splits) {
			line.Name += fmt.Sprintf(" (splits: %d)", n)
		}
		if one, ok := of.curve(p, t); ok && len(one.x) > 1 {
			line.X, line.Y, line.Low, line.High = one.x, one.mean, one.low, one.high
		}
		c.Lines = append(c.Lines, line)
	}
	if of.test && drawn(c) {
		c.Ceiling = testCeiling(c.Lines)
	}
	return c
}

// curve returns what a panel shows of a trace; ok is false if it has no place there.
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
	if !of.seconds {
		c, ok = curveOf(p, t.method, t.output, value, t.x)
		return c.until(p.Protocol.Passes), ok
	}
	if c, ok = curveOf(p, t.method, t.output, value, byPasses); ok { // seconds were taken at passes
		return overSecondsOf(p, t.method, c)
	}
	return c, false
}

// testCeiling leaves room above the best test loss, so that the start and methods that
// have hardly begun do not flatten the others.
func testCeiling(lines []chart.Line) float64 {
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

// newFigure draws a chart, its legend in the order in which curves end, and writes the
// curves as CSV.
func newFigure(name string, c *chart.Chart) (*Figure, error) {
	drawing := *c
	drawing.Lines = slices.DeleteFunc(slices.Clone(c.Lines), func(l chart.Line) bool { return l.X == nil })
	slices.SortStableFunc(drawing.Lines, func(a, b chart.Line) int { return cmp.Compare(b.Y[len(b.Y)-1], a.Y[len(a.Y)-1]) })
	var svg bytes.Buffer
	if err := drawing.WriteSVG(&svg); err != nil {
		return nil, err
	}
	records := [][]string{{"curve", c.X, "mean", "least", "greatest"}}
	for _, l := range c.Lines {
		for k, x := range l.X {
			record := []string{l.Name}
			for _, v := range []float64{x, l.Y[k], l.Low[k], l.High[k]} {
				record = append(record, strconv.FormatFloat(v, 'g', 6, 64))
			}
			records = append(records, record)
		}
	}
	return &Figure{Name: name, File: svg.String(), SVG: inline(svg.String(), c.Title), CSV: csvText(records)}, nil
}

// inline makes an SVG file part of a page.
func inline(svg, label string) template.HTML {
	svg = svg[strings.Index(svg, "<svg"):]
	label = template.HTMLEscapeString(label)
	return template.HTML(strings.Replace(svg, "<svg", `<svg role="img" aria-label="`+label+`"`, 1)) // chart escapes names
}

// overviews are the paper's Figures 1 and 2: of every data set gap and test loss over
// passes and, where they were measured, seconds. The first is for mu = 0, the second for
// the largest mu.
func overviews(all []*problem) (out []*Figure, err error) {
	mus := slices.Clone(all[0].Protocol.Mus)
	slices.Sort(mus)
	for k, mu := range slices.Compact([]float64{mus[0], mus[len(mus)-1]}) {
		var rows [][]*chart.Chart
		for _, of := range []panel{{}, {seconds: true}, {test: true}, {test: true, seconds: true}} {
			var row []*chart.Chart
			for _, p := range all {
				if p.mu == mu && !p.Whole && p.facts != nil && p.begun {
					row = append(row, of.tile(p))
				}
			}
			if slices.ContainsFunc(row, drawn) {
				rows = append(rows, row)
			}
		}
		if rows == nil {
			continue
		}
		title := fmt.Sprintf("Figure %d: mu = %g. Iterations of exact batch ADMM count as passes, as in the paper", k+1, mu)
		var svg bytes.Buffer
		if err := chart.WriteSheet(&svg, title, rows); err != nil {
			return nil, err
		}
		out = append(out, &Figure{Name: fmt.Sprintf("figure-%d", k+1), File: svg.String(), SVG: inline(svg.String(), title)})
	}
	return out, nil
}

// tile is a chart of a problem as one of many, with the lines of the paper's figures.
func (of panel) tile(p *problem) *chart.Chart {
	of.kind = "paper"
	c := of.chart(p)
	c.Title = fmt.Sprintf("%s, splits: %d", p.Name, len(p.splits))
	if of.seconds {
		c.X = "seconds, one thread"
	}
	if of.test {
		c.Y = "test loss"
	}
	return c
}
