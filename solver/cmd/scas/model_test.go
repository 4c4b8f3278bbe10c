package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// Every bit of every coefficient survives the file.
func TestModelRoundTrip(t *testing.T) {
	want := &modelFile{
		modelHead: modelHead{Format: modelFormat, Version: version, Loss: "logistic", Labels: &sparse.LabelMapping{Negative: -1, Positive: 2}, Objective: 1.0 / 3, problemFacts: problemFacts{P: 8}},
		Coefficients: []float64{0, 1.0 / 3, -math.Pi * 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64,
			math.Nextafter(1, 2), -1e21, 123456789012345680},
	}
	path := filepath.Join(t.TempDir(), "m.json")
	if err := writeFile(path, want.encode); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var written modelFile
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &written, cmp.AllowUnexported(modelFile{}, modelHead{}, problemFacts{})); diff != "" {
		t.Error(diff)
	}
	got, err := readModel(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := &model.Model{
		Loss: solver.Logistic{}, Labels: *want.Labels, Coefficients: want.Coefficients,
		Certificate: model.Certificate{Objective: want.Objective},
	}
	if diff := cmp.Diff(read, got.head()); diff != "" {
		t.Error(diff)
	}
}

// The same of few among many, in a file that has only those.
func TestModelOfFewCoefficients(t *testing.T) {
	const p = 1 << 18
	want := &modelFile{
		modelHead:    modelHead{Format: modelFormat, Version: version, Loss: "squared", problemFacts: problemFacts{P: p}},
		Coefficients: make([]float64, p),
	}
	want.Coefficients[0], want.Coefficients[77], want.Coefficients[p-1] = 1.0/3, math.Copysign(0, -1), -1e-300
	var file bytes.Buffer
	if err := want.encode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 2000 || want.Format != modelFormat || want.Features != nil {
		t.Errorf("%d bytes: %.2000s", file.Len(), &file)
	}
	path := filepath.Join(t.TempDir(), "m.json")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readModel(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	bits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	if diff := cmp.Diff(want.Coefficients, got.head().Coefficients, bits); diff != "" || got.head().Loss.String() != want.Loss {
		t.Error(diff, got)
	}
}

// No file ever holds a number that is not one, and failing to write leaves the
// old file.
func TestModelRefusesNonFinite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*modelFile{
		{Coefficients: []float64{1, math.NaN()}},
		{Coefficients: []float64{math.Inf(1)}},
		{modelHead: modelHead{Objective: math.NaN()}, Coefficients: []float64{1}},
	} {
		if err := m.encode(io.Discard); err == nil {
			t.Errorf("encoded %+v", m)
		}
		if err := writeFile(path, m.encode); err == nil {
			t.Errorf("wrote %+v", m)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
			t.Errorf("the old file is %q now (%v)", got, err)
		}
	}
}

func TestFacts(t *testing.T) {
	var f facts
	f.add("a", "%d", 1)
	f.gap()
	f.add("long name", "%s", plural(2, "entry"))
	f.add("", "%s", plural(int64(1234567), "row"))
	const want = "a           1\n\nlong name   2 entries\n            1,234,567 rows\n"
	if got := f.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestNumberInJSON(t *testing.T) {
	var b bytes.Buffer
	if err := printJSON(&b, []number{0.1, number(math.NaN()), number(math.Inf(-1))}); err != nil {
		t.Fatal(err)
	}
	if want := "[\n  0.1,\n  null,\n  null\n]\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
