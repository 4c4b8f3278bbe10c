package stream

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// onRanks solves a problem on several ranks. Each rank reads its shard of the file.
func onRanks(t *testing.T, ranks int, p *solver.Problem, set *solver.Settings, path string) ([]*solver.Result, []error) {
	t.Helper()
	results, errs := make([]*solver.Result, ranks), make([]error, ranks)
	solvertest.OnShards(t, ranks, path, 1<<20, func(comm *dist.Goroutine, part *sparse.Dataset, first int) {
		own, r := *p, comm.Rank()
		own.Data, own.Labels, own.Comm = part.X, part.Labels, comm
		if p.SampleWeights != nil {
			own.SampleWeights = p.SampleWeights[first : first+len(part.Labels)]
		}
		results[r], errs[r] = Minimize(context.Background(), &own, set, Options{Memory: 4 << 20})
	})
	return results, errs
}

// TestRanks checks that several ranks, each with a shard of a file, certify the same optimum as one process
// in memory, even if each shard has only one class. A single rank must give the same bits as a process
// without ranks.
func TestRanks(t *testing.T) {
	opt := sparse.SyntheticOptions{Rows: 60000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 1}
	for name, set := range map[string]func(p *solver.Problem){
		"lasso":  func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} },
		"sorted": func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} },
		"fused": func(p *solver.Problem) {
			p.Penalty, p.Constraint = solver.L1{Lambda: 2e-3}, graph.Chain(30).FusedLasso()
		},
		"weights": func(p *solver.Problem) {
			p.Penalty, p.SampleWeights = solver.ElasticNet{L1: 1e-3, L2: 1e-3}, solver.BalancedWeights(p.Labels)
		},
	} {
		t.Run(name, func(t *testing.T) {
			made := synthetic(t, opt)
			if name == "sorted" {
				made = sorted(t, made)
			}
			path := filepath.Join(t.TempDir(), "d.scas")
			if err := sparse.WriteFile(path, &sparse.Dataset{X: made.X, Labels: made.Labels}); err != nil {
				t.Fatal(err)
			}
			p := &solver.Problem{Data: made.X, Labels: made.Labels}
			set(p)
			want, err := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			single := *p
			d := mapped(t, made)
			single.Data, single.Labels = d.X, d.Labels
			alone, err := Minimize(context.Background(), &single, nil, Options{Memory: 4 << 20})
			if err != nil {
				t.Fatal(err)
			}
			zero := p.Evaluate(make([]float64, 30)).Objective
			for _, ranks := range []int{1, 2, 4} {
				var first *solver.Result
				for range 2 {
					results, errs := onRanks(t, ranks, p, nil, path)
					for r, res := range results {
						if errs[r] != nil {
							t.Fatalf("rank %d of %d: %v", r, ranks, errs[r])
						}
						if res.Stats.Seconds = 0; first == nil {
							first = res
						}
						if diff := cmp.Diff(first, res); diff != "" {
							t.Fatalf("rank %d of %d: %s", r, ranks, diff)
						}
					}
				}
				if alone.Stats.Seconds = 0; ranks == 1 {
					if diff := cmp.Diff(alone, first); diff != "" {
						t.Errorf("one rank is not the single process: %s", diff)
					}
				}
				real := p.Evaluate(first.X).Objective
				if math.Abs(real-first.At.Objective) > 1e-12*zero || first.DualityGap > 1e-6*zero || real-want.At.Objective > first.DualityGap || want.At.Objective-real > want.DualityGap+1e-14 {
					t.Errorf("%d ranks: objective %v, said to be %v with a gap of %.2g; the best known is %v", ranks, real, first.At.Objective, first.DualityGap, want.At.Objective)
				}
				if ranks > 1 && first.Stats.Passes > alone.Stats.Passes+1 {
					t.Errorf("%d ranks: %v passes, one process %v", ranks, first.Stats.Passes, alone.Stats.Passes)
				}
			}
		})
	}
}

// TestRanksRefuse checks that all ranks end if one of them finds a damaged file, or if the method
// needs a single process.
func TestRanksRefuse(t *testing.T) {
	made := synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1})
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: made.X, Labels: made.Labels}); err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Penalty: solver.L1{Lambda: 1e-3}}
	_, errs := onRanks(t, 2, p, &solver.Settings{Method: solver.SCASK{}}, path)
	for r, err := range errs {
		if !errors.Is(err, ErrNotStreamed) || !strings.Contains(err.Error(), "scas-k") {
			t.Errorf("rank %d: %v", r, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)*9/10] ^= 1 // a byte in the values of the second half
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	results, errs := onRanks(t, 2, p, nil, path)
	if bad := (*sparse.ParseError)(nil); results[0] != nil || results[1] != nil || !errors.Is(errs[0], rows.ErrElsewhere) || !errors.As(errs[1], &bad) {
		t.Errorf("%v", errs)
	}
}
