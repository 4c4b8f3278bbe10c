package model

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestClassesOfDataset checks that FitData takes the positive class from the order of Dataset.Classes, with
// and without Signs, and refuses classes that do not describe the labels.
func TestClassesOfDataset(t *testing.T) {
	x := denseMatrix(t, 4, 1, []float64{1, 2, 3, 4})
	signs, numbers := []float64{-1, 1, -1, 1}, []float64{0, 1, 0, 1}
	swapped := sparse.Classes{Values: []float64{1, 0}, Names: []string{"yes", "no"}}
	oneName := sparse.Classes{Values: []float64{0, 1}, Names: []string{"no"}}
	for _, c := range []struct {
		data    sparse.Dataset
		wantErr string
	}{
		{sparse.Dataset{Labels: numbers, Classes: swapped}, ""},
		{sparse.Dataset{Labels: signs, Classes: swapped, Signs: true}, ""},
		{sparse.Dataset{Labels: signs, Classes: swapped}, "set Dataset.Signs to true"},
		{sparse.Dataset{Labels: signs, Classes: oneName, Signs: true}, `the names ["no"]`},
	} {
		c.data.X = x
		m, err := FitData(t.Context(), &Spec{Lambda: 0.01}, &c.data)
		if c.wantErr == "" {
			if err != nil || m.Classes.Name(1) != "no" {
				t.Errorf("%+v: %v", c.data, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%+v: %v, want %s", c.data, err, c.wantErr)
		}
	}
}

// TestFitData checks that FitData returns the model that Fit returns for the same rows, with the names and
// fill values of the table. The models of PathData and CVData must have the same names and fill values.
func TestFitData(t *testing.T) {
	const table = "a,city,b,log,ill\n1,Ulm,3,0.5,no\n2,Bonn,,0,yes\n0,Ulm,4,1,no\n3,Bonn,9,0,yes\n2,Ulm,1,0,yes\n1,Bonn,2,0,no\n"
	names := []string{"a", "city=Bonn", "city=Ulm", "b"}
	two := sparse.Classes{Values: []float64{0, 1}, Names: []string{"no", "yes"}}
	swapped := sparse.Classes{Values: []float64{1, 0}, Names: []string{"yes", "no"}}
	classes := sparse.Classes{Values: []float64{0, 1, 2}, Names: []string{"ill", "no", "yes"}}
	for name, c := range map[string]struct {
		text        string
		readOptions sparse.ReadOptions
		spec        Spec
		classes     sparse.Classes
		names       []string
	}{
		"two":      {table, sparse.ReadOptions{}, Spec{}, two, names},
		"chosen":   {table, sparse.ReadOptions{PositiveName: "no"}, Spec{}, swapped, names},
		"Positive": {table, sparse.ReadOptions{}, Spec{Positive: new(0.0)}, swapped, names},
		"Features": {
			table, sparse.ReadOptions{}, Spec{Features: []string{"1", "2", "3", "4"}}, two,
			[]string{"1", "2", "3", "4"},
		},
		"classes": {
			table + "4,Bonn,7,0,ill\n4,Ulm,9,0,ill\n", sparse.ReadOptions{MaxClasses: 3}, Spec{},
			classes, names,
		},
		"numbers": {
			strings.NewReplacer("no\n", "1.5\n", "yes\n", "4\n").Replace(table), sparse.ReadOptions{Regression: true},
			Spec{Loss: solver.Squared{}}, sparse.Classes{}, names,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.readOptions.Table = sparse.TableOptions{Missing: sparse.MissingMedian, Offset: "log"}
			d, err := sparse.Read(strings.NewReader(c.text), "t.csv", &c.readOptions)
			if err != nil {
				t.Fatal(err)
			}
			c.spec.Lambda = 0.01
			plainSpec := c.spec
			plainSpec.Offsets = d.Offsets
			if c.spec.Positive == nil && d.Signs {
				plainSpec.Positive = &d.Classes.Values[1]
			}
			want := mustFit(t, &plainSpec, d.X, d.OriginalLabels())
			want.Features, want.IndexBase, want.Classes = c.names, 1, c.classes
			want.LabelColumn, want.OffsetColumn, want.Fill = "ill", "log", d.Table.Fill
			m, err := FitData(t.Context(), &c.spec, d)
			if diff := cmp.Diff(want, m); err != nil || diff != "" || want.Fill["b"] == 0 {
				t.Errorf("FitData: %v: %s", err, diff)
			}
			set := &PathSettings{Lambdas: []float64{0.01}}
			ignoreRun := cmpopts.IgnoreFields(Column{}, "Run", "Certificate", "Coefficients", "Intercept")
			for s, err := range PathData(t.Context(), &c.spec, d, set) {
				if diff := cmp.Diff(want, s.Model(), ignoreRun); err != nil || diff != "" {
					t.Errorf("PathData: %v: %s", err, diff)
				}
			}
			result, err := CVData(t.Context(), &c.spec, d, &CVSettings{Folds: 2, Path: *set})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, result.BestModel(), ignoreRun); diff != "" {
				t.Errorf("CVData: %s", diff)
			}
		})
	}
	if _, err := FitData(t.Context(), nil, nil); err == nil {
		t.Error("a fit of no data")
	}
}

