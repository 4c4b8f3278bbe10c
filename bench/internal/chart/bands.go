package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A BandLine is a curve within a band. Y, Low and High are as long as X; a nil
// Low means no band.
type BandLine struct {
	Name      string
	X, Y      []float64
	Low, High []float64
	Bold      bool
}

// Axes says how Bands draws.
type Axes struct {
	Title, X, Y string
	LogX, LogY  bool
	// Floor cuts curves over a logarithmic axis: rounding hides what is below.
	Floor float64
	// YMax cuts the axis; zero means that nothing is cut.
	YMax float64
	// PNG asks for a bitmap instead of SVG.
	PNG bool
}

// Bands draws lines with their bands and names each where it ends, in the order
// of the ends. Names that would overlap are moved apart, with a leader.
func Bands(w io.Writer, a Axes, lines []BandLine) error {
	p := newPlot(a.Title, a.X, a.Y)
	b := addBands(p, a, lines)
	if len(b.lines) == 0 {
		return fmt.Errorf("chart: %s: there is nothing to draw", a.Title)
	}
	on := sheet{780, 400, 150, b.names}
	if a.PNG {
		return on.png(w, p)
	}
	return on.svg(w, p)
}

// addBands puts the lines that have points into a plot.
func addBands(p *plot.Plot, a Axes, lines []BandLine) *bandPlotter {
	if a.LogX {
		logarithmic(&p.X)
	}
	if a.LogY {
		logarithmic(&p.Y)
	}
	addGrid(p)
	b := &bandPlotter{}
	for k, l := range lines {
		l = l.visible(a)
		if len(l.X) == 0 {
			continue
		}
		b.lines, b.index = append(b.lines, l), append(b.index, k)
		p.X.Min, p.X.Max = min(p.X.Min, slices.Min(l.X)), max(p.X.Max, slices.Max(l.X))
		p.Y.Min, p.Y.Max = min(p.Y.Min, slices.Min(l.Y)), max(p.Y.Max, slices.Max(l.Y))
	}
	if len(b.lines) > 0 {
		finishAxes(p, a)
		p.Add(b)
	}
	return b
}

// finishAxes cuts, rounds and widens the ranges.
func finishAxes(p *plot.Plot, a Axes) {
	if a.YMax > 0 {
		p.Y.Max = math.Min(p.Y.Max, a.YMax)
	}
	if a.LogY {
		wholeDecades(&p.Y)
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		if axis.Max <= axis.Min {
			axis.Max = axis.Min + math.Max(1e-6, math.Abs(axis.Min)/10)
		}
	}
}

// visible cuts l where it falls to the floor, and what an axis cannot show.
func (l BandLine) visible(a Axes) BandLine {
	out := BandLine{Name: l.Name, Bold: l.Bold}
	for k, x := range l.X {
		y := l.Y[k]
		if math.IsNaN(y) || math.IsInf(y, 0) || a.LogX && !(x > 0) || a.LogY && a.Floor == 0 && !(y > 0) {
			continue
		}
		sunk := a.LogY && y <= a.Floor
		if sunk {
			y = a.Floor
		}
		low, high := y, y
		if l.Low != nil {
			low, high = l.Low[k], l.High[k]
			if a.LogY {
				low, high = math.Max(low, a.Floor), math.Max(high, a.Floor)
			}
		}
		out.X, out.Y = append(out.X, x), append(out.Y, y)
		out.Low, out.High = append(out.Low, low), append(out.High, high)
		if sunk {
			break
		}
	}
	return out
}

// bandPlotter draws the lines and remembers where they end.
type bandPlotter struct {
	lines []BandLine
	index []int // in the palette
	ends  []vg.Point
	thin  bool // it is one of many
}

func (b *bandPlotter) style(k int) draw.LineStyle {
	width := vg.Length(1.4)
	if b.lines[k].Bold {
		width = 2.2
	}
	if b.thin {
		width *= 0.6
	}
	return lineStyle(b.index[k], width)
}

// lineStyle is that of the k-th series.
func lineStyle(k int, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: palette[k%len(palette)], Width: width, Dashes: dashes[k/len(palette)%len(dashes)]}
}

// Plot implements plot.Plotter. Bands lie below all lines. What the axes cut off is not drawn.
func (b *bandPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: trX(x), Y: trY(y)} }
	within := func(q vg.Point) vg.Point { return vg.Point{X: q.X, Y: min(max(q.Y, c.Min.Y), c.Max.Y)} }
	for k, l := range b.lines {
		var outline []vg.Point
		for i, x := range l.X {
			outline = append(outline, within(at(x, l.High[i])))
		}
		for i := len(l.X) - 1; i >= 0; i-- {
			outline = append(outline, within(at(l.X[i], l.Low[i])))
		}
		col := palette[b.index[k]%len(palette)]
		col.A = 0x28
		c.FillPolygon(col, outline)
	}
	b.ends = b.ends[:0]
	for k, l := range b.lines {
		points := make([]vg.Point, len(l.X))
		for i, x := range l.X {
			points[i] = at(x, l.Y[i])
		}
		c.StrokeLines(b.style(k), c.ClipLinesXY(points)...)
		mark := glyph(b.index[k], 2.2)
		if b.thin {
			mark.Radius = 1.4
		}
		for i := b.index[k] % 3; i < len(points); i += max(1, len(points)/6) {
			if c.ContainsY(points[i].Y) {
				c.DrawGlyph(mark, points[i])
			}
		}
		b.ends = append(b.ends, within(points[len(points)-1]))
	}
}

// names writes the names beside the ends.
func (b *bandPlotter) names(c draw.Canvas) {
	const apart = 12
	order := make([]int, len(b.ends))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.ends[i].Y, b.ends[j].Y) })
	places := make([]vg.Length, len(order))
	for n, k := range order {
		places[n] = max(b.ends[k].Y, c.Min.Y+40)
		if n > 0 {
			places[n] = max(places[n], places[n-1]+apart)
		}
	}
	// A stack that leaves the picture is pushed back down.
	top := c.Max.Y - 26
	for n := len(places) - 1; n >= 0 && places[n] > top; n-- {
		places[n] = top
		top -= apart
	}
	text := textStyle(plot.New(), 9.5, draw.XLeft, draw.YCenter)
	for n, k := range order {
		y := places[n]
		leader := draw.LineStyle{Color: color.NRGBA{0x90, 0x90, 0x90, 0xff}, Width: 0.4}
		c.StrokeLine2(leader, b.ends[k].X+2, b.ends[k].Y, c.Min.X+8, y)
		c.StrokeLine2(b.style(k), c.Min.X+10, y, c.Min.X+32, y)
		c.DrawGlyph(glyph(b.index[k], 2.2), vg.Point{X: c.Min.X + 21, Y: y})
		c.FillText(text, vg.Point{X: c.Min.X + 37, Y: y}, b.lines[k].Name)
	}
}
