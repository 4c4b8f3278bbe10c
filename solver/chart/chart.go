// Package chart draws curves as SVG pictures with gonum/plot. Curves differ in colour and in marks, for grey
// prints and for colour-blind readers. Read [Chart] and [Line] first.
package chart

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Line is a curve, with a band around it if Low and High are set. All slices that are set have the same
// length. A point is omitted if a coordinate is NaN or infinite, or if a logarithmic axis cannot show it;
// see also Chart.Floor.
type Line struct {
	// Name is the text in the legend; empty means no entry in the legend.
	Name string
	// Series is a number from 0 that selects the colour and the mark.
	Series int
	X, Y   []float64
	// Low and High are the limits of the band; nil means no band.
	Low, High []float64
	Bold      bool
	// Dashed draws the line dashed. A dashed line has marks only if it has a single point.
	Dashed bool
	// Faint draws the line thin and grey, without marks.
	Faint bool
}

// A Chart is a set of curves over two axes with the names X and Y, and a legend in the order of Lines.
type Chart struct {
	Title, X, Y string
	LogX, LogY  bool
	// Falling makes x decrease to the right.
	Falling bool
	// Floor is the smallest y to draw on a logarithmic axis. A curve ends at its first point with y <= Floor,
	// which is drawn at Floor. Zero means no floor.
	Floor float64
	// Ceiling limits the upper end of the y axis; lines above that end are cut off. A logarithmic axis ends
	// at the next power of ten. Zero means no limit.
	Ceiling float64
	Lines   []Line
}

// Lengths in points.
const (
	width, height = 630, 400 // size of a chart without its legend
	legendLine    = 16       // height of a legend entry
	nameOffset    = 29       // distance from the left end of a legend entry to its name
)

// WriteSVG writes the chart as SVG. It returns an error if there is no point to draw.
func (c *Chart) WriteSVG(w io.Writer) error {
	lines := c.visible()
	if len(lines) == 0 {
		return fmt.Errorf("chart: %s: there is nothing to draw", c.Title)
	}
	entries := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Name == "" })
	fullHeight, legendWidth := max(height, vg.Length(60+legendLine*len(entries))),
		8+entryWidth(entries, largeStyle)
	return writeSVG(w, width+legendWidth, fullHeight, func(canvas draw.Canvas) {
		c.draw(draw.Crop(canvas, 0, -legendWidth, 0, 0), lines, largeStyle)
		y := canvas.Max.Y - 40
		for _, l := range entries {
			l.drawEntry(canvas, vg.Point{X: canvas.Max.X - legendWidth + 8, Y: y}, largeStyle)
			y -= legendLine
		}
	})
}

