package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// outsideSolver finds multipliers z for the rows of A whose features all have the coefficient 0. Features
// with the coefficient 0 are called zero features. The optimality equation is X'Cα + mu x + A'z = 0, where mu
// is the ridge. In the equation of a zero feature, the term of its singleton row can have any absolute value
// up to a limit, the feature's capacity. The feature's excess is the amount by which the sum of the other
// terms exceeds the capacity.
//
// Coordinate descent minimises half the sum of squared excesses, in one connected component of zero
// features after the other. An excess that remains shows which features the next working set needs.
type outsideSolver struct {
	f    *wholeProblem
	sums []float64 // for each feature: −(X'Cα + mu x + A'z), without the term of the singleton row
	// For each feature, the limit of its singleton row times the absolute value of that row's entry.
	capacity []float64
	// For each feature with coefficient 0, by how much |sums[j]| exceeds nearLimit·capacity. The entries of
	// other features are 0, and tiny numbers are replaced by 0.
	nearExcess  []float64
	seen        []bool // features that are already in a component
	done        []bool // rows that the method findComponent has examined
	component   component
	excessCount int // number of features with an excess above clearExcess times the capacity
	// stop is called by solveComponent, which ends early if stop returns an error. The next proof may then be weaker.
	// stop is nil before the first run.
	stop func() error
}

// A component has features with coefficient 0, and the rows of A that connect them. These rows have
// entries only at features with coefficient 0. Singleton rows (gap.Penalty.Singleton) are left out.
type component struct {
	features, rows []int32
}

const (
	// A feature with the coefficient 0 may join the next working set if its |outsideSolver.sums| exceeds this
	// fraction of its outsideSolver.capacity.
	nearLimit = 0.9
	maxSweeps = 500 // largest number of sweeps of coordinate descent
	// Coordinate descent ends if a sweep reduces the sum of squared excesses by less than this fraction.
	leastGain = 1e-5
	// Coordinate descent treats an excess (see outsideSolver) as zero if it is at most noExcess times the
	// capacity. A feature is counted in outsideSolver.excessCount, or may join the next set, only if its
	// excess is above clearExcess times its capacity.
	noExcess, clearExcess = 1e-10, 1e-6
)

func newOutsideSolver(f *wholeProblem) *outsideSolver {
	o := &outsideSolver{f: f, seen: make([]bool, f.p), done: make([]bool, f.penalty.Len())}
	for _, v := range []*[]float64{&o.sums, &o.capacity, &o.nearExcess} {
		*v = make([]float64, f.p)
	}
	for j, row := range f.penalty.Singleton {
		if row >= 0 {
			o.capacity[j] = f.penalty.Limit[row] * math.Abs(f.penalty.SingletonEntry[j])
		}
	}
	return o
}

// reduceExcesses changes the multipliers d.z to reduce the excesses: the amounts by which the sums at
// features with coefficient 0 exceed the capacities of the features (see outsideSolver). It sets o.nearExcess
// and o.excessCount.
func (o *outsideSolver) reduceExcesses(d *dualPoint) {
	o.computeSums(d)
	clear(o.nearExcess)
	o.excessCount = 0
	clear(o.seen)
	clear(o.done)
	for j, x := range o.f.x {
		if x != 0 || o.f.isUnheld(j) || o.seen[j] || o.excess(int32(j), nearLimit) == 0 {
			continue
		}
		o.findComponent(int32(j))
		o.descend(d.z, nearLimit)
		hasExcess := false
		for _, k := range o.component.features {
			if e := math.Abs(o.excess(k, nearLimit)); e > clearExcess*o.capacity[k] {
				o.nearExcess[k] = e
			}
			hasExcess = hasExcess || o.excess(k, 1) != 0
		}
		if hasExcess {
			o.reduceInComponent(d.z)
			o.countExcesses()
		}
	}
}

const (
	undecidedPart = 0.05  // an excess below this fraction of the capacity may come from slow convergence
	componentTol  = 1e-12 // tolerance in solveComponent, relative to the objective at 0
	// The largest number of features for which solveComponent forms a Hessian, unless an implicit one has failed.
	exactSize = 512
)

// reduceInComponent reduces the excesses of the component (see outsideSolver) by coordinate descent. If only
// small excesses are left, reduceInComponent then calls solveComponent.
func (o *outsideSolver) reduceInComponent(z []float64) {
	o.descend(z, 1)
	largestRatio := 0.0
	for _, j := range o.component.features {
		largestRatio = math.Max(largestRatio,
			math.Abs(o.excess(j, 1))/math.Max(o.capacity[j], math.SmallestNonzeroFloat64))
	}
	if largestRatio > noExcess && largestRatio < undecidedPart {
		o.solveComponent(z)
	}
}

