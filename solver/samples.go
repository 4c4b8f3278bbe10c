package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/term"
)

// Samples are the data as methods see them: full passes, single samples, and the
// draws. They serve one run, not several at once.
type Samples struct {
	prob  *Problem
	loss  term.Loss
	ready pass.Ready
	full  *pass.Gradient
	drawn *admm.Sampler

	margin1, gain1 [1]float64
}

func newSamples(p *Problem, set *Settings, ended func() bool) *Samples {
	n, features := p.Data.Dims()
	s := &Samples{prob: p, loss: p.loss(), ready: pass.Prepare(p.team(), p.Data, set.Float32, ended)}
	s.full = pass.NewGradient(pass.NewChunks(p.Data, set.Threads), p.samples(s.ready.Rows), features)
	s.drawn = admm.NewSampler(set.Seed, n, p.SampleWeights)
	return s
}

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
	at.Loss = s.full.At(at.Gradient, x, at.Margin, at.Slope)
}

// Draw sets rows to the numbers of samples drawn uniformly, or in proportion to
// the sample weights, with replacement.
func (s *Samples) Draw(rows []int32) { s.drawn.Draw(rows) }

// Rows returns the data in the form that the kernels take. It is only read.
func (s *Samples) Rows() kernels.Rows { return s.ready.Rows }

// row is a view of sample i.
func (s *Samples) row(i int) kernels.Rows {
	v := s.ready.Rows
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
