package inner

import "github.com/scas-admm/scas/solver/internal/scale"

// blockSteps bounds the steps between two calls of Interrupt.
const blockSteps = 1024

// A Stage runs a plan over samples that it draws, in the metric of its loop, and takes
// the means of the paper's algorithms. Vectors have length p and are those of the problem.
type Stage struct {
	Plan
	Metric    *scale.Metric // nil for that of the problem
	Draw      func(rows []int32)
	Interrupt func() error // asked every thousand samples or so; its error ends a block

	sum, last []float64 // of the iterates of a block; its final one, once needed
	u         []float64 // where a block starts, if scaled
	rows      []int32   // drawn
}

// steps does so many steps from x, with the constant d, which it does not overwrite. The results
// are the sum of the iterates after each step and, unless last is nil, the final one.
func (s *Stage) steps(x, d []float64, eta float64, steps int, last []float64) error {
	if s.sum == nil {
		s.sum, s.rows = make([]float64, len(x)), make([]int32, max(blockSteps, s.BatchSize()))
	}
	s.Begin(s.Start(x), d, eta)
	for batch := s.BatchSize(); steps > 0; {
		if err := s.Interrupt(); err != nil {
			return err
		}
		now := min(steps, max(1, len(s.rows)/batch))
		rows := s.rows[:now*batch]
		s.Draw(rows)
		s.Advance(rows)
		steps -= now
	}
	s.End(s.sum, last)
	s.Metric.Times(s.sum)
	s.Metric.Times(last)
	return nil
}

// Start returns x in the metric, valid until the next call.
func (s *Stage) Start(x []float64) []float64 {
	if s.Metric != nil && s.u == nil {
		s.u = make([]float64, len(x))
	}
	return s.Metric.Into(s.u, x)
}

// Mean is Algorithm 1: it makes x the mean of w_0, which is x, to w_{M−1}, after M−1
// steps with the constant d in the metric.
func (s *Stage) Mean(x, d []float64, eta float64, iterates int) error {
	if err := s.steps(x, d, eta, iterates-1, nil); err != nil {
		return err
	}
	inv := 1 / float64(iterates)
	for j, sum := range s.sum {
		x[j] = (x[j] + sum) * inv
	}
	return nil
}

// WeightedMean is Algorithm 2: after M steps it makes x the mean of w̃_{m+1} = (r w_m + s
// w_{m+1})/(2η), m = 0..M−1, with s = η/(1 − ν η/2) and r = 2η − s. Since r + s = 2η,
// that mean is
//
//	(1/M) [ Σ_{m=1}^{M−1} w_m + (r w_0 + s w_M)/(2η) ].
//
// ν is ν_L, but at most 1/η: beyond that the weight of w_0 would be negative.
func (s *Stage) WeightedMean(x, d []float64, eta, nuL float64, iterates int) error {
	if s.last == nil {
		s.last = make([]float64, len(x))
	}
	if err := s.steps(x, d, eta, iterates, s.last); err != nil {
		return err
	}
	first, last := EndWeights(eta, nuL)
	inv := 1 / float64(iterates)
	for j, w := range s.last {
		within := s.sum[j] - w
		x[j] = float64(within+float64(first*x[j])+float64(last*w)) * inv
	}
	return nil
}

// EndWeights returns the weights r/(2η) of w_0 and s/(2η) of w_M.
func EndWeights(eta, nuL float64) (first, last float64) {
	h := min(eta*nuL, 1)
	return (1 - h) / (2 - h), 1 / (2 - h)
}
