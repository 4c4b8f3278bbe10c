package graph

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestReadCovariance(t *testing.T) {
	for _, text := range []string{"1 0.5\n0.5 2\n", "1,0.5\r\n0.5,2", "# c\n1; 0.5\n\n0.5;\t2 # end\n"} {
		c, err := ReadCovariance(strings.NewReader(text), "c")
		sparsetest.Must(t, err)
		if c.Features() != 2 || c.At(0, 0) != 1 || c.At(0, 1) != 0.5 || c.At(1, 0) != 0.5 || c.At(1, 1) != 2 {
			t.Errorf("%q: %+v", text, c)
		}
		if r := c.Correlation(); r.At(1, 1) != 1 || math.Abs(r.At(0, 1)-0.5/math.Sqrt2) > 1e-15 {
			t.Errorf("%q: correlation %+v", text, r)
		}
	}
}

func TestReadCovarianceRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"empty", "# nothing\n", 0, 0, "0 rows of 0"},
		{"header", "a b\n1 0\n0 1\n", 1, 1, "neither a header"},
		{"word", "1 0\n0 x\n", 2, 3, "finite decimal"},
		{"infinite", "1 0\n0 inf\n", 2, 3, "finite decimal"},
		{"short row", "1 0\n0\n", 2, 1, "1 numbers: expected 2"},
		{"long row", "1 0\n0 1 2\n", 2, 5, "3 numbers: expected 2"},
		{"too many rows", "1 0\n0 1\n1 1\n", 3, 1, "row 3 of a matrix with 2 columns"},
		{"too few rows", "1 0\n", 0, 0, "1 rows of 2"},
		{"asymmetric", "1 0.5\n0.4 1\n", 0, 0, "entry (1, 2) is 0.5 but (2, 1) is 0.4"},
		{"negative variance", "1 0\n0 -1\n", 0, 0, "variance -1 of feature 2"},
		{"too large", "1 2\n2 1\n", 0, 0, "entry (1, 2) is 2"},
		{"variance 0", "1 0.5\n0.5 0\n", 0, 0, "entry (1, 2) is 0.5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadCovariance(strings.NewReader(tt.text), "c.txt")
			wantParseError(t, err, tt.line, tt.column, tt.want, "c.txt")
		})
	}
	_, err := NewCovariance(2, make([]float64, 3))
	sparsetest.CheckError(t, err, "2 features from 3 values")
	_, err = NewCovariance(1, []float64{math.NaN()})
	sparsetest.CheckError(t, err, "variance NaN")
	_, err = NewCovariance(2, []float64{1, math.NaN(), math.NaN(), 1})
	sparsetest.CheckError(t, err, "entry (1, 2) is NaN")
}

// TestCovarianceOfLargeValues checks that CorrelationOf refuses values whose squares or sums overflow, in
// both forms of a Covariance: with two columns it stores the matrix, and with three columns the data.
func TestCovarianceOfLargeValues(t *testing.T) {
	for _, large := range []float64{1e160, math.MaxFloat64} {
		for _, cols := range []int{2, 3} {
			entries := []sparse.Triplet{
				{Row: 0, Col: 0, Value: 1}, {Row: 0, Col: 1, Value: large}, {Row: 1, Col: 0, Value: 2},
				{Row: 1, Col: 1, Value: large / 2},
			}
			x, err := sparse.FromTriplets(2, cols, entries)
			sparsetest.Must(t, err)
			_, err = CorrelationOf(x)
			sparsetest.CheckError(t, err, "values of feature 2 are too large")
		}
	}
}

// TestCovarianceIsSymmetric checks that entries that differ from their mirror images by rounding
// are averaged.
func TestCovarianceIsSymmetric(t *testing.T) {
	c, err := NewCovariance(2, []float64{1, 0.3, 0.3 + 1e-12, 1})
	sparsetest.Must(t, err)
	if a := c.At(0, 1); a != c.At(1, 0) || math.Abs(a-0.3-5e-13) > 1e-16 {
		t.Errorf("entries %v and %v", a, c.At(1, 0))
	}
}

// TestSachsFromDataAndFile checks that data and a file of their covariance give the same graphs.
func TestSachsFromDataAndFile(t *testing.T) {
	text, err := os.ReadFile(sparsetest.DataFile(t, "ref", "sachs_7466x11.tsv"))
	sparsetest.Must(t, err)
	_, rows, _ := strings.Cut(string(text), "\n") // the first line has the names
	var values []float64
	for _, f := range strings.Fields(rows) {
		v, err := strconv.ParseFloat(f, 64)
		sparsetest.Must(t, err)
		values = append(values, v)
	}
	x, err := sparse.FromDense(len(values)/11, 11, values)
	sparsetest.Must(t, err)
	for _, tt := range []struct {
		file string
		make func(*sparse.CSR) (*Covariance, error)
	}{{"sachs_cor.txt", CorrelationOf}, {"sachs_cov.txt", CovarianceOf}} {
		dataCovariance, err := tt.make(x)
		sparsetest.Must(t, err)
		fileCovariance, err := ReadCovarianceFile(sparsetest.DataFile(t, "ref", tt.file))
		sparsetest.Must(t, err)
		for i := range 11 {
			for j := range 11 {
				size := math.Sqrt(fileCovariance.At(i, i) * fileCovariance.At(j, j))
				if a, b := dataCovariance.At(i, j), fileCovariance.At(i, j); math.Abs(a-b) > 1e-11*size {
					t.Errorf("%s: entry (%d, %d) is %v from data, %v in the file", tt.file, i, j, a, b)
				}
			}
		}
		fromData, err := Threshold(dataCovariance, 0.2, nil)
		sparsetest.Must(t, err)
		fromFile, err := Threshold(fileCovariance, 0.2, nil)
		sparsetest.Must(t, err)
		if diff := cmp.Diff(fromData.Edges(), fromFile.Edges()); diff != "" || len(fromFile.Edges()) == 0 {
			t.Errorf("%s: graphs differ: %s", tt.file, diff)
		}
	}
}

// FuzzReadCovariance checks that any text gives an error, or a symmetric matrix of
// finite numbers.
func FuzzReadCovariance(f *testing.F) {
	for _, s := range []string{
		"1 0.5\n0.5 1\n", "1,0\n0,1", "4", "", "1 2\n3", "1 0\n0 -1\n", "0 0\n0 0\n",
		"1e300 1e300\n1e300 1e300",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCovariance(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		for i := range c.Features() {
			for j := range i {
				if a := c.At(i, j); a != c.At(j, i) || math.IsNaN(a) || math.IsInf(a, 0) {
					t.Fatalf("entries (%d, %d): %v and %v", i, j, a, c.At(j, i))
				}
			}
		}
	})
}
