package outer

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/sparse"
)

// plain is SCAS-ADMM (K = 1: Algorithm 1 of the paper) as a Go programmer would
// write it for logistic loss and X = R^p: plain loops over the rows, a step over
// the whole vector per sample, the product with A'A where A is not I. It draws
// the solver's samples, so it takes the same path to rounding.
type plain struct {
	Job
	at, k         *sparse.CSR // A' and A'A, nil if A = I
	dualUpdates   int
	eta, rho      float64
	rng           *rand.PCG
	xt, w, s, d   []float64
	z, q          []float64
	slope0        []float64
	y, beta, dual []float64
}

func newPlain(j Job, dualUpdates int) *plain {
	n, p := j.Data.Dims()
	v := func(n int) []float64 { return make([]float64, n) }
	m := &plain{
		Job: j, dualUpdates: dualUpdates, eta: j.Settings.Eta, rho: j.Settings.Rho,
		rng: rand.NewPCG(j.Settings.Seed, 0x5ca5),
		xt:  v(p), w: v(p), s: v(p), d: v(p), z: v(p), q: v(p), slope0: v(n),
	}
	l := p
	if m.A != nil {
		l, _ = m.A.Dims()
		m.at, m.k = m.A.Transpose(), m.A.Gram()
	}
	m.y, m.beta, m.dual = v(l), v(l), v(l)
	return m
}

// time does outer iterations and returns the time of each in ns.
func (m *plain) time(iterations int) []float64 {
	ns := make([]float64, iterations)
	for t := range ns {
		start := time.Now()
		m.iterate()
		ns[t] = float64(time.Since(start).Nanoseconds())
	}
	return ns
}

func (m *plain) iterate() {
	m.gradient()
	n := len(m.Labels)
	for k := range m.dualUpdates {
		size := (k+1)*n/m.dualUpdates - k*n/m.dualUpdates
		m.block(size - 1)
		for j, s := range m.s {
			m.xt[j] = (m.xt[j] + s) / float64(size)
		}
		m.update()
	}
}

// gradient sets z to the mean gradient at xt and keeps the slopes.
func (m *plain) gradient() {
	clear(m.z)
	for i, b := range m.Labels {
		idx, val := m.Data.Row(i)
		s := naive.Slope(naive.RowDot(idx, val, m.xt), b)
		m.slope0[i] = s
		naive.AddRow(m.z, s, idx, val)
	}
	for j := range m.z {
		m.z[j] /= float64(len(m.Labels))
	}
}

// block does the given number of inner steps from xt, summing the iterates in s.
func (m *plain) block(steps int) {
	for i, b := range m.beta {
		m.dual[i] = b - m.rho*m.y[i]
	}
	product(m.d, m.at, m.dual)
	for j, z := range m.z {
		m.d[j] += z
	}
	copy(m.w, m.xt)
	clear(m.s)
	for range steps {
		r, _ := bits.Mul64(m.rng.Uint64(), uint64(len(m.Labels)))
		i := int(r)
		idx, val := m.Data.Row(i)
		g := -m.eta * (naive.Slope(naive.RowDot(idx, val, m.w), m.Labels[i]) - m.slope0[i])
		product(m.q, m.k, m.w)
		for j, w := range m.w {
			m.w[j] = w - m.eta*(m.d[j]+m.rho*m.q[j])
		}
		naive.AddRow(m.w, g, idx, val)
		for j, w := range m.w {
			m.s[j] += w
		}
	}
}

// update is the step of y and beta at xt.
func (m *plain) update() {
	product(m.dual, m.A, m.xt)
	for i, ax := range m.dual {
		v := m.beta[i] + m.rho*ax
		m.beta[i] = min(max(v, -m.Lambda), m.Lambda)
		m.y[i] = (v - m.beta[i]) / m.rho
	}
}

// product sets dst = a v, or v where a is nil and stands for I.
func product(dst []float64, a *sparse.CSR, v []float64) {
	if a == nil {
		copy(dst, v)
		return
	}
	for i := range dst {
		idx, val := a.Row(i)
		dst[i] = naive.RowDot(idx, val, v)
	}
}
