package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette has the colours of Okabe and Ito, which colour-blind people can distinguish. It leaves out yellow,
// which is hard to see on white.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0x40, 0x40, 0x40, 0xff}, // grey
}

var (
	ink   = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	faint = color.NRGBA{0xd0, 0xd0, 0xd0, 0xff}
	// dashes are the patterns of dashed lines: the lengths of a dash, of a gap, and so on.
	dashes = [][]vg.Length{{6, 3}, {2, 2}, {8, 2, 2, 2}}
	glyphs = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{}, draw.TriangleGlyph{},
	}
)

// A style holds the sizes of text, lines and marks.
type style struct {
	titleSize, labelSize, tickSize, legendSize vg.Length
	padding                                    vg.Length // between the axes and their labels
	lineWidth, markRadius                      vg.Length
}

var (
	largeStyle = style{
		titleSize: 13, labelSize: 11, tickSize: 10, legendSize: 9.5, padding: 4, lineWidth: 1.4,
		markRadius: 3,
	}
	smallStyle = style{
		titleSize: 9.5, labelSize: 8, tickSize: 7.5, legendSize: 9.5, padding: 2, lineWidth: 0.9,
		markRadius: 1.4,
	}
)

func (l Line) lineStyle(s style) draw.LineStyle {
	if l.Faint {
		out := draw.LineStyle{Color: faint, Width: s.lineWidth / 2}
		if l.Dashed {
			out.Color, out.Dashes = color.NRGBA{0x90, 0x90, 0x90, 0xff}, dashes[0]
		}
		return out
	}
	out := draw.LineStyle{Color: palette[l.Series%len(palette)], Width: s.lineWidth}
	if l.Bold {
		out.Width *= 1.6
	}
	if l.Dashed {
		out.Dashes = dashes[l.Series%len(dashes)]
	}
	return out
}

// markStyle returns the style of the marks of the line. Up to 49 series differ in colour or mark.
func (l Line) markStyle(s style) draw.GlyphStyle {
	shape := glyphs[(l.Series+l.Series/len(palette))%len(glyphs)]
	radius := s.markRadius
	if len(l.X) == 1 { // a single point is drawn only as a mark
		radius *= 1.6
	}
	return draw.GlyphStyle{Color: palette[l.Series%len(palette)], Radius: radius, Shape: shape}
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle returns the style of texts that this package draws itself: all except the titles and the tick
// labels of charts.
func textStyle(size vg.Length, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color: ink, Font: sans(size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
	}
}

// newPlot returns an empty plot with the title and the axes of c, but without the names
// of the axes.
func newPlot(c *Chart, s style) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.TextStyle.Font, p.Title.Padding = c.Title, sans(s.titleSize), 2*s.padding
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font, a.Padding = sans(s.tickSize), s.padding
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = evenTicks{}, evenTicks{}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decadeTicks{}
	}
	if c.Falling {
		p.X.Scale = plot.InvertedScale{Normalizer: p.X.Scale}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decadeTicks{}
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return p
}

// decadeTicks places the ticks of a logarithmic axis. Powers of ten have labels. On a long axis, only some of
// them have labels. On a short axis, 2 and 5 times a power of ten also have labels. If the axis has none of
// these numbers, its ticks are those of a linear axis.
type decadeTicks struct{}

// Ticks implements plot.Ticker.
func (decadeTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	lowExponent, highExponent := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	interval := 1 + (highExponent-lowExponent)/12
	for e := lowExponent; e <= highExponent; e++ {
		for m := 1; m < 10; m++ {
			t := plot.Tick{Value: float64(m) * math.Pow10(e)}
			switch {
			case m == 1 && e%interval == 0, (m == 2 || m == 5) && high < 30*low:
				t.Label = tickText(m, e)
			case m > 1 && highExponent-lowExponent > 6:
				continue
			}
			if t.Value >= low*(1-1e-9) && t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
	}
	if !slices.ContainsFunc(ticks, func(t plot.Tick) bool { return t.Label != "" }) {
		return evenTicks{}.Ticks(low, high)
	}
	return ticks
}

// evenTicks places the ticks of a linear axis at multiples of 1, 2 or 5 times a power of ten. There are
// three to eight ticks. The label of a tick is its exact value.
type evenTicks struct{}

// Ticks implements plot.Ticker.
func (evenTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	e := int(math.Floor(math.Log10((high - low) / 3)))
	m := 1
	for _, factor := range []int{2, 5} {
		if float64(factor)*math.Pow10(e) <= (high-low)/3 {
			m = factor
		}
	}
	step := float64(m) * math.Pow10(e)
	firstMultiple, lastMultiple := int64(math.Ceil(low/step-1e-9)), int64(math.Floor(high/step+1e-9))
	for k := firstMultiple; k <= lastMultiple; k++ {
		value := float64(k) * step
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', max(0, -e), 64)})
	}
	return ticks
}

// tickText returns m·10^e as text. It uses no superscripts, because some fonts lack the superscript minus.
func tickText(m, e int) string {
	if e < -2 || e > 4 {
		return fmt.Sprintf("%de%d", m, e)
	}
	return fmt.Sprintf("%.*f", max(0, -e), float64(m)*math.Pow10(e))
}

// writeSVG writes the picture that paint draws. It names other fonts of the same widths, for viewers without
// Liberation Sans.
func writeSVG(w io.Writer, width, height vg.Length, paint func(draw.Canvas)) error {
	svg := vgsvg.New(width, height)
	c := draw.New(svg)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	paint(draw.Crop(c, 6, -6, 6, -6))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}
