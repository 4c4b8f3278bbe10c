package newton

import (
	"fmt"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestOptima: optima of the paper's data that another program found to 1e-11.
func TestOptima(t *testing.T) {
	for _, o := range sparsetest.Optima(t) {
		x, y := load(t, o.File, o.Features)
		var a *sparse.CSR
		switch o.A {
		case "":
		case "chain":
			a = graph.Chain(o.Features).FusedLasso()
		default:
			a = readEdges(t, o.A, o.Features)
		}
		f := mustNew(t, newProblem(x, y, term.Logistic{}, a, o.Lambda, o.Mu))
		r := f.Finish(nil, &Settings{Tol: 1e-12})
		t.Logf("%+v: %.16g, off by %.1e, gap %.1e, %d iterations", o, r.Objective, r.Objective-o.Value, r.Gap, r.Iterations)
		if off := r.Objective - o.Value; !(math.Abs(off) < 2e-11) || !(r.Gap < 1e-12) || !r.Polished || r.Iterations > 17 {
			t.Errorf("%+v: off by %.1e, gap %.1e, polished %v, %d iterations", o, off, r.Gap, r.Polished, r.Iterations)
		}
		checkStructure(t, f, r)
	}
}

// checkStructure: groups are exact.
func checkStructure(t *testing.T, f *Finisher, r *Result) {
	t.Helper()
	if !r.Polished {
		return
	}
	value := make(map[int32]float64)
	for j, of := range r.Structure.Of {
		v := r.Structure.Sign[j] * r.X[j]
		if of < 0 && r.X[j] != 0 {
			t.Errorf("x[%d] = %v in no group", j, r.X[j])
		}
		if was, seen := value[of]; of >= 0 && seen && was != v {
			t.Errorf("x[%d] = %v in a group of %v", j, v, was)
		}
		value[of] = v
	}
}

// TestCovtype is the largest of the paper's data with few features.
func TestCovtype(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes seconds")
	}
	x, y := load(t, "paper/covtype.libsvm.binary.scale.zst", 54)
	r := mustNew(t, newProblem(x, y, term.Logistic{}, nil, 1e-5, 0)).Finish(nil, &Settings{Tol: 1e-12})
	if !(r.Gap < 1e-12) || r.Iterations > 9 || math.Abs(r.Objective-0.5143942796) > 1e-9 {
		t.Errorf("objective %.16g, gap %.1e, %d iterations", r.Objective, r.Gap, r.Iterations)
	}
}

// smallSets are raw tables.
var smallSets = []struct {
	name string
	p    int
}{{"heart_scale", 13}, {"german.numer_scale", 24}, {"breast-cancer_scale", 10}, {"a1a", 123}}

// TestRaw: raw tables, with columns multiplied by up to 1e±3 on top.
func TestRaw(t *testing.T) {
	for _, set := range smallSets {
		raw, y := load(t, "small/"+set.name, set.p)
		for _, x := range []*sparse.CSR{raw, rescaled(t, raw)} {
			for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.9}, term.SquaredHinge{}} {
				t.Run(fmt.Sprintf("%s/%v/%T", set.name, x == raw, loss), func(t *testing.T) { checkTable(t, x, y, loss) })
			}
		}
	}
}

// checkTable finishes with λ from half of what makes x = 0 optimal down to 1e-6 of it.
func checkTable(t *testing.T, x *sparse.CSR, y []float64, loss term.Loss) {
	_, p := x.Dims()
	top := lambdaMax(t, x, y, loss)
	for _, part := range []float64{0.5, 1e-2, 1e-4, 1e-6} {
		for _, a := range []*sparse.CSR{nil, graph.Chain(p).FusedLasso()} {
			f := mustNew(t, newProblem(x, y, loss, a, part*top, 0))
			r := f.Finish(nil, &Settings{Tol: 1e-11})
			if !(r.Gap <= 1e-11) || r.Iterations > 30 {
				t.Errorf("%g, chain %v: gap %.1e, %d iterations, %d damped, polished %v", part, a != nil, r.Gap, r.Iterations, r.Damped, r.Polished)
			}
			checkStructure(t, f, r)
		}
	}
}
