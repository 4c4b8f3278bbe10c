package paper

import (
	"fmt"
	"slices"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Seeds of the random choices; the number of the split is added.
const (
	splitSeed  = 1000
	subsetSeed = 2000
	runSeed    = 1
)

// A Half is one split of a data set, ready to run.
type Half struct {
	Split       int
	Train, Test *solver.Problem // Test has neither penalty nor L2 term
	Tune        *solver.Problem // some samples of Train
	data        *Data

	// The constraints of Train and Tune, prepared once for the many runs on them.
	trainA, tuneA *solver.Constraint

	once   sync.Once
	nuMean float64 // Lipschitz constant of the gradient of Train's mean loss, mu = 0
}

// train returns the training half with the given coefficient of the L2 term.
func (h *Half) train(mu float64) *solver.Problem { return prepared(h.Train, h.trainA, mu) }

// tune returns the samples for tuning likewise.
func (h *Half) tune(mu float64) *solver.Problem { return prepared(h.Tune, h.tuneA, mu) }

func prepared(p *solver.Problem, a *solver.Constraint, mu float64) *solver.Problem {
	q := with(p, mu)
	q.Constraint = a
	return q
}

// once returns a function that halves d when it is first called.
func (d *Data) once(k, tuneSamples int) func() (*Half, error) {
	return sync.OnceValues(func() (*Half, error) { return d.Halve(k, tuneSamples) })
}

// Halve splits d at random, the k-th time, and draws the samples on which
// parameters are chosen.
func (d *Data) Halve(k, tuneSamples int) (*Half, error) {
	rows, _ := d.X.Dims()
	train, test := sparse.Split(rows, rows-rows/2, splitSeed+uint64(k))
	subset, _ := sparse.Split(len(train), min(tuneSamples, len(train)), subsetSeed+uint64(k))
	for i, at := range subset {
		subset[i] = train[at]
	}
	h := &Half{Split: k, data: d}
	for _, part := range []struct {
		to   **solver.Problem
		rows []int
	}{{&h.Train, train}, {&h.Test, test}, {&h.Tune, subset}} {
		x, err := d.X.SelectRows(part.rows)
		if err != nil {
			return nil, err
		}
		labels := make([]float64, len(part.rows))
		for k, i := range part.rows {
			labels[k] = d.Labels[i]
		}
		*part.to = &solver.Problem{Data: x, Labels: labels, Penalty: solver.L1{Lambda: d.Lambda}, Constraint: d.A}
	}
	h.Test = &solver.Problem{Data: h.Test.Data, Labels: h.Test.Labels}
	h.trim()
	h.trainA, h.tuneA = solver.NewConstraint(h.Train.Constraint), solver.NewConstraint(h.Tune.Constraint)
	if slices.Min(h.Tune.Labels) == slices.Max(h.Tune.Labels) {
		return nil, fmt.Errorf("paper: %s, split %d: the %d samples for tuning have one class only", d.Name, k, len(subset))
	}
	return h, nil
}

// trim leaves out the features that every method keeps at zero, which is where it
// starts: those of no training sample and of no edge. Only where they are most, as
// in text, since the time of many methods goes with the features.
func (h *Half) trim() {
	if keep := used(h.Train); keep != nil {
		h.Train, h.Tune = selectFeatures(h.Train, keep), selectFeatures(h.Tune, keep)
		h.Test = &solver.Problem{Data: columns(h.Test.Data, keep), Labels: h.Test.Labels}
	}
	if keep := used(h.Tune); keep != nil {
		h.Tune = selectFeatures(h.Tune, keep)
	}
}

// used returns the features that some sample or edge has, nil if those are more
// than half.
func used(p *solver.Problem) []int {
	_, features := p.Data.Dims()
	has := make([]bool, features)
	mark(has, p.Data, 1)
	mark(has, p.Constraint.(*sparse.CSR), 2)
	var keep []int
	for j, yes := range has {
		if yes {
			keep = append(keep, j)
		}
	}
	if 2*len(keep) > features {
		return nil
	}
	return keep
}

// mark marks the columns in rows of at least so many entries.
func mark(has []bool, m *sparse.CSR, least int) {
	rows, _ := m.Dims()
	for i := range rows {
		idx, _ := m.Row(i)
		for _, j := range idx {
			has[j] = has[j] || len(idx) >= least
		}
	}
}

// selectFeatures returns p for some of its features.
func selectFeatures(p *solver.Problem, keep []int) *solver.Problem {
	q := *p
	q.Data = columns(p.Data, keep)
	q.Constraint = nonzeroRows(columns(p.Constraint.(*sparse.CSR), keep))
	return &q
}

// columns returns the given columns of m, which must be there.
func columns(m *sparse.CSR, keep []int) *sparse.CSR { return rows(m.Transpose(), keep).Transpose() }

// nonzeroRows returns the rows of m that have entries.
func nonzeroRows(m *sparse.CSR) *sparse.CSR {
	n, _ := m.Dims()
	var keep []int
	for i := range n {
		if idx, _ := m.Row(i); len(idx) > 0 {
			keep = append(keep, i)
		}
	}
	return rows(m, keep)
}

func rows(m *sparse.CSR, keep []int) *sparse.CSR {
	out, err := m.SelectRows(keep)
	if err != nil {
		panic(err) // the rows are there
	}
	return out
}
