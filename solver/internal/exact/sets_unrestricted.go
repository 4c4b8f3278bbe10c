package exact

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// wholeProblem is the whole problem of a setSolver, at the current point x: the features are not restricted
// to a working set.
type wholeProblem struct {
	*memorySamples     // memorySamples.current has the margins and slopes at x
	p              int // number of features
	penalty        *gap.Penalty
	x              []float64 // the current point
	image          []float64 // A x, for the rows of gap.Penalty
	value          float64   // P(x)
	zeroLoss       float64   // the mean loss at x = 0
	head           []float64 // X'Cα at the last call of proveBy; see the package comment
	// True if mu is positive and an upper bound of the trace of the loss's Hessian is at most
	// mostCondition·n·mu.
	wellConditioned bool
}

func newWholeProblem(p *Problem) *wholeProblem {
	_, features := p.Data.Dims()
	f := &wholeProblem{
		memorySamples: newMemorySamples(p, nil), p: features, penalty: gap.NewPenalty(p.A, p.Limit, nil, nil),
		x: make([]float64, features), head: make([]float64, features),
	}
	f.image = make([]float64, f.penalty.Len())
	data := f.summary()
	f.zeroLoss = data.zeroLoss
	q := &gap.Problem{Penalty: f.penalty, Ridge: p.Ridge, Columns: data.columns}
	curvature := float64(f.Loss.Curvature() * kernels.Dot(q.Columns.Norm, q.Columns.Norm))
	f.wellConditioned = f.mu() > 0 && curvature <= mostCondition*float64(float64(f.n)*f.mu())
	f.separate(func(j int) (above, below bool) {
		free := f.isFree(j)
		return free, free
	})
	q.Prepare()
	f.setBounds(q)
	return f
}

// mu returns the ridge, which is the same for all features.
func (f *wholeProblem) mu() float64 { return f.Ridge[0] }

// mostCondition is the largest ratio of the trace of the loss's Hessian to n·mu for which SCAS-ADMM counts as
// fast.
const mostCondition = 2

// isUnheld reports whether feature j has neither a ridge nor a singleton row. Every working set has all such
// features.
func (f *wholeProblem) isUnheld(j int) bool { return f.mu() == 0 && f.penalty.Singleton[j] < 0 }

// isFree reports whether feature j has no ridge and occurs in no row of A with a positive limit.
func (f *wholeProblem) isFree(j int) bool { return f.mu() == 0 && !f.penalty.Touches(j) }

// fallsForever reports whether the loss keeps falling when the coefficients of free features in x are
// multiplied by larger and larger numbers, and the other coefficients do not change.
func (f *wholeProblem) fallsForever(x []float64) bool {
	d := make([]float64, f.p)
	for j, v := range x {
		if f.isFree(j) {
			d[j] = v
		}
	}
	return f.lossFallsForever(d)
}

// visit moves to x, and computes the loss and the slopes there.
func (f *wholeProblem) visit(x []float64) {
	copy(f.x, x)
	f.setCurrent(f.x)
	f.penalty.Mul(f.image, f.x)
	f.value = f.current.loss + float64(float64(0.5*f.mu())*kernels.Dot(f.x, f.x)) + f.penalty.Value(f.image)
}

// A dualPoint is a dual point (α, z). It need not satisfy X'Cα + mu x + A'z = 0 exactly.
type dualPoint struct {
	alpha     []float64
	z         []float64 // multipliers of the rows of gap.Penalty
	feasibleZ []float64 // multipliers of the feasible point that proves the gap; nil if nothing is proved
}

func (f *wholeProblem) newDualPoint() *dualPoint {
	return &dualPoint{alpha: make([]float64, f.n), z: make([]float64, f.penalty.Len())}
}

// proveBy moves d.alpha into the domain of φ*. It returns the gap that d proves at the current point, and
// sets d.feasibleZ. A more accurate proof is tried if it may reach goal.
func (f *wholeProblem) proveBy(d *dualPoint, goal float64) float64 {
	for i, a := range d.alpha {
		d.alpha[i] = max(f.lo[i], min(a, f.hi[i]))
	}
	f.transposed(f.head, d.alpha)
	point := f.point(f.x)
	tally := f.bounds.Tally(point, d.alpha)
	b := f.bounds.Prove(point, d.alpha, d.z, f.head, nil, &tally, goal)
	d.feasibleZ = b.Z
	return b.Gap
}

// multipliers returns the multipliers of all rows of A at the feasible dual point that proves the gap, or at
// d if nothing is proved.
func (f *wholeProblem) multipliers(d *dualPoint) []float64 {
	if d.feasibleZ == nil {
		return f.penalty.Expand(d.z)
	}
	return f.penalty.Expand(d.feasibleZ)
}
