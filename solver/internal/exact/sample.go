package exact

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

// samplesDo reports whether a part of n samples is enough for so many features.
func samplesDo(n, features int) bool { return n/sampleShare >= max(leastSample, sampleFor*features) }

// Samples reports whether Solve begins with a part of the samples, unless a start is given.
func (s *Solver) Samples() bool { return samplesDo(s.rows.count(), s.p) }

// sampled moves the point to the solution for a part of the samples, if there are many, and returns
// the problem of these.
func (s *Solver) sampled(lambda float64, set *Settings) *Solver {
	part := *s.Problem
	if !s.rows.subsample(&part) {
		return nil
	}
	q, err := New(&part)
	if err != nil || !(q.scale > 0) { // samples that 0 fits say nothing
		return nil
	}
	if q.coupled != nil {
		q.coupled.rough = true
	}
	asked := 0
	r := q.Solve(lambda, &Settings{
		Tol: sampleGap * float64(s.p) / float64(q.rows.count()) * q.scale, MaxIterations: mostOfSamples, Stop: set.Stop,
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

// picks draws one number of each of m runs of n/m: whatever order or period the samples
// have is that of a part of them, too.
func picks(n, m int) []int {
	pick := make([]int, m)
	state := uint64(1)
	for k := range pick {
		state = state*6364136223846793005 + 1442695040888963407
		lo, hi := k*n/m, (k+1)*n/m
		pick[k] = lo + int((state>>33)%uint64(hi-lo))
	}
	return pick
}
