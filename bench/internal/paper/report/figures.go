package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/solver/chart"
)

// A Figure is a drawing with its data.
type Figure struct {
	Name string        // name of its files, without .svg or .csv
	SVG  template.HTML // the drawing as an element of the page
	File string        // the text of the SVG file
	CSV  string        // the text of the CSV file, with the curves; empty if the drawing has several charts
	// Caption says how the axes of the corresponding figure in the paper differ from the axes of this figure.
	Caption string
	// Choices has step size and rho of each line; nil unless this is Figure 1 or Figure 2 of the report.
	Choices []choice
}

// A panel says which lines and which axes a chart of a problem has.
type panel struct {
	kind, caption string // kind selects the lines (see traces); caption is a part of the title
	showsTest     bool   // whether the chart shows the loss on the test half instead of the gap
	showsSeconds  bool   // whether the chart shows seconds instead of passes
}

// panels are the charts of a problem, each drawn over passes and over seconds.
var panels = []panel{
	{kind: "main", caption: "objective minus optimum"},
	{kind: "main", caption: "test loss", showsTest: true},
	{kind: "predecessors", caption: "objective minus optimum, the stochastic predecessors"},
	{kind: "successors", caption: "objective minus optimum, successors and our variants"},
}

func figures(p *problem) (out []*Figure, err error) {
	for _, pl := range panels {
		for _, pl.showsSeconds = range []bool{false, true} {
			c := pl.chart(p)
			if len(c.Lines) == 0 {
				continue
			}
			name := fmt.Sprintf("%s-mu%g-%s", p.Name, p.mu, pl.kind)
			if pl.showsTest {
				name += "-test"
			}
			if pl.showsSeconds {
				name += "-seconds"
			}
			f, err := newFigure(name, c)
			if err != nil {
				return nil, err
			}
			f.Caption = pl.axesText()
			out = append(out, f)
		}
	}
	return out, nil
}

// chart returns the panel's chart of a problem. A method that was run on no split has no curve. The curves
// use only the splits on which all other methods of the chart were run.
func (pl panel) chart(p *problem) *chart.Chart {
	c := &chart.Chart{X: "effective passes", Y: "objective − optimum", LogY: true, Floor: gapFloor}
	if pl.showsTest {
		c = &chart.Chart{X: c.X, Y: "mean loss on the test half"}
	}
	if pl.showsSeconds {
		c.X, c.LogX = "seconds, one thread, setup included", true
	}
	if pl.kind == overviewKind { // these charts are small
		if pl.showsSeconds {
			c.X = "seconds, one thread"
		}
		if pl.showsTest {
			c.Y = "test loss"
		}
	}
	shownTraces := slices.DeleteFunc(traces(p, pl.kind), func(t trace) bool {
		return t.passesOnly && pl.showsSeconds || t.secondsOnly && !pl.showsSeconds
	})
	var splits [][]int
	for _, t := range shownTraces {
		splits = append(splits, t.problem(p).splitsOf(t.method, t.output))
	}
	sharedSplits := commonSplits(splits)
	c.Title = fmt.Sprintf("%s, mu = %g: %s; splits: %d", p.label(), p.mu, pl.caption, len(sharedSplits))
	if pl.kind == overviewKind {
		c.Title = fmt.Sprintf("%s, splits: %d", p.label(), len(sharedSplits))
	}
	for _, t := range shownTraces {
		line, ok := pl.curve(t.problem(p).withSplits(sharedSplits), t)
		if !ok || len(line.x) < 2 {
			continue
		}
		if t.endOnly {
			line = line.lastPoint()
		}
		c.Lines = append(c.Lines, chart.Line{
			Name: t.name, Series: p.seriesNumber(t.method), Dashed: t.dashed, Bold: t.bold,
			X: line.x, Y: line.mean, Low: line.low, High: line.high,
		})
	}
	if pl.showsTest && len(c.Lines) > 0 {
		c.Ceiling = testCeiling(c.Lines)
	}
	return c
}

func (pl panel) axesText() string {
	text := "In the paper: the objective itself, against effective passes."
	if pl.showsTest {
		text = "In the paper: the testing loss, against effective passes."
	}
	if pl.showsSeconds {
		return text + " Seconds are ours."
	}
	return text
}

