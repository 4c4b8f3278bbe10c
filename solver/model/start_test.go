package model

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestStart checks that a fit that starts from the model for another lambda reaches the optimum, and that a
// fit that starts from its own result needs at most two Newton steps.
func TestStart(t *testing.T) {
	x, y := randomData(t, 200, 9, 4, true)
	for name, c := range map[string]struct {
		spec   Spec
		labels []float64
	}{
		"lasso": {Spec{}, y}, "graph": {Spec{Graph: graph.Chain(9)}, y},
		"no intercept": {Spec{NoIntercept: true}, y}, "classes": {Spec{}, mixedLabels(200, 3)},
		"solver": {Spec{Settings: solver.Settings{OuterIterations: minimizeIterations}}, y},
	} {
		spec := c.spec
		spec.Lambda, spec.RelTol = 0.02, 1e-9
		want := mustFit(t, &spec, x, c.labels)
		otherSpec := spec
		otherSpec.Lambda = 0.04
		spec.Start = mustFit(t, &otherSpec, x, c.labels)
		modelFromOther := mustFit(t, &spec, x, c.labels)
		spec.Start = modelFromOther
		modelFromResult := mustFit(t, &spec, x, c.labels)
		for k := range want.Columns {
			w, o, r := want.Columns[k], modelFromOther.Columns[k], modelFromResult.Columns[k]
			if math.Abs(o.Certificate.Objective-w.Certificate.Objective) > o.Certificate.Gap+w.Certificate.Gap {
				t.Errorf("%s: objective %v, from another lambda %v", name, w.Certificate.Objective, o.Certificate.Objective)
			}
			if r.Run.NewtonSteps > 2 || r.Run.NewtonSteps >= w.Run.NewtonSteps {
				t.Errorf("%s: %d Newton steps, from the result %d", name, w.Run.NewtonSteps, r.Run.NewtonSteps)
			}
		}
	}
	if _, err := Fit(t.Context(), &Spec{Start: &Model{Columns: []Column{{Coefficients: []float64{1}}}}}, x, y); err == nil {
		t.Error("a start of other features is not refused")
	}
}

// TestFarStart checks that Poisson models converge from a start at which the loss is huge.
func TestFarStart(t *testing.T) {
	x := denseMatrix(t, 3, 1, []float64{1, 2, 3})
	y := []float64{1, 2, 4}
	data := storeInFile(t, &sparse.Dataset{X: x, Labels: y}, true)
	for name, spec := range map[string]Spec{
		"lasso": {}, "graph": {Graph: graph.Chain(1)}, "box": {Domain: solver.NewBox(1, -1, 60)},
		"file": {Memory: 1 << 20},
	} {
		spec.Loss, spec.Lambda, spec.Mu, spec.Standardize = solver.Poisson{}, 0.01, 1, StandardizeOff
		input := data.memoryData
		if spec.Memory > 0 {
			input = data.fileData
		}
		want := mustFit(t, &spec, input.X, y).Columns[0].Certificate
		spec.Start = &Model{Columns: []Column{{Coefficients: []float64{50}}}}
		m, err := Fit(t.Context(), &spec, input.X, y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c := m.Columns[0].Certificate; math.Abs(c.Objective-want.Objective) > c.Gap+want.Gap {
			t.Errorf("%s: %+v, without a start %+v", name, c, want)
		}
	}
}

// TestStartByName checks that a fit that starts from a model of the same classes needs at most two Newton
// steps, although the classes have other numbers or the positive class has changed.
func TestStartByName(t *testing.T) {
	x, labels := randomData(t, 200, 9, 4, true)
	y, negatedLabels, classLabels, turnedLabels := make([]float64, 200), make([]float64, 200),
		mixedLabels(200, 3), make([]float64, 200)
	for i, v := range labels {
		y[i] = (v - 5) / 2 // the labels 3 and 7 become -1 and 1, as in a Dataset
		negatedLabels[i] = -y[i]
		turnedLabels[i] = math.Mod(classLabels[i]+1, 3) // the classes 0, 1 and 2 get the numbers 1, 2 and 0
	}
	twoClassData := func(labels []float64, negative, positive string) sparse.Dataset {
		return sparse.Dataset{X: x, Labels: labels, Signs: true, Classes: sparse.Classes{
			Values: []float64{-1, 1}, Names: []string{negative, positive},
		}}
	}
	threeClassData := func(labels []float64, names ...string) sparse.Dataset {
		return sparse.Dataset{X: x, Labels: labels, Classes: sparse.Classes{Values: []float64{0, 1, 2}, Names: names}}
	}
	numberData := func(labels []float64, negative, positive float64) sparse.Dataset {
		return sparse.Dataset{X: x, Labels: labels, Signs: true, Classes: sparse.Classes{Values: []float64{negative, positive}}}
	}
	low := -1.0
	for name, c := range map[string]struct {
		data, nextData sparse.Dataset
		positive       *float64
	}{
		"words":         {twoClassData(y, "cat", "dog"), twoClassData(negatedLabels, "dog", "cat"), nil},
		"numbers":       {numberData(y, 0, 1), numberData(negatedLabels, 1, 0), nil},
		"Spec.Positive": {twoClassData(y, "cat", "dog"), twoClassData(y, "cat", "dog"), &low},
		"more than two": {
			threeClassData(classLabels, "ash", "elm", "oak"),
			threeClassData(turnedLabels, "oak", "ash", "elm"), nil,
		},
		"the same numbers": {numberData(y, 1, -1), numberData(y, 1, -1), nil},
	} {
		spec := Spec{Lambda: 0.02, Settings: solver.Settings{RelTol: 1e-9}}
		startModel, err := FitData(t.Context(), &spec, &c.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		spec.Start, spec.Positive = startModel, c.positive
		m, err := FitData(t.Context(), &spec, &c.nextData)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k, column := range m.Columns {
			if column.Run.NewtonSteps > 2 {
				t.Errorf("%s: column %d: %d Newton steps from the result", name, k, column.Run.NewtonSteps)
			}
		}
	}
}

// TestStartOfOtherClasses checks that a start of other classes is ignored, although both have two classes.
func TestStartOfOtherClasses(t *testing.T) {
	x, y := randomData(t, 200, 9, 4, true)
	spec := &Spec{Lambda: 0.02}
	want := mustFit(t, spec, x, y).Columns[0].Run.NewtonSteps
	for name, c := range map[string]struct {
		classes sparse.Classes
		ignored bool
	}{
		"both other":    {sparse.Classes{Values: []float64{0, 1}}, true},
		"one other":     {sparse.Classes{Values: []float64{3, 8}}, true},
		"one turned":    {sparse.Classes{Values: []float64{7, 8}}, true},
		"words":         {sparse.Classes{Values: []float64{3, 7}, Names: []string{"a", "b"}}, true},
		"equal":         {sparse.Classes{Values: []float64{3, 7}}, false},
		"of other sign": {sparse.Classes{Values: []float64{7, 3}}, false},
	} {
		start := mustFit(t, spec, x, y)
		start.Classes = c.classes
		if c.classes.Values[0] == 7 {
			column := &start.Columns[0]
			for j := range column.Coefficients {
				column.Coefficients[j] *= -1
			}
			column.Intercept *= -1
		}
		startSpec := *spec
		startSpec.Start = start
		if got := mustFit(t, &startSpec, x, y).Columns[0].Run.NewtonSteps; (got == want) != c.ignored {
			t.Errorf("%s: %d Newton steps, without a start %d", name, got, want)
		}
	}
}
