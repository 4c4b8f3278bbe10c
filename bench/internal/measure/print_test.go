package measure

import (
	"regexp"
	"strings"
	"testing"
)

var lazyCase = Case{Kernel: "InnerLazy", Shape: "a9a", Unit: "step", Units: 100}

// series returns invented times of one kernel, three for each of Names. The argument best is the smallest
// time of the levels, and the naive loop takes 80.
func series(best float64) (list []Series) {
	for _, name := range Names() {
		list = append(list, Series{Level: name, Runs: 3, Times: []float64{best + 40, best, best + 1}})
	}
	list[len(list)-1].Times = []float64{100, 80, 90}
	return list
}

// resultLine matches a line of the Go benchmark format: a name without blanks, an iteration count,
// then pairs of a value and a unit.
var resultLine = regexp.MustCompile(`^Benchmark[A-Z][^\s]*\t[0-9]+(\t[0-9.e+-]+ [^\s]+)+$`)

func TestBenchfmt(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(Benchfmt(lazyCase, series(20)), "\n"), "\n")
	if want := 3 * len(Names()); len(lines) != want {
		t.Fatalf("%d result lines, want one per sample, %d", len(lines), want)
	}
	for _, l := range lines {
		if !resultLine.MatchString(l) {
			t.Errorf("not a result line: %q", l)
		}
	}
	if got, want := lines[0], "BenchmarkInnerLazy/shape=a9a/level=generic\t3\t6000 ns/op\t60 ns/step"; got != want {
		t.Errorf("first line %q, want %q", got, want)
	}
}

// TestPrinter checks the ratios, the mark LOSS, and that the columns of a case are aligned with the titles.
func TestPrinter(t *testing.T) {
	var b strings.Builder
	p := &Printer{W: &b, Unit: "ns", LastTitle: "of limit"}
	for _, err := range []error{
		p.WriteHead(), p.WriteCase(lazyCase, series(20), "50% L1"), p.WriteCase(lazyCase, series(160), ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[1], " 4.00x  50% L1") || !strings.Contains(lines[2], "LOSS 0.50x") {
		t.Fatalf("lines\n%s", b.String())
	}
	if end := strings.Index(lines[0], "naive") + len("naive"); lines[1][end-4:end] != "80.0" {
		t.Errorf("not aligned:\n%s", b.String())
	}
}
