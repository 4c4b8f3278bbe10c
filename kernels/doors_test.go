package kernels

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// panicOf returns what a call panics with.
func panicOf(call func()) (got string) {
	defer func() {
		if r := recover(); r != nil {
			got = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

// TestDoors checks that wrong arguments panic at every level before anything is read or written: a
// vector shorter than the number of columns, rows without Cols, lengths that overflow, outputs that
// overlap the rows. Without the checks, assembly would write outside the vector.
func TestDoors(t *testing.T) {
	v := func(n int) []float64 { return make([]float64, n) }
	two := Rows{Ptr: []int64{0, 2}, Idx: []int32{0, 1}, Val: v(2), Cols: 2}
	none := two
	none.Cols = 0
	steps := &Steps{Rows: two, Label: v(1), Slope0: v(1)}
	m := v(9)
	lo, hi := m[:5], m[4:]
	const side, full = TileSide, TileSide * TileSide
	tile := v(3 * full)
	lazy, ball := &Lazy{Alpha: 1, Q: 1}, &LazyBall{Lazy: Lazy{Alpha: 1, Q: 1}}
	type call = func()
	for want, c := range map[string]call{
		"Margins: len(w) is 1, want at least Cols, 2":             func() { Margins(v(1), two, v(1)) },
		"Margins: Cols is 0 with 2 nonzeros":                      func() { Margins(v(1), none, v(2)) },
		"Gradient: len(z) is 0, want at least Cols, 2":            func() { Gradient(nil, two, v(1)) },
		"MarginsGradient: len(z) is 1":                            func() { MarginsGradient(v(1), v(1), v(1), v(1), two, v(2), 0) },
		"MarginsGradient: len(w) is 1":                            func() { MarginsGradient(v(2), v(1), v(1), v(1), two, v(1), 0) },
		"Hessian: p is 1, want at least Cols, 2":                  func() { Hessian(v(1), 1, 1, two, v(1), nil) },
		"Hessian: len(h) is 4, want at least":                     func() { Hessian(v(4), 2, math.MaxInt, two, v(1), nil) },
		"HessianRows: len(h) is 4, want at least":                 func() { HessianRows(v(4), 3, math.MaxInt/2+2, 0, 1, two, v(1), nil) },
		"InnerDense: len(w) is 1, want at least Cols, 2":          func() { InnerDense(v(1), v(1), v(1), v(1), steps, nil) },
		"InnerBox: len(w) is 1, want at least Cols, 2":            func() { InnerBox(v(1), v(1), v(1), v(1), v(1), v(1), steps, nil) },
		"InnerLazyCells: len(Cells) is 1, want at least Cols":     func() { InnerLazyCells(NewCells(1), lazy, steps, nil) },
		"InnerLazyBallCells: len(Cells) is 1, want at least Cols": func() { InnerLazyBallCells(NewCells(1), v(1), ball, steps, nil) },
		"InnerDecay: len(state/8) is 1, want at least Cols, 2":    func() { InnerDecay(v(8), 0, steps, nil) },
		"DecayTo: len(state) is 9, want at least 8 numbers":       func() { DecayTo(v(2), v(9), 1) },
		"AddTile: len(h) is 4096, want at least":                  func() { AddTile(v(full), math.MaxInt/2+2, 3, v(full), v(full)) },
		"Margins: dst and w overlap":                              func() { Margins(hi[:1], two, lo) },
		"Margins: dst and Val overlap":                            func() { Margins(two.Val[1:], two, v(2)) },
		"Gradient: z and slope overlap":                           func() { Gradient(lo, two, hi[:1]) },
		"Gradient: z and Val overlap":                             func() { Gradient(two.Val, two, v(1)) },
		"MarginsGradient: z and w overlap":                        func() { MarginsGradient(lo, v(1), v(1), v(1), two, hi, 0) },
		"MarginsGradient: margin and slope overlap":               func() { MarginsGradient(v(2), m[:1], m[:1], v(1), two, v(2), 0) },
		"Hessian: h and c overlap":                                func() { Hessian(lo, 2, 2, two, hi[:1], nil) },
		"Hessian: h and Val overlap":                              func() { Hessian(two.Val, 1, 1, Rows{Ptr: two.Ptr, Idx: two.Idx, Val: two.Val, Cols: 1}, v(1), nil) },
		"InnerDense: h and Label overlap":                         func() { InnerDense(v(2), m[:2], v(2), v(2), &Steps{Rows: two, Label: m[1:2], Slope0: v(1)}, nil) },
		"InnerDense: w and c or e overlap":                        func() { InnerDense(lo, v(5), v(5), hi, steps, nil) },
		"InnerBox: sum and a bound overlap":                       func() { InnerBox(v(5), lo, v(5), v(5), hi, v(5), steps, nil) },
		"InnerLazyCells: the cells and Slope0 overlap":            func() { InnerLazyCells(tile[:12], lazy, &Steps{Rows: two, Label: v(1), Slope0: tile[11:12]}, nil) },
		"InnerLazyBallCells: the cells and norm2 overlap":         func() { InnerLazyBallCells(tile[:12], tile[:1], ball, steps, nil) },
		"InnerDecay: state and Val overlap": func() {
			InnerDecay(tile[:16], 0, &Steps{Rows: Rows{Ptr: two.Ptr, Idx: two.Idx, Val: tile[:2], Cols: 2}, Label: v(1), Slope0: v(1)}, nil)
		},
		"InnerRotated: w and x overlap":         func() { InnerRotated(tile[:8], v(8), v(8), v(8), tile[:8], 0, steps, nil) },
		"DecayTo: w and state overlap":          func() { DecayTo(tile[:2], tile[:16], 1) },
		"AddTile: h and t overlap":              func() { AddTile(tile, side, 2, tile[2*side-1:], v(full)) },
		"AddTile: h and panel overlap":          func() { AddTile(tile[full-1:], side, 1, v(side), tile[:full]) },
		"AddRows: h and t overlap":              func() { AddRows(tile[:side], tile[side-1:side], v(full)) },
		"AddRows: h and the rows added overlap": func() { AddRows(tile[side:], v(2), tile) },
	} {
		eachLevel(t, func(t *testing.T) {
			if got := panicOf(c); !strings.HasPrefix(got, "kernels: "+want) {
				t.Errorf("panic %q, want kernels: %s", got, want)
			}
		})
	}
}

// TestCheck checks that Check finds every mistake in rows that kernels do not look for.
func TestCheck(t *testing.T) {
	good := func() *Rows {
		return &Rows{Ptr: []int64{1, 2, 2, 4}, Idx: []int32{9, 0, 2, 1}, Val: make([]float64, 4), Cols: 3}
	}
	if err := good().Check(); err != nil { // no row has column 9
		t.Error(err)
	}
	if err := (&Rows{}).Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Rows){
		"row 1 has nonzeros 2 to 0":                    func(a *Rows) { a.Ptr[2] = 0 },
		"row 1 has nonzeros 2 to 5":                    func(a *Rows) { a.Ptr[2] = 5 },
		"row 0 has nonzeros -1 to 2":                   func(a *Rows) { a.Ptr[0] = -1 },
		"row 2 has nonzeros 2 to 4 of 4 indices and 3": func(a *Rows) { a.Val = a.Val[:3] },
		"row 2, nonzero 0: column 3 of 3":              func(a *Rows) { a.Idx[2] = 3 },
		"row 2, nonzero 1: column -1 of 3":             func(a *Rows) { a.Idx[3] = -1 },
		"row 0, nonzero 0: column 7 of 3":              func(a *Rows) { a.Idx, a.Idx16 = nil, []uint16{0, 7, 0, 0} },
		"row 0, nonzero 0: column 0 of 0":              func(a *Rows) { a.Cols = 0 },
	} {
		a := good()
		if spoil(a); a.Check() == nil || !strings.Contains(a.Check().Error(), want) {
			t.Errorf("%v, want %s", a.Check(), want)
		}
	}
}
