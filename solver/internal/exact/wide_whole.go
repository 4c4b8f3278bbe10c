package exact

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A whole is the problem with all features that a Wide solves on parts of them: it has points, dual
// points and bounds.
type whole struct {
	*Problem
	*rows.Sums
	n, p   int
	rows   *gap.Rows
	bounds *gap.Memory
	head   []float64 // X'Cα of the last bound
	apart  *gap.Separated
}

func newWhole(p *Problem) *whole {
	n, features := p.Data.Dims()
	f := &whole{Problem: p, Sums: rows.NewSums(p.Team, rows.NewChunks(p.Data, p.Threads), p.Weights, n, features), n: n, p: features}
	f.rows = gap.NewRows(p.A, p.Limit, nil, nil)
	f.head = make([]float64, features)
	q := &gap.Problem{Rows: f.rows, Ridge: p.Ridge, Columns: gap.ColumnsOf(p.Data, f.Sums, p.Team)}
	if f.mu() == 0 && !f.rows.AllOwn() {
		f.apart = gap.FindSeparated(f.Team, f.Data, f.Loss, f.Labels, f.Coef, func(j int) (above, below bool) {
			free := !f.rows.Touches(j)
			return free, free
		})
	}
	if f.apart != nil {
		q.Settled = f.apart.Columns
	}
	q.Prepare()
	f.bounds = &gap.Memory{Problem: q, Sums: f.Sums, Team: f.Team, Data: f.Data, Loss: f.Loss, Labels: f.Labels}
	return f
}

// mu returns the ridge, which all features have in common.
func (f *whole) mu() float64 { return f.Ridge[0] }

// isFree reports whether no row holds a feature at zero.
func (f *whole) isFree(j int) bool { return f.mu() == 0 && f.rows.Own[j] < 0 }

// lossAtZero returns the mean loss at x = 0.
func (f *whole) lossAtZero() float64 { return f.Mean(f.Loss, nil, make([]float64, f.n), f.Labels) }

// separable reports whether the losses fall without end along the part of x that no row holds.
func (f *whole) separable(x []float64) bool {
	if f.mu() > 0 || f.rows.AllOwn() {
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

// ending returns why a run ended with r, whose other fields are set.
func (f *whole) ending(r *Solution, tol float64, full, spent bool) ending.Why {
	return ending.Of(r.Err, r.Gap, tol, full, func() bool { return f.separable(r.X) }, spent)
}

// A place is an x and what a pass over the data finds there.
type place struct {
	x      []float64 // p
	margin []float64 // n: t = X x
	slope  []float64 // n: φ'(t)
	image  []float64 // A x, over the rows of the penalty
	loss   float64   // Σ cᵢ φ(tᵢ)
	value  float64   // P(x)
}

func (f *whole) newPlace() *place {
	return &place{x: make([]float64, f.p), margin: make([]float64, f.n), slope: make([]float64, f.n), image: make([]float64, f.rows.Len())}
}

// visit fills the place at its x.
func (f *whole) visit(at *place) {
	f.Margins(at.margin, f.Rows, at.x)
	at.loss = f.Mean(f.Loss, at.slope, at.margin, f.Labels)
	f.rows.Mul(at.image, at.x)
	at.value = at.loss + float64(float64(0.5*f.mu())*kernels.Dot(at.x, at.x)) + f.rows.Value(at.image)
}

// A dual is a dual point, feasible up to rounding and scale, and what it proves.
type dual struct {
	alpha []float64 // n
	z     []float64 // rows of the penalty
	scale float64   // of the feasible point that proves the gap,
	exact []float64 // and its z
	goal  float64   // of the gap: it is proved with more care if that may reach the goal
	gap   float64   // at the place where it was last evaluated; 0 if never
}

func (f *whole) newDual() *dual {
	return &dual{alpha: make([]float64, f.n), z: make([]float64, f.rows.Len())}
}

// admit brings d, of which alpha and z are given, into the domain of φ*, and returns the gap that it
// proves.
func (f *whole) admit(d *dual, at *place, goal float64) float64 {
	d.goal, d.exact = goal, nil
	for i, a := range d.alpha {
		lo, hi := f.Loss.SlopeRange(f.Labels[i])
		if d.alpha[i] = math.Max(lo, math.Min(a, hi)); f.apart != nil && f.apart.Samples[i] {
			d.alpha[i] = 0
		}
	}
	return f.evaluate(d, at)
}

// evaluate returns the gap that d proves, and keeps it.
func (f *whole) evaluate(d *dual, at *place) float64 {
	f.Transposed(f.head, f.Rows, d.alpha)
	b := f.bounds.Prove(&gap.Point{X: at.x, Margin: at.margin, Slope: at.slope, Loss: at.loss}, d.alpha, d.z, f.head, nil, d.goal)
	d.gap, d.scale, d.exact = b.Gap, b.Shrink, b.Z
	return d.gap
}

// feasible returns the feasible point that proves what d does, the second over all rows of A;
// where it proves nothing, d as it is.
func (f *whole) feasible(d *dual) (alpha, z []float64) {
	if d.exact == nil {
		return d.alpha, f.rows.Expand(d.z)
	}
	alpha = append([]float64(nil), d.alpha...)
	linalg.Scale(alpha, d.scale)
	return alpha, f.rows.Expand(d.exact)
}
