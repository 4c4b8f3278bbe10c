package glasso

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func randomCovariance(t testing.TB, n, samples int, seed uint64) (*graph.Covariance, []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	data := make([]float64, samples*n)
	for i := range samples {
		for j := range n {
			data[i*n+j] = r.NormFloat64()
			if j > 0 && j%3 != 0 { // features are correlated in groups of three
				data[i*n+j] += 1.5 * data[i*n+j-1]
			}
		}
	}
	x, err := sparse.FromDense(samples, n, data)
	sparsetest.Must(t, err)
	c, err := graph.CovarianceOf(x)
	sparsetest.Must(t, err)
	return c, allEntries(c)
}

func randomCorrelation(t testing.TB, n, samples int, seed uint64) (*graph.Covariance, []float64) {
	t.Helper()
	c, _ := randomCovariance(t, n, samples, seed)
	c = c.Correlation()
	return c, allEntries(c)
}

func allEntries(c *graph.Covariance) []float64 {
	n := c.Features()
	s := make([]float64, n*n)
	for index := range s {
		s[index] = c.At(index/n, index%n)
	}
	return s
}

// kktResidual returns the largest violation of the optimality conditions by theta: the difference (inv
// theta)_ij - s_ij must be rho sign(theta_ij), or within [-rho, rho] if theta_ij = 0. If freeDiagonal is
// true, the difference must be 0 on the diagonal. kktResidual also checks that theta is symmetric.
func kktResidual(t testing.TB, theta, s []float64, n int, rho float64, freeDiagonal bool) float64 {
	t.Helper()
	var w mat.Dense
	sparsetest.Must(t, w.Inverse(mat.NewDense(n, n, theta)))
	violation := 0.0
	for i := range n {
		for j := range n {
			index := i*n + j
			g := w.At(i, j) - s[index]
			switch {
			case i == j && freeDiagonal:
				violation = max(violation, math.Abs(g))
			case theta[index] > 0:
				violation = max(violation, math.Abs(g-rho))
			case theta[index] < 0:
				violation = max(violation, math.Abs(g+rho))
			default:
				violation = max(violation, math.Abs(g)-rho)
			}
			if theta[index] != theta[j*n+i] {
				t.Errorf("entry (%d, %d) is %v, but (%d, %d) is %v", i, j, theta[index], j, i, theta[j*n+i])
			}
		}
	}
	return violation
}

func TestOptimality(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		n := 2 + int(seed)*4
		for _, samples := range []int{n/2 + 2, 5 * n} {
			c, s := randomCovariance(t, n, samples, seed)
			for _, rho := range []float64{0.05, 0.3, 1, 100} {
				for _, freeDiagonal := range []bool{false, true} {
					res, err := Estimate(c, Options{Penalty: rho, FreeDiagonal: freeDiagonal})
					if err != nil {
						t.Fatalf("n = %d, %d samples, rho = %v, free %v: %v", n, samples, rho, freeDiagonal, err)
					}
					if r := kktResidual(t, elements(res.Theta), s, n, rho, freeDiagonal); r > 1e-6 {
						t.Errorf("n = %d, %d samples, rho = %v, free %v: residual %v", n, samples, rho, freeDiagonal, r)
					}
					if res.Gap < 0 || res.Gap > 1e-12*float64(n) {
						t.Errorf("n = %d, %d samples, rho = %v, free %v: gap %v", n, samples, rho, freeDiagonal, res.Gap)
					}
				}
			}
		}
	}
}

// bruteForce solves the graphical lasso by proximal gradient steps. The last steps have a fixed length,
// because rounding hides a decrease near the minimum.
func bruteForce(t testing.TB, s []float64, n int, rho float64, freeDiagonal bool) (theta []float64, objective float64) {
	t.Helper()
	penalty := func(index int) float64 {
		if freeDiagonal && index%(n+1) == 0 {
			return 0
		}
		return rho
	}
	value := func(x []float64) float64 {
		var chol mat.Cholesky
		if !chol.Factorize(mat.NewSymDense(n, x)) {
			return math.Inf(1)
		}
		v := -chol.LogDet()
		for index, x := range x {
			v += s[index]*x + penalty(index)*math.Abs(x)
		}
		return v
	}
	move := func(x []float64, step float64) (nextTheta []float64, change float64) {
		var w mat.Dense
		sparsetest.Must(t, w.Inverse(mat.NewDense(n, n, x)))
		nextTheta = make([]float64, n*n)
		for index := range nextTheta {
			i, j := index/n, index%n
			g := s[index] - (w.At(i, j)+w.At(j, i))/2
			nextTheta[index] = softThreshold(x[index]-step*g, step*penalty(index))
			change = max(change, math.Abs(nextTheta[index]-x[index]))
		}
		return nextTheta, change
	}
	theta = make([]float64, n*n)
	for i := range n {
		theta[i*n+i] = 1 / (s[i*n+i] + penalty(i*n+i))
	}
	objective = value(theta)
	for step := 1.0; step > 1e-9; {
		nextTheta, change := move(theta, step)
		if v := value(nextTheta); v < objective && change > 1e-7 {
			theta, objective = nextTheta, v
		} else {
			step /= 2
		}
	}
	var e mat.EigenSym
	e.Factorize(mat.NewSymDense(n, theta), false)
	length, change := math.Pow(e.Values(nil)[0], 2)/2, 0.0
	for range 100000 {
		theta, change = move(theta, length)
		if change < 1e-13 {
			return theta, value(theta)
		}
	}
	t.Fatalf("the brute-force solver still moves by %v", change)
	return nil, 0
}

