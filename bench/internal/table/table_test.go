package table

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/measure"
)

func sample() []Row {
	c := measure.Case{Kernel: "InnerLazy", Shape: "a9a", Unit: "step", Units: 100}
	return Rows(c, []measure.Series{
		{Level: "generic", Runs: 3, Samples: []float64{200, 160, 180}},
		{Level: "avx512", Runs: 9, Samples: []float64{20, 22, 21}},
		{Level: measure.Naive, Runs: 5, Samples: []float64{100, 80, 90}},
	}, 10, "L1")
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCSV(&b, sample()); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got != "kernel,shape,level,unit,ns_min,ns_median,ratio_to_naive,fraction_of_limit" {
		t.Errorf("columns %s", got)
	}
	want := [][]string{
		{"InnerLazy", "a9a", "generic", "step", "160", "180", "0.5", "0.0625"},
		{"InnerLazy", "a9a", "avx512", "step", "20", "21", "4", "0.5"},
		{"InnerLazy", "a9a", "naive", "step", "80", "90", "1", "0.125"},
	}
	for i, w := range want {
		if got := strings.Join(records[i+1], ","); got != strings.Join(w, ",") {
			t.Errorf("line %d is %s, want %s", i+1, got, strings.Join(w, ","))
		}
	}
}

// A result line of the Go benchmark format: a name without blanks, an iteration
// count, then pairs of a value and a unit.
var resultLine = regexp.MustCompile(`^Benchmark[A-Z][^\s]*\t[0-9]+(\t[0-9.e+-]+ [^\s]+)+$`)

func TestBenchfmt(t *testing.T) {
	var b bytes.Buffer
	if err := WriteBenchfmt(&b, "linux/amd64", "Some CPU", sample()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if got := strings.Join(lines[:4], ";"); got != "goos: linux;goarch: amd64;pkg: github.com/scas-admm/scas/bench;cpu: Some CPU" {
		t.Errorf("preamble %s", got)
	}
	if len(lines) != 4+9 {
		t.Fatalf("%d result lines, want one per sample, 9", len(lines)-4)
	}
	for _, l := range lines[4:] {
		if !resultLine.MatchString(l) {
			t.Errorf("not a result line: %q", l)
		}
	}
	if got, want := lines[4], "BenchmarkInnerLazy/shape=a9a/level=generic\t3\t20000 ns/op\t200 ns/step"; got != want {
		t.Errorf("first line %q, want %q", got, want)
	}
}

// Numbers in scientific form must stay readable to strconv.
func TestNumber(t *testing.T) {
	for _, v := range []float64{1.23456789e12, 0.00012345, 42} {
		got, err := strconv.ParseFloat(number(v), 64)
		if err != nil || got < v*0.9999 || got > v*1.0001 {
			t.Errorf("%g is written %s", v, number(v))
		}
	}
}

// TestPrinter: a case is one line, aligned with the head, with the best level against the
// naive loop.
func TestPrinter(t *testing.T) {
	var b strings.Builder
	p := &Printer{W: &b, Series: []string{"generic", "avx512", measure.ArchSIMD, measure.Naive}, Unit: "ns"}
	slow := sample()
	for k := range slow[:2] {
		slow[k].Ratio = 0.5
	}
	for _, err := range []error{p.Head(), p.Case(sample()), p.Case(slow)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "4.00x      50% L1") || !strings.Contains(lines[2], "LOSS 0.50x") {
		t.Fatalf("lines\n%s", b.String())
	}
	if at := strings.Index(lines[0], "naive") + len("naive"); lines[1][at-4:at] != "80.0" {
		t.Errorf("not aligned:\n%s", b.String())
	}
}
