package chart

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/scas-admm/scas/bench/internal/roof"
)

// A RoofPoint is a kernel in a roofline plot, at its best level.
type RoofPoint struct {
	Name      string
	Intensity float64 // operations per byte of the traffic that bounds it
	Rate      float64 // Gflop/s reached
	Level     int     // of the memory that bounds it, an index of Roof.Levels
}

// Roofline draws points under the roofs of the memory levels and of the peak.
// Points carry numbers, explained beside the plot; their glyph tells the memory
// level.
func Roofline(w io.Writer, title string, r roof.Roof, points []RoofPoint) error {
	if len(points) == 0 {
		return fmt.Errorf("chart: no points for the roofline")
	}
	p := newPlot(title, "operations per byte brought in", "Gflop/s")
	logarithmic(&p.X)
	logarithmic(&p.Y)
	b := &roofPlotter{roof: r, points: points}
	p.X.Min, p.X.Max = 0.03, 30
	p.Y.Min, p.Y.Max = r.Peak, 2*r.Peak
	for _, q := range points {
		p.X.Min, p.X.Max = min(p.X.Min, q.Intensity/2), max(p.X.Max, q.Intensity*2)
		p.Y.Min = min(p.Y.Min, q.Rate/2)
	}
	p.Add(b)
	height := max(480, 60+vg.Length(len(points))*11)
	return sheet{860, height, 230, func(c draw.Canvas) { b.key(c, p) }}.svg(w, p)
}

type roofPlotter struct {
	roof   roof.Roof
	points []RoofPoint
}

// Plot implements plot.Plotter.
func (b *roofPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for i, l := range b.roof.Levels {
		ridge := b.roof.Peak / l.Bandwidth
		from := math.Max(p.X.Min, p.Y.Min/l.Bandwidth)
		style := draw.LineStyle{Color: palette[i], Width: 1.3, Dashes: dashes[i]}
		c.StrokeLine2(style, trX(from), trY(from*l.Bandwidth), trX(ridge), trY(b.roof.Peak))
		text := textStyle(p, 8, draw.XLeft, draw.YBottom)
		text.Color = palette[i]
		rise, run := trY(ridge*l.Bandwidth)-trY(from*l.Bandwidth), trX(ridge)-trX(from)
		text.Rotation = math.Atan2(float64(rise), float64(run))
		c.FillText(text, vg.Point{X: trX(from*1.1) - 2, Y: trY(from*1.1*l.Bandwidth) + 2}, fmt.Sprintf("%s %.0f GB/s", l.Name, l.Bandwidth))
	}
	start := b.roof.Peak / b.roof.Levels[0].Bandwidth
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.3}, trX(start), trY(b.roof.Peak), c.Max.X, trY(b.roof.Peak))
	c.FillText(textStyle(p, 8, draw.XRight, draw.YBottom), vg.Point{X: c.Max.X - 2, Y: trY(b.roof.Peak) + 2},
		fmt.Sprintf("%.0f Gflop/s, %s", b.roof.Peak, b.roof.PeakFrom))

	at := make([]vg.Point, len(b.points))
	for i, q := range b.points {
		at[i] = vg.Point{X: trX(q.Intensity), Y: trY(q.Rate)}
		c.DrawGlyph(glyph(q.Level, 2.6), at[i])
	}
	text := textStyle(p, 8, draw.XCenter, draw.YCenter)
	for i, where := range spread(at) {
		c.FillText(text, where, fmt.Sprint(i+1))
	}
}

// spread places one label beside each point, as near as the other points and
// the labels already placed allow.
func spread(points []vg.Point) []vg.Point {
	var placed []vg.Point
	for _, pt := range points {
		placed = append(placed, place(pt, slices.Concat(placed, points)))
	}
	return placed
}

// place returns a place around a point that is apart from all that are taken.
func place(pt vg.Point, taken []vg.Point) vg.Point {
	const apart = 9
	for radius := 8.0; radius < 60; radius += 4 {
		for a := range 16 {
			sin, cos := math.Sincos(float64(a) * math.Pi / 8)
			q := vg.Point{X: pt.X + vg.Length(radius*cos), Y: pt.Y + vg.Length(radius*sin)}
			if !slices.ContainsFunc(taken, func(t vg.Point) bool {
				return math.Abs(float64(q.X-t.X)) < apart && math.Abs(float64(q.Y-t.Y)) < apart-2
			}) {
				return q
			}
		}
	}
	return vg.Point{X: pt.X + 8, Y: pt.Y}
}

// key explains the numbers.
func (b *roofPlotter) key(c draw.Canvas, p *plot.Plot) {
	y := c.Max.Y - 20
	number, name := textStyle(p, 8, draw.XRight, draw.YCenter), textStyle(p, 8, draw.XLeft, draw.YCenter)
	for i, q := range b.points {
		c.FillText(number, vg.Point{X: c.Min.X + 24, Y: y}, fmt.Sprint(i+1))
		c.DrawGlyph(glyph(q.Level, 2.6), vg.Point{X: c.Min.X + 32, Y: y})
		c.FillText(name, vg.Point{X: c.Min.X + 40, Y: y}, q.Name)
		y -= 11
	}
}