func TestAgainstBruteForce(t *testing.T) {
	seeds := uint64(5)
	if testing.Short() {
		seeds = 2
	}
	for n := 3; n <= 6; n++ {
		for seed := range seeds {
			c, s := randomCorrelation(t, n, 4*n, 100+seed)
			for _, rho := range []float64{0.1, 0.5} {
				for _, freeDiagonal := range []bool{false, true} {
					want, objective := bruteForce(t, s, n, rho, freeDiagonal)
					res, err := Estimate(c, Options{Penalty: rho, FreeDiagonal: freeDiagonal})
					sparsetest.Must(t, err)
					for k, got := range elements(res.Theta) {
						if math.Abs(got-want[k]) > 1e-8 || (got == 0) != (want[k] == 0) {
							t.Errorf("n = %d, seed %d, rho = %v, free %v: entry %d is %v, want %v",
								n, seed, rho, freeDiagonal, k, got, want[k])
						}
					}
					if math.Abs(res.Objective-objective) > 1e-10 {
						t.Errorf("n = %d, seed %d, rho = %v, free %v: objective %v, want %v",
							n, seed, rho, freeDiagonal, res.Objective, objective)
					}
				}
			}
		}
	}
}

func TestGapIsABound(t *testing.T) {
	c, _ := randomCovariance(t, 24, 40, 3)
	optimum, err := Estimate(c, Options{Penalty: 0.1})
	sparsetest.Must(t, err)
	finiteCount := 0
	for steps := 1; steps < optimum.Steps; steps++ {
		res, err := Estimate(c, Options{Penalty: 0.1, maxSteps: steps})
		if !errors.Is(err, ErrNotConverged) || res == nil {
			t.Fatalf("after %d steps: %v, want an error that matches ErrNotConverged, and a result", steps, err)
		}
		sparsetest.CheckError(t, err, "duality gap", "set Options.Penalty to a larger number")
		// The objective of optimum may be above the minimum by optimum.Gap.
		if excess := res.Objective - optimum.Objective; excess > res.Gap+1e-12 || excess < -optimum.Gap {
			t.Errorf("after %d steps: %v above the minimum, gap %v", steps, excess, res.Gap)
		}
		if !math.IsInf(res.Gap, 1) {
			finiteCount++
		}
	}
	if finiteCount < 3 {
		t.Errorf("only %d finite gaps in %d steps", finiteCount, optimum.Steps)
	}
}

// TestScreeningIsExact checks that Estimate, which divides the problem into components, gives the solution of
// the whole problem.
func TestScreeningIsExact(t *testing.T) {
	c, s := randomCorrelation(t, 30, 60, 4)
	const rho = 0.35
	o := Options{Penalty: rho}
	res, err := Estimate(c, o)
	sparsetest.Must(t, err)
	if res.Components < 3 || res.Largest > 20 {
		t.Fatalf("%d components, largest %d: the test shows nothing", res.Components, res.Largest)
	}
	defaults, err := o.withDefaults()
	sparsetest.Must(t, err)
	block := solveBlock(s, 30, &defaults)
	for k, got := range elements(res.Theta) {
		if want := block.x[k]; math.Abs(got-want) > 1e-9 || (got == 0) != (want == 0) {
			t.Errorf("entry %d is %v, unscreened %v", k, got, want)
		}
	}
}

func TestThreads(t *testing.T) {
	c, _ := randomCorrelation(t, 200, 60, 9)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, tt := range []struct {
		penalty             float64
		components, largest int // smallest numbers that the test accepts
	}{{0.4, 10, 8}, {0.3, 1, 100}} {
		var reference []float64
		for k, threads := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(1 + k)
			res, err := Estimate(c, Options{Penalty: tt.penalty, Threads: threads})
			sparsetest.Must(t, err)
			if res.Components < tt.components || res.Largest < tt.largest {
				t.Fatalf("%d components, largest %d: the test shows little", res.Components, res.Largest)
			}
			got := append(elements(res.Theta), res.Objective, res.Gap, float64(res.Steps))
			if k == 0 {
				reference = got
			}
			if !slices.Equal(got, reference) {
				t.Errorf("penalty %v, %d threads: another result: %s", tt.penalty, threads, cmp.Diff(reference, got))
			}
		}
	}
}
