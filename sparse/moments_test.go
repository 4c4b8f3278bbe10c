package sparse

import (
	"math"
	"testing"
)

// TestMoments: moments of pieces merge to those of all rows, also of a column whose mean is
// large beside its deviation.
func TestMoments(t *testing.T) {
	d, err := NewSynthetic(SyntheticOptions{Rows: 500, Features: 20, NonzerosPerRow: 7, Noise: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var entries []Triplet
	for i := range 500 {
		idx, val := d.X.Row(i)
		for k, j := range idx {
			entries = append(entries, Triplet{i, int(j), val[k]})
		}
		entries = append(entries, Triplet{i, 20, 0.1}, Triplet{i, 21, 1e8 + float64(i%2)})
	}
	x, err := FromTriplets(500, 23, entries)
	if err != nil {
		t.Fatal(err)
	}
	want := x.ColumnStats()
	m, piece := NewMoments(23), NewMoments(23)
	twice := NewMoments(23) // of rows of weight 2 and 0
	for lo := 0; lo < 500; lo += 90 {
		hi := min(lo+90, 500)
		piece.Set(x, lo, hi, nil)
		m.Merge(piece)
		piece.Set(x, lo, hi, func(int) float64 { return 2 })
		twice.Merge(piece)
		piece.Set(x, lo, hi, func(int) float64 { return 0 })
		twice.Merge(piece)
	}
	dev, other := m.Deviations(500), twice.Deviations(1000)
	for j, sd := range want.StdDev {
		if j == 20 || j == 22 {
			sd = 0 // constant
		}
		if math.Abs(dev[j]-sd) > 1e-13*(1+sd) || math.Abs(other[j]-sd) > 1e-13*(1+sd) {
			t.Errorf("column %d: deviation %v and %v, want %v", j, dev[j], other[j], sd)
		}
	}
	if math.Abs(dev[21]-0.5) > 1e-9 || m.Largest[21] != 1e8+1 {
		t.Errorf("deviation %v, largest %v", dev[21], m.Largest[21])
	}
}
