package baseline_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// denseMethods runs methods of package baseline as plain loops over dense vectors and matrices. It solves
// linear systems by Gaussian elimination, and draws the same samples as the method.
type denseMethods struct {
	*solvertest.Naive
	n, p int
	ata  []float64 // A'A
}

func newDenseMethods(p *solver.Problem, s *solver.Settings) *denseMethods {
	d := &denseMethods{Naive: solvertest.NewNaive(p, s)}
	d.n, d.p = p.Data.Dims()
	d.ata = make([]float64, d.p*d.p)
	for j := range d.p {
		unit := make([]float64, d.p)
		unit[j] = 1
		for k, v := range d.MulAT(d.MulA(unit)) {
			d.ata[k*d.p+j] = v
		}
	}
	return d
}

// solve returns (shift I + ρ A'A)⁻¹ v.
func (d *denseMethods) solve(shift float64, v []float64) []float64 {
	h := slices.Clone(d.ata)
	for k := range h {
		h[k] *= d.Rho
	}
	for j := range d.p {
		h[j*d.p+j] += shift
	}
	x := mat.NewVecDense(d.p, nil)
	_ = x.SolveVec(mat.NewDense(d.p, d.p, h), mat.NewVecDense(d.p, v)) // an error for an ill-conditioned matrix
	return x.RawVector().Data
}

// row returns aᵢ.
func (d *denseMethods) row(i int) []float64 {
	a := make([]float64, d.p)
	idx, val := d.Problem.Data.Row(i)
	for k, j := range idx {
		a[j] = val[k]
	}
	return a
}

// penaltyGradient returns A'(beta + ρ(factor·A x − y)). factor is 1 for the gradient of the augmented penalty
// at x, and 0 for its gradient at x = 0.
func (d *denseMethods) penaltyGradient(factor float64) []float64 {
	v := d.MulA(d.X)
	for j := range v {
		v[j] = d.Beta[j] + d.Rho*(factor*v[j]-d.Y[j])
	}
	return d.MulAT(v)
}

func (d *denseMethods) runSTOC(steps int, mu, eta0 float64) (average []float64) {
	average = make([]float64, d.p)
	for t := 1; t <= steps; t++ {
		eta := eta0 / math.Sqrt(float64(t))
		if mu > 0 {
			eta = math.Min(eta0, 1/(mu*float64(t)))
		}
		i := d.Draw()
		a, slope, fixedGradient, b := d.row(i), d.Slope(i, d.X), d.penaltyGradient(0), make([]float64, d.p)
		for j, x := range d.X {
			average[j] += x / float64(steps)
			b[j] = x/eta - slope*a[j] - mu*x - fixedGradient[j]
		}
		d.X = d.solve(1/eta, b)
		d.DualStep()
	}
	return average
}

func (d *denseMethods) runSA(steps int, mu, weight float64, linearised bool, lambda1 float64) {
	slopes, storedX := make([]float64, d.n), make([][]float64, d.n)
	for i := range storedX {
		storedX[i] = make([]float64, d.p)
	}
	for range steps {
		i := d.Draw()
		slopes[i], storedX[i] = d.Slope(i, d.X), slices.Clone(d.X)
		b, la := make([]float64, d.p), 0.0
		if linearised {
			la = d.Rho * lambda1
		}
		for k := range d.n {
			for j, a := range d.row(k) {
				b[j] += ((weight-mu)*storedX[k][j] - slopes[k]*a) / float64(d.n)
			}
		}
		if !linearised {
			for j, v := range d.penaltyGradient(0) {
				b[j] -= v
			}
			d.X = d.solve(weight, b)
		} else {
			nextX := make([]float64, d.p)
			for j, v := range d.penaltyGradient(1) {
				nextX[j] = (b[j] + la*d.X[j] - v) / (weight + la)
			}
			d.X = nextX
		}
		d.DualStep()
	}
}

