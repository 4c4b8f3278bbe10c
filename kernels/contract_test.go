package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAliases checks overlaps of slices that doc comments allow.
func TestAliases(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			x, y := sources[4].vector(rng, n), sources[4].vector(rng, n)
			want := make([]float64, n)

			for _, c := range []struct {
				name   string
				slopes func(slope, margin, label []float64) float64
				label  []float64
			}{
				{"LogisticSlopes", LogisticSlopes, y}, {"SquaredSlopes", SquaredSlopes, y},
				{"PoissonSlopes", PoissonSlopes, abs(slices.Clone(y))},
			} {
				loss := c.slopes(want, x, c.label)
				a, b := slices.Clone(x), slices.Clone(c.label)
				sameScalar(t, "loss of "+c.name+"(x, x, y)", c.slopes(a, a, c.label), loss)
				sameVector(t, c.name+"(x, x, y)", a, want)
				sameScalar(t, "loss of "+c.name+"(y, x, y)", c.slopes(b, x, b), loss)
				sameVector(t, c.name+"(y, x, y)", b, want)
			}

			limit := abs(slices.Clone(y))
			copy(want, x)
			Axpy(0.5, slices.Clone(x), want)
			a := slices.Clone(x)
			Axpy(0.5, a, a)
			sameVector(t, "Axpy(x, x)", a, want)
			sameScalar(t, "Dot(x, x)", Dot(x, x), Dot(x, slices.Clone(x)))

			w, s, w2, s2 := slices.Clone(x), slices.Clone(y), slices.Clone(x), slices.Clone(y)
			ProxDual(w, s, limit, limit, 2)
			ProxDual(w2, s2, limit, slices.Clone(limit), 2)
			sameVector(t, "ProxDual with ax = limit", append(w, s...), append(w2, s2...))
		}
	})
}

func TestInputsKept(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := rand.New(rand.NewPCG(12, uint64(n)))
			inputs := make([][]float64, 4)
			for i := range inputs {
				inputs[i] = sources[0].vector(rng, n)
			}
			abs(inputs[3])
			want := slices.Concat(inputs...)
			output := func() []float64 { return make([]float64, n) }
			LogisticSlopes(output(), inputs[0], inputs[1])
			SquaredSlopes(output(), inputs[0], inputs[1])
			PoissonSlopes(output(), inputs[0], inputs[3])
			LogisticFenchel(inputs[0], inputs[1], inputs[2], inputs[3])
			PoissonFenchel(inputs[0], inputs[1], inputs[2], inputs[3])
			Clip(output(), inputs[0], inputs[1])
			ProxDual(output(), output(), inputs[0], inputs[3], 2)
			Axpy(2, inputs[0], output())
			checkHessianInputs(t, n)
			sameVector(t, "inputs", slices.Concat(inputs...), want)
		}
	})
}

// checkHessianInputs checks that Hessian does not change the columns, the values and c, and that c may be a
// part of a.Val.
func checkHessianInputs(t *testing.T, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(14, uint64(n)))
	const rows, p = 20, 70
	a := increasingRows(rng, sources[0], lengthsOf(rng, rows, n%p), p)
	idx, val, c := slices.Clone(a.Idx), slices.Clone(a.Val), sources[0].vector(rng, rows)
	c0 := slices.Clone(c)
	Hessian(make([]float64, p*p), p, p, 0, p, a, c, nil)
	if !slices.Equal(idx, a.Idx) {
		t.Error("Hessian writes columns")
	}
	sameVector(t, "values", a.Val, val)
	sameVector(t, "weights", c, c0)
	if len(a.Val) >= rows {
		got, want := make([]float64, p*p), make([]float64, p*p)
		Hessian(got, p, p, 0, p, a, a.Val[:rows], nil)
		Hessian(want, p, p, 0, p, a, slices.Clone(a.Val[:rows]), nil)
		sameVector(t, "Hessian with c = values", got, want)
	}
}

