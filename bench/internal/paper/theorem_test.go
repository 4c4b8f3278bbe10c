package paper

import "testing"

func TestBounds(t *testing.T) {
	one, err := Theorem1(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := Theorem2(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Bound{one, two} {
		t.Logf("%s: %s", b.Theorem, b.Problem)
		for _, c := range b.Conditions {
			t.Log(c)
		}
		last := len(b.T) - 1
		t.Logf("T %g: gap %.3g, bound %.3g, worst ratio %.2g; rates %.2f, %.2f", b.T[last], b.Gap[last], b.Limit[last], b.Worst(), b.RateT, b.RateN)
		if len(b.T) != boundOuter || b.Worst() > 1 || !(b.Gap[last] > 0) {
			t.Errorf("%s: %d points, worst ratio %g", b.Theorem, len(b.T), b.Worst())
		}
	}
	if one.RateT < 0.8 || one.RateN > one.RateT {
		t.Errorf("Theorem 1: rates %g in outer iterations, %g in gradients", one.RateT, one.RateN)
	}
}
