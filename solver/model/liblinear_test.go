package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestWriteLiblinear writes models as liblinear files. ReadLiblinear must return the same models,
// and liblinear-predict must compute the same predictions and probabilities.
func TestWriteLiblinear(t *testing.T) {
	twoClassData, twoLabels := randomData(t, 80, 8, 3, true)
	threeClassData, threeClassLabels := threeClassSample(t)
	for i := range threeClassLabels {
		threeClassLabels[i] -= 10 // to -10, 0 and 10
	}
	low := 3.0
	for _, c := range []struct {
		x    *sparse.CSR
		y    []float64
		spec Spec
	}{
		{twoClassData, twoLabels, Spec{}}, {twoClassData, twoLabels, Spec{NoIntercept: true}},
		{twoClassData, twoLabels, Spec{Positive: &low}},
		{twoClassData, twoLabels, Spec{Loss: solver.SquaredHinge{}}}, {twoClassData, twoLabels, Spec{Loss: solver.Squared{}}},
		{threeClassData, threeClassLabels, Spec{}},
		{threeClassData, threeClassLabels, Spec{NoIntercept: true}},
		{threeClassData, threeClassLabels, Spec{Loss: solver.SquaredHinge{}}},
	} {
		c.spec.Lambda = 0.01
		m := mustFit(t, &c.spec, c.x, c.y)
		var text bytes.Buffer
		if err := m.WriteLiblinear(&text); err != nil {
			t.Fatal(err)
		}
		got, err := ReadLiblinear(bytes.NewReader(text.Bytes()), "m")
		if diff := cmp.Diff(liblinearFields(m), got); err != nil || diff != "" {
			t.Error(err, diff)
		}
		predictLiblinear(t, m, text.Bytes(), c.x, c.y)
		if !m.Classifies() {
			continue
		}
		values := m.Classes.Values
		values[len(values)-1] += 100.5
		sparsetest.CheckError(t, m.WriteLiblinear(&bytes.Buffer{}), ".5; those of liblinear are whole")
	}
}

// liblinearFields returns a model with only those fields of m that a liblinear file has.
func liblinearFields(m *Model) *Model {
	p := &Model{Loss: m.Loss, Classes: m.Classes, HasIntercept: m.HasIntercept, IndexBase: 1}
	for _, c := range m.Columns {
		p.Columns = append(p.Columns,
			Column{Coefficients: c.Coefficients, Intercept: c.Intercept, Certificate: Certificate{Gap: math.Inf(1)}})
	}
	return p
}

// predictLiblinear checks that the program liblinear-predict, if it is installed, makes the same predictions
// as m. text is the liblinear file of m.
func predictLiblinear(t *testing.T, m *Model, text []byte, x *sparse.CSR, y []float64) {
	t.Helper()
	predictPath, err := exec.LookPath("liblinear-predict")
	if err != nil {
		t.Log("liblinear-predict is not installed: only the text is checked")
		return
	}
	dir := t.TempDir()
	dataPath, modelPath := filepath.Join(dir, "data"), filepath.Join(dir, "model")
	outPath := filepath.Join(dir, "out")
	writeLIBSVM(t, dataPath, x, y)
	if err := os.WriteFile(modelPath, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-q", dataPath, modelPath, outPath}
	if m.givesProbability() {
		args = append([]string{"-b", "1"}, args...)
	}
	runProgram(t, predictPath, args...)
	result, err := os.ReadFile(outPath)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(result)), "\n")
	if m.givesProbability() {
		want := "labels -10 0 10"
		if values := m.Classes.Values; len(values) == 2 {
			want = fmt.Sprint("labels ", values[1], " ", values[0])
		}
		if lines[0] != want {
			t.Errorf("liblinear-predict: %s, want %s", lines[0], want)
		}
		lines = lines[1:]
	}
	for i, line := range lines {
		words := strings.Fields(line)
		label, err := m.Predict(x.Row(i))
		if liblinearLabel, parseErr := strconv.ParseFloat(words[0], 64); err != nil || parseErr != nil ||
			math.Abs(liblinearLabel-label) > 1e-5*math.Abs(label) {
			t.Errorf("row %d: %v (%v), liblinear-predict %s", i, label, err, words[0])
		}
		if len(words) == 1 {
			continue
		}
		idx, val := x.Row(i)
		p, err := m.RowProbabilities(nil, idx, val)
		for k, v := range p {
			if liblinearProbability, parseErr := strconv.ParseFloat(words[k+1], 64); err != nil ||
				parseErr != nil || math.Abs(liblinearProbability-v) > 1e-5 {
				t.Errorf("row %d: %v, liblinear-predict %s", i, p, line)
				break
			}
		}
	}
}

// TestLiblinearTrain reads models that liblinear-train wrote, and checks that they make the same predictions
// as liblinear-predict.
func TestLiblinearTrain(t *testing.T) {
	trainPath, predictPath := programPath(t, "liblinear-train"), programPath(t, "liblinear-predict")
	dir := t.TempDir()
	x, y := randomData(t, 80, 8, 3, true)
	dataPath, modelPath := filepath.Join(dir, "data"), filepath.Join(dir, "model")
	outPath := filepath.Join(dir, "out")
	writeLIBSVM(t, dataPath, x, y)
	for _, args := range [][]string{{"-s", "6"}, {"-s", "0", "-B", "1"}, {"-s", "3", "-B", "2"}, {"-s", "11", "-B", "1"}} {
		runProgram(t, trainPath, append(slices.Clone(args), "-q", dataPath, modelPath)...)
		runProgram(t, predictPath, dataPath, modelPath, outPath)
		m := readLiblinear(t, modelPath)
		want, _ := m.Predictions(nil, x)
		text, _ := os.ReadFile(outPath)
		for i, word := range strings.Fields(string(text)) {
			if got, _ := strconv.ParseFloat(word, 64); math.Abs(got-want[i]) > 1e-5*math.Abs(want[i]) {
				t.Errorf("%v: row %d: liblinear predicts %v, the model %v", args, i, got, want[i])
			}
		}
	}
}

