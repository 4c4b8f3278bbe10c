package exact

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// unrestricted is the whole problem of a setSolver: the features are not restricted to a working set.
type unrestricted struct {
	*Problem
	*rows.Sums
	n, p   int
	rows   *gap.Penalty
	bounds *gap.Memory
	head   []float64      // X'Cα of the last bound
	apart  *gap.Separated // samples that are separated by features in no row of A; nil if there are none
}

func newUnrestricted(p *Problem) *unrestricted {
	n, features := p.Data.Dims()
	f := &unrestricted{Problem: p, Sums: rows.NewSums(p.Team, rows.NewChunks(p.Data, p.Threads), p.Weights, n, features), n: n, p: features}
	f.rows = gap.NewPenalty(p.A, p.Limit, nil, nil)
	f.head = make([]float64, features)
	q := &gap.Problem{Penalty: f.rows, Ridge: p.Ridge, Columns: gap.ColumnsOf(p.Data, f.Sums, p.Team)}
	if f.mu() == 0 && !f.rows.AllSingletons() {
		f.apart = gap.FindSeparated(f.Team, f.Data, f.Loss, f.Labels, f.Coef, func(j int) (above, below bool) {
			free := !f.rows.Touches(j)
			return free, free
		})
	}
	if f.apart != nil {
		q.Vanishing = f.apart.Columns
	}
	q.Prepare()
	f.bounds = &gap.Memory{Problem: q, Sums: f.Sums, Team: f.Team, Data: f.Data, Loss: f.Loss, Labels: f.Labels}
	return f
}

// mu returns the ridge, which is the same for all features.
func (f *unrestricted) mu() float64 { return f.Ridge[0] }

// isUnheld reports whether feature j has neither a ridge nor a singleton row. Every working set has all such
// features.
func (f *unrestricted) isUnheld(j int) bool { return f.mu() == 0 && f.rows.Singleton[j] < 0 }

func (f *unrestricted) lossAtZero() float64 {
	return f.Mean(f.Loss, nil, make([]float64, f.n), f.Labels)
}

// fallsForever reports whether the loss decreases without end along x, if only the coefficients of features
// without a ridge that occur in no row of A change.
func (f *unrestricted) fallsForever(x []float64) bool {
	if f.mu() > 0 || f.rows.AllSingletons() {
		return false
	}
	d, along := make([]float64, f.p), make([]float64, f.n)
	for j, v := range x {
		if !f.rows.Touches(j) {
			d[j] = v
		}
	}
	f.Margins(along, f.Rows, d)
	return gap.Falls(f.Team, f.Loss, along, f.Labels, f.Coef)
}

// ending returns why the run with the result r ended. full is true if a working set was too small or too
// costly. spent is true if all allowed rounds, or all allowed iterations of the last round, were made.
func (f *unrestricted) ending(r *Solution, tol float64, full, spent bool) ending.Why {
	return ending.Of(r.Err, r.Gap, tol, full, func() bool { return f.fallsForever(r.X) }, spent)
}

// An iterate is a point x with the results of a pass over the data there.
type iterate struct {
	x      []float64
	margin []float64 // t = X x
	slope  []float64 // φ'(t)
	image  []float64 // A x, for the rows of gap.Penalty
	loss   float64   // Σ cᵢ φ(tᵢ)
	value  float64   // P(x)
}

func (f *unrestricted) newIterate() *iterate {
	return &iterate{x: make([]float64, f.p), margin: make([]float64, f.n), slope: make([]float64, f.n), image: make([]float64, f.rows.Len())}
}

// visit computes the iterate's other fields from its x.
func (f *unrestricted) visit(at *iterate) {
	f.Margins(at.margin, f.Rows, at.x)
	at.loss = f.Mean(f.Loss, at.slope, at.margin, f.Labels)
	f.rows.Mul(at.image, at.x)
	at.value = at.loss + float64(float64(0.5*f.mu())*kernels.Dot(at.x, at.x)) + f.rows.Value(at.image)
}

// A dual is a dual point (α, z). It need not satisfy X'Cα + mu x + A'z = 0 exactly.
type dual struct {
	alpha []float64
	z     []float64 // multipliers of the rows of gap.Penalty
	exact []float64 // multipliers of the feasible point that proves the gap; nil if nothing is proved
	goal  float64   // a more accurate proof is tried if it may reach this gap
}

func (f *unrestricted) newDual() *dual {
	return &dual{alpha: make([]float64, f.n), z: make([]float64, f.rows.Len())}
}

// prove moves d.alpha into the domain of φ*, and returns the gap that d proves at the iterate. See
// dual.goal for goal.
func (f *unrestricted) prove(d *dual, at *iterate, goal float64) float64 {
	d.goal = goal
	for i, a := range d.alpha {
		lo, hi := slopeRange(f.Loss, f.Labels[i], f.Coef[i])
		if d.alpha[i] = math.Max(lo, math.Min(a, hi)); f.apart != nil && f.apart.Samples[i] {
			d.alpha[i] = 0
		}
	}
	return f.evaluate(d, at)
}

// evaluate returns the gap that a dual point proves at an iterate.
func (f *unrestricted) evaluate(d *dual, at *iterate) float64 {
	f.Transposed(f.head, f.Rows, d.alpha)
	b := f.bounds.Prove(&gap.Point{X: at.x, Margin: at.margin, Slope: at.slope, Loss: at.loss}, d.alpha, d.z, f.head, nil, d.goal)
	d.exact = b.Z
	return b.Gap
}

// multipliers returns the multipliers of all rows of A at the feasible point that proves the gap, or at d
// if nothing is proved.
func (f *unrestricted) multipliers(d *dual) []float64 {
	if d.exact == nil {
		return f.rows.Expand(d.z)
	}
	return f.rows.Expand(d.exact)
}
