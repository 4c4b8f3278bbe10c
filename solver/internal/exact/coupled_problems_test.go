package exact

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// penalisedProblem returns a problem with the limit lambda for all rows of a, and with the ridge mu. A nil a
// means the identity.
func penalisedProblem(
	x *sparse.CSR, labels []float64, loss term.Loss, a *sparse.CSR, lambda, mu float64,
) *Problem {
	_, p := x.Dims()
	q := &Problem{
		Data: x, Rows: x.Compact(false), Labels: labels, Loss: loss, A: linalg.New(nil, p),
		Ridge: slices.Repeat([]float64{mu}, p), Threads: 1,
	}
	if a != nil {
		q.A = linalg.New(a, p)
	}
	l, _ := q.A.Dims()
	q.Limit = slices.Repeat([]float64{lambda}, l)
	return q
}

// readClasses reads a LIBSVM file with two labels. ReadFile makes the larger label +1 and the other −1.
func readClasses(t testing.TB, name string, features int) (*sparse.CSR, []float64) {
	t.Helper()
	d, err := sparse.ReadFile(sparsetest.DataFile(t, name), &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	return d.X, d.Labels
}

// readEdges reads a graph and returns the constraint matrix [G; I] of its fused lasso.
func readEdges(t testing.TB, name string, p int) *sparse.CSR {
	t.Helper()
	g, err := graph.ReadEdgesFile(sparsetest.DataFile(t, name), p)
	if err != nil {
		t.Fatal(err)
	}
	return g.FusedLasso()
}

// rescaled multiplies each column by 10^u, where u is random and |u| ≤ 3.
func rescaled(t testing.TB, x *sparse.CSR) *sparse.CSR {
	t.Helper()
	_, p := x.Dims()
	rng := rand.New(rand.NewPCG(17, uint64(p)))
	d := make([]float64, p)
	for j := range d {
		d[j] = math.Pow(10, 6*rng.Float64()-3)
	}
	out, err := x.ScaleColumns(d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fromDense(t testing.TB, n, p int, data []float64) *sparse.CSR {
	t.Helper()
	m, err := sparse.FromDense(n, p, data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fromRows(t *testing.T, rows [][]float64) *sparse.CSR {
	t.Helper()
	return fromDense(t, len(rows), len(rows[0]), slices.Concat(rows...))
}

func fromTriplets(t testing.TB, n, p int, entries []sparse.Triplet) *sparse.CSR {
	t.Helper()
	m, err := sparse.FromTriplets(n, p, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// losses has the losses that accept the labels −1 and +1.
var losses = term.Losses(0.7, -1, 1)

// A pattern describes random problems with a matrix A.
type pattern struct {
	loss term.Loss
	// a is the kind of A. "identity": I. "chain": the differences of neighbours. "graph": the rows of chain
	// and identity. "weighted": as "graph", but limit j is lambda times j mod 3.
	// "sparse": random sparse rows.
	a      string
	mu     float64 // the ridge of all features
	lambda float64 // the limit of all rows of A, except with "weighted"
}

// draw returns a random problem of the pattern. Its labels are ±1, with noise.
func (k pattern) draw(t testing.TB, n, p int, seed uint64) *Problem {
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
	x := fromDense(t, n, p, dense)
	q := penalisedProblem(x, labels, k.loss, k.matrix(t, p, rng), k.lambda, k.mu)
	if k.a == "weighted" {
		for j := range q.Limit {
			q.Limit[j] *= float64(j % 3)
		}
	}
	return q
}

func (k pattern) matrix(t testing.TB, p int, rng *rand.Rand) *sparse.CSR {
	t.Helper()
	var m *sparse.CSR
	err := error(nil)
	switch k.a {
	case "chain":
		rows := make([]int, p-1)
		for i := range rows {
			rows[i] = i
		}
		m, err = graph.Chain(p).FusedLasso().SelectRows(rows)
	case "graph", "weighted":
		m = graph.Chain(p).FusedLasso()
	case "sparse":
		var entries []sparse.Triplet
		for i := range 2 * p {
			c := rng.IntN(p)
			entries = append(entries, sparse.Triplet{Row: i, Col: c, Value: 1 + rng.Float64()})
			if d := rng.IntN(p); d != c && i%4 > 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: d, Value: rng.NormFloat64()})
			}
		}
		m, err = sparse.FromTriplets(2*p+1, p, entries) // the last row is empty
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// patterns returns all combinations of loss, A, ridge and limit, or a random third of them with -short.
func patterns() (list []pattern) {
	for _, loss := range losses {
		for _, a := range []string{"identity", "chain", "graph", "weighted", "sparse"} {
			for _, mu := range []float64{0, 0.1} {
				for _, lambda := range []float64{1e-4, 0.03} {
					list = append(list, pattern{loss, a, mu, lambda})
				}
			}
		}
	}
	if testing.Short() {
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:len(list)/3]
	}
	return list
}

// inMemory returns the samples of s, which must be in memory.
func inMemory(s *Solver) *memorySamples {
	if s.gram != nil {
		return s.gram.memorySamples
	}
	return s.rows.(*memorySamples)
}

// trueExcess returns P(x) − P(y) as the sum of the differences of the terms, so that few digits cancel.
func trueExcess(s *Solver, x, y []float64) (sum float64) {
	for i, b := range s.Labels {
		idx, val := s.Data.Row(i)
		var t, d float64
		for k, j := range idx {
			t += val[k] * y[j]
			d += val[k] * (x[j] - y[j])
		}
		sum += inMemory(s).MeanWeights[i] * lossChange(s.Loss, t, d, b)
	}
	for j, r := range s.Ridge {
		sum += r / 2 * (x[j] - y[j]) * (x[j] + y[j])
	}
	v, w := imageOf(s.Problem, x), imageOf(s.Problem, y)
	for k, limit := range s.Limit {
		sum += limit * (math.Abs(v[k]) - math.Abs(w[k]))
	}
	return sum
}

func imageOf(p *Problem, x []float64) []float64 {
	l, _ := p.A.Dims()
	v := make([]float64, l)
	if a := p.A.Matrix(); a != nil {
		a.MulVec(v, x)
	} else {
		copy(v, x)
	}
	return v
}

// lossChange returns φ(t + d) − φ(t) for the label b, computed so that few digits cancel.
func lossChange(loss term.Loss, t, d, b float64) float64 {
	switch l := loss.(type) {
	case term.Logistic:
		if math.Abs(d) > 30 { // few digits cancel here, and exp may overflow
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

func checkStructure(t *testing.T, r *Solution) {
	t.Helper()
	if r.Polished && !r.Structure.Holds(r.X) {
		t.Errorf("x = %v does not have the zeros and ties %+v", r.X, r.Structure)
	}
}
