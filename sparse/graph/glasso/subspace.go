package glasso

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A subspace holds the non-zero entries of z on and above the diagonal. With fixed signs
// the Newton model is a quadratic function of these entries. Conjugate gradients minimise
// it in few steps, with P -> X P X as preconditioner for P -> W P W, even if w is
// ill-conditioned; coordinate descent would then need thousands of sweeps.
type subspace struct {
	*newtonBlock
	at    []int     // positions of the entries in z, row by row
	times []float64 // 1 on the diagonal, 2 elsewhere, for the two triangles
	dense []float64 // n x n, scratch memory
	turn  []float64 // n x n, the transpose of dense
}

// subspaceStep moves z to the minimum of the model over the non-zero entries of z, whose signs it
// keeps, and reports whether that lowered the model. An entry that would change its sign
// becomes 0.
func (b *newtonBlock) subspaceStep(active [][]int32, accuracy float64) (lowered bool) {
	const most = 30 // rounds; in each round entries may become 0
	s := &subspace{newtonBlock: b, dense: make([]float64, b.n*b.n), turn: make([]float64, b.n*b.n)}
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

// collect finds the non-zero entries of z.
func (s *subspace) collect(active [][]int32) {
	s.at, s.times = s.at[:0], s.times[:0]
	for i, cols := range active {
		for _, j := range cols {
			at := i*s.n + int(j)
			if s.z[at] == 0 {
				continue
			}
			times := 2.0 // an off-diagonal entry counts for both triangles
			if at%s.n == i {
				times = 1
			}
			s.at, s.times = append(s.at, at), append(s.times, times)
		}
	}
}

// residual returns the negative gradient of the model at z.
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

// apply sets dst to the entries of M P M, where P is the symmetric matrix with the
// entries p.
func (s *subspace) apply(dst, m, p []float64) {
	n := s.n
	clear(s.dense) // P M
	for k, at := range s.at {
		i, j := at/n, at%n
		kernels.Axpy(p[k], m[j*n:(j+1)*n], s.dense[i*n:(i+1)*n])
		if i != j {
			kernels.Axpy(p[k], m[i*n:(i+1)*n], s.dense[j*n:(j+1)*n])
		}
	}
	for i := range n {
		for j := range n {
			s.turn[j*n+i] = s.dense[i*n+j]
		}
	}
	for k, at := range s.at {
		i, j := at/n, at%n
		dst[k] = kernels.Dot(m[i*n:(i+1)*n], s.turn[j*n:(j+1)*n])
	}
}

// dot returns the inner product of two symmetric matrices.
func (s *subspace) dot(x, y []float64) float64 {
	sum := 0.0
	for k, t := range s.times {
		sum += float64(float64(t*x[k]) * y[k])
	}
	return sum
}

// solve returns the entries of the D for which W D W equals the residual, by conjugate
// gradients with the preconditioner X.
func (s *subspace) solve(residual []float64, accuracy float64) []float64 {
	const most = 60
	d := make([]float64, len(residual))
	way, image, next := make([]float64, len(d)), make([]float64, len(d)), make([]float64, len(d))
	s.apply(next, s.x, residual)
	copy(way, next)
	rest := s.dot(residual, next)
	end := rest * accuracy * accuracy
	for range most {
		s.apply(image, s.w, way)
		curvature := s.dot(way, image)
		if !(curvature > 0) || !(rest > end) {
			break
		}
		length := rest / curvature
		kernels.Axpy(length, way, d)
		kernels.Axpy(-length, image, residual)
		s.apply(next, s.x, residual)
		was := rest
		rest = s.dot(residual, next)
		for k, v := range next {
			way[k] = v + float64(rest/was*way[k])
		}
	}
	return d
}

// take adds d to z. If entries would change their signs, they become 0, and take tries
// several step lengths and uses the first that lowers the model. lowered reports whether
// one did; done reports that nothing is left to do.
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

// towards returns the active entries after a step of the given length from was along d.
// Entries that would change their signs become 0.
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

// addKeepingSign returns z + d, or 0 if the sum has another sign than z or is only rounding.
func addKeepingSign(z, d float64) float64 {
	if to := z + d; to*z > 0 && math.Abs(to) >= 1e-12*math.Abs(z) {
		return to
	}
	return 0
}
