package exact_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestMemory checks that the estimate of Problem.Memory is near the measured memory, for a problem with large
// working sets, and for a problem with rows so short that the Hessian of all columns would cost little if
// there were fewer columns.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		loss                term.Loss
		rows, features, nnz int
		lambda              float64
	}{
		{term.Logistic{}, 2500, 500, 200, 1e-3},
		{term.Squared{}, 30000, 4000, 5, 1e-4},
		{term.Logistic{}, 3000, 300, 240, 1e-3}, // the rows have their zeros, too
	} {
		d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
			Rows: c.rows, Features: c.features, NonzerosPerRow: c.nnz, Noise: 1, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		q := &exact.Problem{
			Data: d.X, Rows: d.X.Compact(false), Labels: d.Labels, Loss: c.loss,
			A: linalg.New(nil, c.features), Ridge: make([]float64, c.features), Threads: 1,
		}
		q.Limit = slices.Repeat([]float64{c.lambda}, c.features)
		heap := solvertest.HeapAfterGC()
		res, peak := solvertest.PeakHeap(func() *exact.Solution {
			s, err := exact.New(q)
			if err != nil {
				t.Fatal(err)
			}
			return s.Finish(make([]float64, c.features), &exact.Settings{Tol: 1e-7})
		})
		if !(res.Gap <= 1e-7) {
			t.Errorf("%v: gap %g", c.loss, res.Gap)
		}
		solvertest.CheckEstimate(t, q.Memory(), peak-heap)
		runtime.KeepAlive(q)
		runtime.KeepAlive(res)
	}
}

// TestOnes checks that Refusal and the estimates of memory treat Problem.HasOnes like a stored column of
// ones.
func TestOnes(t *testing.T) {
	for _, features := range []int{40, 3000} {
		chain := graph.Chain(features + 1).Incidence()
		x, ones := sparse.Identity(features), slices.Repeat([]float64{1}, features)
		column, err := sparse.FromDense(features, 1, ones)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := joinColumns(x, column)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []*linalg.Algebra{linalg.New(nil, features+1), linalg.New(chain, features+1)} {
			l, _ := a.Dims()
			q := exact.Problem{
				Loss: term.Logistic{}, A: a, Ridge: make([]float64, features+1), Limit: make([]float64, l),
				Threads: 1,
			}
			explicit, implied := q, q
			explicit.Data, implied.Data, implied.HasOnes = stored, x, true
			if refused, want := implied.Refusal() != nil, explicit.Refusal() != nil; refused != want {
				t.Errorf("%d features: refused %v with Ones, %v with a column of ones", features, refused, want)
			}
			ratio := float64(exact.ProverMemory(&implied, true)) / float64(exact.ProverMemory(&explicit, true))
			if ratio < 0.98 || ratio > 1.02 {
				t.Errorf("%d features: with Ones the estimate is %v times that with a column of ones", features, ratio)
			}
		}
	}
}

// joinColumns returns the matrix with the columns of a, followed by the columns of b.
func joinColumns(a, b *sparse.CSR) (*sparse.CSR, error) {
	stacked, err := sparse.Stack(a.Transpose(), b.Transpose())
	if err != nil {
		return nil, err
	}
	return stacked.Transpose(), nil
}

// TestMemoryOfSets checks the estimate for working sets whose Hessian is formed, because each feature has many
// edges. The last working set has nearly all columns.
func TestMemoryOfSets(t *testing.T) {
	sparsetest.Long(t)
	const rows, features = 400, 2100
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: rows, Features: features, NonzerosPerRow: 100, Noise: 1, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var edges [][2]int32
	for i := range int32(features) {
		for _, distance := range []int32{7, 101, 307, 701, 997} {
			edges = append(edges, [2]int32{i, (i + distance) % features})
		}
	}
	g, err := graph.FromPairs(features, edges)
	if err != nil {
		t.Fatal(err)
	}
	a := linalg.New(g.FusedLasso(), features)
	l, _ := a.Dims()
	q := &exact.Problem{
		Data: d.X, Rows: d.X.Compact(false), Labels: d.Labels, Loss: term.Logistic{}, A: a,
		Limit: slices.Repeat([]float64{1e-7}, l), Ridge: slices.Repeat([]float64{1e-3}, features), Threads: 1,
	}
	heap := solvertest.HeapAfterGC()
	res, peak := solvertest.PeakHeap(func() *exact.Solution {
		return exact.NewProver(q, true).Finish(make([]float64, features), nil, nil, &exact.Settings{Tol: 1e-3})
	})
	if !(res.Gap <= 1e-3) {
		t.Errorf("gap %g", res.Gap)
	}
	solvertest.CheckEstimate(t, exact.ProverMemory(q, true), peak-heap)
	runtime.KeepAlive(q)
	runtime.KeepAlive(res)
}

// TestMemoryWithoutMatrix checks estimates for coupled models with so many columns that no matrix is formed, with
// many and with few rows.
func TestMemoryWithoutMatrix(t *testing.T) {
	const features = 4500
	for _, c := range []struct{ rows, nnz int }{{2000, 30}, {60, features}} {
		d, err := sparse.NewSynthetic(sparse.SyntheticOptions{
			Rows: c.rows, Features: features, NonzerosPerRow: c.nnz, Noise: 1, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		q := &exact.Problem{
			Data: d.X, Rows: d.X.Compact(false), Labels: d.Labels, Loss: term.Logistic{},
			A: linalg.New(graph.Chain(features).FusedLasso(), features), Ridge: make([]float64, features),
			Limit: slices.Repeat([]float64{1e-3}, 2*features-1), Set: term.Nonnegative{}.Region(features), Threads: 1,
		}
		heap := solvertest.HeapAfterGC()
		res, peak := solvertest.PeakHeap(func() *exact.Solution {
			return exact.NewProver(q, true).Finish(make([]float64, features), nil, nil, &exact.Settings{Tol: 1e-5})
		})
		if !(res.Gap <= 1e-5) {
			t.Errorf("%d rows: gap %g", c.rows, res.Gap)
		}
		solvertest.CheckEstimate(t, exact.ProverMemory(q, true), peak-heap)
		runtime.KeepAlive(q)
		runtime.KeepAlive(res)
	}
}
