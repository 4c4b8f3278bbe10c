package solvertest

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Naive runs Algorithms 1 and 2 of SCAS-ADMM as their paper prints them, with loops over dense vectors. It
// also has the options of package solver that the paper lacks: several dual updates (see OuterIteration),
// Kappa and BatchSize. Package admm must give the same results, up to rounding.
type Naive struct {
	Problem    *solver.Problem
	X, Y, Beta []float64
	Eta, Rho   float64
	Nu         float64 // ν_L of Algorithm 2
	Kappa      float64 // ρ times the largest eigenvalue of A'A if steps linearise (ρ/2)|A x − y|², else 0
	BatchSize  int     // number of samples of an inner step; 0 means 1
	RNG        *rand.PCG

	anchor []float64 // x after the last dual update, the point at which steps linearise
}

// NewNaive returns a Naive that starts from x = 0. It takes Eta, Rho and Seed from s.
func NewNaive(p *solver.Problem, s *solver.Settings) *Naive {
	n := &Naive{Problem: p, Eta: s.Eta, Rho: s.Rho, RNG: rand.NewPCG(s.Seed, 0x5ca5)}
	_, cols := p.Data.Dims()
	n.X = make([]float64, cols)
	n.Y = n.MulA(n.X)
	n.Beta = make([]float64, len(n.Y))
	return n
}

// Slope returns the slope of sample i at x, for the squared loss or the logistic loss.
func (n *Naive) Slope(i int, x []float64) float64 {
	t, b := Dot(n.Problem.Data, i, x), n.Problem.Labels[i]
	if _, squared := n.Problem.Loss.(solver.Squared); squared {
		return -2 * (b - t)
	}
	return -b / (1 + math.Exp(b*t))
}

// Draw returns the next random sample. Package solver draws the same samples with the same seed, if all
// samples have the same weight.
func (n *Naive) Draw() int {
	rows, _ := n.Problem.Data.Dims()
	i, _ := bits.Mul64(n.RNG.Uint64(), uint64(rows))
	return int(i)
}

// step returns the inner iterate that follows w: the projection of
//
//	w − η[(φ'(aᵢ'w) − φ'(aᵢ'x))aᵢ + mu(w−x) + ∇f(x) + A'(β + ρ(Aw − y))]
//
// on the domain, where x is the snapshot n.X, gradient is the full gradient ∇f(x), and i is a random sample.
// If BatchSize > 1, the mean over BatchSize random samples replaces the term with i. If Kappa > 0, the last
// term is A'(β + ρ(A anchor − y)) + Kappa(w − anchor).
func (n *Naive) step(w, gradient []float64) []float64 {
	point := w
	if n.Kappa > 0 {
		point = n.anchor
	}
	aw := n.MulA(point)
	for j := range aw {
		aw[j] = n.Beta[j] + n.Rho*(aw[j]-n.Y[j])
	}
	g := n.MulAT(aw)
	b := max(1, n.BatchSize)
	for range b {
		i := n.Draw()
		delta := n.Slope(i, w) - n.Slope(i, n.X)
		idx, val := n.Problem.Data.Row(i)
		for k, j := range idx {
			g[j] += delta * val[k] / float64(b)
		}
	}
	nextW := make([]float64, len(w))
	for j := range w {
		nextW[j] = w[j] - n.Eta*(g[j]+gradient[j]+n.Problem.L2*(w[j]-n.X[j]))
		if n.Kappa > 0 {
			nextW[j] -= n.Eta * n.Kappa * (w[j] - n.anchor[j])
		}
	}
	if n.Problem.Domain != nil {
		n.Problem.Domain.Project(nextW)
	}
	return nextW
}

// FullGradient returns the gradient at n.X of the mean loss plus the ridge.
func (n *Naive) FullGradient() []float64 {
	rows, cols := n.Problem.Data.Dims()
	gradient := make([]float64, cols)
	for i := range rows {
		idx, val := n.Problem.Data.Row(i)
		for k, j := range idx {
			gradient[j] += n.Slope(i, n.X) * val[k] / float64(rows)
		}
	}
	for j := range gradient {
		gradient[j] += n.Problem.L2 * n.X[j]
	}
	return gradient
}

// OuterIteration runs one outer iteration: of Algorithm 2 if strong is true, and otherwise of Algorithm 1.
// The m inner iterates are divided into k parts of about equal size. After each part, x becomes the mean of
// the part, and a dual update follows.
func (n *Naive) OuterIteration(m, k int, strong bool) {
	gradient := n.FullGradient()
	snapshot := n.X
	for b := range k {
		size := (b+1)*m/k - b*m/k
		n2 := *n
		n2.anchor = n.X
		n2.X = snapshot // step uses n2.X as the snapshot
		sum := n2.plainSum
		if strong {
			sum = n2.strongSum
		}
		x := sum(n.X, gradient, size)
		for j := range x {
			x[j] /= float64(size)
		}
		n.X = x
		n.DualStep()
	}
}

// plainSum returns w_0 + … + w_{size−1} for the inner iterates of Algorithm 1 from w_0 = x.
func (n *Naive) plainSum(x, gradient []float64, size int) []float64 {
	w, sum := slices.Clone(x), slices.Clone(x)
	for range size - 1 {
		w = n.step(w, gradient)
		for j := range sum {
			sum[j] += w[j]
		}
	}
	return sum
}

// strongSum returns w̃_1 + … + w̃_size, where w̃_{m+1} = (r w_m + s w_{m+1})/(2η) for the inner iterates w_m
// of Algorithm 2 from w_0 = x. Here η is n.Eta, s = η/(1 − ν η/2) with ν = n.Nu, and r = 2η − s.
func (n *Naive) strongSum(x, gradient []float64, size int) []float64 {
	w, sum := slices.Clone(x), make([]float64, len(x))
	s := n.Eta / (1 - n.Nu*n.Eta/2)
	r := 2*n.Eta - s
	for range size {
		nextW := n.step(w, gradient)
		for j := range sum {
			sum[j] += (r*w[j] + s*nextW[j]) / (2 * n.Eta)
		}
		w = nextW
	}
	return sum
}

// DualStep minimises the augmented Lagrangian over y, and then updates beta. The penalty must be solver.L1.
func (n *Naive) DualStep() {
	for j, v := range n.MulA(n.X) {
		lambda := term.L1(n.Problem.Penalty.(solver.L1)).Limit(j)
		u := v + n.Beta[j]/n.Rho
		n.Y[j] = math.Copysign(math.Max(math.Abs(u)-lambda/n.Rho, 0), u)
		n.Beta[j] += n.Rho * (v - n.Y[j])
	}
}

// MulA returns A x.
func (n *Naive) MulA(x []float64) []float64 {
	if n.Problem.Constraint == nil {
		return slices.Clone(x)
	}
	l, _ := n.Problem.Constraint.Dims()
	out := make([]float64, l)
	for r := range out {
		out[r] = Dot(n.Problem.Constraint.(*sparse.CSR), r, x)
	}
	return out
}

// MulAT returns A'v.
func (n *Naive) MulAT(v []float64) []float64 {
	if n.Problem.Constraint == nil {
		return slices.Clone(v)
	}
	l, p := n.Problem.Constraint.Dims()
	out := make([]float64, p)
	for r := range l {
		idx, val := n.Problem.Constraint.(*sparse.CSR).Row(r)
		for k, j := range idx {
			out[j] += val[k] * v[r]
		}
	}
	return out
}
