package gap_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A testProblem is a gap.DataProblem with the rows of its data.
type testProblem struct {
	*gap.DataProblem
	rows kernels.Rows
}

// prove computes head, an argument of Prove, from alpha, and calls Prove.
func (m testProblem) prove(pt *gap.Point, alpha, z, head []float64, goal float64) gap.Bound {
	m.Sums.MulTrans(head, m.rows, alpha)
	tally := m.Tally(pt, alpha)
	return m.Prove(pt, alpha, z, head, nil, &tally, goal)
}

func testProblemOf(q *exact.Problem) testProblem {
	n, p := q.Data.Dims()
	sums := rows.NewSums(nil, rows.NewChunks(q.Data, 1), nil, n, p)
	b := &gap.Problem{Penalty: gap.NewPenalty(q.A, q.Limit, q.Square, q.Groups), Ridge: q.Ridge, Set: q.Set}
	b.Columns = gap.ColumnsOf(q.Data, sums, nil)
	b.Prepare()
	return testProblem{&gap.DataProblem{Problem: b, Sums: sums, Data: q.Data, Loss: q.Loss, Labels: q.Labels}, q.Rows}
}

func pointAt(m testProblem, x []float64) *gap.Point {
	pt := &gap.Point{X: x, Margin: make([]float64, len(m.Labels)), Slope: make([]float64, len(m.Labels))}
	m.Sums.Margins(pt.Margin, m.rows, x)
	pt.Loss = m.Sums.Mean(m.Loss, pt.Slope, pt.Margin, m.Labels)
	return pt
}

// problems returns problems for each loss, by name.
func problems(t *testing.T) map[string]*exact.Problem {
	t.Helper()
	const p = 12
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: p, Groups: 1, GroupSize: 4, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var chain, secondDifferences []sparse.Triplet
	for j := range p - 1 {
		chain = append(chain, sparse.Triplet{Row: j, Col: j, Value: 1}, sparse.Triplet{Row: j, Col: j + 1, Value: -1})
	}
	for j := range p - 2 {
		secondDifferences = append(secondDifferences, sparse.Triplet{Row: j, Col: j, Value: 1},
			sparse.Triplet{Row: j, Col: j + 1, Value: -2}, sparse.Triplet{Row: j, Col: j + 2, Value: 1})
	}
	matrix := func(rows int, entries []sparse.Triplet) *linalg.Algebra {
		a, err := sparse.FromTriplets(rows, p, entries)
		if err != nil {
			t.Fatal(err)
		}
		return linalg.New(a, p)
	}
	out := make(map[string]*exact.Problem)
	addProblems := func(name string, a *linalg.Algebra, change func(q *exact.Problem)) {
		for _, loss := range term.Losses(0.7) {
			q := &exact.Problem{
				Data: d.X, Rows: d.X.Compact(false), Labels: append([]float64(nil), d.Labels...), Loss: loss,
				A: a, Ridge: make([]float64, p),
			}
			if loss.Traits().Labels == term.Counts {
				for i, b := range q.Labels {
					q.Labels[i] = max(0, b)
				}
			}
			if !q.Penalise(term.L1{Lambda: 0.01}) {
				t.Fatal(name)
			}
			change(q)
			out[name+", "+loss.String()] = q
		}
	}
	identityA := linalg.New(nil, p)
	addProblems("lasso", identityA, func(*exact.Problem) {})
	addProblems("ridge", identityA, func(q *exact.Problem) { q.Ridge = slices.Repeat([]float64{0.1}, p) })
	addProblems("free features", identityA, func(q *exact.Problem) { q.Limit[0], q.Limit[7] = 0, 0 })
	addProblems("groups", identityA, func(q *exact.Problem) { q.Groups = [][]int{{0, 1, 2, 3}, {5, 7}, {4, 6, 8, 9}, {10, 11}} })
	addProblems("groups, ridge", identityA, func(q *exact.Problem) {
		q.Groups, q.Ridge = [][]int{{0, 1, 2, 3}, {5, 7}}, slices.Repeat([]float64{0.1}, p)
		for _, j := range []int{4, 6, 8, 9, 10, 11} { // features in no group
			q.Limit[j] = 0
		}
	})
	addProblems("chain", matrix(p-1, chain), func(*exact.Problem) {})
	addProblems("chain in two parts", matrix(p-1, chain), func(q *exact.Problem) { q.Limit[4] = 0 })
	addProblems("chain, nonnegative", matrix(p-1, chain), func(q *exact.Problem) { q.Set = term.Nonnegative{}.Region(p) })
	addProblems("second differences", matrix(p-2, secondDifferences), func(*exact.Problem) {})
	addProblems("elastic chain", matrix(p-1, chain), func(q *exact.Problem) {
		q.Square = make([]float64, p-1)
		for j := range q.Square {
			q.Square[j] = 0.01
		}
	})
	var fused []sparse.Triplet // a singleton row for each feature, below the rows of the chain
	for j := range p {
		fused = append(fused, sparse.Triplet{Row: p - 1 + j, Col: j, Value: 1})
	}
	fusedA := matrix(2*p-1, append(fused, chain...))
	addProblems("elastic fused lasso, nonnegative", fusedA, func(q *exact.Problem) {
		q.Set = term.Nonnegative{}.Region(p)
		q.Square = slices.Repeat([]float64{0.01}, 2*p-1)
	})
	addProblems("box", identityA, func(q *exact.Problem) { q.Set = term.NewBox(p, -0.1, 0.1) })
	addProblems("ball", identityA, func(q *exact.Problem) { q.Set = term.Ball{Radius: 0.2} })
	addProblems("simplex", identityA, func(q *exact.Problem) { q.Set = term.Simplex{} })
	return out
}

