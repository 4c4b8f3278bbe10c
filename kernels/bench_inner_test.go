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
	a := Rows{Ptr: []int64{0}, Cols: p}
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
			plain, _ := innerBench(i, 0)
			s, sampled := innerBench(i, form)
			d := make([]float64, c.p)
			cells, state := NewCells(c.p), Lazy{Alpha: 1, Q: 1 - s.Eta*kappa}
			cells.Set(d, d)
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
				for _, i := range sampled {
					naiveLazy(u, h, d, plain, i, &alpha, &gamma, 1-s.Eta*kappa)
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

// naiveLazy is the lazy step as a Go programmer would write it.
func naiveLazy(u, h, d []float64, s *Steps, i int32, alpha, gamma *float64, q float64) {
	lo, hi := s.Rows.Ptr[i], s.Rows.Ptr[i+1]
	idx, val := s.Rows.Idx[lo:hi], s.Rows.Val[lo:hi]
	var au, ad float64
	for k, j := range idx {
		au += val[k] * u[j]
		ad += val[k] * d[j]
	}
	b := s.Label[i]
	g := s.Eta * (s.Slope0[i] + b/(1+math.Exp(b*(*alpha*au+*gamma*ad))))
	*alpha, *gamma = q**alpha, q**gamma-s.Eta
	r := g / *alpha
	for k, j := range idx {
		u[j] += r * val[k]
		h[j] += g * val[k]
	}
}

func BenchmarkInnerDense(b *testing.B) {
	for _, form := range []int{0, 5} {
		plain, _ := innerBench(0, 0)
		s, sampled := innerBench(0, form)
		v := benchElements(s)
		atLevels(b, "shape=a9a/form="+formNames[form], len(sampled), "step", func() {
			InnerDense(v[0], v[1], v[2], v[3], s, sampled)
		}, func() {
			for _, i := range sampled {
				naiveElements(v, false, plain, i)
			}
		})
	}
}

func BenchmarkInnerBox(b *testing.B) {
	for _, form := range []int{0, 5} {
		plain, _ := innerBench(0, 0)
		s, sampled := innerBench(0, form)
		v := benchElements(s)
		atLevels(b, "shape=a9a/form="+formNames[form], len(sampled), "step", func() {
			InnerBox(v[0], v[1], v[2], v[3], v[4], v[5], s, sampled)
		}, func() {
			for _, i := range sampled {
				naiveElements(v, true, plain, i)
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
	row, end := s.Rows.Ptr[i], s.Rows.Ptr[i+1]
	idx, val := s.Rows.Idx[row:end], s.Rows.Val[row:end]
	var t float64
	for k, j := range idx {
		t += val[k] * w[j]
	}
	b := s.Label[i]
	g := s.Eta * (s.Slope0[i] + b/(1+math.Exp(b*t)))
	for j := range w {
		w[j] = c[j]*w[j] + e[j]
	}
	for k, j := range idx {
		w[j] += g * val[k]
	}
	if !box {
		for k, j := range idx {
			h[j] += g * val[k]
		}
		return
	}
	lo, hi := v[4], v[5]
	for j := range w {
		w[j] = min(max(w[j], lo[j]), hi[j])
		h[j] += w[j]
	}
}

// BenchmarkMarginsGradient is a full gradient; covtype is long enough to stream
// from memory.
func BenchmarkMarginsGradient(b *testing.B) {
	for i, c := range innerShapes {
		for _, form := range []int{0, c.form} {
			stored, _ := innerBench(i, form)
			plain, _ := innerBench(i, 0)
			benchGradient(b, c.name, form, c.p, plain.Rows, stored.Rows)
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
		plain, stored := inForm(a, form)
		benchGradient(b, "covtype", form, p, plain, stored)
	}
}

func benchGradient(b *testing.B, name string, form, p int, plain, a Rows) {
	rng := rand.New(rand.NewPCG(93, 1))
	n := a.Len()
	label, margin, slope := labels(rng, n), make([]float64, n), make([]float64, n)
	w, z := sources[0].vector(rng, p), make([]float64, p)
	atLevels(b, "shape="+name+"/form="+formNames[form], n, "row", func() {
		sink = MarginsGradient(z, margin, slope, label, a, w, LogisticLossKind)
	}, func() {
		sink = naiveGradient(z, margin, slope, label, plain, w)
	})
}

// naiveGradient is a full gradient as a Go programmer would write it.
func naiveGradient(z, margin, slope, label []float64, a Rows, w []float64) float64 {
	var sum float64
	for r, b := range label {
		var t float64
		lo, hi := a.Ptr[r], a.Ptr[r+1]
		val := a.Val[lo:hi]
		for k, j := range a.Idx[lo:hi] {
			t += val[k] * w[j]
		}
		e := math.Exp(-math.Abs(t))
		sum += math.Log1p(e) + max(-b*t, 0)
		g := -b / (1 + math.Exp(b*t))
		margin[r], slope[r] = t, g
		for k, j := range a.Idx[lo:hi] {
			z[j] += g * val[k]
		}
	}
	return sum
}
