package quadratic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

func matrixOf(t *testing.T, name string, columns int) *linalg.Algebra {
	t.Helper()
	var entries []sparse.Triplet
	rows := 0
	add := func(column int, v ...float64) {
		for k, u := range v {
			entries = append(entries, sparse.Triplet{Row: rows, Col: column + k, Value: u})
		}
		rows++
	}
	switch name {
	case "identity":
		return linalg.New(nil, columns)
	case "chain and identity":
		for j := range columns - 1 {
			add(j, 1, -1)
		}
		for j := range columns {
			add(j, 1)
		}
	case "chain":
		for j := range columns - 1 {
			add(j, 1, -1)
		}
	case "long rows and identity":
		add(0, slices.Repeat([]float64{1}, columns)...)
		for j := range columns {
			add(j, 1)
		}
		add(1, slices.Repeat([]float64{1, 0.5, -2}, (columns-1)/3)...)
	case "second differences":
		for j := range columns - 2 {
			add(j, 1, -2, 1)
		}
	}
	a, err := sparse.FromTriplets(rows, columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	return linalg.New(a, columns)
}

// randomCoupled returns a random problem. H has the given rank, and the gradient is in the range of H, so
// that there is a minimum.
func randomCoupled(t *testing.T, rng *rand.Rand, order, rank int, a *linalg.Algebra, groups [][]int, set term.Set) *Coupled {
	t.Helper()
	z := make([]float64, rank*order)
	for i := range z {
		z[i] = rng.NormFloat64()
		if rng.IntN(3) == 0 {
			z[i] = 0
		}
	}
	q := &Coupled{
		Order: order, H: make([]float64, order*order), X: make([]float64, order),
		Gradient: make([]float64, order), Threads: 1,
	}
	for i := range rank {
		row, weight := z[i*order:(i+1)*order], rng.NormFloat64()
		kernels.Axpy(weight, row, q.Gradient)
		for j, v := range row {
			kernels.Axpy(v, row, q.H[j*order:(j+1)*order])
		}
	}
	for j := range q.X {
		if rng.IntN(2) == 0 {
			q.X[j] = 0.1 * rng.NormFloat64()
		}
	}
	l, _ := a.Dims()
	limit := make([]float64, l)
	for k := range limit {
		limit[k] = 0.2 * (1 + rng.Float64())
	}
	for _, g := range groups {
		for _, k := range g {
			limit[k] = limit[g[0]]
		}
	}
	q.Penalty = gap.NewPenalty(a, limit, nil, groups)
	if set != nil {
		q.Set, q.TypicalSize = set.Region(order), slices.Repeat([]float64{1}, order)
		q.Set.Project(q.X)
	}
	return q
}

// provedGap returns the duality gap at q.U that q.Move and q.Z prove. The proof uses two lower bounds: the
// tangent at x + Move for the quadratic function, and Z'A u for the penalty at any point u. excess is the
// largest relative excess of a multiplier over its limit, or +Inf if Move and Z prove nothing.
func provedGap(q *Coupled) (gap, excess float64) {
	m, l := q.Order, q.Penalty.Len()
	h, r, v := make([]float64, m), make([]float64, m), make([]float64, l)
	TimesUpper(h, q.H, q.Move)
	copy(r, q.Gradient)
	kernels.Axpy(1, h, r)
	q.Penalty.AddTrans(r, q.Z)
	point := append([]float64(nil), q.X...)
	kernels.Axpy(1, q.Move, point)
	q.Penalty.Mul(v, point)
	lowerBound := kernels.Dot(q.Gradient, q.Move) + 0.5*kernels.Dot(q.Move, h) + kernels.Dot(q.Z, v) - kernels.Dot(r, point)
	walls := term.Bounds{}
	if q.Set != nil {
		walls = q.Set.Bounds(m)
	}
	switch {
	case walls.Radius > 0:
		lowerBound -= walls.Radius * linalg.Norm(r)
	case walls.Total > 0:
		lowerBound += walls.Total * slices.Min(r)
	default:
		for j, v := range r {
			switch {
			case math.Abs(v) < 1e-9: // rounding error
			case walls.Lower == nil:
				excess = math.Inf(1)
			case v > 0:
				lowerBound += v * walls.Lower[j]
			default:
				lowerBound += v * walls.Upper[j]
			}
		}
	}
	q.Penalty.Mul(v, q.X)
	x := q.Penalty.Value(v)
	for k, z := range q.Z {
		if !q.Penalty.Grouped() {
			excess = math.Max(excess, math.Abs(z)/q.Penalty.Limit[k]-1)
		}
	}
	for k := range q.Penalty.Groups {
		g := &q.Penalty.Groups[k]
		excess = math.Max(excess, g.Norm(q.Z)/g.Limit-1)
	}
	return q.Value() + x - lowerBound, excess
}

// TestCoupled checks, for each matrix A and set, with and without groups, that Solve needs at most 60 steps
// and that its multipliers prove the solution. If MakeExact succeeds, it must not increase the objective, and
// U must have the zeros and ties that MakeExact returns.
func TestCoupled(t *testing.T) {
	const order = 12
	sets := map[string]term.Set{
		"R^p": nil, "box": term.NewBox(order, -0.1, 0.2), "nonnegative": term.Nonnegative{},
		"ball": term.Ball{Radius: 0.3}, "simplex": term.Simplex{Total: 2},
	}
	fixed := term.NewBox(order, -0.3, 0.3)
	fixed.Lower[3], fixed.Upper[3], fixed.Upper[5] = 0.05, 0.05, math.Inf(1)
	sets["box with a fixed coordinate"] = fixed
	nearlyFixed := term.NewBox(order, math.Inf(-1), math.Inf(1))
	nearlyFixed.Lower[3], nearlyFixed.Upper[3] = 0.05, math.Nextafter(0.05, 1)
	nearlyFixed.Lower[5], nearlyFixed.Upper[5] = 0, 1e-160
	sets["box with nearly equal bounds"] = nearlyFixed
	for _, a := range []string{"identity", "chain and identity", "chain", "second differences"} {
		for name, set := range sets {
			for _, grouped := range []bool{false, true} {
				var groups [][]int
				if grouped {
					groups = [][]int{{0, 1, 2}, {3}, {4, 5, 9}, {6, 7, 8}}
				}
				for seed := range uint64(6) {
					rng := rand.New(rand.NewPCG(seed, 3))
					rank := order + 5
					if seed%2 == 1 && a != "chain" && a != "second differences" && !grouped {
						rank = order / 2
					}
					q := randomCoupled(t, rng, order, rank, matrixOf(t, a, order), groups, set)
					description := fmt.Sprintf("%s, %s, groups %v, seed %d", a, name, grouped, seed)
					ok := q.Solve(&CoupledSettings{Gap: 1e-11, StartTau: 0.1})
					proved, excess := provedGap(q)
					if !ok || !(math.Abs(proved) < 1e-9) || excess > 1e-9 {
						t.Errorf("%s: %v after %d steps, proved %.2e, multipliers beyond their limits by %.1e", description, ok, q.Steps, proved, excess)
					}
					if q.Steps > 60 {
						t.Errorf("%s: %d steps", description, q.Steps)
					}
					oldValue := q.Value()
					partition, ok := q.MakeExact(1e-9, make([]float64, order))
					if !ok {
						continue // MakeExact may fail, for example if all coordinates on a simplex seem to be zero
					}
					if newValue := q.Value(); newValue > oldValue+1e-9 || !partition.Holds(q.U) {
						t.Errorf("%s: exact at %.3e above, zeros and ties %v of %v",
							description, newValue-oldValue, partition, q.U)
					}
				}
			}
		}
	}
}

// TestCoupledStart checks that Solve needs fewer steps if it starts with the solution and the multipliers of
// a similar problem, and with a small CoupledSettings.StartTau.
func TestCoupledStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	q := randomCoupled(t, rng, 40, 60, matrixOf(t, "chain and identity", 40), nil, nil)
	q.Solve(&CoupledSettings{Gap: 1e-10, StartTau: 0.1})
	firstSteps := q.Steps
	copy(q.X, q.U)
	grad := make([]float64, 40)
	TimesUpper(grad, q.H, q.Move)
	kernels.Axpy(1, grad, q.Gradient)
	for j := range q.Gradient {
		q.Gradient[j] += 1e-4 * rng.NormFloat64()
	}
	q.Solve(&CoupledSettings{Gap: 1e-10, StartTau: 1e-6})
	if proved, excess := provedGap(q); !(math.Abs(proved) < 1e-9) || excess > 1e-9 || q.Steps >= firstSteps {
		t.Errorf("%d steps, then %d; proved %.1e, beyond the limits by %.1e", firstSteps, q.Steps, proved, excess)
	}
}

