package main

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWDBC(t *testing.T) {
	tab := readWDBC()
	var malignant int
	for _, b := range tab.labels {
		if b > 0 {
			malignant++
		}
	}
	if rows, cols := tab.x.Dims(); rows != 569 || cols != 31 || len(tab.labels) != 569 || len(tab.names) != 30 || malignant != 212 {
		t.Fatalf("%d x %d, %d labels, %d names, %d malignant", rows, cols, len(tab.labels), len(tab.names), malignant)
	}
	_, first := tab.x.Row(0)
	_, last := tab.x.Row(568)
	if tab.names[0] != "mean radius" || first[0] != 17.99 || tab.labels[0] != 1 || tab.names[29] != "worst fractal dimension" || last[len(last)-2] != 0.07039 || tab.labels[568] != -1 {
		t.Error("the corners of the table are not what the source has")
	}
}

// TestStudySplit checks that the held-out thirds are disjoint, cover all rows and have the same shares of the
// classes. Features must be standardised on the training rows alone.
func TestStudySplit(t *testing.T) {
	tab := readWDBC()
	held := make([]int, len(tab.labels))
	for k := range demoThirds {
		s := newStudy(context.Background(), tab, k)
		var malignant int
		var labels []float64
		for i, b := range tab.labels {
			if slices.Contains(s.rows, i) {
				continue
			}
			held[i]++
			labels = append(labels, b)
			if b > 0 {
				malignant++
			}
		}
		if !slices.Equal(labels, s.held.Labels) {
			t.Errorf("third %d: the rows held out are not those left", k)
		}
		if malignant < 70 || malignant > 71 || len(s.train.Labels)+len(s.held.Labels) != 569 || len(s.rows) != len(s.train.Labels) {
			t.Errorf("third %d: %d of %d malignant, %d for training", k, malignant, len(s.held.Labels), len(s.train.Labels))
		}
		stats := s.train.X.ColumnStats()
		mean, dev := stats.Mean(), stats.StdDev()
		for j := range tab.names {
			if m, sd := mean[j], dev[j]; m > 1e-12 || m < -1e-12 || sd < 1-1e-12 || sd > 1+1e-12 {
				t.Errorf("third %d: feature %d has mean %g, deviation %g on the training part", k, j, m, sd)
			}
		}
		if d := s.graph.Degrees(); d[len(tab.names)] != 0 {
			t.Errorf("third %d: the intercept has %d edges", k, d[len(tab.names)])
		}
	}
	for i, n := range held {
		if n != 1 {
			t.Fatalf("row %d was held out %d times", i, n)
		}
	}
}

// TestDemo checks the output of scas demo: the fit is close to the optimum, coefficients are fused and zero,
// and the lines fit a terminal.
func TestDemo(t *testing.T) {
	t.Setenv("SCAS_DATA", "")
	var out, stderr bytes.Buffer
	e := &env{ctx: context.Background(), stdout: &out, stderr: &stderr}
	if code := run(e, []string{"demo"}); code != exitOK || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 || strings.HasSuffix(line, " \n") {
			t.Errorf("%d columns, or blanks at the end: %q", n, line)
		}
	}
	for _, want := range []string{
		`\nprocessor .*\nkernels +\S+ in use.*\nSCAS_LEVEL .*\n$`,                  // the machine comes last
		`     200   0\.\d{8} +\d\.\de-(0[7-9]|[1-9]\d) +\d\.\de-(0[7-9]|[1-9]\d) `, // within 1e-6 of the optimum
		`  all \(569 rows\) +9[5-9]\.\d %  0\.\d{4} +9[5-9]\.\d %  0\.\d{4}\n`,
		`Newton   0\.\d{8} +\d\.\de-1\d +\d\.\de-1\d  proved`, // the line of the reference optimum
		`  standard error +0\.\d %  0\.0\d{3} +0\.\d %  0\.0\d{3}\n`,
		`The (fused|plain) lasso has the smaller loss \(by 0\.\d+, with a standard\s+error of\s+0\.\d+\)`,
		`  ┌ mean radius +(0\.\d{4}) .*\n  │ mean perimeter +(0\.\d{4}) `,
		`Brackets join coefficients that are exactly equal`,
		`Zero in both: mean `,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

func TestGroupsNeedAnEdge(t *testing.T) {
	tab := readWDBC()
	s := newStudy(context.Background(), tab, 0)
	x := make([]float64, len(tab.names)+1)
	e := s.graph.Edges()[0]
	x[e.I], x[e.J] = 2, 2
	x[len(tab.names)-1] = 2 // an equal coefficient, but without an edge to the other two
	of, _ := s.graph.Components()
	if of[len(tab.names)-1] == of[e.I] {
		t.Fatal("the last feature is joined to the first edge: choose another one")
	}
	groups := s.groups(x)
	var found int
	for _, g := range groups {
		if x[g[0]] == 2 {
			found++
			if n := len(g); n != 1 && n != 2 {
				t.Errorf("a group of %v", g)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d groups of value 2, want 2", found)
	}
}

func TestLogBar(t *testing.T) {
	for v, want := range map[float64]int{-1: 0, 0: 0, 0.9e-9: 0, 1.1e-8: 5, 1.1e-5: 17, 1: 36, 100: 36} {
		if got := len(logBar(v)); got != want {
			t.Errorf("logBar(%g) has %d characters, want %d", v, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("aa bb cc", 5, 2), "aa\nbb cc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
