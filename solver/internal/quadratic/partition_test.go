package quadratic

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// partitionOf returns the partition of p coordinates that A x = 0 implies, where A has the given rows.
func partitionOf(t *testing.T, p int, ties bool, rows ...map[int32]float64) Partition {
	ptr, idx, val := []int64{0}, []int32(nil), []float64(nil)
	for _, row := range rows {
		for _, j := range slices.Sorted(maps.Keys(row)) {
			idx, val = append(idx, j), append(val, row[j])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	a, err := sparse.New(len(rows), p, ptr, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	return ReadPartition(a, make([]float64, len(rows)), nil, p, ties)
}

// TestPartition checks zeros, ties, and ties that contradict each other: then the coordinates must be 0.
func TestPartition(t *testing.T) {
	rows := []map[int32]float64{{3: 1}, {0: 1, 1: -1}, {1: 1, 2: 1}, {4: 1, 5: -1}, {4: 1, 5: 1}, {0: 1, 1: 1, 6: 1}}
	p := partitionOf(t, 7, true, rows...)
	if want := []int32{0, 0, 0, -1, -1, -1, 1}; !slices.Equal(p.Group, want) || p.GroupCount != 2 {
		t.Fatalf("groups %v, want %v", p.Group, want)
	}
	x, y := make([]float64, 7), make([]float64, 2)
	p.Expand(x, []float64{2, 5})
	if x[0] != x[1] || x[0] != -x[2] || math.Abs(x[0]) != 2 || x[3] != 0 || x[6] != 5 {
		t.Errorf("Expand = %v", x)
	}
	p.Collect(y, x)
	if !slices.Equal(y, []float64{6, 5}) {
		t.Errorf("Collect = %v", y)
	}
	p.Nearest(y, []float64{1, 1.1, -0.9, 0.001, 5, 6, 7})
	if math.Abs(y[0]*p.Factor[0]-1) > 1e-15 || y[1] != 7 {
		t.Errorf("Nearest = %v", y)
	}
	if p := partitionOf(t, 7, false, rows...); !slices.Equal(p.Group, []int32{0, 1, 2, -1, 3, 4, 5}) {
		t.Errorf("without ties: groups %v", p.Group)
	}
}

// TestIgnoredRows checks that ReadPartition ignores rows with limit 0 or a result other than 0.
func TestIgnoredRows(t *testing.T) {
	p := ReadPartition(nil, []float64{0, 0, 1}, []float64{1, 0, 1}, 3, true)
	if !slices.Equal(p.Group, []int32{-1, 0, 1}) {
		t.Errorf("groups %v", p.Group)
	}
}

// TestRepair checks that repair makes ties exact that hold up to rounding, and changes no other point.
func TestRepair(t *testing.T) {
	p := partitionOf(t, 3, true, map[int32]float64{2: 1}, map[int32]float64{0: 1, 1: -3}) // x0 = 3 x1
	x := []float64{0.3, math.Nextafter(float64(p.Factor[1]*0.3), 1), 0}
	if p.Holds(x) {
		t.Fatalf("%v is exact before repair", x)
	}
	p.repair(x)
	if !p.Holds(x) {
		t.Errorf("%v is not exact", x)
	}
	for _, x := range [][]float64{{0.3, 0.1 + 1e-12, 0}, {0.3, 0.1, 1e-300}, {math.NaN(), 0.1, 0}, {0.3, math.NaN(), 0}} {
		before := slices.Clone(x)
		p.repair(x)
		if p.Holds(x) {
			t.Errorf("repair changes %v to %v", before, x)
		}
	}
}
