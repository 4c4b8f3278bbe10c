package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// outside finds multipliers of the rows of A all of whose features are zero. Optimality at a zero feature
// is X'Cα + mu x + A'z = 0, where the multiplier of the feature's singleton row may be anything up to
// the limit of that row. So the sum over all other rows must not exceed the limit; what exceeds it is
// the feature's excess. If the rows are edges of a graph, multipliers without excess are a flow with
// bounded capacities.
//
// Multipliers are found for one connected component of zero features after the other, by coordinate
// descent on half the sum of squared excesses. If no multipliers remove it, the excess that is left is
// the proximal point of the penalty (Moreau's decomposition): the negative gradient of the objective
// in the steepest feasible direction. So it says which features the next working set needs.
type outside struct {
	f    *unrestricted
	sum  []float64 // −(X'Cα + mu x + A'z) of each feature, without its singleton row
	room []float64 // limit of a feature's singleton row times the size of its entry
	near []float64 // each zero feature's excess over nearLimit times its limit; 0 for non-zero features
	seen []bool    // features that are in a component already
	done []bool    // rows that are in a component already
	part component
	over int // number of features with an excess over the limit itself
}

// A component is a connected set of zero features, and the rows that have only zero features.
type component struct {
	features, rows []int32
}

const (
	nearLimit = 0.9   // part of its limit from which on a feature may join the next set
	maxSweeps = 500   // sweeps of coordinate descent
	leastGain = 1e-5  // coordinate descent ends if a sweep lowers the squared excess by less than this part
	content   = 1e-10 // an excess up to this part of the room counts as none
)

func newOutside(f *unrestricted) *outside {
	o := &outside{f: f, seen: make([]bool, f.p), done: make([]bool, f.rows.Len())}
	for _, v := range []*[]float64{&o.sum, &o.room, &o.near} {
		*v = make([]float64, f.p)
	}
	for j, row := range f.rows.Singleton {
		if row >= 0 {
			o.room[j] = f.rows.Limit[row] * math.Abs(f.rows.SingletonEntry[j])
		}
	}
	return o
}

// settle changes the multipliers d.z of rows that have only zero features, so that as few features as
// possible have an excess, and sets o.near and o.over.
func (o *outside) settle(d *dual, at *iterate) {
	o.residual(d, at)
	clear(o.near)
	o.over = 0
	clear(o.seen)
	clear(o.done)
	for j, x := range at.x {
		if x != 0 || o.f.isFree(j) || o.seen[j] || o.excess(int32(j), nearLimit) == 0 {
			continue
		}
		o.reach(int32(j), at)
		o.relax(d.z, nearLimit)
		over := false
		for _, k := range o.part.features {
			if e := math.Abs(o.excess(k, nearLimit)); e > 1e-6*o.room[k] {
				o.near[k] = e
			}
			over = over || o.excess(k, 1) != 0
		}
		if over {
			o.close(d.z)
			o.count()
		}
	}
}

const (
	undecided = 0.05 // an excess up to this part of the room may be due to slow convergence
	exactSize = 512  // number of features of a component up to which a Solver can decide that
)

// close lowers the excess of the component. If coordinate descent leaves a small excess, an exact
// solution decides whether there is any.
func (o *outside) close(z []float64) {
	o.relax(z, 1)
	most := 0.0
	for _, j := range o.part.features {
		most = math.Max(most, math.Abs(o.excess(j, 1))/math.Max(o.room[j], math.SmallestNonzeroFloat64))
	}
	if most > content && most < undecided && len(o.part.features) <= exactSize {
		o.exact(z)
	}
}

// exact finds the component's multipliers exactly: those of the proximal point of its penalty.
func (o *outside) exact(z []float64) {
	r, k := o.f.rows, len(o.part.features)
	w := &setSolver{all: o.f, position: make([]int32, o.f.p)}
	s := &restricted{w: w, cols: slices.Clone(o.part.features), rows: o.part.rows}
	slices.Sort(s.cols)
	for i, j := range s.cols {
		w.position[j] = int32(i) + 1
	}
	s.sub = Problem{Data: sparse.Identity(k), Loss: term.Squared{}, Threads: 1, Labels: make([]float64, k), MaxWorking: k, Ridge: make([]float64, k)}
	s.sub.Rows = s.sub.Data.Compact(nil)
	for i, j := range s.cols {
		s.sub.Labels[i] = o.sum[j]
	}
	for _, row := range o.part.rows {
		eachEntry(r, row, func(j int32, v float64) { s.sub.Labels[w.position[j]-1] += float64(v * z[row]) })
	}
	s.sub.A = linalg.New(s.matrix(), k)
	half := float64(k) / 2 // the squared loss is the mean of squares, not half their sum
	for _, row := range s.rows {
		s.sub.Limit = append(s.sub.Limit, r.Limit[row]/half)
	}
	for _, j := range s.cols {
		s.sub.Limit = append(s.sub.Limit, o.room[j]/half)
	}
	res, ok := s.finish(&Settings{})
	if !ok {
		return
	}
	for i, row := range s.rows {
		to := math.Max(-r.Limit[row], math.Min(res.Z[i]*half, r.Limit[row]))
		step := to - z[row]
		z[row] = to
		eachEntry(r, row, func(j int32, v float64) { o.sum[j] = math.FMA(-step, v, o.sum[j]) })
	}
}

