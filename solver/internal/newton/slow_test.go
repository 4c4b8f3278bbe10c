package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A kind is a class of random problems.
type kind struct {
	loss     term.Loss
	a        string // identity, chain (no identity), graph, weighted, sparse
	mu       float64
	weighted bool // samples
	lambda   float64
}

// random draws a small problem of the kind. Labels are ±1, noisy, for all losses.
func (k kind) random(t testing.TB, n, p int, seed uint64) *Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	dense, labels := make([]float64, n*p), make([]float64, n)
	for i := range labels {
		var margin float64
		for j := range p {
			v := 0.0
			if rng.IntN(3) > 0 {
				v = rng.NormFloat64()
			}
			dense[i*p+j] = v
			margin += v * float64(j%3-1)
		}
		labels[i] = math.Copysign(1, margin+2*rng.NormFloat64())
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		t.Fatal(err)
	}
	prob := newProblem(x, labels, k.loss, k.matrix(t, p, rng), k.lambda, k.mu)
	if k.a == "weighted" {
		for j := range prob.Limit {
			prob.Limit[j] *= float64(j % 3)
		}
	}
	if k.weighted {
		prob.Weights = make([]float64, n)
		for i := range n {
			prob.Weights[i] = float64(i%4) * 0.7
		}
	}
	return prob
}

func (k kind) matrix(t testing.TB, p int, rng *rand.Rand) *sparse.CSR {
	chain := graph.Chain(p).FusedLasso()
	l, _ := chain.Dims()
	switch k.a {
	case "chain":
		rows := make([]int, l-p)
		for i := range rows {
			rows[i] = i
		}
		m, err := chain.SelectRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		return m
	case "graph":
		return chain
	case "sparse":
		var entries []sparse.Triplet
		for i := range 2 * p {
			entries = append(entries, sparse.Triplet{Row: i, Col: rng.IntN(p), Value: 1 + rng.Float64()})
			if c := rng.IntN(p); c != entries[len(entries)-1].Col && i%4 > 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: c, Value: rng.NormFloat64()})
			}
		}
		m, err := sparse.FromTriplets(2*p+1, p, entries) // the last row is empty
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	return nil
}

// kinds are all combinations that are tried.
func kinds() []kind {
	all := []kind{{}}
	all = extend(all, []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}}, func(k *kind, v term.Loss) { k.loss = v })
	all = extend(all, []string{"identity", "chain", "graph", "weighted", "sparse"}, func(k *kind, v string) { k.a = v })
	all = extend(all, []float64{0, 1e-12, 1e-6, 0.1}, func(k *kind, v float64) { k.mu = v })
	all = extend(all, []bool{false, true}, func(k *kind, v bool) { k.weighted = v })
	all = extend(all, []float64{1e-4, 0.03}, func(k *kind, v float64) { k.lambda = v })
	if testing.Short() {
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:len(all)/3]
	}
	return all
}

// extend returns the kinds with every value of one more field.
func extend[T any](kinds []kind, values []T, set func(*kind, T)) (all []kind) {
	for _, k := range kinds {
		for _, v := range values {
			set(&k, v)
			all = append(all, k)
		}
	}
	return all
}

// trueExcess returns P(x) − P(y), from differences term by term, so that next to each
// other it is exact relative to |x − y|.
func trueExcess(f *Finisher, x, y []float64) float64 {
	n, p := f.Data.Dims()
	var sum float64
	for i := range n {
		idx, val := f.Data.Row(i)
		var t, d float64
		for k, j := range idx {
			t += val[k] * y[j]
			d += val[k] * (x[j] - y[j])
		}
		sum += f.Coef[i] * lossChange(f.Loss, t, d, f.Labels[i])
	}
	for j := range p {
		sum += f.Ridge / 2 * (x[j] - y[j]) * (x[j] + y[j])
	}
	v, w := make([]float64, f.rows.Len()), make([]float64, f.rows.Len())
	f.rows.Mul(v, x)
	f.rows.Mul(w, y)
	for j := range v {
		sum += f.rows.Limit[j] * (math.Abs(v[j]) - math.Abs(w[j]))
	}
	return sum
}

// lossChange returns φ(t + d) − φ(t).
func lossChange(loss term.Loss, t, d, b float64) float64 {
	switch l := loss.(type) {
	case term.Logistic:
		if math.Abs(d) > 30 { // no cancellation, but exp overflows
			break
		}
		s := 1 / (1 + math.Exp(b*t))
		return math.Log1p(s * math.Expm1(-b*d))
	case term.Squared:
		return d * (2*(t-b) + d)
	case term.Huber:
		if r, q := t-b, t+d-b; math.Abs(r) <= l.Delta && math.Abs(q) <= l.Delta {
			return d * (r + q)
		} else if min(r, q) > l.Delta || max(r, q) < -l.Delta {
			return 2 * l.Delta * math.Copysign(d, d*r)
		}
	case term.SquaredHinge:
		if r, q := 1-b*t, 1-b*(t+d); r > 0 && q > 0 {
			return -b * d * (r + q)
		}
	}
	return loss.Value(t+d, b) - loss.Value(t, b)
}

// slowOptimum returns P* to some 1e-12 and a point there, by damped Newton steps on
// the smoothed objective with τ → 0: nothing in common with Finish but smooth.
func slowOptimum(f *Finisher) ([]float64, float64) {
	pt := f.newPoint()
	z, h, curve := make([]float64, f.rows.Len()), make([]float64, f.rows.Len()), make([]float64, f.n)
	for tau := 1e-2; tau > 1e-14; tau *= 0.2 {
		for range 200 {
			f.visit(pt)
			f.rows.smooth(z, h, pt.image, tau)
			f.curvatures(curve, pt, 1e-3)
			m := denseHessian(f, curve, h)
			g := slices.Clone(pt.grad)
			f.rows.AddTrans(g, z)
			d := sparsetest.Solve(m, g)
			rate := 0.0
			for j := range d {
				rate += g[j] * d[j]
			}
			if !slowSearch(f, pt, d, rate, tau) || rate < 1e-3*tau {
				break
			}
		}
	}
	f.visit(pt)
	return pt.x, pt.value
}

func slowSearch(f *Finisher, pt *point, d []float64, rate, tau float64) bool {
	value := func(q *point) float64 { return f.smoothValue(q.loss, q.x) + f.rows.smoothed(q.image, tau) }
	at, next := value(pt), f.newPoint()
	for size := 1.0; size > 1e-9; size /= 2 {
		for j := range d {
			next.x[j] = pt.x[j] - size*d[j]
		}
		if f.visit(next); value(next) < at-1e-3*size*rate {
			copy(pt.x, next.x)
			return true
		}
	}
	return false
}

func denseHessian(f *Finisher, curve, h []float64) []float64 {
	m := make([]float64, f.p*f.p)
	f.hessian(m, curve)
	f.rows.addGram(m, h)
	for i := range f.p {
		m[i*f.p+i] += 1e-13
		for j := range i {
			m[i*f.p+j] = m[j*f.p+i]
		}
	}
	return m
}
