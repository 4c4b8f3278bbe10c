package newton_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestMemory holds the estimate to what the allocator says, with working sets that are
// full.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		rows, features, nonzeros int
		chain                    bool
		most                     int
		lambda                   float64
	}{
		{rows: 3000, features: 600, nonzeros: 100, lambda: 1e-3},
		{rows: 3000, features: 600, nonzeros: 10, chain: true, lambda: 1e-3},
		{rows: 150000, features: 150, nonzeros: 10, lambda: 1e-3}, // parts of the samples, runs of short rows
		{rows: 1000, features: 20000, nonzeros: 50, chain: true, most: 500, lambda: 2e-4},
		{rows: 1000, features: 20000, nonzeros: 50, most: 500, lambda: 5e-4},
	} {
		t.Run(fmt.Sprintf("%d x %d, %v", c.rows, c.features, c.chain), func(t *testing.T) {
			d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: c.rows, Features: c.features, NonzerosPerRow: c.nonzeros, Noise: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := &newton.Problem{Data: d.X, Rows: d.X.Compact(nil), Labels: d.Labels, Loss: term.Logistic{}, A: quad.New(nil, c.features), MaxFeatures: c.most, Threads: 1}
			if c.chain {
				p.A = quad.New(graph.Chain(c.features).FusedLasso(), c.features)
			}
			l, _ := p.A.Dims()
			p.Limit = slices.Repeat([]float64{c.lambda}, l)
			before := solvertest.Heap()
			res, most := solvertest.Peak(func() *newton.Result {
				x := make([]float64, c.features)
				if c.most == 0 {
					f, err := newton.New(p)
					if err != nil {
						t.Fatal(err)
					}
					return f.Finish(x, &newton.Settings{Tol: 1e-9})
				}
				w, err := newton.NewWide(p)
				if err != nil {
					t.Fatal(err)
				}
				return w.Finish(x, nil, nil, &newton.Settings{Tol: 1e-9})
			})
			if math.IsInf(res.Gap, 1) || res.Full != (c.most > 0) {
				t.Errorf("gap %g, working sets full: %v", res.Gap, res.Full)
			}
			solvertest.CheckEstimate(t, p.Memory(pass.NewChunks(p.Data, 1).Count(), true), most-before)
			runtime.KeepAlive(p)
			runtime.KeepAlive(res)
		})
	}
}
