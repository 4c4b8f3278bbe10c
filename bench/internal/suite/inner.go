package suite

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
)

// eta is the step size. kappa is the factor in the matrix K = kappa I of an inner step; package naive
// explains K. With these values the iterates stay bounded over millions of steps.
const (
	eta   = 0.05
	kappa = 1e-3
)

func (d *data) steps(a kernels.Rows) *kernels.Steps {
	return &kernels.Steps{Rows: a, Label: d.label, Slope0: d.slope, Eta: eta, Scratch: kernels.NewScratch(a)}
}

// withStepCosts returns c with the costs of the sampled steps. Each step computes a slope, and makes flops
// further operations. It reads its row, and vectorBytes bytes of vectors whose total size is vectorSize
// bytes.
func (d *data) withStepCosts(
	a kernels.Rows, flops, vectorBytes float64, vectorSize int, c measure.Case,
) measure.Case {
	m := float64(len(d.sampled))
	c.Unit, c.Units, c.Flops = "step", len(d.sampled), m*(measure.SlopeFlops+flops)
	const overhead = 36 // bytes of a row number, two row pointers, a label and a slope
	c.Traffic = []measure.Traffic{
		{Bytes: m * (d.nnz*float64(entryBytes(a)) + overhead), Size: rowBytes(a)},
		{Bytes: m * vectorBytes, Size: vectorSize},
	}
	return c
}

// affineVectors returns two vectors for the dense kernels: every entry of c is 1 − eta kappa, and e is −eta
// d.d.
func (d *data) affineVectors() (c, e []float64) {
	c, e = slices.Repeat([]float64{1 - eta*kappa}, d.p), make([]float64, d.p)
	for j, v := range d.d {
		e[j] = -eta * v
	}
	return c, e
}

func (d *data) innerDense(a kernels.Rows) measure.Case {
	steps, plainSteps := d.steps(a), d.steps(d.rows)
	w, h, sum := slices.Clone(d.w), make([]float64, d.p), make([]float64, d.p)
	c, e := d.affineVectors()
	return d.withStepCosts(a, 6*d.nnz+2*float64(d.p), 8*(3*float64(d.p)+3*d.nnz), 32*d.p, measure.Case{
		Run:    func() { kernels.InnerDense(w, h, c, e, steps, d.sampled) },
		Naive:  func() { naive.Inner(w, sum, d.d, kappa, plainSteps, d.sampled) },
		State:  [][]float64{w, h, sum},
		Answer: func(bool) []float64 { return w }, Tolerance: 1e-10,
	})
}

func (d *data) innerBox(a kernels.Rows) measure.Case {
	steps, plainSteps := d.steps(a), d.steps(d.rows)
	w, sum := slices.Clone(d.w), make([]float64, d.p)
	c, e := d.affineVectors()
	lo, hi := slices.Repeat([]float64{-0.2}, d.p), slices.Repeat([]float64{0.2}, d.p)
	return d.withStepCosts(a, 4*d.nnz+5*float64(d.p), 8*(6*float64(d.p)+3*d.nnz), 56*d.p, measure.Case{
		Run:       func() { kernels.InnerBox(w, sum, c, e, lo, hi, steps, d.sampled) },
		Naive:     func() { naive.InnerBox(w, sum, d.d, lo, hi, kappa, plainSteps, d.sampled) },
		State:     [][]float64{w, sum},
		Tolerance: 1e-10,
	})
}

// innerRotated returns the case of steps on dense rows, as the solver makes them in the eigenbasis of A'A.
func (d *data) innerRotated(a kernels.Rows) measure.Case {
	steps := d.steps(a)
	p := (d.p + 7) / 8 * 8
	rng := rand.New(rand.NewPCG(7, 8))
	x := normal(rng, d.n*p, math.Sqrt(d.nnz/float64(p)))
	w, sum := normal(rng, p, 0.1), make([]float64, p)
	c, e := make([]float64, p), normal(rng, p, 1e-4*eta)
	for j := range c {
		c[j] = 1 - eta*kappa*rng.Float64()
	}
	m := float64(len(d.sampled))
	return measure.Case{
		Unit: "step", Units: len(d.sampled), Flops: m * (measure.SlopeFlops + 9*float64(p)),
		Traffic: []measure.Traffic{
			{Bytes: m * float64(8*p+20), Size: 8 * len(x)},
			{Bytes: m * float64(8*p*6), Size: 8 * p * 6}, // six vectors: row, next row, w, sum, c, e
		},
		Run:       func() { kernels.InnerRotated(w, sum, c, e, x, 0, steps, d.sampled) },
		Naive:     func() { naive.InnerRotated(w, sum, c, e, x, steps, d.sampled) },
		State:     [][]float64{w, sum},
		Tolerance: 1e-10,
	}
}

