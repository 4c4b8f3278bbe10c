package draw

import (
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

const maxSets = 12

// An entry is an item of the legend: sample draws an example, 22 pixels wide, at the point (x, y);
// text explains it.
type entry struct {
	sample func(w io.Writer, x, y float64)
	text   string
}

func (d *drawing) legend() (all []entry) {
	thin, thick := math.Inf(1), 0.0
	var signs [2]bool // whether there are edges of negative weight, of positive weight
	for _, e := range d.edges {
		thin, thick = min(thin, math.Abs(e.Weight)), max(thick, math.Abs(e.Weight))
		signs[map[bool]int{true: 1}[e.Weight >= 0]] = true
	}
	line := func(weight float64, text string) {
		all = append(all, entry{func(w io.Writer, x, y float64) {
			fmt.Fprintf(w, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-opacity=\"0.75\" stroke-width=\"%.2f\" %s/>", x, y, x+22, y, thickness(weight, thick), stroke(weight))
		}, text})
	}
	if signs[1] {
		line(thick, map[bool]string{true: "weight above 0", false: "edge"}[signs[0]])
	}
	if signs[0] {
		line(-thick, "weight below 0")
	}
	if thick > thin {
		sign := map[bool]float64{true: 1, false: -1}[signs[1]]
		line(sign*thin, fmt.Sprintf("|weight| %.3g", thin))
		line(sign*thick, fmt.Sprintf("|weight| %.3g", thick))
	}
	node := func(set int, text string) {
		if !slices.Contains(d.sets.SetOf, set) || text == "" {
			return
		}
		look := lookOf(set)
		colours := fmt.Sprintf("fill=\"%s\" stroke=\"%s\"", look.fill, look.line)
		if d.long {
			colours = fmt.Sprintf("fill=\"%s\"%s", look.dot, look.rim)
		}
		all = append(all, entry{func(w io.Writer, x, y float64) {
			fmt.Fprintf(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\" %s/>", x+11, y, colours)
		}, text})
	}
	for k, name := range d.sets.Names[:min(maxSets, len(d.sets.Names))] {
		node(k, name)
	}
	if more := len(d.sets.Names) - maxSets; more > 0 {
		all = append(all, entry{func(io.Writer, float64, float64) {}, fmt.Sprintf("and %d more colours", more)})
	}
	node(Plain, d.sets.Plain)
	node(Faint, d.sets.Faint)
	return all
}

// writeLegend writes the legend in lines from y on, and returns the y of the next line.
// If w is nil, it only measures.
func (d *drawing) writeLegend(w io.Writer, y float64) float64 {
	const left, sample, space = 12.0, 28.0, 18.0
	x := left
	for k, e := range d.legend() {
		width := sample + 6.2*float64(utf8.RuneCountInString(e.text))
		if x+width > d.size.X && k > 0 {
			x, y = left, y+lineHeight
		}
		if w != nil {
			fmt.Fprintf(w, "<g>")
			e.sample(w, x, y-4)
			fmt.Fprintf(w, "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>\n", x+sample, y, escapeXML(e.text))
		}
		x += width + space
	}
	if x > left {
		y += lineHeight
	}
	return y
}
