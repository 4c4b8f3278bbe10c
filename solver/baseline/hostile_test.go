package baseline_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

var (
	hostileRounds = flag.Int("hostile.rounds", 4000, "random problems of TestHostileProblems")
	hostileSeed   = flag.Uint64("hostile.seed", 0, "repeat this one problem of TestHostileProblems")
)

// A hostileRand draws random problems and settings. Their numbers may be as large or small as float64 allows.
type hostileRand struct{ *rand.Rand }

// size returns a number ≥ 0, sometimes an extremely large or small one.
func (h hostileRand) size() float64 {
	switch h.IntN(12) {
	case 0:
		return 0
	case 1:
		return []float64{math.SmallestNonzeroFloat64, 0x1p-1022, 1e-300, 1e-160, 1e-155}[h.IntN(5)]
	case 2:
		return []float64{math.MaxFloat64, 1e308, 1.5e308, 1e300, 1e155, 1e154, 1e150, 1e100}[h.IntN(8)]
	case 3:
		return math.Pow(10, 40*h.Float64()-20)
	}
	return math.Exp(2 * h.NormFloat64())
}

// usualSize returns size() with probability 1/rarity, and otherwise a number near or below 1.
func (h hostileRand) usualSize(rarity int) float64 {
	if h.IntN(rarity) == 0 {
		return h.size()
	}
	return h.Float64() + 0x1p-10
}

func (h hostileRand) signedSize(rarity int) float64 {
	if h.IntN(2) == 0 {
		return -h.usualSize(rarity)
	}
	return h.usualSize(rarity)
}

func (h hostileRand) matrix(rows, cols, rarity int) *sparse.CSR {
	v := make([]float64, rows*cols)
	for k := range v {
		if h.IntN(3) > 0 {
			v[k] = h.signedSize(rarity)
		}
	}
	a, err := sparse.FromDense(rows, cols, v)
	if err != nil {
		panic(err)
	}
	return a
}

func (h hostileRand) vector(n, rarity int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = h.signedSize(rarity)
	}
	return v
}

func (h hostileRand) nonnegativeVector(n, rarity int) []float64 {
	v := h.vector(n, rarity)
	for k := range v {
		v[k] = math.Abs(v[k])
	}
	return v
}

func (h hostileRand) penalty(q, rarity int) solver.Penalty {
	lambda := h.usualSize(rarity)
	switch h.IntN(10) {
	case 0:
		return solver.ElasticNet{L1: lambda, L2: h.usualSize(rarity)}
	case 1:
		return solver.SquaredL2{Lambda: lambda}
	case 2:
		g := solver.GroupL2{Lambda: lambda, Groups: [][]int{{0}}}
		for j := 1; j < q; j++ {
			g.Groups[0] = append(g.Groups[0], j)
		}
		return g
	case 3:
		return solver.Within{Lower: -h.usualSize(rarity), Upper: h.usualSize(rarity)}
	case 4:
		return solver.Within{Upper: math.Inf(1)}
	case 5:
		return nil
	case 6:
		return solver.L1{Lambda: lambda, Weights: h.nonnegativeVector(q, rarity)}
	}
	return solver.L1{Lambda: lambda}
}

func (h hostileRand) domain(p, rarity int) solver.Domain {
	switch h.IntN(9) {
	case 0:
		return solver.NewBox(p, -h.usualSize(rarity), h.usualSize(rarity))
	case 1:
		return solver.NewBox(p, math.Inf(-1), h.signedSize(rarity))
	case 2:
		return solver.Ball{Radius: h.usualSize(rarity)}
	case 3:
		return solver.Nonnegative{}
	case 4:
		return solver.Simplex{Total: h.usualSize(rarity)}
	}
	return nil
}

func (h hostileRand) constraint(p, rarity int) solver.Operator {
	switch h.IntN(6) {
	case 0:
		return graph.Chain(p).FusedLasso()
	case 1:
		return h.matrix(1+h.IntN(4), p, rarity)
	case 2:
		return solver.NewConstraint(h.matrix(1+h.IntN(4), p, rarity))
	case 3:
		if p > 1 {
			g, err := graph.New(p, []graph.Edge{{I: 0, J: 1, Weight: h.signedSize(rarity) + 0x1p-1074}})
			if err == nil {
				return g.FusedLasso()
			}
		}
	case 4:
		if h.IntN(20) == 0 {
			return (*sparse.CSR)(nil) // a nil pointer in an interface
		}
	}
	return nil
}

