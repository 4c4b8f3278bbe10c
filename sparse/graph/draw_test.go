package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// drawn is a picture as a reader of XML sees it.
type drawn struct {
	Lines []struct {
		X1     float64 `xml:"x1,attr"`
		Y1     float64 `xml:"y1,attr"`
		Dashes string  `xml:"stroke-dasharray,attr"`
	} `xml:"g>line"`
	Circles []struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
	} `xml:"g>circle"`
	Texts []string `xml:"g>text"`
}

func draw(t *testing.T, g *Graph, names []string) (text string, d drawn) {
	t.Helper()
	var b, again bytes.Buffer
	for _, w := range []io.Writer{&b, &again} {
		if err := g.WriteSVG(w, names); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != again.String() {
		t.Error("two drawings of one graph differ")
	}
	if err := xml.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatalf("not XML: %v\n%s", err, &b)
	}
	return b.String(), d
}

func TestWriteSVG(t *testing.T) {
	g, err := New(6, []Edge{{0, 1, 1}, {1, 2, -0.5}, {4, 5, 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, d := draw(t, g, []string{"<a>", "b&c", "c", "alone \"d\"", "e", "f"})
	if len(d.Lines) != 3 || len(d.Circles) != 5 {
		t.Errorf("%d lines and %d circles, want 3 and 5", len(d.Lines), len(d.Circles))
	}
	if d.Lines[0].Dashes != "" || d.Lines[1].Dashes == "" {
		t.Error("want the negative edge, and only it, dashed")
	}
	text := strings.Join(d.Texts, "|")
	for _, want := range []string{"<a>", "b&c", "nodes: 6, edges: 3, components: 2 (largest 3), isolated: 1", "1 isolated: alone \"d\""} {
		if !strings.Contains(text, want) {
			t.Errorf("texts %q lack %q", text, want)
		}
	}
}

// No two nodes lie on each other, whatever the graph, and all are in the picture.
func TestDrawingSeparatesNodes(t *testing.T) {
	complete := &Graph{n: 30}
	for i := range int32(30) {
		for j := range i {
			complete.edges = append(complete.edges, Edge{I: j, J: i, Weight: 1})
		}
	}
	star := &Graph{n: 40}
	for i := range int32(39) {
		star.edges = append(star.edges, Edge{I: 0, J: i + 1, Weight: 1})
	}
	for name, g := range map[string]*Graph{"chain": Chain(30), "grid": Grid(8, 8), "complete": complete, "star": star, "pair": Chain(2), "empty": Chain(1)} {
		_, d := draw(t, g, nil)
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

// A chain is drawn without crossing itself: neighbours are nearer than others.
func TestLayoutOfAChain(t *testing.T) {
	at := layoutComponent(Chain(9).neighbours())
	for i := range 7 {
		if next, afterNext := at[i].minus(at[i+1]).length(), at[i].minus(at[i+2]).length(); next >= afterNext {
			t.Errorf("nodes %d and %d are %v apart, %d and %d only %v", i, i+1, next, i, i+2, afterNext)
		}
	}
}

func TestWriteDOT(t *testing.T) {
	g, err := New(4, []Edge{{0, 2, 1}, {2, 1, -0.25}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := g.WriteDOT(&b, []string{`say "x"`, `back\slash`, "c", "d"}); err != nil {
		t.Fatal(err)
	}
	want := "graph {\n" +
		"\t1 [label=\"say \\\"x\\\"\"];\n\t2 [label=\"back\\\\slash\"];\n\t3 [label=\"c\"];\n" +
		"\t// 1 nodes without edges are left out\n" +
		"\t1 -- 3 [comment=\"1\"];\n\t3 -- 2 [comment=\"-0.25\", style=dashed];\n}\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	wantError(t, g.WriteDOT(&b, []string{"a"}), "1 names for 4 nodes")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestDrawingErrors(t *testing.T) {
	var b bytes.Buffer
	wantError(t, Chain(MaxDrawn+1).WriteSVG(&b, nil), "501 nodes", "at most 500", "DOT")
	wantError(t, Chain(3).WriteSVG(&b, []string{"a"}), "1 names for 3 nodes")
	wantError(t, Chain(3).WriteSVG(brokenWriter{}, nil), "writing SVG", "disk full")
	wantError(t, Chain(3).WriteDOT(brokenWriter{}, nil), "writing DOT", "disk full")
}

func TestStatistics(t *testing.T) {
	g, err := New(7, []Edge{{0, 1, 1}, {1, 2, -1}, {5, 4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := Statistics{Nodes: 7, Edges: 3, Components: 2, Largest: 3, Isolated: 2, MaxDegree: 2, Negative: 1}
	if got := g.Statistics(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Chain(0).Statistics(); got != (Statistics{}) {
		t.Errorf("of no nodes: %+v", got)
	}
}
