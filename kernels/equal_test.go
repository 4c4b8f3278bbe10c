package kernels

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// An operation calls one or more functions of the package. run draws their arguments from s; n
// determines the lengths. run returns everything that the functions wrote or returned.
type operation struct {
	name string
	run  func(rng *rand.Rand, s source, n int) [][]float64
}

var operations = []operation{
	{"Margins", func(rng *rand.Rand, s source, n int) [][]float64 {
		d := n + 1
		a, w := rowsOf(rng, s, rowLengths(n), d), s.vector(rng, d)
		dst := s.zeros(a.Len())
		Margins(dst, a, w)
		return [][]float64{dst}
	}},
	{"Gradient", func(rng *rand.Rand, s source, n int) [][]float64 {
		d := n + 1
		a, z := rowsOf(rng, s, rowLengths(n), d), s.vector(rng, d)
		Gradient(z, a, s.vector(rng, a.Len()))
		return [][]float64{z}
	}},
	{"Hessian", hessianOp},
	{"Dot", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{Dot(s.vector(rng, n), s.vector(rng, n))}}
	}},
	{"Axpy", func(rng *rand.Rand, s source, n int) [][]float64 {
		y := s.vector(rng, n)
		Axpy(s.draw(rng), s.vector(rng, n), y)
		return [][]float64{y}
	}},
	{"LogisticSlopes", func(rng *rand.Rand, s source, n int) [][]float64 {
		slope := s.zeros(n)
		loss := LogisticSlopes(slope, s.vector(rng, n), place(s, labels(rng, n)))
		return [][]float64{slope, {loss}}
	}},
	{"LogisticSlopes/any label", func(rng *rand.Rand, s source, n int) [][]float64 {
		slope := s.zeros(n)
		loss := LogisticSlopes(slope, s.vector(rng, n), s.vector(rng, n))
		return [][]float64{slope, {loss}}
	}},
	{"LogisticSlopes/nil", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{LogisticSlopes(nil, s.vector(rng, n), place(s, labels(rng, n)))}}
	}},
	{"SquaredSlopes", func(rng *rand.Rand, s source, n int) [][]float64 {
		slope := s.zeros(n)
		loss := SquaredSlopes(slope, s.vector(rng, n), s.vector(rng, n))
		return [][]float64{slope, {loss}}
	}},
	{"SquaredSlopes/nil", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{SquaredSlopes(nil, s.vector(rng, n), s.vector(rng, n))}}
	}},
	{"PoissonSlopes", func(rng *rand.Rand, s source, n int) [][]float64 {
		slope := s.zeros(n)
		loss := PoissonSlopes(slope, s.vector(rng, n), abs(s.vector(rng, n)))
		return [][]float64{slope, {loss}}
	}},
	{"PoissonSlopes/counts", func(rng *rand.Rand, s source, n int) [][]float64 {
		slope, label := s.zeros(n), s.zeros(n)
		for i := range label {
			label[i] = float64(rng.IntN(4) * rng.IntN(40)) // often 0, and often far above the rate
		}
		loss := PoissonSlopes(slope, s.vector(rng, n), label)
		return [][]float64{slope, {loss}}
	}},
	{"PoissonSlopes/nil", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{PoissonSlopes(nil, s.vector(rng, n), abs(s.vector(rng, n)))}}
	}},
	{"PoissonFenchel", func(rng *rand.Rand, s source, n int) [][]float64 {
		alpha, label := s.zeros(n), abs(s.vector(rng, n))
		for i, b := range label {
			alpha[i] = b * (3*rng.Float64() - 1)
		}
		return [][]float64{{PoissonFenchel(alpha, s.vector(rng, n), label, s.vector(rng, n))}}
	}},
	{"PoissonFenchel/near the slopes", func(rng *rand.Rand, s source, n int) [][]float64 {
		alpha, margin, label := s.zeros(n), s.vector(rng, n), abs(s.vector(rng, n))
		for i, t := range margin {
			alpha[i] = Exp(t+float64(0.1*rng.NormFloat64())) - label[i]
		}
		return [][]float64{{PoissonFenchel(alpha, margin, label, s.vector(rng, n))}}
	}},
	{"PoissonFenchel/any", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{PoissonFenchel(s.vector(rng, n), s.vector(rng, n), s.vector(rng, n), s.vector(rng, n))}}
	}},
	{"LogisticFenchel", func(rng *rand.Rand, s source, n int) [][]float64 {
		alpha, label := s.zeros(n), place(s, labels(rng, n))
		for i := range alpha {
			alpha[i] = -label[i] * rng.Float64()
		}
		return [][]float64{{LogisticFenchel(alpha, s.vector(rng, n), label, s.vector(rng, n))}}
	}},
	{"LogisticFenchel/near the slopes", func(rng *rand.Rand, s source, n int) [][]float64 {
		alpha, margin, label := s.zeros(n), s.vector(rng, n), place(s, labels(rng, n))
		for i, t := range margin {
			alpha[i] = LogisticSlope(t+float64(0.1*rng.NormFloat64()), label[i])
		}
		return [][]float64{{LogisticFenchel(alpha, margin, label, s.vector(rng, n))}}
	}},
	{"LogisticFenchel/any", func(rng *rand.Rand, s source, n int) [][]float64 {
		return [][]float64{{LogisticFenchel(s.vector(rng, n), s.vector(rng, n), s.vector(rng, n), s.vector(rng, n))}}
	}},
	{"Clip", func(rng *rand.Rand, s source, n int) [][]float64 {
		v := s.vector(rng, n)
		Clip(v, s.vector(rng, n), s.vector(rng, n))
		return [][]float64{v}
	}},
	{"ProxDual", func(rng *rand.Rand, s source, n int) [][]float64 {
		beta, y := s.vector(rng, n), s.vector(rng, n)
		ProxDual(beta, y, s.vector(rng, n), abs(s.vector(rng, n)), s.draw(rng))
		return [][]float64{beta, y}
	}},
	{"InnerDense", func(rng *rand.Rand, s source, n int) [][]float64 {
		return elementCaseOf(rng, s, rowLengths(n), n+1, 9, LogisticLossKind, false).run(nil)
	}},
	{"InnerBox", func(rng *rand.Rand, s source, n int) [][]float64 {
		return elementCaseOf(rng, s, rowLengths(n), n+1, 9, SquaredLossKind, true).run(nil)
	}},
	{"InnerLazy", func(rng *rand.Rand, s source, n int) [][]float64 {
		return lazyCaseOf(rng, s, rowLengths(n), n+1, 20, LogisticLossKind, false).run(nil)
	}},
	{"InnerLazy/ball", func(rng *rand.Rand, s source, n int) [][]float64 {
		return lazyCaseOf(rng, s, rowLengths(n), n+1, 20, SquaredLossKind, true).run(nil)
	}},
	{"InnerDecay", func(rng *rand.Rand, s source, n int) [][]float64 {
		return decayCaseOf(rng, s, rowLengths(n), n+1, 20, LogisticLossKind).run(nil)
	}},
	{"InnerDecay/squared", func(rng *rand.Rand, s source, n int) [][]float64 {
		return decayCaseOf(rng, s, rowLengths(n), n+1, 20, SquaredLossKind).drawCells(rng).run(nil)
	}},
	{"InnerRotated", func(rng *rand.Rand, s source, n int) [][]float64 {
		return rotatedCaseOf(rng, s, min(n, rotatedMax)/8*8, 6, 9, LogisticLossKind, 0).run()
	}},
	{"InnerRotated/ball", func(rng *rand.Rand, s source, n int) [][]float64 {
		return rotatedCaseOf(rng, s, min(n, rotatedMax)/8*8, 6, 9, SquaredLossKind, 0.7).run()
	}},
	{"in int32/float32", storedOp(1)},
	{"in int32/ones", storedOp(2)},
	{"in uint16/float64", storedOp(3)},
	{"in uint16/float32", storedOp(4)},
	{"in uint16/ones", storedOp(5)},
}