// eachEntry calls do with the feature and the value of every entry of a row.
func eachEntry(r *gap.Penalty, row int32, do func(j int32, v float64)) {
	idx, val := r.M.Row(int(row))
	for k, j := range idx {
		do(j, val[k])
	}
}

// count adds the number of the component's features that have an excess to o.over.
func (o *outside) count() {
	for _, j := range o.part.features {
		if math.Abs(o.excess(j, 1)) > 1e-6*o.room[j] {
			o.over++
		}
	}
}

// residual sets o.sum.
func (o *outside) residual(d *dual, at *iterate) {
	f := o.f
	f.Transposed(o.sum, f.Rows, d.alpha)
	f.rows.AddTrans(o.sum, d.z)
	for j, v := range o.sum {
		o.sum[j] = -math.FMA(f.mu(), at.x[j], v)
		if row := f.rows.Singleton[j]; row >= 0 {
			o.sum[j] += float64(f.rows.SingletonEntry[j] * d.z[row])
		}
	}
}

// excess returns by how much o.sum of a zero feature is above part of the feature's room, or below its
// negative.
func (o *outside) excess(j int32, part float64) float64 {
	room := part * o.room[j]
	return o.sum[j] - math.Max(-room, math.Min(o.sum[j], room))
}

// reach sets o.part to the component of a feature.
func (o *outside) reach(first int32, at *iterate) {
	c, r := &o.part, o.f.rows
	c.features, c.rows = append(c.features[:0], first), c.rows[:0]
	o.seen[first] = true
	if r.M == nil {
		return
	}
	for k := 0; k < len(c.features); k++ {
		j := c.features[k]
		rows, _ := r.T.Row(int(j))
		for _, row := range rows {
			if o.done[row] || row == r.Singleton[j] {
				continue
			}
			o.done[row] = true
			if idx, _ := r.M.Row(int(row)); allZero(at.x, idx) {
				c.rows = append(c.rows, row)
				o.enter(idx)
			}
		}
	}
}

// enter adds those features to the component that it does not have.
func (o *outside) enter(features []int32) {
	for _, j := range features {
		if !o.seen[j] {
			o.seen[j] = true
			o.part.features = append(o.part.features, j)
		}
	}
}

func allZero(x []float64, at []int32) bool {
	for _, j := range at {
		if x[j] != 0 {
			return false
		}
	}
	return true
}

// relax lowers the component's sum of squared excesses over a part of the limits.
func (o *outside) relax(z []float64, part float64) {
	last := math.Inf(1)
	for range maxSweeps {
		for _, row := range o.part.rows {
			o.push(z, row, part)
		}
		sum := 0.0
		for _, j := range o.part.features {
			if e := o.excess(j, part); math.Abs(e) > content*o.room[j] {
				sum = math.FMA(e, e, sum)
			}
		}
		if sum == 0 || !(sum < (1-leastGain)*last) {
			return
		}
		last = sum
	}
}

// push moves the multiplier of a row to lower the sum of its features' squared excesses. That sum is
// piecewise quadratic. A Newton step with the curvature of the present piece is tried; if it goes past
// the minimum, the step is made with the largest curvature of any piece.
func (o *outside) push(z []float64, row int32, part float64) {
	idx, val := o.f.rows.M.Row(int(row))
	var slope, curve, most float64
	for k, j := range idx {
		a2 := float64(val[k] * val[k])
		most += a2
		if e := o.excess(j, part); e != 0 {
			slope = math.FMA(val[k], e, slope)
			curve += a2
		}
	}
	limit := part * o.f.rows.Limit[row]
	if slope == 0 && math.Abs(z[row]) <= limit {
		return
	}
	step := 0.0
	if slope != 0 {
		step = slope / curve
		if o.slopeAt(idx, val, step, part)*slope < 0 {
			step = slope / most
		}
	}
	to := math.Max(-limit, math.Min(z[row]+step, limit))
	step, z[row] = to-z[row], to
	for k, j := range idx {
		o.sum[j] = math.FMA(-step, val[k], o.sum[j])
	}
}

// slopeAt returns the slope of the sum of squared excesses after a step of the row's multiplier.
func (o *outside) slopeAt(idx []int32, val []float64, step, part float64) (slope float64) {
	for k, j := range idx {
		sum, room := math.FMA(-step, val[k], o.sum[j]), part*o.room[j]
		slope = math.FMA(val[k], sum-math.Max(-room, math.Min(sum, room)), slope)
	}
	return slope
}
