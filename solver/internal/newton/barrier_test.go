package newton

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// conicCase is a random problem with more than absolute values.
type conicCase struct {
	name string
	*Problem
}

// conicCases returns problems of every loss, penalty, A and domain, with and without a
// ridge.
func conicCases(seed uint64) (cases []conicCase) {
	const n, p = 60, 8
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y, b := randomTable(rng, n, p)
	chain := chainAndIdentity(p)
	domains := []struct {
		name string
		set  term.Region
	}{
		{"none", nil}, {"box", term.NewBox(p, -0.3, 0.2)}, {"away", term.NewBox(p, 0.1, 0.5)}, {"nonnegative", term.NewBox(p, 0, math.Inf(1))},
		{"ball", term.Ball{Radius: 0.4}}, {"simplex", term.Simplex{Total: 1.5}}, {"held", heldBox(p)},
	}
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}} {
		for _, penalty := range []string{"l1", "elastic", "square", "group"} {
			for _, domain := range domains {
				for _, mu := range []float64{0, 0.05} {
					for _, a := range []*sparse.CSR{nil, chain} {
						q := newProblem(x, y, loss, a, 0.03, mu)
						if _, ok := loss.(term.Squared); ok {
							q.Labels = b
						} else if _, ok := loss.(term.Huber); ok {
							q.Labels = b
						}
						q.Domain = domain.set
						q.penalise(penalty)
						cases = append(cases, conicCase{fmt.Sprintf("%T/%s/%s/%g/%t", loss, penalty, domain.name, mu, a != nil), q})
					}
				}
			}
		}
	}
	return cases
}

func (q *Problem) penalise(kind string) {
	switch l := len(q.Limit); kind {
	case "elastic", "square":
		q.Square = make([]float64, l)
		for j := range q.Square {
			q.Square[j] = 0.02
			if kind == "square" {
				q.Limit[j] = 0
			}
		}
	case "group":
		for j := 0; j+2 < l; j += 3 {
			q.Groups = append(q.Groups, []int{j, j + 1, j + 2})
		}
		for j := 3 * len(q.Groups); j < l; j++ {
			q.Limit[j] = 0
		}
	}
}

func heldBox(p int) term.Box {
	b := term.NewBox(p, math.Inf(-1), 0.3)
	b.Lower[1], b.Upper[1] = 0.1, 0.1
	b.Upper[2] = math.Inf(1)
	b.Lower[3] = 0
	return b
}

func chainAndIdentity(p int) *sparse.CSR {
	var entries []sparse.Triplet
	add := func(row, col int, v float64) { entries = append(entries, sparse.Triplet{Row: row, Col: col, Value: v}) }
	for j := range p - 1 {
		add(j, j, 1)
		add(j, j+1, -1)
	}
	for j := range p {
		add(p-1+j, j, 1)
	}
	m, err := sparse.FromTriplets(2*p-1, p, entries)
	if err != nil {
		panic(err)
	}
	return m
}

func randomTable(rng *rand.Rand, n, p int) (x *sparse.CSR, class, number []float64) {
	dense := make([]float64, n*p)
	for k := range dense {
		if rng.Float64() < 0.7 {
			dense[k] = rng.NormFloat64()
		}
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		panic(err)
	}
	truth := make([]float64, p)
	for j := range truth {
		truth[j] = rng.NormFloat64()
	}
	class, number = make([]float64, n), make([]float64, n)
	for i := range class {
		t := 0.5 * rng.NormFloat64()
		for j, v := range truth {
			t += v * dense[i*p+j]
		}
		number[i] = t
		class[i] = math.Copysign(1, t)
	}
	return x, class, number
}

func TestConicFinishes(t *testing.T) {
	total, most, count := 0, 0, 0
	for _, c := range conicCases(2) {
		f, err := New(c.Problem)
		if err != nil {
			t.Fatal(err)
		}
		if f.Absolute() {
			continue
		}
		steps := 0
		res := f.Finish(nil, &Settings{Tol: 1e-9 * f.lossAt(make([]float64, f.n)), Interrupt: func() error { steps++; return nil }})
		if !(res.Gap <= 1e-9*f.lossAt(make([]float64, f.n))) || !res.Polished {
			t.Errorf("%s: gap %.2g after %d steps, objective %.6g, polished %t", c.name, res.Gap, steps, res.Objective, res.Polished)
		}
		total, most, count = total+steps, max(most, steps), count+1
	}
	t.Logf("%d problems, %.1f steps each, at most %d", count, float64(total)/float64(count), most)
}

// TestConicBounds compares bounds at random points with what the best point known
// shows, and looks around that for a better one.
func TestConicBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range conicCases(2) {
		f := mustNew(t, c.Problem)
		if f.Absolute() {
			continue
		}
		res := f.Finish(nil, &Settings{Tol: 1e-12})
		pt := f.newPoint()
		for k := range 12 {
			size := math.Pow(10, float64(-k)/2)
			for j, v := range res.X {
				pt.x[j] = v + float64(size*rng.NormFloat64())
			}
			f.project(pt.x)
			f.visit(pt)
			if above := pt.value - res.Objective; above < -res.Gap-1e-15 {
				t.Fatalf("%s: a gap of %.3g is proved, and a point %.3g better", c.name, res.Gap, -above)
			}
			b := f.Certify(pt.x, nil)
			above := pt.value - res.Objective
			if !(b.Gap >= above-4e-15*(1+pt.value)) || !(b.Gap <= 2*above+2e-9) {
				t.Errorf("%s: gap %.3g proved of a point %.3g above the optimum (%.2g)", c.name, b.Gap, above, b.Gap-above)
			}
		}
	}
}

// project moves x into the domain.
func (f *Finisher) project(x []float64) {
	switch d := f.Domain.(type) {
	case term.Box:
		for j, v := range x {
			x[j] = math.Max(d.Lower[j], math.Min(v, d.Upper[j]))
		}
	case term.Ball:
		d.Project(x)
	case term.Simplex:
		d.Project(x)
	}
}

// TestSquaresAsRidge: squares of the coefficients as rows of A have the zeros and ties of
// the solution with the same squares as a ridge.
func TestSquaresAsRidge(t *testing.T) {
	const n, p, mu = 40, 30, 0.01
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.7}, term.SquaredHinge{}} {
		for seed := range uint64(4) {
			ridge := kind{loss, "graph", mu, false, 0.01}.random(t, n, p, seed)
			want := mustNew(t, ridge).Finish(nil, &Settings{Tol: 1e-13})
			q := *ridge
			q.Ridge, q.Square = 0, make([]float64, len(q.Limit))
			for j := range p {
				q.Square[len(q.Square)-p+j] = mu
			}
			f := mustNew(t, &q)
			res := f.Finish(nil, &Settings{Tol: 1e-10})
			u, v := make([]float64, len(q.Limit)), make([]float64, len(q.Limit))
			f.rows.Mul(u, want.X)
			f.rows.Mul(v, res.X)
			for j, u := range u {
				if !res.Polished || (u == 0) != (v[j] == 0) {
					t.Errorf("%T, seed %d: row %d of A x is %g, want %g; polished %v", loss, seed, j, v[j], u, res.Polished)
				}
			}
		}
	}
}
