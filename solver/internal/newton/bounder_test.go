package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestBounder: what is proved by sums over the samples is about what a Finisher proves by
// the samples, and never less than that or than the distance from the optimum.
func TestBounder(t *testing.T) {
	for name, ridge := range map[string]float64{"lasso": 0, "ridge": 0.1} {
		f := bounded(t, ridge)
		n, p := f.Data.Dims()
		best := f.Finish(make([]float64, p), &Settings{Tol: 1e-13})
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, p)
		for j := range x {
			x[j] = best.X[j] + 1e-3*rng.NormFloat64()
		}
		pt := f.newPoint()
		copy(pt.x, x)
		f.visit(pt)
		d := f.newDual()
		copy(d.alpha, pt.slope)
		known := &Known{Loss: pt.loss, Fenchel: f.fenchel(d.alpha, pt), Transposed: make([]float64, p), Size: f.size(d.alpha), Roundings: float64(n)}
		f.transposed(known.Transposed, d.alpha)
		b := NewBounder(f.Problem, slices.Repeat([]float64{ridge}, p), Columns{Largest: f.columns})
		l, _ := f.A.Dims()
		got := b.Bound(x, make([]float64, l), known)
		want := Rounded(f.admit(d, pt, metric{}, math.Inf(1)), pt.value)
		// Where the dual point shrinks, the terms at the shorter one are bounded by convexity.
		if !(got.Gap >= want*(1-1e-9) && got.Gap <= 10*want) || ridge > 0 && got.Gap > want*(1+1e-9) || math.Abs(got.Objective-pt.value) > 2*unit || b.Value(x, pt.loss) != got.Objective {
			t.Errorf("%s: gap %v, from the samples %v; objective %v, %v", name, got.Gap, want, got.Objective, pt.value)
		}
		if off := pt.value - best.Objective; !(got.Gap >= off) {
			t.Errorf("%s: %v is said to bound %v", name, got.Gap, off)
		}
		known.Roundings = 1e12
		if worse := b.Bound(x, make([]float64, l), known); !(worse.Gap > got.Gap) {
			t.Errorf("%s: rounding has no effect on %v", name, worse.Gap)
		}
	}
}

// TestBounderOfGroups: norms of groups of features, on a scale of their own, are bounded alike:
// never by less than the distance from the optimum, and the closer the less.
func TestBounderOfGroups(t *testing.T) {
	for _, ridge := range []float64{0, 0.1} {
		q := *bounded(t, ridge).Problem
		scale := make([]float64, 12)
		for j := range scale {
			scale[j] = 1
			if ridge == 0 {
				scale[j] = 0.5 + float64(j%3)
			}
		}
		diagonal, err := sparse.Identity(12).ScaleColumns(scale)
		if err != nil {
			t.Fatal(err)
		}
		q.A, q.Groups = quad.New(diagonal, 12), [][]int{{0, 1, 2, 3}, {7, 5}, {4, 6, 8, 9, 10}, {11}}
		f := mustNew(t, &q)
		best := f.Finish(make([]float64, 12), &Settings{Tol: 1e-13})
		b := NewBounder(&q, slices.Repeat([]float64{ridge}, 12), Columns{Largest: f.columns})
		rng := rand.New(rand.NewPCG(1, 2))
		for _, off := range []float64{10, 1, 0.1, 1e-2, 1e-4, 1e-6, 0} {
			pt := f.newPoint()
			for j := range pt.x {
				pt.x[j] = best.X[j] + off*rng.NormFloat64()
			}
			f.visit(pt)
			alpha := pt.slope
			known := &Known{Loss: pt.loss, Fenchel: f.fenchel(alpha, pt), Transposed: make([]float64, 12), Size: f.size(alpha), Roundings: 300}
			f.transposed(known.Transposed, alpha)
			got := b.Bound(pt.x, make([]float64, 12), known)
			excess := pt.value - best.Objective
			t.Logf("ridge %v, %v off: %v bounds %v", ridge, off, got.Gap, excess)
			if !(got.Gap >= excess) || !(got.Gap <= 20*off+1e-8) || math.Abs(got.Objective-pt.value) > 4*unit*pt.value {
				t.Errorf("ridge %v, %v off: %v is said to bound %v", ridge, off, got.Gap, excess)
			}
			known.Roundings = 1e12
			if worse := b.Bound(pt.x, make([]float64, 12), known); !(worse.Gap > got.Gap) {
				t.Errorf("rounding has no effect on %v", worse.Gap)
			}
		}
	}
}

