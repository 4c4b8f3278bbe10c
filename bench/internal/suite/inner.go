package suite

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// The constants of the inner loops: a step and a penalty parameter of the size
// that solves these problems, small enough that nothing runs away when a
// benchmark takes millions of steps.
const (
	eta   = 0.05
	kappa = 1e-3
)

// innerData is what the inner loops of one shape share.
type innerData struct {
	name    string
	n, p    int
	nnz     float64 // of the sampled rows, per step
	size    int     // bytes of the matrix
	steps   *kernels.Steps
	sampled []int32
	d, w0   []float64
}

func newInnerData(s Scale, sh shape.Shape) *innerData {
	x, label := sh.Build(4)
	n, p := x.Dims()
	rng := rand.New(rand.NewPCG(5, 6))
	in := &innerData{name: sh.Name, n: n, p: p, d: make([]float64, p), w0: make([]float64, p)}
	slope0 := make([]float64, n)
	for i := range slope0 {
		slope0[i] = kernels.LogisticSlope(0.1*rng.NormFloat64(), label[i])
	}
	for j := range in.d {
		in.d[j], in.w0[j] = 1e-4*rng.NormFloat64(), 0.1*rng.NormFloat64()
	}
	in.steps = &kernels.Steps{Rows: x.Rows(0, n), Label: label, Slope0: slope0, Eta: eta}
	in.sampled = make([]int32, map[Scale]int{Full: 4096, Quick: 2048, Tiny: 50}[s])
	for k := range in.sampled {
		i := int32(rng.IntN(n))
		in.sampled[k] = i
		in.nnz += float64(x.Rows(int(i), int(i)+1).Ptr[1]-x.Rows(int(i), int(i)+1).Ptr[0]) / float64(len(in.sampled))
	}
	in.size = rowBytes(in.steps.Rows)
	return in
}

// innerCase fills in what all inner loops have in common. flops are per step
// beside the slope, vectorBytes what is loaded beside the row.
func (in *innerData) innerCase(kernel string, flops, vectorBytes float64, vectorSize int, w measure.Work) measure.Case {
	m := float64(len(in.sampled))
	return measure.Case{
		Kernel: kernel, Shape: in.name, Unit: "step", Units: len(in.sampled),
		Flops: m * (slopeFlops + flops),
		Traffic: []measure.Traffic{
			{Bytes: m * (in.nnz*float64(entryBytes(in.steps.Rows)) + 36), Size: in.size},
			{Bytes: m * vectorBytes, Size: vectorSize},
		},
		Work: w,
	}
}

// innerGroup has the inner loops for diagonal A'A. Those over whole vectors
// make sense where p is small, the projected ones are measured where they
// differ from the others.
func innerGroup(s Scale, sh shape.Shape) Group {
	type maker struct {
		name string
		make func(*innerData) measure.Case
	}
	makers := []maker{{"InnerLazy", (*innerData).lazy}}
	switch sh.Name {
	case shape.A9A.Name:
		makers = []maker{
			{"InnerDense", (*innerData).dense}, {"InnerBox", (*innerData).box},
			{"InnerLazy", (*innerData).lazy}, {"InnerLazyBall", (*innerData).lazyBall},
		}
	case shape.Covtype.Name:
		makers = append([]maker{{"InnerDense", (*innerData).dense}}, makers...)
	}
	var g Group
	for _, m := range makers {
		g.Names = append(g.Names, m.name+"/"+sh.Name)
	}
	g.Build = func() []measure.Case {
		in := newInnerData(s, sh)
		var cases []measure.Case
		for _, m := range makers {
			cases = append(cases, m.make(in))
		}
		return cases
	}
	return g
}

// affine returns c = 1 - eta*kappa and e = -eta*d of the dense kernels.
func (in *innerData) affine() (c, e []float64) {
	c, e = make([]float64, in.p), make([]float64, in.p)
	for j, d := range in.d {
		c[j], e[j] = 1-eta*kappa, -eta*d
	}
	return c, e
}

func (in *innerData) dense() measure.Case {
	w, h, sum := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	c, e := in.affine()
	return in.innerCase("InnerDense", 6*in.nnz+2*float64(in.p), 8*(3*float64(in.p)+3*in.nnz), 32*in.p, measure.Work{
		Kernel: func() { kernels.InnerDense(w, h, c, e, in.steps, in.sampled) },
		Naive:  func() { naiveInner(w, sum, in.d, kappa, in.steps, in.sampled) },
		State:  [][]float64{w, h, sum},
		Answer: func(bool) []float64 { return w }, Tolerance: 1e-10,
	})
}

