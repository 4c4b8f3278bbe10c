package newton

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
)

// A Wide solves problems with A = I and more features than have room in a dense
// matrix, where few coefficients are not zero: it finishes on working sets of columns,
// and proves the result by the gradient over all of them. It is not for concurrent use.
type Wide struct {
	*Problem
	n, p     int
	most     int  // columns of a working set
	full     bool // the last had no room for all coefficients that are not zero
	coef     []float64
	gradient *pass.Gradient
	absolute []float64 // Σ cᵢ|αᵢ x_ij|, for rounding
	entries  []float64 // nonzeros of each column

	margin, slope, z, g []float64
}

// slopesOf is a Loss as passes over the data take it.
type slopesOf struct{ Loss }

// NewWide prepares a problem; an error that wraps ErrNotApplicable says why it is none
// for working sets. kind names the loss in package kernels if they know it.
func NewWide(p *Problem, kind kernels.LossKind, fused bool) (*Wide, error) {
	n, features := p.Data.Dims()
	switch {
	case !p.A.Identity():
		return nil, fmt.Errorf("%w: working sets are for A = I", ErrNotApplicable)
	case p.Loss == nil:
		return nil, fmt.Errorf("%w: the conjugate of the loss is not known", ErrNotApplicable)
	}
	w := &Wide{Problem: p, n: n, p: features, most: p.MaxFeatures, coef: coefficients(p.Weights, n)}
	if w.most == 0 {
		w.most = defaultFeatures
	}
	data := pass.Data{Rows: p.Rows, Labels: p.Labels, Weights: p.Weights, Loss: slopesOf{p.Loss}, Kind: kind, Fused: fused}
	w.gradient = pass.NewGradient(pass.NewChunks(p.Data, p.Threads), data, features)
	w.margin, w.slope = make([]float64, n), make([]float64, n)
	w.z, w.g, w.absolute, w.entries = make([]float64, features), make([]float64, features), make([]float64, features), make([]float64, features)
	for i := range n {
		idx, _ := p.Data.Row(i)
		for _, j := range idx {
			w.entries[j]++
		}
	}
	return w, nil
}

// Certify bounds P(x) − P* by the dual point φ'(Xx), scaled until |X'Cα| is within the
// limits where mu = 0. It leaves z and the gradient g of the smooth part at x.
func (w *Wide) Certify(x []float64) float64 {
	w.gradient.At(w.g, x, w.margin, w.slope)
	w.bound()
	tau := 1.0
	if w.Ridge == 0 {
		for j, v := range w.g {
			if excess := math.Abs(v) + w.absolute[j]; excess > w.Limit[j] {
				tau = math.Min(tau, w.Limit[j]/excess)
			}
		}
		tau = math.Max(0, tau-0x1p-52)
	}
	alpha, gap := make([]float64, w.n), 0.0
	for i, v := range w.slope {
		alpha[i] = tau * v
	}
	gap = w.Loss.Fenchel(alpha, w.slope, w.margin, w.Labels, w.coef)
	var rest, penalty float64
	for j, v := range x {
		smooth := math.FMA(w.Ridge, v, w.g[j])
		w.z[j] = math.Max(-w.Limit[j], math.Min(-tau*smooth, w.Limit[j]))
		gap += float64(w.Limit[j]*math.Abs(v)) - float64(w.z[j]*v)
		e := math.Abs(smooth+w.z[j]) + w.absolute[j]
		rest += float64(e * e)
		penalty += float64(w.Limit[j]*math.Abs(v)) + float64(w.absolute[j]*math.Abs(v))
	}
	if w.Ridge > 0 {
		gap += rest / (2 * w.Ridge)
	}
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap + 1e-14*(w.lossAt()+penalty)
}

// lossAt returns the mean loss at the margins of the last certificate.
func (w *Wide) lossAt() (sum float64) {
	for i, c := range w.coef {
		sum += float64(c * w.Loss.Value(w.margin[i], w.Labels[i]))
	}
	return sum
}

// bound sets absolute to what rounding may have done to each entry of the gradient.
func (w *Wide) bound() {
	clear(w.absolute)
	for i, v := range w.slope {
		idx, val := w.Data.Row(i)
		c := float64(w.coef[i] * math.Abs(v))
		for k, j := range idx {
			w.absolute[j] += float64(c * math.Abs(val[k]))
		}
	}
	for j, k := range w.entries {
		w.absolute[j] *= (k + 32) * 0x1p-52
	}
}

