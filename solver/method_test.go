package solver

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// baselines are the methods SCAS-ADMM is compared with.
func baselines() []MethodInfo {
	return slices.DeleteFunc(Methods(), func(m MethodInfo) bool { return usesPlan(m.Name) })
}

// chain is a small problem, whose graph is a path through each group.
func chain(t testing.TB, mu float64) *Problem {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 200, Features: 15, Noise: 1, Seed: 7}, 1e-2)
	p.L2 = mu
	return p
}

// barrierNewton returns the optimum of p by an interior-point method that shares
// nothing with the methods: Newton's method on f(x) + Σ h(A x), with
// h(v) = min over t of limit·t − τ log(t² − v²), for τ → 0. Its objective is
// within 2 τ l of the optimum. The multiplier is that of τ = 1e-10 or so: for
// smaller τ rounding in x decides it.
func barrierNewton(t testing.TB, p *Problem) (x, beta []float64, optimum float64) {
	t.Helper()
	n, dim := p.Data.Dims()
	a := p.Constraint.(*sparse.CSR)
	l, _ := a.Dims()
	x, beta = make([]float64, dim), make([]float64, l)
	now := make([]float64, l)
	lambda := p.Penalty.(L1).limit
	value := func(x []float64, tau float64) float64 {
		var sum float64
		for i := range n {
			sum += p.loss().Value(dot(p.Data, i, x), p.Labels[i]) / float64(n)
		}
		for r := range l {
			v := dot(a, r, x)
			tt := (tau + math.Sqrt(tau*tau+lambda(r)*lambda(r)*v*v)) / lambda(r)
			sum += lambda(r)*tt - tau*math.Log(2*tau*tt/lambda(r))
		}
		return sum + p.L2/2*sumSquares(x)
	}
	add := func(h, g []float64, idx []int32, val []float64, slope, curvature float64) {
		for k, j := range idx {
			g[j] += slope * val[k]
			for m, c := range idx {
				h[int(j)*dim+int(c)] += curvature * val[k] * val[m]
			}
		}
	}
	for tau := 1e-3; 2*tau*float64(l) > 1e-14; tau *= 0.2 {
		for range 100 {
			h, g := make([]float64, dim*dim), make([]float64, dim)
			for i := range n {
				idx, val := p.Data.Row(i)
				margin := dot(p.Data, i, x)
				var slope [1]float64
				p.loss().Slopes(slope[:], []float64{margin}, p.Labels[i:i+1])
				add(h, g, idx, val, slope[0]/float64(n), p.loss().SecondDerivative(margin, slope[0], p.Labels[i])/float64(n))
			}
			for r := range l {
				idx, val := a.Row(r)
				v := dot(a, r, x)
				q := math.Sqrt(tau*tau + lambda(r)*lambda(r)*v*v)
				tt := (tau + q) / lambda(r)
				now[r] = lambda(r) * v / tt
				add(h, g, idx, val, now[r], lambda(r)/tt*(1-lambda(r)*v*v/(q*tt)))
			}
			for j := range g {
				g[j] += p.L2 * x[j]
				h[j*dim+j] += p.L2
			}
			step := solveDense(h, g)
			decrement := dotProduct(g, step)
			at, size := value(x, tau), 1.0
			for ; size > 1e-10; size /= 2 {
				y := slices.Clone(x)
				for j := range y {
					y[j] -= size * step[j]
				}
				if value(y, tau) <= at-1e-4*size*decrement+1e-15 {
					x = y
					break
				}
			}
			if decrement < 1e-9*tau || size <= 1e-10 {
				break
			}
		}
		if tau > 1e-10 {
			copy(beta, now)
		}
	}
	return x, beta, p.Evaluate(x).Objective
}

