package graph

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// sparseData returns data with columns of all densities. Many pairs of columns have no common row. Some
// columns are copies, so that their correlations are equal.
func sparseData(t testing.TB, rows, cols int, seed uint64) *sparse.CSR {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	data := make([]float64, rows*cols)
	for j := range cols {
		density := math.Pow(r.Float64(), 3)
		for i := range rows {
			if r.Float64() < density {
				data[i*cols+j] = math.Round(4*r.NormFloat64()) / 4
			}
		}
		switch j % 7 {
		case 1: // 1 in the rows where the previous column is 0
			for i := range rows {
				data[i*cols+j] = 1
				if data[i*cols+j-1] != 0 {
					data[i*cols+j] = 0
				}
			}
		case 3: // a copy of column j-2
			for i := range rows {
				data[i*cols+j] = data[i*cols+j-2]
			}
		case 5: // all 1 or all 0
			for i := range rows {
				data[i*cols+j] = float64(j % 2)
			}
		}
	}
	x, err := sparse.FromDense(rows, cols, data)
	sparsetest.Must(t, err)
	return x
}

// plainCorrelations computes the correlations of all pairs of columns by the definition. A constant column
// has correlation 0.
func plainCorrelations(x *sparse.CSR) [][]float64 {
	columns := sparsetest.Dense(x.Transpose())
	c := make([][]float64, len(columns))
	for i := range c {
		c[i] = make([]float64, len(columns))
		for j := range c {
			if v := stat.Correlation(columns[i], columns[j], nil); !math.IsNaN(v) {
				c[i][j] = v
			}
		}
	}
	return c
}

func TestCovarianceOf(t *testing.T) {
	x, columns := correlationData(t)
	c, err := CovarianceOf(x)
	sparsetest.Must(t, err)
	for i, a := range columns {
		for j, b := range columns {
			if got, want := c.At(i, j), stat.Covariance(a, b, nil); math.Abs(got-want) > 1e-7 {
				// Some columns have values near 1e8.
				t.Errorf("covariance (%d, %d) is %v, want %v", i, j, got, want)
			}
		}
	}
}

