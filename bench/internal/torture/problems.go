package torture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// problem draws a problem of any loss, penalty, domain and coupling: few rows, scales far
// apart, columns that repeat or are zero, labels that are all alike, outliers.
func problem(rng *rand.Rand) *solver.Problem {
	n, p := 1+rng.IntN(14), 1+rng.IntN(10)
	if chance(rng, 300) {
		n, p = 1+rng.IntN(40), 450+rng.IntN(150) // many features to a row
	}
	q := &solver.Problem{Data: hostileMatrix(rng, n, p), Labels: make([]float64, n)}
	q.Loss = pick[solver.Loss](rng, solver.Logistic{}, solver.Squared{}, solver.Huber{}, solver.Huber{Delta: 0.01}, solver.SquaredHinge{})
	classes := q.Loss.Validate([]float64{0.5}) != nil
	constant, unit := chance(rng, 8), math.Pow(10, float64(rng.IntN(9)-4))
	for i := range q.Labels {
		q.Labels[i] = unit * rng.NormFloat64()
		if classes {
			q.Labels[i] = math.Copysign(1, q.Labels[i])
		}
		if constant {
			q.Labels[i] = q.Labels[0]
		}
	}
	if chance(rng, 3) {
		q.SampleWeights = make([]float64, n)
		for i := range q.SampleWeights {
			q.SampleWeights[i] = pick(rng, 0.0, 1, math.Pow(10, -6*rng.Float64()))
		}
		q.SampleWeights[rng.IntN(n)] = 1
	}
	rows := constrain(rng, q, p)
	if chance(rng, 8) {
		rows = couple(rng, q, rows)
	}
	lambda := pick(rng, 0.0, 1, 1, 1) * largestSlope(q) * math.Pow(10, 9*rng.Float64()-6)
	penalise(rng, q, lambda, rows)
	q.L2 = pick(rng, 0, 0, 0, lambda, 1e-8, 1e3)
	q.Domain = pick[solver.Domain](rng, nil, nil, nil, nil, solver.Nonnegative{}, solver.Ball{Radius: math.Pow(10, 4*rng.Float64()-2)},
		solver.Simplex{}, solver.Simplex{Total: 100}, solver.NewBox(p, -0.5, 2), solver.NewBox(p, 0, math.Inf(1)), solver.NewBox(p, 0, 0))
	return q
}

func hostileMatrix(rng *rand.Rand, n, p int) *sparse.CSR {
	dense, scale := make([]float64, n*p), make([]float64, p)
	for j := range scale {
		scale[j] = pick(rng, 0, 1, 1, 1, math.Pow(10, 8*rng.Float64()-4), math.Pow(10, 8*rng.Float64()-4))
	}
	for k := range dense {
		if rng.Float64() < 0.7 {
			dense[k] = scale[k%p] * rng.NormFloat64()
		}
		if chance(rng, 50) {
			dense[k] *= 1e5
		}
	}
	if p > 1 && chance(rng, 3) { // a column twice, or nearly
		apart := pick(rng, 0, 0, 1e-9)
		for i := range n {
			dense[i*p+1] = pick(rng, 1.0, 2) * dense[i*p] * (1 + apart*rng.NormFloat64())
		}
	}
	if n > 1 && chance(rng, 4) { // a row twice
		copy(dense[p:2*p], dense[:p])
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		panic(err)
	}
	return x
}

// constrain draws A and returns its number of rows.
func constrain(rng *rand.Rand, q *solver.Problem, p int) int {
	if p < 2 || p > 50 || chance(rng, 2) {
		return p
	}
	var entries []sparse.Triplet
	rows := 0
	add := func(col ...int) {
		for k, j := range col {
			entries = append(entries, sparse.Triplet{Row: rows, Col: j, Value: []float64{1, -1}[k%2]})
		}
		rows++
	}
	switch rng.IntN(4) {
	case 0, 1: // a chain, with I and without
		for j := range p - 1 {
			add(j, j+1)
		}
		if chance(rng, 2) {
			for j := range p {
				add(j)
			}
		}
	case 2: // some edges
		for range 1 + rng.IntN(2*p) {
			if i, j := rng.IntN(p), rng.IntN(p); i != j {
				add(i, j)
			} else {
				add(i)
			}
		}
	case 3: // anything
		rows = 1 + rng.IntN(p+2)
		for k := range rows * p {
			if chance(rng, 2) {
				entries = append(entries, sparse.Triplet{Row: k / p, Col: k % p, Value: math.Pow(10, 4*rng.Float64()-2) * rng.NormFloat64()})
			}
		}
	}
	a, err := sparse.FromTriplets(rows, p, entries)
	if err != nil {
		panic(err)
	}
	q.Constraint = a
	return rows
}