// visible returns the lines of c without the points that the axes cannot show. On a logarithmic y axis, a
// line ends at its first point at or below Floor, which moves to Floor. Lines without points are left out.
func (c *Chart) visible() (lines []Line) {
	for _, l := range c.Lines {
		l = l.visible(c)
		if len(l.X) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

func (l Line) visible(c *Chart) Line {
	out := l
	out.X, out.Y, out.Low, out.High = nil, nil, nil, nil
	for k, x := range l.X {
		y := l.Y[k]
		if sum := x + y; math.IsNaN(sum) || math.IsInf(sum, 0) || c.LogX && x <= 0 ||
			c.LogY && y <= 0 && c.Floor == 0 {
			continue
		}
		floor := math.Inf(-1)
		if c.LogY {
			floor = max(c.Floor, math.SmallestNonzeroFloat64) // only positive numbers have a logarithm
		}
		out.X, out.Y = append(out.X, x), append(out.Y, max(y, floor))
		if l.Low != nil {
			out.Low, out.High = append(out.Low, max(l.Low[k], floor)), append(out.High, max(l.High[k], floor))
		}
		if y <= floor {
			break
		}
	}
	return out
}

// draw draws the chart without its legend.
func (c *Chart) draw(canvas draw.Canvas, lines []Line, s style) {
	p := newPlot(c, s)
	for _, l := range lines {
		p.X.Min, p.X.Max = min(p.X.Min, slices.Min(l.X)), max(p.X.Max, slices.Max(l.X))
		p.Y.Min, p.Y.Max = min(p.Y.Min, slices.Min(l.Y)), max(p.Y.Max, slices.Max(l.Y))
		// A band may reach 0, where a logarithmic axis cannot begin.
		if l.Low != nil && !c.LogY {
			p.Y.Min, p.Y.Max = min(p.Y.Min, slices.Min(l.Low)), max(p.Y.Max, slices.Max(l.High))
		}
	}
	if c.Ceiling > 0 {
		p.Y.Max = min(p.Y.Max, c.Ceiling)
	}
	if c.LogY { // the axis goes from one power of ten to another
		lowExponent, highExponent := math.Floor(math.Log10(p.Y.Min)), math.Ceil(math.Log10(p.Y.Max))
		p.Y.Min, p.Y.Max = math.Pow(10, lowExponent), math.Pow(10, max(highExponent, lowExponent+1))
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		if axis.Max <= axis.Min {
			axis.Max = axis.Min + max(1e-6, math.Abs(axis.Min)/10)
		}
	}
	p.Add(curves{lines, s})
	// Axis names are drawn here, because gonum leaves space for an axis name around the number (Min + Max)/2,
	// which is near the end of a logarithmic axis.
	nameStyle := textStyle(s.labelSize, draw.XCenter, draw.YBottom)
	canvas.FillText(nameStyle, vg.Point{X: canvas.Center().X, Y: canvas.Min.Y}, c.X)
	nameStyle.Rotation, nameStyle.YAlign = math.Pi/2, draw.YTop
	canvas.FillText(nameStyle, vg.Point{X: canvas.Min.X, Y: canvas.Center().Y}, c.Y)
	p.Draw(draw.Crop(canvas, s.labelSize+5, 0, s.labelSize+2, 0))
}

// curves draws lines and bands. The first line is in front, and all bands are behind all lines.
type curves struct {
	lines []Line
	style
}

// Plot implements plot.Plotter.
func (v curves) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	point := func(x, y float64) vg.Point { return vg.Point{X: trX(x), Y: trY(y)} }
	for _, l := range v.lines {
		if l.Low == nil {
			continue
		}
		var outline []vg.Point
		for k, x := range l.X {
			outline = append(outline, point(x, l.High[k]))
		}
		for k := len(l.X) - 1; k >= 0; k-- {
			outline = append(outline, point(l.X[k], l.Low[k]))
		}
		for k, q := range outline {
			outline[k].Y = min(max(q.Y, c.Min.Y), c.Max.Y)
		}
		bandColor := palette[l.Series%len(palette)]
		bandColor.A = 0x28
		c.FillPolygon(bandColor, outline)
	}
	for _, l := range slices.Backward(v.lines) {
		points := make([]vg.Point, len(l.X))
		for k, x := range l.X {
			points[k] = point(x, l.Y[k])
		}
		c.StrokeLines(l.lineStyle(v.style), c.ClipLinesXY(points)...)
		if !l.marked() {
			continue
		}
		markStep, firstMark := 1, 0
		if len(points) > 8 { // if a line has many points, only some have marks
			markStep, firstMark = len(points)/6, l.Series%3
		}
		for k := firstMark; k < len(points); k += markStep {
			if c.Contains(points[k]) {
				c.DrawGlyph(l.markStyle(v.style), points[k])
			}
		}
	}
}

// drawEntry draws the entry of the line in the legend. start is the left end of the entry.
func (l Line) drawEntry(c draw.Canvas, start vg.Point, s style) {
	if len(l.X) > 1 {
		c.StrokeLine2(l.lineStyle(s), start.X, start.Y, start.X+24, start.Y)
	}
	if l.marked() {
		c.DrawGlyph(l.markStyle(s), vg.Point{X: start.X + 12, Y: start.Y})
	}
	c.FillText(textStyle(s.legendSize, draw.XLeft, draw.YCenter),
		vg.Point{X: start.X + nameOffset, Y: start.Y}, l.Name)
}

// entryWidth returns the width of the widest legend entry. It leaves space for viewers that draw the text
// with a wider font.
func entryWidth(lines []Line, s style) (widest vg.Length) {
	const widthRatio = 1.2
	for _, l := range lines {
		textWidth, _, _ := plot.DefaultTextHandler.Box(l.Name, sans(s.legendSize))
		widest = max(widest, nameOffset+widthRatio*textWidth+6)
	}
	return widest
}

func (l Line) marked() bool { return !l.Faint && (!l.Dashed || len(l.X) == 1) }
