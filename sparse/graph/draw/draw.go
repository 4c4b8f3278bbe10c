// Package draw draws graphs over features: SVG computes a layout and writes a picture,
// DOT writes input for Graphviz.
package draw

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/spatial/r2"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// MaxNodes is the largest number of nodes with edges that SVG draws. A larger picture
// would be unreadable, and its layout would take long.
const MaxNodes = 500

// SVG draws g. Each node that has an edge is a circle with its name, in the colour of its set. Each edge is
// a line, thicker for a larger absolute weight; the line of a negative weight is dashed and has another
// colour. names has the names of all nodes; nil means their numbers, counted from 1. If sets is nil, all
// nodes are Plain. Isolated nodes are listed below the picture, under a legend. A wrong length of names or
// of sets.SetOf, a negative number in sets.SetOf other than Plain and Faint, and more than MaxNodes nodes
// with edges are errors. The positions depend only on the graph and on the length of the longest name,
// except that rounding may differ between machines.
func SVG(w io.Writer, g *graph.Graph, names []string, sets *Sets) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	if sets == nil {
		sets = &Sets{SetOf: slices.Repeat([]int{Plain}, g.Nodes())}
	}
	if len(sets.SetOf) != g.Nodes() {
		return pkgerr.Errorf("draw", "sets of %d nodes for %d: want one per node", len(sets.SetOf), g.Nodes())
	}
	if i := slices.IndexFunc(sets.SetOf, func(set int) bool { return set < Faint }); i >= 0 {
		return pkgerr.Errorf("draw", "node %d is in set %d: want a number of at least 0, Plain or Faint",
			i, sets.SetOf[i])
	}
	if !Fits(g) {
		return pkgerr.Errorf("draw",
			"%d nodes with edges: want at most %d; write DOT for a tool made for large graphs",
			nodesWithEdges(g), MaxNodes)
	}
	d := newDrawing(g, names)
	d.sets = sets
	return text.Write(w, "draw", "writing SVG", func(buf *bufio.Writer) error { d.write(buf); return nil })
}

// Fits reports whether g is small enough for SVG.
func Fits(g *graph.Graph) bool { return nodesWithEdges(g) <= MaxNodes }

func nodesWithEdges(g *graph.Graph) int {
	s := g.Statistics()
	return s.Nodes - s.Isolated
}

// drawing is a graph with the positions of its nodes, in pixels.
type drawing struct {
	edges         []graph.Edge
	summary       string // statistics of the graph, in one line of text
	names         []string
	sets          *Sets
	positions     []r2.Vec // positions of the nodes
	drawn         []bool   // whether a node has an edge; only such nodes are drawn
	size          r2.Vec   // size of the picture without the texts below it
	isolatedLines []string // lines of text about isolated nodes
	longNames     bool     // true if names do not fit into circles
}

const (
	pictureWidth = 900
	lineHeight   = 15
)

func newDrawing(g *graph.Graph, names []string) *drawing {
	d := &drawing{edges: g.Edges(), summary: g.Statistics().String(), names: names}
	if names == nil {
		d.names = make([]string, g.Nodes())
		for i := range d.names {
			d.names[i] = strconv.Itoa(i + 1)
		}
	}
	maxLength := 0
	for i, degree := range g.Degrees() {
		if degree > 0 {
			maxLength = max(maxLength, utf8.RuneCountInString(d.names[i]))
		}
	}
	d.longNames = maxLength > 4
	unit, margin := 46.0, 24.0
	if d.longNames {
		unit, margin = 76, 12+float64(3.5*float64(min(maxLength, 30)))
	}
	d.positions, d.drawn, d.size = layout(g, unit, margin, pictureWidth)
	d.size.X = max(d.size.X, 480)
	var isolatedNames []string
	for i, drawn := range d.drawn {
		if !drawn {
			isolatedNames = append(isolatedNames, d.names[i])
		}
	}
	if len(isolatedNames) > 0 {
		d.isolatedLines = wrap(fmt.Sprintf("%d isolated: %s", len(isolatedNames),
			strings.Join(isolatedNames, " ")), int(d.size.X/6.2))
	}
	return d
}