// TestBound checks that no bound is below the objective minus the optimum. At the optimum the bound must be
// small, and it must grow if the sums have more rounding errors.
func TestBound(t *testing.T) {
	for name, q := range problems(t) {
		f, err := exact.New(q)
		if err != nil {
			t.Fatal(name, err)
		}
		solution := f.Finish(nil, &exact.Settings{Tol: 1e-13})
		m := testProblemOf(q)
		z := m.Penalty.Restrict(solution.Z)
		head := make([]float64, len(solution.X))
		optimumBound := m.prove(pointAt(m, solution.X), solution.Alpha, z, head, 1e-12)
		if !(optimumBound.Gap <= 1e-8) || !(optimumBound.Rounding <= 1e-8) {
			t.Errorf("%s: %v at the optimum (%v), of it %v from rounding",
				name, optimumBound.Gap, solution.Gap, optimumBound.Rounding)
		}
		if _, ok := q.Loss.(term.Poisson); ok && solution.Gap > 1e-8 {
			t.Errorf("%s: not solved: %v", name, solution.Gap)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, off := range []float64{0, 1e-9, 1e-6, 1e-4, 1e-2, 1} {
			x, alpha, noisyZ := append([]float64(nil), solution.X...),
				append([]float64(nil), solution.Alpha...), append([]float64(nil), z...)
			for j := range x {
				x[j] += off * rng.NormFloat64()
			}
			if q.Set != nil {
				q.Set.Project(x)
			}
			pt := pointAt(m, x)
			for i, s := range pt.Slope {
				alpha[i] += off * (s - alpha[i])
			}
			for k := range noisyZ {
				noisyZ[k] += off * rng.NormFloat64()
			}
			for _, z := range [][]float64{z, noisyZ} {
				b := m.prove(pt, alpha, z, head, 0)
				value := m.Value(x, pt.Loss)
				if excess := value - solution.Objective; !(b.Gap >= excess-1e-14*value) {
					t.Errorf("%s, %v off: %v is said to bound %v", name, off, b.Gap, excess)
				}
			}
		}
		pt, tally := pointAt(m, solution.X), m.Tally(pointAt(m, solution.X), solution.Alpha)
		if got := m.TrivialBound(pt, m.Value(pt.X, pt.Loss)); !(got >= solution.Objective) {
			t.Errorf("%s: the dual point 0 proves %v of %v", name, got, solution.Objective)
		}
		if m.RootCount() == 0 {
			m.Sums.MulTrans(head, m.rows, solution.Alpha)
			roughBound := m.Bound(pt.X, z, &tally, &gap.Sum{Head: head, Roundings: 1e9, Samples: 200})
			if !(roughBound.Gap > optimumBound.Gap) ||
				!(roughBound.Rounding > 0 || math.IsInf(roughBound.Gap, 1)) && q.Set == nil {
				t.Errorf("%s: rounding has no effect: %v, %v", name, roughBound.Gap, optimumBound.Gap)
			}
		}
	}
}

// TestFarBounds checks that bounds far away do not enlarge the gap, and that a large bound that is active is
// kept.
func TestFarBounds(t *testing.T) {
	const p = 12
	active := term.NewBox(p, math.Inf(-1), 1e20)
	active.Upper[2], active.Upper[3] = 2e6, -2e6
	for _, name := range []string{"lasso", "chain", "free features", "groups"} {
		for _, c := range []struct {
			name  string
			set   term.Region
			scale float64 // of the labels and limits
		}{
			{"±1e10", term.NewBox(p, -1e10, 1e10), 1},
			{"±1e20", term.NewBox(p, -1e20, 1e20), 1},
			{"at most 1e10", term.NewBox(p, math.Inf(-1), 1e10), 1},
			{"ball", term.Ball{Radius: 1e10}, 1},
			{"active bounds", active, 1e8},
			{"active ball", term.Ball{Radius: 2e6}, 1e8},
			{"no bound", nil, 1e8},
		} {
			q := problems(t)[name+", squared"]
			for i := range q.Labels {
				q.Labels[i] *= c.scale
			}
			for j := range q.Limit {
				q.Limit[j] *= c.scale
			}
			q.Set = c.set
			f, err := exact.New(q)
			if err != nil {
				t.Fatal(err)
			}
			solution := f.Finish(nil, &exact.Settings{Tol: 1e-9 * c.scale * c.scale})
			if !(solution.Gap <= 1e-9*c.scale*c.scale) {
				t.Errorf("%s, %s: gap %v of %v", name, c.name, solution.Gap, solution.Objective)
			}
		}
	}
}

// TestDependentFarBounds checks that bounds far away still help if two free features depend on each other.
func TestDependentFarBounds(t *testing.T) {
	for _, bound := range []float64{1e3, 1e8} {
		q := lassoOf(t, term.Logistic{}, func(entries []float64) {
			for k := 0; k < len(entries); k += 6 {
				entries[k+1] = entries[k]
			}
		})
		q.Limit[0], q.Limit[1], q.Set = 0, 0, term.NewBox(6, -bound, bound)
		f, err := exact.New(q)
		if err != nil {
			t.Fatal(err)
		}
		if solution := f.Finish(nil, &exact.Settings{Tol: 1e-10}); !(solution.Gap <= 1e-12*bound) {
			t.Errorf("±%v: gap %v", bound, solution.Gap)
		}
	}
}

// ownLoss is a loss that is not in package term.
type ownLoss struct{ term.Logistic }

func (ownLoss) String() string { return "own" }

func (ownLoss) Conjugate(alpha, label float64) float64 {
	return term.Logistic{}.Conjugate(alpha, label)
}

func (ownLoss) ConjugateDomain(label float64) (lo, hi float64) {
	return term.Logistic{}.SlopeRange(label)
}

// TestOwnLoss checks the bound of a problem with roots for a loss that is not in package term. The bound must
// be below 1e-10, but not below the bound for term.Logistic, which is the same loss.
func TestOwnLoss(t *testing.T) {
	q := problems(t)["free features, logistic"]
	f, err := exact.New(q)
	if err != nil {
		t.Fatal(err)
	}
	solution := f.Finish(nil, &exact.Settings{Tol: 1e-13})
	head := make([]float64, len(solution.X))
	logisticProblem := testProblemOf(q)
	point := pointAt(logisticProblem, solution.X)
	want := logisticProblem.prove(point, solution.Alpha, solution.Z, head, 1e-12)
	q.Loss = term.LossOf(ownLoss{})
	m := testProblemOf(q)
	if got := m.prove(pointAt(m, solution.X), solution.Alpha, m.Penalty.Restrict(solution.Z), head,
		1e-12); m.RootCount() != 2 || !(got.Gap >= want.Gap && got.Gap < 1e-10) {
		t.Errorf("%d roots, gap %v, of the known loss %v", m.RootCount(), got.Gap, want.Gap)
	}
}

// TestDependent checks DependentRoots for two equal columns without a penalty. With the first alpha both
// features are roots, so that DependentRoots is true and no gap is proved. With the second alpha both entries
// of X'alpha are clearly above 0. Then no feature is a root, DependentRoots is false again, and a gap is
// proved.
func TestDependent(t *testing.T) {
	x, err := sparse.FromTriplets(2, 2,
		[]sparse.Triplet{{Col: 0, Value: 1}, {Col: 1, Value: 1}, {Row: 1, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	q := &exact.Problem{Data: x, Rows: x.Compact(false), Labels: []float64{1, 3}, Loss: term.Squared{}, A: linalg.New(nil, 2),
		Limit: make([]float64, 2), Ridge: make([]float64, 2), Set: term.Nonnegative{}.Region(2)}
	m := testProblemOf(q)
	for _, c := range []struct {
		alpha     []float64
		dependent bool
	}{
		{[]float64{1, -1 - 1e-15}, true},
		{[]float64{1, 1}, false},
	} {
		b := m.prove(pointAt(m, []float64{1, 1}), c.alpha, nil, make([]float64, 2), 0)
		if m.DependentRoots != c.dependent || math.IsInf(b.Gap, 1) != c.dependent {
			t.Errorf("alpha %v: dependent %v, want %v; gap %v", c.alpha, m.DependentRoots, c.dependent, b.Gap)
		}
	}
}

// lassoOf returns a lasso with 60 samples and 6 features. change may change the data, which are normal
// numbers, row by row.
func lassoOf(t *testing.T, loss term.Loss, change func(entries []float64)) *exact.Problem {
	t.Helper()
	const n, p = 60, 6
	rng := rand.New(rand.NewPCG(1, 1))
	entries, labels := make([]float64, n*p), make([]float64, n)
	for k := range entries {
		entries[k] = rng.NormFloat64()
	}
	for i := range labels {
		labels[i] = 1 - 2*float64(rng.IntN(2))
	}
	change(entries)
	x, err := sparse.FromDense(n, p, entries)
	if err != nil {
		t.Fatal(err)
	}
	return &exact.Problem{
		Data: x, Rows: x.Compact(false), Labels: labels, Loss: loss, A: linalg.New(nil, p),
		Ridge: make([]float64, p), Limit: slices.Repeat([]float64{0.05}, p),
	}
}

// TestHugeEntry checks that a column whose only entry is huge does not give a gap that is too small. The
// square of the entry overflows, and a tiny coefficient of this column fits one sample perfectly.
func TestHugeEntry(t *testing.T) {
	for _, loss := range []term.Loss{term.Logistic{}, term.LossOf(term.Huber{Delta: 0.7})} {
		for _, size := range []float64{-1e155, 1e200, 1e300} {
			q := lassoOf(t, loss, func(entries []float64) {
				for k := 5; k < len(entries); k += 6 {
					entries[k] = 0
				}
				entries[5] = size
			})
			f, err := exact.New(q)
			if err != nil {
				t.Fatal(err)
			}
			solution := f.Finish(nil, &exact.Settings{Tol: 1e-8})
			m, better := testProblemOf(q), math.Inf(1)
			for _, margin := range []float64{-30, -3, -1, 0, 1, 3, 30} { // of the first sample
				x := slices.Clone(solution.X)
				x[5] = margin / size
				better = min(better, m.Value(x, pointAt(m, x).Loss))
			}
			if excess := solution.Objective - better; !(solution.Gap >= excess) {
				t.Errorf("%v, entry %v: the gap is at least %v, but %v is proved", loss, size, excess, solution.Gap)
			}
		}
	}
}

// TestScale multiplies data and limits by powers of 2 at which squares underflow, and divides the point by
// them. This must not make the bound smaller.
func TestScale(t *testing.T) {
	const p = 6
	rng := rand.New(rand.NewPCG(3, 3))
	point, multipliers := make([]float64, p), make([]float64, p)
	for j := range p {
		point[j], multipliers[j] = 0.3*rng.NormFloat64(), 0.1*rng.NormFloat64()
	}
	for name, change := range map[string]func(q *exact.Problem, unit float64){
		"groups": func(q *exact.Problem, unit float64) { q.Groups = [][]int{{0, 1, 2}, {3, 4, 5}} },
		"ball":   func(q *exact.Problem, unit float64) { q.Set = term.Ball{Radius: 2 / unit} },
		"ridge":  func(q *exact.Problem, unit float64) { q.Ridge = slices.Repeat([]float64{unit * unit}, p) },
	} {
		for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}} {
			var want float64
			for _, exponent := range []int{0, -300, -500, -530, -545} {
				if name == "ridge" && exponent < -510 { // the ridge underflows
					continue
				}
				unit := math.Ldexp(1, exponent)
				q := lassoOf(t, loss, func(entries []float64) {
					for k := range entries {
						entries[k] *= unit
					}
				})
				for j := range q.Limit {
					q.Limit[j] *= unit
				}
				change(q, unit)
				m, x, z := testProblemOf(q), make([]float64, p), make([]float64, p)
				for j := range p {
					x[j], z[j] = point[j]/unit, multipliers[j]*unit
				}
				pt := pointAt(m, x)
				got := m.prove(pt, pt.Slope, z, make([]float64, p), 0).Gap
				if exponent == 0 {
					want = got
				}
				if !(got >= want*(1-1e-9)) {
					t.Errorf("%s, %v, 2^%d: gap %v, want %v", name, loss, exponent, got, want)
				}
			}
		}
	}
}

// TestTinyGroup checks that multipliers whose squares underflow are clipped to the limit of their group.
func TestTinyGroup(t *testing.T) {
	const limit = 1e-166
	pen := gap.NewPenalty(linalg.New(nil, 2), []float64{limit, limit}, nil, [][]int{{0, 1}})
	z := []float64{1e-163, 1e-163}
	pen.Clip(z)
	if !(linalg.Norm(z) <= limit && linalg.Norm(z) > 0.99*limit) {
		t.Errorf("%v, with a norm above %v", z, limit)
	}
}

// TestDependentScale checks that DependentRoots is false for a single root whose square overflows or
// underflows.
func TestDependentScale(t *testing.T) {
	for _, exponent := range []int{520, -545} {
		q := lassoOf(t, term.Logistic{}, func(entries []float64) {
			for k := range entries {
				entries[k] = math.Ldexp(entries[k], exponent)
			}
		})
		for j := range q.Limit {
			q.Limit[j] = math.Ldexp(q.Limit[j], exponent)
		}
		q.Limit[0] = 0
		m := testProblemOf(q)
		point := pointAt(m, make([]float64, 6))
		b := m.prove(point, point.Slope, make([]float64, 5), make([]float64, 6), 0)
		if m.RootCount() != 1 || m.DependentRoots || !math.IsInf(b.Gap, 1) {
			t.Errorf("2^%d: %d roots, dependent %v, gap %v", exponent, m.RootCount(), m.DependentRoots, b.Gap)
		}
		if tally := m.Tally(point, point.Slope); b.NeedsScaledTally(&tally, 1e-6) {
			t.Errorf("2^%d: a scaled tally for a bound that proves nothing", exponent)
		}
	}
}

// TestGroupWithSomeRidges checks bounds for a group of two features, one with a ridge and one without. At
// random points, the objective minus its optimum must not exceed the bound.
func TestGroupWithSomeRidges(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		val, labels := make([]float64, 8), make([]float64, 4)
		for i := range val {
			val[i] = rng.NormFloat64()
			labels[i/2] += val[i] + rng.NormFloat64()
		}
		x, err := sparse.FromDense(4, 2, val)
		if err != nil {
			t.Fatal(err)
		}
		limit := 0.3 * rng.ExpFloat64()
		q := &exact.Problem{
			Data: x, Rows: x.Compact(false), Labels: labels, Loss: term.Squared{}, A: linalg.New(nil, 2),
			Limit:  []float64{limit, limit},
			Groups: [][]int{{0, 1}}, Ridge: []float64{rng.ExpFloat64(), 0}, Threads: 1,
		}
		m := testProblemOf(q)
		s, err := exact.New(q)
		if err != nil {
			t.Fatal(err)
		}
		best := s.Solve(1, &exact.Settings{Tol: 1e-9})
		if !(best.Gap <= 1e-9) {
			t.Errorf("seed %d: the optimum has the gap %g", seed, best.Gap)
		}
		for range 20 {
			point := pointAt(m, []float64{s.X()[0] + 0.5*rng.NormFloat64(), s.X()[1] + 0.5*rng.NormFloat64()})
			alpha := slices.Clone(point.Slope)
			for i := range alpha {
				alpha[i] *= 1 + 0.3*rng.NormFloat64()
			}
			b := m.prove(point, alpha, make([]float64, 2), make([]float64, 2), 1e-9)
			if excess := m.Value(point.X, point.Loss) - best.Objective; excess > b.Gap+1e-12 {
				t.Errorf("seed %d: %g above the optimum, bound %g", seed, excess, b.Gap)
			}
		}
	}
}

// TestSaturatedRoot bounds the gap for two free features. The second one occurs only in a row whose loss and
// α are
// 0. There no change of α is possible, and none is needed; the large entry of the row must not enlarge the
// change that the first feature needs.
func TestSaturatedRoot(t *testing.T) {
	x, err := sparse.FromDense(3, 2, []float64{1, 0, 1, 0, 1, 1e6})
	if err != nil {
		t.Fatal(err)
	}
	m := testProblemOf(&exact.Problem{
		Data: x, Rows: x.Compact(false), Labels: []float64{1, -1, 1}, Loss: term.SquaredHinge{}, A: linalg.New(nil, 2),
		Limit: make([]float64, 2), Ridge: make([]float64, 2),
	})
	point := pointAt(m, []float64{0, 1}) // the optimum
	alpha := slices.Clone(point.Slope)
	alpha[0] += 1e-7
	if b := m.prove(point, alpha, make([]float64, 2), make([]float64, 2), 1e-9); !(b.Gap >= 0 && b.Gap <= 1e-9) {
		t.Errorf("gap %g with alpha %v", b.Gap, alpha)
	}
}
