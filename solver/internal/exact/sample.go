package exact

import "math"

// If there are many samples, Solve may begin with a smaller problem: the same problem for m of the samples
// (Byrd, Chin, Nocedal, Wu 2012). With p features, the objective of the whole problem at the solution
// of the smaller problem is too large by a fraction of about p/m. So the tolerance of the smaller problem is
// proportional to p/m.
const (
	sampleShare = 8    // with rows in memory, a smaller problem has an eighth of the samples
	leastSample = 2000 // with rows in memory, smallest number of samples in a smaller problem
	// With rows in memory, smallest number of samples per feature in a smaller problem.
	samplesPerFeature = 16
	sampleGap         = 0.03 // tolerance of a smaller problem, divided by Solver.Scale·features/samples
	mostSampleSteps   = 12   // largest number of iterations for a smaller problem
)

// enoughSamples reports whether Solve may begin with an eighth of n samples.
func enoughSamples(n, features int) bool {
	return n/sampleShare >= max(leastSample, samplesPerFeature*features)
}

// EnoughSamples reports whether there are enough samples for Solve to begin with an eighth of them.
func (s *Solver) EnoughSamples() bool { return enoughSamples(s.sampleCount, s.p) }

// startBySamples moves the point to the solution for some of the samples, and returns the Solver that found
// it. If it returns nil, the point has not moved. It returns the error of set.Interrupt, if there is one.
func (s *Solver) startBySamples(lambda float64, set *Settings) (*Solver, error) {
	subproblem := *s.Problem
	if !s.rows.subsample(&subproblem) {
		return nil, nil
	}
	subproblem.FixedRidge = rareRidges(&subproblem)
	q, err := New(&subproblem)
	if err != nil || !(q.scale > 0) { // the scale is 0 if x = 0 fits these samples exactly
		return nil, nil
	}
	q.rough = true
	steps := 0
	r := q.Solve(lambda, &Settings{
		Tol: sampleGap * float64(s.p) / float64(q.sampleCount) * q.scale, MaxIterations: mostSampleSteps,
		Unproved: true, Stop: set.Stop,
		Interrupt: func() error { // eight of these steps cost as much as one step with all samples
			steps++
			if steps%sampleShare == 0 && set.Interrupt != nil {
				return set.Interrupt()
			}
			return nil
		},
	})
	if r.Err == nil && s.allowsZero() && !(r.Objective <= q.zeroLoss) { // x = 0 is the better start
		return nil, nil
	}
	copy(s.x, q.x)
	return q, r.Err
}

// rareRidges returns the ridges for p, the smaller problem of startBySamples: p.FixedRidge, plus a ridge for
// each feature with few entries in the data of all processes. For c entries, this ridge is (rareEntries/c)²
// times the largest curvature along the feature. Without it, the coefficient of the feature may be very large
// at the solution of p. Newton steps for the whole problem would then converge slowly at first.
func rareRidges(p *Problem) []float64 {
	curvature := p.Loss.Curvature()
	if math.IsInf(curvature, 1) {
		return p.FixedRidge
	}
	n, features := p.dims()
	totals := make([]float64, 2*features)
	counts, squares := totals[:features], totals[features:]
	for i := range n {
		idx, val := p.Data.Row(i)
		for k, j := range idx {
			counts[j]++
			squares[j] += float64(val[k] * val[k])
		}
	}
	samples := p.Team.SumWith(totals, float64(n))
	ridges := make([]float64, features)
	copy(ridges, p.FixedRidge)
	for j, c := range counts {
		if c > 0 && c < mostRare {
			ridges[j] += float64(rareEntries / c * rareEntries / c * (curvature * squares[j] / samples))
		}
	}
	return ridges
}

const (
	rareEntries = 4  // see rareRidges
	mostRare    = 64 // features with at least this number of entries get no ridge from rareRidges
)

// drawIndices divides the numbers 0 to n−1 into m ranges of about n/m numbers, and draws one number from each
// range. m must be at most n.
func drawIndices(n, m int) []int {
	indices := make([]int, m)
	random := generator(1)
	for k := range indices {
		lo, hi := k*n/m, (k+1)*n/m
		indices[k] = lo + random.intN(hi-lo)
	}
	return indices
}

// A generator draws pseudorandom numbers. Its value is its state.
type generator uint64

// intN draws a number from 0 to n−1.
func (g *generator) intN(n int) int {
	*g = *g*6364136223846793005 + 1442695040888963407
	return int((*g >> 33) % generator(n))
}
