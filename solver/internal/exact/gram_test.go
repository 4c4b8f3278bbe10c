package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// rawProblem returns a problem with the squared loss, whose columns have large means and different scales.
func rawProblem(t *testing.T, n, p int) *Problem {
	t.Helper()
	prob := kind{loss: term.Squared{}, weighted: true}.random(n, p, 21)
	data := make([]float64, n*p)
	for i := range n {
		prob.Labels[i] = math.Copysign(1, prob.Labels[i])
		idx, val := prob.Data.Row(i)
		for k, j := range idx {
			data[i*p+int(j)] = val[k]
		}
		for j := range p {
			data[i*p+j] = (data[i*p+j] + float64(20*j)) * math.Pow(10, float64(j%5-2))
		}
	}
	prob.setData(fromDense(t, n, p, data))
	return prob
}

// TestGram checks in exact arithmetic that the duality gap P − D is at most the bound that a Gram matrix
// proves, and that no multiplier exceeds its limit by more than rounding. P and D are the primal and the dual
// objective.
func TestGram(t *testing.T) {
	s := mustNew(t, rawProblem(t, 50, 9))
	rng := rand.New(rand.NewPCG(9, 9))
	for _, lambda := range []float64{1, 1e-2, 1e-5} {
		s.Solve(lambda, &Settings{Tol: 1e-12 * s.scale})
		best := append([]float64(nil), s.x...)
		for _, distance := range []float64{1e-12, 1e-6, 1e-2, 10} {
			for j := range best {
				s.x[j] = best[j] + float64(distance*rng.NormFloat64())
			}
			checkGram(t, s)
		}
		copy(s.x, best)
	}
}

// TestGramOnPath checks that a path of data with many zeros has the same optima with a Gram matrix as with the rows.
func TestGramOnPath(t *testing.T) {
	const n, p = 500, 100
	rng, data := rand.New(rand.NewPCG(9, 10)), make([]float64, n*p)
	for k := range data {
		if rng.IntN(3) == 0 {
			data[k] = rng.ExpFloat64()
		}
	}
	q := kind{loss: term.Squared{}, weighted: true, free: 1}.random(n, p, 22)
	q.setData(fromDense(t, n, p, data))
	byRows := *q
	q.ManyLambdas = true
	s, other := mustNew(t, q), mustNew(t, &byRows)
	if s.gram == nil || other.gram != nil {
		t.Fatalf("a Gram matrix: %v for a path, %v for one lambda", s.gram != nil, other.gram != nil)
	}
	lambdaMax, _ := s.LambdaMax(nil)
	for lambda := 0.5 * lambdaMax; lambda > 1e-4*lambdaMax; lambda *= 0.4 {
		set := &Settings{Tol: 1e-10 * s.scale}
		r, want := s.Solve(lambda, set), other.Solve(lambda, set)
		if !(r.Gap <= set.Tol) || !(want.Gap <= set.Tol) || !(math.Abs(r.Objective-want.Objective) <= set.Tol) {
			t.Errorf("lambda %.2g: objective %v, gap %.2g; by rows %v, gap %.2g", lambda, r.Objective, r.Gap, want.Objective, want.Gap)
		}
	}
}

// TestGramFree checks that the proved gap is valid if the dual point must first be changed to satisfy the
// equation of a free column in the dual problem. The free column is twice another column, so that the change
// also affects the equation of the other column.
func TestGramFree(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(9, 9))
	data, labels := make([]float64, 2*n), make([]float64, n)
	for i := range n {
		v := rng.NormFloat64()
		data[2*i], data[2*i+1], labels[i] = v, 2*v, 3*v+rng.NormFloat64()
	}
	x := fromDense(t, n, 2, data)
	for _, lambda := range []float64{1e-6, 1e-3, 0.1} {
		q := penalisedProblem(x, labels, term.Squared{}, nil, lambda, 0)
		q.Limit[1] = 1e9
		point := mustNew(t, q).Finish(nil, &Settings{Tol: 1e-14}).X
		q.Limit[1] = 0
		s := mustNew(t, q)
		s.Solve(1, &Settings{Tol: 1e-14})
		best := append([]float64(nil), s.x...)
		copy(s.x, point)
		b := s.gram.prove(s.x, make([]float64, 2), s.e, math.Inf(1))
		if excess := trueExcess(s, point, best); !(excess > 0) || !(excess <= b.Gap) {
			t.Errorf("lambda %g: %.3e above the optimum, bound %.3e", lambda, excess, b.Gap)
		}
	}
}

