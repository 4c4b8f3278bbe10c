package glasso

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A subspace describes the non-zero entries of newtonBlock.z on and above the diagonal. As long as their
// signs do not change, the Newton model is a quadratic function of these entries. Conjugate gradients
// minimise it in few steps even if w is ill-conditioned: for the operator P -> W P W of the model, the
// preconditioner is P -> X P X. X is newtonBlock.x, and W, its inverse, is newtonBlock.w.
type subspace struct {
	*newtonBlock
	at        []int     // positions of the entries in z, row by row
	weight    []float64 // how often z contains each entry: once on the diagonal, twice elsewhere
	dense     []float64 // n x n, scratch memory
	transpose []float64 // n x n, the transpose of dense
}

// subspaceStep moves z towards the minimum of the model over the non-zero entries of z, whose signs it keeps:
// an entry that would change its sign becomes 0. lowered is true if the value of the model has fallen.
func (b *newtonBlock) subspaceStep(active [][]int32, accuracy float64) (lowered bool) {
	const most = 30 // rounds; entries may become 0 in each round
	s := &subspace{newtonBlock: b, dense: make([]float64, b.n*b.n), transpose: make([]float64, b.n*b.n)}
	for range most {
		s.collect(active)
		moved, done := s.take(active, s.solve(s.residual(), accuracy))
		lowered = lowered || moved
		if done {
			break
		}
	}
	return lowered
}

func (s *subspace) collect(active [][]int32) {
	s.at, s.weight = s.at[:0], s.weight[:0]
	for i, cols := range active {
		for _, j := range cols {
			at := i*s.n + int(j)
			if s.z[at] == 0 {
				continue
			}
			weight := 2.0
			if at%s.n == i {
				weight = 1
			}
			s.at, s.weight = append(s.at, at), append(s.weight, weight)
		}
	}
}

// residual returns the negative gradient of the model at z, for the non-zero entries of z.
func (s *subspace) residual() []float64 {
	change, residual := make([]float64, len(s.at)), make([]float64, len(s.at))
	for k, at := range s.at {
		change[k] = s.z[at] - s.x[at]
	}
	s.apply(residual, s.w, change)
	for k, at := range s.at {
		residual[k] = -(residual[k] + s.s[at] - s.w[at] + math.Copysign(s.penaltyAt(at/s.n, at%s.n), s.z[at]))
	}
	return residual
}

// apply sets dst to the entries of m P m at the positions s.at. The symmetric matrix P has the entries p at
// these positions and their mirror images, and 0 elsewhere.
func (s *subspace) apply(dst, m, p []float64) {
	n := s.n
	clear(s.dense) // becomes P m
	for k, at := range s.at {
		i, j := at/n, at%n
		kernels.Axpy(p[k], m[j*n:(j+1)*n], s.dense[i*n:(i+1)*n])
		if i != j {
			kernels.Axpy(p[k], m[i*n:(i+1)*n], s.dense[j*n:(j+1)*n])
		}
	}
	for i := range n {
		for j := range n {
			s.transpose[j*n+i] = s.dense[i*n+j]
		}
	}
	for k, at := range s.at {
		i, j := at/n, at%n
		dst[k] = kernels.Dot(m[i*n:(i+1)*n], s.transpose[j*n:(j+1)*n])
	}
}

// dot returns the inner product of two symmetric matrices that have the entries x and y at the positions
// s.at and their mirror images, and 0 elsewhere.
func (s *subspace) dot(x, y []float64) float64 {
	sum := 0.0
	for k, w := range s.weight {
		sum += float64(float64(w*x[k]) * y[k])
	}
	return sum
}

// solve returns the entries, at the positions s.at, of a matrix D for which s.w D s.w is about residual
// there. It takes preconditioned conjugate gradient steps, at most 60, until the norm of the residual has
// fallen by the factor accuracy. It overwrites residual.
func (s *subspace) solve(residual []float64, accuracy float64) []float64 {
	const most = 60
	d := make([]float64, len(residual))
	way, image, next := make([]float64, len(d)), make([]float64, len(d)), make([]float64, len(d))
	s.apply(next, s.x, residual)
	copy(way, next)
	norm2 := s.dot(residual, next) // squared norm of the residual, measured by the preconditioner
	goal := norm2 * accuracy * accuracy
	for range most {
		s.apply(image, s.w, way)
		curvature := s.dot(way, image)
		if !(curvature > 0) || !(norm2 > goal) {
			break
		}
		length := norm2 / curvature
		kernels.Axpy(length, way, d)
		kernels.Axpy(-length, image, residual)
		s.apply(next, s.x, residual)
		was := norm2
		norm2 = s.dot(residual, next)
		for k, v := range next {
			way[k] = v + float64(norm2/was*way[k])
		}
	}
	return d
}

// take adds d to the non-zero entries of z if this lowers the model. Entries that would change their signs
// become 0. If there are such entries, take also tries fractions of d, and adds the first that lowers the
// model. lowered reports whether z changed. done is true if another step would not help.
func (s *subspace) take(active [][]int32, d []float64) (lowered, done bool) {
	before, was := s.model(active), s.values(active)
	first := 1.0
	for k, at := range s.at {
		if z := s.z[at]; z*(z+d[k]) < 0 {
			first = min(first, -z/d[k])
		}
	}
	lengths := []float64{1}
	if first < 1 {
		lengths = []float64{1, 0.5, 0.25, 0.125, first}
	}
	for _, length := range lengths {
		if s.place(s.towards(active, was, d, length), active); s.model(active) < before {
			return true, first == 1
		}
		s.place(was, active)
	}
	return false, true
}

// towards returns the active entries of z after a step of the given length along d. was holds these entries
// before the step. Entries that would change their signs become 0.
func (s *subspace) towards(active [][]int32, was, d []float64, length float64) []float64 {
	to := slices.Clone(was)
	k, m := 0, 0
	for i, cols := range active {
		for _, j := range cols {
			if k < len(s.at) && s.at[k] == i*s.n+int(j) {
				to[m] = addKeepingSign(was[m], float64(length*d[k]))
				k++
			}
			m++
		}
	}
	return to
}

// addKeepingSign returns z + d, or 0 if the sum does not have the sign of z or is below 1e-12 |z|.
func addKeepingSign(z, d float64) float64 {
	if to := z + d; to*z > 0 && math.Abs(to) >= 1e-12*math.Abs(z) {
		return to
	}
	return 0
}
