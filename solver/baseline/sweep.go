package baseline

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// A sweep does the step of x, y and beta of the methods that take one with every sample,
// where A is [G; I] or I. With T = A'(beta + ρ(A x − y)) + E + g, of the multiplier and of
// what the method and the sample add,
//
//	x ← x − length·T,  or  x − (w I + ρ A'A)⁻¹T
//
// and then y and beta. In features without an entry in G, mostly all of them, the second
// is the first with length 1/(w + ρ), and nothing else of x, y and beta matters to them:
// all that a step does is done to a tile of features before the next. At the others g is
// made such that the same operations bring them where they belong. Sums of the iterates
// are taken along.
type sweep struct {
	*base
	linalg.Parts
	shifted *linalg.Shifted
	x       []float64 // that moves

	// E is the sum of terms.
	terms []term
	g     []float64 // zero between steps
	// lagging sums are of the x before the steps.
	lagging bool

	gx    []float64 // G x
	local []float64 // beta + ρ(x − y) + E at coupled features
	back  []float64 // G'(beta + ρ(G x − y)) there
	// solved is what the system's solution is at them; nil without systems.
	solved []float64
}

// A term is a multiple of a vector.
type term struct {
	by float64
	v  []float64
}

// tile is how many features a step takes at a time: some vectors of them fit the L1
// cache.
const tile = 512

// newSweep returns nil where A is not of that form, or its systems are not solved
// directly; shifted, and solved, of length p, are nil for methods that solve none.
func newSweep(b *base, shifted *linalg.Shifted, solved []float64, terms ...term) *sweep {
	parts, ok := b.a.Parts()
	if !ok || shifted != nil && shifted.Iterative() {
		return nil
	}
	s := &sweep{base: b, Parts: parts, shifted: shifted, x: b.x, terms: terms, g: b.vector(), solved: solved}
	s.local = b.u[parts.Head:] // which a step uses for G alone
	s.back = make([]float64, len(parts.Coupled))
	if s.gx = make([]float64, parts.Head); s.Head > 0 {
		s.G.MulVec(s.gx, b.x)
	}
	return s
}

// at returns beta + ρ(x − y) + E at feature j.
func (s *sweep) at(j int) float64 {
	sum := math.FMA(s.rho, s.x[j]-s.y[s.Head+j], s.beta[s.Head+j])
	for _, t := range s.terms {
		sum = math.FMA(t.by, t.v[j], sum)
	}
	return sum
}

// couple sets local and back at the coupled features.
func (s *sweep) couple() {
	if s.Head == 0 {
		return
	}
	u := s.u[:s.Head]
	copy(u, s.beta[:s.Head])
	kernels.Axpy(-s.rho, s.y[:s.Head], u)
	kernels.Axpy(s.rho, s.gx, u)
	s.Back.MulVec(s.back, u)
	for _, j := range s.Coupled {
		s.local[j] = s.at(j)
	}
}

// sample adds the gradient of the loss of sample i to g, for the step that follows.
func (s *sweep) sample(i int, slope float64) { s.data.Scatter(s.g, i, slope) }

// explicit takes the step of that length, and the iterates into the sums with a weight; 0
// leaves those alone.
func (s *sweep) explicit(i int, length, weight float64) {
	s.couple()
	for k, j := range s.Coupled {
		s.g[j] += s.back[k]
	}
	s.advance(length, weight)
	s.forget(i)
}

// implicit takes the step with (shift I + ρ A'A)⁻¹ likewise.
func (s *sweep) implicit(i int, shift, weight float64) {
	s.couple()
	for k, j := range s.Coupled {
		s.q[j] = s.local[j] + s.back[k] + s.g[j]
	}
	s.shifted.SolveAt(s.Coupled, s.solved, s.q, shift)
	s.bring(i, shift, weight)
}

// bring takes the step that is solved at the coupled features.
func (s *sweep) bring(i int, shift, weight float64) {
	inverse := shift + s.rho
	for _, j := range s.Coupled {
		s.g[j] = float64(s.solved[j]*inverse) - s.local[j]
	}
	s.advance(1/inverse, weight)
	s.forget(i)
}

// forget clears g after a step on sample i.
func (s *sweep) forget(i int) {
	if len(s.g) <= tile {
		clear(s.g)
		return
	}
	idx, _ := s.run.Problem.Data.Row(i)
	for _, j := range idx {
		s.g[j] = 0
	}
	for _, j := range s.Coupled {
		s.g[j] = 0
	}
}

// advance moves x, and then y and beta, tile by tile.
func (s *sweep) advance(length, weight float64) {
	for lo := 0; lo < len(s.x); lo += tile {
		hi := min(lo+tile, len(s.x))
		x, u := s.x[lo:hi], s.q[lo:hi]
		a, b := s.Head+lo, s.Head+hi
		beta, y := s.beta[a:b], s.y[a:b]
		copy(u, beta)
		kernels.Axpy(-s.rho, y, u)
		kernels.Axpy(s.rho, x, u)
		for _, t := range s.terms {
			kernels.Axpy(t.by, t.v[lo:hi], u)
		}
		kernels.Axpy(1, s.g[lo:hi], u)
		if weight != 0 && s.lagging {
			kernels.Axpy(weight, x, s.sums.x[lo:hi])
		}
		kernels.Axpy(-length, u, x)
		kernels.ProxDual(beta, y, x, s.limit[a:b], s.rho)
		if weight != 0 && !s.lagging {
			kernels.Axpy(weight, x, s.sums.x[lo:hi])
		}
		if weight != 0 {
			kernels.Axpy(weight, y, s.sums.y[a:b])
		}
	}
	s.sums.count += weight
	if s.Head == 0 {
		return
	}
	y := s.y[:s.Head]
	s.G.MulVec(s.gx, s.x)
	kernels.ProxDual(s.beta[:s.Head], y, s.gx, s.limit[:s.Head], s.rho)
	if weight != 0 {
		kernels.Axpy(weight, y, s.sums.y[:s.Head])
	}
}
