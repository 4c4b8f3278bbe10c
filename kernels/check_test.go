package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// panicOf returns the text with which the function call panics, or an empty string if it does not panic.
func panicOf(call func()) (got string) {
	defer func() {
		if r := recover(); r != nil {
			got = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

// TestWrongArguments checks the panics for wrong arguments. It runs at one level only, because no check
// depends on the level.
func TestWrongArguments(t *testing.T) {
	v := func(n int) []float64 { return make([]float64, n) }
	oneRow := func(n int) *Steps {
		return &Steps{Rows: Rows{Ptr: []int64{0, 1}, Idx: make([]int32, 1), Cols: 1}, Label: v(n), Slope0: v(1)}
	}
	rows := func(ptr ...int64) Rows { return Rows{Ptr: ptr, Idx: make([]int32, 4), Val: v(4), Cols: 1} }
	twoCols := Rows{Ptr: []int64{0, 2}, Idx: []int32{0, 1}, Val: v(2), Cols: 2}
	noCols := twoCols
	noCols.Cols = 0
	steps := &Steps{Rows: twoCols, Label: v(1), Slope0: v(1)}
	m := v(9)
	lo, hi := m[:5], m[4:]
	const side, area = TileSide, TileSide * TileSide
	tile, decayCells := v(3*area), make([]DecayCell, 2)
	lazy := &Lazy{Alpha: 1, Q: 1}
	rotatedCall := func(change func(a *rotatedCase)) func() {
		return func() {
			a := rotatedCaseOf(rand.New(rand.NewPCG(66, 1)), sources[0], 16, 5, 8, LogisticLossKind, 0)
			change(a)
			a.run()
		}
	}
	for _, c := range []struct {
		want string
		call func()
	}{
		{"Margins: len(dst) is 2, want the number of rows, 1", func() { Margins(v(2), rows(0, 4), v(1)) }},
		{"Margins: row pointers run from 0 to 5, but there are 4 indices", func() { Margins(v(1), rows(0, 5), v(1)) }},
		{"Margins: row pointers run from -1 to 4", func() { Margins(v(1), rows(-1, 4), v(1)) }},
		{"Margins: row pointers run from 3 to 2", func() { Margins(v(1), rows(3, 2), v(1)) }},
		{"Margins: row pointers", func() { Margins(v(1), Rows{Ptr: []int64{0, 4}, Idx: make([]int32, 4), Val: v(3)}, v(1)) }},
		{"Gradient: len(slope) is 0", func() { Gradient(v(1), rows(0, 4), nil) }},
		{"Gradient: row pointers", func() { Gradient(v(1), rows(0, 5), v(1)) }},
		{"Hessian: stride is 1, want at least p, which is 2", func() { Hessian(v(4), 2, 1, 0, 2, rows(0, 4), v(1), nil) }},
		{"Hessian: stride is 2, want at least p, which is -1", func() { Hessian(v(4), -1, 2, 0, -1, rows(0, 4), v(1), nil) }},
		{
			"Hessian: len(h) is 4, want at least 5 for hi = 2, p = 2 and stride = 3",
			func() { Hessian(v(4), 2, 3, 0, 2, rows(0, 4), v(1), nil) },
		},
		{"Hessian: len(c) is 2, want the number of rows, 1", func() { Hessian(v(4), 2, 2, 0, 2, rows(0, 4), v(2), nil) }},
		{"Hessian: row pointers", func() { Hessian(v(4), 2, 2, 0, 2, rows(0, 5), v(1), nil) }},
		{"AddTile: 65 rows with stride 64", func() { AddTile(v(1<<13), 64, 65, v(1<<13), v(1<<12)) }},
		{"AddTile: 1 rows with stride 63", func() { AddTile(v(64), 63, 1, v(64), v(1<<12)) }},
		{"AddTile: len(h) is 127, want at least 128", func() { AddTile(v(127), 64, 2, v(128), v(1<<12)) }},
		{"AddTile: len(t) is 127, want at least 128", func() { AddTile(v(128), 64, 2, v(127), v(1<<12)) }},
		{"AddTile: len(panel) is 4095, want 4096", func() { AddTile(v(128), 64, 2, v(128), v(1<<12-1)) }},
		{"AddRows: len(t) is 65, want at most 64", func() { AddRows(v(64), v(65), v(1<<12)) }},
		{"AddRows: len(h) is 63, want at least 64", func() { AddRows(v(63), v(1), v(1<<12)) }},
		{"Hessian: rows lo 1 to hi 3 of 2", func() { Hessian(v(4), 2, 2, 1, 3, rows(0, 4), v(1), nil) }},
		{"Hessian: rows lo 2 to hi 1 of 2", func() { Hessian(v(4), 2, 2, 2, 1, rows(0, 4), v(1), nil) }},
		{"Hessian: rows lo -1 to hi 1 of 2", func() { Hessian(v(4), 2, 2, -1, 1, rows(0, 4), v(1), nil) }},
		{"Dot: len(y)", func() { Dot(v(2), v(1)) }},
		{"Axpy: len(y)", func() { Axpy(1, v(2), v(1)) }},
		{"LogisticSlopes: len(label)", func() { LogisticSlopes(v(2), v(2), v(1)) }},
		{"LogisticSlopes: len(slope)", func() { LogisticSlopes(v(1), v(2), v(2)) }},
		{"SquaredSlopes: len(label)", func() { SquaredSlopes(nil, v(2), v(1)) }},
		{"SquaredSlopes: len(slope)", func() { SquaredSlopes(v(3), v(2), v(2)) }},
		{"PoissonSlopes: len(label)", func() { PoissonSlopes(nil, v(2), v(1)) }},
		{"PoissonSlopes: len(slope)", func() { PoissonSlopes(v(3), v(2), v(2)) }},
		{"PoissonFenchel: len(alpha)", func() { PoissonFenchel(v(1), v(2), v(2), v(2)) }},
		{"LogisticFenchel: len(alpha)", func() { LogisticFenchel(v(1), v(2), v(2), v(2)) }},
		{"LogisticFenchel: len(label)", func() { LogisticFenchel(v(2), v(2), v(3), v(2)) }},
		{"LogisticFenchel: len(weight)", func() { LogisticFenchel(v(2), v(2), v(2), v(1)) }},
		{"Clip: len(lo)", func() { Clip(v(2), v(1), v(2)) }},
		{"Clip: len(hi)", func() { Clip(v(2), v(2), v(1)) }},
		{"ProxDual: len(beta)", func() { ProxDual(v(1), v(2), v(2), v(2), 1) }},
		{"ProxDual: len(y)", func() { ProxDual(v(2), v(1), v(2), v(2), 1) }},
		{"ProxDual: len(limit)", func() { ProxDual(v(2), v(2), v(2), v(1), 1) }},
		{"InnerDense: sampled row 1 of 1", func() { InnerDense(v(1), v(1), v(1), v(1), oneRow(1), []int32{1}) }},
		{"InnerDense: sampled row -1 of 1", func() { InnerDense(v(1), v(1), v(1), v(1), oneRow(1), []int32{-1}) }},
		{"InnerDense: len(h)", func() { InnerDense(v(1), v(2), v(1), v(1), oneRow(1), nil) }},
		{"InnerDense: len(c)", func() { InnerDense(v(1), v(1), v(2), v(1), oneRow(1), nil) }},
		{"InnerDense: len(e)", func() { InnerDense(v(1), v(1), v(1), v(2), oneRow(1), nil) }},
		{
			"InnerDense: len(Label) is 2, want the number of rows, 1",
			func() { InnerDense(v(1), v(1), v(1), v(1), oneRow(2), nil) },
		},
		{"InnerBox: len(sum)", func() { InnerBox(v(1), v(2), v(1), v(1), v(1), v(1), oneRow(1), nil) }},
		{"InnerBox: len(lo)", func() { InnerBox(v(1), v(1), v(1), v(1), v(2), v(1), oneRow(1), nil) }},
		{"InnerBox: len(hi)", func() { InnerBox(v(1), v(1), v(1), v(1), v(1), v(2), oneRow(1), nil) }},
		{"InnerLazy: 5 numbers are not cells", func() { InnerLazy(v(5), nil, &Lazy{}, oneRow(1), nil) }},
		{"InnerLazy: sampled row 7 of 1", func() { InnerLazy(NewCells(1), nil, &Lazy{}, oneRow(1), []int32{7}) }},
		{"InnerLazy: len(norm2)", func() { InnerLazy(NewCells(1), v(2), &Lazy{}, oneRow(1), nil) }},
		{"InnerDecay: sampled row 7 of 1", func() { InnerDecay(make([]DecayCell, 1), 0, oneRow(1), []int32{7}) }},
		{"Cells.Set: len(d) is 2, want 1", func() { NewCells(1).Set(v(1), v(2)) }},
		{"Cells.Point: len(w)", func() { NewCells(1).Point(v(2), &Lazy{}) }},
		{"Cells.RowSum: len(h)", func() { NewCells(1).RowSum(v(2)) }},
		{"Margins: row pointers run from 0 to 4, but there are 4 indices and 3 values", func() {
			Margins(v(1), Rows{Ptr: []int64{0, 4}, Idx16: make([]uint16, 4), Val32: make([]float32, 3)}, v(1))
		}},
		{
			"Margins: row pointers run from 0 to 4, but there are 3 indices",
			func() { Margins(v(1), Rows{Ptr: []int64{0, 4}, Idx16: make([]uint16, 3)}, v(1)) },
		},
		{"Margins: len(w) is 1, want at least Cols, 2", func() { Margins(v(1), twoCols, v(1)) }},
		{"Margins: Cols is 0 with 2 nonzeros", func() { Margins(v(1), noCols, v(2)) }},
		{"Gradient: len(z) is 0, want at least Cols, 2", func() { Gradient(nil, twoCols, v(1)) }},
		{"MarginsGradient: len(z) is 1", func() { MarginsGradient(v(1), v(1), v(1), v(1), twoCols, v(2), 0) }},
		{
			"MarginsGradient: no loss has the kind 2",
			func() { MarginsGradient(v(2), v(1), v(1), v(1), twoCols, v(2), SquaredLossKind+1) },
		},
		{"MarginsGradient: len(w) is 1", func() { MarginsGradient(v(2), v(1), v(1), v(1), twoCols, v(1), 0) }},
		{"Hessian: p is 1, want at least Cols, 2", func() { Hessian(v(1), 1, 1, 0, 1, twoCols, v(1), nil) }},
		{"Hessian: len(h) is 4, want at least", func() { Hessian(v(4), 2, math.MaxInt, 0, 2, twoCols, v(1), nil) }},
		{"Hessian: len(h) is 4, want at least", func() {
			Hessian(v(4), 3, math.MaxInt/2+2, 0, 3, twoCols, v(1), nil)
		}},
		{"InnerDense: len(w) is 1, want at least Cols, 2", func() { InnerDense(v(1), v(1), v(1), v(1), steps, nil) }},
		{"InnerBox: len(w) is 1, want at least Cols, 2", func() { InnerBox(v(1), v(1), v(1), v(1), v(1), v(1), steps, nil) }},
		{"InnerLazy: len(Cells) is 1, want at least Cols", func() { InnerLazy(NewCells(1), nil, lazy, steps, nil) }},
		{"InnerLazy: len(Cells) is 1, want at least Cols", func() { InnerLazy(NewCells(1), v(1), lazy, steps, nil) }},
		{"InnerDecay: len(cells) is 1, want at least Cols, 2", func() { InnerDecay(make([]DecayCell, 1), 0, steps, nil) }},
		{"DecayTo: len(cells) is 1, want 2", func() { DecayTo(v(2), make([]DecayCell, 1), 1) }},
		{"AddTile: len(h) is 4096, want at least", func() { AddTile(v(area), math.MaxInt/2+2, 3, v(area), v(area)) }},
		{"Margins: dst and w overlap", func() { Margins(hi[:1], twoCols, lo) }},
		{"Margins: dst and Val overlap", func() { Margins(twoCols.Val[1:], twoCols, v(2)) }},
		{"Gradient: z and slope overlap", func() { Gradient(lo, twoCols, hi[:1]) }},
		{"Gradient: z and Val overlap", func() { Gradient(twoCols.Val, twoCols, v(1)) }},
		{"MarginsGradient: z and w overlap", func() { MarginsGradient(lo, v(1), v(1), v(1), twoCols, hi, 0) }},
		{"MarginsGradient: margin and slope overlap", func() { MarginsGradient(v(2), m[:1], m[:1], v(1), twoCols, v(2), 0) }},
		{"Hessian: h and c overlap", func() { Hessian(lo, 2, 2, 0, 2, twoCols, hi[:1], nil) }},
		{"Hessian: h and Val overlap", func() {
			Hessian(twoCols.Val, 1, 1, 0, 1, Rows{Ptr: twoCols.Ptr, Idx: twoCols.Idx, Val: twoCols.Val, Cols: 1}, v(1), nil)
		}},
		{"InnerDense: h and Label overlap", func() {
			InnerDense(v(2), m[:2], v(2), v(2), &Steps{Rows: twoCols, Label: m[1:2], Slope0: v(1)}, nil)
		}},
		{"InnerDense: w and c or e overlap", func() { InnerDense(lo, v(5), v(5), hi, steps, nil) }},
		{"InnerBox: sum and a bound overlap", func() { InnerBox(v(5), lo, v(5), v(5), hi, v(5), steps, nil) }},
		{"InnerLazy: the cells and Slope0 overlap", func() {
			InnerLazy(tile[:12], nil, lazy, &Steps{Rows: twoCols, Label: v(1), Slope0: tile[11:12]}, nil)
		}},
		{"InnerLazy: the cells and norm2 overlap", func() { InnerLazy(tile[:12], tile[:1], lazy, steps, nil) }},
		{"InnerDecay: the cells and Slope0 overlap", func() {
			InnerDecay(decayCells, 0, &Steps{Rows: twoCols, Label: v(1), Slope0: cellNumbers(decayCells)[:1]}, nil)
		}},
		{"InnerRotated: w and x overlap", func() { InnerRotated(tile[:8], v(8), v(8), v(8), tile[:8], 0, steps, nil) }},
		{"DecayTo: w and the cells overlap", func() { DecayTo(cellNumbers(decayCells)[3:5], decayCells, 1) }},
		{"AddTile: h and t overlap", func() { AddTile(tile, side, 2, tile[2*side-1:], v(area)) }},
		{"AddTile: h and panel overlap", func() { AddTile(tile[area-1:], side, 1, v(side), tile[:area]) }},
		{"AddRows: h and t overlap", func() { AddRows(tile[:side], tile[side-1:side], v(area)) }},
		{"AddRows: h and the rows added overlap", func() { AddRows(tile[side:], v(2), tile) }},
		{"InnerRotated: len(sum) is 8, want 16", rotatedCall(func(a *rotatedCase) { a.sum = a.sum[:8] })},
		{"InnerRotated: len(c) is 8, want 16", rotatedCall(func(a *rotatedCase) { a.c = a.c[:8] })},
		{"InnerRotated: len(e) is 8, want 16", rotatedCall(func(a *rotatedCase) { a.e = a.e[:8] })},
		{"InnerRotated: len(x) is 64, want 80", rotatedCall(func(a *rotatedCase) { a.x = a.x[:64] })},
		{"InnerRotated: len(Slope0) is 4, want 5", rotatedCall(func(a *rotatedCase) {
			a.steps.Slope0 = a.steps.Slope0[:4]
		})},
		{"InnerRotated: len(Label) is 4, want", rotatedCall(func(a *rotatedCase) {
			a.steps.Label = a.steps.Label[:4]
		})},
		{"InnerRotated: sampled row 5 of 5", rotatedCall(func(a *rotatedCase) { a.sampled[2] = 5 })},
		{"InnerRotated: sampled row -1 of 5", rotatedCall(func(a *rotatedCase) { a.sampled[2] = -1 })},
		{
			"InnerRotated: len(w) is 12, want a multiple of 8",
			rotatedCall(func(a *rotatedCase) { a.w, a.sum, a.c, a.e, a.x = a.w[:12], a.sum[:12], a.c[:12], a.e[:12], a.x[:60] }),
		},
		{"InnerRotated: len(w) is 4104, want", rotatedCall(func(a *rotatedCase) {
			a.w, a.x = make([]float64, rotatedMax+8), make([]float64, 5*(rotatedMax+8))
			a.sum, a.c, a.e = slices.Clone(a.w), slices.Clone(a.w), slices.Clone(a.w)
		})},
	} {
		if got := panicOf(c.call); !strings.HasPrefix(got, "kernels: "+c.want) {
			t.Errorf("panic %q, want kernels: %s", got, c.want)
		}
	}
}
