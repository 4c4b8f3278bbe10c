package torture

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A doorCall makes the arguments of a kernel and returns the call.
type doorCall struct {
	name string
	args func(c *doorArgs) func()
}

var doorCalls = []doorCall{
	{"Margins", func(c *doorArgs) func() {
		a := c.rows(chance(c.rng, 2))
		dst, w := c.out(a.Len()), c.vector(c.columns(a))
		return func() { kernels.Margins(dst, a, w) }
	}},
	{"Gradient", func(c *doorArgs) func() {
		a := c.rows(chance(c.rng, 2))
		z, slope := c.out(c.columns(a)), c.vector(a.Len())
		return func() { kernels.Gradient(z, a, slope) }
	}},
	{"MarginsGradient", func(c *doorArgs) func() {
		a := c.rows(chance(c.rng, 2))
		n, p, loss := a.Len(), c.columns(a), pick(c.rng, kernels.LogisticLossKind, kernels.SquaredLossKind)
		z, margin, slope, label, w := c.out(p), c.out(n), c.out(n), c.vector(n), c.vector(p)
		return c.tells(func() float64 { return kernels.MarginsGradient(z, margin, slope, label, a, w, loss) })
	}},
	{"Hessian", hessianDoor},
	{"AddTile", func(c *doorArgs) func() {
		const side = kernels.TileSide
		rows, stride := c.odd(c.rng.IntN(side+1)), c.stride(side)
		h, t, panel := c.out(max(0, rows-1)*min(max(stride, 0), 200)+side), c.vector(rows*side), c.vector(side*side)
		return func() { kernels.AddTile(h, stride, rows, t, panel) }
	}},
	{"AddRows", func(c *doorArgs) func() {
		const side = kernels.TileSide
		h, t, panel := c.out(side), c.vector(c.rng.IntN(side+2)), c.vector(side*side)
		return func() { kernels.AddRows(h, t, panel) }
	}},
	{"Dot", func(c *doorArgs) func() {
		n := c.length()
		x, y := c.vector(n), c.vector(n)
		return c.tells(func() float64 { return kernels.Dot(x, y) })
	}},
	{"Axpy", func(c *doorArgs) func() {
		n, alpha := c.length(), c.number()
		x, y := c.vector(n), c.out(n)
		return func() { kernels.Axpy(alpha, x, y) }
	}},
	{"LogisticSlopes", slopesDoor(kernels.LogisticSlopes)},
	{"SquaredSlopes", slopesDoor(kernels.SquaredSlopes)},
	{"ProjectedUpdate", func(c *doorArgs) func() {
		n, eta := c.length(), c.number()
		w, s, d, q := c.out(n), c.out(n), c.vector(n), c.vector(n)
		return func() { kernels.ProjectedUpdate(w, s, d, q, eta) }
	}},
	{"ProjectedUpdateBox", func(c *doorArgs) func() {
		n, eta := c.length(), c.number()
		w, s, d, q, lo, hi := c.out(n), c.out(n), c.vector(n), c.vector(n), c.vector(n), c.vector(n)
		return func() { kernels.ProjectedUpdateBox(w, s, d, q, lo, hi, eta) }
	}},
	{"ProjectedUpdateBall", func(c *doorArgs) func() {
		n, eta, radius := c.length(), c.number(), c.number()
		w, s, d, q := c.out(n), c.out(n), c.vector(n), c.vector(n)
		return func() { kernels.ProjectedUpdateBall(w, s, d, q, eta, radius) }
	}},
	{"ProxDual", func(c *doorArgs) func() {
		n, rho := c.length(), math.Abs(c.number())
		beta, y, ax, limit := c.out(n), c.out(n), c.vector(n), c.vector(n)
		for k, v := range limit {
			limit[k] = math.Abs(v)
		}
		return c.tells(func() float64 {
			primal, change := kernels.ProxDual(beta, y, ax, limit, rho)
			c.told = append(c.told, primal)
			return change
		})
	}},
	{"InnerDense", func(c *doorArgs) func() {
		s, sampled := c.steps(chance(c.rng, 2))
		p := c.columns(s.Rows)
		w, h, factor, e := c.out(p), c.out(p), c.vector(p), c.vector(p)
		return func() { kernels.InnerDense(w, h, factor, e, s, sampled) }
	}},
	{"InnerBox", func(c *doorArgs) func() {
		s, sampled := c.steps(c.mostlyTidy())
		p := c.columns(s.Rows)
		w, sum, factor, e, lo, hi := c.out(p), c.out(p), c.vector(p), c.vector(p), c.vector(p), c.vector(p)
		return func() { kernels.InnerBox(w, sum, factor, e, lo, hi, s, sampled) }
	}},
	{"InnerRotated", func(c *doorArgs) func() {
		s, sampled := c.steps(true)
		p, radius := 8*c.rng.IntN(20), pick(c.rng, 0, 0, 1, c.number())
		w, sum, factor, e, x := c.out(p), c.out(p), c.vector(p), c.vector(p), c.vector(p*s.Rows.Len())
		return func() { kernels.InnerRotated(w, sum, factor, e, x, radius, s, sampled) }
	}},
	{"InnerLazyCells", func(c *doorArgs) func() {
		s, sampled := c.steps(chance(c.rng, 2))
		cells, l := c.cells(c.columns(s.Rows)), c.lazy()
		return c.tells(func() float64 {
			done := kernels.InnerLazyCells(cells, &l, s, sampled)
			c.told = append(c.told, l.Alpha, l.Gamma)
			return float64(done)
		})
	}},
	{"InnerLazyBallCells", func(c *doorArgs) func() {
		s, sampled := c.steps(chance(c.rng, 2))
		cells, norm2 := c.cells(c.columns(s.Rows)), c.vector(s.Rows.Len())
		l := kernels.LazyBall{Lazy: c.lazy(), Radius: c.number(), UU: c.number(), UD: c.number(), DD: c.number(), GammaLimit: 8}
		return c.tells(func() float64 {
			done := kernels.InnerLazyBallCells(cells, norm2, &l, s, sampled)
			c.told = append(c.told, l.Alpha, l.Gamma, l.UU, l.UD, l.AlphaSum, l.GammaSum)
			return float64(done)
		})
	}},
	{"InnerDecay", func(c *doorArgs) func() {
		s, sampled := c.steps(c.mostlyTidy())
		state, step := c.out(kernels.DecayStride*c.columns(s.Rows)), c.rng.IntN(9)
		return func() { kernels.InnerDecay(state, step, s, sampled) }
	}},
	{"DecayTo", func(c *doorArgs) func() {
		n := c.rng.IntN(30)
		w, state := c.out(n), c.vector(n*kernels.DecayStride)
		return func() { kernels.DecayTo(w, state, 3) }
	}},
}

