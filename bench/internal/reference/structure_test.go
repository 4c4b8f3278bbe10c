package reference

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// differences returns the rows of A = [G; I] without those of I.
func differences(t *testing.T, features int, edges [][]float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for k, e := range edges {
		entries = append(entries, sparse.Triplet{Row: k, Col: int(e[0]) - 1, Value: 1}, sparse.Triplet{Row: k, Col: int(e[1]) - 1, Value: -1})
	}
	a, err := sparse.FromTriplets(len(edges), features, entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fused are the problems that R's genlasso has solved: ½|y − X b|² + lambda |D b|₁, in
// the units of (1/n)|y − X b|².
func fused(t *testing.T) map[string]*solver.Problem {
	all := map[string]*solver.Problem{}
	add := func(name string, data, labels []float64, edges [][]float64, lambdas ...float64) {
		n := len(labels)
		p := len(data) / n
		x, err := sparse.FromDense(n, p, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, lambda := range lambdas {
			all[fmt.Sprintf("%s %g", name, lambda)] = &solver.Problem{
				Data: x, Labels: labels, Loss: solver.Squared{},
				Penalty: solver.L1{Lambda: 2 * lambda / float64(n)}, Constraint: differences(t, p, edges),
			}
		}
	}
	var data, labels []float64
	var chain [][]float64
	for i, row := range sparsetest.Numbers(t, sparsetest.DataFile(t, "ref", "fl1d_y.txt")) {
		labels = append(labels, row[0])
		if i > 0 {
			chain = append(chain, []float64{float64(i), float64(i + 1)})
		}
	}
	data = make([]float64, len(labels)*len(labels))
	for i := range labels {
		data[i*len(labels)+i] = 1
	}
	add("fl1d", data, labels, chain, 5, 1, 0.5, 0.1)
	data, labels = nil, nil
	for _, row := range sparsetest.Numbers(t, sparsetest.DataFile(t, "ref", "ggfl_yX_120x21.txt")) {
		labels, data = append(labels, row[0]), append(data, row[1:]...)
	}
	add("ggfl", data, labels, sparsetest.Numbers(t, sparsetest.DataFile(t, "ref", "ggfl_edges.txt")), 50, 20, 5, 1)
	return all
}

// logistic are the problems of optima.csv, and one with a published graph.
func logistic(t *testing.T) map[string]*solver.Problem {
	dir := sparsetest.DataFile(t)
	edges, err := graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), 123)
	if err != nil {
		t.Fatal(err)
	}
	a9a, a1a, heart := filepath.Join(dir, "paper", "a9a.zst"), filepath.Join(dir, "small", "a1a"), filepath.Join(dir, "small", "heart_scale")
	published, err := graph.ReadConstraintFile(filepath.Join(dir, "graphs", "F_a9a_asvrpdhg.txt"), 123)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*solver.Problem{
		"a9a F_a9a":    problem(t, a9a, 123, 1e-5, 0, published.A),
		"a9a":          problem(t, a9a, 123, 1e-5, 0, nil),
		"a9a graph":    problem(t, a9a, 123, 1e-5, 0, edges.FusedLasso()),
		"a9a mu":       problem(t, a9a, 123, 1e-5, 1e-4, nil),
		"a9a graph mu": problem(t, a9a, 123, 1e-5, 1e-4, edges.FusedLasso()),
		"a1a":          problem(t, a1a, 123, 1e-3, 0, nil),
		"heart_scale":  problem(t, heart, 13, 1e-2, 0, graph.Chain(13).FusedLasso()),
	}
	all["rcv1"] = problem(t, filepath.Join(dir, "paper", "rcv1v2_binary_train.libsvm.zst"), 47236, 1e-4, 0, nil)
	return all
}

// TestStructure: by default, zeros and ties of the result are those of an interior-point
// solution where 1e-6 is taken for zero.
func TestStructure(t *testing.T) {
	sparsetest.Long(t)
	for _, set := range []map[string]*solver.Problem{logistic(t), fused(t)} {
		for name, p := range set {
			want, err := Solve(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := solver.Minimize(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := matrixOf(p)
			if err != nil {
				t.Fatal(err)
			}
			zeros := checkStructure(t, name, a, got.X, want.X)
			rows, _ := a.Dims()
			t.Logf("%s: %d of %d rows of A x are zero; gap %.1e, of the reference %.1e", name, zeros, rows, got.DualityGap, want.Gap)
		}
	}
}

// checkStructure compares which rows of A x vanish, exactly at x where they are
// coefficients or differences of two, within 1e-6 at the reference.
func checkStructure(t *testing.T, name string, a *sparse.CSR, x, reference []float64) (zeros int) {
	rows, _ := a.Dims()
	got, want := make([]float64, rows), make([]float64, rows)
	a.MulVec(got, x)
	a.MulVec(want, reference)
	for k := range rows {
		zero := got[k] == 0
		if idx, _ := a.Row(k); len(idx) > 2 { // no zero and no tie of coefficients
			zero = math.Abs(got[k]) <= 1e-9
		}
		if zero {
			zeros++
		}
		if zero != (math.Abs(want[k]) <= 1e-6) {
			t.Errorf("%s: row %d of A x is %v, of the reference %v", name, k, got[k], want[k])
		}
	}
	return zeros
}
