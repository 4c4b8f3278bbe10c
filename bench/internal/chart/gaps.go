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

// A Line is a curve of gaps to an optimum. Lines of one Group share colour and
// glyph; Dashed ones are set apart in it.
type Line struct {
	Name   string
	Group  int
	Dashed bool
	X, Gap []float64
}

// smallestGap is below what a difference of two objectives can mean.
const smallestGap = 1e-15

// Gaps draws lines over a logarithmic axis of gaps. Points whose gap is not
// positive are left out: they are at or below the reference.
func Gaps(w io.Writer, title, x, y string, lines []Line) error {
	return gaps(w, newPlot(title, x, y), lines)
}

// LogLog is Gaps over a logarithmic axis of x too, with a mark at every point. Points
// whose x is not positive are left out.
func LogLog(w io.Writer, title, x, y string, lines []Line) error {
	p := newPlot(title, x, y)
	logarithmic(&p.X)
	return gaps(w, p, lines)
}

// gaps draws lines into a plot with whatever axis of x.
func gaps(w io.Writer, p *plot.Plot, lines []Line) error {
	logarithmic(&p.Y)
	addGrid(p)
	_, logX := p.X.Scale.(plot.LogScale)
	var entries []entry
	for _, l := range lines {
		pts := l.points(logX)
		if len(pts) == 0 {
			continue
		}
		style, mark := l.style()
		line, marks, err := plotter.NewLinePoints(pts)
		if err != nil {
			return fmt.Errorf("chart: %s: %w", l.Name, err)
		}
		line.LineStyle, marks.GlyphStyle = style, mark
		if !logX {
			marks.XYs = every(pts, l.Group)
		}
		p.Add(line, marks)
		entries = append(entries, entry{l.Name, func(c draw.Canvas, at vg.Rectangle) {
			mid := (at.Min.Y + at.Max.Y) / 2
			c.StrokeLine2(style, at.Min.X, mid, at.Max.X, mid)
			c.DrawGlyph(mark, vg.Point{X: (at.Min.X + at.Max.X) / 2, Y: mid})
		}})
	}
	if len(entries) == 0 {
		return fmt.Errorf("chart: no gap is above zero, so there is nothing to draw")
	}
	wholeDecades(&p.Y)
	if logX {
		wholeDecades(&p.X)
	}
	return sheet{720, 420, 150, func(c draw.Canvas) { legend(c, p, entries) }}.svg(w, p)
}

// points returns what can be drawn of l.
func (l Line) points(logX bool) plotter.XYs {
	var pts plotter.XYs
	for k, gap := range l.Gap {
		if gap > smallestGap && !math.IsInf(gap, 0) && (!logX || l.X[k] > 0) {
			pts = append(pts, plotter.XY{X: l.X[k], Y: gap})
		}
	}
	return pts
}

func (l Line) style() (draw.LineStyle, draw.GlyphStyle) {
	s := draw.LineStyle{Color: palette[l.Group%len(palette)], Width: 1.4}
	if l.Dashed {
		s.Dashes = []vg.Length{5, 3}
	}
	return s, glyph(l.Group, 2.5)
}

// every thins points to about eight marks, staggered by group so that marks on
// coinciding curves stay visible.
func every(pts plotter.XYs, group int) plotter.XYs {
	step := max(1, len(pts)/8)
	var out plotter.XYs
	for k := group * step / 4; k < len(pts); k += step {
		out = append(out, pts[k])
	}
	return out
}
