package report

import "testing"

func TestBounds(t *testing.T) {
	list, err := bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		t.Logf("%s: %s", b.Theorem, b.Problem)
		for _, c := range b.Conditions {
			t.Log(c)
		}
		last := len(b.T) - 1
		t.Logf("T %g: gap %.3g, bound %.3g, worst ratio %.2g; rates %.2f, %.2f",
			b.T[last], b.Gap[last], b.GapBound[last], b.Worst, b.RateT, b.RateN)
		if len(b.T) != 60 || b.Worst > 1 || !(b.Gap[last] > 0) {
			t.Errorf("%s: %d points, worst ratio %g", b.Theorem, len(b.T), b.Worst)
		}
	}
	if one := list[0]; len(list) != 3 || one.RateT < 0.8 || one.RateN > one.RateT {
		t.Errorf("%d bounds; Theorem 1: rates %g in outer iterations, %g in gradients", len(list), one.RateT, one.RateN)
	}
}