func (h hostileRand) coupling(l, rarity int) *solver.Coupling {
	switch h.IntN(12) {
	case 0:
		return &solver.Coupling{C: h.vector(l, rarity)}
	case 1:
		return &solver.Coupling{Diagonal: h.vector(l, rarity)}
	case 2:
		return &solver.Coupling{B: h.matrix(l, 1+h.IntN(3), rarity), C: h.vector(l, rarity)}
	case 3:
		if h.IntN(20) == 0 {
			return &solver.Coupling{B: (*sparse.CSR)(nil)}
		}
	}
	return nil
}

func (h hostileRand) problem() *solver.Problem {
	n, p, rarity := 1+h.IntN(8), 1+h.IntN(5), 1+h.IntN(60)
	losses := append(solvertest.Losses(0, -1, 1), solver.Huber{Delta: h.usualSize(rarity)}, nil)
	q := &solver.Problem{Data: h.matrix(n, p, rarity), Loss: losses[h.IntN(len(losses))], Labels: h.vector(n, rarity)}
	if q.Loss == nil || q.Loss.Validate([]float64{0.5}) != nil {
		for i, b := range q.Labels {
			q.Labels[i] = math.Copysign(1, b)
		}
	}
	if h.IntN(3) == 0 {
		q.L2 = h.usualSize(rarity)
	}
	if h.IntN(4) == 0 {
		q.SampleWeights = h.nonnegativeVector(n, rarity)
	}
	q.Constraint = h.constraint(p, rarity)
	l := p
	switch a := q.Constraint.(type) {
	case *sparse.CSR:
		if a != nil {
			l, _ = a.Dims()
		}
	case *solver.Constraint:
		l, _ = a.Dims()
	}
	q.Coupling, q.Domain = h.coupling(l, rarity), h.domain(p, rarity)
	y := l
	if q.Coupling != nil && q.Coupling.B != nil {
		if b := q.Coupling.B.(*sparse.CSR); b != nil {
			_, y = b.Dims()
		}
	}
	q.Penalty = h.penalty(y, rarity)
	if h.IntN(3) == 0 { // the paper's problem, which most methods require
		q.Penalty = solver.L1{Lambda: h.usualSize(rarity)}
		q.Coupling, q.Domain, q.SampleWeights = nil, nil, nil
	}
	return q
}

func (h hostileRand) settings(p int) *solver.Settings {
	rarity := 1 + h.IntN(30)
	s := &solver.Settings{Passes: 1 + float64(h.IntN(30)), Seed: h.Uint64(), Float32: h.IntN(4) == 0, Threads: h.IntN(3)}
	if h.IntN(3) > 0 {
		all := baseline.Methods()
		s.Method = all[h.IntN(len(all))]
	}
	if h.IntN(4) == 0 {
		s.Rho = h.size()
	}
	if h.IntN(6) == 0 {
		s.Eta = h.size()
	}
	if h.IntN(6) == 0 {
		s.RelTol = math.Min(h.size(), 0.9)
	}
	if h.IntN(8) == 0 {
		s.BatchSize, s.InnerSteps = h.IntN(20), 2+h.IntN(20)
	}
	if h.IntN(8) == 0 {
		s.Schedule, s.OuterIterations = solver.Theorem, 3
	}
	if h.IntN(8) == 0 {
		s.Start.X = h.vector(p, rarity)
	}
	return s
}

