package chart

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Tile is one of many charts on a sheet. Lines at the same place of all tiles are the
// same series.
type Tile struct {
	Axes
	Lines []BandLine
}

// Sizes on a sheet of tiles: of one, of the title, of a name in the legend.
const (
	tileWidth, tileHeight = 250, 165
	titleHeight           = 24
	nameWidth, nameHeight = 166, 18
)

// tiles is a sheet, with a row of charts under another, and one legend for all.
type tiles struct {
	title string
	rows  [][]Tile
}

// Tiles draws charts in rows, with the names of the first below. Rows have the same
// length. A tile without points says so.
func Tiles(w io.Writer, title string, rows [][]Tile, bitmap bool) error {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return fmt.Errorf("chart: %s: there is nothing to draw", title)
	}
	t := tiles{title, rows}
	names := len(t.names())
	perLine := t.namesPerLine()
	width := vg.Length(tileWidth*len(rows[0]) + 12)
	height := vg.Length(tileHeight*len(rows) + 12 + titleHeight + nameHeight*((names+perLine-1)/perLine))
	if bitmap {
		img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))
		t.draw(draw.New(img))
		_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(w)
		return err
	}
	svg := vgsvg.New(width, height)
	t.draw(draw.New(svg))
	return writeSVG(w, svg)
}

func (t tiles) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 6, -6, 6, -6)
	head := textStyle(plot.New(), 12, draw.XCenter, draw.YTop)
	c.FillText(head, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - 2}, t.title)
	for r, row := range t.rows {
		top := c.Max.Y - titleHeight - vg.Length(r*tileHeight)
		for k, one := range row {
			left := c.Min.X + vg.Length(k*tileWidth)
			one.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left + 4, Y: top - tileHeight + 4}, Max: vg.Point{X: left + tileWidth - 4, Y: top - 4},
			}})
		}
	}
	t.legend(c)
}

// draw draws a tile, in letters fit for its size.
func (t Tile) draw(c draw.Canvas) {
	p := newPlot(t.Title, t.X, t.Y)
	p.Title.TextStyle.Font, p.Title.Padding = sans(9.5), 3
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font, a.Padding = sans(8), sans(7.5), 2
	}
	b := addBands(p, t.Axes, t.Lines)
	if b.thin = true; len(b.lines) > 0 {
		drawPlot(c, p)
		return
	}
	none := textStyle(p, 9, draw.XCenter, draw.YCenter)
	c.FillText(none, c.Center(), t.Title+": not measured")
}

// names are those of the lines.
func (t tiles) names() (names []string) {
	for _, one := range slices.Concat(t.rows...) {
		for k := len(names); k < len(one.Lines); k++ {
			names = append(names, one.Lines[k].Name)
		}
	}
	return names
}

// namesPerLine is how many of them fit beside each other.
func (t tiles) namesPerLine() int { return max(1, tileWidth*len(t.rows[0])/nameWidth) }

// legend names the lines along the bottom.
func (t tiles) legend(c draw.Canvas) {
	text := textStyle(plot.New(), 9.5, draw.XLeft, draw.YCenter)
	names, perLine := t.names(), t.namesPerLine()
	for k, name := range names {
		x := c.Min.X + vg.Length(k%perLine*nameWidth)
		y := c.Min.Y + vg.Length(nameHeight*((len(names)-1)/perLine-k/perLine)) + nameHeight/2
		c.StrokeLine2(lineStyle(k, 1.6), x, y, x+22, y)
		c.DrawGlyph(glyph(k, 2.2), vg.Point{X: x + 11, Y: y})
		c.FillText(text, vg.Point{X: x + 27, Y: y}, name)
	}
}