func TestBadLiblinear(t *testing.T) {
	const twoClassFile = "solver_type L1R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 0.5\nw\n1 \n2 \n3 \n"
	m, err := ReadLiblinear(strings.NewReader(twoClassFile), "m")
	if err != nil || m.Columns[0].Intercept != 1.5 ||
		!slices.Equal(m.Columns[0].Coefficients, []float64{1, 2}) || m.Classes.Values[1] != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	const threeClassFile = "solver_type L1R_LR\nnr_class 3\nlabel 7 -1 2\nnr_feature 1\nbias 1\nw\n1 2 3 \n4 5 6 \n"
	m, err = ReadLiblinear(strings.NewReader(threeClassFile), "m")
	if err != nil || !slices.Equal(m.Classes.Values, []float64{-1, 2, 7}) ||
		m.Columns[0].Coefficients[0] != 2 || m.Columns[0].Intercept != 5 || m.Columns[2].Intercept != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, c := range []struct{ validFile, oldText, newText, want string }{
		{
			twoClassFile, "L1R_LR", "MCSVM_CS",
			`m:1: "MCSVM_CS": solver_type: expected one for regression, or one that separates each class from the rest`,
		},
		{twoClassFile, "nr_class 2", "nr_class 3", "m:3: 2 labels: expected 3"},
		{twoClassFile, "label 1 -1", "label 1", "m:3: 1 label"},
		{twoClassFile, "label 1 -1", "label 1 x", `m:3: "x": label: expected`},
		{twoClassFile, "label 1 -1", "label 1 1", "two labels are 1"},
		{twoClassFile, "label 1 -1\n", "", "labels are for classification"},
		{twoClassFile, "nr_feature 2\n", "", "no nr_feature"},
		{twoClassFile, "nr_feature 2", "nr_feature -2", "nr_feature"},
		{twoClassFile, "solver_type L1R_LR\n", "", "no solver_type"},
		{twoClassFile, "bias 0.5", "bias", `m:5: "bias": expected a value behind it`},
		{twoClassFile, "bias 0.5", "rho 1", `"rho"`},
		{twoClassFile, "bias 0.5", "bias -1", "3 weights: expected 2"},
		{twoClassFile, "3 \n", "", "2 weights: expected 3"},
		{twoClassFile, "3 \n", "NaN\n", `m:9: "NaN": weight: expected a finite number`},
		{twoClassFile, "3 \n", "1_0\n", `m:9: "1_0": weight: expected`},
		{twoClassFile, "3 \n", "0x1p3\n", `m:9: "0x1p3": weight: expected`},
		{twoClassFile, "bias 0.5", "bias 1_0", `"1_0": bias: expected`},
		{twoClassFile, "label 1 -1", "label 1 0x2", `"0x2": label: expected`},
		{twoClassFile, "nr_feature 2", "nr_feature 2 5", `"5": expected one value after nr_feature`},
		{twoClassFile, "\nw\n", "\nw 7\n", `"7": expected the weights`},
		{twoClassFile, "0.5\nw\n1 \n2 \n3", "10\nw\n1 \n2 \n1e308", "times the last weight"},
		{twoClassFile, "w\n1 \n2 \n3 \n", "", "before a line w"},
		{threeClassFile, "nr_feature 1", "nr_class 2\nnr_feature 1", `m:4: "nr_class": expected one line nr_class, not two`},
		{twoClassFile, "bias 0.5", "bias 0.5\nlabel 2 3", `m:6: "label": expected one line label`},
		{threeClassFile, "nr_class 3", "nr_class 2", "m:3: 3 labels: expected 2"},
		{threeClassFile, "nr_class 3", "nr_class 1000000000", `nr_class: expected 2 to`},
		{threeClassFile, "nr_class 3\n", "", `m:2: 3 labels: expected 2`},
		{threeClassFile, "label 7 -1 2", "label 7 -1", "m:3: 2 labels: expected 3"},
		{threeClassFile, "label 7 -1 2", "label 7 7 2", "two labels are 7"},
		{threeClassFile, "nr_class 3\nlabel 7 -1 2\n", "label 7 2\nnr_class 3\n", "2 labels of 3 classes"},
		{threeClassFile, "6 \n", "\n", "5 weights: expected 6"},
	} {
		_, err := ReadLiblinear(strings.NewReader(strings.Replace(c.validFile, c.oldText, c.newText, 1)), "m")
		sparsetest.CheckError(t, err, c.want)
	}
}

// programPath returns the path of a program, or skips the test if the program is not installed.
func programPath(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped: %s is not installed", name)
	}
	return path
}

func runProgram(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func writeLIBSVM(t testing.TB, path string, x *sparse.CSR, y []float64) {
	t.Helper()
	if err := sparse.WriteFile(path, &sparse.Dataset{X: x, Labels: y}); err != nil {
		t.Fatal(err)
	}
}
