package linalg

import (
	"math"
	"reflect"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/sparse"
)

// MaxEntry is the largest absolute value allowed for rho and for an entry of a constraint
// matrix, so that rho A'A does not overflow. Entries below about 1e-154 may count as 0 in A'A, because their
// squares underflow.
const MaxEntry = 1e100

// Check returns an error if m is nil or a nil pointer, or a matrix with an entry whose absolute value is
// above MaxEntry. name is the name of m in the error.
func Check(name string, m Map) error {
	if v := reflect.ValueOf(m); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return pkgerr.Errorf("solver",
			"%s is a nil %T in an interface that is not nil; leave the field out for the default", name, m)
	}
	if a, ok := m.(*sparse.CSR); ok {
		if v := largestEntry(a); v > MaxEntry {
			return pkgerr.Errorf("solver",
				"%s has an entry of size %g; squares of entries above %g overflow: scale the matrix", name, v,
				MaxEntry)
		}
	}
	return nil
}

func largestEntry(a *sparse.CSR) float64 {
	maximum := 0.0
	rows, _ := a.Dims()
	for i := range rows {
		_, val := a.Row(i)
		for _, v := range val {
			maximum = max(maximum, math.Abs(v))
		}
	}
	return maximum
}
