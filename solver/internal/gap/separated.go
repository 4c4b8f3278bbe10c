package gap

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// FindSeparated marks samples whose αᵢ is 0 in every feasible dual point. It returns nil if it finds none.
// The results of open report whether penalty and domain let coefficient j go to +Inf (above) and to −Inf
// (below).
//
// Suppose that coefficient j may grow without end in one direction, and that no sample's loss rises in this
// direction. Then all terms cᵢαᵢx_ij of (X'Cα)_j have the same sign, but a feasible dual point needs a sum of
// the opposite sign or 0. So αᵢ = 0 at every sample with an entry in column j. If these samples are left out,
// more columns may have this property.
func FindSeparated(
	t *rows.Team, x *sparse.CSR, l term.Loss, labels, weights []float64, open func(j int) (above, below bool),
) []bool {
	n, p := x.Dims()
	// closed[j] is 1 if coefficient j cannot go to +Inf, and closed[p+j] is 1 if it cannot go to −Inf.
	closed := slices.Repeat([]float64{1}, 2*p)
	for j := range p {
		above, below := open(j)
		if above {
			closed[j] = 0
		}
		if below {
			closed[p+j] = 0
		}
	}
	if !slices.Contains(closed, 0) {
		return nil
	}
	s, found := &separation{samples: make([]bool, n), columns: make([]bool, p)}, false
	for s.markMore(t, x, l, labels, weights, closed) {
		found = true
	}
	if !found {
		return nil
	}
	return s.samples
}

// A separation marks separated samples, and columns that have entries only in separated samples.
type separation struct{ samples, columns []bool }

// markMore marks more columns and samples by the rule in the comment of FindSeparated. It returns false if it
// finds no column.
func (s *separation) markMore(
	t *rows.Team, x *sparse.CSR, l term.Loss, labels, weights, closed []float64,
) bool {
	p := len(s.columns)
	// blocked[j] is 1 if coefficient j cannot go to +Inf, or if the loss of an unmarked sample may rise on
	// the way. blocked[p+j] is the same for −Inf.
	blocked := slices.Clone(closed)
	zeros := 0 // the number of zeros in blocked
	for _, v := range blocked {
		zeros += 1 - int(v)
	}
	for i := 0; i < len(s.samples) && zeros > 0; i++ {
		if s.samples[i] || weights[i] == 0 {
			continue
		}
		lo, hi := l.SlopeRange(labels[i])
		idx, val := x.Row(i)
		for k, j := range idx {
			blocksUp, blocksDown := &blocked[j], &blocked[p+int(j)]
			if val[k] < 0 {
				blocksUp, blocksDown = blocksDown, blocksUp
			}
			if val[k] != 0 && hi > 0 && *blocksUp == 0 {
				*blocksUp = 1
				zeros--
			}
			if val[k] != 0 && lo < 0 && *blocksDown == 0 {
				*blocksDown = 1
				zeros--
			}
		}
	}
	t.Max(blocked)
	found := false
	newColumns := make([]bool, p)
	for j := range newColumns {
		newColumns[j] = !s.columns[j] && (blocked[j] == 0 || blocked[p+j] == 0)
		s.columns[j] = s.columns[j] || newColumns[j]
		found = found || newColumns[j]
	}
	for i := range s.samples {
		idx, val := x.Row(i)
		for k, j := range idx {
			s.samples[i] = s.samples[i] || newColumns[j] && val[k] != 0
		}
	}
	return found
}
