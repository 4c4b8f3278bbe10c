package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A lazyCase holds the arguments of one call of InnerLazy. norm2 is nil without a ball.
type lazyCase struct {
	cells   Cells
	norm2   []float64
	state   Lazy
	steps   Steps
	sampled []int32
	source  source
}

func lazyCaseOf(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind, hasBall bool) *lazyCase {
	c := &lazyCase{cells: NewCells(p), source: s}
	c.cells.Set(s.vector(rng, p), s.vector(rng, p))
	c.steps = stepsOf(rng, s, lens, p, loss)
	c.state = Lazy{
		Alpha: 1, Q: 1 - float64(0.2*rng.Float64()), Radius: 3, UU: s.draw(rng), UD: s.draw(rng),
		DD: s.draw(rng), GammaLimit: 1e6,
	}
	if hasBall {
		c.norm2 = abs(s.vector(rng, len(lens)))
	}
	c.sampled = place(s, samplesOf(rng, samples, len(lens)))
	return c
}

func (c *lazyCase) run(rows *Rows) [][]float64 {
	cells, state, steps := place(c.source, slices.Clone(c.cells)), c.state, c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	done := InnerLazy(cells, c.norm2, &state, &steps, c.sampled)
	return [][]float64{cells, {state.Alpha, state.Gamma, state.UU, state.UD, state.AlphaSum, state.GammaSum, float64(done)}}
}

// naiveLoop makes inner steps as the paper writes them: each step updates all elements of w.
type naiveLoop struct {
	w, sum, d     []float64
	kappa, radius float64 // radius is +Inf if there is no ball
}

func (v *naiveLoop) step(s *Steps, i int32) {
	lo, hi := s.Rows.Ptr[i], s.Rows.Ptr[i+1]
	var t float64
	for k := lo; k < hi; k++ {
		j, x := s.Rows.entry(int(k))
		t += x * v.w[j]
	}
	b := s.Label[i]
	delta := -b/(1+math.Exp(b*t)) - s.Slope0[i]
	if s.Loss == SquaredLossKind {
		delta = 2*(t-b) - s.Slope0[i]
	}
	for j := range v.w {
		v.w[j] -= s.Eta * (v.d[j] + v.kappa*v.w[j])
	}
	for k := lo; k < hi; k++ {
		j, x := s.Rows.entry(int(k))
		v.w[j] -= s.Eta * delta * x
	}
	var norm float64
	for _, x := range v.w {
		norm += x * x
	}
	f := min(1, v.radius/math.Sqrt(norm))
	for j := range v.w {
		v.w[j] *= f
		v.sum[j] += v.w[j]
	}
}

// TestLazyNaive compares many steps of InnerLazy, without and with a ball, with naiveLoop. Every
// step makes the scalar Alpha of Lazy smaller, and a kernel stops when Alpha is below lazyFloor. With
// strength 120 it must stop at least 20 times.
func TestLazyNaive(t *testing.T) {
	const n, p = 500, 40
	steps := 1_000_000
	if testing.Short() {
		steps = 100_000
	}
	for _, strength := range []float64{1, 120} {
		for _, radius := range []float64{0, 0.4} {
			t.Run(fmt.Sprintf("strength=%v/radius=%v", strength, radius), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(72, 1))
				const eta = 0.05
				kappa := strength / float64(steps) / eta
				a := increasingRows(rng, sources[0], lengthsOf(rng, n, 12), p)
				s := &Steps{Rows: a, Label: labels(rng, n), Slope0: sources[0].vector(rng, n), Eta: eta, Scratch: NewScratch(a)}
				for i := range s.Slope0 {
					s.Slope0[i] = LogisticSlope(s.Slope0[i], s.Label[i])
				}
				d := make([]float64, p)
				for j := range d {
					d[j] = 0.01 * bell(rng)
				}
				naive := &naiveLoop{w: make([]float64, p), sum: make([]float64, p), d: d, kappa: kappa, radius: math.Inf(1)}
				lazy := newLazyRun(s, p, d, 1-eta*kappa, radius)
				if radius > 0 {
					naive.radius = radius
				}
				samples := make([]int32, 1000)
				for range steps / len(samples) {
					for k := range samples {
						samples[k] = rng.Int32N(n)
						naive.step(s, samples[k])
					}
					lazy.run(samples)
				}
				w, sum := lazy.finish()
				checkRelative(t, "w", w, naive.w, 1e-9)
				if radius > 0 {
					checkRelative(t, "sum", sum, naive.sum, 1e-9)
				}
				t.Logf("%d flushes", lazy.flushes)
				if strength > 100 && lazy.flushes < 20 {
					t.Errorf("%d flushes, want at least 20", lazy.flushes)
				}
			})
		}
	}
}