// couple draws B and c, and returns the number of coordinates of y.
func couple(rng *rand.Rand, q *solver.Problem, rows int) int {
	c := &solver.Coupling{}
	q.Coupling = c
	switch rng.IntN(3) {
	case 0:
		c.Diagonal = make([]float64, rows)
		for k := range c.Diagonal {
			c.Diagonal[k] = pick(rng, -1, 1, 2, -0.5)
		}
	case 1:
		c.B = hostileMatrix(rng, rows, 1+rng.IntN(4))
	}
	if chance(rng, 2) {
		c.C = make([]float64, rows)
		for k := range c.C {
			c.C[k] = rng.NormFloat64()
		}
	}
	if c.B != nil {
		_, rows = c.B.Dims()
	}
	return rows
}

// largestSlope is the largest entry of the gradient at 0, lambda_max of the lasso.
func largestSlope(q *solver.Problem) float64 {
	n, p := q.Data.Dims()
	slope, gradient := make([]float64, n), make([]float64, p)
	q.Loss.Slopes(slope, make([]float64, n), q.Labels)
	q.Data.MulVecTrans(gradient, slope)
	largest := 0.0
	for _, g := range gradient {
		largest = max(largest, math.Abs(g)/float64(n))
	}
	return largest
}

func penalise(rng *rand.Rand, q *solver.Problem, lambda float64, rows int) {
	switch rng.IntN(8) {
	case 0, 1, 2:
		q.Penalty = solver.L1{Lambda: lambda}
	case 3:
		weights := make([]float64, rows)
		for k := range weights {
			weights[k] = pick(rng, 0, 1, 1, math.Pow(10, 6*rng.Float64()-3))
		}
		q.Penalty = solver.L1{Lambda: lambda, Weights: weights}
	case 4:
		q.Penalty = solver.ElasticNet{L1: lambda * rng.Float64(), L2: lambda}
	case 5:
		g := solver.GroupL2{Lambda: lambda}
		for k := 0; k < rows; k += 3 {
			g.Groups = append(g.Groups, []int{k, min(k+1, rows-1)}[:min(2, rows-k)])
		}
		q.Penalty = g
	case 6:
		q.Penalty = solver.SquaredL2{Lambda: lambda}
	case 7:
		q.Penalty = pick[solver.Penalty](rng, nil, solver.NonnegativeY(), solver.Within{Lower: -1, Upper: 0.25})
	}
}

// problemLimit is how long one training of a handful of rows may take.
const problemLimit = 30 * time.Second

// patience returns a context that ends when this process has had the processors for
// problemLimit, which takes longer where others have them, or after ten times as long.
func patience(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	start, used := time.Now(), processorTime(time.Now())
	var timer atomic.Pointer[time.Timer]
	timer.Store(time.AfterFunc(problemLimit, func() {
		left := problemLimit - (processorTime(start)-used)/time.Duration(runtime.GOMAXPROCS(0))
		if left <= 0 || time.Since(start) > 10*problemLimit {
			cancel()
			return
		}
		timer.Load().Reset(max(left, time.Second))
	}))
	return ctx, func() {
		timer.Load().Stop()
		cancel()
	}
}

