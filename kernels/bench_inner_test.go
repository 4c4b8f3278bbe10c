package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// innerShapes imitate data sets for the inner loops: rows, columns, nonzeros
// per row and whether their number varies; form is the smallest exact one.
var innerShapes = []struct {
	name      string
	n, p, nnz int
	vary      bool
	form      int
}{{"a9a", 32561, 123, 14, false, 5}, {"rcv1", 20242, 47236, 75, true, 4}}

func innerBench(shape int, form int) (*Steps, []int32) {
	c := innerShapes[shape]
	rng := rand.New(rand.NewPCG(91, uint64(shape)))
	lens := make([]int, c.n)
	for i := range lens {
		lens[i] = c.nnz
		if c.vary {
			lens[i] = max(1, int(float64(c.nnz)*math.Exp(0.5*rng.NormFloat64()-0.125)))
		}
	}
	a := distinctRows(rng, lens, c.p)
	for k := range a.Val {
		a.Val[k] = float64(float32(a.Val[k] / math.Sqrt(float64(c.nnz))))
	}
	plain, stored := inForm(a, form)
	if form < 0 {
		stored = plain
	}
	s := &Steps{Rows: stored, Label: labels(rng, c.n), Slope0: make([]float64, c.n), Eta: 0.3, Scratch: NewScratch(stored)}
	for i := range s.Slope0 {
		s.Slope0[i] = -0.5 * s.Label[i]
	}
	sampled := make([]int32, c.n)
	for k := range sampled {
		sampled[k] = rng.Int32N(int32(c.n))
	}
	return s, sampled
}

// distinctRows returns rows with sorted distinct columns, which are more often
// low than high, as words are.
func distinctRows(rng *rand.Rand, lens []int, p int) Rows {
	a := Rows{Ptr: []int64{0}}
	seen := make([]int, p)
	for r, n := range lens {
		for n > 0 {
			j := int32(float64(p) * math.Pow(rng.Float64(), 2.5))
			if seen[j] == r+1 {
				continue
			}
			seen[j] = r + 1
			a.Idx, a.Val = append(a.Idx, j), append(a.Val, bell(rng))
			n--
		}
		row := a.Idx[a.Ptr[r]:]
		for i := 1; i < len(row); i++ {
			for k := i; k > 0 && row[k] < row[k-1]; k-- {
				row[k], row[k-1] = row[k-1], row[k]
			}
		}
		a.Ptr = append(a.Ptr, int64(len(a.Idx)))
	}
	return a
}

func BenchmarkInnerLazy(b *testing.B) {
	const kappa = 1e-4
	for i, c := range innerShapes {
		for _, form := range []int{0, c.form} {
			s, sampled := innerBench(i, form)
			d := make([]float64, c.p)
			cells, state := NewCells(c.p), Lazy{Alpha: 1, Q: 1 - s.Eta*kappa}
			cells.Set(d, d)
			w, sum := make([]float64, c.p), make([]float64, c.p)
			u, h := make([]float64, c.p), make([]float64, c.p)
			alpha, gamma := 1.0, 0.0
			atLevels(b, "shape="+c.name+"/form="+formNames[form], len(sampled), "step", func() {
				for rest := sampled; len(rest) > 0; {
					rest = rest[InnerLazyCells(cells, &state, s, rest):]
					if state.Alpha < 0.1 {
						cells.Form(&state)
					}
				}
			}, func() {
				_, _ = w, sum
				for _, i := range sampled {
					naiveLazy(u, h, d, s, i, &alpha, &gamma, 1-s.Eta*kappa)
				}
				if alpha < 0.1 {
					for j := range u {
						u[j] = alpha*u[j] + gamma*d[j]
					}
					alpha, gamma = 1, 0
				}
			})
		}
	}
}

// naiveLazy is the lazy step as a Go programmer would write it, on plain rows.
func naiveLazy(u, h, d []float64, s *Steps, i int32, alpha, gamma *float64, q float64) {
	lo, hi := s.Rows.Ptr[i], s.Rows.Ptr[i+1]
	var au, ad float64
	if s.Rows.Idx != nil {
		val := s.Rows.Val[lo:hi]
		for k, j := range s.Rows.Idx[lo:hi] {
			au += val[k] * u[j]
			ad += val[k] * d[j]
		}
	} else {
		for k := lo; k < hi; k++ {
			j, v := s.Rows.entry(int(k))
			au += v * u[j]
			ad += v * d[j]
		}
	}
	b := s.Label[i]
	g := s.Eta * (s.Slope0[i] + b/(1+math.Exp(b*(*alpha*au+*gamma*ad))))
	*alpha, *gamma = q**alpha, q**gamma-s.Eta
	r := g / *alpha
	if s.Rows.Idx != nil {
		val := s.Rows.Val[lo:hi]
		for k, j := range s.Rows.Idx[lo:hi] {
			u[j] += r * val[k]
			h[j] += g * val[k]
		}
		return
	}
	for k := lo; k < hi; k++ {
		j, v := s.Rows.entry(int(k))
		u[j] += r * v
		h[j] += g * v
	}
}

