package chart

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The sizes on a sheet, in points. A tile is a chart with its margin; an entry is one name in the legend.
const (
	tileWidth, tileHeight = 250, 165
	titleHeight           = 24
	entryHeight           = 18
)

// WriteSheet writes several charts as one SVG, with one legend below them. All rows must have the same
// length. Lines with the same name share one entry, so they must have the same series in all charts. A line
// without points has no entry. A chart without points is replaced by its title and "not measured".
// WriteSheet returns an error if there is no chart.
func WriteSheet(w io.Writer, title string, rows [][]*Chart) error {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return fmt.Errorf("chart: %s: there is nothing to draw", title)
	}
	var legend []Line
	knownNames := map[string]bool{}
	for _, row := range rows {
		for _, c := range row {
			for _, l := range c.visible() {
				if l.Name != "" && !knownNames[l.Name] {
					knownNames[l.Name], legend = true, append(legend, l)
				}
			}
		}
	}
	width := vg.Length(max(2, len(rows[0])) * tileWidth)  // the title needs the width of two charts
	columnWidth := max(1, entryWidth(legend, largeStyle)) // the legend may be empty
	entriesPerLine := max(1, int(width/columnWidth))
	legendHeight := vg.Length((len(legend) + entriesPerLine - 1) / entriesPerLine * entryHeight)
	return writeSVG(w, width+12, titleHeight+vg.Length(len(rows)*tileHeight)+legendHeight+12,
		func(c draw.Canvas) {
			c.FillText(textStyle(12, draw.XCenter, draw.YTop), vg.Point{X: c.Center().X, Y: c.Max.Y - 2},
				title)
			for r, row := range rows {
				for k, chart := range row {
					left, top := c.Min.X+vg.Length(k*tileWidth), c.Max.Y-titleHeight-vg.Length(r*tileHeight)
					chart.drawTile(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
						Min: vg.Point{X: left + 4, Y: top - tileHeight + 4},
						Max: vg.Point{X: left + tileWidth - 4, Y: top - 4},
					}})
				}
			}
			for k, l := range legend {
				l.drawEntry(c,
					vg.Point{
						X: c.Min.X + vg.Length(k%entriesPerLine)*columnWidth,
						Y: c.Min.Y + legendHeight - vg.Length(k/entriesPerLine*entryHeight) - entryHeight/2,
					},
					largeStyle)
			}
		})
}

// drawTile draws the chart as a part of a sheet, or a text if the chart has no points.
func (c *Chart) drawTile(canvas draw.Canvas) {
	if lines := c.visible(); len(lines) > 0 {
		c.draw(canvas, lines, smallStyle)
		return
	}
	canvas.FillText(textStyle(9, draw.XCenter, draw.YCenter), canvas.Center(), c.Title+": not measured")
}
