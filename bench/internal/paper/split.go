package paper

import (
	"context"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse"
)

// Seeds of the random choices. The number of the split is added to each seed, except that all runs for tuning
// use runSeed itself.
const (
	splitSeed  = 1000
	subsetSeed = 2000
	runSeed    = 1
)

// Halves are the training half and the test half of a data set. The constraints of Train and Tune are
// prepared once for all runs.
type Halves struct {
	Split       int
	Train, Test *solver.Problem // Test has no penalty, and mu = 0
	Tune        *solver.Problem // the samples of Train on which parameters are chosen
	data        *Data
	a           *sparse.CSR // the constraint of Train, not prepared
	nuMean      float64     // Lipschitz constant of the gradient of Train's mean loss
}

// Halve splits d at random into two halves, and draws the training samples on which parameters are chosen. k
// is the number of the split.
func (d *Data) Halve(ctx context.Context, k, tuneSamples int) (*Halves, error) {
	rows, _ := d.X.Dims()
	train, test := sparse.Split(rows, rows-rows/2, splitSeed+uint64(k))
	subset, _ := sparse.Split(len(train), min(tuneSamples, len(train)), subsetSeed+uint64(k))
	for i, index := range subset {
		subset[i] = train[index]
	}
	part := func(rows []int) *solver.Problem {
		labels := make([]float64, len(rows))
		for i, row := range rows {
			labels[i] = d.Labels[row]
		}
		return &solver.Problem{
			Data: selectRows(d.X, rows), Labels: labels, Penalty: solver.L1{Lambda: d.Lambda},
			Constraint: d.A,
		}
	}
	h := &Halves{Split: k, Train: part(train), Test: part(test), Tune: part(subset), data: d}
	h.Test.Penalty, h.Test.Constraint = nil, nil
	h.trim()
	h.a = h.Train.Constraint.(*sparse.CSR)
	h.Train.Constraint, h.Tune.Constraint = solver.NewConstraint(h.a), solver.NewConstraint(h.Tune.Constraint)
	if slices.Min(h.Tune.Labels) == slices.Max(h.Tune.Labels) {
		return nil, fmt.Errorf("paper: %s, split %d: the %d samples for tuning have one class only",
			d.Name, k, len(subset))
	}
	return h, h.setMeanCurvature(ctx)
}

// setMeanCurvature sets h.nuMean. The automatic step size of batch ADMM is 1/(ν + ρ λ₁), where ν is h.nuMean,
// and λ₁ is the largest eigenvalue of A'A. setMeanCurvature solves this equation for ν.
func (h *Halves) setMeanCurvature(ctx context.Context) error {
	rho := h.data.Lambda
	start := func(*solver.Point) (enough bool) { return true } // ends the run before its first iteration
	res, err := minimize(ctx, h.Train, solver.Settings{Method: baseline.BatchUzawa{}, Rho: rho}, start)
	if err != nil {
		return err
	}
	h.nuMean = 1/res.Stats.Eta - rho*res.Stats.Constants.Lambda1
	return nil
}

// constants returns the constants of the training half. Step sizes are computed from these constants.
func (h *Halves) constants(mu float64) (Constants, error) {
	c, err := withMu(h.Train, mu).Constants(0)
	return Constants{Constants: c, NuMean: h.nuMean + mu}, err
}

// trim saves time by removing unused features. They occur in no sample of Train and in no row of A with two
// or more entries, so their coefficients stay 0. trim removes them if they are at least half of all features.
// Then it removes unused features from Tune in the same way.
func (h *Halves) trim() {
	usedInTrain := usedFeatures(h.Train)
	if usedInTrain != nil {
		h.Train, h.Tune = selectFeatures(h.Train, usedInTrain), selectFeatures(h.Tune, usedInTrain)
		h.Test = &solver.Problem{Data: selectColumns(h.Test.Data, usedInTrain), Labels: h.Test.Labels}
	}
	usedInTune := usedFeatures(h.Tune)
	if usedInTune != nil {
		h.Tune = selectFeatures(h.Tune, usedInTune)
	}
}

// usedFeatures returns the features that occur in a sample, or in a row of A with two or more entries. It
// returns nil if they are more than half of all features.
func usedFeatures(p *solver.Problem) []int {
	_, features := p.Data.Dims()
	used := make([]bool, features)
	markUsed(used, p.Data, 1)
	markUsed(used, p.Constraint.(*sparse.CSR), 2)
	var indices []int
	for j, isUsed := range used {
		if isUsed {
			indices = append(indices, j)
		}
	}
	if 2*len(indices) > features {
		return nil
	}
	return indices
}

// markUsed sets used[j] to true if column j has an entry in a row of m that has at least minEntries
// entries.
func markUsed(used []bool, m *sparse.CSR, minEntries int) {
	rows, _ := m.Dims()
	for i := range rows {
		idx, _ := m.Row(i)
		for _, j := range idx {
			used[j] = used[j] || len(idx) >= minEntries
		}
	}
}

func selectFeatures(p *solver.Problem, indices []int) *solver.Problem {
	q := *p
	q.Data = selectColumns(p.Data, indices)
	q.Constraint = nonzeroRows(selectColumns(p.Constraint.(*sparse.CSR), indices))
	return &q
}

func selectColumns(m *sparse.CSR, indices []int) *sparse.CSR {
	return selectRows(m.Transpose(), indices).Transpose()
}

func nonzeroRows(m *sparse.CSR) *sparse.CSR {
	n, _ := m.Dims()
	var indices []int
	for i := range n {
		idx, _ := m.Row(i)
		if len(idx) > 0 {
			indices = append(indices, i)
		}
	}
	return selectRows(m, indices)
}

func selectRows(m *sparse.CSR, indices []int) *sparse.CSR {
	out, err := m.SelectRows(indices)
	if err != nil {
		panic(err) // cannot happen: the rows exist
	}
	return out
}
