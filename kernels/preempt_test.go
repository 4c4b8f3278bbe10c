package kernels

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A spy replaces the assembly kernels. For each assembly call it checks that the work is bounded and that
// the caller is not inlined, so that the scheduler can stop the goroutine between two calls.
type spy struct {
	t     *testing.T
	calls int
}

func (s *spy) call(work, bound int) {
	s.t.Helper()
	s.calls++
	if work > bound {
		s.t.Errorf("a call of %d units of work, want at most %d", work, bound)
	}
	pc := make([]uintptr, 8)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for f, more := frames.Next(); more; f, more = frames.Next() {
		if name := f.Function[strings.LastIndexByte(f.Function, '.')+1:]; strings.HasSuffix(name, "Block") {
			if f.Func == nil {
				s.t.Errorf("%s is inlined", name)
			}
			return
		}
	}
	s.t.Error("no function named Block between the wrapper and the kernel")
}

func (s *spy) set() *set {
	rowsSpy := func(_ []float64, a *Rows, _ []float64) {
		s.call(a.Len()+int(a.Ptr[a.Len()]-a.Ptr[0]), maxWork)
	}
	hessianSpy := func(_ []float64, _ int, _ *Rows, spans []span) {
		var work int64
		for _, x := range spans {
			work += x.work()
		}
		s.call(int(work), maxWork)
	}
	stepSpy := func(fixedWork func(a *stepArgs) int) stepKernel {
		return func(a *stepArgs) (done int) {
			work := 0
			for _, i := range a.sampled {
				if work >= a.work || a.Rows.rowLen(i) > len(a.scratch.off) {
					break
				}
				work += a.Rows.rowLen(i) + fixedWork(a)
				done++
			}
			s.call(work, 2*maxWork) // a step is not divided, so work may exceed maxWork
			return done
		}
	}
	elementSpy := stepSpy(func(a *stepArgs) int { return len(a.w) })
	nonzeroSpy := stepSpy(func(*stepArgs) int { return 1 })
	rotatedSpy := func(a *stepArgs) (done int) {
		s.call(a.stepCount*len(a.w), maxWork)
		return a.stepCount
	}
	var rows [numForms]rowSet
	for form := range rows {
		rows[form] = rowSet{rowsSpy, rowsSpy, hessianSpy}
	}
	return &set{
		level:      AVX512, // a level with panels
		rows:       rows,
		innerDense: elementSpy, innerBox: elementSpy, innerLazy: nonzeroSpy,
		innerDecay: nonzeroSpy, innerRotated: rotatedSpy, innerRotatedBall: rotatedSpy,
		hessianPanel: func(_ []float64, _ int, mask []uint64, _, _ []float64) {
			work := 0
			for _, m := range mask {
				work += bits.OnesCount64(m)
			}
			s.call(work, maxWork)
		},
		dot:             func(x, y []float64) float64 { s.call(len(x), chunk); return 0 },
		logisticSlopes:  func(slope, margin, label []float64) float64 { s.call(len(margin), chunk); return 0 },
		squaredSlopes:   func(slope, margin, label []float64) float64 { s.call(len(margin), chunk); return 0 },
		poissonSlopes:   func(slope, margin, label []float64) float64 { s.call(len(margin), chunk); return 0 },
		logisticFenchel: func(alpha, margin, label, weight []float64) float64 { s.call(len(alpha), chunk); return 0 },
		poissonFenchel:  func(alpha, margin, label, weight []float64) float64 { s.call(len(alpha), chunk); return 0 },
		clip:            func(v, lo, hi []float64) { s.call(len(v), maxWork) },
		axpy:            func(alpha float64, x, y []float64) { s.call(len(x), maxWork) },
		proxDual:        func(beta, y, ax, limit []float64, rho, inv float64) { s.call(len(ax), maxWork) },
	}
}

