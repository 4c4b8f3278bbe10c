package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAliases checks each overlap of slices that a doc comment allows: the results must be the same
// as with separate slices.
func TestAliases(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			x, y := sources[4].vector(rng, n), sources[4].vector(rng, n)
			want := make([]float64, n)

			loss := LogisticSlopes(want, x, y)
			a := slices.Clone(x)
			sameScalar(t, "loss of LogisticSlopes(x, x, y)", LogisticSlopes(a, a, y), loss)
			sameVector(t, "LogisticSlopes(x, x, y)", a, want)
			b := slices.Clone(y)
			sameScalar(t, "loss of LogisticSlopes(y, x, y)", LogisticSlopes(b, x, b), loss)
			sameVector(t, "LogisticSlopes(y, x, y)", b, want)

			loss = SquaredSlopes(want, x, y)
			a, b = slices.Clone(x), slices.Clone(y)
			sameScalar(t, "loss of SquaredSlopes(x, x, y)", SquaredSlopes(a, a, y), loss)
			sameVector(t, "SquaredSlopes(x, x, y)", a, want)
			sameScalar(t, "loss of SquaredSlopes(y, x, y)", SquaredSlopes(b, x, b), loss)
			sameVector(t, "SquaredSlopes(y, x, y)", b, want)

			limit := abs(slices.Clone(y))
			copy(want, x)
			Axpy(0.5, slices.Clone(x), want)
			a = slices.Clone(x)
			Axpy(0.5, a, a)
			sameVector(t, "Axpy(x, x)", a, want)
			sameScalar(t, "Dot(x, x)", Dot(x, x), Dot(x, slices.Clone(x)))

			w, s, w2, s2 := slices.Clone(x), slices.Clone(y), slices.Clone(x), slices.Clone(y)
			ProjectedUpdate(w, s, y, y, 0.1)
			ProjectedUpdate(w2, s2, y, slices.Clone(y), 0.1)
			sameVector(t, "ProjectedUpdate with d = q", append(w, s...), append(w2, s2...))

			w, s, w2, s2 = slices.Clone(x), slices.Clone(y), slices.Clone(x), slices.Clone(y)
			ProxDual(w, s, limit, limit, 2)
			ProxDual(w2, s2, limit, slices.Clone(limit), 2)
			sameVector(t, "ProxDual with ax = limit", append(w, s...), append(w2, s2...))
		}
	})
}

// TestInputsKept checks that functions write only to their outputs.
func TestInputsKept(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := rand.New(rand.NewPCG(12, uint64(n)))
			in := make([][]float64, 4)
			for i := range in {
				in[i] = sources[0].vector(rng, n)
			}
			abs(in[3])
			before := slices.Concat(in...)
			out := func() []float64 { return make([]float64, n) }
			LogisticSlopes(out(), in[0], in[1])
			SquaredSlopes(out(), in[0], in[1])
			ProjectedUpdate(out(), out(), in[0], in[1], 0.1)
			ProjectedUpdateBox(out(), out(), in[0], in[1], in[2], in[3], 0.1)
			ProjectedUpdateBall(out(), out(), in[0], in[1], 0.1, 1)
			ProxDual(out(), out(), in[0], in[3], 2)
			Axpy(2, in[0], out())
			hessianKeeps(t, n)
			sameVector(t, "inputs", slices.Concat(in...), before)
		}
	})
}

// hessianKeeps checks that Hessian does not change c and the rows, and that c and the values of the
// rows may share memory.
func hessianKeeps(t *testing.T, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(14, uint64(n)))
	const rows, p = 20, 70
	a := increasingRows(rng, sources[0], lengthsOf(rng, rows, n%p), p)
	idx, val, c := slices.Clone(a.Idx), slices.Clone(a.Val), sources[0].vector(rng, rows)
	before := slices.Clone(c)
	Hessian(make([]float64, p*p), p, p, a, c, nil)
	if !slices.Equal(idx, a.Idx) {
		t.Error("Hessian writes columns")
	}
	sameVector(t, "values", a.Val, val)
	sameVector(t, "weights", c, before)
	if len(a.Val) >= rows { // c can be a part of them
		got, want := make([]float64, p*p), make([]float64, p*p)
		Hessian(got, p, p, a, a.Val[:rows], nil)
		Hessian(want, p, p, a, slices.Clone(a.Val[:rows]), nil)
		sameVector(t, "Hessian with c = values", got, want)
	}
}

