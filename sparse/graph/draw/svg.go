package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// MaxNodes is the largest number of nodes with edges that SVG draws: beyond it a
// picture of nodes and lines shows nothing, and its layout takes long.
const MaxNodes = 500

// SVG draws g: a circle per node that has an edge, labelled with its name (one
// per node, or nil for the 1-based number), a line per edge, thicker for larger
// weights, dashed and of another colour for negative ones. Isolated nodes are
// listed below the picture. A wrong number of names and more than MaxNodes nodes
// with edges are errors. Places depend on the graph alone, to a tenth of a pixel;
// between machines they may differ with the rounding of an eigenvalue solver.
func SVG(w io.Writer, g *graph.Graph, names []string) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	if s := g.Statistics(); s.Nodes-s.Isolated > MaxNodes {
		return fmt.Errorf("draw: %d nodes with edges: want at most %d; write DOT for a tool made for large graphs", s.Nodes-s.Isolated, MaxNodes)
	}
	d := newDrawing(g, names)
	return text.Write(w, "draw: writing SVG", func(to *bufio.Writer) { d.write(to) })
}

// drawing is a graph with places, in pixels.
type drawing struct {
	edges    []graph.Edge
	shape    string // of the graph, in words
	names    []string
	at       []point
	drawn    []bool
	size     point
	isolated []string // lines of text
	long     bool     // names do not fit into circles
}

const (
	pictureWidth = 900
	lineHeight   = 15
)

func newDrawing(g *graph.Graph, names []string) *drawing {
	d := &drawing{edges: g.Edges(), shape: g.Statistics().String(), names: names}
	if names == nil {
		d.names = make([]string, g.Nodes())
		for i := range d.names {
			d.names[i] = strconv.Itoa(i + 1)
		}
	}
	longest := 0
	for i, degree := range g.Degrees() {
		if degree > 0 {
			longest = max(longest, utf8.RuneCountInString(d.names[i]))
		}
	}
	d.long = longest > 4
	unit, margin := 46.0, 24.0
	if d.long {
		unit, margin = 76, 12+3.5*float64(min(longest, 30))
	}
	d.at, d.drawn, d.size = layout(g, unit, margin, pictureWidth)
	d.size.x = max(d.size.x, 480)
	var alone []string
	for i, drawn := range d.drawn {
		if !drawn {
			alone = append(alone, d.names[i])
		}
	}
	if len(alone) > 0 {
		d.isolated = wrap(fmt.Sprintf("%d isolated: %s", len(alone), strings.Join(alone, " ")), int(d.size.x/6.2))
	}
	return d
}

// wrap breaks a text into lines of at most width bytes, and cuts it after 12.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
			if len(lines) == 12 {
				return append(lines, "...")
			}
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

func (d *drawing) write(w io.Writer) {
	height := d.size.y + float64(lineHeight*(len(d.isolated)+1)+8)
	fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n", d.size.x, height, d.size.x, height)
	fmt.Fprintf(w, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", d.shape)
	d.lines(w)
	d.circles(w)
	y := d.size.y + lineHeight
	fmt.Fprintf(w, "<g fill=\"#333333\">\n")
	for _, line := range append([]string{d.shape}, d.isolated...) {
		fmt.Fprintf(w, "<text x=\"12\" y=\"%.0f\">%s</text>\n", y, escapeXML(line))
		y += lineHeight
	}
	fmt.Fprintf(w, "</g>\n</svg>\n")
}

// lines draws the edges: blue, or vermilion and dashed, which differ for the
// colour-blind, too.
func (d *drawing) lines(w io.Writer) {
	largest := 0.0
	for _, e := range d.edges {
		largest = max(largest, math.Abs(e.Weight))
	}
	opacity := 0.75
	if len(d.edges) > 3*len(d.at) {
		opacity = 0.4
	}
	fmt.Fprintf(w, "<g stroke-opacity=\"%.2f\">\n", opacity)
	for _, e := range d.edges {
		look := `stroke="#0072b2"`
		if e.Weight < 0 {
			look = `stroke="#d55e00" stroke-dasharray="5 3"`
		}
		p, q := d.at[e.I], d.at[e.J]
		fmt.Fprintf(w, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.2f\" %s/>\n",
			p.x, p.y, q.x, q.y, 0.6+1.4*math.Abs(e.Weight)/largest, look)
	}
	fmt.Fprintf(w, "</g>\n")
}

func (d *drawing) circles(w io.Writer) {
	fmt.Fprintf(w, "<g text-anchor=\"middle\" stroke-linejoin=\"round\">\n")
	for i, drawn := range d.drawn {
		if !drawn {
			continue
		}
		p, name := d.at[i], escapeXML(d.names[i])
		if !d.long {
			fmt.Fprintf(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"11.5\" fill=\"#ffffff\" stroke=\"#333333\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n", p.x, p.y, p.x, p.y+4, name)
			continue
		}
		fmt.Fprintf(w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#333333\"/><text x=\"%.1f\" y=\"%.1f\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n", p.x, p.y, p.x, p.y-7, name)
	}
	fmt.Fprintf(w, "</g>\n")
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}
