package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/structure"
)

// A polisher takes the structure of an interior iterate for that of the solution, and
// solves the smooth problem that remains: a variable for each group of tied
// coordinates, and limitⱼ sign(vⱼ) vⱼ in the place of limitⱼ|vⱼ|. Rows whose v is zero
// and that are no zero and no tie of coordinates are held at zero by their multipliers
// and weights, as in the interior method (an augmented Lagrangian).
type polisher struct {
	f             *Finisher
	part          structure.Partition
	kind          []rowKind
	z, h          []float64 // of the rows
	system        *system   // of the groups
	y, g          []float64 // of the groups
	step          []float64
	full          []float64 // p
	best          float64   // objective of the best point known
	tol           float64   // of the gap
	enough        float64   // objective that is proved to be within tol
	tau           float64   // what the multiplier of a free row may cost
	brief         bool      // see Settings
	holds, rested bool      // rows are held; the point came to rest, or to where it cannot be

	proof struct{ h, z []float64 } // weights and multipliers of the certificate; nil until needed
	curve []float64                // φ'' of base, the caller's
	base  []float64                // X'C diag(curve) X + mu I, the caller's
}

// A rowKind says what a row of the penalty is at the solution.
type rowKind uint8

const (
	free     rowKind = iota // v ≠ 0: z = ± limit
	absorbed                // v = 0 because of zeros and ties
	held                    // v = 0, by its multiplier
)

// newPolisher reads the structure off: zero says which rows have v = 0. z and w are
// multipliers and weights of the interior iterate.
func (f *Finisher) newPolisher(zero []bool, v, z, w []float64) *polisher {
	s := &polisher{f: f, kind: make([]rowKind, len(v))}
	y := make([]float64, len(v))
	for j := range y {
		if !zero[j] {
			y[j] = 1
		}
	}
	s.part = structure.Read(f.rows.M, y, nil, f.p).Partition()
	s.z, s.h = append([]float64(nil), z...), append([]float64(nil), w...)
	for j := range y {
		s.kind[j] = held
		switch {
		case !zero[j]:
			s.kind[j] = free
			s.z[j] = math.Copysign(f.rows.Limit[j], v[j])
		case f.absorbs(&s.part, j):
			s.kind[j] = absorbed
		default:
			s.holds = true
		}
	}
	k := s.part.Count
	s.y, s.g, s.step, s.full = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, f.p)
	return s
}

// absorbs reports whether the row vanishes for every x of the partition.
func (f *Finisher) absorbs(part *structure.Partition, row int) bool {
	if f.rows.M == nil {
		return part.Of[row] < 0
	}
	idx, val := f.rows.M.Row(row)
	if len(idx) > 2 {
		return absorbsLong(part, idx, val)
	}
	var sum float64
	group := int32(-1)
	for k, j := range idx {
		of := part.Of[j]
		switch {
		case of < 0:
			continue
		case group >= 0 && of != group:
			return false
		}
		group = of
		sum += float64(part.Sign[j] * val[k])
	}
	return sum == 0
}

// absorbsLong is absorbs for a row of any length.
func absorbsLong(part *structure.Partition, idx []int32, val []float64) bool {
	sum := make(map[int32]float64, len(idx))
	for k, j := range idx {
		if of := part.Of[j]; of >= 0 {
			sum[of] += float64(part.Sign[j] * val[k])
		}
	}
	for _, v := range sum {
		if v != 0 {
			return false
		}
	}
	return true
}

// maxPolish bounds the Newton steps; they share a factor, and converge linearly by the
// factor that the interior iterate's error is.
const maxPolish = 6

// polishLift keeps the steps in the range of the Hessian: solutions are not unique
// where columns of the support are dependent, as with one-hot features, and the
// interior iterate is a good one of them.
const polishLift = 1e-9

// run moves the point, at first the interior iterate, to the solution with the
// structure, and reports whether it has come to rest with no sign changed.
func (s *polisher) run(pt *point) bool {
	f := s.f
	count := make([]float64, len(s.y))
	s.part.Collect(s.y, pt.x)
	for _, of := range s.part.Of {
		if of >= 0 {
			count[of]++
		}
	}
	for k := range s.y {
		s.y[k] /= count[k]
	}
	if !s.factor() {
		return false
	}
	last, judged := math.Inf(1), false
	for k := range maxPolish {
		s.part.Expand(pt.x, s.y)
		f.visit(pt)
		s.gradient(pt)
		s.system.solveLifted(s.step, s.g)
		decrement := math.Abs(kernels.Dot(s.step, s.g))
		if !(decrement < last/4) || math.IsNaN(decrement) {
			break
		}
		if s.brief && k > 0 && extrapolate(decrement, last, maxPolish-1-k) > s.rest(pt.value) {
			break // the Hessian is too old
		}
		last = decrement
		if pt.value-decrement > s.best+s.tol { // a step gains half the decrement
			s.rested = true
			return false
		}
		if !judged && decrement <= 1e-3*s.tol && pt.value > s.enough {
			if judged = true; s.wrong(pt) {
				s.rested = true
				return false
			}
		}
		if decrement <= s.rest(pt.value) {
			s.rested = true
			break
		}
		add(s.y, s.step, -1)
	}
	return s.consistent(pt)
}

// extrapolate returns what a sequence that converges linearly will be after some more.
func extrapolate(now, before float64, more int) float64 {
	rate := now / before
	for range more {
		now *= rate
	}
	return now
}

// rest is the decrement at which a point of the given objective has come to rest, in
// brief to half as many digits, or fewer where few are asked for. Rows that are held come
// to zero with the multipliers.
func (s *polisher) rest(value float64) float64 {
	value = math.Abs(value)
	if s.brief && !s.holds && value > 0 {
		part := s.tol / value
		return value * math.Max(1e-20, 1e-3*part*part*part)
	}
	return 1e-26 * value
}

