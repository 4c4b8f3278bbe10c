package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestInfoOnPaperSets(t *testing.T) {
	dir := sparsetest.DataFile(t)
	for _, c := range []struct {
		file           string
		rows, features int
		nnz            int64
		labels         string
	}{
		{"a9a.zst", 32561, 123, 451592, "-1: 24720, 1: 7841, "},
		{"a9a.t.zst", 16281, 122, 225731, "-1: 12435, 1: 3846, "},
		{"covtype.libsvm.binary.scale.zst", 581012, 54, 6940438, "1: 297711, 2: 283301, "},
		{"rcv1v2_binary_train.libsvm.zst", 20242, 47236, 1517192, ""},
		{"hivfp_train.libsvm.zst", 12678, 4932, 5453485, "-1: 12260, 1: 418, "},
	} {
		t.Run(c.file, func(t *testing.T) {
			d := jsonOf[struct{ Data dataSummary }](t, "info", "--json", filepath.Join(dir, "paper", c.file)).Data
			if d.Rows != c.rows || d.Features != c.features || d.NNZ != c.nnz || d.IndexBase != 1 ||
				d.Compression != "zstd" || d.SortedRows != 0 {
				t.Errorf("got %+v", d)
			}
			labels := ""
			for _, l := range d.Labels {
				labels += fmt.Sprintf("%g: %d, ", l.Label, l.Rows)
			}
			if c.labels != "" && labels != c.labels || len(d.Labels) != 2 {
				t.Errorf("labels %s, want %s", labels, c.labels)
			}
		})
	}
}

// TestPublishedGraphOfA9A checks that scas graph --antisym writes the published matrix of a9a, to the bit.
func TestPublishedGraphOfA9A(t *testing.T) {
	dir := sparsetest.DataFile(t)
	want, err := os.ReadFile(filepath.Join(dir, "graphs", "F_a9a_asvrpdhg.txt"))
	if err != nil {
		t.Skipf("the published matrix is not there: the recipe is not checked (%v)", err)
	}
	data, path := filepath.Join(dir, "paper", "a9a.zst"), filepath.Join(t.TempDir(), "a.mat")
	out, _ := succeed(t, "graph", "--antisym", "--features", "123", "-o", path, data)
	if !strings.Contains(out, " 421 edges") || !strings.Contains(out, "eigenvalue of A'A 145.896") {
		t.Errorf("not what is known of the graph:\n%s", out)
	}
	opt := &sparse.ReadOptions{Format: sparse.MatrixMarket, LabelsOptional: true}
	a, err := sparse.ReadFile(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sparse.Read(bytes.NewReader(want), "published", opt)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.X.Rows(0, 246), a.X.Rows(0, 246)); diff != "" {
		t.Error(diff)
	}
	r := jsonOf[struct {
		Graph graphSummary
		Run   struct {
			Constants struct {
				Lambda1 float64 `json:"lambda_1"`
			}
		}
	}](t, "train", "--json", "--graph", path, "--lambda", "1e-5", "--method", "scas-k", "--no-intercept",
		"--passes", "4", "--features", "123", data)
	if r.Graph.Kind != "matrix" || r.Graph.Rows != 246 || math.Abs(r.Run.Constants.Lambda1-145.896) > 0.01 {
		t.Errorf("train read %+v", r)
	}
}

// TestGlassoGraphOfA9A checks that scas graph finds the edges for a9a that scikit-learn found.
func TestGlassoGraphOfA9A(t *testing.T) {
	dir := sparsetest.DataFile(t)
	want, err := graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), 123)
	if err != nil {
		t.Skipf("the graph is not there: nothing is compared with it (%v)", err)
	}
	path := filepath.Join(t.TempDir(), "a.edges")
	succeed(t, "graph", "--penalty", "0.1", "--free-diagonal", "--features", "123", "-o", path,
		filepath.Join(dir, "paper", "a9a.zst"))
	got, err := graph.ReadEdgesFile(path, 123)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Edges(), got.Edges()); diff != "" {
		t.Error(diff)
	}
}
