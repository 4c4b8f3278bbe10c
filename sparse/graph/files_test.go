package graph

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestReadEdges(t *testing.T) {
	g, err := ReadEdges(strings.NewReader("# head\n1 2\n\n 4\t3 -0.5 # tail\r\n2 3 1e2"), "e", 5)
	sparsetest.Must(t, err)
	if diff := cmp.Diff([]Edge{{0, 1, 1}, {3, 2, -.5}, {1, 2, 100}}, g.Edges()); diff != "" || g.Nodes() != 5 {
		t.Errorf("%d nodes, %s", g.Nodes(), diff)
	}
}

func TestReadEdgesRefuses(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		want         []string
	}{
		{"empty", " \n", 0, 0, []string{"e.txt: the file is empty"}},
		{"beyond p", "1 2\n3 6 1\n", 2, 3, []string{`e.txt:2:3: "6"`, "1..5"}},
		{"zero", "0 2\n", 1, 1, []string{`"0"`, "1..5"}},
		{"negative", "1 -2\n", 1, 3, []string{`"-2"`, "1..5"}},
		{"huge", "1 99999999999999999999\n", 1, 3, []string{"1..5"}},
		{"word", "1 x\n", 1, 3, []string{`"x"`}},
		{"self-loop", "1 2\n\n3 3 1\n", 3, 3, []string{`"3"`, "node 3 is joined to itself"}},
		{"duplicate", "1 2\n2 3\n2 1 4\n", 3, 1, []string{"2 and 1", "line 1"}},
		{"weight NaN", "1 2 nan\n", 1, 5, []string{`"nan"`, "finite"}},
		{"weight 0", "1 2 0\n", 1, 5, []string{`"0"`, "other than 0"}},
		{"one token", "1\n", 1, 1, []string{"number of tokens is 1", "i j [weight]"}},
		{"four tokens", "1 2 3 4\n", 1, 7, []string{`"4"`, "number of tokens is 4"}},
		{"noise", "1 2\n\x01\x02", 2, 1, []string{"not a text file"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadEdges(strings.NewReader(tt.text), "e.txt", 5)
			wantParseError(t, err, tt.line, tt.column, tt.want...)
		})
	}
	_, err := ReadEdges(strings.NewReader("1 2\n"), "e", 0)
	sparsetest.CheckError(t, err, "0 features")
}

func TestReadConstraint(t *testing.T) {
	tests := []struct {
		name, text string
		kind       Kind
		p          int
		want       Kind
		rows       int
	}{
		{"edges", "1 2 1\n2 3 1\n", Any, 3, EdgeList, 5},
		{"edges without weights", "1 2\n2 3\n", Any, 3, EdgeList, 5},
		// As a header, "1 2 1" would announce a 1 x 2 matrix of one entry, and (2, 3) is outside this matrix.
		{"edges, first weight counts the rest", "1 2 1\n2 3 1\n", Any, 4, EdgeList, 6},
		{"matrix", "2 3 2\n1 1 0.5\n2 3 1\n", Any, 3, Matrix, 2},
		{"matrix without entries", "2 3 0\n", Matrix, 3, Matrix, 2},
		{"stated edges", "2 3 1\n1 2 1\n", EdgeList, 3, EdgeList, 5},
		{"stated matrix", "2 3 1\n1 2 1\n", Matrix, 3, Matrix, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ReadConstraint(strings.NewReader(tt.text), "a.txt", tt.kind, tt.p)
			sparsetest.Must(t, err)
			rows, cols := c.A.Dims()
			if c.Kind != tt.want || rows != tt.rows || cols != tt.p || (c.Graph != nil) != (tt.want == EdgeList) {
				t.Errorf("%v, %d x %d, want %v, %d x %d", c.Kind, rows, cols, tt.want, tt.rows, tt.p)
			}
		})
	}
}

