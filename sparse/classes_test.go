package sparse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestClasses checks that labels of more than two classes are accepted in LIBSVM text, tables,
// and .npy and .scas files if the options allow them, and refused otherwise.
func TestClasses(t *testing.T) {
	labels := []float64{7, -1, 3, 7, 3, -1, 3}
	want := Classes{Values: []float64{-1, 3, 7}}
	var libsvm, csv, words strings.Builder
	csv.WriteString("a,y\n")
	words.WriteString("a,y\n")
	for i, y := range labels {
		fmt.Fprintf(&libsvm, "%v 1:%d\n", y, i+1)
		fmt.Fprintf(&csv, "%d,%v\n", i+1, y)
		fmt.Fprintf(&words, "%d,%s\n", i+1, map[float64]string{-1: "ash", 3: "birch", 7: "cedar, red"}[y])
	}
	x := mustRead(t, libsvm.String(), &ReadOptions{AnyLabels: true}).X
	var npy, binary bytes.Buffer
	sparsetest.Must(t, Write(&npy, NPY, &Dataset{X: x}))
	sparsetest.Must(t, Write(&binary, Binary, &Dataset{X: x, Labels: labels}))
	text := strings.ReplaceAll(words.String(), "cedar, red", `"cedar, red"`)
	for name, c := range map[string]struct {
		file, text string
		targets    []float64
	}{
		"LIBSVM": {"t.svm", libsvm.String(), nil}, "CSV": {"t.csv", csv.String(), nil},
		"npy": {"t.npy", npy.String(), labels}, "scas": {"t.scas", binary.String(), nil},
	} {
		for _, opt := range []*ReadOptions{
			{MaxClasses: 3}, {MaxClasses: 100}, {Classes: want},
			{Classes: Classes{Values: []float64{-1, 0, 3, 7}}},
		} {
			opt.targets.labels = c.targets
			d, err := Read(strings.NewReader(c.text), c.file, opt)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			classes := want
			if opt.Classes.Values != nil {
				classes = opt.Classes
			}
			if diff := cmp.Diff(classes, d.Classes); diff != "" || d.Signs || !cmp.Equal(d.Labels, labels) {
				t.Errorf("%s: %s, labels %v", name, diff, d.Labels)
			}
		}
		for _, opt := range []struct {
			ReadOptions
			want string
		}{
			{ReadOptions{}, ", set ReadOptions.MaxClasses to the number of classes, or "},
			{ReadOptions{MaxClasses: 2}, "a third label"},
			{
				ReadOptions{MaxClasses: 100, Positive: &labels[0]},
				"the label 7 is to be positive, but there are 3 classes, -1, 3, 7: expected two",
			},
			{ReadOptions{Classes: Classes{Values: []float64{-1, 3, 8}}}, "unknown label: expected one of -1, 3, 8"},
			{ReadOptions{Classes: Classes{Values: []float64{-1, 3}}}, "unknown label: expected -1 or 3"},
		} {
			opt.targets.labels = c.targets
			_, err := Read(strings.NewReader(c.text), c.file, &opt.ReadOptions)
			sparsetest.CheckError(t, err, opt.want)
		}
	}

	wordClasses := Classes{Values: []float64{0, 1, 2}, Names: []string{"ash", "birch", "cedar, red"}}
	for _, opt := range []*ReadOptions{{MaxClasses: 3}, {Classes: wordClasses}} {
		d := mustReadCSV(t, text, opt)
		if diff := cmp.Diff(wordClasses, d.Classes); diff != "" || !cmp.Equal(d.Labels, []float64{2, 0, 1, 2, 1, 0, 1}) {
			t.Errorf("words: %s, %v", diff, d.Labels)
		}
	}
	if name := wordClasses.Name(2); name != "cedar, red" || want.Name(2) != "7" {
		t.Errorf("names %q, %q", name, want.Name(2))
	}
	// Two labels become -1 and +1 for any MaxClasses. Regression accepts all labels.
	if d := mustRead(t, "3 1:1\n5 1:2\n", &ReadOptions{MaxClasses: 9}); !d.Signs || !cmp.Equal(d.Classes.Values, []float64{3, 5}) {
		t.Errorf("two: %+v", d.Classes)
	}
	if d := mustRead(t, libsvm.String(), &ReadOptions{Regression: true, MaxClasses: 9}); !d.Classes.IsZero() || !cmp.Equal(d.Labels, labels) {
		t.Errorf("regression: %+v", d.Classes)
	}
}

