// Package chart draws what the benchmarks measured as SVG. Series differ in
// colour and in dash, hatch or glyph, so that neither colour blindness nor a
// grey printer hides anything.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette is Okabe and Ito's, made to be told apart with any colour vision; its
// yellow is left out, being invisible on white.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0x40, 0x40, 0x40, 0xff}, // grey
}

// dashes tell the memory levels of a roofline apart.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

// glyph returns the mark of the k-th series.
func glyph(k int, radius vg.Length) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	}
	return draw.GlyphStyle{Color: palette[k%len(palette)], Radius: radius, Shape: shapes[k%len(shapes)]}
}

var (
	ink   = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	faint = color.NRGBA{0xd0, 0xd0, 0xd0, 0xff}
)

// sans returns the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot returns an empty plot in the common style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font = sans(13)
	p.Title.Padding = 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(11)
		a.Tick.Label.Font = sans(10)
		a.Padding = 4
	}
	return p
}

// textStyle returns a style for text placed by hand.
func textStyle(p *plot.Plot, size vg.Length, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	s := p.X.Tick.Label
	s.Font, s.Color, s.Rotation = sans(size), ink, 0
	s.XAlign, s.YAlign = x, y
	return s
}

// logarithmic gives an axis decades.
func logarithmic(a *plot.Axis) { a.Scale, a.Tick.Marker = plot.LogScale{}, decades{} }

// addGrid draws lines at the ticks.
func addGrid(p *plot.Plot) {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
}

// A sheet is what a plot is drawn on: white, with the plot on its left, and on its
// right a strip on which side draws.
type sheet struct {
	width, height, strip vg.Length
	side                 func(draw.Canvas)
}

// svg writes p as SVG.
func (s sheet) svg(w io.Writer, p *plot.Plot) error {
	svg := vgsvg.New(s.width, s.height)
	s.compose(draw.New(svg), p)
	return writeSVG(w, svg)
}

// writeSVG writes a canvas with fonts that viewers have.
func writeSVG(w io.Writer, svg *vgsvg.Canvas) error {
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte(fontFamily), []byte(fontFamilies)))
	return err
}

func (s sheet) compose(c draw.Canvas, p *plot.Plot) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 6, -6, 6, -6)
	drawPlot(draw.Crop(c, 0, -s.strip, 0, 0), p)
	s.side(draw.Crop(c, c.Max.X-c.Min.X-s.strip, 0, 0, 0))
}

// drawPlot draws p with the name of a logarithmic y axis beside it: gonum would leave room
// for that about the mean of its ends, near the upper, and so above the plot.
func drawPlot(c draw.Canvas, p *plot.Plot) {
	if _, log := p.Y.Scale.(plot.LogScale); log && p.Y.Label.Text != "" {
		style := textStyle(p, p.Y.Label.TextStyle.Font.Size, draw.XCenter, draw.YTop)
		style.Rotation = math.Pi / 2
		c.FillText(style, vg.Point{X: c.Min.X, Y: (c.Min.Y + c.Max.Y) / 2}, p.Y.Label.Text)
		c = draw.Crop(c, p.Y.Label.TextStyle.Height(p.Y.Label.Text)+2, 0, 0, 0)
		p.Y.Label.Text = ""
	}
	p.Draw(c)
}

// The SVG names the one font it was laid out with; viewers without it need
// others of the same widths.
const (
	fontFamily   = "font-family:Liberation Sans;"
	fontFamilies = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
)

// entry is a line of a legend: a sample drawn at its left end, and a name.
type entry struct {
	name   string
	sample func(c draw.Canvas, at vg.Rectangle)
}

// legend draws entries downwards from the top of c, below the title's height.
func legend(c draw.Canvas, p *plot.Plot, entries []entry) {
	text := textStyle(p, 10, draw.XLeft, draw.YCenter)
	y := c.Max.Y - 40
	for _, e := range entries {
		e.sample(c, vg.Rectangle{Min: vg.Point{X: c.Min.X + 6, Y: y - 4}, Max: vg.Point{X: c.Min.X + 32, Y: y + 4}})
		c.FillText(text, vg.Point{X: c.Min.X + 38, Y: y}, e.name)
		y -= 16
	}
}

// decades ticks a logarithmic axis at powers of ten, with small ticks at their
// multiples if there are few.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	every := 1 + (last-first)/12
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		v := math.Pow10(e)
		label := ""
		if e%every == 0 {
			label = power(e)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
		for m := 2.0; m < 10 && last-first <= 6; m++ {
			ticks = append(ticks, plot.Tick{Value: m * v})
		}
	}
	return within(ticks, lo, hi)
}

// power writes ten to the e: plainly where that is short, else as tables do, since
// fonts without a raised minus would make 10³ of 10⁻³.
func power(e int) string {
	if e >= 0 && e <= 4 {
		return fmt.Sprintf("%.0f", math.Pow10(e))
	}
	if e < 0 && e >= -2 {
		return fmt.Sprintf("%.*f", -e, math.Pow10(e))
	}
	return fmt.Sprintf("1e%d", e)
}

// doublings ticks a logarithmic axis of ratios at powers of two.
type doublings struct{}

// Ticks implements plot.Ticker.
func (doublings) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log2(lo))); float64(e) <= math.Log2(hi); e++ {
		v := math.Ldexp(1, e)
		label := fmt.Sprintf("%.0f×", v)
		if e < 0 {
			label = fmt.Sprintf("1/%.0f×", 1/v)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return within(ticks, lo, hi)
}

func within(ticks []plot.Tick, lo, hi float64) []plot.Tick {
	out := ticks[:0]
	for _, t := range ticks {
		if t.Value >= lo*(1-1e-9) && t.Value <= hi*(1+1e-9) {
			out = append(out, t)
		}
	}
	return out
}
