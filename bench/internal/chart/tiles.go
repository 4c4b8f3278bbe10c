package chart

import (
	"fmt"
	"image/color"
	"io"

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

// Of a sheet of tiles: that of one, and of the legend below them.
const (
	tileWidth, tileHeight = 250, 165
	legendHeight          = 24
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
	width, height := vg.Length(tileWidth*len(rows[0])+12), vg.Length(tileHeight*len(rows)+12+2*legendHeight)
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
		top := c.Max.Y - legendHeight - vg.Length(r*tileHeight)
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

// legend names the lines along the bottom.
func (t tiles) legend(c draw.Canvas) {
	names := map[int]string{}
	most := 0
	for _, row := range t.rows {
		for _, one := range row {
			for k, l := range one.Lines {
				names[k], most = l.Name, max(most, k+1)
			}
		}
	}
	text := textStyle(plot.New(), 9.5, draw.XLeft, draw.YCenter)
	y, step := c.Min.Y+legendHeight/2, (c.Max.X-c.Min.X)/vg.Length(max(1, most))
	for k := range most {
		x := c.Min.X + vg.Length(k)*step
		c.StrokeLine2(lineStyle(k, 1.6), x, y, x+22, y)
		c.DrawGlyph(glyph(k, 2.2), vg.Point{X: x + 11, Y: y})
		c.FillText(text, vg.Point{X: x + 27, Y: y}, names[k])
	}
}
