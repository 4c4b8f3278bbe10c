package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The fit of each class is that of its own against the rest, to the bit, and predictions
// take the class of the largest of the probabilities of those, divided by their sum.
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
	file := func(name string, label func(i int) string) string {
		text := "a,b,c,d,e,y\n"
		for i, cells := range data {
			text += cells + label(i) + "\n"
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all := file("all.csv", func(i int) string { return names[i%4] })
	flags := []string{"--json", "--lambda", "0.02"}
	many := jsonOf[struct {
		Classes []struct {
			fitted
			Class string
			Rows  int
			NNZX  int `json:"nnz_x"`
		}
	}](t, append([]string{"train", "-o", filepath.Join(dir, "all.json"), all}, flags...)...)
	if len(many.Classes) != 4 {
		t.Fatalf("%+v", many)
	}
	shares := make([][4]float64, rows)
	for k, got := range many.Classes {
		one := file("one.csv", func(i int) string { return fmt.Sprint(map[bool]int{true: 1}[i%4 == k]) })
		model := filepath.Join(dir, "one.json")
		want := jsonOf[fitted](t, append([]string{"train", "-o", model, one}, flags...)...)
		if got.Class != names[k] || got.Rows != rows/4 || got.fitted != want {
			t.Errorf("class %s: %+v, alone %+v", names[k], got, want)
		}
		out := filepath.Join(dir, "one.txt")
		scas(t, "scas", nil, "predict", "-m", model, "-o", out, one)
		for i, line := range linesOf(t, out) {
			if _, err := fmt.Sscan(line, &shares[i][k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := filepath.Join(dir, "all.txt")
	scas(t, "scas", nil, "predict", "-m", filepath.Join(dir, "all.json"), "-o", out, all)
	for i, line := range linesOf(t, out) {
		p, sum, best := shares[i], 0.0, 0
		for k, v := range p {
			if sum += v; v > p[best] {
				best = k
			}
		}
		want := ""
		for _, v := range p {
			want += fmt.Sprintf("%.5f ", v/sum)
		}
		var got [4]float64
		var label, rounded string
		if _, err := fmt.Sscan(line, &got[0], &got[1], &got[2], &got[3], &label); err != nil {
			t.Fatal(err)
		}
		for _, v := range got {
			rounded += fmt.Sprintf("%.5f ", v)
		}
		if rounded != want || label != names[best] {
			t.Errorf("row %d: %s, want %s%s", i, line, want, names[best])
		}
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