// TestBuildersAgainstAllPairs compares Strongest and KNearest with a sorted list of all pairs, and
// Threshold with Strongest.
func TestBuildersAgainstAllPairs(t *testing.T) {
	for seed := range uint64(20) {
		x := sparseData(t, 25, 40, seed)
		want := plainCorrelations(x)
		c, err := CorrelationOf(x)
		sparsetest.Must(t, err)
		var pairs []Edge
		nonzeros := 0
		for i := range 40 {
			for j := i + 1; j < 40; j++ {
				pairs = append(pairs, Edge{int32(i), int32(j), want[i][j]})
				if math.Abs(want[i][j]) > 1e-12 {
					nonzeros++
				}
			}
		}
		slices.SortStableFunc(pairs, func(a, b Edge) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
		opt := &CorrelationOptions{Signed: true, Weighted: true, Threads: 2}
		for _, k := range []int{1, 10, 100, 300} {
			g, threshold, err := Strongest(c, k, opt)
			sparsetest.Must(t, err)
			// Correlations that have the same absolute value up to rounding may be in any order. So edge n
			// and pair n need not join the same features, and the test compares their absolute values.
			weights := g.Edges()
			slices.SortFunc(weights, func(a, b Edge) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
			if len(weights) < min(k, nonzeros) {
				t.Fatalf("seed %d: %d strongest are %d edges", seed, k, len(weights))
			}
			for n, e := range weights {
				if size := math.Abs(pairs[n].Weight); math.Abs(math.Abs(e.Weight)-size) > 1e-12 || size < threshold-1e-12 {
					t.Fatalf("seed %d: edge %d of the %d strongest has size %v, want %v, at least %v",
						seed, n, k, e.Weight, size, threshold)
				}
				if got := want[e.I][e.J]; math.Abs(got-e.Weight) > 1e-12 {
					t.Fatalf("seed %d: edge %v has correlation %v", seed, e, got)
				}
			}
			thresholdGraph, err := Threshold(c, threshold, &CorrelationOptions{Signed: true, Weighted: true, Threads: 1})
			sparsetest.Must(t, err)
			if diff := gocmp.Diff(g.Edges(), thresholdGraph.Edges()); diff != "" {
				t.Errorf("seed %d: %d strongest differ from threshold %v: %s", seed, k, threshold, diff)
			}
		}
		for _, k := range []int{1, 3, 12} {
			checkNearest(t, c, want, k)
		}
	}
}

// checkNearest checks that KNearest joins every feature with the k features of largest absolute
// correlation, and joins no other features. want holds the correlations of all pairs.
func checkNearest(t *testing.T, c *Covariance, want [][]float64, k int) {
	t.Helper()
	g, err := KNearest(c, k, &CorrelationOptions{Weighted: true})
	sparsetest.Must(t, err)
	joined := make(map[[2]int32]bool)
	for _, e := range g.Edges() {
		joined[e.ends()] = true
	}
	kth := make([]float64, len(want)) // the k-th largest absolute correlation of each feature
	for i, row := range want {
		sizes := make([]float64, 0, len(row))
		for j, v := range row {
			if i != j {
				sizes = append(sizes, math.Abs(v))
			}
		}
		slices.Sort(sizes)
		kth[i] = max(sizes[len(sizes)-k], 1e-12)
	}
	for i := range want {
		neighbours := 0
		for j, v := range want[i] {
			if i == j {
				continue
			}
			size := math.Abs(v)
			isEdge := joined[[2]int32{int32(min(i, j)), int32(max(i, j))}]
			if isEdge {
				neighbours++
			}
			if mustJoin := size > kth[i]+1e-12 || size > kth[j]+1e-12; mustJoin && !isEdge {
				t.Fatalf("k = %d: %d and %d are not joined: %v, k-th are %v and %v", k, i, j, size, kth[i], kth[j])
			}
			if mayJoin := size > kth[i]-1e-12 || size > kth[j]-1e-12; isEdge && !mayJoin {
				t.Fatalf("k = %d: %d and %d are joined: %v, k-th are %v and %v", k, i, j, size, kth[i], kth[j])
			}
		}
		if kth[i] > 1e-12 && neighbours < k {
			t.Fatalf("k = %d: feature %d has only %d neighbours", k, i, neighbours)
		}
	}
}

// TestCollectorPrunes checks that a collector that prunes often keeps the same pairs as one that prunes
// only at the end.
func TestCollectorPrunes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	small, full := newCollector(0, 3), newCollector(0, 1<<20)
	small.pruneSize = 8
	for k := range int32(5000) {
		p := Edge{0, k, math.Round(40 * r.NormFloat64())}
		small.add(p)
		full.add(p)
	}
	full.maxPairs = 3
	small.prune()
	full.prune()
	if len(small.pairs) < 3 || !slices.Equal(small.pairs, full.pairs) || small.floor != full.floor {
		t.Errorf("%v (floor %v), want %v (floor %v)", small.pairs, small.floor, full.pairs, full.floor)
	}
}

func TestBuildersRefuse(t *testing.T) {
	x := sparseData(t, 25, 40, 1)
	c, err := CorrelationOf(x)
	sparsetest.Must(t, err)
	_, err = Threshold(c, 0.01, &CorrelationOptions{maxEdges: 20})
	sparsetest.CheckError(t, err, "threshold 0.01: more than 20 pairs", "above")
	for _, threshold := range []float64{0, -1, 1.01, math.NaN()} {
		_, err = Threshold(c, threshold, nil)
		sparsetest.CheckError(t, err, "want a number above 0, at most 1")
	}
	_, _, err = Strongest(c, 0, nil)
	sparsetest.CheckError(t, err, "0 edges", "want 1 to")
	_, err = KNearest(c, 41, nil)
	sparsetest.CheckError(t, err, "41 nearest of 40 features")
	_, err = KNearest(c, 6, &CorrelationOptions{maxEdges: 100})
	sparsetest.CheckError(t, err, "6 nearest of 40 features: want 1 to 5")
	noColumns, err := sparse.FromDense(2, 0, nil)
	sparsetest.Must(t, err)
	c, err = CovarianceOf(noColumns)
	sparsetest.Must(t, err)
	_, err = KNearest(c, 1, nil)
	sparsetest.CheckError(t, err, "1 nearest of 0 features")
	_, err = CorrelationOf(sparse.Identity(1))
	sparsetest.CheckError(t, err, "covariances from 1 samples")
}

// TestDroppedPairs checks that Threshold returns an error if pairs were dropped while they were collected,
// even if no more than MaxEdges pairs are left.
func TestDroppedPairs(t *testing.T) {
	const n = 60 // 1770 pairs: a collector drops some before it has all of them
	values := slices.Repeat([]float64{0.2}, n*n)
	for i := range n {
		values[i*n+i] = 1
	}
	values[1], values[n] = 0.9, 0.9
	c, err := NewCovariance(n, values)
	sparsetest.Must(t, err)
	for threads := 1; threads <= 2; threads++ {
		_, err = Threshold(c, 0.1, &CorrelationOptions{maxEdges: 1, Threads: threads})
		sparsetest.CheckError(t, err, "threshold 0.1: more than 1 pairs", "above 0.9")
	}
}

func TestComponentErrorOfPairs(t *testing.T) {
	err := &ComponentError{Penalty: 0.1, Size: 1800, Limit: 2000, Fits: 0.2}
	sparsetest.CheckError(t, err, "more than 5000000 pairs of features would be joined", "0.2 or more")
}

// TestProposalsAreRoundedUp checks that the penalty and the threshold that errors propose are not below the
// values that they must reach.
func TestProposalsAreRoundedUp(t *testing.T) {
	const v = 0.12345612
	c, err := NewCovariance(3, []float64{1, v, v, v, 1, v, v, v, 1})
	sparsetest.Must(t, err)
	_, err = c.Components(0.1, 2, 0)
	sparsetest.CheckError(t, err, "0.123457 or more")
	_, err = c.Components(0.123457, 2, 0)
	if err != nil {
		t.Error(err)
	}
	_, err = Threshold(c, 0.1, &CorrelationOptions{maxEdges: 1})
	sparsetest.CheckError(t, err, "above 0.123457")
	equal, err := NewCovariance(3, slices.Repeat([]float64{1}, 9))
	sparsetest.Must(t, err)
	_, err = Threshold(equal, 0.1, &CorrelationOptions{maxEdges: 1}) // no threshold is high enough
	sparsetest.CheckError(t, err, "more than 1 pairs are as correlated")
	if strings.Contains(err.Error(), "want a threshold") {
		t.Error(err)
	}
	for _, tt := range []struct{ v, want float64 }{
		{0.2, 0.2}, {0.123456, 0.123456}, {0.1234561, 0.123457}, {0.1234569, 0.123457}, {0.9999991, 1}, {1.000001, 1.00001},
		{math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64}, {math.Inf(1), math.Inf(1)},
	} {
		if got := roundUp(tt.v); got != tt.want {
			t.Errorf("%v is rounded up to %v, want %v", tt.v, got, tt.want)
		}
	}
}

func TestGrid(t *testing.T) {
	want := []Edge{{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {1, 4, 1}, {2, 5, 1}, {3, 4, 1}, {4, 5, 1}}
	if diff := gocmp.Diff(want, Grid(2, 3).Edges()); diff != "" {
		t.Error(diff)
	}
	for _, g := range []*Graph{Grid(0, 5), Grid(5, 0)} {
		if g.Nodes() != 0 {
			t.Errorf("a grid without pixels has %d nodes", g.Nodes())
		}
	}
	if diff := gocmp.Diff(Chain(6).Edges(), Grid(1, 6).Edges()); diff != "" {
		t.Error(diff)
	}
}

// TestCovarianceInParts compares the results of Largest and Blocks with At, for a Covariance
// that holds data and for a Covariance that holds the matrix.
func TestCovarianceInParts(t *testing.T) {
	fromData, err := CorrelationOf(sparseData(t, 40, 30, 1))
	sparsetest.Must(t, err)
	disjointCount, r := 0, newCovarianceRow(30)
	for i := range 30 {
		fromData.fillRow(i, i+1, r)
		disjointCount += 30 - (i + 1) - len(r.cols)
	}
	if disjointCount < 10 {
		t.Errorf("only %d pairs without a common row: the test shows little", disjointCount)
	}
	var values []float64
	for index := range 30 * 30 {
		values = append(values, fromData.At(index/30, index%30))
	}
	fromNumbers, err := NewCovariance(30, values)
	sparsetest.Must(t, err)
	for _, c := range []*Covariance{fromData, fromNumbers} {
		largest := c.Largest(20, 1)
		weakest := math.Inf(1)
		for _, e := range largest {
			if e.I >= e.J || e.Weight != c.At(int(e.I), int(e.J)) {
				t.Errorf("%v is no entry above the diagonal", e)
			}
			weakest = min(weakest, math.Abs(e.Weight))
		}
		count := 0
		for i := range 30 {
			for j := range i {
				if math.Abs(c.At(i, j)) >= weakest {
					count++
				}
			}
		}
		if len(largest) < 20 || len(largest) != count {
			t.Errorf("%d entries, want the %d of at least %v", len(largest), count, weakest)
		}
		groups, err := c.Components(0.5, 30, 2)
		if err != nil || len(groups) < 2 {
			t.Fatalf("groups %v, %v", groups, err)
		}
		blocks := make([][]float64, len(groups))
		c.Blocks(groups, 2, func(k int, s []float64) { blocks[k] = s })
		for k, s := range blocks {
			n := len(groups[k])
			for index, v := range s {
				if want := c.At(int(groups[k][index/n]), int(groups[k][index%n])); v != want || len(s) != n*n {
					t.Errorf("group %v: entry %d of %d is %v, want %v", groups[k], index, len(s), v, want)
				}
			}
		}
	}
}
