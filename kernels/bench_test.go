package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The benchmarks are named so that benchstat -col /level makes the table. The
// series naive is what a Go programmer would write: plain loops and math.Exp.

// atLevels runs f on every level and naive beside them, and reports the time
// per unit; f runs its work once.
func atLevels(b *testing.B, name string, units int, unit string, f, naive func()) {
	run := func(level string, f func()) {
		b.Run(name+"/level="+level, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+unit)
		})
	}
	was := Active()
	defer use(b, was)
	for _, l := range Available() {
		use(b, l)
		run(l.String(), f)
	}
	if naive != nil {
		run("naive", naive)
	}
}

// benchShapes imitate data sets: columns, nonzeros per row, and whether the
// length of the rows varies as it does in text.
var benchShapes = []struct {
	d, nnz int
	vary   bool
}{{123, 14, false}, {47236, 75, true}, {1 << 20, 40, true}}

func benchRows(d, nnz int, vary bool) Rows {
	rng := rand.New(rand.NewPCG(41, 1))
	lens := make([]int, (1<<18)/nnz)
	for i := range lens {
		lens[i] = nnz
		if vary {
			lens[i] = max(1, int(float64(nnz)*math.Exp(0.5*rng.NormFloat64()-0.125)))
		}
	}
	return rowsOf(rng, sources[0], lens, d)
}

func BenchmarkMargins(b *testing.B) {
	for _, c := range benchShapes {
		a := benchRows(c.d, c.nnz, c.vary)
		w, dst := sources[0].vector(rand.New(rand.NewPCG(42, 1)), c.d), make([]float64, a.Len())
		atLevels(b, fmt.Sprintf("d=%d/nnz=%d", c.d, c.nnz), len(a.Idx), "nnz", func() { Margins(dst, a, w) }, func() {
			for r := range dst {
				var sum float64
				val := a.Val[a.Ptr[r]:a.Ptr[r+1]]
				for k, j := range a.Idx[a.Ptr[r]:a.Ptr[r+1]] {
					sum += val[k] * w[j]
				}
				dst[r] = sum
			}
		})
	}
}

func BenchmarkGradient(b *testing.B) {
	for _, c := range benchShapes {
		a := benchRows(c.d, c.nnz, c.vary)
		z, slope := make([]float64, c.d), sources[0].vector(rand.New(rand.NewPCG(43, 1)), a.Len())
		atLevels(b, fmt.Sprintf("d=%d/nnz=%d", c.d, c.nnz), len(a.Idx), "nnz", func() { Gradient(z, a, slope) }, func() {
			for r, g := range slope {
				val := a.Val[a.Ptr[r]:a.Ptr[r+1]]
				for k, j := range a.Idx[a.Ptr[r]:a.Ptr[r+1]] {
					z[j] += g * val[k]
				}
			}
		})
	}
}

var benchLengths = []int{123, 10000}

// sink keeps results alive.
var sink float64

func BenchmarkLogisticSlopes(b *testing.B) {
	for _, n := range benchLengths {
		rng := rand.New(rand.NewPCG(44, 1))
		slope, margin, label := make([]float64, n), sources[0].vector(rng, n), labels(rng, n)
		atLevels(b, fmt.Sprintf("n=%d", n), n, "elem", func() { sink = LogisticSlopes(slope, margin, label) }, func() {
			var sum float64
			for i, t := range margin {
				z := label[i] * t
				if z > 0 {
					e := math.Exp(-z)
					slope[i] = -label[i] * e / (1 + e)
					sum += math.Log1p(e)
				} else {
					e := math.Exp(z)
					slope[i] = -label[i] / (1 + e)
					sum += math.Log1p(e) - z
				}
			}
			sink = sum
		})
	}
}

func BenchmarkSquaredSlopes(b *testing.B) {
	for _, n := range benchLengths {
		rng := rand.New(rand.NewPCG(45, 1))
		slope, margin, label := make([]float64, n), sources[0].vector(rng, n), sources[0].vector(rng, n)
		atLevels(b, fmt.Sprintf("n=%d", n), n, "elem", func() { sink = SquaredSlopes(slope, margin, label) }, func() {
			var sum float64
			for i, t := range margin {
				r := t - label[i]
				slope[i] = 2 * r
				sum += r * r
			}
			sink = sum
		})
	}
}

func BenchmarkDot(b *testing.B) {
	for _, n := range benchLengths {
		rng := rand.New(rand.NewPCG(46, 1))
		x, y := sources[0].vector(rng, n), sources[0].vector(rng, n)
		atLevels(b, fmt.Sprintf("n=%d", n), n, "elem", func() { sink = Dot(x, y) }, func() {
			var sum float64
			for i, v := range x {
				sum += v * y[i]
			}
			sink = sum
		})
	}
}

func BenchmarkProjectedUpdate(b *testing.B) {
	for _, n := range benchLengths {
		for _, domain := range []string{"none", "box", "ball"} {
			v := benchVectors(n, 6)
			w, s, d, q, lo, hi := v[0], v[1], v[2], v[3], v[4], v[5]
			const eta, radius = 1e-9, 10
			step := func() { ProjectedUpdate(w, s, d, q, eta) }
			switch domain {
			case "box":
				step = func() { ProjectedUpdateBox(w, s, d, q, lo, hi, eta) }
			case "ball":
				step = func() { ProjectedUpdateBall(w, s, d, q, eta, radius) }
			}
			atLevels(b, fmt.Sprintf("domain=%s/n=%d", domain, n), n, "elem", step, func() {
				var norm float64
				for i := range w {
					w[i] -= eta * (d[i] + q[i])
					if domain == "box" {
						w[i] = min(max(w[i], lo[i]), hi[i])
					}
					if domain == "ball" {
						norm += w[i] * w[i]
					} else {
						s[i] += w[i]
					}
				}
				if domain == "ball" {
					f := min(1, radius/math.Sqrt(norm))
					for i := range w {
						w[i] *= f
						s[i] += w[i]
					}
				}
			})
		}
	}
}

func BenchmarkProxDual(b *testing.B) {
	for _, n := range benchLengths {
		v := benchVectors(n, 4)
		beta, y, ax, limit := v[0], v[1], v[2], abs(v[3])
		const rho = 1.5
		atLevels(b, fmt.Sprintf("n=%d", n), n, "elem", func() { p, c := ProxDual(beta, y, ax, limit, rho); sink = p + c }, func() {
			var p, c float64
			for i, a := range ax {
				v := beta[i] + rho*a
				beta[i] = min(max(v, -limit[i]), limit[i])
				u := (v - beta[i]) / rho
				p += (a - u) * (a - u)
				c += (u - y[i]) * (u - y[i])
				y[i] = u
			}
			sink = p + c
		})
	}
}

func benchVectors(n, count int) [][]float64 {
	rng := rand.New(rand.NewPCG(47, uint64(n)))
	v := make([][]float64, count)
	for i := range v {
		v[i] = sources[0].vector(rng, n)
	}
	return v
}
