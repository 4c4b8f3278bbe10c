package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestSaveLoad checks that a loaded model equals the saved model bit for bit. Both models must give
// files with equal bytes.
func TestSaveLoad(t *testing.T) {
	x, y := randomData(t, 60, 8, 3, true)
	for name, spec := range map[string]*Spec{
		"plain": {Lambda: 0.01},
		"zeros": {Lambda: 100, Standardize: StandardizeOff},
		"names": {
			Lambda: 0.01, Features: strings.Fields("a b c d e f g é"), IndexBase: 1,
			ClassWeights: map[float64]float64{7: 2, 3: 0.5},
		},
		"graph":  {Lambda: 0.05, Graph: graph.Chain(8), NoIntercept: true},
		"huber":  {Lambda: 0.01, Loss: solver.Huber{Delta: 0.3}, Penalty: ElasticNet{0.5}},
		"groups": {Lambda: 0.01, Penalty: GroupLasso{Groups: [][]int{{1, 2}}}},
	} {
		m := mustFit(t, spec, x, y)
		path := filepath.Join(t.TempDir(), "m.json")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var secondText bytes.Buffer
		if err := got.Write(&secondText); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(path); !bytes.Equal(text, secondText.Bytes()) {
			t.Errorf("%s: other bytes: %s, then %s", name, text, secondText.Bytes())
		}
	}
	extremeModel := &Model{Classes: sparse.Classes{Values: []float64{0, 1}}, Loss: solver.Logistic{},
		Columns: []Column{
			{
				Certificate: Certificate{Gap: math.Inf(1)},
				Coefficients: []float64{
					0, 1.0 / 3, -math.Pi * 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64,
					math.Nextafter(1, 2), -1e21, 123456789012345680,
				},
			},
		}}
	var text bytes.Buffer
	if err := extremeModel.Write(&text); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(&text, "m"); err != nil || cmp.Diff(extremeModel, got) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(extremeModel, got))
	}
}

// TestTwoColumns checks that two classes with a column for each stay apart from two classes that share one,
// and that labels of the second kind in a file with two columns are an error.
func TestTwoColumns(t *testing.T) {
	m := &Model{
		Loss: solver.Logistic{}, Classes: sparse.Classes{Values: []float64{3, 7}},
		Columns: []Column{{Coefficients: []float64{1}}, {Coefficients: []float64{2}}},
	}
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	sharedLabels := strings.NewReplacer(
		`"labels": null`, `"labels": {"negative": 3, "positive": 7}`, `"classes": [3,7],`, "",
	).Replace(text.String())
	if got, err := Read(&text, "m"); err != nil || cmp.Diff(m, got) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(m, got))
	}
	_, err := Read(strings.NewReader(sharedLabels), "m")
	sparsetest.CheckError(t, err, "2 classes and 2 columns of coefficients")
	if label, err := m.Predict([]int32{0}, []float64{-1}); err != nil || label != 3 {
		t.Errorf("predicted %v, %v", label, err)
	}
	m.Columns = m.Columns[:1]
	if label, err := m.Predict([]int32{0}, []float64{1}); err != nil || label != 7 {
		t.Errorf("predicted %v, %v", label, err)
	}
}

// TestOwnLossNotSaved checks that Write refuses a caller's loss that has the name of a loss of
// package solver.
func TestOwnLossNotSaved(t *testing.T) {
	m := &Model{Loss: struct{ solver.Squared }{}, Columns: []Column{{Coefficients: []float64{1}}}}
	sparsetest.CheckError(t, m.Write(io.Discard), `a loss of one's own, "squared"`)
}

