package peers

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

// outcome returns a made-up result of a race of scas with two peers: one is slow, and one stopped early.
func outcome(name, series string, size float64) *Outcome {
	points := func(scale, bound float64) (list []*Point) {
		for k := range 9 {
			gap := math.Pow(10, -float64(k)-1)
			list = append(list, &Point{Tol: gap, Seconds: scale * float64(k+1), Gap: gap, ProvedGap: bound * gap})
		}
		return list
	}
	return &Outcome{
		Spec: Spec{Name: name, Series: series, SeriesSize: size}, Head: "data & more", ObjectiveAtZero: 1,
		Optima: []Bounds{{0.5, 0.5 + 1e-12}},
		Lanes: []*Lane{
			{Peer: Peer{Name: "scas", DefaultTol: 1e-6}, Version: "1", Points: points(0.01*size, 1)},
			{Peer: Peer{Name: "slow"}, Version: "2", Points: points(0.05*size, math.NaN())},
			{Peer: Peer{Name: "quick"}, Version: "3", Points: points(0.005, math.NaN())[:4], Note: "stopped <early>"},
		},
	}
}

func TestPage(t *testing.T) {
	page, err := Page("missing: gone", []*Outcome{outcome("one", "n", 1), outcome("two", "n", 10), outcome("three", "", 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BEHIND 2.00 quick", "0.2 slow", "scas, proved", "scas, true", "slow 2", "data &amp; more",
		"stopped &lt;early&gt;", "missing: gone", "as n grows",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "src=") || strings.Contains(page, "href=\"http") {
		t.Error("the page is not complete in itself")
	}
	if got := strings.Count(page, "<svg"); got != 4 {
		t.Errorf("%d plots, want one a problem and one of growth", got)
	}
	for part := range strings.SplitSeq(page, "<figure>") {
		if drawing, _, found := strings.Cut(part, "</figure>"); found {
			checkXML(t, drawing)
		}
	}
}

func checkXML(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFrontier checks that the gaps of a frontier decrease.
func TestFrontier(t *testing.T) {
	o := outcome("one", "", 1)
	points := append(o.Lanes[1].Points, &Point{Seconds: 1, Gap: 0.5}, &Point{Seconds: 2, Gap: 1e-15})
	line := frontier(points, func(p *Point) float64 { return p.Gap })
	for k := range line.X[1:] {
		if line.X[k+1] < line.X[k] || line.Y[k+1] >= line.Y[k] {
			t.Errorf("after %g s, %g comes %g s, %g", line.X[k], line.Y[k], line.X[k+1], line.Y[k+1])
		}
	}
	if last := len(line.X) - 1; last != 9 || line.Y[last] != 1e-15 {
		t.Errorf("%d points, the last gap %g", last+1, line.Y[last])
	}
}