// solveDense solves h x = g by elimination with pivoting.
func solveDense(h, g []float64) []float64 {
	n := len(g)
	x := slices.Clone(g)
	for k := range n {
		pivot := k
		for i := k; i < n; i++ {
			if math.Abs(h[i*n+k]) > math.Abs(h[pivot*n+k]) {
				pivot = i
			}
		}
		for j := range n {
			h[k*n+j], h[pivot*n+j] = h[pivot*n+j], h[k*n+j]
		}
		x[k], x[pivot] = x[pivot], x[k]
		for i := k + 1; i < n; i++ {
			f := h[i*n+k] / h[k*n+k]
			for j := k; j < n; j++ {
				h[i*n+j] -= f * h[k*n+j]
			}
			x[i] -= f * x[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			x[k] -= h[k*n+j] * x[j]
		}
		x[k] /= h[k*n+k]
	}
	return x
}

// TestMethodsConverge holds every method with automatic settings against the
// barrier method, to what its rate allows in 300 passes: about T^(-1/2) of the
// starting gap of 0.38 where gradients stay noisy, rounding where they do not.
// Gaps are of the last iterate, or of the average where noise keeps the last one
// from converging.
func TestMethodsConverge(t *testing.T) {
	type want struct{ general, strong float64 }
	exact := want{1e-12, 1e-13}
	wants := map[Method]want{
		STOC: {1e-3, 4e-4}, OPG: {1e-3, 4e-4}, OADM: {2e-3, 4e-4}, RDA: {5e-3, 2e-3}, OS1: {0, 5e-4}, OS2: {2e-3, 1e-3},
		SVRG: exact, PDFP: exact, SA: exact, SAIU: exact, SAG: exact, SAGIU: exact, SDCA: exact,
		ASVRG: {5e-6, 1e-13}, AccSADMM: {2e-4, 2e-7},
		Batch: {2e-4, 4e-6}, BatchLinear: {1e-12, 1e-13}, BatchUzawa: {1e-10, 1e-13},
	}
	noisy := []Method{STOC, OPG, OADM, RDA, OS1, OS2}
	for _, mu := range []float64{0, 0.05} {
		p := chain(t, mu)
		_, _, optimum := barrierNewton(t, p)
		for _, m := range baselines() {
			w, ok := wants[m.Name]
			if !ok {
				t.Errorf("%s: no accuracy is stated", m.Name)
				continue
			}
			goal := w.general
			if mu > 0 {
				goal = w.strong
			} else if m.NeedsL2 {
				continue
			}
			res := mustMinimize(t, p, &Settings{Method: m.Name, Passes: 300, Seed: 3})
			got := res.At.Objective
			if slices.Contains(noisy, m.Name) {
				got = res.AtAverage.Objective
			}
			t.Logf("mu = %v, %s: gap %.1e, wanted %.1e", mu, m.Name, got-optimum, goal)
			if gap := got - optimum; !(gap < goal) || gap < -1e-12 {
				t.Errorf("mu = %v, %s: gap %.2e, want at most %.0e", mu, m.Name, gap, goal)
			}
			if res.Stats.Passes > 300*(1+1e-12) {
				t.Errorf("%s used %v of 300 passes", m.Name, res.Stats.Passes)
			}
			if mu > 0 && res.DualityGap < p.Evaluate(res.X).Objective-optimum-1e-12 {
				t.Errorf("mu = %v, %s: duality gap %.2e below the true gap", mu, m.Name, res.DualityGap)
			}
		}
	}
}

// TestMethodsOnOtherProblems tries every method on A = I, the squared loss, row
// weights and another starting point: none may diverge or end above the start.
func TestMethodsOnOtherProblems(t *testing.T) {
	regress, _ := planted(t, sparse.SyntheticOptions{Rows: 150, Features: 15, Noise: 1, Seed: 9, Regression: true}, 1e-2)
	identity := chain(t, 0.1)
	identity.Constraint = nil
	weighted := chain(t, 0.1)
	l, _ := weighted.Constraint.Dims()
	weights := make([]float64, l)
	for j := range weights {
		weights[j] = float64(j % 3)
	}
	weighted.Penalty = L1{Lambda: 1e-2, Weights: weights}
	operator := chain(t, 0.1)
	operator.Constraint = justAnOperator{operator.Constraint}
	start := slices.Repeat([]float64{0.3}, 15)
	for name, p := range map[string]*Problem{"regression": regress, "identity": identity, "weights": weighted, "operator": operator} {
		best := mustMinimize(t, p, &Settings{Passes: 300}).At.Objective
		for _, m := range baselines() {
			if m.NeedsL2 && p.L2 == 0 {
				continue
			}
			res := mustMinimize(t, p, &Settings{Method: m.Name, Passes: 120, Start: start})
			first := p.Evaluate(start).Objective
			if gap := min(res.At.Objective, res.AtAverage.Objective) - best; !(gap < 0.05*(first-best)) || gap < -1e-9 {
				t.Errorf("%s, %s: gap %.2e after %.2e at the start", name, m.Name, gap, first-best)
			}
		}
	}
}

// justAnOperator hides that an operator is a matrix.
type justAnOperator struct{ Operator }

// TestDualBounds: in the order x, y, beta the multiplier is that of a subgradient
// after every step, |beta| ≤ limit with equality, and the sign of y, where y is
// not zero.
func TestDualBounds(t *testing.T) {
	p := chain(t, 0.05)
	for _, m := range []Method{STOC, OPG, RDA, OADM, OS1, OS2, SA, SAIU, SAG, SAGIU, Batch, BatchLinear, BatchUzawa} {
		s := &Settings{Method: m, Passes: 60}
		res := mustMinimize(t, p, s)
		active := 0
		for j, b := range res.Dual {
			if math.Abs(b) > 1e-2 {
				t.Errorf("%s: beta[%d] = %v exceeds lambda", m, j, b)
			}
			if y := res.Y[j]; y != 0 && b != math.Copysign(1e-2, y) {
				t.Errorf("%s: y[%d] = %v, but beta is %v", m, j, y, b)
			} else if y != 0 {
				active++
			}
		}
		if active == 0 {
			t.Errorf("%s: y is zero", m)
		}
	}
}

// TestMethodsAreDeterministic: same seed, same bits, and another seed others.
func TestMethodsAreDeterministic(t *testing.T) {
	p := chain(t, 0.05)
	for _, m := range baselines() {
		run := func(seed uint64, threads int) []float64 {
			return mustMinimize(t, p, &Settings{Method: m.Name, Passes: 40, Seed: seed, Threads: threads}).X
		}
		first := run(1, 1)
		if !slices.Equal(first, run(1, 3)) {
			t.Errorf("%s: the same seed gives other bits", m.Name)
		}
		batch := m.Name == Batch || m.Name == BatchLinear || m.Name == BatchUzawa
		if slices.Equal(first, run(2, 1)) != batch {
			t.Errorf("%s: another seed gives the same iterates: %v", m.Name, !batch)
		}
	}
}

// TestMethodsStop: a cancelled context ends a run within an outer iteration.
func TestMethodsStop(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 3000, Features: 15, Noise: 1, Seed: 7}, 1e-2)
	p.L2 = 0.05
	for _, m := range baselines() {
		ctx, cancel := context.WithCancel(t.Context())
		s := &Settings{Method: m.Name, Passes: 1000, Recorder: RecorderFunc(func(*Point) error { cancel(); return nil })}
		res, err := Minimize(ctx, p, s)
		if !errors.Is(err, context.Canceled) || res.Status != Stopped || res.Stats.OuterIterations > 0 {
			t.Errorf("%s: %v, status %v after %d outer iterations", m.Name, err, res.Status, res.Stats.OuterIterations)
		}
	}
}

