package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestClassesAgainstFits compares a model of several classes with fits of each class against all others. The
// objectives and gaps must be equal to the bit. The probabilities of the model must be the probabilities of
// the fits, divided by their sum.
func TestClassesAgainstFits(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	const rows = 60
	names := []string{"u", "v", "w", "x"}
	var data [rows]string
	for i := range data {
		for j := range 5 {
			v := rng.NormFloat64()
			if j == i%4 {
				v += 1.5
			}
			data[i] += fmt.Sprintf("%.4f,", v)
		}
	}
	writeCSV := func(name string, label func(i int) string) string {
		text := "a,b,c,d,e,y\n"
		for i, cells := range data {
			text += cells + label(i) + "\n"
		}
		return writeText(t, dir, name, text)
	}
	allClasses := writeCSV("all.csv", func(i int) string { return names[i%4] })
	flags := []string{"--json", "--lambda", "0.02"}
	allFits := jsonOf[struct {
		Lambda  float64
		Classes []struct {
			fitReport
			Class string
			Rows  int
			NNZX  int `json:"nnz_x"`
		}
	}](t, append([]string{"train", "-o", filepath.Join(dir, "all.json"), allClasses}, flags...)...)
	if len(allFits.Classes) != 4 {
		t.Fatalf("%+v", allFits)
	}
	probabilities := make([][4]float64, rows)
	for k, got := range allFits.Classes {
		oneClass := writeCSV("one.csv", func(i int) string { return fmt.Sprint(map[bool]int{true: 1}[i%4 == k]) })
		model := filepath.Join(dir, "one.json")
		want := jsonOf[fitReport](t, append([]string{"train", "-o", model, oneClass}, flags...)...)
		if got.Class != names[k] || got.Rows != rows/4 || got.Objective != want.Objective ||
			got.DualityGap != want.DualityGap || allFits.Lambda != want.Lambda {
			t.Errorf("class %s: %+v, alone %+v", names[k], got, want)
		}
		out := filepath.Join(dir, "one.txt")
		succeed(t, "predict", "-m", model, "-o", out, oneClass)
		for i, line := range strings.Split(strings.TrimSpace(textOf(t, out)), "\n") {
			if _, err := fmt.Sscan(line, &probabilities[i][k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := filepath.Join(dir, "all.txt")
	succeed(t, "predict", "-m", filepath.Join(dir, "all.json"), "-o", out, allClasses)
	for i, line := range strings.Split(strings.TrimSpace(textOf(t, out)), "\n") {
		p, sum, bestClass := probabilities[i], 0.0, 0
		for k, v := range p {
			sum += v
			if v > p[bestClass] {
				bestClass = k
			}
		}
		var got [4]float64
		var label string
		if _, err := fmt.Sscan(line, &got[0], &got[1], &got[2], &got[3], &label); err != nil {
			t.Fatal(err)
		}
		for k, v := range got {
			if math.Abs(v-p[k]/sum) > 1e-6 || label != names[bestClass] {
				t.Errorf("row %d: %s, want %v of %v and %s", i, line, p, sum, names[bestClass])
			}
		}
	}
}

func TestManyClasses(t *testing.T) {
	const classes, each = 105, 4
	dir := t.TempDir()
	model, page := filepath.Join(dir, "m.json"), filepath.Join(dir, "m.html")
	var text strings.Builder
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range classes * each {
		k := i % classes
		feature := k
		if rng.IntN(5) == 0 { // this row looks like a row of the next class
			feature = (k + 1) % classes
		}
		fmt.Fprintf(&text, "%d %d:1 %d:%.3f\n", k, feature+1, classes+1+rng.IntN(300), rng.NormFloat64())
	}
	data := writeText(t, dir, "many.svm", text.String())
	r := runWith(t, env{onTerminal: true, interval: everyReport}, "train", "--no-standardize", "--lambda",
		"1e-3", "--threads", "1", "-o", model, "--report", page, data)
	if r.code != exitOK || !strings.Contains(r.stderr, "\rclass 2 of 105") ||
		!strings.Contains(r.stderr, "105 different whole numbers, each fitted as a class") {
		t.Fatalf("exit code %d, stderr %q", r.code, r.stderr)
	}
	if strings.Count(r.out, "\n") > 40 || !strings.Contains(r.out, "The 20 of 105 classes with the largest gaps") {
		t.Errorf("train prints %s", r.out)
	}
	html := textOf(t, page)
	for want, count := range map[string]int{
		"<h2>Coefficients of class": 20, "class of the row ↓, called →": 1, "<summary>105 lines</summary>": 1,
		" more, none of more rows": 1,
	} {
		if n := strings.Count(html, want); n != count {
			t.Errorf("the page has %q %d times, want %d", want, n, count)
		}
	}
	_, all := succeed(t, "predict", "-m", model, "--metrics", "-o", filepath.Join(dir, "p.txt"), data)
	if strings.Count(all, "\n") > 40 || strings.Count(all, " called ") != 20 {
		t.Errorf("predict --metrics prints %s", all)
	}
	listing, _ := succeed(t, "model", "show", model)
	if n := strings.Count(listing, "\n"); n < classes || n > classes+10 {
		t.Errorf("model show prints %d lines", n)
	}
	var file struct {
		P      int
		Models []struct {
			Nonzero      []int `json:"nonzero_features"`
			Coefficients []float64
		}
	}
	err := json.Unmarshal([]byte(textOf(t, model)), &file)
	if err != nil || len(file.Models) != classes {
		t.Fatalf("%v: %d models", err, len(file.Models))
	}
	for k, column := range file.Models {
		if len(column.Nonzero) != len(column.Coefficients) || len(column.Coefficients) >= file.P {
			t.Fatalf("class %d: %d numbers of features, %d coefficients of %d",
				k, len(column.Nonzero), len(column.Coefficients), file.P)
		}
	}
}

// TestTooManyClasses checks data with too many classes, and a report whose scores need more than --memory.
func TestTooManyClasses(t *testing.T) {
	writeClasses := func(classes int) string {
		var text strings.Builder
		for i := range 2 * classes {
			fmt.Fprintf(&text, "%d %d:1\n", i%classes, i%7+1)
		}
		return writeText(t, t.TempDir(), "d.svm", text.String())
	}
	data := writeClasses(300)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{
			[]string{"train", writeClasses(5001)}, exitIO,
			`d.svm:5001:1: "5000": more than 5000 different labels: expected at most 5000 classes`,
		},
		{[]string{"train", "--lambda", "1", "--memory", "4MiB", data}, exitOK, ""},
		{
			[]string{"train", "--lambda", "1e-2", "--memory", "4MiB", "--report", filepath.Join(t.TempDir(), "p.html"), data},
			exitIO, "more than 4 MiB (--memory)",
		},
	} {
		if r := runHere(t, c.args...); r.code != c.code || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%v: exit code %d, stderr %s; want %d and %q", c.args, r.code, r.stderr, c.code, c.want)
		}
	}
}
