package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver/chart"
)

// A figure is a drawing with its data.
type figure struct {
	Name, Title string // Name is the name of its files, without .svg or .csv
	file        string // the text of the SVG file
	csv         string // the curves as CSV; empty if the drawing has several charts
	// Caption says how the axes of the corresponding figure in the paper differ from the axes of this figure.
	Caption string
	// Choices has step size and rho of each line, one record for a line; nil unless this is Figure 1 or
	// Figure 2 of the report. The first record has the names of the data sets.
	Choices [][]string
}

// SVG returns the drawing as an element of the page.
func (f *figure) SVG() template.HTML { return output.Inline(f.file, f.Title) }

// A panel says which lines and which axes a chart of a problem has.
type panel struct {
	kind    string // selects the lines; see problem.lines
	caption string // a part of the title
	test    bool   // whether the chart shows the loss on the test half instead of the gap
	seconds bool   // whether the chart shows seconds instead of passes
}

// panels are the charts of a problem, each drawn over passes and over seconds.
var panels = []panel{
	{kind: "main", caption: "objective minus optimum"},
	{kind: "main", caption: "test loss", test: true},
	{kind: "predecessors", caption: "objective minus optimum, the stochastic predecessors"},
	{kind: "successors", caption: "objective minus optimum, successors and our variants"},
}

// overview is the panel.kind of the small charts in Figures 1 and 2.
const overview = "paper"

// lines returns the lines of a panel. In a chart over seconds their axis does not matter.
func (p *problem) lines(pl panel) (lines []line) {
	ours := p.scasOn()
	add := func(name string, m paper.Method, output paper.Output, style chart.Line) *line {
		style.Name, style.Series = name, p.series(m)
		lines = append(lines, line{method: m, output: output, rule: paper.Sampled, style: style})
		return &lines[len(lines)-1]
	}
	bold, dashed := chart.Line{Bold: true}, chart.Line{Dashed: true}
	if pl.kind == overview {
		add("SCAS-ADMM, last", ours, paper.Last, bold)
		add("SCAS-ADMM, average", ours, paper.Average, dashed)
		add("STOC-ADMM, average", stoc, paper.Average, chart.Line{})
		add("SA-ADMM, last", sa, paper.Last, chart.Line{})
		add("batch, linearised", batchLinear, paper.Last, chart.Line{})
		add("batch, exact", batch, paper.Last, chart.Line{}).axis = byPaper
		return lines
	}
	add(ours, ours, paper.Last, bold)
	add("scas-k (ours)", scasK, paper.Last, bold)
	if pl.kind == "main" {
		add(ours+", average", ours, paper.Average, dashed)
		add("scas-k, automatic", scasK, paper.Last, dashed).rule = paper.Automatic
		exact := []paper.Method{batch, batchCG}
		if pl.seconds {
			for _, m := range exact {
				add(m+", exact", m, paper.Last, chart.Line{})
			}
		} else {
			add("batch, paper's count", batch, paper.Last, chart.Line{}).axis = byPaper
			for _, m := range exact {
				add(m+", all passes", m, paper.Last, chart.Line{}).axis = byBudget
			}
		}
	}
	for _, t := range p.methods {
		m := t.Info.Name
		var shown bool
		switch pl.kind {
		case "main":
			shown = slices.Contains([]paper.Method{scas, stoc, sa, svrg, batchLinear}, m)
		case "predecessors":
			shown = t.Role != paper.Later && !t.Info.PaperPass && t.Info.Theorem == 0
		case "successors":
			shown = m == scas || t.Role == paper.Later && m != scasK
		}
		if !shown || m == ours {
			continue
		}
		name := m
		if t.Outputs[0] == paper.Average {
			name += ", average"
		}
		add(name, m, t.Outputs[0], chart.Line{})
	}
	return lines
}

// series returns the number that selects the colour and the mark of a method in all figures. The algorithm
// that scasOn returns has the number of scas. The paper's other algorithm has the number of scasStrong.
func (p *problem) series(m paper.Method) int {
	switch m {
	case p.scasOn():
		m = scas
	case scas:
		m = scasStrong
	}
	return p.Protocol.Traits(m).Series
}

// chart returns the panel's chart of a problem. A method that was run on no split has no curve. The curves
// use only the splits on which all other methods of the chart were run.
func (p *problem) chart(pl panel) *chart.Chart {
	c := &chart.Chart{X: "effective passes", Y: "objective − optimum", LogY: true, Floor: gapFloor}
	value := gap
	if pl.test {
		c, value = &chart.Chart{X: c.X, Y: "test loss"}, testLoss
	}
	if pl.seconds {
		c.X, c.LogX = "seconds, one thread", true
	}
	lines := p.lines(pl)
	splits := p.commonSplits(lines...)
	c.Title = fmt.Sprintf("%s, mu = %g: %s; splits: %d", p.label(), p.mu, pl.caption, len(splits))
	if pl.kind == overview {
		c.Title = fmt.Sprintf("%s, splits: %d", p.label(), len(splits))
	}
	for _, l := range lines {
		curve := p.upToBudget(l, splits, value)
		if pl.seconds {
			curve = p.overSeconds(l, splits, value)
		}
		if len(curve.X) > 1 || len(curve.X) == 1 && l.axis == byBudget {
			c.Lines = append(c.Lines, curve)
		}
	}
	if pl.test && len(c.Lines) > 0 {
		c.Ceiling = testCeiling(c.Lines)
	}
	return c
}