// TestFitDataOfSelectedRows checks that a model fitted to some rows of a file reads the file as the rows were
// read: the number of the first feature is the same.
func TestFitDataOfSelectedRows(t *testing.T) {
	const file = "0 1:1 2:3\n1 1:2\n0 2:1\n1 1:4 2:1\n0 1:1 2:2\n"
	d, err := sparse.Read(strings.NewReader(file), "d.svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	selected, err := d.SelectRows([]int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	m, err := FitData(t.Context(), &Spec{Lambda: 0.01}, selected)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sparse.Read(strings.NewReader(file), "d.svm", m.ReadOptions())
	if err != nil || m.IndexBase != 1 || again.X.At(0, 0) != d.X.At(0, 0) {
		t.Errorf("%v, index base %d", err, m.IndexBase)
	}
}

// TestFitDataOfSelectedClasses checks that a model keeps the names of its classes if Dataset.Classes lists
// more, and that a fit that starts from it finds each class by its name.
func TestFitDataOfSelectedClasses(t *testing.T) {
	var table strings.Builder
	table.WriteString("a,b,kind\n")
	for i := range 60 {
		fmt.Fprintf(&table, "%d,%d,%s\n", i%7, i*i%11, []string{"ash", "elm", "fir", "oak"}[(i*i/7)%4])
	}
	d, err := sparse.Read(strings.NewReader(table.String()), "t.csv", &sparse.ReadOptions{MaxClasses: 4})
	if err != nil {
		t.Fatal(err)
	}
	without := func(labels ...float64) *sparse.Dataset {
		var rows []int
		for i, label := range d.Labels {
			if !slices.Contains(labels, label) {
				rows = append(rows, i)
			}
		}
		selected, err := d.SelectRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		return selected
	}
	spec := &Spec{Lambda: 0.01, Settings: solver.Settings{RelTol: 1e-9}}
	three, err := FitData(t.Context(), spec, without(0))
	if want := []string{"elm", "fir", "oak"}; err != nil || !slices.Equal(three.Classes.Names, want) {
		t.Fatalf("%v, names %q, want %q", err, three.Classes.Names, want)
	}
	startSpec := *spec
	startSpec.Start = three
	again, err := FitData(t.Context(), &startSpec, without(0))
	for k := range again.Columns {
		if steps := again.Columns[k].Run.NewtonSteps; err != nil || steps > 2 {
			t.Errorf("%v, column %d: %d Newton steps from the result", err, k, steps)
		}
	}
	two, err := FitData(t.Context(), spec, without(0, 2))
	if err != nil || !slices.Equal(two.Classes.All(), []string{"elm", "oak"}) {
		t.Fatalf("%v, classes %v", err, two.Classes)
	}
	if part, err := sparse.Read(strings.NewReader("a,b,kind\n1,2,oak\n3,4,elm\n"), "t.csv",
		two.ReadOptions()); err != nil || !slices.Equal(part.Labels, []float64{1, -1}) {
		t.Errorf("%v, %v", part, err)
	}
}

// TestCVDataNamesLabels checks that the error for a class whose rows are all in one fold has the label's
// word.
func TestCVDataNamesLabels(t *testing.T) {
	d, err := sparse.Read(strings.NewReader("a,ill\n1,no\n2,yes\n3,no\n4,yes\n5,no\n"), "t.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = CVData(t.Context(), nil, d, &CVSettings{Assignment: []int{0, 1, 0, 1, 1}})
	sparsetest.CheckError(t, err, "has rows of label yes, row 1 the first")
}

// TestFitDataLatin1 checks that FitData returns an error if a name is not UTF-8.
func TestFitDataLatin1(t *testing.T) {
	for _, table := range []string{
		"\xe9,ill\n1,no\n2,yes\n", "a,\xe9\n1,no\n2,yes\n", "a,ill\n1,no\xe9\n2,yes\n",
		"a,b,ill\n1,\xe9,no\n2,c,yes\n", "a,ill\n1,\xe9\n2,b\n3,c\n1,\xe9\n2,b\n3,c\n",
	} {
		d, err := sparse.Read(strings.NewReader(table), "d.csv", &sparse.ReadOptions{MaxClasses: 3})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FitData(t.Context(), nil, d); err == nil || !strings.Contains(err.Error(), `\xe9`) ||
			!strings.Contains(err.Error(), "is not UTF-8") {
			t.Errorf("%q: %v", table, err)
		}
	}
}

// TestFitDataOfFile checks that a model fitted out of core has the original labels of the Dataset,
// although the labels in the file are -1 and +1.
func TestFitDataOfFile(t *testing.T) {
	x, y := randomData(t, 60, 3, 1, true)
	file := filepath.Join(t.TempDir(), "d.scas")
	data := &sparse.Dataset{X: x, Labels: y, Names: []string{"a", "b", "c"}}
	if err := sparse.WriteFile(file, data); err != nil {
		t.Fatal(err)
	}
	d, err := sparse.ReadFile(file, &sparse.ReadOptions{Memory: 1, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	spec := &Spec{Memory: 1 << 20}
	m, err := FitData(t.Context(), spec, d)
	if err != nil || !slices.Equal(m.Classes.Values, []float64{3, 7}) || !slices.Equal(m.Features, data.Names) {
		t.Errorf("%+v, %v", m, err)
	}
	specOfNumbers := &Spec{Memory: 1 << 20, Loss: solver.Squared{}, Lambda: 100} // all penalised coefficients are 0
	mean := 0.0
	for _, v := range y {
		mean += v / 60
	}
	modelOfNumbers, err := FitData(t.Context(), specOfNumbers, d)
	if err != nil || math.Abs(modelOfNumbers.Columns[0].Intercept-mean) > 1e-9 {
		t.Errorf("labels as numbers: %+v, %v; their mean is %v", modelOfNumbers, err, mean)
	}
	// Held-out labels are numbers as well, not classes.
	numberCV := &CVSettings{Folds: 3, Path: PathSettings{Lambdas: []float64{100}}}
	if result, err := CVData(t.Context(), specOfNumbers, d, numberCV); err != nil || math.Abs(result.Mean[0]-4) > 0.5 {
		t.Errorf("cross-validation of labels as numbers: %+v, %v; their variance is about 4", result, err)
	}
	result, err := CVData(t.Context(), spec, d, &CVSettings{Folds: 3, Path: PathSettings{Count: 3}})
	if err != nil || !cmp.Equal(result.BestModel().Classes, m.Classes) {
		t.Errorf("%+v, %v", result, err)
	}
	set := &CVSettings{Folds: 3, Path: PathSettings{Count: 3}, Metric: func(
		m *Model, _ *sparse.CSR, y []float64, _ *ScoreSettings,
	) (float64, error) {
		if m.Classes.Values[1] != 7 || m.Features[2] != "c" || slices.Max(y) != 7 {
			t.Errorf("Metric gets the labels %v, the features %q and rows with the labels %v", m.Classes, m.Features, y)
		}
		return 1, nil
	}}
	_, err = CVData(t.Context(), spec, d, set)
	if err != nil {
		t.Error(err)
	}
	// y has the original labels.
	validationSettings := &PathSettings{Count: 3, Validation: &Validation{X: x, Y: y}}
	for step, err := range PathData(t.Context(), spec, d, validationSettings) {
		if err != nil || !(step.ValidationScore < 0.7) {
			t.Errorf("%+v, %v", step, err)
		}
	}
	// The keys of ClassWeights, and Positive, are original labels, not −1 and +1.
	negative, positive := 3.0, 7.0
	weightedSpec := Spec{
		ClassWeights: map[float64]float64{3: 5, 1: 100}, Positive: &positive, Lambda: 0.01,
		Settings: solver.Settings{RelTol: 1e-9},
	}
	want := mustFit(t, &weightedSpec, x, y)
	weightedSpec.Memory = 1 << 20
	m, err = FitData(t.Context(), &weightedSpec, d)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(m.Columns[0].Certificate.Objective-want.Columns[0].Certificate.Objective) > 1e-8 {
		t.Errorf("%+v, in memory %+v", m.Columns, want.Columns)
	}
	otherModel, err := FitData(t.Context(),
		&Spec{Memory: 1 << 20, Positive: &negative, Settings: solver.Settings{RelTol: 1e-9}}, d)
	if err != nil || !slices.Equal(otherModel.Classes.Values, []float64{7, 3}) {
		t.Fatalf("%+v, %v", otherModel, err)
	}
	want = mustFit(t, &Spec{Positive: &negative, Settings: solver.Settings{RelTol: 1e-9}}, x, y)
	if math.Abs(otherModel.Columns[0].Intercept-want.Columns[0].Intercept) > 1e-3 {
		t.Errorf("%+v, in memory %+v", otherModel.Columns, want.Columns)
	}
}