// TestMethodsDiverge: a step size far too large is an error that names a smaller
// one, and the result is finite.
func TestMethodsDiverge(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 200, Features: 15, Noise: 1, Seed: 7, Regression: true}, 1e-2)
	for _, m := range baselines() {
		if m.NeedsL2 || m.Name == OADM || m.Name == Batch || m.Name == SDCA { // implicit steps
			continue
		}
		s := &Settings{Method: m.Name, Passes: 200, Eta: 1e5}
		res, err := Minimize(t.Context(), p, s)
		var diverged *DivergenceError
		if !errors.As(err, &diverged) {
			t.Errorf("%s with eta = 1e5: error %v", m.Name, err)
			continue
		}
		if !(diverged.Try < 1e5) || res.Status != Diverged || math.IsNaN(sumSquares(res.X)) || math.IsInf(sumSquares(res.X), 0) {
			t.Errorf("%s: try %v, status %v, |x|^2 = %v", m.Name, diverged.Try, res.Status, sumSquares(res.X))
		}
	}
}

// TestLastIterateIsJudged: a run either ends below ten times the objective at the
// start or is an error that says what to change, with a result that is not lost.
// The loss is logistic, whose gradients are bounded, so that iterates get far
// without ever overflowing.
func TestLastIterateIsJudged(t *testing.T) {
	noticed := 0
	for _, lambda := range []float64{0, 1e-6, 1e-2} {
		p := chain(t, 0.05)
		p.Penalty = L1{Lambda: lambda}
		if lambda == 0 {
			p.L2 = 0
		}
		for _, m := range baselines() {
			if m.NeedsL2 && p.L2 == 0 {
				continue
			}
			s := &Settings{Method: m.Name, Passes: 20}
			if m.TakesEta() {
				s.Eta = 1e9
			} else {
				s.Rho = 1e-9
			}
			res, err := Minimize(t.Context(), p, s)
			start := p.Evaluate(make([]float64, 15)).Objective
			if !(res.At.Objective <= 10*start) {
				t.Errorf("lambda = %v, %s ends at %v after %v: %v", lambda, m.Name, res.At.Objective, start, err)
			}
			var diverged *DivergenceError
			if !errors.As(err, &diverged) {
				if err != nil {
					t.Errorf("lambda = %v, %s: %v", lambda, m.Name, err)
				}
				continue
			}
			noticed++
			remedy := "try eta"
			if !m.TakesEta() {
				remedy = "try another rho"
			}
			if !strings.Contains(err.Error(), remedy) || res.Status != Diverged || diverged.Start != start {
				t.Errorf("lambda = %v, %s: %v, status %v", lambda, m.Name, err, res.Status)
			}
			if m.TakesEta() {
				again := mustMinimize(t, p, &Settings{Method: m.Name, Passes: 20, Eta: diverged.Try})
				if !(again.At.Objective < start) {
					t.Errorf("lambda = %v, %s: with the proposed eta = %v the objective is %v", lambda, m.Name, diverged.Try, again.At.Objective)
				}
			}
		}
	}
	if noticed < 20 {
		t.Errorf("only %d runs diverged", noticed)
	}
}

