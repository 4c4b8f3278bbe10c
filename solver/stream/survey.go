package stream

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/sparse"
)

// A survey is what a first pass finds.
type survey struct {
	columns []float64 // largest |x_ij| of each column
	zero    float64   // Σ cᵢ φ(0)
	part    *newton.Problem
}

// survey goes over the data, which it checks, and copies m of the samples, one drawn from each run of n/m:
// all of them are as likely to be taken.
func (s *run) survey(m int) (*survey, error) {
	n, p := s.q.Data.Dims()
	pick := newton.Picks(n, m)
	room := int(float64(s.q.Data.NNZ())/float64(n)*float64(m)*1.02) + p
	ptr, idx, val := make([]int64, 1, m+1), make([]int32, 0, room), make([]float64, 0, room)
	part := *s.q
	part.Labels, part.Weights = make([]float64, 0, m), nil
	out := &survey{columns: make([]float64, p)}
	most := make([][]float64, s.count)
	zeros := make([]float64, s.count)
	for k := range most {
		most[k] = make([]float64, p)
	}
	failed := make([]error, s.count)
	err := s.windows.each(func(lo, hi int) error {
		pieces(s.count, s.q.Threads, lo, hi, func(k, lo, hi int) {
			if failed[k] = s.q.Data.Check(lo, hi); failed[k] != nil {
				return
			}
			s.widest(most[k], lo, hi)
			for i := lo; i < hi; i++ {
				zeros[k] += float64(s.coef(i) * s.q.Loss.Value(0, s.q.Labels[i]))
			}
		})
		if bad := slices.IndexFunc(failed, func(err error) bool { return err != nil }); bad >= 0 {
			return failed[bad]
		}
		for ; len(pick) > 0 && pick[0] < hi; pick = pick[1:] {
			cols, v := s.q.Data.Row(pick[0])
			idx, val = append(idx, cols...), append(val, v...)
			ptr = append(ptr, int64(len(idx)))
			part.Labels = append(part.Labels, s.q.Labels[pick[0]])
			if s.q.Weights != nil {
				part.Weights = append(part.Weights, s.q.Weights[pick[0]])
			}
		}
		return s.interrupted()
	})
	if err != nil {
		return nil, err
	}
	for k := range most {
		out.zero += zeros[k]
		for j, v := range most[k] {
			out.columns[j] = max(out.columns[j], v)
		}
	}
	if part.Data, err = sparse.New(m, p, ptr, idx, val); err != nil {
		panic(err) // rows of a valid matrix
	}
	part.Rows = part.Data.Compact(nil)
	out.part = &part
	return out, nil
}

// widest makes the entries of most at least |x_ij| of the rows from lo to hi−1.
func (s *run) widest(most []float64, lo, hi int) {
	rows := s.q.Data.Rows(lo, hi)
	val := rows.Val[rows.Ptr[0]:rows.Ptr[hi-lo]]
	for k, j := range rows.Idx[rows.Ptr[0]:rows.Ptr[hi-lo]] {
		if v := math.Abs(val[k]); v > most[j] {
			most[j] = v
		}
	}
}
