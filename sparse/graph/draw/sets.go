package draw

import (
	"fmt"
	"math"
)

// Sets assigns nodes to sets, and gives the names for the legend.
type Sets struct {
	SetOf        []int    // for each node: the number k of its set, drawn in Colour(k); or Plain, or Faint
	Names        []string // names of the sets 0, 1, ...
	Plain, Faint string   // texts in the legend for Plain and Faint nodes; empty means none
}

// Values of Sets.SetOf for nodes outside the sets.
const (
	Plain = -1 // a node of no set
	Faint = -2 // a node to draw in the background
)

// palette is Paul Tol's colour scheme "light", made for labelled cells: black text is readable on
// every colour, and colour-blind people can distinguish the colours.
var palette = []string{"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#44bb99", "#99ddff", "#bbcc33", "#aaaa00"}

// Colour returns the colour of set k >= 0 as #rrggbb, light enough for black text. The
// first hundred colours are different.
func Colour(k int) string {
	if k < len(palette) {
		return palette[k]
	}
	// Hues advance by the golden angle, and three lightnesses take turns.
	_, hue := math.Modf(float64(float64(k) * 0.6180339887498949))
	lightness, amplitude := []float64{0.72, 0.82, 0.62}[k%3], 0.16
	channel := func(shift float64) int {
		return int(math.Round(255 * (lightness + float64(amplitude*math.Cos(2*math.Pi*(hue-shift))))))
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(0), channel(1.0/3), channel(2.0/3))
}

// A look says how to draw a node. The node is either a circle around its name, drawn with fill and
// line, or a dot below its name, drawn with dot, rim and radius.
type look struct {
	fill, line string // colours
	dot        string // colour
	rim, text  string // SVG attributes of the dot and of the name
	radius     float64
}

func lookOf(set int) look {
	switch set {
	case Plain:
		return look{fill: "#ffffff", line: "#333333", dot: "#333333", radius: 4}
	case Faint:
		return look{fill: "#ffffff", line: "#cccccc", dot: "#cccccc", text: ` fill="#aaaaaa"`, radius: 3}
	}
	return look{fill: Colour(set), line: "#333333", dot: Colour(set), rim: ` stroke="#333333"`, radius: 6.5}
}