// TestStartFrom checks that q.Solve does not change the multipliers of source after q.StartFrom(source).
func TestStartFrom(t *testing.T) {
	random := func() *Coupled {
		return randomCoupled(t, rand.New(rand.NewPCG(5, 6)), 12, 20, matrixOf(t, "chain", 12), nil, term.NewBox(12, -0.1, 0.2))
	}
	source, q := random(), random()
	source.Solve(&CoupledSettings{Gap: 1e-6, StartTau: 0.1})
	want := slices.Concat(source.barriers.lowerDual, source.barriers.upperDual)
	q.StartFrom(source)
	q.Solve(&CoupledSettings{Gap: 1e-10, StartTau: source.Tau})
	if got := slices.Concat(source.barriers.lowerDual, source.barriers.upperDual); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("multipliers %v, before %v", got, want)
	}
}

func TestCoupledThreads(t *testing.T) {
	var want []float64
	for _, threads := range []int{1, 2} {
		q := randomCoupled(t, rand.New(rand.NewPCG(7, 7)), 300, 310, matrixOf(t, "chain and identity", 300), nil, nil)
		q.Threads = threads
		q.Solve(&CoupledSettings{Gap: 1e-8, StartTau: 0.1})
		if got := append(slices.Clone(q.U), q.Z...); want == nil {
			want = got
		} else if !slices.Equal(want, got) {
			t.Error("other bits on two threads")
		}
	}
}