// wrap breaks a text into lines of at most width bytes; a longer word is a line by itself. After 12 lines
// it replaces the rest of the text by "...".
func wrap(s string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(s) {
		last := len(lines) - 1
		switch line := lines[last]; {
		case line == "":
			lines[last] = word
		case len(line)+1+len(word) <= width:
			lines[last] += " " + word
		case len(lines) == 12:
			return append(lines, "...")
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

func (d *drawing) write(w io.Writer) {
	var legend bytes.Buffer
	y := d.writeLegend(&legend, d.size.Y+lineHeight)
	height := y + float64(lineHeight*len(d.isolatedLines)+8)
	fmt.Fprintf(w,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
		d.size.X, height, d.size.X, height)
	fmt.Fprintf(w, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
		d.summary)
	d.writeEdges(w)
	d.writeNodes(w)
	fmt.Fprintf(w, "<g fill=\"#333333\">\n%s", legend.Bytes())
	for _, line := range append([]string{d.summary}, d.isolatedLines...) {
		fmt.Fprintf(w, "<text x=\"12\" y=\"%.0f\">%s</text>\n", y, escapeXML(line))
		y += lineHeight
	}
	fmt.Fprintf(w, "</g>\n</svg>\n")
}

// writeEdges draws the edges: blue for a positive weight, vermilion and dashed for a negative one.
// Colour-blind people can distinguish these colours.
func (d *drawing) writeEdges(w io.Writer) {
	maxWeight := 0.0
	for _, e := range d.edges {
		maxWeight = max(maxWeight, math.Abs(e.Weight))
	}
	opacity := 0.75
	if len(d.edges) > 3*len(d.positions) {
		opacity = 0.4
	}
	fmt.Fprintf(w, "<g stroke-opacity=\"%.2f\">\n", opacity)
	for _, e := range d.edges {
		attributes := stroke(e.Weight)
		if d.sets.SetOf[e.I] == Faint || d.sets.SetOf[e.J] == Faint {
			attributes += ` opacity="0.35"`
		}
		p, q := d.positions[e.I], d.positions[e.J]
		fmt.Fprintf(w, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.2f\" %s/>\n",
			p.X, p.Y, q.X, q.Y, thickness(e.Weight, maxWeight), attributes)
	}
	fmt.Fprintf(w, "</g>\n")
}

func stroke(weight float64) string {
	if weight < 0 {
		return `stroke="#d55e00" stroke-dasharray="5 3"`
	}
	return `stroke="#0072b2"`
}

func thickness(weight, maxWeight float64) float64 {
	return 0.6 + float64(1.4*(math.Abs(weight)/maxWeight)) // at most 2, for all finite weights
}

func (d *drawing) writeNodes(w io.Writer) {
	fmt.Fprintf(w, "<g text-anchor=\"middle\" stroke-linejoin=\"round\">\n")
	for i, drawn := range d.drawn {
		if !drawn {
			continue
		}
		p, name, look := d.positions[i], escapeXML(d.names[i]), lookOf(d.sets.SetOf[i])
		if !d.longNames {
			fmt.Fprintf(w,
				"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"11.5\" fill=\"%s\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n",
				p.X, p.Y, look.fill, look.line, p.X, p.Y+4, look.text, name)
			continue
		}
		fmt.Fprintf(w,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"%s/><text x=\"%.1f\" y=\"%.1f\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"%s>%s</text>\n",
			p.X, p.Y, look.radius, look.dot, look.rim, p.X, p.Y-look.radius-3, look.text, name)
	}
	fmt.Fprintf(w, "</g>\n")
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

// DOT writes g in the language of Graphviz. The identifier of a node is its index, counted from 1, and its
// label is its name. names has one name per node; nil means the indices, and any other length is an error.
// The attribute "comment" of an edge is its weight; edges of negative weight are dashed. Isolated nodes are
// left out; a line that begins with // says how many there are.
func DOT(w io.Writer, g *graph.Graph, names []string) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	return text.Write(w, "draw", "writing DOT", func(buf *bufio.Writer) error {
		fmt.Fprintf(buf, "graph {\n")
		count := 0
		for i, d := range g.Degrees() {
			switch {
			case d == 0:
				count++
			case names != nil:
				fmt.Fprintf(buf, "\t%d [label=\"%s\"];\n", i+1, dotEscape.Replace(names[i]))
			default:
				fmt.Fprintf(buf, "\t%d;\n", i+1)
			}
		}
		fmt.Fprintf(buf, "\t// %d nodes without edges are left out\n", count)
		for _, e := range g.Edges() {
			style := ""
			if e.Weight < 0 {
				style = ", style=dashed"
			}
			fmt.Fprintf(buf, "\t%d -- %d [comment=\"%s\"%s];\n",
				int(e.I)+1, int(e.J)+1, strconv.FormatFloat(e.Weight, 'g', -1, 64), style)
		}
		fmt.Fprintf(buf, "}\n")
		return nil
	})
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")

func checkNames(g *graph.Graph, names []string) error {
	if names != nil && len(names) != g.Nodes() {
		return pkgerr.Errorf("draw", "%d names for %d nodes: want one per node, or none",
			len(names), g.Nodes())
	}
	return nil
}