// TestMethodsRefuse: what a method cannot take is an error that says so.
func TestMethodsRefuse(t *testing.T) {
	for _, c := range []struct {
		method Method
		says   string
		mod    func(*Problem, *Settings)
	}{
		{STOC, "a penalty L1", func(p *Problem, _ *Settings) { p.Penalty = ElasticNet{1, 1} }},
		{SVRG, "without a Domain", func(p *Problem, _ *Settings) { p.Domain = Ball{1} }},
		{SA, "without a Coupling", func(p *Problem, _ *Settings) { p.Coupling = &Coupling{C: make([]float64, 15)}; p.Constraint = nil }},
		{Batch, "equal sample weights", func(p *Problem, _ *Settings) { p.SampleWeights = BalancedWeights(p.Labels) }},
		{OS1, "set Problem.L2 > 0", func(*Problem, *Settings) {}},
		{STOC, "method stoc has none", func(_ *Problem, s *Settings) { s.InnerSteps = 50 }},
		{STOC, "one sample at a time", func(_ *Problem, s *Settings) { s.BatchSize = 5 }},
		{Batch, "takes all samples", func(_ *Problem, s *Settings) { s.BatchSize = 5 }},
		{BatchLinear, "takes all samples", func(_ *Problem, s *Settings) { s.BatchSize = 5 }},
		{Batch, "method batch has no step size", func(_ *Problem, s *Settings) { s.Eta = 0.1 }},
		{SDCA, "method sdca has no step size", func(_ *Problem, s *Settings) { s.Eta = 0.1 }},
		{SVRG, "use scas-k for more", func(_ *Problem, s *Settings) { s.DualUpdates = 2 }},
		{RDA, "theorems are about scas", func(_ *Problem, s *Settings) { s.Schedule = Theorem }},
		{PDFP, "at most 1/(eta lambda_1)", func(_ *Problem, s *Settings) { s.Eta, s.Rho = 0.1, 100 }},
		{STOC, "one outer iteration costs 1 pass here", func(_ *Problem, s *Settings) { s.Passes = 0.5 }},
		{SVRG, "one outer iteration costs 0.25 passes", func(_ *Problem, s *Settings) { s.Passes = 0.1 }},
		{SA, "9.3 GiB here (at most 8); use sag or sag-iu", func(p *Problem, _ *Settings) { *p = *huge(t) }},
		{SAIU, "use sag or sag-iu", func(p *Problem, _ *Settings) { *p = *huge(t) }},
	} {
		p := chain(t, 0)
		s := &Settings{Method: c.method}
		c.mod(p, s)
		var bad *SettingError
		if _, err := Minimize(t.Context(), p, s); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.method, err, c.says)
		}
	}
}

// huge has so many samples and features, nearly all empty, that an iterate per
// sample does not fit.
func huge(t *testing.T) *Problem {
	const rows, cols = 25000, 50000
	labels := make([]float64, rows)
	for i := range labels {
		labels[i] = float64(2*(i%2) - 1)
	}
	ptr := make([]int64, rows+1)
	for i := range ptr[1:] {
		ptr[i+1] = 1
	}
	x, err := sparse.New(rows, cols, ptr, []int32{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{Data: x, Labels: labels}
}