// TestSaveFails checks that saving an invalid model changes no file, and that a symbolic link stays a link.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m.json"), filepath.Join(dir, "link.json")
	goodModel := &Model{Columns: []Column{{Coefficients: []float64{1}}}, Classes: sparse.Classes{Values: []float64{0, 1}}}
	if err := goodModel.Save(path); err != nil {
		t.Fatal(err)
	}
	oldText, _ := os.ReadFile(path)
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, bad := range []*Model{
		{Columns: []Column{{Coefficients: []float64{math.NaN()}}}, Classes: goodModel.Classes},
		{Columns: []Column{{Coefficients: []float64{1}, Intercept: math.Inf(1)}}, HasIntercept: true, Classes: goodModel.Classes},
		{Columns: []Column{{Coefficients: []float64{1}, Intercept: 1}}, Classes: goodModel.Classes},
		{
			Columns: []Column{{Coefficients: []float64{1}, Certificate: Certificate{Objective: math.NaN()}}},
			Classes: goodModel.Classes,
		},
		{Columns: goodModel.Columns},
		{Columns: goodModel.Columns, Classes: goodModel.Classes, Features: []string{"a", "b"}},
		{Columns: goodModel.Columns, Classes: goodModel.Classes, Features: []string{"\xe9"}},
		{Columns: goodModel.Columns, Classes: goodModel.Classes, LabelColumn: "\xe9"},
		{Columns: []Column{{Coefficients: []float64{1}, Groups: [][]int{{1}}}}, Classes: goodModel.Classes},
		{Classes: goodModel.Classes},
		{Columns: goodModel.Columns, Classes: sparse.Classes{Values: []float64{1, 2, 3}}},
		{Columns: []Column{goodModel.Columns[0], {}}, Classes: sparse.Classes{Values: []float64{1, 2}}},
	} {
		if err := bad.Save(link); err == nil {
			t.Errorf("saved %+v", bad)
		}
		if bad.Write(io.Discard) == nil {
			t.Errorf("wrote %+v", bad)
		}
	}
	goodModel.Columns[0].Coefficients[0] = 2
	if text, _ := os.ReadFile(path); !bytes.Equal(text, oldText) {
		t.Errorf("the old file is %s now", text)
	}
	if err := goodModel.Save(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v now (%v)", info, err)
	}
	if got, err := Load(path); err != nil || got.Columns[0].Coefficients[0] != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files left, want 2", len(files))
	}
}

// format1 is a model file of format 1, for a fit with a graph, groups and weights.
const format1 = `{
  "format": 1,
  "scas_version": "0.1.0",
  "loss": "logistic",
  "labels": {
    "negative": -1,
    "positive": 2
  },
  "lambda": 0.01,
  "mu": 0,
  "graph": {
    "kind": "edges",
    "file": "e.txt",
    "edges": 2,
    "rows": 5
  },
  "groups": 3,
  "groups_file": "g.txt",
  "class_weights": "balanced",
  "sample_weights": "w.txt",
  "n": 270,
  "p": 3,
  "index_base": 1,
  "objective": 0.41829524535957985,
  "status": "converged",
  "duality_gap": 5.3319745102323056e-9,
  "output": "last",
  "method": "auto",
  "dual_updates": 33,
  "seed": 7,
  "passes": 43.06808762581409,
  "outer_iterations": 3,
  "eta": 1.0551126492113498,
  "rho": 0.08556470529747263,
  "coefficients": [0,0.47257662126316763,-1]
}
`

