package report

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// overviews are the paper's Figures 1 and 2: of every data set objective and test loss,
// against passes and, where they were measured, seconds. The first is for mu = 0, the
// second for the largest mu.
func overviews(all []*problem, bitmap bool) ([]*Figure, error) {
	var out []*Figure
	mus := slices.Clone(all[0].Protocol.Mus)
	slices.Sort(mus)
	for k, mu := range slices.Compact([]float64{mus[0], mus[len(mus)-1]}) {
		f, err := overview(fmt.Sprintf("figure-%d", k+1), fmt.Sprintf("Figure %d: mu = %g. Iterations of exact batch ADMM count as passes, as in the paper", k+1, mu), slices.DeleteFunc(slices.Clone(all), func(p *problem) bool {
			return p.mu != mu || p.Whole || p.facts == nil || !p.begun
		}), bitmap)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, f)
		}
	}
	return out, nil
}

// overview draws some problems side by side, nil if there are none.
func overview(name, title string, all []*problem, bitmap bool) (*Figure, error) {
	var rows [][]chart.Tile
	for _, of := range []panel{{kind: "paper"}, {kind: "paper", seconds: true}, {kind: "paper", test: true}, {kind: "paper", test: true, seconds: true}} {
		var row []chart.Tile
		drawn := false
		for _, p := range all {
			t := of.tile(p)
			row, drawn = append(row, t), drawn || slices.ContainsFunc(t.Lines, func(l chart.BandLine) bool { return l.X != nil })
		}
		if drawn {
			rows = append(rows, row)
		}
	}
	if rows == nil {
		return nil, nil
	}
	var svg, png bytes.Buffer
	if err := chart.Tiles(&svg, title, rows, false); err != nil {
		return nil, err
	}
	if bitmap {
		if err := chart.Tiles(&png, title, rows, true); err != nil {
			return nil, err
		}
	}
	f := &Figure{Name: name, Caption: title, File: svg.String(), PNG: png.String()}
	f.SVG = inline(f.File, title)
	return f, nil
}

// tile draws a problem as one of many.
func (of panel) tile(p *problem) chart.Tile {
	a, _ := of.axes(p)
	a.Title = fmt.Sprintf("%s, splits: %d", p.Name, len(p.splits))
	a.X = "effective passes"
	if of.seconds {
		a.X = "seconds, one thread"
	}
	if of.test {
		a.Y = "test loss"
	}
	t := chart.Tile{Axes: a}
	for _, one := range traces(p, of.kind) {
		line := chart.BandLine{Name: one.name, Bold: one.bold}
		if c, ok := of.curve(p, one); ok && len(c.x) > 1 {
			line.X, line.Y, line.Low, line.High = c.x, c.mean, c.low, c.high
		}
		t.Lines = append(t.Lines, line)
	}
	if of.test && slices.ContainsFunc(t.Lines, func(l chart.BandLine) bool { return l.X != nil }) {
		t.YMax = testCeiling(t.Lines)
	}
	return t
}

// paperTraces are the lines of the paper's figures, at the same places whatever mu is.
func paperTraces(p *problem) []trace {
	ours := scasOn(p)
	return []trace{
		{name: "SCAS-ADMM, last", method: ours, output: paper.Last, x: byPasses, bold: true},
		{name: "SCAS-ADMM, average", method: ours, output: paper.Average, x: byPasses},
		{name: "STOC-ADMM, average", method: stoc, output: paper.Average, x: byPasses},
		{name: "SA-ADMM, last", method: peerOf(p), output: paper.Last, x: byPasses},
		{name: "batch, linearised", method: batchLinear, output: paper.Last, x: byPasses},
		{name: "batch, exact", method: batch, output: paper.Last, x: byPaper},
	}
}
