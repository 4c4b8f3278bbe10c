package sparse

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// column returns column j of a, including zeros.
func column(a *CSR, j int) []float64 {
	return mat.Col(nil, j, mat.NewDense(a.rows, a.cols, slices.Concat(sparsetest.Dense(a)...)))
}

var close12 = cmpopts.EquateApprox(1e-12, 1e-12)

func TestColumnStats(t *testing.T) {
	a, err := FromTriplets(50, 9, randomTriplets(50, 9))
	sparsetest.Must(t, err)
	s := a.ColumnStats()
	means, deviations := s.Mean(), s.StdDev()
	for j := range 9 {
		col := column(a, j)
		mean, variance := stat.PopMeanVariance(col, nil)
		if diff := cmp.Diff([]float64{mean, math.Sqrt(variance)}, []float64{means[j], deviations[j]}, close12); diff != "" {
			t.Errorf("column %d: %s", j, diff)
		}
	}
	if emptyStats := Identity(0).ColumnStats(); len(emptyStats.Mean()) != 0 || emptyStats.Rows != 0 {
		t.Error("an empty matrix has column statistics")
	}
	if noStats := NewColumnStats(1); noStats.Mean()[0] != 0 || noStats.StdDev()[0] != 0 {
		t.Errorf("no rows have mean %v and deviation %v", noStats.Mean(), noStats.StdDev())
	}
}

// randomTriplets returns entries with values near 1000 in column 1, a stored zero in column 2, and no
// entries in column 3.
func randomTriplets(rows, cols int) []Triplet {
	r := newGenerator(5)
	var e []Triplet
	for i := range rows {
		for j := range cols {
			switch {
			case j == 1:
				e = append(e, Triplet{i, j, 1000 + r.uniform()})
			case j == 2 && i == 0:
				e = append(e, Triplet{i, j, 0})
			case j != 3 && r.integer(3) == 0:
				e = append(e, Triplet{i, j, r.normal()})
			}
		}
	}
	return e
}

func TestRowNorms(t *testing.T) {
	a, err := FromDense(3, 3, []float64{3, 0, -4, 0, 0, 0, 1, 1, 1})
	sparsetest.Must(t, err)
	if diff := cmp.Diff([]float64{25, 0, 3}, a.RowNormsSq()); diff != "" {
		t.Error(diff)
	}
}

func TestStandardize(t *testing.T) {
	a, err := FromTriplets(50, 9, randomTriplets(50, 9))
	sparsetest.Must(t, err)
	for _, center := range []bool{true, false} {
		s := a.ColumnStats()
		x, err := s.Standardize(a, center)
		sparsetest.Must(t, err)
		for j := range 9 {
			mean, sd := stat.PopMeanVariance(column(x, j), nil)
			want := 1.0
			if j == 3 { // the empty column
				want = 0
			}
			if math.Abs(sd-want) > 1e-9 || (center && math.Abs(mean) > 1e-9) {
				t.Errorf("center %v: column %d has mean %v, variance %v", center, j, mean, sd)
			}
		}
		if !center && x.NNZ() != a.NNZ() {
			t.Errorf("scaling stores %d entries, had %d", x.NNZ(), a.NNZ())
		}
	}
	_, err = NewColumnStats(1).Standardize(a, false)
	sparsetest.CheckError(t, err, "the statistics of 1 columns of a matrix of 9")
}

// TestStandardizeConstantColumn checks that the scale of a column that is constant up to rounding is 1.
func TestStandardizeConstantColumn(t *testing.T) {
	data := make([]float64, 1001)
	for i := range data {
		data[i] = 0.1
	}
	a, err := FromDense(len(data), 1, data)
	sparsetest.Must(t, err)
	s := a.ColumnStats()
	x, err := s.Standardize(a, true)
	sparsetest.Must(t, err)
	if _, v := x.Row(0); s.Scale()[0] != 1 || math.Abs(v[0]) > 1e-12 {
		t.Errorf("scale %v, value %v, want 1 and 0", s.Scale()[0], v[0])
	}
}

func TestFromDense(t *testing.T) {
	_, err := FromDense(2, 3, make([]float64, 5))
	sparsetest.CheckError(t, err, "5 values", "want 6")
	_, err = FromDense(1, 2, []float64{1, math.NaN()})
	sparsetest.CheckError(t, err, "row 0", "column 1", "NaN")
	_, err = FromDense(math.MaxInt, 2, nil)
	sparsetest.CheckError(t, err, "out of range")
}

// TestColumnStatsOfPieces checks that ColumnStats.Add, called for consecutive parts of the rows, gives the
// standard deviations of all rows, with and without weights. The mean of column 21 is much larger than its
// standard deviation.
func TestColumnStatsOfPieces(t *testing.T) {
	d, err := NewSynthetic(SyntheticOptions{Rows: 500, Features: 20, NonzerosPerRow: 7, Noise: 1, Seed: 1})
	sparsetest.Must(t, err)
	var entries []Triplet
	for i := range 500 {
		idx, val := d.X.Row(i)
		for k, j := range idx {
			entries = append(entries, Triplet{i, int(j), val[k]})
		}
		entries = append(entries, Triplet{i, 20, 0.1}, Triplet{i, 21, 1e8 + float64(i%2)})
	}
	x, err := FromTriplets(500, 23, entries)
	sparsetest.Must(t, err)
	want := x.ColumnStats()
	m := NewColumnStats(23)
	doubled := NewColumnStats(23) // every row is added with weight 2 and again with weight 0
	for lo := 0; lo < 500; lo += 90 {
		hi := min(lo+90, 500)
		m.Add(x, lo, hi, nil)
		doubled.Add(x, lo, hi, func(int) float64 { return 2 })
		doubled.Add(x, lo, hi, func(int) float64 { return 0 })
	}
	dev, doubledDev := m.StdDev(), doubled.StdDev()
	if m.Rows != 500 || doubled.Rows != 1000 || dev[20] != 0 || dev[22] != 0 {
		t.Errorf("%v and %v rows, deviations %v and %v of constant columns", m.Rows, doubled.Rows, dev[20], dev[22])
	}
	for j, sd := range want.StdDev() {
		if math.Abs(dev[j]-sd) > 1e-13*(1+sd) || math.Abs(doubledDev[j]-sd) > 1e-13*(1+sd) {
			t.Errorf("column %d: deviation %v and %v, want %v", j, dev[j], doubledDev[j], sd)
		}
	}
	if math.Abs(dev[21]-0.5) > 1e-9 || m.Largest[21] != 1e8+1 {
		t.Errorf("deviation %v, largest %v", dev[21], m.Largest[21])
	}
}

// TestColumnStatsLaterColumn checks that large entries in a column that has none in the first rows do not
// overflow.
func TestColumnStatsLaterColumn(t *testing.T) {
	x, err := FromDense(3, 1, []float64{0, 1e200, 1e200})
	sparsetest.Must(t, err)
	s := NewColumnStats(1)
	s.Add(x, 0, 1, nil)
	s.Add(x, 1, 3, nil)
	if s.Rows != 3 || s.Stored[0] != 2 || s.StoredMean[0] != 1e200 || s.Square[0] != 0 {
		t.Errorf("%+v", s)
	}
}