func TestFormat1(t *testing.T) {
	got, err := Read(strings.NewReader(format1), "m")
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		Loss: solver.Logistic{}, Classes: sparse.Classes{Values: []float64{-1, 2}}, IndexBase: 1,
		Summary: FitSummary{Rows: 270, Lambda: 0.01, Penalty: "group-lasso", GraphEdges: 2, Balanced: true, Weighted: true},
		Columns: []Column{{
			Coefficients: []float64{0, 0.47257662126316763, -1},
			Certificate:  Certificate{Objective: 0.41829524535957985, Gap: 5.3319745102323056e-9, Status: solver.Converged},
			Run: FitRun{
				Seed: 7,
				Stats: solver.Stats{
					Method: "auto", Passes: 43.06808762581409, OuterIterations: 3, DualUpdates: 33,
					Eta: 1.0551126492113498, Rho: 0.08556470529747263,
				},
			},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadModels(t *testing.T) {
	goodText := strings.ReplaceAll(format1, `"format": 1`, `"format": 2, "intercept": null`)
	for _, c := range []struct{ oldText, newText, want string }{
		{format1, "", "file.json: not a model file: it is empty"},
		{format1, "[1]", `file.json:1:1: "[1": not a model file`},
		{format1, `{"a": 1}`, "no format number"},
		{
			`"format": 1`, `"format": 4`,
			"model format 4; scas " + Version + " reads formats 1 to 3: use the version that wrote it, 0.1.0",
		},
		{`"format": 1`, `"rank": [], "p": "three", "format": 4`, "model format 4; scas " + Version}, // a field has another type
		{format1, `{"format": 3, "models": null}`, "it has no field models"},
		{format1, `{"format": 3, "models": [{"intercept": null}, {}]}`, "model 1: damaged model: no intercept"},
		{format1, `{"format": 4, "scas_version": 5}`, "use the version that wrote it"},
		{`-1]`, `null]`, `"null": damaged model: coefficients: expected a finite number; fetch the file again`},
		{`-1]`, `"x"]`, `"\"x\"": damaged model: coefficients: expected a finite number`},
		{`-1]`, `1e999]`, `"1e999": damaged model: coefficients: expected a finite number`},
		{`-1]`, `NaN]`, `"NaN": damaged model: invalid character 'N'`},
		{`,-1]`, `]`, "2 coefficients for p = 3"},
		{`[0,0.47257662126316763,-1]`, `null`, `"null": damaged model: coefficients: expected a finite number`},
		{`[0,0.47257662126316763,-1]`, `[]`, "0 coefficients for p = 3"},
		{`0.41829524535957985`, `null`, `"null": damaged model: objective: expected a finite number`},
		{`5.3319745102323056e-9`, `1e999`, `"1e999": damaged model: duality_gap: expected a finite number`},
		{`5.3319745102323056e-9`, `-1`, "damaged model: duality_gap = -1; expected a number that is not negative"},
		{`"seed": 7`, `"ridge": 1e999`, `"1e999": damaged model: ridge: expected a finite number`},
		{`"seed": 7`, `"classes": [1, "x"]`, `"\"x\"": damaged model: classes: expected a finite number`},
		{`"seed": 7`, `"class_names": ["a", "b"]`, "damaged model: the names [\"a\" \"b\"] of classes that share a column"},
		{`"seed": 7`, `"classes": [1, null]`, `"null": damaged model: classes: expected a finite number`},
		{`"seed": 7`, `"classes": [1, 2]`, "2 classes and 1 columns of coefficients"},
		{`"negative": -1`, `"negative": 1e999`, `"1e999": damaged model: negative: expected a finite number`},
		{`"positive": 2`, `"positive": "2"`, `"\"2\"": damaged model: positive: expected a finite number`},
		{`"p": 3`, `"p": 4`, "3 coefficients for p = 4"},
		{`"index_base": 1,`, ``, "no index_base"},
		{`"index_base": 1,`, `"index_base": 2,`, "index_base 2"},
		{`"logistic"`, `"hinge"`, `loss "hinge"`},
		{`"logistic"`, `"squared"`, "which is for numbers"},
		{"\"labels\": {\n    \"negative\": -1,\n    \"positive\": 2\n  }", `"labels": null`, "no labels"},
		{`"positive": 2`, `"positive": -1`, "both labels are -1"},
		{`"seed": 7`, `"features": ["a"]`, "1 features named for 3 coefficients"},
		{`"seed": 7`, `"tied_features": [[3]]`, "feature 3 in a group of 3"},
		{`"seed": 7`, `"tied_features": [[0, 1], []]`, "a group without features"},
		{`"lambda": 0.01`, `"lambda": "x"`, `"\"x\"": damaged model: lambda: expected a finite number`},
		{`"lambda": 0.01`, `"lambda": 1e999`, `"1e999": damaged model: lambda: expected a finite number`},
		{`"seed": 7`, `"seed": 7.5`, `"7.5": damaged model: seed: expected a whole number`},
		{`-1]`, `-1`, "damaged model"},
		{`-1]` + "\n}", ``, "damaged model: the file ends within it; fetch the file again, or fit the model again"},
		{`"negative": -1,`, ``, "labels without a negative and a positive one"},
		{`"positive": 2`, `"positive": 2, "positive_name": "yes"`, `labels "" and "yes"; expected two words or none`},
		{`"positive": 2`, `"positivE2": 2`, "labels without a negative and a positive one"},
		{`"p": 3`, `"p": 3, "P": 3`, "field P is there twice"},
	} {
		for _, text := range []string{format1, goodText} {
			if text == goodText && strings.Contains(c.oldText, "format") {
				continue
			}
			_, err := Read(strings.NewReader(strings.Replace(text, c.oldText, c.newText, 1)), "file.json")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "file.json:") {
				t.Errorf("%s for %.40s: want %q, got %v", c.newText, c.oldText, c.want, err)
			}
		}
	}
	damagedText := strings.Replace(goodText, `"intercept": null`, `"intercept": 1e999`, 1)
	_, err := Read(strings.NewReader(damagedText), "file.json")
	sparsetest.CheckError(t, err, `file.json:2:29: "1e999": damaged model: intercept: expected a finite number`)
	damagedText = strings.Replace(goodText, `"intercept"`, `"intercdpt"`, 1) // one bit is different
	_, err = Read(strings.NewReader(damagedText), "file.json")
	sparsetest.CheckError(t, err, "no intercept")
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// TestReadOfFewCoefficients reads a file that has only the coefficients that are not zero, and checks the
// errors for wrong numbers of features.
func TestReadOfFewCoefficients(t *testing.T) {
	const text = `{"format":2,"loss":"squared","p":5,"index_base":1,"nonzero_features":[2,5],"coefficients":[1.5,-2]}`
	m, err := Read(strings.NewReader(text), "m")
	if err != nil || fmt.Sprint(m.Columns[0].Coefficients) != "[0 1.5 0 0 -2]" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, c := range []struct{ oldText, newText, want string }{
		{"[2,5]", "[5,2]", "feature 2 after 5"},
		{"[2,5]", "[2,2]", "feature 2 after 2"},
		{"[2,5]", "[0,2]", "feature 0 after 0"},
		{"[2,5]", "[2,6]", "feature 6 after 2; expected increasing numbers in 1..5"},
		{"[2,5]", "[2]", "2 coefficients for 1 features"},
		{`"p":5`, `"p":0`, "p = 0"},
		{`"p":5`, `"p":1e99`, `file:1:34: "1e99": damaged model: p: expected a whole number`},
	} {
		_, err := Read(strings.NewReader(strings.Replace(text, c.oldText, c.newText, 1)), "file")
		sparsetest.CheckError(t, err, c.want)
	}
}

// TestChecksum changes single bytes of a file. Read must return an error, or the model that was written.
func TestChecksum(t *testing.T) {
	numberModel := &Model{
		Loss: solver.Squared{}, IndexBase: 1,
		Columns: []Column{
			{Coefficients: []float64{0.25, -1e-300, 31}, Certificate: Certificate{Gap: math.Inf(1), Status: solver.Converged}},
		},
	}
	classModel := &Model{
		Loss: solver.Logistic{}, Classes: sparse.Classes{Values: []float64{0, 1}, Names: []string{"ash", "birch"}},
		Columns: []Column{numberModel.Columns[0], numberModel.Columns[0]}, IndexBase: 1,
	}
	read := func(text []byte) error { _, err := Read(bytes.NewReader(text), "f"); return err }
	for name, m := range map[string]*Model{"numbers": numberModel, "classes": classModel} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := m.Write(&b); err != nil {
				t.Fatal(err)
			}
			text := b.Bytes()
			if !bytes.Contains(text, []byte(`"checksum":`)) || read(text) != nil {
				t.Fatalf("%v: %s", read(text), text)
			}
			checksumErrors := 0
			for offset, b := range text {
				for _, change := range []byte{1, 0x10, 0x20} { // change 1 turns a digit into another digit
					changedText := bytes.Clone(text)
					changedText[offset] ^= change
					got, err := Read(bytes.NewReader(changedText), "f")
					isDigit := change == 1 && b >= '0' && b <= '9'
					if err == nil && (isDigit || !cmp.Equal(m, got)) || err != nil && !strings.HasPrefix(err.Error(), "f:") {
						t.Errorf("%v for %s", err, changedText)
					} else if err != nil && strings.Contains(err.Error(), "remove its field checksum") {
						checksumErrors++
					}
				}
			}
			if checksumErrors < 10 {
				t.Errorf("%d errors about a checksum", checksumErrors)
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, text, "", "\t"); err != nil || read(indented.Bytes()) != nil {
				t.Errorf("indented otherwise: %v, %v", err, read(indented.Bytes()))
			}
			textWithoutChecksum := regexp.MustCompile(`,\s*"checksum": ?"[^"]*"`).ReplaceAll(text, nil)
			if err := read(bytes.Replace(textWithoutChecksum, []byte("0.25"), []byte("0.75"), 1)); err != nil {
				t.Errorf("changed, without a checksum: %v", err)
			}
		})
	}
}