// solveComponent sets the multipliers of the component's rows to the values that minimise the sum of squared
// excesses (see outsideSolver). It solves a small problem with the squared loss and the identity as data
// matrix. The coefficients of the solution are the excesses, and the multipliers of the solution are the
// result. The multipliers stay as they are if this would take long, or if o.stop returns an error.
func (o *outsideSolver) solveComponent(z []float64) {
	pen, k := o.f.penalty, len(o.component.features)
	slices.Sort(o.component.features)
	s := o.f.restrict(o.component.features)
	s.problem = Problem{
		Loss: term.Squared{}, Threads: 1, Labels: make([]float64, k), MaxWorking: k,
		Ridge: make([]float64, k),
	}
	s.problem.setData(sparse.Identity(k))
	capacities := make([]float64, k)
	for i, j := range s.cols {
		s.problem.Labels[i], capacities[i] = o.sums[j], o.capacity[j]
	}
	for _, row := range o.component.rows {
		pen.EachEntry(row, func(j int32, v float64) {
			s.problem.Labels[s.position[j]-1] += float64(v * z[row])
		})
	}
	s.setPenalty(o.component.rows, capacities)
	if k > exactSize && s.systems.chol == nil {
		return
	}
	// The squared loss is (1/k) Σ (…)², but the objective here is ½ Σ (…)². So limits are divided by k/2.
	halfSize := float64(k) / 2
	for i := range s.problem.Limit {
		s.problem.Limit[i] /= halfSize
	}
	scale := linalg.SumSquares(s.problem.Labels) / float64(k)
	res := s.finish(&Settings{Tol: componentTol * scale, Interrupt: o.stop, Stop: o.stop}, false)
	if res == nil || res.Err != nil {
		return
	}
	for i, row := range s.rows {
		multiplier := linalg.Clip(res.Z[i]*halfSize, pen.Limit[row])
		step := multiplier - z[row]
		z[row] = multiplier
		pen.EachEntry(row, func(j int32, v float64) { o.sums[j] = math.FMA(-step, v, o.sums[j]) })
	}
}

// countExcesses increases o.excessCount by the number of features in the component that have an excess.
func (o *outsideSolver) countExcesses() {
	for _, j := range o.component.features {
		if math.Abs(o.excess(j, 1)) > clearExcess*o.capacity[j] {
			o.excessCount++
		}
	}
}

func (o *outsideSolver) computeSums(d *dualPoint) {
	f := o.f
	f.transposed(o.sums, d.alpha)
	f.penalty.AddTrans(o.sums, d.z)
	for j, v := range o.sums {
		o.sums[j] = -math.FMA(f.mu(), f.x[j], v)
		if row := f.penalty.Singleton[j]; row >= 0 {
			o.sums[j] += float64(f.penalty.SingletonEntry[j] * d.z[row])
		}
	}
}

// excess returns the distance, with its sign, of o.sums[j] from the interval [−c, c], where c is fraction
// times the capacity of feature j.
func (o *outsideSolver) excess(j int32, fraction float64) float64 {
	return o.sums[j] - linalg.Clip(o.sums[j], fraction*o.capacity[j])
}

// findComponent sets o.component to the component of the feature.
func (o *outsideSolver) findComponent(feature int32) {
	c, r := &o.component, o.f.penalty
	c.features, c.rows = append(c.features[:0], feature), c.rows[:0]
	o.seen[feature] = true
	for k := 0; k < len(c.features); k++ {
		j := c.features[k]
		rows, _ := r.T.Row(int(j))
		for _, row := range rows {
			if o.done[row] || row == r.Singleton[j] {
				continue
			}
			o.done[row] = true
			idx, _ := r.M.Row(int(row))
			if !slices.ContainsFunc(idx, func(k int32) bool { return o.f.x[k] != 0 }) {
				c.rows = append(c.rows, row)
				o.addToComponent(idx)
			}
		}
	}
}

// addToComponent adds the given features to the component.
func (o *outsideSolver) addToComponent(features []int32) {
	for _, j := range features {
		if !o.seen[j] {
			o.seen[j] = true
			o.component.features = append(o.component.features, j)
		}
	}
}

// descend reduces the sum of squared excesses (see outsideSolver) of the component's features by coordinate
// descent. It computes the excesses with all capacities and limits multiplied by fraction.
func (o *outsideSolver) descend(z []float64, fraction float64) {
	lastSum := math.Inf(1)
	for range maxSweeps {
		for _, row := range o.component.rows {
			o.moveMultiplier(z, row, fraction)
		}
		sum := 0.0
		for _, j := range o.component.features {
			if e := o.excess(j, fraction); math.Abs(e) > noExcess*o.capacity[j] {
				sum = math.FMA(e, e, sum)
			}
		}
		if sum == 0 || !(sum < (1-leastGain)*lastSum) {
			return
		}
		lastSum = sum
	}
}

// moveMultiplier changes the multiplier of a row to reduce the sum of squared excesses of the row's features.
// It makes a Newton step. If a step with the present curvature leads beyond the minimum, it makes the step
// with the largest possible curvature instead. All capacities and limits are multiplied by fraction.
func (o *outsideSolver) moveMultiplier(z []float64, row int32, fraction float64) {
	idx, val := o.f.penalty.M.Row(int(row))
	var descent, curvature, maxCurvature float64
	for k, j := range idx {
		a2 := float64(val[k] * val[k])
		maxCurvature += a2
		if e := o.excess(j, fraction); e != 0 {
			descent = math.FMA(val[k], e, descent)
			curvature += a2
		}
	}
	limit := fraction * o.f.penalty.Limit[row]
	if descent == 0 && math.Abs(z[row]) <= limit {
		return
	}
	step := 0.0
	if descent != 0 {
		step = descent / curvature
		if o.descentAt(idx, val, step, fraction)*descent < 0 {
			step = descent / maxCurvature
		}
	}
	multiplier := linalg.Clip(z[row]+step, limit)
	step, z[row] = multiplier-z[row], multiplier
	for k, j := range idx {
		o.sums[j] = math.FMA(-step, val[k], o.sums[j])
	}
}

// descentAt returns minus half the derivative of the sum of squared excesses (see outsideSolver), with
// respect to the multiplier of the row with entries idx and val, after a step of this multiplier. All
// capacities are multiplied by fraction.
func (o *outsideSolver) descentAt(idx []int32, val []float64, step, fraction float64) (descent float64) {
	for k, j := range idx {
		sum, capacity := math.FMA(-step, val[k], o.sums[j]), fraction*o.capacity[j]
		descent = math.FMA(val[k], sum-linalg.Clip(sum, capacity), descent)
	}
	return descent
}
