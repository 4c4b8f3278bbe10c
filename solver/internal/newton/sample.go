package newton

import (
	"github.com/scas-admm/scas/kernels"
)

// The solution for m of the samples has an error in the objective of about P p/m. So the
// central path on a part of the samples is as good as that on all of them down to a
// complementarity of that size, and is followed there first, at a part of the cost; on
// that part again from a part of it (sample sizes that grow with the accuracy: Byrd,
// Chin, Nocedal, Wu 2012; Daneshmand, Lucchi, Hofmann 2016).
const (
	sampleShare = 4   // the part is that of the samples
	leastSample = 8   // times p samples
	sampleEnd   = 0.3 // of the error: the complementarity to go to
	sampleSteps = 12  // iterations after which to give it up
)

// Sampled reports whether Finish has a start of its own, on a part of the samples: then
// there is little to gain from another one. With a band a Hessian takes no more than a pass,
// so that a part of the samples saves nothing.
func (f *Finisher) Sampled() bool {
	return f.rows.Len() > 0 && !f.Banded() && partPays(f.All.Samples, f.p)
}

// partPays reports whether a part of n samples is enough for so many features.
func partPays(n, features int) bool { return n/sampleShare >= leastSample*features }

// sampled puts the path where that of a part of the samples is left, and reports
// whether it did.
func (r *finish) sampled(x []float64) bool {
	f, l := r.f, len(r.path.z)
	if !f.Sampled() {
		return false
	}
	g := f.sample(max(1, f.n/sampleShare))
	if g == nil {
		return false
	}
	q := g.newFinish(&Settings{Interrupt: r.seldom(sampleShare), Tol: r.set.Tol})
	q.path.base = r.path.base
	q.begin(x)
	q.least = sampleEnd * float64(f.p) / float64(g.All.Samples) / float64(l) * r.scale
	for q.path.complementarity() > 1.5*q.least {
		if q.result.Iterations == sampleSteps || q.interrupted() || !q.iterate() {
			return false
		}
	}
	p := r.path
	copy(p.pt.x, q.path.pt.x)
	copy(p.plus, q.path.plus)
	copy(p.minus, q.path.minus)
	copy(p.uplus, q.path.uplus)
	copy(p.uminus, q.path.uminus)
	f.visit(p.pt)
	p.synchronise()
	p.soft, r.start.warm = q.path.soft, true
	return p.pt.value <= r.scale
}

// seldom asks every so many times.
func (r *finish) seldom(times int) func() error {
	asked := 0
	return func() error {
		if asked++; asked%times == 0 && r.set.Interrupt != nil {
			return r.set.Interrupt()
		}
		return nil
	}
}

// sample returns the problem of m of the samples, one drawn from each run of n/m, nil if
// they have no weight. It shares what does not depend on samples with f, which must not
// be used until it is done with.
func (f *Finisher) sample(m int) *Finisher {
	sub, g, pick := *f.Problem, *f, Picks(f.n, m)
	sub.Data, sub.Rows = nil, selectRows(f.Rows, pick)
	sub.Labels = make([]float64, m)
	for k, i := range pick {
		sub.Labels[k] = f.Labels[i]
	}
	var total float64
	if f.Weights != nil {
		sub.Weights = make([]float64, m)
		for k, i := range pick {
			sub.Weights[k] = f.Weights[i]
			total += f.Weights[i]
		}
	}
	if f.Weights != nil && f.Team.Total(total) == 0 {
		return nil
	}
	g.Problem, g.n, g.apart = &sub, m, nil // no gap is proved of it
	shared := *f.squares
	g.squares = &shared
	g.squares.fit(sub.Rows, f.p)
	g.Sums = f.Part(cut(&sub, f.p), sub.Weights, m)
	g.pose()
	return &g
}

// Picks draws one number of each of m runs of n/m: whatever order or period the samples
// have is that of a part of them, too.
func Picks(n, m int) []int {
	pick := make([]int, m)
	state := uint64(1)
	for k := range pick {
		state = state*6364136223846793005 + 1442695040888963407
		lo, hi := k*n/m, (k+1)*n/m
		pick[k] = lo + int((state>>33)%uint64(hi-lo))
	}
	return pick
}

// selectRows copies rows.
func selectRows(a kernels.Rows, pick []int) kernels.Rows {
	ptr := make([]int64, 1, len(pick)+1)
	for _, i := range pick {
		ptr = append(ptr, ptr[len(ptr)-1]+a.Ptr[i+1]-a.Ptr[i])
	}
	return kernels.Rows{
		Ptr: ptr, Idx: gatherRows(a.Idx, a.Ptr, ptr, pick), Idx16: gatherRows(a.Idx16, a.Ptr, ptr, pick),
		Val: gatherRows(a.Val, a.Ptr, ptr, pick), Val32: gatherRows(a.Val32, a.Ptr, ptr, pick),
		Cols: a.Cols,
	}
}

// gatherRows copies entries of rows, nil for nil.
func gatherRows[T any](v []T, from, to []int64, pick []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, to[len(pick)])
	for k, i := range pick {
		copy(out[to[k]:to[k+1]], v[from[i]:from[i+1]])
	}
	return out
}