// testCeiling returns the upper end of the axis of the test loss. The high values at the start of the
// curves may be above it.
func testCeiling(curves []chart.Line) float64 {
	var ends []float64
	low := math.Inf(1)
	for _, c := range curves {
		ends, low = append(ends, last(c.Y)), min(low, slices.Min(c.Y))
	}
	slices.Sort(ends)
	return low + max(4*(ends[len(ends)/2]-low), 0.05*low)
}

// newFigure draws a chart and writes its curves as CSV. The legend lists the curves in descending order of
// their last value.
func newFigure(name string, c *chart.Chart) (*figure, error) {
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
	drawing := *c
	drawing.Lines = slices.Clone(c.Lines)
	slices.SortStableFunc(drawing.Lines,
		func(a, b chart.Line) int { return cmp.Compare(last(b.Y), last(a.Y)) })
	var svg bytes.Buffer
	err := drawing.WriteSVG(&svg)
	return &figure{Name: name, Title: c.Title, file: svg.String(), csv: output.CSV(records)}, err
}

// figures returns the charts of a problem that have lines.
func (p *problem) figures() (figures []*figure, err error) {
	for _, pl := range panels {
		for _, pl.seconds = range []bool{false, true} {
			c := p.chart(pl)
			if len(c.Lines) == 0 {
				continue
			}
			name := fmt.Sprintf("%s-mu%g-%s", p.Name, p.mu, pl.kind)
			caption := "In the paper: the objective itself, against effective passes."
			if pl.test {
				name, caption = name+"-test", "In the paper: the testing loss, against effective passes."
			}
			if pl.seconds {
				name, caption = name+"-seconds", caption+" Seconds are ours, with setup."
			}
			f, err := newFigure(name, c)
			if err != nil {
				return nil, err
			}
			f.Caption = caption
			figures = append(figures, f)
		}
	}
	return figures, nil
}

const overviewCaption = "In the paper: the objective itself and the testing loss, against effective passes, an iteration of exact batch ADMM counted as one. " +
	"Here: the objective minus the optimum, on a logarithmic axis. Step size and ρ chosen on samples of the first split:"

// overviews returns our versions of the paper's Figure 1 (mu = 0) and Figure 2 (one for each mu above 0).
// They show the gap and the test loss on every data set, over passes, and over seconds if runs were timed.
func overviews(problems []*problem) (figures []*figure, err error) {
	shown := map[float64][]*problem{} // by mu
	for _, p := range problems {
		shown[p.mu] = append(shown[p.mu], p)
	}
	for _, mu := range slices.Sorted(maps.Keys(shown)) {
		var rows [][]*chart.Chart
		for _, pl := range []panel{{}, {seconds: true}, {test: true}, {test: true, seconds: true}} {
			pl.kind = overview
			var row []*chart.Chart
			empty := true
			for _, p := range shown[mu] {
				c := p.chart(pl)
				row, empty = append(row, c), empty && len(c.Lines) == 0
			}
			if !empty {
				rows = append(rows, row)
			}
		}
		if rows == nil {
			continue
		}
		f := &figure{
			Name: "figure-1", Title: fmt.Sprintf("Figure 1: mu = %g, Algorithm 1", mu),
			Caption: overviewCaption, Choices: choices(shown[mu]),
		}
		if mu > 0 {
			f.Name, f.Title = fmt.Sprintf("figure-2-mu%g", mu),
				fmt.Sprintf("Figure 2: mu = %g, Algorithm 2", mu)
		}
		var svg bytes.Buffer
		if err := chart.WriteSheet(&svg, f.Title, rows); err != nil {
			return nil, err
		}
		f.file = svg.String()
		figures = append(figures, f)
	}
	return figures, nil
}

// choices returns figure.Choices: the parameters that were chosen on split 0.
func choices(problems []*problem) (records [][]string) {
	records = [][]string{{"data"}}
	for i, p := range problems {
		records[0] = append(records[0], p.Name)
		for k, l := range p.lines(panel{kind: overview}) {
			if i == 0 {
				records = append(records, []string{l.style.Name})
			}
			records[k+1] = append(records[k+1], p.parameters(p.run(l, 0)))
		}
	}
	return records
}

// parameters returns the step size and rho of a run as text, such as "2 · 1/ν_L, 0.1 λ". If u is nil, the
// text is empty.
func (p *problem) parameters(u *paper.TunedRun) string {
	if u == nil {
		return ""
	}
	text := number(u.Penalty) + " λ"
	t := p.Protocol.Traits(u.Method)
	if t.Info.TakesEta {
		text = number(u.Step) + " · " + t.Unit.Name + ", " + text
	}
	return text
}
