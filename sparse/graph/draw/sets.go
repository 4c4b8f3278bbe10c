package draw

import (
	"fmt"
	"math"
)

// Sets say which set each node is in, and what the legend calls them.
type Sets struct {
	Of           []int    // of each node: k for Colour(k), Plain or Faint
	Names        []string // of the sets 0, 1, ...
	Plain, Faint string   // what nodes of no set, and those that do not matter, are; may be empty
}

// What Sets.Of takes beside the numbers of sets, which begin at 0.
const (
	Plain = -1 // a node of no set
	Faint = -2 // a node that does not matter
)

// light is Paul Tol's scheme of that name, made for labelled cells: black text is read on
// each, and they differ for the colour-blind, too.
var light = []string{"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#44bb99", "#99ddff", "#bbcc33", "#aaaa00"}

// Colour is that of the set k >= 0, light enough for black text, as #rrggbb. No two of
// the first hundred have the same.
func Colour(k int) string {
	if k < len(light) {
		return light[k]
	}
	// Hues by the golden angle, of three lightnesses in turn.
	_, turn := math.Modf(float64(float64(k) * 0.6180339887498949))
	middle, reach := []float64{0.72, 0.82, 0.62}[k%3], 0.16
	channel := func(shift float64) int {
		return int(math.Round(255 * (middle + float64(reach*math.Cos(2*math.Pi*(turn-shift))))))
	}
	return fmt.Sprintf("#%02x%02x%02x", channel(0), channel(1.0/3), channel(2.0/3))
}

// A look is how a node is drawn: as a circle around its name with fill and line, or
// below its name as a dot with a rim.
type look struct {
	fill, line string // colours
	dot        string // colour
	rim, text  string // attributes
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
