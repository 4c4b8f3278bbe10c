package paper

import (
	"fmt"

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
}

// Halve splits d at random, the k-th time, and draws the samples on which
// parameters are chosen.
func (d *Data) Halve(k, tuneSamples int) (*Half, error) {
	rows, _ := d.X.Dims()
	train, test := sparse.Split(rows, splitSeed+uint64(k))
	if d.Whole {
		all := make([]int, rows)
		for i := range all {
			all[i] = i
		}
		train, test = all, all
	}
	subset := make([]int, 0, tuneSamples)
	for _, at := range sparse.Subset(len(train), min(tuneSamples, len(train)), subsetSeed+uint64(k)) {
		subset = append(subset, train[at])
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
		for i, row := range part.rows {
			labels[i] = d.Labels[row]
		}
		*part.to = &solver.Problem{Data: x, Labels: labels, Penalty: solver.L1{Lambda: d.Lambda}, Constraint: d.A}
	}
	h.Test = &solver.Problem{Data: h.Test.Data, Labels: h.Test.Labels}
	h.trim()
	if !bothClasses(h.Tune.Labels) {
		return nil, fmt.Errorf("paper: %s, split %d: the %d samples for tuning have one class only", d.Name, k, len(subset))
	}
	return h, nil
}

func bothClasses(labels []float64) bool {
	for _, b := range labels {
		if b != labels[0] {
			return true
		}
	}
	return false
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
	count := make([]int, features)
	n, _ := p.Data.Dims()
	for i := range n {
		idx, _ := p.Data.Row(i)
		for _, j := range idx {
			count[j]++
		}
	}
	a := p.Constraint.(*sparse.CSR)
	l, _ := a.Dims()
	for i := range l {
		if idx, _ := a.Row(i); len(idx) > 1 {
			for _, j := range idx {
				count[j]++
			}
		}
	}
	var keep []int
	for j, c := range count {
		if c > 0 {
			keep = append(keep, j)
		}
	}
	if 2*len(keep) > features {
		return nil
	}
	return keep
}

// selectFeatures returns p for some of its features.
func selectFeatures(p *solver.Problem, keep []int) *solver.Problem {
	q := *p
	q.Data = columns(p.Data, keep)
	q.Constraint = nonzeroRows(columns(p.Constraint.(*sparse.CSR), keep))
	return &q
}

func columns(m *sparse.CSR, keep []int) *sparse.CSR {
	out, err := m.Transpose().SelectRows(keep)
	if err != nil {
		panic(err) // the columns are there
	}
	return out.Transpose()
}

// with returns p with the given coefficient of the L2 term.
func with(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
