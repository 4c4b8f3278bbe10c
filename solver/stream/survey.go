package stream

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/sample"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A survey is what a first pass finds.
type survey struct {
	moments *moments
	zero    float64 // what tolerances are parts of, see term.Labels.Unit
	part    *part
}

// A part is samples in memory.
type part struct {
	*exact.Problem
	offset []float64
}

// survey goes over the data, which it checks, and copies m of the samples, one drawn from
// each run of n/m: all of them are as likely to be taken.
func (s *run) survey(m int) (*survey, error) {
	n, _ := s.q.Data.Dims()
	pick := sample.Picks(n, s.share(m))
	taken := s.newTaken(len(pick))
	found := make([]*moments, s.count)
	for k := range found {
		found[k] = s.newMoments()
	}
	zeros := make([][3]float64, s.count) // mean loss, label and slope where all coefficients are 0
	counts := s.q.Loss.Traits().Labels == term.Counts
	failed := make([]error, s.count)
	err := s.together(s.each(func(lo, hi int) error {
		pieces(s.count, s.q.Threads, lo, hi, func(k, lo, hi int) {
			if failed[k] = s.q.Data.Check(lo, hi); failed[k] != nil {
				return
			}
			found[k].add(s, lo, hi)
			for i := lo; i < hi; i++ {
				c, o, b := s.coef(i), s.offsetOf(i), s.label(i)
				zeros[k][0] += float64(c * s.q.Loss.Value(o, b))
				if counts {
					zeros[k][1] += float64(c * b)
					zeros[k][2] += float64(c * s.q.Loss.Slope(o, b))
				}
			}
		})
		if bad := slices.IndexFunc(failed, func(err error) bool { return err != nil }); bad >= 0 {
			return failed[bad]
		}
		for ; len(pick) > 0 && pick[0] < hi; pick = pick[1:] {
			taken.add(s, pick[0])
		}
		return s.interrupted()
	}))
	if err != nil {
		return nil, err
	}
	team := s.extra.team
	taken.gather(team)
	out := &survey{moments: found[0], part: taken.end(s)}
	var zero [3]float64
	for k, more := range found {
		for m, v := range zeros[k] {
			zero[m] += v
		}
		if k > 0 {
			out.moments.merge(more)
		}
	}
	out.moments.gather(team)
	team.Sum(zero[:])
	out.zero = s.q.Loss.Traits().Labels.Unit(zero[0], zero[1], zero[2])
	return out, nil
}

// offsetOf is that of a sample.
func (s *run) offsetOf(i int) float64 {
	if s.extra.offset == nil {
		return 0
	}
	return s.extra.offset[i]
}

// taken are samples that are being copied.
type taken struct {
	ptr                     []int64
	idx                     []int32
	val                     []float64
	label, weights, offsets []float64
}

func (s *run) newTaken(m int) *taken {
	n, _ := s.q.Data.Dims()
	room := int((float64(s.q.Data.NNZ())/float64(n)+1)*float64(m)*1.02) + len(s.extra.ridge)
	return &taken{ptr: make([]int64, 1, m+1), idx: make([]int32, 0, room), val: make([]float64, 0, room), label: make([]float64, 0, m)}
}

func (t *taken) add(s *run, i int) {
	if s.left(i) {
		return
	}
	cols, v := s.q.Data.Row(i)
	t.idx, t.val = append(t.idx, cols...), append(t.val, v...)
	if s.extra.ones {
		t.idx, t.val = append(t.idx, int32(len(s.extra.ridge)-1)), append(t.val, 1)
	}
	t.ptr = append(t.ptr, int64(len(t.idx)))
	t.label = append(t.label, s.label(i))
	if s.q.Weights != nil {
		t.weights = append(t.weights, s.q.Weights[i])
	}
	if s.extra.offset != nil {
		t.offsets = append(t.offsets, s.extra.offset[i])
	}
}

// end returns the samples as a problem.
func (t *taken) end(s *run) *part {
	q := *s.q
	q.Labels, q.Weights = t.label, t.weights
	var err error
	if q.Data, err = sparse.New(len(t.label), len(s.extra.ridge), t.ptr, t.idx, t.val); err != nil {
		panic(err) // rows of a valid matrix
	}
	q.Rows = q.Data.Compact(nil)
	return &part{&q, t.offsets}
}