// TestBounderAbsolute: what bounds the rounding errors of a column is never less than the sum
// it is about, and of a column with few entries far less than that of a full one.
func TestBounderAbsolute(t *testing.T) {
	const n = 10000
	entries := []sparse.Triplet{{Row: 3, Col: 1, Value: 1}, {Row: 7, Col: 1, Value: -1}}
	rng := rand.New(rand.NewPCG(1, 2))
	known, sum := &Known{}, make([]float64, 2)
	for i := range n {
		alpha := rng.NormFloat64() / n
		known.Size += math.Abs(alpha)
		known.Square += n * alpha * alpha
		sum[0] += math.Abs(alpha)
		if entries = append(entries, sparse.Triplet{Row: i, Value: 1}); i == 3 || i == 7 {
			sum[1] += math.Abs(alpha)
		}
	}
	data, err := sparse.FromTriplets(n, 2, entries)
	if err != nil {
		t.Fatal(err)
	}
	q := &Problem{Data: data, Labels: make([]float64, n), A: quad.New(nil, 2), Limit: []float64{1, 1}}
	b := NewBounder(q, make([]float64, 2), Columns{Largest: []float64{1, 1}, Norm: []float64{1, math.Sqrt(2. / n)}})
	for j, want := range sum {
		if got := b.absolute(j, known); !(got >= want) {
			t.Errorf("column %d: %v is said to bound %v", j, got, want)
		}
	}
	if full, rare := b.absolute(0, known), b.absolute(1, known); full != known.Size || rare > full/10 {
		t.Errorf("%v of a full column, %v of a rare one", full, rare)
	}
}

// TestBounderOfFree: a feature without penalty and ridge is paid for by what its equality
// lacks; where that leaves the domain of the conjugate nothing is proved.
func TestBounderOfFree(t *testing.T) {
	f := bounded(t, 0)
	f.Limit[0] = 0
	f = mustNew(t, f.Problem)
	n, p := f.Data.Dims()
	best := f.Finish(make([]float64, p), &Settings{Tol: 1e-13})
	side := NewFree(nil, f.Data, []int32{0})
	norm := make([]float64, p)
	for j := range norm {
		norm[j] = f.columns[j] // no less than the mean
	}
	b := NewBounder(f.Problem, make([]float64, p), Columns{Largest: f.columns, Norm: norm})
	if !slices.Equal(b.Free(), []int32{0}) {
		t.Fatalf("free: %v", b.Free())
	}
	last := 0.0
	for _, off := range []float64{0, 1e-9, 1e-7, 1e-6, 1e-5, 1} {
		x := slices.Clone(best.X)
		x[0] += off
		pt := f.newPoint()
		copy(pt.x, x)
		f.visit(pt)
		phi := make([]float64, n)
		curve := make([]float64, n)
		f.curvatures(curve, pt, 0)
		for i, a := range pt.slope {
			lo, hi := f.Loss.SlopeRange(f.Labels[i])
			phi[i] = f.Coef[i] * Phi(curve[i], a, lo, hi)
		}
		known := &Known{Loss: pt.loss, Fenchel: f.fenchel(pt.slope, pt), Transposed: make([]float64, p), Size: f.size(pt.slope), Roundings: float64(n), Free: side.hessian(phi)}
		f.transposed(known.Transposed, pt.slope)
		got := b.Bound(x, make([]float64, p), known)
		if excess := pt.value - best.Objective; !(got.Gap >= excess) || got.Gap < last {
			t.Errorf("%v from the optimum %v is said to bound %v", off, got.Gap, excess)
		}
		if last = got.Gap; off <= 1e-7 && !(got.Gap < 1e-3) || off == 1 && !math.IsInf(got.Gap, 1) {
			t.Errorf("%v from the optimum %v is proved", off, got.Gap)
		}
	}
	// Another feature without data has nothing to prove.
	columns := slices.Clone(f.columns)
	columns[0] = 0
	if b := NewBounder(f.Problem, make([]float64, p), Columns{Largest: columns}); len(b.Free()) > 0 {
		t.Errorf("free: %v", b.Free())
	}
}

// bounded is a lasso of a few samples.
func bounded(t *testing.T, ridge float64) *Finisher {
	t.Helper()
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 300, Features: 12, Groups: 1, GroupSize: 4, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := &Problem{Data: d.X, Rows: d.X.Rows(0, 300), Labels: d.Labels, Loss: term.Logistic{}, A: quad.New(nil, 12), Ridge: ridge}
	q.Penalise(term.L1{Lambda: 1e-2})
	return mustNew(t, q)
}
