package sparse

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestRandomStreamIsFrozen checks numbers that must never change, because a seed identifies an experiment.
func TestRandomStreamIsFrozen(t *testing.T) {
	a, b := Split(15, 8, 42)
	if diff := cmp.Diff([][]int{{0, 2, 3, 5, 6, 8, 9, 10}, {1, 4, 7, 11, 12, 13, 14}}, [][]int{a, b}); diff != "" {
		t.Error(diff)
	}
	chosen, _ := Split(1000, 8, 7)
	if diff := cmp.Diff([]int{261, 345, 411, 445, 572, 629, 771, 920}, chosen); diff != "" {
		t.Error(diff)
	}
	s, err := NewSynthetic(SyntheticOptions{
		Rows: 3, Features: 7, NonzerosPerRow: 2, Groups: 1, GroupSize: 2, Noise: .5, Seed: 9, Regression: true,
	})
	sparsetest.Must(t, err)
	if diff := cmp.Diff([]float64{-0x1.5afa5a8615f42p-03, 0x1.e2dd494eea34p-01, 0x1.41642a2595cc8p-01}, s.Labels); diff != "" {
		t.Errorf("%s %x", diff, s.Labels)
	}
}

func TestSplitIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		a, b := Split(n, n-n/2, rapid.Uint64().Draw(t, "seed"))
		if len(a) != n-n/2 || len(b) != n/2 || !slices.IsSorted(a) || !slices.IsSorted(b) {
			t.Fatalf("halves %v and %v of %d", a, b, n)
		}
		all := slices.Sorted(slices.Values(slices.Concat(a, b)))
		for i, v := range all {
			if i != v {
				t.Fatalf("halves %v and %v of %d are no partition", a, b, n)
			}
		}
	})
}

// TestSplitIsFair checks that every element is chosen equally often over 4,000 seeds, up to five standard
// deviations.
func TestSplitIsFair(t *testing.T) {
	const n, seeds = 11, 4000
	var inA [n]float64
	for seed := range uint64(seeds) {
		a, _ := Split(n, n-n/2, seed)
		for _, i := range a {
			inA[i]++
		}
	}
	p := 6.0 / n
	for i, c := range inA {
		if dev := math.Abs(c-seeds*p) / math.Sqrt(seeds*p*(1-p)); dev > 5 {
			t.Errorf("element %d is %v times in the first half of %d", i, c, seeds)
		}
	}
}

func TestNormalMoments(t *testing.T) {
	r := newGenerator(1)
	const n = 200_000
	var sum, sq float64
	for range n {
		v := r.normal()
		sum, sq = sum+v, sq+v*v
	}
	if mean, variance := sum/n, sq/n; math.Abs(mean) > 0.012 || math.Abs(variance-1) > 0.016 {
		t.Errorf("mean %v, variance %v, want 0 and 1 within five standard deviations", mean, variance)
	}
}

func TestSynthetic(t *testing.T) {
	for _, cliques := range []bool{false, true} {
		opt := SyntheticOptions{
			Rows: 100, Features: 23, NonzerosPerRow: 7, Groups: 3, GroupSize: 4, Cliques: cliques, Noise: .1,
			Seed: 3,
		}
		s, err := NewSynthetic(opt)
		sparsetest.Must(t, err)
		if rows, cols := s.X.Dims(); rows != 100 || cols != 23 || s.X.NNZ() != 700 {
			t.Errorf("%d x %d with %d entries", rows, cols, s.X.NNZ())
		}
		wantX := append(slices.Concat(slices.Repeat([]float64{1}, 4), slices.Repeat([]float64{-1.5}, 4),
			slices.Repeat([]float64{2}, 4)), make([]float64, 11)...)
		if diff := cmp.Diff(wantX, s.Coefficients); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, s.Groups); diff != "" {
			t.Error(diff)
		}
		wantEdges := 5 * 3 // five groups, with three edges each
		if cliques {
			wantEdges = 5 * 6
		}
		if len(s.Edges) != wantEdges {
			t.Errorf("cliques %v: %d edges, want %d", cliques, len(s.Edges), wantEdges)
		}
		for _, e := range s.Edges {
			if e[0] >= e[1] || e[0]/4 != e[1]/4 {
				t.Errorf("edge %v leaves its group", e)
			}
		}
		repeated, err := NewSynthetic(opt)
		sparsetest.Must(t, err)
		if !sameBits(s.X, repeated.X) || !sameFloats(s.Labels, repeated.Labels) {
			t.Error("the same options give another problem")
		}
	}
}

// TestSyntheticLabels checks that the true coefficients predict every label of data without noise.
func TestSyntheticLabels(t *testing.T) {
	for _, regression := range []bool{false, true} {
		s, err := NewSynthetic(SyntheticOptions{Regression: regression})
		sparsetest.Must(t, err)
		margins := make([]float64, len(s.Labels))
		s.X.MulVec(margins, s.Coefficients)
		for i, y := range s.Labels {
			if regression && math.Abs(margins[i]-y) > 1e-12 || !regression && margins[i]*y < 0 {
				t.Fatalf("regression %v: label %v for margin %v", regression, y, margins[i])
			}
		}
	}
}

func TestSyntheticRefuses(t *testing.T) {
	for _, tt := range []struct {
		opt  SyntheticOptions
		want string
	}{
		{SyntheticOptions{Rows: -1}, "-1 rows"},
		{SyntheticOptions{Groups: 9}, "9 groups of 5 do not fit in 40"},
		{SyntheticOptions{NonzerosPerRow: 41}, "NonzerosPerRow is 41"},
		{SyntheticOptions{Noise: math.NaN()}, "Noise is NaN"},
		{SyntheticOptions{Rows: 1}, "labels came out equal"},
	} {
		_, err := NewSynthetic(tt.opt)
		sparsetest.CheckError(t, err, tt.want)
	}
}
