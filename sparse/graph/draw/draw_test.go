package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r2"

	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

type picture struct {
	Lines []struct {
		X1     float64 `xml:"x1,attr"`
		Y1     float64 `xml:"y1,attr"`
		Dashes string  `xml:"stroke-dasharray,attr"`
	} `xml:"g>line"`
	Circles []struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
	} `xml:"g>circle"`
	Texts  []string `xml:"g>text"`
	Legend []string `xml:"g>g>text"`
}

func draw(t *testing.T, g *graph.Graph, names []string) (d picture) {
	t.Helper()
	var b, again bytes.Buffer
	for _, w := range []io.Writer{&b, &again} {
		sparsetest.Must(t, SVG(w, g, names, nil))
	}
	if b.String() != again.String() {
		t.Error("two drawings of one graph differ")
	}
	if err := xml.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatalf("not XML: %v\n%s", err, &b)
	}
	return d
}

func TestSVG(t *testing.T) {
	g := mustGraph(t, 6, []graph.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: -0.5}, {I: 4, J: 5, Weight: 1}})
	d := draw(t, g, []string{"<a>", "b&c", "c", "alone \"d\"", "e", "f"})
	if len(d.Lines) != 3 || len(d.Circles) != 5 {
		t.Errorf("%d lines and %d circles, want 3 and 5", len(d.Lines), len(d.Circles))
	}
	if d.Lines[0].Dashes != "" || d.Lines[1].Dashes == "" {
		t.Error("want the negative edge, and only it, dashed")
	}
	if want := []string{"weight above 0", "weight below 0", "|weight| 0.5", "|weight| 1"}; !slices.Equal(d.Legend, want) {
		t.Errorf("the legend is %q, want %q", d.Legend, want)
	}
	text := strings.Join(d.Texts, "|")
	for _, want := range []string{
		"<a>", "b&c", "nodes: 6, edges: 3, components: 2 (largest 3), isolated: 1", "1 isolated: alone \"d\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("texts %q lack %q", text, want)
		}
	}
}

// TestSVGSets checks that nodes of a set have its colour and that Faint nodes are grey, both for names
// inside circles and for long names above dots.
func TestSVGSets(t *testing.T) {
	g := graph.Chain(6)
	for _, names := range [][]string{nil, {"radius", "perimeter", "area", "texture", "worst", "last"}} {
		var b, plain, none bytes.Buffer
		sets := &Sets{
			SetOf: []int{0, 0, 1, Plain, Faint, Faint}, Names: []string{"at 2", "at <1>"}, Plain: "alone",
			Faint: "zero",
		}
		sparsetest.Must(t, SVG(&b, g, names, sets))
		var d picture
		if err := xml.Unmarshal(b.Bytes(), &d); err != nil ||
			!slices.Equal(d.Legend, []string{"edge", "at 2", "at <1>", "alone", "zero"}) {
			t.Errorf("names %v: the legend is %q (%v)", names, d.Legend, err)
		}
		// The colour of a set, and the grey #cccccc of Faint nodes, occur once in the legend and once for
		// each node. The grey #aaaaaa of their names and the opacity of their edges are not in the legend.
		for colour, want := range map[string]int{Colour(0): 3, Colour(1): 2, "#cccccc": 3, "#aaaaaa": 2, "opacity=\"0.35\"": 2} {
			if got := strings.Count(b.String(), colour); got != want {
				t.Errorf("names %v: %s is there %d times, want %d", names, colour, got, want)
			}
		}
		if err := errors.Join(SVG(&plain, g, names, &Sets{SetOf: slices.Repeat([]int{Plain}, 6)}),
			SVG(&none, g, names, nil)); err != nil || plain.String() != none.String() {
			t.Errorf("names %v: plain nodes are drawn otherwise than without sets (%v)", names, err)
		}
	}
	sparsetest.CheckError(t, SVG(io.Discard, g, nil, &Sets{SetOf: []int{0}}), "sets of 1 nodes for 6")
	sparsetest.CheckError(t, SVG(io.Discard, g, nil, &Sets{SetOf: []int{0, 1, Plain, Faint, -3, 0}}), "node 4 is in set -3")
}

// TestManySets checks that the legend counts the sets beyond the first maxSets that have a node and a name.
func TestManySets(t *testing.T) {
	const count = maxSets + 5
	sets := &Sets{SetOf: make([]int, count)}
	for k := range count {
		sets.SetOf[k] = min(k, count-3) // no node is in the last two sets
		sets.Names = append(sets.Names, "set")
	}
	sets.Names[count-3] = "" // no place in the legend
	var b bytes.Buffer
	if err := SVG(&b, graph.Chain(count), nil, sets); err != nil || !strings.Contains(b.String(), ">and 2 more colours<") {
		t.Errorf("want 2 more colours: %v\n%s", err, &b)
	}
}

