package suite

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
)

// maxDenseCols is where a step over the whole vector stops being worth a series.
const maxDenseCols = 100000

// lazy keeps the scalars alpha and gamma from run to run as the solver does, and
// forms w only when the kernel asks for it. The kernel is InnerLazyCells.
func (in *innerData) lazy(f form) measure.Case {
	steps, cells := in.stepsOn(f), kernels.NewCells(in.p)
	cells.Set(in.w0, in.d)
	u, h, sum, w := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p), make([]float64, in.p)
	scalars := []float64{1, 0}
	const q = 1 - eta*kappa
	work := measure.Work{
		Kernel: func() {
			l := kernels.Lazy{Alpha: scalars[0], Gamma: scalars[1], Q: q}
			for rows := in.sampled; len(rows) > 0; {
				rows = rows[kernels.InnerLazyCells(cells, &l, steps, rows):]
				if l.Alpha < 0x1p-7 {
					cells.Form(&l)
				}
			}
			scalars[0], scalars[1] = l.Alpha, l.Gamma
		},
		Naive: func() {
			scalars[0], scalars[1] = naive.Lazy(u, h, in.d, scalars[0], scalars[1], q, in.plain, in.sampled)
		},
		State: [][]float64{cells, u, h, sum, scalars},
		Answer: func(byNaive bool) []float64 {
			if !byNaive {
				cells.Point(w, &kernels.Lazy{Alpha: scalars[0], Gamma: scalars[1]})
				return w
			}
			for j := range w {
				w[j] = scalars[0]*u[j] + scalars[1]*in.d[j]
			}
			return w
		},
		Tolerance: 1e-10,
	}
	if in.p <= maxDenseCols {
		work.Dense = func() { naive.Inner(u, sum, in.d, kappa, in.plain, in.sampled) }
	}
	return in.innerCase("InnerLazy", f, 8*in.nnz+10, 32*in.nnz, 32*in.p, work)
}

// lazyBall projects onto a ball that the iterates keep leaving. Each run starts
// from u = w, and the naive loop pays O(p) for its projection. The kernel is
// InnerLazyBallCells.
func (in *innerData) lazyBall(f form) measure.Case {
	steps, cells := in.stepsOn(f), kernels.NewCells(in.p)
	w, q, sum := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	norm2 := make([]float64, in.n)
	for i := range norm2 {
		_, val := naive.Row(in.data.Rows, i)
		norm2[i] = naive.Dot(val, val)
	}
	radius := 0.9 * math.Sqrt(naive.Dot(w, w))
	return in.innerCase("InnerLazyBall", f, 8*in.nnz+30, 32*in.nnz, 32*in.p, measure.Work{
		Kernel: func() {
			for rows := in.sampled; len(rows) > 0; {
				cells.Set(w, in.d)
				l := kernels.LazyBall{
					Lazy: kernels.Lazy{Alpha: 1, Q: 1 - eta*kappa}, Radius: radius, GammaLimit: math.Inf(1),
					UU: kernels.Dot(w, w), UD: kernels.Dot(w, in.d), DD: kernels.Dot(in.d, in.d),
				}
				rows = rows[kernels.InnerLazyBallCells(cells, norm2, &l, steps, rows):]
				cells.Sparse(q)
				for j := range sum {
					sum[j] += l.AlphaSum*cells[4*j] - q[j] + l.GammaSum*in.d[j]
				}
				cells.Point(w, &l.Lazy)
			}
		},
		Naive:  func() { naive.InnerBall(w, sum, in.d, radius, kappa, in.plain, in.sampled) },
		State:  [][]float64{w, q, sum, cells},
		Answer: func(bool) []float64 { return slices.Concat(w, sum) }, Tolerance: 1e-8,
	})
}

// decay has a different diagonal entry of K for every coordinate. Each run
// starts from w, as each block of the solver does.
func (in *innerData) decay(f form) measure.Case {
	steps := in.stepsOn(f)
	state, w := make([]float64, in.p*kernels.DecayStride), slices.Clone(in.w0)
	plain, sum := make([]float64, in.p*kernels.DecayStride), make([]float64, in.p)
	k := make([]float64, in.p)
	for j := range k {
		k[j] = kappa * (1 + float64(j%7))
	}
	begin := func(state []float64) {
		for j, d := range in.d {
			cell := state[j*kernels.DecayStride:][:kernels.DecayStride]
			fixed := -d / k[j]
			cell[kernels.DecayFixed], cell[kernels.DecayDeviation] = fixed, w[j]-fixed
			cell[kernels.DecayRate], cell[kernels.DecayFactor] = kernels.NegLog1m(eta*k[j]), 1-eta*k[j]
			cell[kernels.DecayLast], cell[kernels.DecayGain] = 0, 0
		}
	}
	work := measure.Work{
		Kernel: func() {
			begin(state)
			kernels.InnerDecay(state, 0, steps, in.sampled)
			kernels.DecayTo(w, state, len(in.sampled))
		},
		Naive: func() {
			begin(plain)
			naive.Decay(w, plain, in.plain, in.sampled)
		},
		State:  [][]float64{w, state, plain, sum},
		Answer: func(bool) []float64 { return w }, Tolerance: 1e-10,
	}
	if in.p <= maxDenseCols {
		work.Dense = func() { naive.InnerDiagonal(w, sum, in.d, k, in.plain, in.sampled) }
	}
	return in.innerCase("InnerDecay", f, in.nnz*(31+9), 64*in.nnz, 64*in.p, work)
}
