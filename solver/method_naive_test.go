package solver

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// dense is a method written without anything the package has: full vectors and
// matrices, math.Exp, elimination. Its samples are those of the package.
type dense struct {
	*naive
	n, p int
	ata  []float64 // A'A
}

func newDense(p *Problem, s *Settings) *dense {
	d := &dense{naive: newNaive(p, s)}
	d.n, d.p = p.Data.Dims()
	d.ata = make([]float64, d.p*d.p)
	for j := range d.p {
		unit := make([]float64, d.p)
		unit[j] = 1
		for k, v := range d.mulAT(d.mulA(unit)) {
			d.ata[k*d.p+j] = v
		}
	}
	return d
}

func (d *dense) sample() int {
	hi, _ := bits.Mul64(d.rng.Uint64(), uint64(d.n))
	return int(hi)
}

// solve returns (shift I + ρ A'A)⁻¹ v.
func (d *dense) solve(shift float64, v []float64) []float64 {
	h := slices.Clone(d.ata)
	for k := range h {
		h[k] *= d.rho
	}
	for j := range d.p {
		h[j*d.p+j] += shift
	}
	return solveDense(h, v)
}

// row returns aᵢ.
func (d *dense) row(i int) []float64 {
	a := make([]float64, d.p)
	idx, val := d.naive.p.Data.Row(i)
	for k, j := range idx {
		a[j] = val[k]
	}
	return a
}

// coupled returns A'(beta + ρ(extra·A x − y)).
func (d *dense) coupled(extra float64) []float64 {
	v := d.mulA(d.x)
	for j := range v {
		v[j] = d.beta[j] + d.rho*(extra*v[j]-d.y[j])
	}
	return d.mulAT(v)
}

func (d *dense) stoc(steps int, mu, eta0 float64) (average []float64) {
	average = make([]float64, d.p)
	for t := 1; t <= steps; t++ {
		eta := eta0 / math.Sqrt(float64(t))
		if mu > 0 {
			eta = math.Min(eta0, 1/(mu*float64(t)))
		}
		i := d.sample()
		a, slope, fixed, b := d.row(i), d.slope(i, d.x), d.coupled(0), make([]float64, d.p)
		for j, x := range d.x {
			average[j] += x / float64(steps)
			b[j] = x/eta - slope*a[j] - mu*x - fixed[j]
		}
		d.x = d.solve(1/eta, b)
		d.dualStep()
	}
	return average
}

func (d *dense) sa(steps int, mu, weight float64, inexact bool, lambda1 float64) {
	slopes, points := make([]float64, d.n), make([][]float64, d.n)
	for i := range points {
		points[i] = make([]float64, d.p)
	}
	for range steps {
		i := d.sample()
		slopes[i], points[i] = d.slope(i, d.x), slices.Clone(d.x)
		b, la := make([]float64, d.p), 0.0
		if inexact {
			la = d.rho * lambda1
		}
		for k := range d.n {
			for j, a := range d.row(k) {
				b[j] += ((weight-mu)*points[k][j] - slopes[k]*a) / float64(d.n)
			}
		}
		if !inexact {
			for j, v := range d.coupled(0) {
				b[j] -= v
			}
			d.x = d.solve(weight, b)
		} else {
			next := make([]float64, d.p)
			for j, v := range d.coupled(1) {
				next[j] = (b[j] + la*d.x[j] - v) / (weight + la)
			}
			d.x = next
		}
		d.dualStep()
	}
}

// svrg runs stages of the given lengths, the first without a snapshot.
func (d *dense) svrg(lengths []int, mu, lambda1 float64) (snapshot []float64) {
	x, snapshot := slices.Clone(d.x), slices.Clone(d.x)
	for s, m := range lengths {
		d.x = snapshot
		full := d.fullGradient()
		mean := make([]float64, d.p)
		for range m {
			d.x = x
			v := d.mulA(x)
			for j, ax := range v {
				u := ax + d.beta[j]/d.rho
				d.y[j] = math.Copysign(math.Max(math.Abs(u)-d.naive.p.Penalty.(L1).limit(j)/d.rho, 0), u)
			}
			i := d.sample()
			a, next, coupled := d.row(i), make([]float64, d.p), d.coupled(1)
			for j := range x {
				g := d.slope(i, x)*a[j] + mu*x[j]
				if s > 0 {
					g += full[j] - d.slope(i, snapshot)*a[j] - mu*snapshot[j]
				}
				next[j] = x[j] - d.eta/(1+d.eta*d.rho*lambda1)*(g+coupled[j])
				mean[j] += next[j] / float64(m)
			}
			x = next
			for j, ax := range d.mulA(x) {
				d.beta[j] += d.rho * (ax - d.y[j])
			}
		}
		snapshot = mean
	}
	return snapshot
}

