package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/kernels"
)

// Check runs every implementation from the same state and compares the levels,
// and archsimd, with generic bit for bit, the naive loops to rounding.
func (c Case) Check() error {
	initial := snapshot(c.Work.State)
	run := func(l kernels.Level, f func()) [][]float64 {
		restore(c.Work.State, initial)
		mustUse(l)
		f()
		return snapshot(c.Work.State)
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	defer restore(c.Work.State, initial)

	want := run(kernels.Generic, c.Work.Kernel)
	answer := slices.Clone(c.answer(false))
	for _, l := range levels[1:] {
		if err := c.sameBits(l.String(), run(l, c.Work.Kernel), want); err != nil {
			return err
		}
	}
	if c.Work.SIMD != nil {
		if err := c.sameBits(ArchSIMD, run(top, c.Work.SIMD), want); err != nil {
			return err
		}
	}
	run(top, c.Work.Naive)
	return c.agree(c.answer(true), answer)
}

func (c Case) answer(naive bool) []float64 {
	if c.Work.Answer != nil {
		return c.Work.Answer(naive)
	}
	return slices.Concat(c.Work.State...)
}

func (c Case) sameBits(name string, got, want [][]float64) error {
	for v := range want {
		for i, x := range want[v] {
			y := got[v][i]
			if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("measure: %s on %s: level %s gives %x at element %d of vector %d, generic %x; nothing was timed", c.Kernel, c.Shape, name, y, i, v, x)
			}
		}
	}
	return nil
}

func (c Case) agree(got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("measure: %s on %s: naive has %d results, the kernel %d", c.Kernel, c.Shape, len(got), len(want))
	}
	tol := cmp.Or(c.Work.Tolerance, 1e-12)
	scale := floats.Norm(want, math.Inf(1))
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*scale) {
			return fmt.Errorf("measure: %s on %s: naive gives %g at %d, the kernel %g", c.Kernel, c.Shape, got[i], i, v)
		}
	}
	return nil
}