func TestCoupledStop(t *testing.T) {
	q := randomCoupled(t, rand.New(rand.NewPCG(1, 1)), 12, 20, matrixOf(t, "chain and identity", 12), nil, nil)
	q.Stop = func() bool { return true }
	if q.Solve(&CoupledSettings{Gap: 1e-10, StartTau: 0.1}) || q.Steps != 1 {
		t.Errorf("solved, in %d steps", q.Steps)
	}
}

// TestTiesWithBounds checks that MakeExact moves tied coordinates together to the bound that the first of
// them reaches.
func TestTiesWithBounds(t *testing.T) {
	for _, c := range []struct {
		second       float64 // the row of A is (1, second)
		lower, upper [2]float64
		want         []float64
	}{
		{-1, [2]float64{-1, -1}, [2]float64{0.5, math.Inf(1)}, []float64{0.5, 0.5}},
		{-1, [2]float64{-1, -1}, [2]float64{math.Inf(1), 0.5}, []float64{0.5, 0.5}},
		{1, [2]float64{-1, -0.5}, [2]float64{math.Inf(1), 1}, []float64{0.5, -0.5}},
		{-0.1, [2]float64{-1, -1}, [2]float64{math.Inf(1), 0.7}, []float64{0.07, 0.7}},
		{-1, [2]float64{-1, 0.3}, [2]float64{0.3, 1}, []float64{0.3, 0.3}},
		{-1, [2]float64{-1, 0.4}, [2]float64{0.3, 1}, []float64{0.3, 0.4}},
	} {
		a, err := sparse.FromDense(1, 2, []float64{1, c.second})
		if err != nil {
			t.Fatal(err)
		}
		q := &Coupled{
			Order: 2, H: []float64{1, 0, 0, 1}, X: make([]float64, 2),
			Gradient:    []float64{-2, math.Copysign(2, c.second)},
			TypicalSize: []float64{1, 1}, Penalty: gap.NewPenalty(linalg.New(a, 2), []float64{9}, nil, nil), Threads: 1,
			Set: term.Box{Lower: c.lower[:], Upper: c.upper[:]}.Region(2),
		}
		q.Set.Project(q.X)
		q.Solve(&CoupledSettings{Gap: 1e-12, StartTau: 0.1})
		partition, ok := q.MakeExact(1e-10, []float64{1, 1})
		if !ok || !partition.Holds(q.U) {
			t.Errorf("%+v: %v is not exact", c, q.U)
		}
		for j, v := range c.want {
			if !(math.Abs(q.U[j]-v) <= 1e-15) || q.U[j] < c.lower[j] || q.U[j] > c.upper[j] {
				t.Errorf("%+v: exact solution %v", c, q.U)
			}
		}
	}
}

// TestZeros checks that a zero whose multiplier is near its limit is found for each first τ, even if this is
// nearly a multiple of the last τ. It also checks that coordinates are not taken for zeros if the last two τ
// are equal, as they may be after a failure of Solve.
func TestZeros(t *testing.T) {
	const tolerance = 1e-12
	for _, start := range []float64{1, 1 + 1e-15, 1.001, 1.9, 3, 1e3, 1e6, 1e9, 1e9 * (1 + 1e-15), 1e9 * (1 + 3e-15), 1.1e9} {
		q := &Coupled{
			Order: 2, H: []float64{1, 0, 0, 1}, X: make([]float64, 2), Gradient: []float64{-0.97, 2},
			Penalty: gap.NewPenalty(linalg.New(nil, 2), []float64{1, 1}, nil, nil), Threads: 1,
		}
		q.Solve(&CoupledSettings{Gap: tolerance, StartTau: start * tolerance / 8})
		if q.lastTau < leastLastFall*q.Tau {
			t.Errorf("first τ %v: the last two τ are %v and %v", start, q.lastTau, q.Tau)
		}
		if zero := q.zeros(); start >= 2 && !zero[0] || zero[1] {
			t.Errorf("first τ %v: zeros %v of %v", start, zero, q.U)
		}
		q.lastTau = q.Tau
		copy(q.lastImage, q.image)
		if q.zeros()[1] {
			t.Errorf("first τ %v: %v is taken for 0", start, q.U[1])
		}
	}
}