// FuzzRead checks that Read does not panic. A model that Read returns must have the same columns
// after writing and reading.
func FuzzRead(f *testing.F) {
	f.Add([]byte(format1))
	f.Add([]byte(`{"format":2,"loss":"squared","p":1,"index_base":0,"intercept":3,"coefficients":[1]}`))
	f.Add([]byte(`{"format":3,"loss":"logistic","classes":[1,2,3],"p":2,"index_base":1,"models":[{"intercept":1,"nonzero_features":[],"coefficients":[]},{"intercept":2,"coefficients":[1,2]},{"intercept":null,"nonzero_features":[2],"coefficients":[3]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text), "m")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatalf("%v of %s", err, text)
		}
		secondModel, err := Read(&b, "m")
		if err != nil || fmt.Sprint(secondModel.Columns) != fmt.Sprint(m.Columns) {
			t.Fatalf("%v: %+v, then %+v", err, m, secondModel)
		}
	})
}

// TestTables checks that a model file keeps the description of the table. The loaded model must
// read tables with columns in another order, missing values, and words as labels.
func TestTables(t *testing.T) {
	const text = "a,city,b,ill\n1,Ulm,3,no\n2,Bonn,,yes\n0,Ulm,4,no\n3,Bonn,9,yes\n"
	read := func(text string, opt *sparse.ReadOptions) *sparse.Dataset {
		t.Helper()
		d, err := sparse.Read(strings.NewReader(text), "t.csv", opt)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read(text, &sparse.ReadOptions{Table: sparse.TableOptions{Missing: sparse.MissingMedian}})
	m := mustFit(t, &Spec{Lambda: 0.01, Features: d.Names}, d.X, d.OriginalLabels())
	m.Classes, m.LabelColumn, m.Fill = d.Classes, d.Table.Label, d.Table.Fill
	path := filepath.Join(t.TempDir(), "m.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil || loaded.LabelColumn != "ill" || loaded.Fill["b"] != 4 || !cmp.Equal(loaded.Classes, m.Classes) ||
		!slices.Equal(loaded.Features, []string{"a", "city=Bonn", "city=Ulm", "b"}) {
		t.Fatalf("%+v, %v", loaded, err)
	}
	want, err := m.Margins(nil, d.X)
	if err != nil {
		t.Fatal(err)
	}
	for _, otherText := range []string{text, "b,id,city,a\n3,x,Ulm,1\nNA,x,Bonn,2\n4,x,Ulm,0\n9,x,Bonn,3\n"} {
		otherData := read(otherText, loaded.ReadOptions())
		got, err := loaded.Margins(nil, otherData.X)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", otherText, got, err, want)
		}
		if hasLabels := otherText == text; hasLabels != slices.Equal(otherData.Labels, d.Labels) {
			t.Errorf("%q: labels %v", otherText, otherData.Labels)
		}
	}
}