func BenchmarkInnerDense(b *testing.B) {
	for _, form := range []int{0, 5} {
		s, sampled := innerBench(0, form)
		v := benchElements(s)
		atLevels(b, "shape=a9a/form="+formNames[form], len(sampled), "step", func() {
			InnerDense(v[0], v[1], v[2], v[3], s, sampled)
		}, func() {
			for _, i := range sampled {
				naiveElements(v, false, s, i)
			}
		})
	}
}

func BenchmarkInnerBox(b *testing.B) {
	for _, form := range []int{0, 5} {
		s, sampled := innerBench(0, form)
		v := benchElements(s)
		atLevels(b, "shape=a9a/form="+formNames[form], len(sampled), "step", func() {
			InnerBox(v[0], v[1], v[2], v[3], nil, v[4], v[5], s, sampled)
		}, func() {
			for _, i := range sampled {
				naiveElements(v, true, s, i)
			}
		})
	}
}

// benchElements returns w, h or sum, c, e, lo and hi.
func benchElements(s *Steps) [6][]float64 {
	var v [6][]float64
	for k := range v {
		v[k] = make([]float64, innerShapes[0].p)
	}
	for j := range v[2] {
		v[2][j], v[3][j], v[4][j], v[5][j] = 1-s.Eta*1e-4, 1e-7*float64(j%7), -0.2, 0.2
	}
	return v
}

// naiveElements is a step on every coordinate as a Go programmer would write it.
func naiveElements(v [6][]float64, box bool, s *Steps, i int32) {
	w, h, c, e := v[0], v[1], v[2], v[3]
	lo, hi := s.Rows.Ptr[i], s.Rows.Ptr[i+1]
	each := func(f func(j int, x float64)) {
		if s.Rows.Idx == nil {
			for k := lo; k < hi; k++ {
				f(s.Rows.entry(int(k)))
			}
			return
		}
		val := s.Rows.Val[lo:hi]
		for k, j := range s.Rows.Idx[lo:hi] {
			f(int(j), val[k])
		}
	}
	var t float64
	each(func(j int, x float64) { t += x * w[j] })
	b := s.Label[i]
	g := s.Eta * (s.Slope0[i] + b/(1+math.Exp(b*t)))
	for j := range w {
		w[j] = c[j]*w[j] + e[j]
	}
	each(func(j int, x float64) { w[j] += g * x })
	if !box {
		each(func(j int, x float64) { h[j] += g * x })
		return
	}
	for j := range w {
		w[j] = min(max(w[j], v[4][j]), v[5][j])
		h[j] += w[j]
	}
}

// BenchmarkMarginsGradient is a full gradient; covtype is long enough to stream
// from memory.
func BenchmarkMarginsGradient(b *testing.B) {
	for i, c := range innerShapes {
		for _, form := range []int{0, c.form} {
			benchGradient(b, c.name, form, c.p, func() Rows { s, _ := innerBench(i, form); return s.Rows })
		}
	}
	const n, p, nnz = 581012, 54, 12
	rng := rand.New(rand.NewPCG(92, 1))
	lens := make([]int, n)
	for r := range lens {
		lens[r] = nnz
	}
	a := distinctRows(rng, lens, p)
	for k := range a.Val {
		a.Val[k] = float64(float32(a.Val[k]))
	}
	for _, form := range []int{0, 4} {
		benchGradient(b, "covtype", form, p, func() Rows { _, stored := inForm(a, form); return stored })
	}
}

func benchGradient(b *testing.B, name string, form, p int, build func() Rows) {
	a := build()
	rng := rand.New(rand.NewPCG(93, 1))
	n := a.Len()
	label, margin, slope := labels(rng, n), make([]float64, n), make([]float64, n)
	w, z := sources[0].vector(rng, p), make([]float64, p)
	atLevels(b, "shape="+name+"/form="+formNames[form], n, "row", func() {
		sink = MarginsGradient(z, margin, slope, label, a, w, LogisticLossKind)
	}, func() {
		sink = naiveGradient(z, margin, slope, label, a, w)
	})
}

// naiveGradient is a full gradient as a Go programmer would write it.
func naiveGradient(z, margin, slope, label []float64, a Rows, w []float64) float64 {
	var sum float64
	for r, b := range label {
		var t float64
		lo, hi := a.Ptr[r], a.Ptr[r+1]
		if a.form() == plainForm {
			val := a.Val[lo:hi]
			for k, j := range a.Idx[lo:hi] {
				t += val[k] * w[j]
			}
		} else {
			for k := lo; k < hi; k++ {
				j, v := a.entry(int(k))
				t += v * w[j]
			}
		}
		e := math.Exp(-math.Abs(t))
		sum += math.Log1p(e) + max(-b*t, 0)
		g := -b / (1 + math.Exp(b*t))
		margin[r], slope[r] = t, g
		if a.form() == plainForm {
			val := a.Val[lo:hi]
			for k, j := range a.Idx[lo:hi] {
				z[j] += g * val[k]
			}
		} else {
			for k := lo; k < hi; k++ {
				j, v := a.entry(int(k))
				z[j] += g * v
			}
		}
	}
	return sum
}
