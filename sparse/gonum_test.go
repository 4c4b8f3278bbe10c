package sparse

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestGonum(t *testing.T) {
	dense := mat.NewDense(3, 4, []float64{0, 2, 0, -1, 0, 0, 0, 0, 5, 0, math.SmallestNonzeroFloat64, 0})
	a, err := FromMatrix(dense)
	if err != nil {
		t.Fatal(err)
	}
	if a.NNZ() != 4 || !mat.Equal(a, dense) || !mat.Equal(a.T(), dense.T()) {
		t.Errorf("%v is not %v", mat.Formatted(a), mat.Formatted(dense))
	}
	transpose, err := FromMatrix(a.T())
	if err != nil || !sameBits(transpose, a.Transpose()) {
		t.Errorf("the transpose comes back as %v, %v", transpose, err)
	}
	denseTranspose, err := FromMatrix(dense.T())
	if err != nil || !sameBits(denseTranspose, transpose) {
		t.Errorf("the transpose of a dense matrix is %v, %v", denseTranspose, err)
	}
	if same, err := FromMatrix(a); err != nil || same != a {
		t.Errorf("a CSR is copied: %v", err)
	}
	// gonum multiplies by a *CSR and by its transpose.
	var gram mat.Dense
	gram.Mul(a.T(), a)
	if !mat.EqualApprox(&gram, a.Gram(), 1e-15) {
		t.Errorf("A'A is %v", mat.Formatted(&gram))
	}
	dense.Set(1, 2, math.Inf(1))
	_, err = FromMatrix(dense)
	sparsetest.CheckError(t, err, "row 1", "column 2", "not finite")
}

func TestAtPanics(t *testing.T) {
	a := Identity(2)
	for _, place := range [][2]int{{2, 0}, {-1, 0}, {0, 2}, {0, -1}} {
		func() {
			defer func() {
				if _, ok := recover().(mat.Error); !ok {
					t.Errorf("At(%d, %d) does not panic as gonum does", place[0], place[1])
				}
			}()
			a.At(place[0], place[1])
		}()
	}
}
