package glasso

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func elements(a *sparse.CSR) []float64 { return slices.Concat(sparsetest.Dense(a)...) }

// TestSachs compares solutions with the solutions of R's glasso 1.11, computed with its option thr = 1e-12.
func TestSachs(t *testing.T) {
	c, err := graph.ReadCovarianceFile(sparsetest.DataFile(t, "ref", "sachs_cor.txt"))
	sparsetest.Must(t, err)
	for _, tt := range []struct {
		rho       float64
		edges     int
		objective float64
	}{{0.05, 30, 5.49003023206514}, {0.2, 22, 10.7836444158437}} {
		t.Run(fmt.Sprint(tt.rho), func(t *testing.T) {
			want := slices.Concat(sparsetest.Numbers(t,
				sparsetest.DataFile(t, "ref", fmt.Sprintf("sachs_glasso_cor_rho%v_wi.txt", tt.rho)))...)
			res, err := Estimate(c, Options{Penalty: tt.rho})
			sparsetest.Must(t, err)
			maxDiff := 0.0
			for k, got := range elements(res.Theta) {
				maxDiff = max(maxDiff, math.Abs(got-want[k]))
				if (got == 0) != (want[k] == 0) {
					t.Errorf("entry %d is %v, want %v: another zero pattern", k, got, want[k])
				}
			}
			t.Logf("largest difference %.2g, gap %.2g, objective off by %.2g; %d steps",
				maxDiff, res.Gap, res.Objective-tt.objective, res.Steps)
			if maxDiff > 1e-6 || math.Abs(res.Objective-tt.objective) > 1e-9 || len(res.Graph(nil).Edges()) != tt.edges {
				t.Errorf("largest difference %v, objective %v (want %v), %d edges (want %d)",
					maxDiff, res.Objective, tt.objective, len(res.Graph(nil).Edges()), tt.edges)
			}
		})
	}
}

func readPaperSet(t testing.TB, name string, features int) *sparse.CSR {
	t.Helper()
	d, err := sparse.ReadFile(sparsetest.DataFile(t, "paper", name), &sparse.ReadOptions{Features: features})
	sparsetest.Must(t, err)
	return d.X
}

// TestA9a compares the edges for a9a with the edges that scikit-learn finds at penalty 0.1 without a penalty
// on the diagonal. It also checks that EstimateEdges finds a penalty near 0.1 from a number of edges.
func TestA9a(t *testing.T) {
	c, err := graph.CorrelationOf(readPaperSet(t, "a9a.zst", 123))
	sparsetest.Must(t, err)
	published, err := graph.ReadEdgesFile(sparsetest.DataFile(t, "graphs", "a9a_glasso_0.1.edges"), 123)
	sparsetest.Must(t, err)
	res, err := Estimate(c, Options{Penalty: 0.1, FreeDiagonal: true})
	sparsetest.Must(t, err)
	want := published.Edges()
	slices.SortFunc(want, func(a, b graph.Edge) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	if diff := gocmp.Diff(want, res.Graph(nil).Edges()); diff != "" {
		t.Errorf("not the edges of scikit-learn: %s", diff)
	}
	// If the diagonal is penalised, the penalty 0.1 gives 304 edges.
	estimate, err := EstimateEdges(c, 304, Options{})
	sparsetest.Must(t, err)
	if n := len(estimate.Graph(nil).Edges()); n < 301 || n > 307 || math.Abs(estimate.Penalty-0.1) > 0.005 {
		t.Errorf("%d edges at penalty %v, want 304 within 1 %%, near 0.1", n, estimate.Penalty)
	}
}

func TestEstimateEdges(t *testing.T) {
	c, _ := randomCorrelation(t, 25, 100, 8)
	for _, k := range []int{1, 2, 7, 30, 90} {
		res, err := EstimateEdges(c, k, Options{})
		sparsetest.Must(t, err)
		if n := len(res.Graph(nil).Edges()); n != k {
			t.Errorf("%d edges at penalty %v, want %d", n, res.Penalty, k)
		}
	}
	_, err := EstimateEdges(c, 0, Options{})
	sparsetest.CheckError(t, err, "0 edges")
	_, err = EstimateEdges(c, 301, Options{})
	sparsetest.CheckError(t, err, "301 edges", "only 300 pairs")
	_, err = EstimateEdges(c, 200, Options{MaxComponent: 5})
	var sizeError *graph.ComponentError
	if !errors.As(err, &sizeError) {
		t.Errorf("%v, want a *graph.ComponentError inside", err)
	}
	sparsetest.CheckError(t, err, "200 edges", "fewer")
}

// TestEstimateEdgesBelowALargeComponent checks that EstimateEdges goes on after a penalty at which a
// component is too large, if some larger penalty gives the edges. For 2 and 3 edges, the second penalty of
// the search is below all covariances, so that all features are in one component.
func TestEstimateEdgesBelowALargeComponent(t *testing.T) {
	const n = 12
	values := make([]float64, n*n)
	for i := range n {
		for j := range n {
			values[i*n+j] = 0.55 + float64(0.001*float64(i+j))
		}
		values[i*n+i] = 1
	}
	for k, v := range []float64{0.9, 0.8, 0.7} { // the correlations of features 0 and 1, 1 and 2, 0 and 2
		i, j := []int{0, 1, 0}[k], []int{1, 2, 2}[k]
		values[i*n+j], values[j*n+i] = v, v
	}
	c, err := graph.NewCovariance(n, values)
	sparsetest.Must(t, err)
	for _, k := range []int{1, 2, 3} {
		res, err := EstimateEdges(c, k, Options{MaxComponent: 5})
		if err != nil {
			t.Errorf("%d edges: %v", k, err)
		} else if got := res.countEdges(); got != k {
			t.Errorf("%d edges at penalty %v, want %d", got, res.Penalty, k)
		}
	}
	_, err = EstimateEdges(c, 30, Options{MaxComponent: 5})
	sparsetest.CheckError(t, err, "30 edges", "fewer")
}

func TestRefuses(t *testing.T) {
	c, _ := randomCorrelation(t, 25, 100, 8)
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "penalty 0"},
		{Options{Penalty: -1}, "penalty -1"},
		{Options{Penalty: math.NaN()}, "penalty NaN"},
		{Options{Penalty: math.Inf(1)}, "penalty +Inf"},
		{Options{Penalty: 1, MaxComponent: -2}, "components of -2 features"},
	} {
		_, err := Estimate(c, tt.opt)
		sparsetest.CheckError(t, err, "glasso: ", tt.want)
	}
	constant, err := graph.NewCovariance(2, []float64{1, 0, 0, 0})
	sparsetest.Must(t, err)
	_, err = Estimate(constant, Options{Penalty: 1, FreeDiagonal: true})
	sparsetest.CheckError(t, err, "feature 2 is constant")
	res, err := Estimate(constant, Options{Penalty: 0.5})
	if err != nil || res.Theta.NNZ() != 2 || res.Largest != 1 || res.Components != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestComponentErrorNamesThePenalty checks that Estimate accepts the penalty Fits that a ComponentError
