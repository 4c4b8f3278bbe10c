package solver_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
)

// TestEveryProblemConverges solves problems by the default method and by SCAS-K. The gap that a method
// proves must be at least its objective minus the objective of the other method.
func TestEveryProblemConverges(t *testing.T) {
	for _, c := range solvertest.EveryProblem(t, 1) {
		res, err := solver.Minimize(context.Background(), c.Problem, &solver.Settings{RelTol: 1e-9})
		if err != nil || res.Status != solver.Converged {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		scaskResult, err := solver.Minimize(context.Background(), c.Problem, &solver.Settings{Method: solver.SCASK{}, Passes: 60})
		if err != nil {
			t.Errorf("%s: scas-k: %v", c.Name, err)
			continue
		}
		scaskObjective := c.Evaluate(scaskResult.X).Objective
		if excess := res.At.Objective - scaskObjective; excess > res.DualityGap+1e-14 {
			t.Errorf("%s: proved to be within %.3g, and scas-k is %.3g better", c.Name, res.DualityGap, excess)
		}
		if excess := scaskObjective - res.At.Objective; !(scaskResult.DualityGap >= excess-1e-14) {
			t.Errorf("%s: scas-k: proved to be within %.3g, and auto is %.3g better", c.Name, scaskResult.DualityGap, excess)
		}
		if excess := scaskObjective - res.At.Objective; excess > 1e-3 {
			t.Logf("%s: scas-k is %.3g above", c.Name, excess)
		}
	}
}

// TestFeasible checks that results lie in their domain, and that their gaps are valid.
func TestFeasible(t *testing.T) {
	for i, c := range solvertest.EveryProblem(t, 4) {
		if c.Domain == nil || testing.Short() && i%4 > 0 {
			continue
		}
		_, p := c.Data.Dims()
		for k, domain := range []solver.Domain{
			c.Domain, solver.NewBox(p, 1e-4, 1), solver.NewBox(p, 0.1, 0.2), solver.NewBox(p, -0.2, -0.1),
			solver.Simplex{Total: 0.2},
		} {
			q := *c.Problem
			q.Domain = domain
			switch g := q.Penalty.(type) {
			case solver.L1:
				g.Lambda *= math.Pow(10, float64(2*k-2))
				q.Penalty = g
			case solver.GroupL2:
				g.Lambda *= math.Pow(10, float64(2*k-2))
				q.Penalty = g
			}
			if q.L2 > 0 {
				q.L2 = math.Pow(10, float64(-2*k-2))
			}
			lowestObjective := math.Inf(1)
			var results []*solver.Result
			for _, tol := range []float64{1e-1, 1e-3, 1e-6, 1e-9} {
				res, _ := solver.Minimize(context.Background(), &q, &solver.Settings{RelTol: tol})
				if far := domainDistance(domain, res.X); far > 1e-15 {
					t.Errorf("%s, %v, tolerance %g: the result is %.1e outside", c.Name, domain, tol, far)
				}
				lowestObjective = math.Min(lowestObjective, res.At.Objective)
				results = append(results, res)
			}
			for _, res := range results {
				if excess := res.At.Objective - lowestObjective; excess > res.DualityGap*(1+1e-6)+1e-14*(1+lowestObjective) {
					t.Errorf("%s, %v: proved to be within %.3g, and %.3g above", c.Name, domain, res.DualityGap, excess)
				}
			}
		}
	}
}

// The types that begin with own are a loss, penalties and a domain that a caller could define. Package term
// has no types for them.
type (
	ownL1    struct{ solver.L1 }
	ownGroup struct{ solver.GroupL2 }
	ownBox   struct{ solver.Box }
	ownLoss  struct{ solver.Logistic }
)

// Conjugate returns q log q + (1 − q) log(1 − q) for q = −alpha·label, the conjugate of the logistic loss.
func (ownLoss) Conjugate(alpha, label float64) float64 {
	entropy := func(q float64) float64 {
		if q == 0 {
			return 0
		}
		return q * math.Log(q)
	}
	q := -alpha * label
	if q < 0 || q > 1 {
		return math.Inf(1)
	}
	return entropy(q) + entropy(1-q)
}

func (ownLoss) ConjugateDomain(label float64) (lo, hi float64) {
	return min(0, -label), max(0, -label)
}

// TestOwnConjugates checks that the default method converges with a caller's own loss that has a conjugate,
// and that gaps with own losses, penalties and domains are valid.
func TestOwnConjugates(t *testing.T) {
	for _, c := range solvertest.EveryProblem(t, 2) {
		reference, err := solver.Minimize(context.Background(), c.Problem, &solver.Settings{RelTol: 1e-12})
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatal(err)
		}
		best := reference.At.Objective
		if _, ok := c.Loss.(solver.Logistic); ok {
			problem := *c.Problem
			problem.Loss = ownLoss{}
			res, err := solver.Minimize(context.Background(), &problem, nil)
			if err != nil || res.Status != solver.Converged || res.At.Objective-best > res.DualityGap+1e-12 {
				t.Errorf("%s: own loss: %v, %v", c.Name, res, err)
			}
		}
		problem := *c.Problem
		switch g := problem.Penalty.(type) {
		case solver.L1:
			problem.Penalty = ownL1{g}
		case solver.GroupL2:
			problem.Penalty = ownGroup{g}
		default:
			continue
		}
		if b, ok := problem.Domain.(solver.Box); ok {
			problem.Domain = ownBox{b}
		}
		res, err := solver.Minimize(context.Background(), &problem, &solver.Settings{Passes: 100})
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if excess := res.At.Objective - best; !(res.DualityGap >= excess-1e-14) {
			t.Errorf("%s: own penalty: proved to be within %.3g, and %.3g above", c.Name, res.DualityGap, excess)
		}
		bounded := problem.Domain != nil && !math.IsInf(problem.Domain.Diameter(), 1)
		if (problem.L2 > 0 || bounded) && math.IsInf(res.DualityGap, 1) {
			t.Errorf("%s: own penalty: gap %v", c.Name, res.DualityGap)
		}
	}
}

