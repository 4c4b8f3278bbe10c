package report

import (
	"math"
	"testing"
)

func TestCurve(t *testing.T) {
	c := curve{}
	for k := range 30 {
		x := float64(k + 1)
		y := 3 * math.Pow(x, -1.5)
		c.add(x, y, y, y)
	}
	if r := rate(c.x, c.mean); math.Abs(r-1.5) > 1e-9 {
		t.Errorf("exponent %g of x^-1.5", r)
	}
	if v, ok := c.at(4.5); !ok || v > c.mean[3] || v < c.mean[4] {
		t.Errorf("%g between %g and %g", v, c.mean[3], c.mean[4])
	}
	if _, ok := c.at(31); ok {
		t.Error("a value beyond the curve")
	}
	if v := c.until(10).end(); v != c.mean[9] {
		t.Errorf("cut at 10: %g", v)
	}
	if s, ok := linear([]float64{0, 2}, []float64{1, 5}, 1); !ok || s != 3 {
		t.Errorf("half way from 1 to 5: %g", s)
	}
}