// storedOp returns an operation on rows in a storage form.
func storedOp(form int) func(rng *rand.Rand, s source, n int) [][]float64 {
	return func(rng *rand.Rand, s source, n int) [][]float64 {
		p := n%200 + 1
		rows := increasingRows(rng, s, rowLengths(min(n, p)), p)
		_, a := inForm(rows, form)
		a = placeRows(s, a)
		dst, z, h := s.zeros(a.Len()), s.vector(rng, p), s.vector(rng, p*p)
		Margins(dst, a, s.vector(rng, p))
		Gradient(z, a, s.vector(rng, a.Len()))
		Hessian(h, p, p, 0, p, a, s.vector(rng, a.Len()), nil)
		out := [][]float64{dst, z, h}
		for _, c := range innerCases(rng, s, rowLengths(min(n, p)), p, 9, LossKind(n%2)) {
			out = append(out, c.run(&a)...)
		}
		return out
	}
}

// check compares every level with the reference on the same arguments, and returns the results of
// the reference.
func (op operation) check(t *testing.T, s source, n int, seed uint64) (want [][]float64) {
	t.Helper()
	defer use(t, Active())
	run := func(l Level) [][]float64 {
		use(t, l)
		return op.run(rand.New(rand.NewPCG(seed, uint64(n))), s, n)
	}
	want = run(Generic)
	for _, l := range Available()[1:] {
		for i, got := range run(l) {
			sameVector(t, fmt.Sprintf("%v: %s(%s, n=%d) result %d", l, op.name, s.name, n, i), got, want[i])
		}
	}
	return want
}