// TestAllocations checks that kernels do not allocate memory if they get the scratch memory that
// they need.
func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	const n = 5000
	a := rowsOf(rng, sources[0], []int{14, 0, 2*maxWork + 9, 75}, n)
	dst, lab := make([]float64, a.Len()), labels(rng, n)
	var v [8][]float64
	for i := range v {
		v[i] = sources[0].vector(rng, n)
	}
	lim := abs(sources[0].vector(rng, n))
	_, storedRows := inForm(a, 4)
	cells, decayCells := NewCells(n), make([]DecayCell, n)
	steps := &Steps{Rows: a, Label: lab[:a.Len()], Slope0: dst, Scratch: NewScratch(a)}
	sampled := []int32{0, 1, 3, 0} // not row 2, which is too long for the Scratch
	hessian, weight, scratch := make([]float64, 200*200), sources[0].vector(rng, 90), new(HessianScratch)
	sparseRows := increasingRows(rng, sources[0], lengthsOf(rng, 90, 9), 200)
	denseRows := increasingRows(rng, sources[0], lengthsOf(rng, 90, 200), 200)
	eachLevel(t, func(t *testing.T) {
		if got := testing.AllocsPerRun(5, func() {
			Margins(dst, storedRows, v[0])
			Gradient(v[1], storedRows, dst)
			Hessian(hessian, 200, 200, 0, 200, sparseRows, weight, scratch)
			Hessian(hessian, 200, 200, 0, 200, denseRows, weight, scratch)
			Hessian(hessian, 200, 200, 3, 99, denseRows, weight, scratch)
			InnerDense(v[3], v[4], v[0], v[5], steps, sampled)
			InnerBox(v[3], v[4], v[0], v[5], v[6], v[7], steps, sampled)
			InnerLazy(cells, nil, &Lazy{Alpha: 1, Q: 1}, steps, sampled)
			InnerLazy(cells, dst, &Lazy{Alpha: 1, Q: 1}, steps, sampled)
			InnerDecay(decayCells, 0, steps, sampled)
			Margins(dst, a, v[0])
			Gradient(v[1], a, dst)
			Dot(v[0], v[1])
			Axpy(1e-9, v[0], v[1])
			LogisticSlopes(v[2], v[0], lab)
			LogisticSlopes(nil, v[0], lab)
			SquaredSlopes(v[2], v[0], lab)
			PoissonSlopes(v[2], v[0], lab)
			LogisticFenchel(v[2], v[0], lab, v[5])
			PoissonFenchel(v[2], v[0], lab, v[5])
			Clip(v[3], v[0], v[5])
			ProxDual(v[3], v[4], v[0], lim, 2)
		}); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}

// TestScratchGrows checks that a Scratch keeps the memory that the reference needs for a row which is too
// long for assembly.
func TestScratchGrows(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	const n = 4 * scratchRow
	a := increasingRows(rng, sources[0], []int{3 * scratchRow, 4}, n)
	steps := &Steps{Rows: a, Label: labels(rng, 2), Slope0: make([]float64, 2), Scratch: NewScratch(a)}
	sampled := []int32{0, 1, 0}
	cells, zeros := make([]DecayCell, n), make([]float64, n)
	w, sum := make([]float64, n), make([]float64, n)
	eachLevel(t, func(t *testing.T) {
		if got := testing.AllocsPerRun(5, func() {
			InnerDecay(cells, 0, steps, sampled)
			InnerBox(w, sum, zeros, zeros, zeros, zeros, steps, sampled)
		}); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}

func TestEmpty(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		Margins(nil, Rows{}, nil)
		Gradient(nil, Rows{}, nil)
		Hessian(nil, 0, 0, 0, 0, Rows{}, nil, nil)
		Hessian(make([]float64, 1), 1, 1, 0, 1, Rows{}, nil, nil)
		Hessian(nil, 0, 3, 0, 0, Rows{Ptr: []int64{0, 0}}, make([]float64, 1), nil)
		dst := []float64{7, 7}
		Margins(dst, Rows{Ptr: []int64{0, 0, 0}}, nil)
		sameVector(t, "empty rows", dst, []float64{0, 0})
		if got := Dot(nil, nil); math.Float64bits(got) != 0 {
			t.Errorf("Dot of nothing = %v, want +0", got)
		}
	})
}
