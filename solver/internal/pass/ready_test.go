package pass

import (
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestPrepare: what has ended is looked at no further.
func TestPrepare(t *testing.T) {
	x, err := sparse.FromDense(2, 2, []float64{3, 4, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for parts, want := range []Ready{{}, {Rows: x.Compact(nil)}, {Rows: x.Compact(nil), Longest: 25}} {
		asked := 0
		r := Prepare(nil, x, false, func() bool { asked++; return asked > parts })
		if compact := r.Rows.Form() != x.Rows(0, 2).Form(); compact != (parts > 0) || r.Longest != want.Longest || (r.Scale > 0) != (parts > 1) || r.Rows.Len() != 2 {
			t.Errorf("ended after %d parts: %+v", parts, r)
		}
	}
}
