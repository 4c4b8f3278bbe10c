package kernels

import "math"

// A workload is something for Calibrate to run: one kernel on data of one
// shape, for some tens of microseconds.
type workload struct {
	kernel, shape, unit string
	units               int
	run                 func()
}

// calibrateWork returns at least one workload for every kernel that exists in
// assembly.
func calibrateWork() []workload {
	var all []workload
	for _, s := range []struct {
		name         string
		rows, d, nnz int
	}{{"14 of 123", 1000, 123, 14}, {"75 of 47236", 200, 47236, 75}} {
		all = append(all, sparseWork(s.name, s.rows, s.d, s.nnz)...)
	}
	all = append(all, vectorWork(1000)...)
	all = append(all, rotatedWork(2000, 128, 256))
	return all
}

// spread returns n numbers in [-1, 1) without a pattern that matters: a fixed
// sequence, so that every run measures the same.
func spread(n int) []float64 {
	v := make([]float64, n)
	state := uint64(n)
	for i := range v {
		state = state*6364136223846793005 + 1442695040888963407
		v[i] = math.Ldexp(float64(int64(state)>>11), -52)
	}
	return v
}

func signs(n int) []float64 {
	v := spread(n)
	for i, x := range v {
		v[i] = math.Copysign(1, x)
	}
	return v
}

// sparseWork measures the kernels on rows of one length.
func sparseWork(shape string, rows, d, nnz int) []workload {
	a := Rows{Ptr: make([]int64, rows+1), Idx: make([]int32, rows*nnz), Val: spread(rows * nnz)}
	column := spread(rows*nnz + 1)
	for r := range rows {
		a.Ptr[r+1] = int64((r + 1) * nnz)
		row := a.Idx[r*nnz : (r+1)*nnz]
		for k := range row { // one column from each of nnz equal parts: sorted and distinct
			row[k] = int32((float64(k) + 0.5 + 0.49*column[r*nnz+k]) * float64(d) / float64(nnz))
		}
	}
	w, z, dst := spread(d), make([]float64, d), make([]float64, rows)
	s := &Steps{Rows: a, Label: signs(rows), Slope0: make([]float64, rows), Eta: 1e-3, Scratch: NewScratch(a)}
	sampled := make([]int32, min(rows, 300))
	for k, x := range spread(len(sampled)) {
		sampled[k] = int32((x + 1) / 2 * float64(rows))
	}
	cells, state := NewCells(d), Lazy{Alpha: 1, Q: 1 - 1e-6}
	cells.Set(w, spread(d))
	decay, step := make([]float64, d*DecayStride), 0
	for j := range d {
		decay[j*DecayStride+DecayRate], decay[j*DecayStride+DecayFactor] = NegLog1m(1e-6), 1-1e-6
	}
	work := []workload{
		{"margins", shape, "nnz", len(a.Idx), func() { Margins(dst, a, w) }},
		{"gradient", shape, "nnz", len(a.Idx), func() { Gradient(z, a, s.Slope0) }},
		{"innerlazy", shape, "step", len(sampled), func() {
			InnerLazyCells(cells, &state, s, sampled)
			state.Alpha, state.Gamma = 1, 0
		}},
		{"innerdecay", shape, "step", len(sampled), func() {
			InnerDecay(decay, step, s, sampled)
			step += len(sampled)
		}},
	}
	if d > 4*rows { // a step for every column would dominate the round
		return work
	}
	x := make([][]float64, 7)
	for i := range x {
		x[i] = spread(d)
	}
	for j := range d {
		x[2][j], x[5][j], x[6][j] = 0.999, -1, 1 // c, lo, hi
	}
	copy(x[4], x[3]) // q = e
	return append(work,
		workload{"innerdense", shape, "step", len(sampled), func() { InnerDense(x[0], x[1], x[2], x[3], s, sampled) }},
		workload{"innerbox", shape, "step", len(sampled), func() {
			InnerBox(x[0], x[1], x[2], x[3], x[5], x[6], s, sampled)
		}},
	)
}

// vectorWork measures the dense kernels at one length.
func vectorWork(n int) []workload {
	const shape = "1000"
	w, s, d, q, label := spread(n), spread(n), spread(n), spread(n), signs(n)
	limit := make([]float64, n)
	for i := range limit {
		limit[i] = 0.3
	}
	unit := func(kernel string, f func()) workload {
		return workload{kernel, shape, "element", 16 * n, func() {
			for range 16 {
				f()
			}
		}}
	}
	return []workload{
		unit("dot", func() { Dot(w, d) }),
		unit("axpy", func() { Axpy(1e-9, d, s) }),
		unit("slopes", func() { LogisticSlopes(s, d, label) }),
		unit("update", func() { ProjectedUpdate(w, s, d, q, 1e-9) }),
		unit("prox", func() { ProxDual(w, s, d, limit, 1.5) }),
	}
}

// rotatedWork measures dense rows.
func rotatedWork(rows, p, steps int) workload {
	w, sum, c, e, x := spread(p), spread(p), spread(p), spread(p), spread(rows*p)
	for j := range c {
		c[j] = 0.999
	}
	s := &Steps{Rows: Rows{Ptr: make([]int64, rows+1)}, Label: signs(rows), Slope0: make([]float64, rows), Eta: 1e-3}
	sampled := make([]int32, steps)
	for k, v := range spread(steps) {
		sampled[k] = int32((v + 1) / 2 * float64(rows))
	}
	return workload{"innerrotated", "128", "step", steps, func() { InnerRotated(w, sum, c, e, x, 0, s, sampled) }}
}
