package exact

import (
	"github.com/scas-admm/scas/solver/internal/sample"
)

// The solution for m of the samples has an error in the objective of about P p/m. So it is found
// for a part of the samples first, to about that gap; and there from a part of these (sample
// sizes that grow with the accuracy: Byrd, Chin, Nocedal, Wu 2012).
const (
	sampleShare   = 8    // the part is that of the samples
	leastSample   = 2000 // samples, and
	sampleFor     = 16   // samples for each feature
	sampleGap     = 0.01 // of p/m, relative to the loss at 0
	mostOfSamples = 12   // steps
)

// samples reports whether a part of n samples is enough for so many features.
func samples(n, features int) bool { return n/sampleShare >= max(leastSample, sampleFor*features) }

// sampled moves the point to the solution for a part of the samples, if there are many, and returns
// the problem of these.
func (s *Solver) sampled(lambda float64, set *Settings) *Solver {
	if !samples(s.All.Samples, s.p) {
		return nil
	}
	pick := sample.Picks(s.n, max(1, s.n/sampleShare))
	m := len(pick)
	part := *s.Problem
	var err error
	if part.Data, err = s.Data.SelectRows(pick); err != nil {
		panic(err) // the rows are there
	}
	part.Rows = part.Data.Compact(nil)
	part.Labels = entries(s.Labels, pick)
	part.Weights, part.Offset = entries(s.Weights, pick), entries(s.Offset, pick)
	total := float64(m)
	if part.Weights != nil {
		total = 0
		for _, w := range part.Weights {
			total += w
		}
	}
	if s.Team.Total(total) == 0 {
		return nil
	}
	q, err := New(&part)
	if err != nil {
		return nil
	}
	if q.coupled != nil {
		q.coupled.rough = true
	}
	asked := 0
	r := q.Solve(lambda, &Settings{
		Tol: sampleGap * float64(s.p) / float64(q.All.Samples) * q.scale, MaxIterations: mostOfSamples, Stop: set.Stop,
		Interrupt: func() error { // a step takes a part of one of all samples
			if asked++; asked%sampleShare == 0 && set.Interrupt != nil {
				return set.Interrupt()
			}
			return nil
		},
	})
	if r.Objective <= q.scale {
		copy(s.x, q.x)
		return q
	}
	return nil
}

// entries returns the entries of v, nil for nil.
func entries(v []float64, pick []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(pick))
	for k, i := range pick {
		out[k] = v[i]
	}
	return out
}
