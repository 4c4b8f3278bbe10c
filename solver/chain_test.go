package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestSignals fits noisy signals with a penalty on the jumps. It compares the objective, the values and the
// number of constant pieces with the results of a direct method.
func TestSignals(t *testing.T) {
	sizes := []int{500, 10_000}
	if !testing.Short() {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		y := noisySignal(n)
		lambda := 6 / float64(n)
		p := &solver.Problem{
			Data: sparse.Identity(n), Labels: y, Loss: solver.Squared{}, Penalty: solver.L1{Lambda: lambda},
			Constraint: graph.Chain(n).Incidence(),
		}
		res, err := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-12})
		if err != nil {
			t.Errorf("n = %d: %v", n, err)
			continue
		}
		want := condat(y, 0.5*float64(n)*lambda)
		if d := res.At.Objective - p.Evaluate(want).Objective; math.Abs(d) > 1e-12 {
			t.Errorf("n = %d: objective %.3g above that of the direct method", n, d)
		}
		if a, b := countPlateaus(res.X, 0), countPlateaus(want, 1e-9); a != b {
			t.Errorf("n = %d: %d levels, the direct method finds %d", n, a, b)
		}
		maxError := 0.0
		for j, v := range want {
			maxError = math.Max(maxError, math.Abs(v-res.X[j]))
		}
		if maxError > 1e-7 {
			t.Errorf("n = %d: a value is %.1e from that of the direct method", n, maxError)
		}
		t.Logf("n = %d: %d levels, %d Newton steps, gap %.1e", n, countPlateaus(res.X, 0), res.Stats.NewtonSteps, res.DualityGap)
	}
}

func noisySignal(n int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i/50%3) + 0.3*rng.NormFloat64()
	}
	return y
}

// countPlateaus returns the number of constant pieces of x. A new piece begins where neighbours differ by
// more than tolerance.
func countPlateaus(x []float64, tolerance float64) int {
	count := 1
	for j := 1; j < len(x); j++ {
		if math.Abs(x[j]-x[j-1]) > tolerance {
			count++
		}
	}
	return count
}

// condat returns the x that minimises ½|y − x|² + lambda Σ |x_{j+1} − x_j|, by the method of Condat
// (2013, A direct algorithm for 1-D total variation denoising).
func condat(y []float64, lambda float64) []float64 {
	n := len(y)
	x := make([]float64, n)
	k, segmentStart, minus, plus := 0, 0, 0, 0
	umin, umax, vmin, vmax := lambda, -lambda, y[0]-lambda, y[0]+lambda
	fill := func(v float64, last int) {
		for ; segmentStart <= last; segmentStart++ {
			x[segmentStart] = v
		}
	}
	for {
		for k == n-1 {
			switch {
			case umin < 0:
				fill(vmin, minus)
				k, minus = segmentStart, segmentStart
				vmin = y[k]
				umin = lambda
				umax = vmin + umin - vmax
			case umax > 0:
				fill(vmax, plus)
				k, plus = segmentStart, segmentStart
				vmax = y[k]
				umax = -lambda
				umin = vmax + umax - vmin
			default:
				fill(vmin+umin/float64(k-segmentStart+1), k)
				return x
			}
		}
		umin += y[k+1] - vmin
		umax += y[k+1] - vmax
		switch {
		case umin < -lambda:
			fill(vmin, minus)
			k, minus, plus = segmentStart, segmentStart, segmentStart
			vmin = y[k]
			vmax = vmin + 2*lambda
			umin, umax = lambda, -lambda
		case umax > lambda:
			fill(vmax, plus)
			k, minus, plus = segmentStart, segmentStart, segmentStart
			vmax = y[k]
			vmin = vmax - 2*lambda
			umin, umax = lambda, -lambda
		default:
			k++
			if umin >= lambda {
				minus = k
				vmin += (umin - lambda) / float64(k-segmentStart+1)
				umin = lambda
			}
			if umax <= -lambda {
				plus = k
				vmax += (umax + lambda) / float64(k-segmentStart+1)
				umax = -lambda
			}
		}
	}
}