// runHostile solves the random problem that belongs to the seed. It returns a text that says what was wrong
// with the run, or "" if nothing was.
func runHostile(seed uint64) (failure string) {
	h := hostileRand{rand.New(rand.NewPCG(seed, 12))}
	p := h.problem()
	_, features := p.Data.Dims()
	s := h.settings(features)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	res, err := solver.Minimize(ctx, p, s)
	name := "auto"
	if s.Method != nil {
		name = s.Method.Info().Name
	}
	switch {
	case ctx.Err() != nil:
		return name + ": it does not end"
	case res == nil && err == nil:
		return name + ": neither a result nor an error"
	case res == nil:
		return ""
	case err == nil && !finite(res.At.Objective):
		return fmt.Sprintf("%s: %v with objective %v", name, res.Status, res.At)
	case err == nil && math.IsNaN(res.PrimalResidual+res.DualResidual):
		return fmt.Sprintf("%s: residuals %v, %v", name, res.PrimalResidual, res.DualResidual)
	case math.IsNaN(res.DualityGap) || res.DualityGap < 0:
		return fmt.Sprintf("%s: gap %v", name, res.DualityGap)
	}
	for _, x := range res.X {
		if !finite(x) {
			return fmt.Sprintf("%s: %v, %v: x = %v", name, res.Status, err, res.X)
		}
	}
	return ""
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// TestHostileProblems solves problems with extreme numbers. Minimize must not panic, and must end within
// 20 seconds with an error or a result.
func TestHostileProblems(t *testing.T) {
	if *hostileSeed != 0 {
		if failure := runHostile(*hostileSeed); failure != "" {
			t.Error(failure)
		}
		return
	}
	rounds := *hostileRounds
	if testing.Short() {
		rounds = min(rounds, 1500)
	}
	for seed := range uint64(rounds) {
		if failure := runHostile(seed + 1); failure != "" {
			t.Errorf("-hostile.seed %d: %s", seed+1, failure)
		}
	}
}

// TestZeroMatrices runs every method on three problems: A is 0, the data are 0, and both are 0. Then the formulas of
// some step sizes and penalty parameters divide by 0. All numbers of the result must be finite. The test encodes Stats
// as JSON, which fails if a number is infinite or NaN. If the data are 0, the objective must not rise.
func TestZeroMatrices(t *testing.T) {
	const n, features = 12, 3
	zeros, err := sparse.FromTriplets(2, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	noData, err := sparse.FromTriplets(n, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := sparse.FromDense(n, features, hostileRand{rand.New(rand.NewPCG(4, 12))}.vector(n*features, 1<<30))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x *sparse.CSR
		a solver.Operator
	}{{data, zeros}, {noData, zeros}, {noData, nil}} {
		for _, l2 := range []float64{0, 0.1} {
			p := &solver.Problem{
				Data: c.x, Loss: solver.Squared{}, Labels: make([]float64, n), L2: l2, Constraint: c.a,
				Penalty: solver.L1{Lambda: 0.1},
			}
			for i := range p.Labels {
				p.Labels[i] = math.Sin(float64(i)) + 5*solvertest.Dot(c.x, i, []float64{1, -1, 0})
			}
			startObjective := p.Evaluate(make([]float64, features)).Objective
			for _, m := range baseline.Methods() {
				info := m.Info()
				if info.NeedsL2 && l2 == 0 {
					continue
				}
				name := fmt.Sprintf("%s, %d entries, A = %T, mu = %v", info.Name, c.x.NNZ(), c.a, l2)
				res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: m, Passes: 40})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, v := range slices.Concat(res.X, res.Y, res.Dual, res.XAverage, res.YAverage) {
					if !finite(v) {
						t.Errorf("%s: x = %v, y = %v, beta = %v", name, res.X, res.Y, res.Dual)
						break
					}
				}
				if c.x == noData && res.At.Objective > startObjective+1e-12 {
					t.Errorf("%s: objective %v after %v", name, res.At.Objective, startObjective)
				}
				if _, err := json.Marshal(res.Stats); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestTooLarge checks the errors for a constraint matrix with an entry above linalg.MaxEntry, for a nil
// pointer in an interface, for a Constraint that NewConstraint has not made, and for an objective that
// overflows at the start.
func TestTooLarge(t *testing.T) {
	data := sparse.Identity(2)
	hugeMatrix, err := sparse.FromDense(1, 2, []float64{1e155, -1})
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]*solver.Problem{
		"1e+155":                 {Constraint: hugeMatrix},
		"Problem.Constraint is":  {Constraint: (*sparse.CSR)(nil)},
		"NewConstraint":          {Constraint: &solver.Constraint{Operator: data}},
		"Coupling.B is":          {Coupling: &solver.Coupling{B: (*sparse.CSR)(nil)}},
		"too large; scale them":  {Loss: solver.Squared{}, Labels: []float64{1.5e308, -1.5e308}},
		"too large; scale them ": {Loss: solver.Huber{}, Labels: []float64{1.5e308, -1.5e308}},
	} {
		p.Data, p.Penalty = data, solver.L1{Lambda: 0.1}
		if p.Labels == nil {
			p.Labels = []float64{1, -1}
		}
		if _, err := solver.Minimize(context.Background(), p, nil); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%v, want it to say %q", err, want)
		}
	}
}
