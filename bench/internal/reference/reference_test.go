package reference

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func dataDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skip("SCAS_DATA is not set: the optima of real data are not checked")
	}
	return dir
}

func problem(t *testing.T, file string, features int, lambda, mu float64, a *sparse.CSR) *solver.Problem {
	t.Helper()
	d, err := sparse.ReadLIBSVMFile(file, &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: lambda}}
	if a != nil {
		p.Constraint = a
	}
	return p
}

// TestKnownOptima compares with optima found by another program.
func TestKnownOptima(t *testing.T) {
	dir := dataDir(t)
	edges, err := graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), 123)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "ref", "optima.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]struct {
		file     string
		features int
	}{
		"a9a":                {"paper/a9a.zst", 123},
		"a1a (p=123)":        {"small/a1a", 123},
		"heart_scale (p=13)": {"small/heart_scale", 13},
	}
	checked := 0
	for _, row := range rows[1:] {
		k, ok := known[row[0]]
		if !ok {
			continue
		}
		num := func(at int) float64 {
			v, err := strconv.ParseFloat(row[at], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		var a *sparse.CSR
		switch {
		case row[1] == "chain differences over I":
			a = graph.Chain(k.features).FusedLasso()
		case row[1] != "I":
			a = edges.FusedLasso()
		}
		got, err := Solve(t.Context(), problem(t, filepath.Join(dir, k.file), k.features, num(2), num(3), a))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %.15f, off by %.1e, gap below %.1e by %s", row[:4], got.Objective, got.Objective-num(4), got.Gap, got.By)
		if off := math.Abs(got.Objective - num(4)); !(off < 1e-11) || !(got.Gap < 1e-12) {
			t.Errorf("%v: objective %.15f is %.1e off, certified to %.1e", row, got.Objective, off, got.Gap)
		}
		checked++
	}
	if checked != 6 {
		t.Errorf("checked %d optima, want 6", checked)
	}
}

// TestActiveSet holds the two ways of solving a problem to each other.
func TestActiveSet(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 300, Features: 60, Noise: 2, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.FromPairs(60, d.Edges)
	if err != nil {
		t.Fatal(err)
	}
	for _, mu := range []float64{0, 0.05} {
		p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: 0.03}, Constraint: g.FusedLasso()}
		whole, err := Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		active, err := solve(t.Context(), p, 40)
		if err != nil {
			t.Fatal(err)
		}
		long, err := solve(t.Context(), p, 2)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.15f by %s (gap %.1e)\n%.15f by %s (gap %.1e)\n%.15f by %s (gap %.1e)", whole.Objective, whole.By, whole.Gap, active.Objective, active.By, active.Gap, long.Objective, long.By, long.Gap)
		if off := math.Abs(whole.Objective - active.Objective); !(off < 1e-12) || !strings.HasPrefix(active.By, "barrier Newton on the ") {
			t.Errorf("mu %g: %s differs by %.1e", mu, active.By, off)
		}
		if off := math.Abs(whole.Objective - long.Objective); !(off < 1e-8) || strings.Contains(long.By, "barrier") {
			t.Errorf("mu %g: %s differs by %.1e", mu, long.By, off)
		}
		if !(whole.Gap < 1e-12) || !(active.Gap < 1e-12) || !(long.Gap < 1e-8) {
			t.Errorf("mu %g: gaps %g, %g, %g", mu, whole.Gap, active.Gap, long.Gap)
		}
	}
}

// TestCertificate: the bound is above the true gap wherever x is.
func TestCertificate(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	a := graph.Chain(20).FusedLasso()
	for _, mu := range []float64{0, 1e-2} {
		p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: 0.02}, Constraint: a}
		best, err := Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, passes := range []float64{2, 10, 60} {
			res, err := solver.Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, Passes: passes})
			if err != nil {
				t.Fatal(err)
			}
			bound := Certificate(p, a, res.X, res.Dual)
			if excess := res.At.Objective - best.Objective; !(bound >= excess) || bound > 10 {
				t.Errorf("mu %g, %g passes: bound %g of an excess of %g", mu, passes, bound, excess)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	p := &solver.Problem{Data: sparse.Identity(2), Labels: []float64{1, -1}, Penalty: solver.SquaredL2{Lambda: 1}}
	if _, err := Solve(t.Context(), p); err == nil {
		t.Error("a penalty without a barrier is accepted")
	}
	p.Penalty, p.Domain = solver.L1{Lambda: 1}, solver.Ball{Radius: 1}
	if _, err := Solve(t.Context(), p); err == nil {
		t.Error("a domain is accepted")
	}
}
