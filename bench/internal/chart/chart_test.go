package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/roof"
	"github.com/scas-admm/scas/bench/internal/table"
)

// wellFormed checks that b is one XML document with an svg root and returns its
// text, piece by piece.
func wellFormed(t *testing.T, b []byte) []string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	var texts []string
	var root string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if root == "" {
				root = e.Name.Local
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				texts = append(texts, s)
			}
		}
	}
	if root != "svg" {
		t.Fatalf("the root element is %q", root)
	}
	for _, s := range texts {
		if strings.Contains(s, "999") || strings.Contains(s, "000000") || strings.Contains(s, "NaN") {
			t.Errorf("the chart says %q", s)
		}
	}
	return texts
}

func has(t *testing.T, texts []string, want ...string) {
	t.Helper()
	all := "\n" + strings.Join(texts, "\n") + "\n"
	for _, w := range want {
		if !strings.Contains(all, "\n"+w+"\n") {
			t.Errorf("the chart lacks the text %q: it has %q", w, texts)
		}
	}
}

func TestRatios(t *testing.T) {
	c := measure.Case{Kernel: "Dot", Shape: "n=5 <&>", Unit: "elem", Units: 5}
	rows := table.Rows(c, []measure.Series{
		{Level: "generic", Samples: []float64{4}}, {Level: "avx2", Samples: []float64{1}},
		{Level: measure.NaiveDense, Samples: []float64{9}}, {Level: measure.Naive, Samples: []float64{2}},
	}, 0, "")
	var b bytes.Buffer
	if err := Ratios(&b, "title & more", rows); err != nil {
		t.Fatal(err)
	}
	has(t, wellFormed(t, b.Bytes()), "title & more", "Dot  n=5 <&>", "generic", "avx2", "0.50, a loss", "2.0", "1×", "2×", "1/2×")
	if err := Ratios(&b, "", rows[:0]); err == nil {
		t.Error("an empty chart is drawn")
	}
}

func TestRoofline(t *testing.T) {
	r := roof.Roof{
		Levels: []roof.Level{{Name: "L1", Size: 1, Bandwidth: 400}, {Name: "memory", Size: 9, Bandwidth: 40}},
		Peak:   190, PeakFrom: "a test",
	}
	points := []RoofPoint{{"Dot  a", 0.125, 30, 0}, {"Slopes  a", 3, 55, 1}, {"Slopes  b", 3, 55, 1}}
	var b bytes.Buffer
	if err := Roofline(&b, "roof", r, points); err != nil {
		t.Fatal(err)
	}
	has(t, wellFormed(t, b.Bytes()), "L1 400 GB/s", "memory 40 GB/s", "190 Gflop/s, a test", "Slopes  b", "3", "0.1", "100")
	if err := Roofline(&b, "roof", r, nil); err == nil {
		t.Error("an empty chart is drawn")
	}
}

func TestPower(t *testing.T) {
	for e, want := range map[int]string{0: "1", 4: "10000", 5: "1e5", 12: "1e12", -1: "0.1", -2: "0.01", -3: "1e-3", -15: "1e-15"} {
		if got := power(e); got != want {
			t.Errorf("power(%d) = %q, want %q", e, got, want)
		}
	}
}

func TestDecades(t *testing.T) {
	labels := 0
	for _, tick := range (decades{}).Ticks(1e-15, 1) {
		if tick.Value < 1e-15*(1-1e-9) || tick.Value > 1+1e-9 {
			t.Errorf("tick at %g", tick.Value)
		}
		if tick.Label != "" {
			labels++
		}
	}
	if labels < 5 || labels > 12 {
		t.Errorf("%d labels over 15 decades", labels)
	}
}
