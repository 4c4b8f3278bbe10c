package term

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// plainLoss is a caller's own loss without a conjugate.
type plainLoss struct{ OwnLoss }

// rateLoss is a caller's own loss that is not a function of label − margin.
type rateLoss struct{ OwnLoss }

func (rateLoss) Value(margin, label float64) float64 { return math.Exp(margin) - label*margin }

// strictLoss is a caller's own loss that accepts only the given labels, and panics for others.
type strictLoss struct {
	OwnLoss
	labels []float64
}

func (l strictLoss) Validate(labels []float64) error {
	for _, b := range labels {
		if !slices.Contains(l.labels, b) {
			return errorf("label %v", b)
		}
	}
	return nil
}

func (l strictLoss) Value(margin, label float64) float64 {
	l.mustAccept(label)
	return l.OwnLoss.Value(margin, label)
}

func (l strictLoss) Slope(margin, label float64) float64 {
	l.mustAccept(label)
	return l.OwnLoss.Slope(margin, label)
}

func (l strictLoss) mustAccept(label float64) {
	if err := l.Validate([]float64{label}); err != nil {
		panic(err)
	}
}

func labelsFor(l Loss) []float64 {
	if l.Traits().Labels == Counts {
		return []float64{0, 1, 0.3, 70}
	}
	return []float64{-1, 1}
}

func TestLosses(t *testing.T) {
	for _, l := range append(slices.Clone(losses), Huber{Delta: 0.3}) {
		if err := CheckLoss(l, labelsFor(l)); err != nil {
			t.Error(err)
		}
		if got, err := ParseLoss(l.String()); err != nil || got != l {
			t.Errorf("ParseLoss(%q) = %v, %v", l, got, err)
		}
		if LossOf(l) != l || !l.Traits().HasConjugate {
			t.Errorf("%v is not known", l)
		}
		for _, b := range labelsFor(l) {
			for m := -30.03; m < 30; m += 0.37 {
				checkMethodsAgree(t, l, m, b)
			}
		}
	}
}

func checkMethodsAgree(t *testing.T, l Loss, m, b float64) {
	t.Helper()
	margin, label, slope, curvature := []float64{m}, []float64{b}, make([]float64, 1), make([]float64, 1)
	value := l.Slopes(slope, margin, label)
	s := slope[0]
	l.Curvatures(curvature, slope, margin, label, 0)
	secondDerivative := l.SecondDerivative(m, s, b)
	lo, hi := l.SlopeRange(b)
	switch {
	case s != l.Slope(m, b):
		t.Errorf("%v at %v, label %v: Slopes gives %v, Slope %v", l, m, b, s, l.Slope(m, b))
	case math.Abs(value-l.Value(m, b)) > 1e-15*(1+value):
		t.Errorf("%v at %v, label %v: Slopes returns %v, Value %v", l, m, b, value, l.Value(m, b))
	case math.Abs(curvature[0]-secondDerivative) > 1e-12:
		t.Errorf("%v at %v, label %v: Curvatures gives %v, SecondDerivative %v", l, m, b, curvature[0], secondDerivative)
	case secondDerivative > l.Curvature():
		t.Errorf("%v at %v, label %v: second derivative %v exceeds the bound %v", l, m, b, secondDerivative, l.Curvature())
	case s < lo || s > hi:
		t.Errorf("%v at %v, label %v: slope %v is not in [%v, %v]", l, m, b, s, lo, hi)
	}
	if sum := l.Value(m, b) + l.Conjugate(s, b); math.Abs(sum-s*m) > 1e-13*(1+math.Abs(s*m)) {
		t.Errorf("%v at %v, label %v: φ(t) + φ*(φ'(t)) = %v and t φ'(t) = %v", l, m, b, sum, s*m)
	}
}

// TestDamping checks that full damping gives the curvature of a parabola that touches the loss at the margin
// m and is nowhere below the loss. If the second derivative is unbounded, it checks this only between m and
// the minimum of the loss.
func TestDamping(t *testing.T) {
	for _, l := range append(slices.Clone(losses), LossOf(plainLoss{Squared{}})) {
		for _, b := range labelsFor(l) {
			for m := -8.03; m < 8; m += 0.37 {
				slope, curvature := []float64{l.Slope(m, b)}, make([]float64, 1)
				l.Curvatures(curvature, slope, []float64{m}, []float64{b}, 1)
				for margin := -20.0; margin < 20; margin += 0.5 {
					d := margin - m
					if math.IsInf(l.Curvature(), 1) && (l.Slope(m, b)*d > 0 || l.Slope(m, b)*l.Slope(margin, b) < 0) {
						continue
					}
					if parabola := l.Value(m, b) + slope[0]*d + curvature[0]*d*d/2; parabola < l.Value(margin, b)-1e-10 {
						t.Fatalf("%v: the parabola at %v, label %v, is %v at %v, and the loss %v",
							l, m, b, parabola, margin, l.Value(margin, b))
					}
				}
			}
		}
	}
}

func TestOwnTraits(t *testing.T) {
	for name, c := range map[string]struct {
		loss OwnLoss
		want Traits
	}{
		"squared": {plainLoss{Squared{}}, Traits{
			Name: "squared", DependsOnResidual: true, Accuracy: ownAccuracy,
		}},
		"rates": {rateLoss{Squared{}}, Traits{Name: "squared", Accuracy: ownAccuracy}},
		"logistic": {
			plainLoss{Logistic{}},
			Traits{Name: "logistic", Labels: Classes, NeverZero: true, Accuracy: ownAccuracy},
		},
		"labels 0 and 1": {
			strictLoss{Logistic{}, []float64{0, 1}},
			Traits{Name: "logistic", Labels: Classes, NeverZero: true, Accuracy: ownAccuracy},
		},
		"labels 0, 2, …": {
			strictLoss{Squared{}, []float64{0, 2, 4}},
			Traits{Name: "squared", Labels: Classes, Accuracy: ownAccuracy},
		},
		"shares":        {strictLoss{Squared{}, []float64{0.25, 0.5}}, Traits{Name: "squared", Accuracy: ownAccuracy}},
		"squared hinge": {plainLoss{SquaredHinge{}}, Traits{Name: "squared-hinge", Labels: Classes, Accuracy: ownAccuracy}},
	} {
		if got := LossOf(c.loss).Traits(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestParseLoss checks that a wrong name or argument is refused.
func TestParseLoss(t *testing.T) {
	for _, text := range []string{
		"", "hinge", "logistic:1", "huber:", "huber:0", "huber:-1", "huber:Inf", "huber:x", "huber:1:2",
	} {
		l, err := ParseLoss(text)
		if err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
	want := regexp.MustCompile(`^solver: no loss "hinge"; want logistic, squared-hinge, squared, huber\[:DELTA\].* or \S+ with DELTA above 0$`)
	if _, err := ParseLoss("hinge"); !want.MatchString(err.Error()) {
		t.Errorf("%q, want %s", err, want)
	}
}
