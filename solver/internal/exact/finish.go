package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/structure"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Finisher solves problems of package newton that are of this package.
type Finisher struct {
	s      *Solver
	set    newton.Settings
	result newton.Result
}

// serves reports whether a Finisher solves q. It does if A is the identity, and there are
// absolute values and squares alone, on R^p or on x ≥ 0, and the loss is not a caller's own, for which
// bounds are not known.
func serves(q *newton.Problem) bool {
	if q == nil {
		return false
	}
	loss := q.Loss.Traits()
	if loss.Accuracy > 0 || !loss.Conjugate || !q.A.Identity() || len(q.Limit) == 0 {
		return false
	}
	if nonnegative(q.Domain) {
		return q.Square == nil && q.Groups == nil && (q.Ridge > 0 || slices.Min(q.Limit) > 0)
	}
	return q.Absolute() && (q.Ridge > 0 || slices.Max(q.Limit) > 0)
}

// nonnegative reports whether a domain is x ≥ 0.
func nonnegative(d term.Region) bool {
	if d == nil {
		return false
	}
	b, ok := d.Box()
	return ok && !slices.ContainsFunc(b.Lower, func(v float64) bool { return v != 0 }) &&
		!slices.ContainsFunc(b.Upper, func(v float64) bool { return !math.IsInf(v, 1) })
}

// NewFinisher prepares a problem with the data as rows, or returns nil where it is not the
// way to solve it.
func NewFinisher(q *newton.Problem, rows kernels.Rows, threads int) *Finisher {
	if !serves(q) {
		return nil
	}
	p := &Problem{Data: q.Data, Rows: rows, Labels: q.Labels, Weights: q.Weights, Loss: q.Loss, L1: q.Limit, Threads: threads, Team: q.Team, Nonnegative: nonnegative(q.Domain)}
	p.L2 = slices.Repeat([]float64{q.Ridge}, len(q.Limit))
	s, err := New(p)
	if err != nil {
		return nil
	}
	return &Finisher{s: s}
}

// Finish solves the problem from x, and if this does not do from 0.
func (f *Finisher) Finish(x []float64, set *newton.Settings) *newton.Result {
	f.set, f.result = *set, newton.Result{Gap: math.Inf(1)}
	if !slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		return f.end(f.solve())
	}
	f.s.Start(x)
	r := f.solve()
	if r.Err == nil && r.Gap > set.Tol {
		f.s.Start(make([]float64, f.s.p))
		r = f.solve()
	}
	return f.end(r)
}

// solve goes on to the problem's lambda, which is 1.
func (f *Finisher) solve() Result {
	r := f.s.Solve(1, &Settings{Tol: f.set.Tol, Interrupt: f.set.Interrupt, Stop: f.set.Stop})
	f.result.Iterations += r.Iterations
	return r
}

// end makes a result of the other package's of r.
func (f *Finisher) end(r Result) *newton.Result {
	s, to := f.s, &f.result
	if math.IsInf(r.Gap, 1) {
		r = s.judge(1, f.set.Tol, r)
	}
	to.X, to.Z, to.Alpha = s.x, make([]float64, s.p), s.work.alpha
	to.Gap, to.Objective, to.Full, to.Err, to.Why = r.Gap, r.Objective, r.Full, r.Err, r.Why
	switch {
	case r.Err != nil:
		to.Why = ending.Interrupted
	case r.Gap <= f.set.Tol:
		to.Why = ending.Reached
	}
	for j, e := range s.e {
		l := s.limit[j]
		to.Z[j] = math.Max(-l, math.Min(-math.FMA(s.ridge[j], s.x[j], e), l))
	}
	if to.Polished = r.Gap <= f.set.Tol; to.Polished {
		to.Structure = structure.Read(nil, s.x, s.limit, s.p).Partition()
	}
	return to
}

// Memory estimates what a Finisher takes with the largest working sets whose Hessian is
// formed, half of which is their support, in bytes, for data cut into so many runs; 0
// where there is none.
func Memory(q *newton.Problem, runs int) int64 {
	n, features := q.Data.Dims()
	if !serves(q) {
		return 0
	}
	k, entries := int64(mostFormed(q.Data)), q.Data.NNZ()
	const ofTranspose, ofRows = 12, 10 // bytes of an entry
	total := 8 * (k*k + 2*(k/2)*(k/2) + 11*int64(n) + int64(14+runs)*int64(features))
	if samples(n, features) {
		total += (ofTranspose + ofRows) * entries / sampleShare
	}
	if whole := pairs(q.Data); features > wholeSet && whole > cheapCost*float64(entries) {
		total += ofTranspose*entries + ofRows*min(entries, int64(n)*k)
	}
	return total + q.ScratchMemory()
}

// pairs returns the number of pairs of entries in one row.
func pairs(m *sparse.CSR) (sum float64) {
	n, _ := m.Dims()
	for i := range n {
		idx, _ := m.Row(i)
		sum += float64(len(idx) * (len(idx) + 1) / 2)
	}
	return sum
}

// mostFormed is the most columns whose Hessian may be formed: no other columns have as
// many entries as the fullest.
func mostFormed(m *sparse.CSR) (most int) {
	n, p := m.Dims()
	count := make([]float64, p)
	for i := range n {
		idx, _ := m.Row(i)
		for _, j := range idx {
			count[j]++
		}
	}
	slices.SortFunc(count, func(a, b float64) int { return cmp.Compare(b, a) })
	entries := 0.0
	for k, c := range count[:min(p, defaultWorking)] {
		if entries += c; denseCost(k+1, float64(k)/2) <= leastVisits*visitCost*entries {
			most = k + 1
		}
	}
	return most
}