// columns returns how long a vector is that goes with rows, whatever they say.
func (c *doorArgs) columns(a kernels.Rows) int {
	if a.Cols < 0 || a.Cols > 1000 {
		return c.rng.IntN(70)
	}
	return a.Cols + pick(c.rng, 0, 0, 0, 1, 9)
}

// tells keeps what a call returns.
func (c *doorArgs) tells(call func() float64) func() {
	return func() {
		v := call()
		c.told = append(c.told, v)
	}
}

// mostlyTidy says whether rows have columns that increase, without which the contract of
// some kernels lets levels differ.
func (c *doorArgs) mostlyTidy() bool {
	tidy := !chance(c.rng, 5)
	c.vague = c.vague || !tidy
	return tidy
}

// cells are those of n columns, mostly with the zeros that NewCells puts there.
func (c *doorArgs) cells(n int) kernels.Cells {
	v := c.out(4 * (n + 1))
	if chance(c.rng, 10) {
		c.vague = true
		return v
	}
	for k := 3; k < len(v); k += 4 {
		v[k] = 0
	}
	clear(v[max(0, len(v)/4*4-4):])
	return v
}

func (c *doorArgs) lazy() kernels.Lazy {
	l := kernels.Lazy{Alpha: 1, Q: 1 - c.rng.Float64()/4}
	if chance(c.rng, 8) {
		l.Alpha, l.Gamma, l.Q = c.number(), c.number(), c.number()
	}
	return l
}

// stride is at least n, but for odd ones.
func (c *doorArgs) stride(n int) int {
	if chance(c.rng, 20) {
		return pick(c.rng, -1, 0, n-1, math.MaxInt, math.MinInt, math.MaxInt/2+2, math.MaxInt/63+1)
	}
	return n + c.rng.IntN(9)
}

func hessianDoor(c *doorArgs) func() {
	tidy := c.mostlyTidy()
	c.loose = !tidy
	a := c.rows(tidy)
	p := c.columns(a)
	if chance(c.rng, 25) {
		p = pick(c.rng, -1, 0, p-1, math.MaxInt)
	}
	size := min(max(p, 0), 100)
	stride := c.stride(size)
	h, weight := c.out(max(0, size-1)*min(max(stride, 0), 200)+size), c.vector(a.Len())
	lo := c.rng.IntN(size + 1)
	hi := lo + c.rng.IntN(size-lo+1)
	if chance(c.rng, 25) {
		lo, hi = pick(c.rng, -1, 0, math.MinInt, size), pick(c.rng, -1, size+1, math.MaxInt)
	}
	if chance(c.rng, 2) {
		return func() { kernels.Hessian(h, p, stride, a, weight, nil) }
	}
	return func() { kernels.HessianRows(h, p, stride, lo, hi, a, weight, nil) }
}

func slopesDoor(kernel func(slope, margin, label []float64) float64) func(*doorArgs) func() {
	return func(c *doorArgs) func() {
		n := c.length()
		margin, label := c.vector(n), c.vector(n)
		var slope []float64
		switch c.rng.IntN(4) {
		case 0: // none
		case 1: // the same, which is allowed
			slope = c.written(margin)
		default:
			slope = c.out(n)
		}
		return c.tells(func() float64 { return kernel(slope, margin, label) })
	}
}