func (in *innerData) box() measure.Case {
	w, sum := slices.Clone(in.w0), make([]float64, in.p)
	c, e := in.affine()
	q, lo, hi := slices.Clone(e), make([]float64, in.p), make([]float64, in.p)
	for j := range lo {
		lo[j], hi[j] = -0.2, 0.2
	}
	return in.innerCase("InnerBox", 4*in.nnz+5*float64(in.p), 8*(6*float64(in.p)+3*in.nnz), 56*in.p, measure.Work{
		Kernel: func() { kernels.InnerBox(w, sum, c, e, q, lo, hi, in.steps, in.sampled) },
		Naive:  func() { naiveInnerBox(w, sum, in.d, lo, hi, kappa, in.steps, in.sampled) },
		State:  [][]float64{w, sum, q},
		Answer: func(bool) []float64 { return slices.Concat(w, sum) }, Tolerance: 1e-10,
	})
}

// lazy keeps the scalars alpha and gamma from run to run as the solver does, and
// forms w only when the kernel asks for it.
func (in *innerData) lazy() measure.Case {
	u, h, sum := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	scalars := []float64{1, 0}
	const q = 1 - eta*kappa
	dense := func() { naiveInner(u, sum, in.d, kappa, in.steps, in.sampled) }
	if in.p > 1e5 {
		dense = nil // a millisecond a step
	}
	return in.innerCase("InnerLazy", 8*in.nnz+10, 32*in.nnz, 24*in.p, measure.Work{
		Kernel: func() {
			l := kernels.Lazy{Alpha: scalars[0], Gamma: scalars[1], Q: q}
			for rows := in.sampled; len(rows) > 0; {
				rows = rows[kernels.InnerLazy(u, h, in.d, &l, in.steps, rows):]
				if l.Alpha < 0x1p-7 {
					in.form(u, &l)
				}
			}
			scalars[0], scalars[1] = l.Alpha, l.Gamma
		},
		Naive: func() {
			scalars[0], scalars[1] = naiveLazy(u, h, in.d, scalars[0], scalars[1], q, in.steps, in.sampled)
		},
		Dense: dense,
		State: [][]float64{u, h, sum, scalars},
		Answer: func(bool) []float64 {
			w := make([]float64, in.p)
			for j := range w {
				w[j] = scalars[0]*u[j] + scalars[1]*in.d[j]
			}
			return w
		},
		Tolerance: 1e-10,
	})
}

func (in *innerData) form(u []float64, l *kernels.Lazy) {
	for j := range u {
		u[j] = l.Alpha*u[j] + l.Gamma*in.d[j]
	}
	l.Alpha, l.Gamma = 1, 0
}

// lazyBall projects onto a ball that the iterates keep leaving. Each run starts
// from u = w, and the naive loop pays O(p) for its projection.
func (in *innerData) lazyBall() measure.Case {
	u, q, sum := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	norm2 := make([]float64, in.n)
	for i := range norm2 {
		_, val := naiveRow(in.steps.Rows, i)
		norm2[i] = naiveDot(val, val)
	}
	radius := 0.9 * math.Sqrt(naiveDot(u, u))
	return in.innerCase("InnerLazyBall", 8*in.nnz+30, 32*in.nnz, 24*in.p, measure.Work{
		Kernel: func() {
			l := kernels.LazyBall{
				Lazy: kernels.Lazy{Alpha: 1, Q: 1 - eta*kappa}, Radius: radius, GammaLimit: math.Inf(1),
				UU: kernels.Dot(u, u), UD: kernels.Dot(u, in.d), DD: kernels.Dot(in.d, in.d),
			}
			for rows := in.sampled; len(rows) > 0; {
				rows = rows[kernels.InnerLazyBall(u, q, in.d, norm2, &l, in.steps, rows):]
				for j := range sum {
					sum[j] += l.AlphaSum*u[j] - q[j] + l.GammaSum*in.d[j]
				}
				clear(q)
				in.form(u, &l.Lazy)
				l.AlphaSum, l.GammaSum = 0, 0
				l.UU, l.UD = kernels.Dot(u, u), kernels.Dot(u, in.d)
			}
		},
		Naive:  func() { naiveInnerBall(u, sum, in.d, radius, kappa, in.steps, in.sampled) },
		State:  [][]float64{u, q, sum},
		Answer: func(bool) []float64 { return slices.Concat(u, sum) }, Tolerance: 1e-8,
	})
}