// checkRelative checks that the distance |got − want| is at most bound times |want|.
func checkRelative(t *testing.T, name string, got, want []float64, bound float64) {
	t.Helper()
	var diff, size float64
	for j := range want {
		diff = math.Hypot(diff, got[j]-want[j])
		size = math.Hypot(size, want[j])
	}
	t.Logf("%s: relative difference %.2g", name, diff/size)
	if !(diff <= bound*size) {
		t.Errorf("%s: relative difference %.3g, want at most %g", name, diff/size, bound)
	}
}

// A lazyRun calls the kernel as a solver does. When the kernel stops, the lazyRun calls Cells.Form. If
// radius is positive, it also keeps the sum of the iterates.
type lazyRun struct {
	cells   Cells
	steps   *Steps
	d, sum  []float64
	norm2   []float64
	state   Lazy
	flushes int
}

func newLazyRun(s *Steps, p int, d []float64, q, radius float64) *lazyRun {
	r := &lazyRun{cells: NewCells(p), steps: s, d: d, sum: make([]float64, p)}
	r.cells.Set(make([]float64, p), d)
	r.state = Lazy{Alpha: 1, Q: q, Radius: radius}
	if radius > 0 {
		r.norm2 = make([]float64, s.Rows.Len())
		for i := range r.norm2 {
			for k := s.Rows.Ptr[i]; k < s.Rows.Ptr[i+1]; k++ {
				_, v := s.Rows.entry(int(k))
				r.norm2[i] += v * v
			}
		}
		r.measure()
	}
	return r
}

// measure computes the inner products of u and d anew, and sets GammaLimit.
func (r *lazyRun) measure() {
	u := make([]float64, len(r.d))
	r.cells.Point(u, &Lazy{Alpha: 1})
	r.state.UU, r.state.UD, r.state.DD = Dot(u, u), Dot(u, r.d), Dot(r.d, r.d)
	r.state.GammaLimit = 64 * r.state.Radius / math.Sqrt(r.state.DD)
}

func (r *lazyRun) run(sampled []int32) {
	for len(sampled) > 0 {
		done := InnerLazy(r.cells, r.norm2, &r.state, r.steps, sampled)
		sampled = sampled[done:]
		if len(sampled) > 0 {
			r.flush()
		}
	}
}

// flush calls Form. If there is a ball, it first adds the iterates since the last flush to sum.
func (r *lazyRun) flush() {
	r.flushes++
	if r.norm2 != nil {
		for j := range r.sum {
			r.sum[j] += r.state.AlphaSum*r.cells[4*j] - r.cells[4*j+2] + r.state.GammaSum*r.d[j]
			r.cells[4*j+2] = 0
		}
		r.state.AlphaSum, r.state.GammaSum = 0, 0
	}
	r.cells.Form(&r.state)
	if r.norm2 != nil {
		r.measure()
	}
}

func (r *lazyRun) finish() (w, sum []float64) {
	r.flush()
	w = make([]float64, len(r.d))
	r.cells.Point(w, &r.state)
	return w, r.sum
}