// proposes, and refuses a slightly smaller penalty. Fits is rounded up to six digits.
func TestComponentErrorNamesThePenalty(t *testing.T) {
	c, _ := randomCorrelation(t, 25, 100, 8)
	for _, limit := range []int{2, 3, 8} {
		_, err := Estimate(c, Options{Penalty: 0.01, MaxComponent: limit})
		var sizeError *graph.ComponentError
		if !errors.As(err, &sizeError) {
			t.Fatalf("%v, want a *graph.ComponentError", err)
		}
		res, err := Estimate(c, Options{Penalty: sizeError.Fits, MaxComponent: limit})
		if err != nil || res.Largest > limit {
			t.Errorf("limit %d, penalty %v: %v", limit, sizeError.Fits, err)
		}
		_, err = Estimate(c, Options{Penalty: sizeError.Fits * (1 - 1e-5), MaxComponent: limit})
		if err == nil {
			t.Errorf("limit %d: a penalty just below %v works, too", limit, sizeError.Fits)
		}
	}
}

func TestGraphWeights(t *testing.T) {
	c, err := graph.NewCovariance(2, []float64{1, 0.5, 0.5, 1})
	sparsetest.Must(t, err)
	res, err := Estimate(c, Options{Penalty: 0.1})
	sparsetest.Must(t, err)
	// The inverse of Theta is [1.1 0.4; 0.4 1.1], so the partial correlation is 0.4/1.1.
	got := res.Graph(&graph.CorrelationOptions{Signed: true, Weighted: true}).Edges()
	if len(got) != 1 || math.Abs(got[0].Weight-0.4/1.1) > 1e-9 {
		t.Errorf("edges %v, want one of weight %v", got, 0.4/1.1)
	}
}

func TestManyFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: not solving for rcv1")
	}
	c, err := graph.CorrelationOf(readPaperSet(t, "rcv1v2_binary_train.libsvm.zst", 47236))
	sparsetest.Must(t, err)
	_, err = Estimate(c, Options{Penalty: 0.3})
	var sizeError *graph.ComponentError
	if !errors.As(err, &sizeError) || sizeError.Size <= sizeError.Limit || sizeError.Fits < 0.5 || sizeError.Fits > 0.6 {
		t.Errorf("%v, want a *graph.ComponentError that names a penalty of 0.5 to 0.6", err)
	}
	start := time.Now()
	res, err := Estimate(c, Options{Penalty: 0.9})
	sparsetest.Must(t, err)
	t.Logf("%d components, largest %d, %v, gap %v in %v",
		res.Components, res.Largest, res.Graph(nil).Statistics(), res.Gap, time.Since(start))
	if res.Components != 1813 || res.Largest != 38 || res.Gap > 1e-12*47236 {
		t.Errorf("%d components, largest %d, gap %v, want 1813, 38, at most 5e-8", res.Components, res.Largest, res.Gap)
	}
}
