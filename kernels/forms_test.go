package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// formNames[k] is the name of storage form k.
var formNames = []string{"int32/float64", "int32/float32", "int32/ones", "uint16/float64", "uint16/float32", "uint16/ones"}

// inForm returns the rows twice: with int32 columns and float64 values (the plain form), and in the given
// form. It first changes the values so that the given form holds them exactly.
func inForm(a Rows, form int) (plainRows, storedRows Rows) {
	plainRows = a
	switch form % 3 {
	case 1:
		plainRows.Val = make([]float64, len(a.Val))
		storedRows.Val32 = make([]float32, len(a.Val))
		for k, v := range a.Val {
			storedRows.Val32[k] = float32(v)
			plainRows.Val[k] = float64(storedRows.Val32[k])
		}
	case 2:
		plainRows.Val = make([]float64, len(a.Val))
		for k := range plainRows.Val {
			plainRows.Val[k] = 1
		}
	default:
		storedRows.Val = a.Val
	}
	storedRows.Ptr, storedRows.Idx, storedRows.Cols = a.Ptr, a.Idx, a.Cols
	if form >= 3 {
		storedRows.Idx, storedRows.Idx16 = nil, make([]uint16, len(a.Idx))
		for k, j := range a.Idx {
			storedRows.Idx16[k] = uint16(j)
		}
	}
	return plainRows, storedRows
}

// lengthsOf draws n row lengths from 0 to bound.
func lengthsOf(rng *rand.Rand, n, bound int) []int {
	lens := make([]int, n)
	for r := range lens {
		lens[r] = rng.IntN(bound + 1)
	}
	return lens
}

func TestFormText(t *testing.T) {
	a := rowsOf(rand.New(rand.NewPCG(52, 1)), sources[0], []int{3}, 9)
	for form, name := range formNames {
		_, storedRows := inForm(a, form)
		index, value, _ := strings.Cut(name, "/")
		if value == "ones" {
			value = "all values 1"
		} else {
			value += " values"
		}
		if got, want := storedRows.Form(), index+" columns, "+value; got != want {
			t.Errorf("form %d is %q, want %q", form, got, want)
		}
	}
	if got, want := (Rows{}).Form(), "uint16 columns, all values 1"; got != want {
		t.Errorf("without slices: %q, want %q", got, want)
	}
}

// makeRuns gives each row of a that has at most Cols nonzeros consecutive columns, the last of them Cols-1.
// But in every third row, one column, neither the first nor the last, is increased by 1, so that it occurs
// twice.
func makeRuns(rng *rand.Rand, a Rows) Rows {
	for i := range a.Len() {
		row := a.Idx[a.Ptr[i]:a.Ptr[i+1]]
		if len(row) > a.Cols {
			continue
		}
		for k := range row {
			row[k] = int32(a.Cols - len(row) + k)
		}
		if i%3 == 2 && len(row) > 2 {
			row[1+rng.IntN(len(row)-2)]++
		}
	}
	return a
}