func TestReadConstraintRefuses(t *testing.T) {
	tests := []struct {
		name, text   string
		p            int
		line, column int
		want         []string
	}{
		{"cut after its size", "3 4 2\n", 4, 1, 0, []string{"matrix of 4 columns with 2 entries, and 0 follow", "edges:a.txt"}},
		{"cut after an entry", "3 4 2\n1 2 1\n", 4, 1, 0, []string{"and 1 follow", "edges:a.txt"}},
		{"a pair twice", "1 2 1\n1 2 3\n", 2, 0, 0, []string{"edge list and as a matrix", "edges:a.txt", "matrix:a.txt"}},
		{"ambiguous", "2 3 1\n1 2 1\n", 3, 0, 0, []string{"edge list and as a matrix", "edges:a.txt", "matrix:a.txt"}},
		{
			"too narrow", "2 3 2\n1 1 0.5\n2 3 1\n", 4, 0, 0,
			[]string{"3 columns for data of 4 features", "set p to 3 if the data has 3 features"},
		},
		{"endpoint beyond p", "1 2 1\n1 9 1\n2 3 1\n", 4, 2, 3, []string{`"9"`, "1..4", "matrix:a.txt"}},
		{"bad entry of a matrix", "2 3 2\n1 1 0.5\n2 4 1\n", 3, 3, 3, []string{`"4"`, "column number in 1..3"}},
		{
			"cut matrix", "9 3 3\n1 1 0.5\n2 3 1\n", 3, 1, 1,
			[]string{`"9"`, "first line does not announce the 2 lines", "matrix:a.txt"},
		},
		{"real first line", "1.5 2 1\n", 3, 1, 1, []string{`"1.5"`, "1..3"}},
		{"empty", "", 3, 0, 0, []string{"the file is empty"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadConstraint(strings.NewReader(tt.text), "a.txt", Any, tt.p)
			wantParseError(t, err, tt.line, tt.column, tt.want...)
		})
	}
}

func TestReadConstraintFile(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, "2 3 1\n1 2 1\n"); err != nil {
		t.Fatal(err)
	}
	sparsetest.Must(t, z.Close())
	path := filepath.Join(t.TempDir(), "tiny")
	sparsetest.Must(t, os.WriteFile(path, b.Bytes(), 0o600))
	for _, kind := range []Kind{EdgeList, Matrix} {
		c, err := ReadConstraintFile(string(kind)+":"+path, 3)
		if err != nil || c.Kind != kind {
			t.Errorf("%v: %+v, %v", kind, c, err)
		}
	}
	_, err := ReadConstraintFile(path, 3)
	wantParseError(t, err, 0, 0, "edges:"+path, "matrix:"+path)
	_, err = ReadConstraintFile("matrix:"+path+".none", 3)
	sparsetest.CheckError(t, err, "no such file")
}

func TestPublishedGraphs(t *testing.T) {
	for _, tt := range []struct {
		file string
		p    int
		kind Kind
		rows int
		nnz  int64
	}{
		{"F_a9a_asvrpdhg.txt", 123, Matrix, 246, 965},
		{"F_covtype_asvrpdhg.txt", 54, Matrix, 108, 194},
		{"F_rcv1_train_spdhg.txt", 47237, Matrix, 47237, 28341},
		{"a9a_glasso_0.1.edges", 123, EdgeList, 291 + 123, 2*291 + 123},
	} {
		t.Run(tt.file, func(t *testing.T) {
			c, err := ReadConstraintFile(sparsetest.DataFile(t, "graphs", tt.file), tt.p)
			sparsetest.Must(t, err)
			rows, cols := c.A.Dims()
			if c.Kind != tt.kind || rows != tt.rows || cols != tt.p || c.A.NNZ() != tt.nnz {
				t.Errorf("%v, %d x %d with %d entries, want %v, %d x %d with %d",
					c.Kind, rows, cols, c.A.NNZ(), tt.kind, tt.rows, tt.p, tt.nnz)
			}
		})
	}
	t.Run("rcv1 with its true features", func(t *testing.T) {
		_, err := ReadConstraintFile(sparsetest.DataFile(t, "graphs", "F_rcv1_train_spdhg.txt"), 47236)
		wantParseError(t, err, 0, 0, "47237 columns for data of 47236 features", "set p to 47237")
	})
}

// checkDetectedKind checks the kind that ReadConstraint detects for data if it is called with kind Any.
// edgesErr is the error of reading data as an edge list, or nil if data is an edge list.
func checkDetectedKind(t *testing.T, data []byte, p int, edgesErr error) {
	t.Helper()
	c, err := ReadConstraint(bytes.NewReader(data), "fuzz", Any, p)
	if err != nil && err.Error() == "" {
		t.Error("an error without text")
	}
	if len(data) > 0 && data[0] == '%' {
		return // a Matrix Market file
	}
	a, matrixErr := readMatrix(bytes.NewReader(data), "fuzz")
	cols := 0
	if matrixErr == nil {
		_, cols = a.Dims()
	}
	want := Any // Any means that an error is expected
	switch {
	case edgesErr == nil && matrixErr != nil && !maybeCut(data, p):
		want = EdgeList
	case edgesErr != nil && matrixErr == nil && cols == p && !onlyEdges(data, p):
		want = Matrix
	}
	if (err == nil) != (want != Any) || err == nil && c.Kind != want {
		t.Fatalf("read as %+v, %v; want kind %q: as edges %v, as a matrix %v", c, err, want, edgesErr, matrixErr)
	}
}