// tryProblem solves a problem in several ways and holds the default one to what it may
// say: converged with a certificate, not converged with a reason and its best iterate, or
// refused; never worse than the start, never not finite, never below the best of all.
func tryProblem(ctx context.Context, seed uint64) (string, error) {
	rng := random(seed)
	p := problem(rng)
	kind := fmt.Sprintf("%T, %T, %T, A %v, coupling %v", p.Loss, p.Penalty, p.Domain, p.Constraint != nil, p.Coupling != nil)
	sets := []solver.Settings{
		{}, {RelTol: pick(rng, 1e-2, 1e-9, 1e-12)}, {Method: solver.SCASK{}, Passes: 60, RelTol: pick(rng, 0, 1e-3)},
		{Method: pick[solver.Method](rng, solver.SCAS{}, solver.SCASL{}, solver.SCASStrong{}), Passes: 20},
	}
	var results []*solver.Result
	best, handled := math.Inf(1), ""
	for k := range sets {
		within, cancel := patience(ctx)
		res, err := solver.Minimize(within, p, &sets[k])
		late := within.Err() != nil && ctx.Err() == nil
		cancel()
		if late {
			return "", fmt.Errorf("run %d (%s): not ended after %v", k, kind, problemLimit)
		}
		how, wrong := judge(p, &sets[k], res, err)
		if wrong != nil {
			return "", fmt.Errorf("run %d (%s): %w", k, kind, wrong)
		}
		if k == 0 {
			handled = how
		}
		if res != nil && p.Coupling == nil {
			best = min(best, p.Evaluate(res.X).Objective)
		}
		results = append(results, res)
	}
	for k, res := range results {
		if res == nil || math.IsInf(best, 0) || math.IsNaN(best) {
			continue
		}
		if above := res.At.Objective - best; above > res.DualityGap*(1+1e-6)+1e-13*math.Abs(best) {
			return "", fmt.Errorf("run %d (%s): proved to be within %.4g, and %.4g above another", k, kind, res.DualityGap, above)
		}
	}
	return handled, nil
}

// judge says how a run was handled, and what is wrong with that.
func judge(p *solver.Problem, s *solver.Settings, res *solver.Result, err error) (handled string, wrong error) {
	if res == nil {
		if err == nil {
			return "", errors.New("neither a result nor an error")
		}
		return "refused", nil
	}
	var diverged *solver.DivergenceError
	switch byDefault := s.Method == nil; {
	case slices.ContainsFunc(res.X, func(v float64) bool { return !finite(v) }):
		return "", fmt.Errorf("%s, error %v: x is %v", res.Status, err, res.X)
	case err == nil && !finite(res.At.Loss), err == nil && !finite(res.At.Objective) && p.Coupling == nil && !bounded(p.Penalty):
		return "", fmt.Errorf("%s without an error: %+v", res.Status, res.At)
	case outside(p.Domain, res.X) > 1e-9:
		return "", fmt.Errorf("%s, error %v: x is outside of the domain by %g of its size", res.Status, err, outside(p.Domain, res.X))
	case math.IsNaN(res.DualityGap) || res.DualityGap < 0:
		return "", fmt.Errorf("gap %v", res.DualityGap)
	case res.Status == solver.Converged && err != nil, res.Status == solver.Diverged && !errors.As(err, &diverged):
		return "", fmt.Errorf("%s with error %v", res.Status, err)
	case res.Status == solver.Converged && !finite(res.DualityGap):
		return "", errors.New("converged without a certificate")
	case byDefault && err == nil && res.Status != solver.Converged && p.Coupling == nil && finite(res.DualityGap):
		return "", fmt.Errorf("%s with gap %g and without a reason", res.Status, res.DualityGap)
	case byDefault || res.Status == solver.Converged:
		if start, better := startedBetter(p, res); better {
			return "", fmt.Errorf("%s: objective %.17g, %.17g at the start", res.Status, res.At.Objective, start)
		}
	}
	if res.Status == solver.Converged {
		return "converged", nil
	}
	if err == nil {
		return "not proved", nil
	}
	return "not converged", nil
}

// outside is how far x is from the nearest point of the domain, as a part of its size.
func outside(d solver.Domain, x []float64) float64 {
	if d == nil {
		return 0
	}
	nearest := slices.Clone(x)
	d.Project(nearest)
	apart, size := 0.0, 0.0
	for j, v := range x {
		apart, size = max(apart, math.Abs(v-nearest[j])), max(size, math.Abs(v))
	}
	if apart == 0 {
		return 0
	}
	return apart / size
}

// bounded reports whether a penalty may be infinite.
func bounded(g solver.Penalty) bool {
	_, yes := g.(solver.Within)
	return yes
}

// startedBetter returns the objective at the start, and whether the result is worse.
func startedBetter(p *solver.Problem, res *solver.Result) (start float64, better bool) {
	_, cols := p.Data.Dims()
	x := make([]float64, cols)
	if p.Domain != nil {
		p.Domain.Project(x)
	}
	if p.Coupling != nil {
		return 0, false // the start need not satisfy A x + B y = c
	}
	start = p.Evaluate(x).Objective
	return start, finite(start) && res.At.Objective > start+1e-12*math.Abs(start)
}
