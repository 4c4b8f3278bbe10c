package solver_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// readReproduction reads a problem of the directory repro of the test data.
func readReproduction(t *testing.T, name string, loss solver.Loss, lambda float64) *solver.Problem {
	t.Helper()
	isClassification := loss.Validate([]float64{0.5}) != nil
	ds, err := sparse.ReadFile(sparsetest.DataFile(t, "repro", name),
		&sparse.ReadOptions{Regression: !isClassification, IndexBase: sparse.OneBased})
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: ds.X, Labels: ds.Labels, Loss: loss, Penalty: solver.L1{Lambda: lambda}}
}

// TestReproductions solves small problems for which automatic step sizes and rho are difficult to choose. A
// NaN optimum is unknown; the residuals must then be small.
func TestReproductions(t *testing.T) {
	simplexProblem := readReproduction(t, "hs999.svm", solver.Huber{}, 4.7435948398638255)
	_, p := simplexProblem.Data.Dims()
	con, err := graph.ReadConstraintFile("edges:"+sparsetest.DataFile(t, "repro", "hs999.edges"), p)
	if err != nil {
		t.Fatal(err)
	}
	simplexProblem.Constraint, simplexProblem.Domain = con.A, solver.Simplex{Total: 0.1994267874107973}
	hingeProblem := readReproduction(t, "d103.svm", solver.SquaredHinge{}, 0.024816080682465373)
	hingeProblem.Domain = solver.Simplex{Total: 0.12111661654450806}
	for _, c := range []struct {
		name      string
		p         *solver.Problem
		passes    float64
		optimum   float64
		tolerance float64 // relative tolerance
	}{
		{"simplex and graph: rises of ADMM are no reason to halve", simplexProblem, 3000, 6.606732095578928, 1e-11},
		{"squared hinge on a simplex", hingeProblem, 2000, 0.971146679968, 1e-11},
		{
			"huber in the unit of its labels",
			readReproduction(t, "price.svm", solver.Huber{Delta: 13500}, 2000), 100, 210328000.9663, 1e-11,
		},
		{"general A", generalProblem(t), 20000, math.NaN(), 0},
	} {
		res := solvertest.Minimize(t, c.p, &solver.Settings{Method: solver.SCASK{}, Passes: c.passes})
		if math.IsNaN(c.optimum) {
			if scale := math.Sqrt(float64(len(res.X))); res.DualResidual > 1e-7*scale || res.PrimalResidual > 1e-7*scale {
				t.Errorf("%s: residuals %.1e, %.1e", c.name, res.PrimalResidual, res.DualResidual)
			}
			continue
		}
		if gap := res.At.Objective/c.optimum - 1; math.Abs(gap) > c.tolerance {
			t.Errorf("%s: objective %.16g is %.1e from the optimum, relatively (%d halvings)",
				c.name, res.At.Objective, gap, res.Stats.StepHalvings)
		}
		provedRun := solvertest.Minimize(t, c.p, &solver.Settings{RelTol: 1e-10})
		if gap := provedRun.At.Objective/c.optimum - 1; math.Abs(gap) > 1e-9 || provedRun.Status != solver.Converged {
			t.Errorf("%s: by default %s, %.1e from the optimum, relatively", c.name, provedRun.Status, gap)
		}
	}
}

// TestStructureSurvivesRounding checks that a run sets small coefficients to exactly 0, even if the objective
// then rises slightly because of rounding.
func TestStructureSurvivesRounding(t *testing.T) {
	res := solvertest.Minimize(t, readReproduction(t, "lasso20.svm", solver.Logistic{}, 0.05),
		&solver.Settings{Method: solver.SCASK{}, Passes: 400})
	if count := nonzero(res.X); count != 6 {
		t.Errorf("%d of %d coefficients are not zero, want 6", count, len(res.X))
	}
}

// generalProblem returns a problem whose A has repeated and empty rows.
func generalProblem(t *testing.T) *solver.Problem {
	t.Helper()
	text, err := os.ReadFile(sparsetest.DataFile(t, "repro", "g105.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		N, P         int
		Data, Labels []float64
		Lambda       float64
		A            struct {
			R, C int
			V    [][3]float64
		}
		PW []float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	d := cases[0]
	x, err := sparse.FromDense(d.N, d.P, d.Data)
	if err != nil {
		t.Fatal(err)
	}
	var entries []sparse.Triplet
	for _, v := range d.A.V {
		entries = append(entries, sparse.Triplet{Row: int(v[0]), Col: int(v[1]), Value: v[2]})
	}
	a, err := sparse.FromTriplets(d.A.R, d.A.C, entries)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{
		Data: x, Labels: d.Labels, Loss: solver.Squared{}, Constraint: a,
		Penalty: solver.L1{Lambda: d.Lambda, Weights: d.PW},
	}
}

// TestIndicator checks that SCASK with the penalty Within and an automatic rho finds the solution that the
// default method finds with the domain Nonnegative, for labels in different units.
func TestIndicator(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, p = 100, 10
	data, labels := make([]float64, n*p), make([]float64, n)
	for i := range n {
		for j := range p {
			data[i*p+j] = rng.NormFloat64()
			labels[i] += data[i*p+j] * float64(1-2*(j%2))
		}
		labels[i] += rng.NormFloat64()
	}
	for _, unit := range []float64{1e-3, 1, 1e4} {
		scaledLabels := make([]float64, n)
		for i, b := range labels {
			scaledLabels[i] = unit * b
		}
		x, err := sparse.FromDense(n, p, data)
		if err != nil {
			t.Fatal(err)
		}
		prob := &solver.Problem{Data: x, Labels: scaledLabels, Loss: solver.Squared{}, Penalty: solver.Within{Upper: math.Inf(1)}}
		res := solvertest.Minimize(t, prob, &solver.Settings{Method: solver.SCASK{}, Passes: 200})
		want := solvertest.Minimize(t,
			&solver.Problem{Data: x, Labels: scaledLabels, Loss: solver.Squared{}, Domain: solver.Nonnegative{}},
			&solver.Settings{RelTol: 1e-12})
		if d := solvertest.Distance(res.X, want.X); d > 1e-9*unit {
			t.Errorf("labels in units of %g: x differs by %.1e from the solution; rho = %g", unit, d, res.Stats.Rho)
		}
	}
}
