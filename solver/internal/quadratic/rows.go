package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A bend has the curvatures of the rows. That of a row is h; that of a group is h I − part (z v' + v z')/2.
type bend struct {
	h    []float64 // of each row
	part []float64 // of each group
}

// smoothen computes derivatives and curvatures of the rows at the image. The function of τ in the place
// of limit |v| is
//
//	min over t of limit t − τ log(t² − |v|²),  at t = (τ + q)/limit with q = √(τ² + limit²|v|²),
//
// which is convex and smooth. Its derivative is z = limit v/t. Newton's
// method for the equation t z = limit v in v and z has the slope dz/dv = (limit/t)(I − z v'/q), with
// z as it is, and not as it would be on the path. This is the curvature; for groups it is made symmetric.
func (q *Coupled) smoothen() {
	fresh := q.kept == nil
	if fresh {
		q.kept = make([]float64, len(q.image))
	}
	r := q.Penalty
	if !r.Grouped() {
		for k, v := range q.image {
			limit := r.Limit[k]
			if limit == 0 {
				continue
			}
			size := root(q.Tau, float64(limit*v))
			by := float64(limit*limit) / (q.Tau + size)
			q.smooth[k] = by * v
			if fresh {
				q.kept[k] = q.smooth[k]
			}
			q.bend.h[k] = by * (1 - float64(q.kept[k]*v)/size)
		}
		return
	}
	q.bend.part = append(q.bend.part[:0], make([]float64, len(r.Groups))...)
	for k := range r.Groups {
		g := &r.Groups[k]
		size := root(q.Tau, float64(g.Limit*g.Norm(q.image)))
		by := float64(g.Limit*g.Limit) / (q.Tau + size)
		q.bend.part[k] = by / size
		for _, row := range g.Rows {
			q.smooth[row], q.bend.h[row] = by*q.image[row], by
			if fresh {
				q.kept[row] = q.smooth[row]
			}
		}
	}
}

// root returns √(a² + b²). math.Hypot differs between machines; nothing here is near
// the ends of the range.
func root(a, b float64) float64 { return math.Sqrt(math.FMA(a, a, float64(b*b))) }

// value returns the smooth functions and the barrier, given A u and u.
func (q *Coupled) value(image, u []float64) float64 {
	var sum float64
	r := q.Penalty
	if !r.Grouped() {
		for k, v := range image {
			limit := r.Limit[k]
			if limit == 0 {
				continue
			}
			size := root(q.Tau, float64(limit*v))
			sum += q.Tau + size - float64(q.Tau*kernels.Log(2*q.Tau*(q.Tau+size)/float64(limit*limit)))
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		size := root(q.Tau, float64(g.Limit*g.Norm(image)))
		sum += q.Tau + size - float64(q.Tau*kernels.Log(2*q.Tau*(q.Tau+size)/float64(g.Limit*g.Limit)))
	}
	if q.Set != nil {
		sum += float64(q.Tau * q.walls.value(u))
	}
	return sum
}

// push computes the multipliers at the end of the whole step, and moves those that are kept there as
// far as their limits allow.
func (q *Coupled) push() {
	q.walls.push(q.U, q.step, q.Tau)
	r := q.Penalty
	for k, h := range q.bend.h {
		q.Z[k] = math.FMA(h, q.along[k], q.smooth[k])
	}
	if !r.Grouped() {
		for k, z := range q.kept {
			most := r.Limit[k] - float64(inward*(r.Limit[k]-math.Abs(z)))
			q.kept[k] = math.Max(-most, math.Min(q.Z[k], most))
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		var vs, zs float64
		for _, row := range g.Rows {
			vs = math.FMA(q.image[row], q.along[row], vs)
			zs = math.FMA(q.kept[row], q.along[row], zs)
		}
		half := 0.5 * q.bend.part[k]
		for _, row := range g.Rows {
			q.Z[row] -= float64(half * (float64(q.kept[row]*vs) + float64(q.image[row]*zs)))
		}
		most := g.Limit - float64(inward*(g.Limit-g.Norm(q.kept)))
		by := math.Min(1, most/g.Norm(q.Z))
		for _, row := range g.Rows {
			q.kept[row] = by * q.Z[row]
		}
	}
}

// AddGram adds A' diag(w) A to the upper triangle h.
func (q *Coupled) AddGram(h, w []float64) {
	if q.Penalty.M == nil {
		for j, v := range w {
			h[j*q.Stride+j] += v
		}
		return
	}
	for row, by := range w {
		idx, val := q.Penalty.M.Row(row)
		for k, j := range idx {
			v, out := float64(by*val[k]), h[int(j)*q.Stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}

// addBend adds the rows' curvature to the upper triangle h.
func (q *Coupled) addBend(h []float64) {
	r := q.Penalty
	q.AddGram(h, q.bend.h)
	if !r.Grouped() {
		return
	}
	sum, apart := make([]float64, len(q.image)), make([]float64, len(q.image))
	for k := range r.Groups { // z v' + v z' is the difference of two squares, divided by 2
		g := &r.Groups[k]
		size := root(q.Tau, float64(g.Limit*g.Norm(q.image)))
		for _, row := range g.Rows {
			z, v := q.kept[row]/g.Limit, float64(g.Limit*q.image[row])/size
			sum[row], apart[row] = z+v, z-v
		}
		part := q.bend.h[g.Rows[0]] / 4
		q.subtract(h, part, g.Rows, sum)
		q.subtract(h, -part, g.Rows, apart)
	}
}

// subtract takes part w w' from the upper triangle h, w = Σ v_row a_row over some rows of A.
func (q *Coupled) subtract(h []float64, part float64, rows []int32, v []float64) {
	clear(q.to)
	var idx []int32
	for _, row := range rows {
		if q.Penalty.M == nil {
			idx = append(idx, row)
			q.to[row] = v[row]
			continue
		}
		features, a := q.Penalty.M.Row(int(row))
		for k, j := range features {
			if q.to[j] == 0 {
				idx = append(idx, j)
			}
			q.to[j] = math.FMA(v[row], a[k], q.to[j])
		}
	}
	slices.Sort(idx)
	idx = slices.Compact(idx)
	for i, a := range idx {
		by := float64(part * q.to[a])
		for _, b := range idx[i:] {
			h[int(a)*q.Stride+int(b)] -= float64(by * q.to[b])
		}
	}
}
