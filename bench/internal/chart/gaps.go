package chart

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Line is a curve of gaps to an optimum.
type Line struct {
	Name   string
	X, Gap []float64
}

// smallestGap is below what a difference of two objectives can mean.
const smallestGap = 1e-15

// Gaps draws lines over a logarithmic axis of gaps. Points whose gap is not
// positive are left out: they are at or below the reference.
func Gaps(w io.Writer, title, x, y string, lines []Line) error {
	p := newPlot(title, x, y)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle = textStyle(p, 10, draw.XLeft, draw.YCenter)
	legend.Padding, legend.ThumbnailWidth = 4, 28
	for i, l := range lines {
		var pts plotter.XYs
		for k, gap := range l.Gap {
			if gap > smallestGap && !math.IsInf(gap, 0) {
				pts = append(pts, plotter.XY{X: l.X[k], Y: gap})
			}
		}
		if len(pts) == 0 {
			continue
		}
		line, err := plotter.NewLine(pts)
		if err != nil {
			return fmt.Errorf("chart: %s: %w", l.Name, err)
		}
		line.Color, line.Width, line.Dashes = palette[i%len(palette)], vg.Points(1.4), dashes[i%len(dashes)]
		p.Add(line)
		legend.Add(l.Name, line)
	}
	if math.IsInf(p.Y.Min, 0) {
		return fmt.Errorf("chart: no gap is above zero, so there is nothing to draw")
	}
	// Whole decades keep a label at both ends.
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	return save(w, p, 700, 420, 170, func(c draw.Canvas) {
		legend.Draw(draw.Crop(c, 8, 0, 0, -24))
	})
}
