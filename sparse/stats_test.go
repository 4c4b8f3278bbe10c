package sparse

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/sparse/internal/check"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// column returns column j with its zeros.
func column(a *CSR, j int) []float64 {
	return mat.Col(nil, j, mat.NewDense(a.rows, a.cols, flatten(sparsetest.Dense(a))))
}

func flatten(d [][]float64) []float64 {
	var f []float64
	for _, row := range d {
		f = append(f, row...)
	}
	return f
}

var close12 = cmpopts.EquateApprox(1e-12, 1e-12)

func TestColumnStats(t *testing.T) {
	a, err := FromTriplets(50, 9, randomTriplets(50, 9))
	if err != nil {
		t.Fatal(err)
	}
	s := a.ColumnStats()
	for j := range 9 {
		col := column(a, j)
		mean, variance := stat.PopMeanVariance(col, nil)
		if diff := cmp.Diff([]float64{mean, math.Sqrt(variance)}, []float64{s.Mean[j], s.StdDev[j]}, close12); diff != "" {
			t.Errorf("column %d: %s", j, diff)
		}
	}
	empty := Identity(0).ColumnStats()
	if len(empty.Mean) != 0 {
		t.Error("an empty matrix has column statistics")
	}
}

// randomTriplets has a large offset in column 1, a stored zero in column 2 and
// nothing in column 3.
func randomTriplets(rows, cols int) []Triplet {
	r := newRandom(5)
	var e []Triplet
	for i := range rows {
		for j := range cols {
			switch {
			case j == 1:
				e = append(e, Triplet{i, j, 1000 + r.unit()})
			case j == 2 && i == 0:
				e = append(e, Triplet{i, j, 0})
			case j != 3 && r.below(3) == 0:
				e = append(e, Triplet{i, j, r.normal()})
			}
		}
	}
	return e
}

func TestRowNorms(t *testing.T) {
	a, err := FromDense(3, 3, []float64{3, 0, -4, 0, 0, 0, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{25, 0, 3}, a.RowNormsSq()); diff != "" {
		t.Error(diff)
	}
}

func TestStandardize(t *testing.T) {
	a, err := FromTriplets(50, 9, randomTriplets(50, 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, center := range []bool{true, false} {
		x, s, err := Standardize(a, center)
		if err != nil {
			t.Fatal(err)
		}
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
		// A model of the scaled data is the unscaled model of the data.
		coef := []float64{1, -2, 3, 4, 0, .5, 6, 7, -8}
		unscaled, intercept := s.Unscale(coef)
		got, want := make([]float64, 50), make([]float64, 50)
		x.MulVec(want, coef)
		a.MulVec(got, unscaled)
		for i := range got {
			got[i] += intercept
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-8)); diff != "" {
			t.Errorf("center %v: %s", center, diff)
		}
	}
	_, err = Scaling{Scale: []float64{1}}.Apply(a)
	check.Error(t, err, "1 columns for a matrix of 9")
}

// Constant columns have no scale; rounding must not invent one.
func TestStandardizeConstantColumn(t *testing.T) {
	data := make([]float64, 1001)
	for i := range data {
		data[i] = 0.1
	}
	a, err := FromDense(len(data), 1, data)
	if err != nil {
		t.Fatal(err)
	}
	x, s, err := Standardize(a, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, v := x.Row(0); s.Scale[0] != 1 || math.Abs(v[0]) > 1e-12 {
		t.Errorf("scale %v, value %v, want 1 and 0", s.Scale[0], v[0])
	}
}

func TestFromDense(t *testing.T) {
	_, err := FromDense(2, 3, make([]float64, 5))
	check.Error(t, err, "5 values", "want 6")
	_, err = FromDense(1, 2, []float64{1, math.NaN()})
	check.Error(t, err, "row 0", "column 1", "NaN")
	_, err = FromDense(math.MaxInt, 2, nil)
	check.Error(t, err, "out of range")
}
