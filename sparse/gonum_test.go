package sparse

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestGonum(t *testing.T) {
	data := []float64{0, 2, 0, -1, 0, 0, 0, 0, 5, 0, math.SmallestNonzeroFloat64, 0}
	dense := mat.NewDense(3, 4, data)
	a, err := FromDense(3, 4, data)
	sparsetest.Must(t, err)
	if a.NNZ() != 4 || !mat.Equal(a, dense) || !mat.Equal(a.T(), dense.T()) {
		t.Errorf("%v is not %v", mat.Formatted(a), mat.Formatted(dense))
	}
	// gonum multiplies by a *CSR and by its transpose.
	var gram mat.Dense
	gram.Mul(a.T(), a)
	if !mat.EqualApprox(&gram, a.Gram(), 1e-15) {
		t.Errorf("A'A is %v", mat.Formatted(&gram))
	}
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
