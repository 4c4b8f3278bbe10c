package suite

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// A Door is a call of a kernel that has nothing to do but to check its arguments.
type Door struct {
	Kernel string
	Call   func()
}

// Doors returns calls on one empty row, and of no steps, for p columns.
func Doors(p int) []Door {
	empty := kernels.Rows{Ptr: make([]int64, 2), Idx: make([]int32, 0), Val: make([]float64, 0), Cols: p}
	v := vectors(p, 6)
	one := make([]float64, 1)
	other, label := slices.Clone(one), slices.Clone(one)
	cells, state := kernels.NewCells(p), make([]float64, kernels.DecayStride*p)
	s := &kernels.Steps{Rows: empty, Label: label, Slope0: other, Scratch: kernels.NewScratch(empty)}
	ball := &kernels.LazyBall{Lazy: kernels.Lazy{Alpha: 1, Q: 1}}
	return []Door{
		{"Margins", func() { kernels.Margins(one, empty, v[0]) }},
		{"Gradient", func() { kernels.Gradient(v[0], empty, one) }},
		{"InnerDense", func() { kernels.InnerDense(v[0], v[1], v[2], v[3], s, nil) }},
		{"InnerBox", func() { kernels.InnerBox(v[0], v[1], v[2], v[3], v[4], v[5], s, nil) }},
		{"InnerLazy", func() { kernels.InnerLazyCells(cells, &ball.Lazy, s, nil) }},
		{"InnerLazyBall", func() { kernels.InnerLazyBallCells(cells, one, ball, s, nil) }},
		{"InnerDecay", func() { kernels.InnerDecay(state, 0, s, nil) }},
	}
}