// TestMethodsEqualNaive holds STOC-, SA- and SVRG-ADMM against loops that follow
// the papers line by line.
func TestMethodsEqualNaive(t *testing.T) {
	for _, mu := range []float64{0, 0.1} {
		p, _ := planted(t, sparse.SyntheticOptions{Rows: 60, Features: 17, NonzerosPerRow: 6, Noise: 1, Seed: 5}, 1e-2)
		p.L2 = mu
		lambda1 := newConstants(p).Lambda1
		for _, c := range []struct {
			method Method
			eta    float64
			passes float64
			run    func(d *dense) (x, average []float64)
		}{
			{STOC, 0.7, 5, func(d *dense) ([]float64, []float64) {
				average := d.stoc(300, mu, 0.7)
				return d.x, average
			}},
			{SA, 2, 5, func(d *dense) ([]float64, []float64) { d.sa(300, mu, 0.5, false, 0); return d.x, nil }},
			{SAIU, 2, 5, func(d *dense) ([]float64, []float64) { d.sa(300, mu, 0.5, true, lambda1); return d.x, nil }},
			{SVRG, 0.2, 5.75, func(d *dense) ([]float64, []float64) {
				return d.svrg([]int{15, 30, 60, 60}, mu, lambda1), nil
			}},
		} {
			s := &Settings{Method: c.method, Eta: c.eta, Rho: 0.08, Passes: c.passes, Seed: 11}
			last := lastIterate(t, p, s)
			res := mustMinimize(t, p, s)
			d := newDense(p, s)
			x, average := c.run(d)
			if e := relative(last, x); !(e < 1e-11) {
				t.Errorf("mu = %v, %s: x differs from the naive loop by %.1e", mu, c.method, e)
			}
			if average != nil {
				if e := relative(res.XAverage, average); !(e < 1e-11) {
					t.Errorf("mu = %v, %s: the average differs by %.1e", mu, c.method, e)
				}
			}
			if c.method != SVRG { // whose result has the clipped multiplier
				if e := relative(res.Dual, d.beta); !(e < 1e-9) {
					t.Errorf("mu = %v, %s: beta differs by %.1e", mu, c.method, e)
				}
			}
		}
	}
}

// TestFixedPoints starts variance-reduced methods at the optimum with its
// multiplier, and their tables there: they must stay. Plain stochastic gradients
// must not, or the test would see nothing.
func TestFixedPoints(t *testing.T) {
	p := chain(t, 0.05)
	x, beta, _ := barrierNewton(t, p)
	for _, m := range []Method{SVRG, PDFP, ASVRG, SA, SAIU, SAG, SAGIU, Batch, BatchLinear, BatchUzawa, STOC, OPG} {
		s := &Settings{Method: m, Start: x}
		if m == SVRG || m == PDFP || m == ASVRG {
			s.InnerSteps = 200 // no plain first stage
		}
		set, err := s.withDefaults(p)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(t.Context(), p, set)
		copy(r.beta, beta)
		info, _ := lookupMethod(m)
		it := info.prepare(r)
		switch it := it.(type) {
		case *svrg:
			copy(it.m, beta)
		case *asvrg:
			copy(it.m, beta)
		case *pdfp:
			copy(it.m, beta)
		case *sa:
			for i := range it.slope {
				it.slope[i] = it.slopeAt(i, x)
				it.scatter(it.gm, i, it.slope[i]/float64(r.n))
			}
		}
		for range 3 {
			if done, err := it.next(); !done || err != nil {
				t.Fatalf("%s: %v, %v", m, done, err)
			}
			r.outer++
		}
		moved, most := relative(r.x, x), 1e-9
		if m == Batch || m == BatchLinear || m == BatchUzawa {
			most = 1e-6 // a small rho magnifies the error of beta
		}
		if noisy := m == STOC || m == OPG; noisy && moved < 1e-3 || !noisy && moved > most {
			t.Errorf("%s moved by %.1e from the optimum", m, moved)
		}
	}
}
