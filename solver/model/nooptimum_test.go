package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestDependent checks that the error of an unpenalised fit names features that depend on each other.
func TestDependent(t *testing.T) {
	x := denseMatrix(t, 4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1})
	_, err := Fit(context.Background(), &Spec{}, x, []float64{1, 1, 0, 0})
	if !errors.Is(err, solver.ErrNotConverged) || !strings.Contains(err.Error(), "depend on each other") {
		t.Errorf("%v", err)
	}
}

// TestNoOptimum checks that a fit and its model file report NoOptimum exactly if coefficients without a
// penalty separate the classes.
func TestNoOptimum(t *testing.T) {
	separableData := []float64{2, 1, 3, 0, -1, 1, -2, 0} // the first feature separates the classes
	mixedData := []float64{2, 1, -3, 0, -1, 1, 2, 0.5}   // no linear function separates the classes
	y := []float64{1, 1, 0, 0}
	for _, c := range []struct {
		name string
		data []float64
		spec Spec
		want bool
	}{
		{"separable", separableData, Spec{}, true},
		{"separable without intercept", separableData, Spec{NoIntercept: true}, true},
		{"by package solver", separableData, Spec{Settings: solver.Settings{OuterIterations: minimizeIterations}}, true},
		{"penalised", separableData, Spec{Lambda: 1e-3}, false},
		{"ridge", separableData, Spec{Lambda: 1e-3, Penalty: ElasticNet{L1Ratio: 0}}, false},
		{"free feature", separableData, Spec{Lambda: 1e-3, PenaltyFactors: []float64{0, 1}}, true},
		{"other feature free", separableData, Spec{Lambda: 1e-3, PenaltyFactors: []float64{1, 0}}, false},
		{"not separable", mixedData, Spec{}, false},
		{"squared hinge has an optimum", separableData, Spec{Loss: solver.SquaredHinge{}}, false},
		{"numbers", separableData, Spec{Loss: solver.Squared{}}, false},
	} {
		x := denseMatrix(t, 4, 2, c.data)
		m, err := Fit(context.Background(), &c.spec, x, y)
		if m == nil {
			t.Fatal(c.name, err)
		}
		if m.Columns[0].Certificate.NoOptimum != c.want {
			t.Errorf("%s: %+v, %v, coefficients %v and %v",
				c.name, m.Columns[0].Certificate, err, m.Columns[0].Coefficients, m.Columns[0].Intercept)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		if loaded, err := Read(&file, "model"); err != nil || loaded.Columns[0].Certificate != m.Columns[0].Certificate {
			t.Errorf("%s: read back %+v, %v", c.name, loaded.Columns[0].Certificate, err)
		}
		if c.want { // there is no optimum: twice the margins have a smaller loss
			margins, err := m.Margins(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			var loss, doubleLoss float64
			for i, v := range margins {
				sign := 2*y[i] - 1
				loss += math.Log1p(math.Exp(-sign * v))
				doubleLoss += math.Log1p(math.Exp(-sign * 2 * v))
			}
			if !(doubleLoss < loss) {
				t.Errorf("%s: loss %v, %v of twice the margins", c.name, loss, doubleLoss)
			}
		}
	}
	x := denseMatrix(t, 4, 2, separableData)
	_, err := LambdaMax(context.Background(), &Spec{PenaltyFactors: []float64{0, 1}}, x, y)
	sparsetest.CheckError(t, err, "without a penalty separate the classes")
}