// gradient sets s.g to the gradient in the groups, and moves the multipliers of the
// rows that are held.
func (s *polisher) gradient(pt *point) {
	copy(s.full, pt.grad)
	for j, v := range pt.image {
		if s.kind[j] == held {
			s.z[j] = math.FMA(s.h[j], v, s.z[j])
		}
	}
	z := append([]float64(nil), s.z...)
	for j, kind := range s.kind {
		if kind == absorbed {
			z[j] = 0
		}
	}
	s.f.rows.AddTrans(s.full, z)
	s.part.Collect(s.g, s.full)
}

// factor forms and factors E'(base + A' diag(h) A)E over the held rows, E the matrix
// of the groups.
func (s *polisher) factor() bool {
	f, k := s.f, s.part.Count
	s.system = newSystem(newTriangle(k, s.width()), f.Threads)
	for i := range f.p {
		gi := s.part.Of[i]
		if gi < 0 {
			continue
		}
		for m, v := range f.tri.row(s.base, i) {
			j := i + m
			if gj := s.part.Of[j]; gj >= 0 {
				s.entry(int(gi), int(gj), i == j, float64(s.part.Sign[i]*s.part.Sign[j]*v))
			}
		}
	}
	for row, kind := range s.kind {
		if kind == held {
			s.addRow(row)
		}
	}
	return k == 0 || s.system.factorFrom(polishLift)
}

// entry adds v, an entry of the upper triangle of a symmetric p × p matrix, to the
// upper triangle of the groups' one.
func (s *polisher) entry(a, b int, diagonal bool, v float64) {
	if a == b && !diagonal {
		v *= 2
	}
	s.system.h[min(a, b)*s.system.stride+max(a, b)] += v
}

// width returns the band of the groups' matrix.
func (s *polisher) width() int {
	t := s.f.tri
	if !t.banded() {
		return s.part.Count - 1
	}
	widest := int32(0)
	for i, of := range s.part.Of {
		for _, other := range s.part.Of[i:min(t.n, i+t.width+1)] {
			if of >= 0 && other >= 0 {
				widest = max(widest, of-other, other-of)
			}
		}
	}
	return int(widest)
}

// addRow adds the weight of a row that is held.
func (s *polisher) addRow(row int) {
	idx, val := s.f.rows.M.Row(row)
	for a, i := range idx {
		for b := a; b < len(idx); b++ {
			gi, gj := s.part.Of[i], s.part.Of[idx[b]]
			if gi >= 0 && gj >= 0 {
				sign := s.part.Sign[i] * s.part.Sign[idx[b]]
				s.entry(int(gi), int(gj), a == b, float64(float64(s.h[row]*sign)*float64(val[a]*val[b])))
			}
		}
	}
}

// consistent reports whether every v has the sign that was taken for it.
func (s *polisher) consistent(pt *point) bool {
	for j, v := range pt.image {
		if s.kind[j] == free && v*s.z[j] < 0 {
			return false
		}
	}
	return !math.IsNaN(pt.value)
}

// stiffer is by how much the weights of rows with v = 0 are raised, and those of the
// others lowered, for the certificate: the semismooth limit, in which
// d moves nothing but what the structure leaves free.
const stiffer = 1e4

// stiffen factors f.system with the certificate's weights, once.
func (s *polisher) stiffen() bool {
	if s.proof.h != nil {
		return true
	}
	f := s.f
	s.proof.h, s.proof.z = append([]float64(nil), s.h...), make([]float64, len(s.h))
	for j, kind := range s.kind {
		if kind == free {
			s.proof.h[j] /= stiffer
		} else {
			s.proof.h[j] *= stiffer
		}
	}
	copy(f.system.h, s.base)
	f.rows.addGram(f.system.h, s.proof.h)
	return f.system.factor()
}

// aim returns the Newton step from the point with the multipliers of the structure,
// where those of free rows are so close to their limits that they cost tau each.
func (s *polisher) aim(pt *point) []float64 {
	f := s.f
	for j, kind := range s.kind {
		s.proof.z[j] = s.z[j]
		if kind == free {
			limit := f.rows.Limit[j]
			s.proof.z[j] = math.Copysign(limit-math.Min(1e-3*limit, s.tau/math.Abs(pt.image[j])), s.z[j])
		}
	}
	r, d := make([]float64, f.p), make([]float64, f.p)
	copy(r, pt.grad)
	f.rows.AddTrans(r, s.proof.z)
	for j, v := range r {
		r[j] = -v
	}
	f.system.solve(d, r)
	return d
}

// certify sets the dual point to that step.
func (s *polisher) certify(trial *dual, pt *point, goal float64) float64 {
	f := s.f
	if !s.stiffen() {
		return math.Inf(1)
	}
	f.fullStep(trial, pt, s.curve, s.proof.z, s.proof.h, s.aim(pt))
	return f.admit(trial, pt, goal)
}

// wrong reports whether the multipliers of the structure are so far beyond their limits
// that scaling alone costs more than the tolerance.
func (s *polisher) wrong(pt *point) bool {
	f := s.f
	if f.Ridge > 0 || !s.stiffen() {
		return false
	}
	shrink, v := 1.0, make([]float64, len(s.z))
	f.rows.Mul(v, s.aim(pt))
	for j, v := range v {
		limit := f.rows.Limit[j]
		shrink = math.Min(shrink, limit/math.Max(limit, math.Abs(math.FMA(s.proof.h[j], v, s.proof.z[j]))))
	}
	return (1-shrink)*pt.value > float64(mattersFrom*s.tol)+float64(1e-12*pt.value)
}