// TestAllocations checks that kernels with the scratch memory that they need do not allocate
// memory.
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
	_, short := inForm(a, 4)
	cells, decay := NewCells(n), make([]float64, n*DecayStride)
	steps := &Steps{Rows: a, Label: lab[:a.Len()], Slope0: dst, Scratch: NewScratch(a)}
	sampled := []int32{0, 1, 3, 0} // not row 2, which is longer than the Scratch
	square, weight, hess := make([]float64, 200*200), sources[0].vector(rng, 90), NewHessianScratch()
	sparse, full := increasingRows(rng, sources[0], lengthsOf(rng, 90, 9), 200), increasingRows(rng, sources[0], lengthsOf(rng, 90, 200), 200)
	eachLevel(t, func(t *testing.T) {
		if got := testing.AllocsPerRun(5, func() {
			Margins(dst, short, v[0])
			Gradient(v[1], short, dst)
			Hessian(square, 200, 200, sparse, weight, hess)
			Hessian(square, 200, 200, full, weight, hess)
			HessianRows(square, 200, 200, 3, 99, full, weight, hess)
			InnerDense(v[3], v[4], v[0], v[5], steps, sampled)
			InnerBox(v[3], v[4], v[0], v[5], v[6], v[7], steps, sampled)
			InnerLazyCells(cells, &Lazy{Alpha: 1, Q: 1}, steps, sampled)
			InnerLazyBallCells(cells, dst, &LazyBall{Lazy: Lazy{Alpha: 1, Q: 1}}, steps, sampled)
			InnerDecay(decay, 0, steps, sampled)
			Margins(dst, a, v[0])
			Gradient(v[1], a, dst)
			Dot(v[0], v[1])
			Axpy(1e-9, v[0], v[1])
			LogisticSlopes(v[2], v[0], lab)
			LogisticSlopes(nil, v[0], lab)
			SquaredSlopes(v[2], v[0], lab)
			ProjectedUpdate(v[3], v[4], v[0], v[5], 1e-9)
			ProjectedUpdateBox(v[3], v[4], v[0], v[5], v[6], v[7], 1e-9)
			ProjectedUpdateBall(v[3], v[4], v[0], v[5], 1e-9, 1)
			ProxDual(v[3], v[4], v[0], lim, 2)
		}); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}

// TestMisuse checks that every mismatch of lengths panics, with a message that names the
// function and the argument.
func TestMisuse(t *testing.T) {
	v := func(n int) []float64 { return make([]float64, n) }
	steps := func(n int) *Steps {
		return &Steps{Rows: Rows{Ptr: []int64{0, 1}, Idx: make([]int32, 1), Cols: 1}, Label: v(n), Slope0: v(1)}
	}
	rows := func(ptr ...int64) Rows { return Rows{Ptr: ptr, Idx: make([]int32, 4), Val: v(4), Cols: 1} }
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
		{"Hessian: stride is 1, want at least p, which is 2", func() { Hessian(v(4), 2, 1, rows(0, 4), v(1), nil) }},
		{"Hessian: stride is 2, want at least p, which is -1", func() { Hessian(v(4), -1, 2, rows(0, 4), v(1), nil) }},
		{"Hessian: len(h) is 4, want at least 5 for p = 2 and stride = 3", func() { Hessian(v(4), 2, 3, rows(0, 4), v(1), nil) }},
		{"Hessian: len(c) is 2, want the number of rows, 1", func() { Hessian(v(4), 2, 2, rows(0, 4), v(2), nil) }},
		{"Hessian: row pointers", func() { Hessian(v(4), 2, 2, rows(0, 5), v(1), nil) }},
		{"AddTile: 65 rows with stride 64", func() { AddTile(v(1<<13), 64, 65, v(1<<13), v(1<<12)) }},
		{"AddTile: 1 rows with stride 63", func() { AddTile(v(64), 63, 1, v(64), v(1<<12)) }},
		{"AddTile: len(h) is 127, want at least 128", func() { AddTile(v(127), 64, 2, v(128), v(1<<12)) }},
		{"AddTile: len(t) is 127, want at least 128", func() { AddTile(v(128), 64, 2, v(127), v(1<<12)) }},
		{"AddTile: len(panel) is 4095, want 4096", func() { AddTile(v(128), 64, 2, v(128), v(1<<12-1)) }},
		{"AddRows: len(t) is 65, want at most 64", func() { AddRows(v(64), v(65), v(1<<12)) }},
		{"AddRows: len(h) is 63, want at least 64", func() { AddRows(v(63), v(1), v(1<<12)) }},
		{"HessianRows: rows lo 1 to hi 3 of 2", func() { HessianRows(v(4), 2, 2, 1, 3, rows(0, 4), v(1), nil) }},
		{"HessianRows: rows lo 2 to hi 1 of 2", func() { HessianRows(v(4), 2, 2, 2, 1, rows(0, 4), v(1), nil) }},
		{"HessianRows: rows lo -1 to hi 1 of 2", func() { HessianRows(v(4), 2, 2, -1, 1, rows(0, 4), v(1), nil) }},
		{"Dot: len(y)", func() { Dot(v(2), v(1)) }},
		{"Axpy: len(y)", func() { Axpy(1, v(2), v(1)) }},
		{"LogisticSlopes: len(label)", func() { LogisticSlopes(v(2), v(2), v(1)) }},
		{"LogisticSlopes: len(slope)", func() { LogisticSlopes(v(1), v(2), v(2)) }},
		{"SquaredSlopes: len(label)", func() { SquaredSlopes(nil, v(2), v(1)) }},
		{"SquaredSlopes: len(slope)", func() { SquaredSlopes(v(3), v(2), v(2)) }},
		{"ProjectedUpdate: len(s)", func() { ProjectedUpdate(v(2), v(1), v(2), v(2), 1) }},
		{"ProjectedUpdate: len(d)", func() { ProjectedUpdate(v(2), v(2), v(1), v(2), 1) }},
		{"ProjectedUpdate: len(q)", func() { ProjectedUpdate(v(2), v(2), v(2), v(1), 1) }},
		{"ProjectedUpdateBox: len(lo)", func() { ProjectedUpdateBox(v(2), v(2), v(2), v(2), v(1), v(2), 1) }},
		{"ProjectedUpdateBox: len(hi)", func() { ProjectedUpdateBox(v(2), v(2), v(2), v(2), v(2), v(1), 1) }},
		{"ProjectedUpdateBall: len(q)", func() { ProjectedUpdateBall(v(2), v(2), v(2), v(1), 1, 1) }},
		{"ProxDual: len(beta)", func() { ProxDual(v(1), v(2), v(2), v(2), 1) }},
		{"ProxDual: len(y)", func() { ProxDual(v(2), v(1), v(2), v(2), 1) }},
		{"ProxDual: len(limit)", func() { ProxDual(v(2), v(2), v(2), v(1), 1) }},
		{"InnerDense: sampled row 1 of 1", func() { InnerDense(v(1), v(1), v(1), v(1), steps(1), []int32{1}) }},
		{"InnerDense: sampled row -1 of 1", func() { InnerDense(v(1), v(1), v(1), v(1), steps(1), []int32{-1}) }},
		{"InnerDense: len(h)", func() { InnerDense(v(1), v(2), v(1), v(1), steps(1), nil) }},
		{"InnerDense: len(c)", func() { InnerDense(v(1), v(1), v(2), v(1), steps(1), nil) }},
		{"InnerDense: len(e)", func() { InnerDense(v(1), v(1), v(1), v(2), steps(1), nil) }},
		{"InnerDense: len(Label) is 2, want the number of rows, 1", func() { InnerDense(v(1), v(1), v(1), v(1), steps(2), nil) }},
		{"InnerBox: len(sum)", func() { InnerBox(v(1), v(2), v(1), v(1), v(1), v(1), steps(1), nil) }},
		{"InnerBox: len(lo)", func() { InnerBox(v(1), v(1), v(1), v(1), v(2), v(1), steps(1), nil) }},
		{"InnerBox: len(hi)", func() { InnerBox(v(1), v(1), v(1), v(1), v(1), v(2), steps(1), nil) }},
		{"InnerLazyCells: 5 numbers are not cells", func() { InnerLazyCells(v(5), &Lazy{}, steps(1), nil) }},
		{"InnerLazyCells: sampled row 7 of 1", func() { InnerLazyCells(NewCells(1), &Lazy{}, steps(1), []int32{7}) }},
		{"InnerLazyBallCells: len(norm2)", func() { InnerLazyBallCells(NewCells(1), v(2), &LazyBall{}, steps(1), nil) }},
		{"InnerDecay: len(state) is 9, want 8 numbers per column", func() { InnerDecay(v(9), 0, steps(1), nil) }},
		{"InnerDecay: sampled row 7 of 1", func() { InnerDecay(v(8), 0, steps(1), []int32{7}) }},
		{"Cells.Set: len(d) is 2, want 1", func() { NewCells(1).Set(v(1), v(2)) }},
		{"Cells.Point: len(w)", func() { NewCells(1).Point(v(2), &Lazy{}) }},
		{"Cells.Sparse: len(h)", func() { NewCells(1).Sparse(v(2)) }},
		{"Margins: row pointers run from 0 to 4, but there are 4 indices and 3 values", func() {
			Margins(v(1), Rows{Ptr: []int64{0, 4}, Idx16: make([]uint16, 4), Val32: make([]float32, 3)}, v(1))
		}},
		{"Margins: row pointers run from 0 to 4, but there are 3 indices", func() { Margins(v(1), Rows{Ptr: []int64{0, 4}, Idx16: make([]uint16, 3)}, v(1)) }},
	} {
		func() {
			defer func() {
				got, _ := recover().(string)
				if !strings.HasPrefix(got, "kernels: "+c.want) {
					t.Errorf("panic %q, want kernels: %s", got, c.want)
				}
			}()
			c.call()
		}()
	}
}

// TestEmpty checks the zero Rows and empty vectors.
func TestEmpty(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		Margins(nil, Rows{}, nil)
		Gradient(nil, Rows{}, nil)
		Hessian(nil, 0, 0, Rows{}, nil, nil)
		Hessian(make([]float64, 1), 1, 1, Rows{}, nil, nil)
		Hessian(nil, 0, 3, Rows{Ptr: []int64{0, 0}}, make([]float64, 1), nil)
		dst := []float64{7, 7}
		Margins(dst, Rows{Ptr: []int64{0, 0, 0}}, nil)
		sameVector(t, "empty rows", dst, []float64{0, 0})
		if got := Dot(nil, nil); math.Float64bits(got) != 0 {
			t.Errorf("Dot of nothing = %v, want +0", got)
		}
	})
}