func TestClassesRefused(t *testing.T) {
	for _, c := range []struct {
		file, text string
		opt        ReadOptions
		want       string
	}{
		{
			"t.svm", "1 1:1\n-1 1:2\n1 1:3\n3 1:3\n-1 1:4\n", ReadOptions{MaxClasses: 9},
			`t.svm:4:1: "3": the only row of this label, beside -1, 1: expected two rows of every class or more; correct the label`,
		},
		{
			"t.csv", "a,y\n1,u\n2,v\n3,u\n4,vv\n5,v\n", ReadOptions{MaxClasses: 9},
			`t.csv:5: "vv": the only row of this label, beside u, v: expected`,
		},
		{"t.svm", "1 1:1\n2 1:2\n3 1:3\n", ReadOptions{MaxClasses: 9}, `t.svm:3:1: "3": the only row`},
		{
			"t.svm", "1 1:1\n2 1:2\n1 1:3\n0.5 1:3\n", ReadOptions{MaxClasses: 9},
			`t.svm:4:1: "0.5": a third label, after 1 (line 1) and 2 (line 2): expected two classes, or whole numbers for more; keep two`,
		},
		{"t.svm", "1 1:1\n2.5 1:2\n1 1:3\n3 1:3\n", ReadOptions{MaxClasses: 9}, `t.svm:4:1: "3": a third label`},
		{
			"t.svm", "1 1:1\n2 1:2\n3 1:3\n4 1:3\n5 1:3\n", ReadOptions{MaxClasses: 4},
			`t.svm:5:1: "5": more than 4 different labels: expected at most 4 classes; set ReadOptions.Regression to true if the labels are numbers`,
		},
		{
			"t.csv", "a,y\n1,u\n2,v\n3,w\n4,z\n", ReadOptions{MaxClasses: 3},
			`t.csv:5:3: "z": column y: more than 3 different labels`,
		},
		{
			"t.csv", "a,y\n1,u\n2,v\n3,w\n4,u\n5,v\n6,w\n", ReadOptions{MaxClasses: 3, PositiveName: "v"},
			`the label v is to be positive, but there are 3 classes, u, v, w`,
		},
		{
			"t.csv", "a,y\n1,u\n2,vee\n",
			ReadOptions{Classes: Classes{[]float64{0, 1, 2}, []string{"u", "v", "w"}}},
			`t.csv:3:3: "vee": column y: unknown label: expected one of u, v, w`,
		},
		{
			"t.csv", "a,y\n1,1\n2,vee\n", ReadOptions{Classes: Classes{Values: []float64{0, 1, 2}}},
			`t.csv:3:3: "vee": column y: unknown label: expected one of 0, 1, 2`,
		},
		{
			"t.svm", "0 1:1\n3 1:2\n",
			ReadOptions{Classes: Classes{[]float64{0, 1, 2}, []string{"u", "v", "w"}}},
			`t.svm:2:1: "3": unknown label: expected one of 0 (u), 1 (v), 2 (w)`,
		},
	} {
		_, err := Read(strings.NewReader(c.text), c.file, &c.opt)
		sparsetest.CheckError(t, err, c.want)
	}
	for _, opt := range []ReadOptions{
		{MaxClasses: -1}, {Classes: Classes{Values: []float64{2, 1, 3}}}, {Classes: Classes{[]float64{1, 2, 3}, []string{"a"}}},
		{Classes: Classes{Values: []float64{1, 2, 3}}, Regression: true},
	} {
		if _, err := Read(strings.NewReader("1 1:1\n"), "t.svm", &opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
}

// TestManyClasses reads a long text whose labels first occur in different blocks. The labels must be read
// correctly, and one class too many must be an error.
func TestManyClasses(t *testing.T) {
	var b strings.Builder
	const rows, classes = 60000, 50
	for i := range rows {
		fmt.Fprintf(&b, "%d 1:%d 2:%d\n", (i/1000*7)%classes, i, 2*i) // long runs of one label
	}
	d := mustRead(t, b.String(), &ReadOptions{MaxClasses: classes})
	if len(d.Classes.Values) != classes || len(d.Labels) != rows {
		t.Fatalf("%d classes, %d labels", len(d.Classes.Values), len(d.Labels))
	}
	for i, y := range d.Labels {
		if y != float64((i/1000*7)%classes) {
			t.Fatalf("row %d has label %v", i, y)
		}
	}
	b.WriteString("50 1:1\n")
	_, err := readAs(LIBSVM, strings.NewReader(b.String()), "t", &ReadOptions{MaxClasses: classes})
	sparsetest.CheckError(t, err, fmt.Sprintf("t:%d:1: ", rows+1))
}

func TestWithPositive(t *testing.T) {
	numbers, words := Classes{Values: []float64{2, 7}}, Classes{Values: []float64{0, 1}, Names: []string{"7", "no"}}
	for _, c := range []struct {
		classes      Classes
		positive     *float64
		positiveName string
		want         Classes // zero if neither class is the positive one
	}{
		{numbers, nil, "", Classes{Values: []float64{2, 7}}},
		{numbers, new(7.0), "7.0", Classes{Values: []float64{2, 7}}},
		{numbers, new(2.0), "", Classes{Values: []float64{7, 2}}},
		{numbers, new(3.0), "", Classes{}},
		{numbers, nil, "no", Classes{}},
		{words, nil, "", Classes{Values: []float64{0, 1}, Names: []string{"7", "no"}}},
		{words, nil, "7", Classes{Values: []float64{1, 0}, Names: []string{"no", "7"}}},
		{words, new(7.0), "", Classes{Values: []float64{1, 0}, Names: []string{"no", "7"}}},
		{words, new(7.0), "7.0", Classes{}},
	} {
		got, ok := c.classes.WithPositive(c.positive, c.positiveName)
		if ok == c.want.IsZero() || ok && !cmp.Equal(got, c.want) {
			t.Errorf("%+v: %+v, %v", c, got, ok)
		}
	}
}