// TestBoundedWork checks the number of assembly calls that each function makes. A spy checks the work of each
// call.
func TestBoundedWork(t *testing.T) {
	const n = 3*maxWork + 5
	v, out, sum := make([]float64, n), make([]float64, n), make([]float64, n)
	emptyPtr := make([]int64, n+1)
	rows := Rows{Ptr: make([]int64, n/8+1), Idx: make([]int32, n), Val: v, Cols: 1}
	for r := range rows.Ptr {
		rows.Ptr[r] = int64(8 * r)
	}
	steps := &Steps{Rows: rows, Label: v[:rows.Len()], Slope0: v[:rows.Len()]}
	sampled := make([]int32, 60000)
	x, cells := make([]float64, 123), NewCells(123)
	w, h := slices.Clone(x), slices.Clone(x)
	rng := rand.New(rand.NewPCG(7, 1))
	sparseRows := increasingRows(rng, sources[0], slices.Repeat([]int{14}, 20000), 200)
	denseRows := increasingRows(rng, sources[0], slices.Repeat([]int{180}, 80*panelRows), 200)
	hessian, wideRow := make([]float64, 600*600), increasingRows(rng, sources[0], []int{600}, 600)
	wideRow.Val = nil
	rotatedCall := func(p int, radius float64) func() {
		return func() { rotatedCaseOf(rng, sources[0], p, 2, 2*(maxWork/p)+1, LogisticLossKind, radius).run() }
	}
	// Assembly refuses row 0, which is longer than scratchRow; the reference does its step.
	refusedRow := Rows{Ptr: []int64{0, 20000, 20008}, Idx: make([]int32, n), Val: v, Cols: 1}
	refusedSteps := &Steps{Rows: refusedRow, Label: v[:2], Slope0: v[:2]}
	longRow := Rows{Ptr: []int64{0, 5, n, n}, Idx: make([]int32, n), Val: v, Cols: 1}
	for _, c := range []struct {
		name  string
		calls int
		run   func()
	}{
		{"Margins", 4, func() { Margins(out[:rows.Len()], rows, v) }},
		{"Margins, long row", 2, func() { Margins(out[:3], longRow, v) }},
		{"Margins, empty rows", 4, func() { Margins(v, Rows{Ptr: emptyPtr}, nil) }},
		{"Gradient", 4, func() { Gradient(out, rows, v[:rows.Len()]) }},
		{"Gradient, long row", 6, func() { Gradient(out, longRow, v[:3]) }},
		{"Gradient, empty rows", 4, func() { Gradient(out, Rows{Ptr: emptyPtr}, v) }},
		{"Hessian", 33, func() { Hessian(hessian, 200, 200, 0, 200, sparseRows, v[:sparseRows.Len()], nil) }},
		{"Hessian, panels", 80 * 6, func() {
			Hessian(hessian, 200, 200, 0, 200, denseRows, v[:denseRows.Len()], nil)
		}},
		{"Hessian, long row", 4, func() {
			new(HessianScratch).sumByRows(hessian, 600, 600, 0, 600, wideRow, v[:1])
		}},
		{"Dot", 49, func() { Dot(v, v) }},
		{"Axpy", 4, func() { Axpy(1, v, v) }},
		{"LogisticSlopes", 49, func() { LogisticSlopes(v, v, v) }},
		{"LogisticSlopes, sum", 49, func() { LogisticSlopes(nil, v, v) }},
		{"SquaredSlopes", 49, func() { SquaredSlopes(v, v, v) }},
		{"SquaredSlopes, sum", 49, func() { SquaredSlopes(nil, v, v) }},
		{"PoissonSlopes", 49, func() { PoissonSlopes(v, v, v) }},
		{"LogisticFenchel", 49, func() { LogisticFenchel(v, v, v, v) }},
		{"PoissonFenchel", 49, func() { PoissonFenchel(v, v, v, v) }},
		{"Clip", 4, func() { Clip(out, v, v) }},
		// An assembly call ends when its work reaches maxWork. A step of InnerDense or InnerBox counts 123
		// elements and 8 nonzeros, 131 in all, so a call makes 501 of the 60,000 steps. A step of the lazy
		// and decay loops counts 9, so a call makes 7,282 steps.
		{"InnerDense", 120, func() { InnerDense(w, h, x, x, steps, sampled) }},
		{"InnerBox", 120, func() { InnerBox(w, h, x, x, x, x, steps, sampled) }},
		{"InnerLazy", 9, func() { InnerLazy(cells, nil, &Lazy{Alpha: 1, Q: 1}, steps, sampled) }},
		// The calls: one that refuses row 0 at once, one for the two short rows, and one that refuses again.
		{"InnerLazy, refused row", 3, func() {
			InnerLazy(cells, nil, &Lazy{Alpha: 1, Q: 1}, refusedSteps, []int32{0, 1, 1, 0})
		}},
		{"InnerLazy, ball", 9, func() {
			InnerLazy(cells, v[:rows.Len()], &Lazy{Alpha: 1, Q: 1}, steps, sampled)
		}},
		{"InnerDecay", 9, func() { InnerDecay(make([]DecayCell, 60), 0, steps, sampled) }},
		{"InnerRotated", 3, rotatedCall(8, 0)},
		{"InnerRotated, longest rows", 3, rotatedCall(rotatedMax, 0)},
		{"InnerRotated, ball", 3, rotatedCall(128, 1)},
		{"ProxDual", 4, func() { ProxDual(out, sum, v, v, 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &spy{t: t}
			originalSet := active
			defer func() { active = originalSet }()
			active = s.set()
			c.run()
			if s.calls != c.calls {
				t.Errorf("%d calls, want %d", s.calls, c.calls)
			}
		})
	}
}