// checkGram checks the bound and the multipliers at the point of s, in exact arithmetic; see TestGram.
func checkGram(t *testing.T, s *Solver) {
	t.Helper()
	b := s.gram.prove(s.x, make([]float64, s.p), s.e, math.Inf(1))
	alpha, sum := make([]float64, s.gram.n), num(0)
	for i := range alpha {
		a := num(s.gram.alpha[i])
		idx, val := s.Data.Row(i)
		for k, j := range idx {
			addTo(a, 2, val[k], s.x[j])
			addTo(a, -2, val[k], s.gram.base.X[j])
		}
		alpha[i], _ = a.Mul(a, num(b.Shrink)).Float64()
		exactLoss(sum, s, i, alpha[i])
	}
	for j, limit := range s.limit {
		e, size := exactResidual(s, alpha, b.Z, j)
		if excess, _ := new(big.Float).Sub(e.Abs(e), num(limit)).Float64(); excess > 4*0x1p-53*size {
			t.Errorf("lambda %g: feature %d exceeds its limit by %g", s.lambda, j, excess)
		}
		addTo(sum, limit, math.Abs(s.x[j]))
	}
	if exactGap, _ := sum.Float64(); !(exactGap <= b.Gap) {
		t.Errorf("lambda %g: P − D = %.17g, bound %.17g", s.lambda, exactGap, b.Gap)
	}
}

// TestGramVisits checks that at most 20 proofs visit the rows on a path of 40 lambdas.
func TestGramVisits(t *testing.T) {
	s := mustNew(t, rawProblem(t, 2000, 9))
	lambdaMax, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 40 {
		if r := s.Solve(lambdaMax*math.Pow(0.8, float64(k)), &Settings{Tol: 1e-10 * s.scale}); !(r.Gap <= 1e-10*s.scale) {
			t.Errorf("lambda %d: gap %g", k, r.Gap/s.scale)
		}
	}
	if proofs := s.gram.visited / 18; proofs > 20 { // a proof that visits the rows adds 2p = 18 to visited
		t.Errorf("%v proofs visited the rows for 40 lambdas", proofs)
	}
}

// TestGramEstimates checks that the loss along a path is right although proofs estimate entries of the
// gradient.
func TestGramEstimates(t *testing.T) {
	const n, p = 80, 900
	rng := rand.New(rand.NewPCG(2, 2))
	data, prob := make([]float64, n*p),
		&Problem{Loss: term.Squared{}, Limit: slices.Repeat([]float64{1}, p), Ridge: make([]float64, p)}
	for i := range n {
		v := 0.0
		for j := range p { // neighbours are strongly correlated
			v = float64(0.95*v) + 0.3*rng.NormFloat64()
			data[i*p+j] = v
		}
		prob.Labels = append(prob.Labels, data[i*p+20]-data[i*p+90]+0.3*rng.NormFloat64())
	}
	prob.setData(fromDense(t, n, p, data))
	s := mustNew(t, prob)
	lambdaMax, err := s.LambdaMax(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, estimateCount, slopes := inMemory(s), 0, make([]float64, n)
	for k := range 30 {
		r := s.Solve(lambdaMax*math.Pow(0.8, float64(k)), &Settings{Tol: 1e-4 * s.Scale()})
		if m.hasEstimates {
			estimateCount++
		}
		margins := make([]float64, n)
		m.margins(margins, s.x)
		if want := m.Mean(m.Loss, slopes, margins, m.Labels); math.Abs(r.Loss-want) > 1e-12*want {
			t.Errorf("lambda %d: the loss is %v, want %v", k, r.Loss, want)
		}
	}
	if estimateCount < 5 {
		t.Errorf("only %d proofs have estimates", estimateCount)
	}
}
