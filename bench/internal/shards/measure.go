package shards

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Measure returns what a problem of few features, with the logistic loss and A = I, takes
// on one thread here, in processor time, each the least of some runs. It knows nothing of
// messages.
func Measure(ctx context.Context, p *solver.Problem) (c Costs, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs, few, many = 7, 5, 15 // outer iterations
	nonzeros := float64(p.Data.NNZ())
	seconds := map[int]float64{few: math.Inf(1), many: math.Inf(1)}
	c.Gradient, c.Product = math.Inf(1), math.Inf(1)
	for range runs {
		gradient, hessian, products := passes(p)
		c.Gradient = min(c.Gradient, gradient/nonzeros)
		c.Product = min(c.Product, hessian/products)
		for n := range seconds {
			runtime.GC() // of what is left of the run before
			began := machine.CPUSeconds()
			_, err := solver.Minimize(ctx, p, &solver.Settings{Method: solver.SCASK{}, OuterIterations: n, Passes: 1e6, Threads: 1, Unproved: true, RelTol: -1})
			if err != nil {
				return c, err
			}
			seconds[n] = min(seconds[n], machine.CPUSeconds()-began)
		}
	}
	if c.Wide, err = wide(runs); err != nil {
		return c, err
	}
	each := (seconds[many] - seconds[few]) / (many - few) / nonzeros
	c.Step = each - c.Gradient
	c.Setup = seconds[few]/nonzeros - few*each // what outer iterations leave of a run
	return c, nil
}

// wide times gradients of rows of 100 nonzeros, whose columns are drawn evenly of 10⁷: no
// cache holds what they gather and scatter.
func wide(runs int) (least float64, err error) {
	const rows, perRow, features = 50_000, 100, 10_000_000
	rng := rand.New(rand.NewPCG(1, 1))
	ptr, idx, val := make([]int64, 1, rows+1), make([]int32, 0, rows*perRow), make([]float64, 0, rows*perRow)
	for range rows {
		row := make([]int32, perRow)
		for k := range row {
			row[k] = rng.Int32N(features)
		}
		slices.Sort(row)
		for _, j := range slices.Compact(row) {
			idx, val = append(idx, j), append(val, rng.NormFloat64())
		}
		ptr = append(ptr, int64(len(idx)))
	}
	x, err := sparse.New(rows, features, ptr, idx, val)
	if err != nil {
		return 0, err
	}
	a := x.Rows(0, rows)
	w, z := make([]float64, features), make([]float64, features)
	margin, slope, label := make([]float64, rows), make([]float64, rows), slices.Repeat([]float64{1}, rows)
	least = math.Inf(1)
	for range runs {
		began := machine.CPUSeconds()
		kernels.MarginsGradient(z, margin, slope, label, a, w, kernels.LogisticLossKind)
		least = min(least, (machine.CPUSeconds()-began)/float64(len(idx)))
	}
	return least, nil
}

// passes times a gradient with its margins, and a Hessian with its number of products.
func passes(p *solver.Problem) (gradient, hessian, products float64) {
	n, features := p.Data.Dims()
	rows := p.Data.Compact(nil)
	w, z := make([]float64, features), make([]float64, features)
	margin, slope := make([]float64, n), make([]float64, n)
	began := machine.CPUSeconds()
	kernels.MarginsGradient(z, margin, slope, p.Labels, rows, w, kernels.LogisticLossKind)
	gradient = machine.CPUSeconds() - began
	h, scratch := make([]float64, features*features), kernels.NewHessianScratch()
	began = machine.CPUSeconds()
	kernels.Hessian(h, features, features, rows, slope, scratch)
	hessian = machine.CPUSeconds() - began
	for i := range n {
		k := float64(rows.Ptr[i+1] - rows.Ptr[i])
		products += k * (k + 1) / 2
	}
	return gradient, hessian, products
}