// golden is the hash of the results that TestEqual compares with -short. It must be the same on every
// processor.
const golden = 0xda18020162856931

// TestEqual compares every level with the reference, bit for bit, and the results with golden.
func TestEqual(t *testing.T) {
	requireLevels(t)
	h := fnv.New64a()
	for _, op := range operations {
		for i, s := range sources {
			for _, n := range lengths {
				// Long vectors show how a level divides its work. Ordinary numbers show this best, because
				// the sum of many others is NaN.
				extra := i > 0 && n > 200
				if extra && testing.Short() {
					continue
				}
				results := op.check(t, s, n, 77)
				if extra {
					continue // golden is the same with and without -short
				}
				for _, out := range results {
					for _, x := range out {
						if x != x {
							x = math.NaN() // a NaN may have any sign and payload
						}
						_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
					}
				}
			}
		}
	}
	if got := h.Sum64(); got != golden {
		t.Errorf("hash of all results %#x, want %#x", got, uint64(golden))
	}
}

// TestEqualNegativeLimit checks that a negative limit gives the bits of the reference at every level. The doc
// of ProxDual does not allow negative limits, but a mistake of a caller should not look like one of a level.
func TestEqualNegativeLimit(t *testing.T) {
	op := operation{"ProxDual", func(rng *rand.Rand, s source, n int) [][]float64 {
		beta, y := s.vector(rng, n), s.vector(rng, n)
		ProxDual(beta, y, s.vector(rng, n), s.vector(rng, n), s.draw(rng))
		return [][]float64{beta, y}
	}}
	for i, s := range sources {
		if testing.Short() && i != 4 {
			continue
		}
		for _, n := range lengths {
			op.check(t, s, n, 78)
		}
	}
}

// TestEveryKernel removes the kernels from the set, one at a time. Each time an operation must
// crash; otherwise TestEqual would not test this kernel.
func TestEveryKernel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		if Active() == Generic {
			t.Skip("the reference has nothing to be held to")
		}
		originalSet, reducedSet := active, *active
		active = &reducedSet
		defer func() { active = originalSet }()
		eachKernel(reflect.ValueOf(&reducedSet).Elem(), "set", func(name string, field reflect.Value) {
			if field.IsNil() {
				t.Errorf("%s is nil", name)
			}
			kernel := reflect.ValueOf(field.Interface())
			field.SetZero()
			if !slices.ContainsFunc(operations, crashes) {
				t.Errorf("no operation calls %s: add one to the table of operations", name)
			}
			field.Set(kernel)
		})
	})
}

func crashes(op operation) (crashed bool) {
	defer func() { crashed = recover() != nil }()
	for _, n := range []int{9, 123, 200} {
		op.run(rand.New(rand.NewPCG(1, uint64(n))), sources[0], n)
	}
	return false
}

// eachKernel calls f for every kernel in v, which is a set of kernels or a part of a set.
func eachKernel(v reflect.Value, name string, f func(name string, field reflect.Value)) {
	switch v.Kind() {
	case reflect.Func:
		// The value v itself cannot be set, because its field is not exported.
		f(name, reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			eachKernel(v.Field(i), name+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachKernel(v.Index(i), fmt.Sprintf("%s[%d]", name, i), f)
		}
	}
}

// TestEqualLarge compares every level with the reference on vectors and rows of about maxWork elements and
// more. TestForms and TestHessian have large cases for Margins, Gradient and Hessian. TestRotatedRuns has
// them for InnerRotated, and TestFusedLong for the storage forms.
func TestEqualLarge(t *testing.T) {
	ops := slices.DeleteFunc(slices.Clone(operations), func(op operation) bool {
		return op.name == "Margins" || op.name == "Gradient" || op.name == "Hessian" ||
			strings.HasPrefix(op.name, "InnerRotated") || strings.HasPrefix(op.name, "in ")
	})
	sizes := []int{2*maxWork + 3}
	if !testing.Short() {
		sizes = append(sizes, maxWork-1, maxWork, maxWork+1)
	}
	requireLevels(t)
	for _, op := range ops {
		for _, n := range sizes {
			op.check(t, sources[0], n, 2)
		}
	}
}
