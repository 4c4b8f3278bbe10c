package newton

import (
	"fmt"
	"math"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestSample: a part of the samples is one of each run, with its label, weight and row,
// in every form that rows are held in.
func TestSample(t *testing.T) {
	for _, ones := range []bool{false, true} {
		p := exactProblem(t, term.Logistic{}, 1000, 6, ones, nil)
		p.Weights = make([]float64, 1000)
		for i := range p.Weights {
			p.Weights[i] = float64(i + 1)
			p.Labels[i] = float64(i) // tells samples apart
		}
		plain := p.Data.Rows(0, 1000)
		single := plain
		single.Val, single.Val32 = nil, make([]float32, len(plain.Val))
		for k, v := range plain.Val {
			single.Val32[k] = float32(v)
		}
		for k, rows := range []kernels.Rows{plain, single, p.Data.Compact(nil)} {
			p.Rows = rows
			f := mustNew(t, p)
			g := f.sample(300)
			for k := range 300 {
				i := int(g.Labels[k])
				if i < k*1000/300 || i >= (k+1)*1000/300 || g.Weights[k] != p.Weights[i] {
					t.Fatalf("sample %d is row %d with weight %v", k, i, g.Weights[k])
				}
			}
			d, got := []float64{1, -2, 3, 5, 8, 13}, make([]float64, 300)
			want := make([]float64, 1000)
			kernels.Margins(got, g.Rows, d)
			kernels.Margins(want, rows, d)
			for j, v := range got {
				if i := int(g.Labels[j]); v != want[i] {
					t.Fatalf("form %d: margin %v of row %d, want %v", k, v, i, want[i])
				}
			}
		}
	}
}

// TestMisled: a start on samples that say the opposite of the others, or that have next
// to no weight, or that have no label of one class, does no harm.
func TestMisled(t *testing.T) {
	for _, a := range []bool{false, true} {
		for _, kind := range []string{"fair", "opposite", "weightless", "one class"} {
			p := exactProblem(t, term.Logistic{}, 4000, 10, true, nil)
			if a {
				p = exactProblem(t, term.Logistic{}, 4000, 10, true, graph.Chain(10).FusedLasso())
			}
			p.Limit = append([]float64(nil), p.Limit...)
			for j := range p.Limit {
				p.Limit[j] = 1e-4
			}
			p.Weights = make([]float64, 4000)
			for i := range p.Weights {
				p.Weights[i] = 1
			}
			for _, i := range Picks(4000, 1000) {
				switch kind {
				case "opposite":
					p.Labels[i] = -p.Labels[i]
				case "weightless":
					p.Weights[i] = 1e-12
				case "one class":
					p.Labels[i] = 1
				}
			}
			f := mustNew(t, p)
			if !f.Sampled() {
				t.Fatal("there is no start on a part of the samples")
			}
			r := f.Finish(nil, &Settings{Tol: 1e-10})
			q := f.newFinish(&Settings{Tol: 1e-10})
			q.result.Restarted = true // no start of its own
			q.begin(nil)
			q.run()
			want := q.end()
			name := fmt.Sprintf("%s, chain %v", kind, a)
			t.Logf("%s: %d iterations, %d from zero", name, r.Iterations, want.Iterations)
			if !(r.Gap <= 1e-10) || math.Abs(r.Objective-want.Objective) > 2e-10 {
				t.Errorf("%s: gap %g, objective %v, want %v", name, r.Gap, r.Objective, want.Objective)
			}
			if kind == "fair" && r.Iterations >= want.Iterations {
				t.Errorf("%s: %d iterations, %d without", name, r.Iterations, want.Iterations)
			}
		}
	}
}