// TestForms compares Margins, Gradient and MarginsGradient in every form and at every level with the
// reference on rows of int32 columns and float64 values. The sum of the losses may differ from the reference
// by rounding, because MarginsGradient adds them in another order.
func TestForms(t *testing.T) {
	requireLevels(t)
	defer use(t, Active())
	for i, s := range sources {
		rowLens := [][]int{
			{}, {0}, {1}, {0, 7, 8, 9, 0, 15, 16, 17, 3, 4, 5, 6, 2, 12, 11, 10, 64, 75, 0},
			{3, maxWork - 1, 0, maxWork, 14, maxWork + 1, 2*maxWork + 13, 0, 0, 75, maxWork / 2, maxWork / 2, 1},
		}
		if i > 0 && testing.Short() {
			rowLens = rowLens[:4] // ordinary numbers show how the work is divided
		}
		for _, lens := range rowLens {
			for kind := range 2 * len(formNames) {
				form := kind / 2
				name := formNames[form]
				rng := rand.New(rand.NewPCG(51, uint64(len(lens))))
				const d = 300
				a := rowsOf(rng, s, lens, d)
				if kind%2 == 1 {
					a = makeRuns(rng, a)
				}
				plainRows, storedRows := inForm(a, form)
				w, z, label := s.vector(rng, d), s.vector(rng, d), labels(rng, len(lens))
				loss := LossKind(form % 2)
				run := func(l Level, a Rows) [][]float64 {
					use(t, l)
					out := func() []float64 { return make([]float64, len(lens)) }
					results := [][]float64{out(), slices.Clone(z), slices.Clone(z), out(), out(), {0}}
					Margins(results[0], a, w)
					Gradient(results[1], a, results[0])
					results[5][0] = MarginsGradient(results[2], results[3], results[4], label, a, w, loss)
					return results
				}
				want := run(Generic, plainRows)
				marginsGeneric[int32, float64](want[0], &plainRows, w)
				copy(want[1], z)
				scatterGeneric[int32, float64](want[1], &plainRows, want[0])
				copy(want[3], want[0])
				slopes := logisticSlopesGeneric
				if loss == SquaredLossKind {
					slopes = squaredSlopesGeneric
				}
				sum := slopes(want[4], want[0], label)
				copy(want[2], z)
				scatterGeneric[int32, float64](want[2], &plainRows, want[4])
				if s.name == "bell" {
					checkWithin(t, "sum of the losses", want[5][0], sum, 1e-12*sum)
				}
				for _, l := range Available() {
					for i, got := range run(l, storedRows) {
						sameVector(t, fmt.Sprintf("%v: %s, %s, %d rows, result %d", l, name, s.name, len(lens), i), got, want[i])
					}
				}
			}
		}
	}
}

// TestRuns compares Margins and Gradient with the reference on rows of two or three blocks of 8 consecutive
// columns. In some rows each block begins where the last one ends, and in others it does not. In one row, a
// block has column 0 after column 65535. In each of the last rows, one column is increased by 1, so that it
// occurs twice.
func TestRuns(t *testing.T) {
	defer use(t, Active())
	const d = 1 << 16
	rng := rand.New(rand.NewPCG(54, 1))
	plain := Rows{Ptr: []int64{0}, Cols: d}
	add := func(replaced int, firstColumns ...int) {
		begin := len(plain.Idx)
		for _, first := range firstColumns {
			for k := range 8 {
				plain.Idx = append(plain.Idx, int32((first+k)%d))
				plain.Val = append(plain.Val, bell(rng))
			}
		}
		if replaced > 0 {
			plain.Idx[begin+replaced]++
		}
		plain.Ptr = append(plain.Ptr, int64(len(plain.Idx)))
	}
	add(0, d-16, d-8)
	add(0, 0, 100, 16)
	add(0, 0, d-4, 16)
	for k := 1; k < 23; k++ {
		add(k, 16, 24, 32)
	}
	n := plain.Len()
	w, z, slope := sources[0].vector(rng, d), sources[0].vector(rng, d), sources[0].vector(rng, n)
	for form, name := range formNames {
		plainRows, storedRows := inForm(plain, form)
		wantMargins, wantZ := make([]float64, n), slices.Clone(z)
		marginsGeneric[int32, float64](wantMargins, &plainRows, w)
		scatterGeneric[int32, float64](wantZ, &plainRows, slope)
		for _, l := range Available() {
			use(t, l)
			margins, sum := make([]float64, n), make([]float64, d+8)[:d]
			copy(sum, z)
			Margins(margins, storedRows, w)
			Gradient(sum, storedRows, slope)
			sameVector(t, fmt.Sprintf("%v, %s: margins", l, name), margins, wantMargins)
			sameVector(t, fmt.Sprintf("%v, %s: sum", l, name), sum, wantZ)
		}
	}
}
