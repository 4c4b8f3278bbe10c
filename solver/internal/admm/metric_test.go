package admm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// unevenMatrix returns a dense matrix whose columns have the given scales.
func unevenMatrix(t *testing.T, n int, scales []float64) *sparse.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 0, n*len(scales))
	for range n {
		for _, s := range scales {
			values = append(values, s*(0.5+rng.Float64()))
		}
	}
	x, err := sparse.FromDense(n, len(scales), values)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func metricProblem(x *sparse.CSR, a linalg.Map, limit float64) *MetricProblem {
	_, p := x.Dims()
	q := &MetricProblem{Data: x, A: linalg.New(a, p), Curvature: 0.25, Unit: 1, Slope: 0.5, Ridge: 1e-9}
	l, _ := q.A.Dims()
	q.Limit = make([]float64, l)
	for k := range q.Limit {
		q.Limit[k] = limit
	}
	return q
}

// TestOneScale checks that there is no metric if the scales of the columns differ by less than a factor of
// 32, if the data are zero, or if their squares overflow or underflow.
func TestOneScale(t *testing.T) {
	for _, scales := range [][]float64{{1, 1, 1}, {1e-8, 3e-8, 1e-7}, {1, 20, 5}, {0, 0, 0}, {1, 1e200, 1}, {1, 1e-200, 1}} {
		if m := NewMetric(metricProblem(unevenMatrix(t, 30, scales), nil, 1e-3)); m != nil {
			t.Errorf("scales %v: D = %v", scales, m.D)
		}
	}
}

// TestMetric checks that D and ρ are powers of two, that X D is exact, that its columns have one scale, and
// that M = Metric.A has the right quadratic form |M u|².
func TestMetric(t *testing.T) {
	chain, err := sparse.FromTriplets(2, 3,
		[]sparse.Triplet{{Row: 0, Col: 0, Value: 1}, {Row: 0, Col: 1, Value: -1}, {Row: 1, Col: 2, Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []linalg.Map{nil, chain} {
		p := metricProblem(unevenMatrix(t, 50, []float64{1e-3, 7, 1e4}), a, 1e-6)
		m := NewMetric(p)
		if m == nil {
			t.Fatal("no metric for columns from 1e-3 to 1e4")
		}
		for _, v := range append(m.D[:3:3], m.Rho...) {
			if frac, _ := math.Frexp(v); frac != 0.5 {
				t.Errorf("%v is no power of two", v)
			}
		}
		for i := range 50 {
			_, val := p.Data.Row(i)
			_, scaledRow := m.Data.Row(i)
			for j, v := range scaledRow {
				if v/m.D[j] != val[j] || v < 0.1 || v > 10 {
					t.Fatalf("entry %d of row %d: %v of %v", j, i, v, val[j])
				}
			}
		}
		checkSameQuadratic(t, p, m)
		if eigenvalue := m.A.LargestEigenvalue(); eigenvalue > 1 {
			t.Errorf("largest eigenvalue of K %v", eigenvalue)
		}
	}
}

// checkSameQuadratic checks that |M u|² equals Σ ρ_k (A x)_k² + mu |x|² for M = m.A and x = D u, with D =
// m.D.
func checkSameQuadratic(t *testing.T, p *MetricProblem, m *Metric) {
	t.Helper()
	u, x := []float64{1, -2, 0.5}, make([]float64, 3)
	copy(x, u)
	m.multiplyByD(x)
	if backU := m.divideByD(make([]float64, 3), x); backU[0] != u[0] || backU[1] != u[1] || backU[2] != u[2] {
		t.Errorf("Into(Times(u)) = %v", backU)
	}
	var want, got float64
	for k, v := range p.A.Product().Image(x) {
		want += m.Rho[k] * v * v
	}
	for _, v := range x {
		want += p.Ridge * v * v
	}
	for _, v := range m.A.Product().Image(u) {
		got += v * v
	}
	if math.Abs(got-want) > 1e-12*want {
		t.Errorf("quadratic %v, want %v", got, want)
	}
}

// TestNoMetricForHeldCoefficients checks that there is no metric if A couples coefficients and the penalty
// keeps a third of the coefficients at zero. For A = I and the same data, there must be a metric.
func TestNoMetricForHeldCoefficients(t *testing.T) {
	chain, err := sparse.FromTriplets(4, 3, []sparse.Triplet{
		{Row: 0, Col: 0, Value: 1}, {Row: 0, Col: 1, Value: -1}, {Row: 1, Col: 0, Value: 1},
		{Row: 2, Col: 1, Value: 1}, {Row: 3, Col: 2, Value: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	x := unevenMatrix(t, 50, []float64{1e-3, 7, 1e4})
	if m := NewMetric(metricProblem(x, chain, 1e-2)); m != nil {
		t.Error("a metric for a graph that holds a third of the coefficients")
	}
	if m := NewMetric(metricProblem(x, nil, 1e-2)); m == nil {
		t.Error("no metric without a graph")
	}
}
