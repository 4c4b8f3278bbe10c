package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// An outside finds multipliers of rows that vanish because all their features are zero.
// At such a feature X'Cα + mu x + A'z = 0 needs |residual of the other rows| ≤ the limit
// of its own row: with edges that is a flow with bounds, which is looked for one
// component after the other by coordinate descent on half the squared excess. What is
// left of the excess where there is none is the gradient of the objective along its
// steepest feasible direction, so it says which features the next set needs (it is the
// proximal point of the penalty, by Moreau's decomposition).
type outside struct {
	f    *whole
	sum  []float64 // −(X'Cα + mu x + A'z) of each feature, without its own row
	room []float64 // limit of a feature's own row times its entry
	near []float64 // excess over a part of the limits; 0 for features that are not zero
	seen []bool    // of the features
	done []bool    // of the rows
	part component
	over int // features with excess over all of the limits
}

// A component is one of features that are zero and of the rows that have no others.
type component struct {
	features, rows []int32
}

const (
	nearLimit = 0.9   // part of the limits at which features are candidates
	maxSweeps = 500   // of coordinate descent
	leastGain = 1e-5  // of a sweep, as a part of the squared excess
	content   = 1e-10 // excess, as a part of the room, that is none
)

func newOutside(f *whole) *outside {
	o := &outside{f: f, seen: make([]bool, f.p), done: make([]bool, f.rows.Len())}
	for _, v := range []*[]float64{&o.sum, &o.room, &o.near} {
		*v = make([]float64, f.p)
	}
	for j, row := range f.rows.Own {
		if row >= 0 {
			o.room[j] = f.rows.Limit[row] * math.Abs(f.rows.Entry[j])
		}
	}
	return o
}

// settle moves the multipliers d.z of rows of zeros only so that the equality can hold
// at as many features of the point as possible, and sets o.near.
func (o *outside) settle(d *dual, at *place) {
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
	undecided = 0.05 // excess, as a part of the room, that may be that of slow convergence
	exactSize = 512  // features of a component up to which it is solved by a finisher
)

// close lowers the excess of the component. Where the bounds are tight, coordinate
// descent may stop early: then a finisher decides.
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

// exact finds the component's multipliers as those of the proximal point of its penalty.
func (o *outside) exact(z []float64) {
	r, k := o.f.rows, len(o.part.features)
	w := &Wide{whole: o.f, place: make([]int32, o.f.p)}
	s := &workingSet{w: w, cols: slices.Clone(o.part.features), rows: o.part.rows}
	slices.Sort(s.cols)
	for i, j := range s.cols {
		w.place[j] = int32(i) + 1
	}
	s.sub = Problem{Data: sparse.Identity(k), Loss: term.Squared{}, Threads: 1, Labels: make([]float64, k), MaxWorking: k, Ridge: make([]float64, k)}
	s.sub.Rows = s.sub.Data.Compact(nil)
	for i, j := range s.cols {
		s.sub.Labels[i] = o.sum[j]
	}
	for _, row := range o.part.rows {
		eachEntry(r, row, func(j int32, v float64) { s.sub.Labels[w.place[j]-1] += float64(v * z[row]) })
	}
	s.sub.A = linalg.New(s.matrix(), k)
	half := float64(k) / 2 // the loss is the mean square, without a half
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

// eachEntry calls do for every entry of a row.
func eachEntry(r *gap.Rows, row int32, do func(j int32, v float64)) {
	idx, val := r.M.Row(int(row))
	for k, j := range idx {
		do(j, val[k])
	}
}

// count adds the features of the component with excess to o.over.
func (o *outside) count() {
	for _, j := range o.part.features {
		if math.Abs(o.excess(j, 1)) > 1e-6*o.room[j] {
			o.over++
		}
	}
}

// residual sets o.sum, without the features' own rows.
func (o *outside) residual(d *dual, at *place) {
	f := o.f
	f.Transposed(o.sum, f.Rows, d.alpha)
	f.rows.AddTrans(o.sum, d.z)
	for j, v := range o.sum {
		o.sum[j] = -math.FMA(f.mu(), at.x[j], v)
		if row := f.rows.Own[j]; row >= 0 {
			o.sum[j] += float64(f.rows.Entry[j] * d.z[row])
		}
	}
}

// excess returns what exceeds a part of the room of a feature that is zero.
func (o *outside) excess(j int32, part float64) float64 {
	room := part * o.room[j]
	return o.sum[j] - math.Max(-room, math.Min(o.sum[j], room))
}

// reach makes the component of a feature o.part.
func (o *outside) reach(first int32, at *place) {
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
			if o.done[row] || row == r.Own[j] {
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

// enter adds features to the component.
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

// relax lowers the squared excess of the component over a part of all limits.
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

// push moves the multiplier of a row to where the squared excess of its features is
// least. That is piecewise quadratic; the curvature of the pieces with excess is tried,
// and where the step leaves them, that of all.
func (o *outside) push(z []float64, row int32, part float64) {
	idx, val := o.f.rows.M.Row(int(row))
	var slope, curve, whole float64
	for k, j := range idx {
		a2 := float64(val[k] * val[k])
		whole += a2
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
			step = slope / whole
		}
	}
	to := math.Max(-limit, math.Min(z[row]+step, limit))
	step, z[row] = to-z[row], to
	for k, j := range idx {
		o.sum[j] = math.FMA(-step, val[k], o.sum[j])
	}
}

// slopeAt returns the slope after a step of the row's multiplier.
func (o *outside) slopeAt(idx []int32, val []float64, step, part float64) (slope float64) {
	for k, j := range idx {
		sum, room := math.FMA(-step, val[k], o.sum[j]), part*o.room[j]
		slope = math.FMA(val[k], sum-math.Max(-room, math.Min(sum, room)), slope)
	}
	return slope
}
