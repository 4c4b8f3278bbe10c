package draw

import (
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

const maxSets = 12

// An entry is an item of the legend: drawExample draws an example, 22 pixels wide, at the point
// (x, y); text explains it.
type entry struct {
	drawExample func(w io.Writer, x, y float64)
	text        string
}

func (d *drawing) legend() (entries []entry) {
	minWeight, maxWeight := math.Inf(1), 0.0
	negativeCount := 0
	for _, e := range d.edges {
		minWeight, maxWeight = min(minWeight, math.Abs(e.Weight)), max(maxWeight, math.Abs(e.Weight))
		if e.Weight < 0 {
			negativeCount++
		}
	}
	line := func(weight float64, text string) {
		entries = append(entries, entry{func(w io.Writer, x, y float64) {
			fmt.Fprintf(w,
				"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-opacity=\"0.75\" stroke-width=\"%.2f\" %s/>",
				x, y, x+22, y, thickness(weight, maxWeight), stroke(weight))
		}, text})
	}
	sign := 1.0 // sign of the weights in examples of thickness
	switch negativeCount {
	case 0:
		if len(d.edges) > 0 {
			line(maxWeight, "edge")
		}
	case len(d.edges):
		line(-maxWeight, "weight below 0")
		sign = -1
	default:
		line(maxWeight, "weight above 0")
		line(-maxWeight, "weight below 0")
	}
	if maxWeight > minWeight {
		line(sign*minWeight, fmt.Sprintf("|weight| %.3g", minWeight))
		line(sign*maxWeight, fmt.Sprintf("|weight| %.3g", maxWeight))
	}
	node := func(set int, text string) {
		if !slices.Contains(d.sets.SetOf, set) || text == "" {
			return
		}
		look := lookOf(set)
		colours := fmt.Sprintf("fill=\"%s\" stroke=\"%s\"", look.fill, look.line)
		if d.longNames {
			colours = fmt.Sprintf("fill=\"%s\"%s", look.dot, look.rim)
		}
		entries = append(entries, entry{func(w io.Writer, x, y float64) {
			fmt.Fprintf(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\" %s/>", x+11, y, colours)
		}, text})
	}
	hiddenCount := 0
	for k, name := range d.sets.Names {
		if k < maxSets {
			node(k, name)
		} else if name != "" && slices.Contains(d.sets.SetOf, k) {
			hiddenCount++
		}
	}
	if hiddenCount > 0 {
		entries = append(entries,
			entry{func(io.Writer, float64, float64) {}, fmt.Sprintf("and %d more colours", hiddenCount)})
	}
	node(Plain, d.sets.Plain)
	node(Faint, d.sets.Faint)
	return entries
}

// writeLegend writes the legend in lines from y on, and returns the y of the next line.
func (d *drawing) writeLegend(w io.Writer, y float64) float64 {
	const margin, exampleWidth, space = 12.0, 28.0, 18.0
	x := margin
	for k, e := range d.legend() {
		width := exampleWidth + 6.2*float64(utf8.RuneCountInString(e.text))
		if x+width > d.size.X && k > 0 {
			x, y = margin, y+lineHeight
		}
		fmt.Fprintf(w, "<g>")
		e.drawExample(w, x, y-4)
		fmt.Fprintf(w, "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>\n", x+exampleWidth, y, escapeXML(e.text))
		x += width + space
	}
	if x > margin {
		y += lineHeight
	}
	return y
}