const (
	maxRounds  = 30
	firstShare = 1e-3 // of the loss at 0: the gap to which the first set is finished
)

// Finish solves the problem from x to a gap proved to be at most set.Tol.
func (w *Wide) Finish(x []float64, set *Settings) *Result {
	res := &Result{X: slices.Clone(x), Gap: math.Inf(1)}
	scale, least := 0.0, math.Inf(1)
	for i, c := range w.coef {
		scale += float64(c * w.Loss.Value(0, w.Labels[i]))
	}
	at := slices.Clone(x)
	tol, polished := math.Max(set.Tol/4, firstShare*scale), false
	for range maxRounds {
		gap := w.Certify(at)
		value := w.value(at)
		better := value < least
		if better || gap < res.Gap {
			copy(res.X, at)
			res.Polished = polished
			least, res.Gap, res.Objective, res.Z = value, gap, value, slices.Clone(w.z)
		}
		res.Full = w.full && !better
		if res.Gap <= set.Tol || res.Err != nil || res.Full {
			return res
		}
		tol = math.Max(math.Min(0.1*tol, 0.01*gap), 1e-3*set.Tol)
		part := w.round(at, tol, set)
		if part == nil {
			return res
		}
		polished, res.Err = part.Polished, part.Err
		res.Iterations += part.Iterations
	}
	return res
}

// value returns P(x) at the margins of the last certificate, which was at x.
func (w *Wide) value(x []float64) float64 {
	sum := w.lossAt()
	for j, v := range x {
		sum += float64(w.Limit[j]*math.Abs(v)) + float64(0.5*w.Ridge*v*v)
	}
	return sum
}

// round finishes on the working set of at, and sets at to the result; nil says that the
// finisher refused.
func (w *Wide) round(at []float64, tol float64, set *Settings) *Result {
	cols := w.choose(at)
	sub := *w.Problem
	sub.Data = columnsOf(w.Data, cols, w.p)
	sub.Rows, sub.A = sub.Data.Compact(nil), quad.New(nil, len(cols))
	sub.Limit = make([]float64, len(cols))
	start := make([]float64, len(cols))
	for k, j := range cols {
		sub.Limit[k], start[k] = w.Limit[j], at[j]
	}
	f, err := New(&sub)
	if err != nil {
		return nil
	}
	part := f.Finish(start, &Settings{Tol: tol, Interrupt: set.Interrupt, MaxIterations: 60})
	clear(at)
	for k, j := range cols {
		at[j] = part.X[k]
	}
	return part
}

// choose returns the columns of the next working set, in order: those of coefficients
// that are not zero, and of the others the most violated, as many again and 200.
func (w *Wide) choose(at []float64) []int32 {
	var cols, rest []int32
	for j := range at {
		switch smooth := math.Abs(math.FMA(w.Ridge, at[j], w.g[j])); {
		case at[j] != 0 && smooth > 0.5*w.Limit[j]:
			cols = append(cols, int32(j))
		case smooth > 0.9*w.Limit[j]:
			rest = append(rest, int32(j))
		}
	}
	excess := func(j int32) float64 { return math.Abs(w.g[j]) - w.Limit[j] }
	slices.SortStableFunc(cols, func(a, b int32) int { return cmp.Compare(excess(b), excess(a)) })
	slices.SortStableFunc(rest, func(a, b int32) int { return cmp.Compare(excess(b), excess(a)) })
	room := w.most - w.most/16 // some for those that are violated
	w.full = len(cols) > room
	cols = cols[:min(len(cols), room)]
	cols = append(cols, rest[:min(len(rest), len(cols)+200, w.most-len(cols))]...)
	slices.Sort(cols)
	return cols
}

// columnsOf returns some columns of a matrix of p columns, in increasing order.
func columnsOf(m *sparse.CSR, cols []int32, p int) *sparse.CSR {
	place := make([]int32, p)
	for k, j := range cols {
		place[j] = int32(k) + 1
	}
	n, _ := m.Dims()
	ptr := make([]int64, 1, n+1)
	var idx []int32
	var val []float64
	for i := range n {
		row, v := m.Row(i)
		for k, j := range row {
			if place[j] > 0 {
				idx, val = append(idx, place[j]-1), append(val, v[k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	out, err := sparse.New(n, len(cols), ptr, idx, val)
	if err != nil {
		panic(err) // part of a valid matrix
	}
	return out
}