// curve returns the curve of the trace t on the axes of the panel. ok is false if p has no data for it.
func (pl panel) curve(p *problem, t trace) (c curve, ok bool) {
	value := gap
	if pl.showsTest {
		value = testLoss
	}
	if !pl.showsSeconds {
		c, ok = curveOf(p, t.method, t.output, value, t.x)
		return c.truncateAt(p.Protocol.Passes), ok
	}
	// The recorded seconds belong to points on the axis byPasses.
	if c, ok = curveOf(p, t.method, t.output, value, byPasses); ok {
		return overSecondsOf(p, t.method, c)
	}
	return c, false
}

// testCeiling returns the upper end of the axis of the test loss. The high values at the start of the
// curves may be above it.
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

// newFigure draws a chart and writes its curves as CSV. The legend lists the curves in descending order of
// their last value.
func newFigure(name string, c *chart.Chart) (*Figure, error) {
	drawing := *c
	drawing.Lines = slices.Clone(c.Lines)
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
				record = append(record, csvNumber(v, 6))
			}
			records = append(records, record)
		}
	}
	return &Figure{Name: name, File: svg.String(), SVG: output.Inline(svg.String(), c.Title), CSV: output.CSV(records)}, nil
}

const overviewAxes = "In the paper: the objective itself and the testing loss, against effective passes, an iteration of exact batch ADMM counted as one. " +
	"Here: the objective minus the optimum, on a logarithmic axis."

// overviews returns our versions of the paper's Figure 1 (mu = 0) and Figure 2 (one for each mu above 0).
// They show the gap and the test loss on every data set, over passes, and over seconds if runs were timed.
func overviews(problems []*problem) (out []*Figure, err error) {
	mus := slices.Clone(problems[0].Protocol.Mus)
	slices.Sort(mus)
	for _, mu := range mus {
		shownProblems := slices.DeleteFunc(slices.Clone(problems), func(p *problem) bool { return p.mu != mu || p.summary == nil || !p.begun })
		var rows [][]*chart.Chart
		for _, pl := range []panel{{}, {showsSeconds: true}, {showsTest: true}, {showsTest: true, showsSeconds: true}} {
			pl.kind = overviewKind
			var row []*chart.Chart
			count := 0 // number of charts with lines
			for _, p := range shownProblems {
				c := pl.chart(p)
				if len(c.Lines) > 0 {
					count++
				}
				row = append(row, c)
			}
			// A row of several charts is omitted if only one of them has lines, because the function figures
			// also draws each problem by itself.
			if count > 0 && count >= min(2, len(row)) {
				rows = append(rows, row)
			}
		}
		if rows == nil {
			continue
		}
		title, name := fmt.Sprintf("Figure 1: mu = %g, Algorithm 1", mu), "figure-1"
		if mu > 0 {
			title, name = fmt.Sprintf("Figure 2: mu = %g, Algorithm 2", mu), fmt.Sprintf("figure-2-mu%g", mu)
		}
		var svg bytes.Buffer
		if err := chart.WriteSheet(&svg, title, rows); err != nil {
			return nil, err
		}
		out = append(out, &Figure{Name: name, File: svg.String(), SVG: output.Inline(svg.String(), title), Choices: choices(shownProblems), Caption: overviewAxes})
	}
	return out, nil
}

// A choice has, for one line in the charts of Figure 1 or 2, the step size and rho on each data set, as text.
type choice struct {
	Line   string
	Values []string
}

// choices returns the parameters chosen on the first split, with an element for each line. The Values of an
// additional first element are the names of the data sets.
func choices(shownProblems []*problem) []choice {
	out := []choice{{}}
	for _, t := range traces(shownProblems[0], overviewKind) {
		out = append(out, choice{Line: t.name})
	}
	for _, p := range shownProblems {
		out[0].Values = append(out[0].Values, p.Name)
		for k, t := range traces(p, overviewKind) {
			text := ""
			if u := p.runOf(t.method, t.output, p.splits[0]); u != nil {
				text = shortText(u.Penalty, 3) + " λ"
				if traits := p.Protocol.Traits(t.method); traits.Info.TakesEta {
					text = traits.Unit.Times(shortText(u.Step, 3)) + ", " + text
				}
			}
			out[k+1].Values = append(out[k+1].Values, text)
		}
	}
	return out
}
