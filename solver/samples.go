package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Samples are the data as methods see them: full passes, single samples, and the
// draws. They serve one run, not several at once.
type Samples struct {
	prob  *Problem
	loss  term.Loss
	rows  kernels.Rows   // in their most compact form
	sums  rows.Chunks    // what passes are cut into
	full  *rows.Gradient // nil until a pass
	drawn *admm.Sampler

	longest, scale float64 // largest and root mean square |aᵢ| of all processes, the first squared; see measure

	margin1, gain1 [1]float64
}

// newSamples leaves the rows as they are where the run has ended.
func newSamples(p *Problem, set *Settings, ended bool) *Samples {
	n, _ := p.Data.Dims()
	s := &Samples{prob: p, loss: p.loss(), rows: p.Data.Rows(0, n)}
	s.sums, s.drawn = rows.NewChunks(p.Data, set.Threads), admm.NewSampler(set.Seed, n, p.SampleWeights)
	if !ended {
		s.rows = p.Data.Compact(&sparse.CompactOptions{Round: set.Float32})
	}
	return s
}

// measure takes the norms of the rows, from which step sizes and rho follow.
func (s *Samples) measure() { s.longest, s.scale = s.prob.team().Norms(s.prob.Data.RowNormsSq()) }

// A Snapshot is a pass over the data at a point.
type Snapshot struct {
	Loss     float64   // mean loss
	Gradient []float64 // of the mean loss, without the L2 term; of length p
	Margin   []float64 // aᵢ'x
	Slope    []float64 // φ'(aᵢ'x), without sample weights
}

func newSnapshot(n, features int) Snapshot {
	return Snapshot{Gradient: make([]float64, features), Margin: make([]float64, n), Slope: make([]float64, n)}
}

// Gradient fills the snapshot at x. It is a pass over the data, to be counted with
// Run.Spend.
func (s *Samples) Gradient(at *Snapshot, x []float64) {
	if s.full == nil {
		s.full = rows.NewGradient(s.sums, s.prob.samples(s.rows), len(x))
	}
	at.Loss = s.full.At(at.Gradient, x, at.Margin, at.Slope)
}

// Draw sets rows to the numbers of samples drawn uniformly, or in proportion to
// the sample weights, with replacement.
func (s *Samples) Draw(rows []int32) { s.drawn.Draw(rows) }

// Rows returns the data in the form that the kernels take. It is only read.
func (s *Samples) Rows() kernels.Rows { return s.rows }

// row is a view of sample i.
func (s *Samples) row(i int) kernels.Rows {
	v := s.rows
	v.Ptr = v.Ptr[i : i+2]
	return v
}

// Margin returns aᵢ'x.
func (s *Samples) Margin(i int, x []float64) float64 {
	kernels.Margins(s.margin1[:], s.row(i), x)
	return s.margin1[0]
}

// Slope returns φ'(t; bᵢ).
func (s *Samples) Slope(i int, t float64) float64 {
	return s.loss.Slope(t, s.prob.Labels[i])
}

// SecondDerivative returns φ”(t; bᵢ), given what Slope returns for t.
func (s *Samples) SecondDerivative(i int, t, slope float64) float64 {
	return s.loss.SecondDerivative(t, slope, s.prob.Labels[i])
}

// Scatter adds gain·aᵢ to dst, of length p.
func (s *Samples) Scatter(dst []float64, i int, gain float64) {
	s.gain1[0] = gain
	kernels.Gradient(dst, s.row(i), s.gain1[:])
}

// Curvature is an upper bound of SecondDerivative, which is a derivative in the margin. No
// step in x is measured in its inverse: the gradient of sample i in x changes Curvature·|aᵢ|²
// times as fast. For all samples, with the L2 term, this is Stats.Constants.NuF, and with the
// term of ρ it is NuL. A stochastic step diverges beyond some multiple of 1/NuF; half of
// 1/NuF is a safe start (see the example).
func (s *Samples) Curvature() float64 { return s.loss.Curvature() }
