package glasso

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A subspace describes the non-zero entries of newtonBlock.z on and above the diagonal. As long as their
// signs do not change, the Newton model is a quadratic function of these entries. Let X be newtonBlock.x,
// and W = inv(X) be newtonBlock.w. Conjugate gradients minimise the function in few steps even if W is
// ill-conditioned: the operator of the model is P -> W P W, and the preconditioner is P -> X P X.
type subspace struct {
	*newtonBlock
	indices   []int     // indices of the entries in z, row by row
	weight    []float64 // how often z contains each entry: once on the diagonal, twice elsewhere
	dense     []float64 // n x n, scratch memory
	transpose []float64 // n x n, the transpose of dense
}

// subspaceStep moves z towards the minimum of the model over the non-zero entries of z, whose signs it keeps:
// an entry that would change its sign becomes 0. lowered is true if the value of the model has fallen.
func (b *newtonBlock) subspaceStep(accuracy float64) (lowered bool) {
	const maxRounds = 5 // a round in which no entry becomes 0 is the last
	s := &subspace{newtonBlock: b, dense: make([]float64, b.n*b.n), transpose: make([]float64, b.n*b.n)}
	for range maxRounds {
		s.collectEntries()
		moved, done := s.tryStep(s.solve(s.residual(), accuracy))
		lowered = lowered || moved
		if done {
			break
		}
	}
	return lowered
}

func (s *subspace) collectEntries() {
	s.indices, s.weight = s.indices[:0], s.weight[:0]
	for _, index := range s.active {
		if s.z[index] == 0 {
			continue
		}
		weight := 2.0
		if index/s.n == index%s.n {
			weight = 1
		}
		s.indices, s.weight = append(s.indices, index), append(s.weight, weight)
	}
}

// residual returns the negative gradient of the model at z, for the non-zero entries of z.
func (s *subspace) residual() []float64 {
	change, residual := make([]float64, len(s.indices)), make([]float64, len(s.indices))
	for k, index := range s.indices {
		change[k] = s.z[index] - s.x[index]
	}
	s.apply(residual, s.w, change)
	for k, index := range s.indices {
		residual[k] = -(residual[k] + s.s[index] - s.w[index] +
			math.Copysign(s.penaltyAt(index/s.n, index%s.n), s.z[index]))
	}
	return residual
}

// apply sets dst to the entries of m P m at the indices s.indices. The symmetric matrix P has the entries
// p at these indices and their mirror images, and 0 elsewhere.
func (s *subspace) apply(dst, m, p []float64) {
	n := s.n
	clear(s.dense) // the next loop adds P m
	for k, index := range s.indices {
		i, j := index/n, index%n
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
	for k, index := range s.indices {
		i, j := index/n, index%n
		dst[k] = kernels.Dot(m[i*n:(i+1)*n], s.transpose[j*n:(j+1)*n])
	}
}

// dot returns the inner product of two symmetric matrices that have the entries x and y at the indices
// s.indices and their mirror images, and 0 elsewhere.
func (s *subspace) dot(x, y []float64) float64 {
	sum := 0.0
	for k, w := range s.weight {
		sum += float64(float64(w*x[k]) * y[k])
	}
	return sum
}

// solve returns the entries of a matrix D at the indices s.indices. D is symmetric, and 0 outside these
// indices and their mirror images. At these indices the entries of s.w D s.w are about residual. solve takes
// preconditioned conjugate gradient steps, at most 60, until the norm of the residual has fallen by the
// factor accuracy. It overwrites residual.
func (s *subspace) solve(residual []float64, accuracy float64) []float64 {
	const maxSteps = 60
	d := make([]float64, len(residual))
	direction, image, correction := make([]float64, len(d)), make([]float64, len(d)), make([]float64, len(d))
	s.apply(correction, s.x, residual)
	copy(direction, correction)
	norm2 := s.dot(residual, correction) // squared norm of the residual, measured by the preconditioner
	goal := norm2 * accuracy * accuracy
	for range maxSteps {
		s.apply(image, s.w, direction)
		curvature := s.dot(direction, image)
		if !(curvature > 0) || !(norm2 > goal) {
			break
		}
		length := norm2 / curvature
		kernels.Axpy(length, direction, d)
		kernels.Axpy(-length, image, residual)
		s.apply(correction, s.x, residual)
		oldNorm2 := norm2
		norm2 = s.dot(residual, correction)
		for k, v := range correction {
			direction[k] = v + float64(norm2/oldNorm2*direction[k])
		}
	}
	return d
}

// tryStep adds d to the non-zero entries of z if this lowers the value of the model. Entries that would
// change their signs become 0. If there are such entries and d fails, tryStep tries fractions of d, and adds
// the first fraction that lowers the value. lowered reports whether z changed. done is true if another step
// would not help.
func (s *subspace) tryStep(d []float64) (lowered, done bool) {
	value, start := s.modelValue(), s.activeValues()
	firstZero := 1.0
	for k, index := range s.indices {
		if z := s.z[index]; z*(z+d[k]) < 0 {
			firstZero = min(firstZero, -z/d[k])
		}
	}
	lengths := []float64{1}
	if firstZero < 1 {
		lengths = []float64{1, 0.5, 0.25, 0.125, firstZero}
	}
	for _, length := range lengths {
		s.setActive(entriesAfter(start, d, length))
		if s.modelValue() < value {
			return true, firstZero == 1
		}
		s.setActive(start)
	}
	return false, true
}

// entriesAfter returns the active entries of z after a step of the given length along d. start holds these
// entries before the step, and d the direction for those that are not 0. Entries that would change their
// signs become 0.
func entriesAfter(start, d []float64, length float64) []float64 {
	entries, k := slices.Clone(start), 0
	for m, z := range start {
		if z != 0 {
			entries[m] = addKeepingSign(z, float64(length*d[k]))
			k++
		}
	}
	return entries
}

// addKeepingSign returns z + d, or 0 if the sum does not have the sign of z or is below 1e-12 |z|.
func addKeepingSign(z, d float64) float64 {
	if to := z + d; to*z > 0 && math.Abs(to) >= 1e-12*math.Abs(z) {
		return to
	}
	return 0
}