// innerLazy returns the case of steps whose iterate is stored as alpha u + gamma d; see naive.Lazy. A run
// begins with the alpha and gamma of the end of the previous run.
func (d *data) innerLazy(a kernels.Rows) measure.Case {
	steps, plainSteps, cells := d.steps(a), d.steps(d.rows), kernels.NewCells(d.p)
	cells.Set(d.w, d.d)
	u, h, w := slices.Clone(d.w), make([]float64, d.p), make([]float64, d.p)
	scalars := []float64{1, 0}
	const q = 1 - eta*kappa
	return d.withStepCosts(a, 8*d.nnz+10, 32*d.nnz, 32*d.p, measure.Case{
		Run: func() {
			l := kernels.Lazy{Alpha: scalars[0], Gamma: scalars[1], Q: q}
			for rows := d.sampled; len(rows) > 0; {
				rows = rows[kernels.InnerLazy(cells, nil, &l, steps, rows):]
				if l.Alpha < 0x1p-7 {
					cells.Form(&l)
				}
			}
			scalars[0], scalars[1] = l.Alpha, l.Gamma
		},
		Naive: func() {
			scalars[0], scalars[1] = naive.Lazy(u, h, d.d, scalars[0], scalars[1], q, plainSteps, d.sampled)
		},
		State: [][]float64{cells, u, h, scalars},
		Answer: func(byNaive bool) []float64 {
			if !byNaive {
				cells.Point(w, &kernels.Lazy{Alpha: scalars[0], Gamma: scalars[1]})
				return w
			}
			for j := range w {
				w[j] = scalars[0]*u[j] + scalars[1]*d.d[j]
			}
			return w
		},
		Tolerance: 1e-10,
	})
}

// innerLazyBall returns the case of the steps of innerLazy, each with a projection onto a ball. The steps
// often leave the ball.
func (d *data) innerLazyBall(a kernels.Rows) measure.Case {
	steps, plainSteps, cells := d.steps(a), d.steps(d.rows), kernels.NewCells(d.p)
	w, q, sum := slices.Clone(d.w), make([]float64, d.p), make([]float64, d.p)
	norm2, radius := d.x.RowNormsSq(), 0.9*math.Sqrt(naive.Dot(w, w))
	return d.withStepCosts(a, 8*d.nnz+30, 32*d.nnz, 32*d.p, measure.Case{
		Run: func() {
			for rows := d.sampled; len(rows) > 0; {
				cells.Set(w, d.d)
				l := kernels.Lazy{
					Alpha: 1, Q: 1 - eta*kappa, Radius: radius, GammaLimit: math.Inf(1),
					UU: kernels.Dot(w, w), UD: kernels.Dot(w, d.d), DD: kernels.Dot(d.d, d.d),
				}
				rows = rows[kernels.InnerLazy(cells, norm2, &l, steps, rows):]
				cells.RowSum(q)
				for j := range sum {
					sum[j] += l.AlphaSum*cells[4*j] - q[j] + l.GammaSum*d.d[j]
				}
				cells.Point(w, &l)
			}
		},
		Naive:  func() { naive.InnerBall(w, sum, d.d, radius, kappa, plainSteps, d.sampled) },
		State:  [][]float64{w, q, sum, cells},
		Answer: func(bool) []float64 { return slices.Concat(w, sum) }, Tolerance: 1e-8,
	})
}

// innerDecay returns the case of steps with a diagonal matrix K whose entries differ; package naive explains
// K. A run begins at the last iterate of the previous run.
func (d *data) innerDecay(a kernels.Rows) measure.Case {
	steps, plainSteps := d.steps(a), d.steps(d.rows)
	cells, w := make([]kernels.DecayCell, d.p), slices.Clone(d.w)
	initialise := func() {
		for j, v := range d.d {
			k := kappa * (1 + float64(j%7))
			fixedPoint := -v / k
			cells[j] = kernels.DecayCell{
				Fixed: fixedPoint, Deviation: w[j] - fixedPoint, Rate: kernels.NegLog1m(eta * k),
				Factor: 1 - eta*k,
			}
		}
	}
	return d.withStepCosts(a, d.nnz*(31+9), 64*d.nnz, 64*d.p, measure.Case{
		Run: func() {
			initialise()
			kernels.InnerDecay(cells, 0, steps, d.sampled)
			kernels.DecayTo(w, cells, len(d.sampled))
		},
		Naive: func() {
			initialise()
			naive.Decay(w, cells, plainSteps, d.sampled)
		},
		State:  [][]float64{w},
		Answer: func(bool) []float64 { return w }, Tolerance: 1e-10,
	})
}
