package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/newton"
)

// finisher returns what certifies and finishes, nil where the problem does not admit
// it.
func (r *Run) finisher() *newton.Finisher {
	if r.newton == nil && !r.noNewton {
		r.newton = r.newFinisher()
		r.noNewton = r.newton == nil
	}
	return r.newton
}

func (r *Run) newFinisher() *newton.Finisher {
	p := r.Problem
	loss := newtonLoss(p.loss())
	_, l1 := p.penalty().(L1)
	if loss == nil || !l1 || p.Coupling != nil || p.Domain != nil {
		return nil
	}
	q := &newton.Problem{
		Data: p.Data, Rows: r.Samples.rows, Labels: p.Labels, Weights: p.SampleWeights,
		Loss: loss, Ridge: p.L2, A: r.A.Algebra, Limit: r.dual.Limit, Threads: r.Settings.Threads,
	}
	r.assembly = q.Assembly()
	f, err := newton.New(q)
	if err != nil {
		kind, fused := fusedLoss(p.loss())
		if r.wide, err = newton.NewWide(q, kind, fused && !r.Settings.Float32); err == nil {
			r.assembly = 0 // a small part of the columns, known only later
		}
		return nil
	}
	return f
}

// newtonLoss returns a loss with its conjugate, nil if that is not known.
func newtonLoss(l Loss) newton.Loss {
	switch l := l.(type) {
	case Logistic:
		return newton.Logistic{}
	case Squared:
		return newton.Squared{}
	case SquaredHinge:
		return newton.SquaredHinge{}
	case Huber:
		return newton.Huber{Delta: l.delta()}
	}
	return nil
}

// certify bounds the excess of the objective at x over the optimum, with the clock
// running if the goal may end the run. It is +Inf where nothing can be proved.
func (r *Run) certify() float64 {
	gap := math.Inf(1)
	if f := r.finisher(); f != nil {
		gap = f.Certify(r.X, r.Dual).Gap
	} else if r.wide != nil {
		gap = r.wide.Certify(r.X)
	}
	if math.IsInf(gap, 1) {
		return r.ridgeGap()
	}
	return gap
}

// ridgeGap is the bound that mu > 0 gives for free, (1/2mu)|∇f(x) + A'beta|² + Σ
// limitⱼ|(Ax)ⱼ| − betaⱼ(Ax)ⱼ, a sum of terms that are not negative, so that it loses
// nothing to cancellation. It follows from Fenchel's equality at the dual point
// φ'(aᵢ'x), beta.
func (r *Run) ridgeGap() float64 {
	p, limit := r.Problem, r.dual.Limit
	if p.L2 == 0 || limit == nil || p.Coupling != nil || p.Domain != nil {
		return math.Inf(1)
	}
	gap := sumSquares(r.lagrangian()) / (2 * p.L2)
	for j, v := range r.A.Image(r.X) {
		gap += float64(limit[j]*math.Abs(v)) - float64(r.Dual[j]*v)
	}
	return gap
}

// lagrangian returns ∇f(x) + A'beta.
func (r *Run) lagrangian() []float64 {
	r.Samples.Gradient(&r.Snapshot, r.X)
	g := make([]float64, len(r.X))
	r.A.MulTrans(g, r.Dual)
	for j, v := range r.Snapshot.Gradient {
		g[j] += v + float64(r.Problem.L2*r.X[j])
	}
	return g
}

// dualResidual returns |x − π_X(x − ∇f(x) − A'beta)|₂.
func (r *Run) dualResidual() float64 {
	g := r.lagrangian()
	if r.Problem.Domain == nil {
		return math.Sqrt(sumSquares(g))
	}
	for j, v := range r.X {
		g[j] = v - g[j]
	}
	r.Problem.Domain.Project(g)
	var sum float64
	for j, v := range g {
		d := r.X[j] - v
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
