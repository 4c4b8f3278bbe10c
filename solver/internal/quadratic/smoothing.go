package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A rowCurvature has the curvatures of the smooth functions that replace the penalty, see smoothen. The
// curvature of a row is the number h. The curvature of a group is the matrix h I − cross (z v' + v z')/2,
// where v has the entries of A u in the group, and z has their multipliers.
type rowCurvature struct {
	h     []float64 // one number for each row; equal in all rows of a group
	cross []float64 // one number for each group
}

// smoothen computes the derivatives and curvatures of the smooth functions that replace the penalty. Let v be
// an entry of A u, or the vector of the entries in a group. The smooth function that replaces limit |v| is
//
//	min over t of limit t − τ log(t² − |v|²),  at t = (τ + size)/limit with size = √(τ² + limit²|v|²).
//
// It is convex, and its derivative is z = limit v/t. The curvature dz/dv = (limit/t)(I − z v'/size) follows
// from the equation t z = limit v. In the curvature, z stands for the present multiplier instead of the
// derivative. For groups, (z v' + v z')/2, the symmetric part, replaces the matrix z v'.
func (q *Coupled) smoothen() {
	fresh := q.multipliers == nil
	if fresh {
		q.multipliers = make([]float64, len(q.image))
	}
	r := q.Penalty
	if !r.Grouped() {
		for k, v := range q.image {
			limit := r.Limit[k]
			if limit == 0 {
				continue
			}
			size := hypotenuse(q.Tau, float64(limit*v))
			ratio := float64(limit*limit) / (q.Tau + size)
			q.smoothGradient[k] = ratio * v
			if fresh {
				q.multipliers[k] = q.smoothGradient[k]
			}
			q.curvature.h[k] = ratio * (1 - float64(q.multipliers[k]*v)/size)
		}
		return
	}
	q.curvature.cross = append(q.curvature.cross[:0], make([]float64, len(r.Groups))...)
	for k := range r.Groups {
		g := &r.Groups[k]
		size := hypotenuse(q.Tau, float64(g.Limit*g.Norm(q.image)))
		ratio := float64(g.Limit*g.Limit) / (q.Tau + size)
		q.curvature.cross[k] = ratio / size
		for _, row := range g.Rows {
			q.smoothGradient[row], q.curvature.h[row] = ratio*q.image[row], ratio
			if fresh {
				q.multipliers[row] = q.smoothGradient[row]
			}
		}
	}
}

// hypotenuse returns √(a² + b²). It does not use math.Hypot, whose result depends on the architecture.
func hypotenuse(a, b float64) float64 { return math.Sqrt(math.FMA(a, a, float64(b*b))) }

// smoothValue returns the value of the smooth function that replaces limit |v|, see smoothen.
func smoothValue(limit, v, tau float64) float64 {
	size := hypotenuse(tau, float64(limit*v))
	return tau + size - float64(tau*kernels.Log(2*tau*(tau+size)/float64(limit*limit)))
}

// value returns the sum of the smooth functions that replace the penalty (see smoothen), plus τ times the
// barrier. image is A u.
func (q *Coupled) value(image, u []float64) float64 {
	var sum float64
	r := q.Penalty
	if !r.Grouped() {
		for k, v := range image {
			if limit := r.Limit[k]; limit > 0 {
				sum += smoothValue(limit, v, q.Tau)
			}
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		sum += smoothValue(g.Limit, g.Norm(image), q.Tau)
	}
	if q.Set != nil {
		sum += float64(q.Tau * q.barriers.value(u))
	}
	return sum
}

// updateMultipliers sets Z to the multipliers that Newton's method predicts for the end of the full step. It
// moves q.multipliers towards Z, but keeps each of them inside its limit. It also updates the multipliers of
// the barriers.
func (q *Coupled) updateMultipliers() {
	q.barriers.updateMultipliers(q.U, q.step, q.Tau)
	r := q.Penalty
	for k, h := range q.curvature.h {
		q.Z[k] = math.FMA(h, q.imageStep[k], q.smoothGradient[k])
	}
	q.subtractCross(q.Z, q.imageStep)
	if !r.Grouped() {
		for k, z := range q.multipliers {
			maxSize := r.Limit[k] - float64(boundaryFraction*(r.Limit[k]-math.Abs(z)))
			q.multipliers[k] = math.Max(-maxSize, math.Min(q.Z[k], maxSize))
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		maxSize := g.Limit - float64(boundaryFraction*(g.Limit-g.Norm(q.multipliers)))
		scale := math.Min(1, maxSize/g.Norm(q.Z))
		for _, row := range g.Rows {
			q.multipliers[row] = scale * q.Z[row]
		}
	}
}

// subtractCross subtracts the cross parts of the curvatures of the groups (see rowCurvature), times v, from dst.
func (q *Coupled) subtractCross(dst, v []float64) {
	for k := range q.Penalty.Groups {
		g := &q.Penalty.Groups[k]
		var vs, zs float64
		for _, row := range g.Rows {
			vs = math.FMA(q.image[row], v[row], vs)
			zs = math.FMA(q.multipliers[row], v[row], zs)
		}
		halfCross := 0.5 * q.curvature.cross[k]
		for _, row := range g.Rows {
			dst[row] -= float64(halfCross * (float64(q.multipliers[row]*vs) + float64(q.image[row]*zs)))
		}
	}
}

// addCurvature adds A' K A to h, which has the upper triangle of a matrix. K is the second derivative, at A
// u, of the smooth function that replaces the penalty (see smoothen and rowCurvature).
func (q *Coupled) addCurvature(h []float64) {
	r := q.Penalty
	AddGram(h, r.M, q.curvature.h)
	if !r.Grouped() {
		return
	}
	sum, difference := make([]float64, len(q.image)), make([]float64, len(q.image))
	// The curvature of a group is h [I − (z v' + v z')/2] with the vectors z and v below, and
	// z v' + v z' = [(z + v)(z + v)' − (z − v)(z − v)']/2.
	for k := range r.Groups {
		g := &r.Groups[k]
		size := hypotenuse(q.Tau, float64(g.Limit*g.Norm(q.image)))
		for _, row := range g.Rows {
			z, v := q.multipliers[row]/g.Limit, float64(g.Limit*q.image[row])/size
			sum[row], difference[row] = z+v, z-v
		}
		weight := q.curvature.h[g.Rows[0]] / 4
		q.subtract(h, weight, g.Rows, sum)
		q.subtract(h, -weight, g.Rows, difference)
	}
}

// subtract subtracts weight·w w' from the upper triangle in h, where w = Σ v_k a_k and a_k is row k of A. The
// sum is over the given rows k. q.endU is scratch memory.
func (q *Coupled) subtract(h []float64, weight float64, rows []int32, v []float64) {
	clear(q.endU)
	var idx []int32
	for _, row := range rows {
		if q.Penalty.M == nil {
			idx = append(idx, row)
			q.endU[row] = v[row]
			continue
		}
		features, a := q.Penalty.M.Row(int(row))
		for k, j := range features {
			if q.endU[j] == 0 {
				idx = append(idx, j)
			}
			q.endU[j] = math.FMA(v[row], a[k], q.endU[j])
		}
	}
	slices.Sort(idx)
	idx = slices.Compact(idx)
	for i, a := range idx {
		by := float64(weight * q.endU[a])
		for _, b := range idx[i:] {
			h[int(a)*q.Order+int(b)] -= float64(by * q.endU[b])
		}
	}
}