// TestWriteFewEdges checks that ReadConstraint does not take the first edge for the header of a complete or
// truncated matrix.
func TestWriteFewEdges(t *testing.T) {
	roundTrip := func(nodes int, edges []Edge) {
		g, err := New(nodes, edges)
		sparsetest.Must(t, err)
		var b bytes.Buffer
		sparsetest.Must(t, g.Write(&b))
		c, err := ReadConstraint(&b, "g", Any, nodes)
		if err != nil {
			t.Errorf("%d nodes, edges %v: %v", nodes, edges, err)
		} else if diff := cmp.Diff(edges, c.Graph.Edges(), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
	roundTrip(5, []Edge{{0, 4, 7}, {1, 4, -2}})
	roundTrip(5, []Edge{{1, 4, 1e300}})
	// All graphs of up to 3 nodes, for some weights of the first edge.
	var extend func(nodes int, edges []Edge)
	extend = func(nodes int, edges []Edge) {
		roundTrip(nodes, edges)
		weights := []float64{1}
		if len(edges) == 0 {
			weights = []float64{-1, 0.5, 1, 2, 3, 4}
		}
		for i := range int32(nodes) {
			for j := range int32(nodes) {
				joined := slices.ContainsFunc(edges, func(e Edge) bool { return e.ends() == Edge{I: i, J: j}.ends() })
				for _, w := range weights {
					if i != j && !joined {
						extend(nodes, append(slices.Clip(edges), Edge{i, j, w}))
					}
				}
			}
		}
	}
	for nodes := 1; nodes <= 3; nodes++ {
		extend(nodes, nil)
	}
}

// onlyEdges reports whether every line, read by itself, is an edge over p features. It ignores blank lines
// and comments.
func onlyEdges(data []byte, p int) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		if content, _, _ := bytes.Cut(line, []byte("#")); len(bytes.TrimSpace(content)) == 0 {
			continue
		}
		if _, err := ReadEdges(bytes.NewReader(line), "line", p); err != nil {
			return false
		}
	}
	return true
}

// maybeCut reports whether the first line of an edge list could be the header of a truncated matrix with p
// columns.
func maybeCut(data []byte, p int) bool {
	var lines [][]string
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	if len(lines) == 0 || len(lines[0]) != 3 {
		return false
	}
	columns, err := strconv.Atoi(lines[0][1])
	entries, countErr := strconv.Atoi(lines[0][2])
	return err == nil && countErr == nil && columns == p && entries >= len(lines)
}

// FuzzReadEdges checks that a graph that was read can be written and read again, and that ReadConstraint
// distinguishes edge lists from matrices.
func FuzzReadEdges(f *testing.F) {
	for _, s := range []string{
		"1 2\n", "1 2 1\n2 3 -0.5 # c\n", "5 1\n2 3 -0.3333333333333333\n3 4 5e-324\n", "2 3 1\n1 2 1\n",
		"# none\n", "1 1\n", "1 2 nan\n", "9 9 2\n1 1 1\n9 9 9",
		"%%MatrixMarket matrix coordinate real symmetric\n9 9 1\n2 1 -1\n",
	} {
		f.Add([]byte(s), 9)
	}
	f.Add([]byte("1 2 1"), 2)
	f.Add([]byte("1 9 1\n1 9 1"), 9)
	f.Fuzz(func(t *testing.T, data []byte, p int) {
		p %= 1000
		g, err := ReadEdges(bytes.NewReader(data), "fuzz", p)
		checkDetectedKind(t, data, p, err)
		if err != nil {
			return
		}
		var b bytes.Buffer
		sparsetest.Must(t, g.Write(&b))
		rereadGraph, err := ReadEdges(&b, "written", p)
		sparsetest.Must(t, err)
		if diff := cmp.Diff(g.Edges(), rereadGraph.Edges()); diff != "" || rereadGraph.Nodes() != g.Nodes() {
			t.Fatal(diff)
		}
	})
}