// TestCouplingBounds checks gaps of problems with mu > 0, for y = A x, y = A x − c, y = A x/2 and
// y = (A x − c)/2.
func TestCouplingBounds(t *testing.T) {
	for _, c := range solvertest.EveryProblem(t, 3) {
		if c.L2 == 0 || c.Constraint == nil || c.Domain != nil {
			continue
		}
		l, _ := c.Constraint.Dims()
		shift, diagonal := make([]float64, l), make([]float64, l)
		for j := range shift {
			shift[j], diagonal[j] = 0.1*float64(j%3), -2
		}
		for _, coupling := range []*solver.Coupling{nil, {C: shift}, {Diagonal: diagonal}, {Diagonal: diagonal, C: shift}} {
			p := *c.Problem
			p.Coupling = coupling
			longRun := solvertest.Minimize(t, &p, &solver.Settings{Method: solver.SCASK{}, Passes: 300})
			if !(longRun.DualityGap < 1e-6) {
				t.Errorf("%s: gap %.2g after 300 passes", c.Name, longRun.DualityGap)
			}
			for _, method := range []solver.Method{solver.SCASK{}, solver.SCAS{}, solver.SCASStrong{}, solver.SCASL{}} {
				for _, passes := range []float64{2, 6, 20} {
					res := solvertest.Minimize(t, &p, &solver.Settings{Method: method, Passes: passes})
					if excess := res.At.Objective - longRun.At.Objective; !(res.DualityGap >= excess-1e-14) {
						t.Errorf("%s, %T: proved to be within %.3g, and %.3g above", c.Name, method, res.DualityGap, excess)
					}
					if _, ok := p.Penalty.(solver.L1); ok && coupling == nil {
						checkDual(t, &p, res)
					}
				}
			}
		}
	}
}
