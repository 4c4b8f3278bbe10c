package baseline_test

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestSweepsEqualWholeVectors compares runs of methods that use sweeps (see the type sweep) with runs of the
// same methods without sweeps. A method uses no sweep if A is not a matrix. In wideProblem, A joins
// features into components of two sizes, which package linalg solves in different ways.
func TestSweepsEqualWholeVectors(t *testing.T) {
	wideProblem, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 30, Features: 1100, NonzerosPerRow: 9, Noise: 1, Seed: 8}, 1e-3)
	wideProblem.Constraint = partlyJoinedMatrix(t, 1100)
	identityProblem := *wideProblem
	identityProblem.Constraint = sparse.Identity(1100)
	narrowProblem := solvertest.ChainProblem(t, 0)
	for name, p := range map[string]*solver.Problem{
		"wide": wideProblem, "alone": &identityProblem, "narrow": narrowProblem,
	} {
		for _, mu := range []float64{0, 0.1} {
			sweptProblem := *p
			sweptProblem.L2 = mu
			wholeProblem := sweptProblem
			wholeProblem.Constraint = solvertest.JustAnOperator{Operator: p.Constraint}
			for _, m := range []solver.Method{
				baseline.STOC{}, baseline.OPG{}, baseline.OADM{}, baseline.OS1{}, baseline.OS2{},
				baseline.SA{}, baseline.SAIU{}, baseline.SAG{}, baseline.SAGIU{},
			} {
				if m.Info().NeedsL2 && mu == 0 {
					continue
				}
				s := &solver.Settings{Method: m, Eta: 0.4, Rho: 0.02, Passes: 4, Seed: 5, NoProof: true}
				a, b := solvertest.Minimize(t, &sweptProblem, s), solvertest.Minimize(t, &wholeProblem, s)
				for what, pair := range map[string][2][]float64{
					"x": {a.X, b.X}, "y": {a.Y, b.Y}, "beta": {a.Dual, b.Dual},
					"the mean x": {a.XAverage, b.XAverage}, "the mean y": {a.YAverage, b.YAverage},
				} {
					if e := solvertest.RelativeDistance(pair[0], pair[1]); !(e < 1e-9) {
						t.Errorf("%s, mu = %v, %T: %s differs by %.1e", name, mu, m, what, e)
					}
				}
			}
		}
	}
}

// partlyJoinedMatrix returns [G; I] for a graph with a path of 41 features and with 20 pairs of features.
func partlyJoinedMatrix(t *testing.T, p int) *sparse.CSR {
	t.Helper()
	var pairs [][2]int32
	for j := range int32(40) {
		pairs = append(pairs, [2]int32{7 * j, 7 * (j + 1)})
	}
	for j := range int32(20) {
		pairs = append(pairs, [2]int32{500 + 3*j, 501 + 3*j})
	}
	g, err := graph.FromPairs(p, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return g.FusedLasso()
}
