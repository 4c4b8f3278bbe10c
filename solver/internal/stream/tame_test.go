package stream

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestGrouped checks that 12 passes out of core reduce the gap to less than a tenth, although each of 30
// features occurs only in one stretch of consecutive rows.
func TestGrouped(t *testing.T) {
	const rows, stretches, commonFeatures = 60000, 30, 5
	rng := rand.New(rand.NewPCG(3, 4))
	dense, labels := make([]float64, rows*(stretches+commonFeatures)), make([]float64, rows)
	for i := range rows {
		row := dense[i*(stretches+commonFeatures):][:stretches+commonFeatures]
		group := i * stretches / rows
		row[group] = 1
		sum := 3 * math.Sin(float64(group))
		for j := range commonFeatures {
			row[stretches+j] = rng.NormFloat64()
			sum += row[stretches+j]
		}
		if labels[i] = -1; sum+rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	x, err := sparse.FromDense(rows, stretches+commonFeatures, dense)
	if err != nil {
		t.Fatal(err)
	}
	dataset := mappedCopy(t, &sparse.Dataset{X: x, Labels: labels})
	p := &solver.Problem{Data: dataset.X, Labels: dataset.Labels, Penalty: solver.L1{Lambda: 1e-4}}
	best, err := solver.Minimize(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, Passes: 12}, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	gap, startGap := res.At.Objective-best.At.Objective, math.Ln2-best.At.Objective
	t.Logf("gap %.2g after 12 passes, of %.2g; proved %.2g", gap, startGap, res.DualityGap)
	if !(gap < 0.1*startGap) {
		t.Errorf("gap %v after 12 passes, of %v at the start", gap, startGap)
	}
}
