package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
)

// Samples gives a method access to the data: full passes, single samples, and random draws. It
// must not be used concurrently.
type Samples struct {
	prob     *Problem
	loss     term.Loss
	rows     kernels.Rows // the rows, usually in their most compact form; rounded if Settings.Float32 is set
	exact    kernels.Rows // the rows without rounding
	rounded  bool         // rows may differ from exact
	chunks   rows.Chunks
	gradient *rows.Gradient // nil before the first pass
	sampler  *admm.Sampler

	margin1, gain1 [1]float64 // scratch memory of Margin and Scatter
}

// newSamples returns the Samples of p. If ended is true, the run has already ended, and newSamples does not
// copy the rows.
func newSamples(p *Problem, set *Settings, ended bool) *Samples {
	n, _ := p.Data.Dims()
	s := &Samples{prob: p, loss: p.loss(), rows: p.Data.Rows(0, n)}
	s.chunks, s.sampler = rows.NewChunks(p.Data, set.Threads), admm.NewSampler(set.Seed, n, p.SampleWeights)
	if !ended {
		s.rows = p.Data.Compact(set.Float32)
	}
	// All processes agree on rounded, because they make other calls together if it is true.
	s.exact, s.rounded = s.rows, p.team().Any(set.Float32 && s.rows.Val32 != nil)
	if s.rounded {
		s.exact = p.Data.Rows(0, n)
	}
	return s
}

// A Snapshot holds the results of a pass over the data at a point.
type Snapshot struct {
	Loss     float64   // mean loss
	Gradient []float64 // gradient of the mean loss, without the L2 term; length p
	Margin   []float64 // aᵢ'x for each sample i
	Slope    []float64 // φ'(aᵢ'x; bᵢ) for each sample i, without sample weights
}

func newSnapshot(n, features int) Snapshot {
	return Snapshot{
		Gradient: make([]float64, features), Margin: make([]float64, n), Slope: make([]float64, n),
	}
}

// Gradient computes the snapshot at x and stores it in snapshot. It makes a pass over the data, which the
// method must count with Run.Spend.
func (s *Samples) Gradient(snapshot *Snapshot, x []float64) {
	if s.gradient == nil {
		s.gradient = rows.NewGradient(s.chunks, s.prob.samples(s.rows), len(x))
	}
	snapshot.Loss = s.gradient.Compute(snapshot.Gradient, x, snapshot.Margin, snapshot.Slope)
}

// exactGradient is Gradient for the data without rounding.
func (s *Samples) exactGradient(snapshot *Snapshot, x []float64) {
	if !s.rounded {
		s.Gradient(snapshot, x)
		return
	}
	g := rows.NewGradient(s.chunks, s.prob.samples(s.exact), len(x))
	snapshot.Loss = g.Compute(snapshot.Gradient, x, snapshot.Margin, snapshot.Slope)
}

// Draw fills rows with the indices of samples drawn with replacement: in proportion to the sample weights,
// or uniformly if there are no weights.
func (s *Samples) Draw(rows []int32) { s.sampler.Draw(rows) }

// Rows returns the data in the form that the kernels take. The caller must not change it.
func (s *Samples) Rows() kernels.Rows { return s.rows }

// Margin returns aᵢ'x.
func (s *Samples) Margin(i int, x []float64) float64 {
	kernels.Margins(s.margin1[:], s.rows.Row(i), x)
	return s.margin1[0]
}

// Slope returns φ'(t; bᵢ), the slope of sample i at the margin t.
func (s *Samples) Slope(i int, t float64) float64 {
	return s.loss.Slope(t, s.prob.Labels[i])
}

// SecondDerivative returns φ″(t; bᵢ) for sample i at the margin t. slope must be the result of Slope for t.
func (s *Samples) SecondDerivative(i int, t, slope float64) float64 {
	return s.loss.SecondDerivative(t, slope, s.prob.Labels[i])
}

// Scatter adds gain·aᵢ to dst, which has length p.
func (s *Samples) Scatter(dst []float64, i int, gain float64) {
	s.gain1[0] = gain
	kernels.Gradient(dst, s.rows.Row(i), s.gain1[:])
}

// Curvature returns an upper bound of SecondDerivative. The largest Curvature·|aᵢ|², plus L2, is
// Stats.Constants.NuF. Stochastic steps usually converge with a step size of 0.5/NuF, and diverge
// from some multiple of 1/NuF on.
func (s *Samples) Curvature() float64 { return s.loss.Curvature() }