// TestLargeWeights checks that lines have a finite width if weights are near the largest number.
func TestLargeWeights(t *testing.T) {
	g := mustGraph(t, 3, []graph.Edge{{I: 0, J: 1, Weight: math.MaxFloat64}, {I: 1, J: 2, Weight: -math.MaxFloat64 / 2}})
	var b bytes.Buffer
	if err := SVG(&b, g, nil, nil); err != nil || strings.Contains(b.String(), "Inf") ||
		!strings.Contains(b.String(), `stroke-width="2.00"`) {
		t.Errorf("%v\n%s", err, &b)
	}
}

func TestColours(t *testing.T) {
	setOf := map[string]int{}
	for k := range 100 {
		c := Colour(k)
		if before, taken := setOf[c]; taken || len(c) != 7 {
			t.Errorf("set %d has the colour %q of set %d", k, c, before)
		}
		setOf[c] = k
	}
}

func mustGraph(t *testing.T, n int, edges []graph.Edge) *graph.Graph {
	t.Helper()
	g, err := graph.New(n, edges)
	sparsetest.Must(t, err)
	return g
}

func TestDrawingSeparatesNodes(t *testing.T) {
	var complete, star []graph.Edge
	for i := range int32(30) {
		for j := range i {
			complete = append(complete, graph.Edge{I: j, J: i, Weight: 1})
		}
	}
	for i := range int32(39) {
		star = append(star, graph.Edge{I: 0, J: i + 1, Weight: 1})
	}
	for name, g := range map[string]*graph.Graph{
		"chain": graph.Chain(30), "grid": graph.Grid(8, 8), "pair": graph.Chain(2), "empty": graph.Chain(1),
		"complete": mustGraph(t, 30, complete), "star": mustGraph(t, 40, star),
	} {
		d := draw(t, g, nil)
		for i, a := range d.Circles {
			if a.X < 10 || a.Y < 10 || math.IsNaN(a.X+a.Y) {
				t.Errorf("%s: node at (%v, %v)", name, a.X, a.Y)
			}
			for _, b := range d.Circles[:i] {
				if distance := math.Hypot(a.X-b.X, a.Y-b.Y); distance < 20 {
					t.Errorf("%s: two nodes only %v apart", name, distance)
				}
			}
		}
	}
}

// TestLayoutOfAChain checks that each node of a chain is nearer to the next node than to the node
// after that.
func TestLayoutOfAChain(t *testing.T) {
	positions := layoutComponent([][]int{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}, {6, 8}, {7}})
	for i := range 7 {
		if oneStep, twoSteps := r2.Norm(r2.Sub(positions[i], positions[i+1])), r2.Norm(r2.Sub(positions[i],
			positions[i+2])); oneStep >= twoSteps {
			t.Errorf("nodes %d and %d are %v apart, %d and %d only %v", i, i+1, oneStep, i, i+2, twoSteps)
		}
	}
}

// TestLayoutOfALongChain checks that a long chain is folded into rows.
func TestLayoutOfALongChain(t *testing.T) {
	d := draw(t, graph.Chain(MaxNodes), nil)
	if len(d.Circles) != MaxNodes {
		t.Fatalf("%d circles, want %d", len(d.Circles), MaxNodes)
	}
	for i, c := range d.Circles {
		if c.X > pictureWidth {
			t.Errorf("node %d is %v pixels to the right, beyond %d", i, c.X, pictureWidth)
		}
		if i > 0 && math.Abs(c.X-d.Circles[i-1].X)+math.Abs(c.Y-d.Circles[i-1].Y) > 46.3 {
			t.Errorf("nodes %d and %d are apart", i-1, i)
		}
	}
	if ring := foldPath([][]int{{1, 2}, {0, 2}, {1, 0}}, 1, 1); ring != nil {
		t.Errorf("a ring is folded: %v", ring)
	}
}

func TestDOT(t *testing.T) {
	g := mustGraph(t, 4, []graph.Edge{{I: 0, J: 2, Weight: 1}, {I: 2, J: 1, Weight: -0.25}})
	var b bytes.Buffer
	sparsetest.Must(t, DOT(&b, g, []string{`say "x"`, `back\slash`, "c", "d"}))
	want := "graph {\n" +
		"\t1 [label=\"say \\\"x\\\"\"];\n\t2 [label=\"back\\\\slash\"];\n\t3 [label=\"c\"];\n" +
		"\t// 1 nodes without edges are left out\n" +
		"\t1 -- 3 [comment=\"1\"];\n\t3 -- 2 [comment=\"-0.25\", style=dashed];\n}\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	sparsetest.CheckError(t, DOT(&b, g, []string{"a"}), "1 names for 4 nodes")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestDrawingErrors(t *testing.T) {
	var b bytes.Buffer
	sparsetest.CheckError(t, SVG(&b, graph.Chain(MaxNodes+1), nil, nil), "501 nodes", "at most 500", "DOT")
	sparsetest.CheckError(t, SVG(&b, graph.Chain(3), []string{"a"}, nil), "1 names for 3 nodes")
	sparsetest.CheckError(t, SVG(brokenWriter{}, graph.Chain(3), nil, nil), "writing SVG", "disk full")
	sparsetest.CheckError(t, DOT(brokenWriter{}, graph.Chain(3), nil), "writing DOT", "disk full")
}