// runSVRG runs stages of the given lengths. The first stage does not use the gradient at the snapshot. If
// restart is true, each later stage starts at its snapshot, with the multiplier of baseline.SVRGRestart.
func (d *denseMethods) runSVRG(lengths []int, mu, lambda1 float64, restart bool) (snapshot []float64) {
	x, snapshot := slices.Clone(d.X), slices.Clone(d.X)
	for s, m := range lengths {
		d.X = snapshot
		fullGradient := d.FullGradient()
		if restart && s > 0 {
			x = slices.Clone(snapshot)
			for j, v := range d.MulA(d.solve(0, fullGradient)) {
				d.Beta[j] = -d.Rho * v
			}
		}
		meanX := make([]float64, d.p)
		for range m {
			d.X = x
			v := d.MulA(x)
			for j, ax := range v {
				u := ax + d.Beta[j]/d.Rho
				d.Y[j] = math.Copysign(math.Max(math.Abs(u)-term.L1(d.Problem.Penalty.(solver.L1)).Limit(j)/d.Rho, 0), u)
			}
			i := d.Draw()
			a, nextX, augmentedGradient := d.row(i), make([]float64, d.p), d.penaltyGradient(1)
			for j := range x {
				g := d.Slope(i, x)*a[j] + mu*x[j]
				if s > 0 {
					g += fullGradient[j] - d.Slope(i, snapshot)*a[j] - mu*snapshot[j]
				}
				nextX[j] = x[j] - d.Eta/(1+d.Eta*d.Rho*lambda1)*(g+augmentedGradient[j])
				meanX[j] += nextX[j] / float64(m)
			}
			x = nextX
			for j, ax := range d.MulA(x) {
				d.Beta[j] += d.Rho * (ax - d.Y[j])
			}
		}
		snapshot = meanX
	}
	return snapshot
}

// TestMethodsEqualNaive compares STOC-, SA- and SVRG-ADMM with plain loops written from the papers.
func TestMethodsEqualNaive(t *testing.T) {
	for _, mu := range []float64{0, 0.1} {
		p, _ := solvertest.PlantedProblem(t,
			sparse.SyntheticOptions{Rows: 60, Features: 17, NonzerosPerRow: 6, Noise: 1, Seed: 5}, 1e-2)
		p.L2 = mu
		lambda1 := constants(t, p).Lambda1
		for _, c := range []struct {
			method solver.Method
			eta    float64
			passes float64
			run    func(d *denseMethods) (x, average []float64)
		}{
			{baseline.STOC{}, 0.7, 5, func(d *denseMethods) ([]float64, []float64) {
				average := d.runSTOC(300, mu, 0.7)
				return d.X, average
			}},
			{
				baseline.SA{}, 2, 5,
				func(d *denseMethods) ([]float64, []float64) { d.runSA(300, mu, 0.5, false, 0); return d.X, nil },
			},
			{
				baseline.SAIU{}, 2, 5,
				func(d *denseMethods) ([]float64, []float64) { d.runSA(300, mu, 0.5, true, lambda1); return d.X, nil },
			},
			{baseline.SVRG{}, 0.2, 5.75, func(d *denseMethods) ([]float64, []float64) {
				return d.runSVRG([]int{15, 30, 60, 60}, mu, lambda1, false), nil
			}},
			{baseline.SVRGRestart{}, 0.2, 5.75, func(d *denseMethods) ([]float64, []float64) {
				return d.runSVRG([]int{15, 30, 60, 60}, mu, lambda1, true), nil
			}},
		} {
			if mu == 0 && c.method.Info().NeedsL2 {
				continue
			}
			s := &solver.Settings{Method: c.method, Eta: c.eta, Rho: 0.08, Passes: c.passes, Seed: 11}
			last := solvertest.LastIterate(t, p, s)
			res := solvertest.Minimize(t, p, s)
			d := newDenseMethods(p, s)
			x, average := c.run(d)
			if e := solvertest.RelativeDistance(last, x); !(e < 1e-11) {
				t.Errorf("mu = %v, %T: x differs from the naive loop by %.1e", mu, c.method, e)
			}
			if average != nil {
				if e := solvertest.RelativeDistance(res.XAverage, average); !(e < 1e-11) {
					t.Errorf("mu = %v, %T: the average differs by %.1e", mu, c.method, e)
				}
			}
			// The SVRG methods return a clipped beta; the naive loop does not clip beta.
			if !strings.HasPrefix(c.method.Info().Name, "svrg") {
				if e := solvertest.RelativeDistance(res.Dual, d.Beta); !(e < 1e-9) {
					t.Errorf("mu = %v, %T: beta differs by %.1e", mu, c.method, e)
				}
			}
		}
	}
}
