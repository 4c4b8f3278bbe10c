package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestStudySplit checks that the three held-out thirds together have all rows, and that each third has a
// third of the malignant rows. Features must be standardised on the training rows alone.
func TestStudySplit(t *testing.T) {
	var rows int
	for k := range demoThirds {
		s := newStudy(context.Background(), k)
		var malignant int
		for _, b := range s.test.Labels {
			if b > 0 {
				malignant++
			}
		}
		rows += len(s.test.Labels)
		if malignant < 70 || malignant > 71 || len(s.train.Labels)+len(s.test.Labels) != 569 {
			t.Errorf("third %d: %d of %d malignant, %d for training", k, malignant, len(s.test.Labels), len(s.train.Labels))
		}
		stats := s.train.X.ColumnStats()
		mean, dev := stats.Mean(), stats.StdDev()
		for j := range s.train.Names {
			if m, sd := mean[j], dev[j]; m > 1e-12 || m < -1e-12 || sd < 1-1e-12 || sd > 1+1e-12 {
				t.Errorf("third %d: feature %d has mean %g, deviation %g on the training part", k, j, m, sd)
			}
		}
	}
	if rows != 569 {
		t.Errorf("%d rows are held out, want 569", rows)
	}
}

// TestDemo checks the output of scas demo, which must have the lines that README.md shows.
func TestDemo(t *testing.T) {
	out, errs := succeed(t, "demo")
	if errs != "" {
		t.Errorf("stderr %q", errs)
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 || strings.HasSuffix(line, " \n") {
			t.Errorf("%d columns, or blanks at the end: %q", n, line)
		}
	}
	for _, want := range []string{
		`\nprocessor .*\nkernels +\S+ in use.*\nSCAS_LEVEL .*\n$`,                  // the last lines are about the machine
		`     200   0\.\d{8} +\d\.\de-(0[7-9]|[1-9]\d) +\d\.\de-(0[7-9]|[1-9]\d) `, // within 1e-6 of the optimum
		`  all \(569 rows\) +9[5-9]\.\d %  0\.\d{4} +9[5-9]\.\d %  0\.\d{4}\n`,
		`Newton   0\.\d{8} +\d\.\de-1\d +\d\.\de-1\d  proved`,
		`  standard error +0\.\d %  0\.0\d{3} +0\.\d %  0\.0\d{3}\n`,
		`  The loss of the plain lasso is larger by 0\.\d+ \(standard error 0\.\d+\)\.\n`,
		`  ┌ mean radius +(0\.\d{4}) .*\n  │ mean perimeter +(0\.\d{4}) `,
		`Brackets join coefficients that are exactly equal`,
		`Zero in both: mean `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	blockIndex := slices.IndexFunc(readmeBlocks(t),
		func(block []string) bool { return strings.HasPrefix(block[0], "On rows not trained on") })
	if blockIndex < 0 {
		t.Fatal("README.md shows no output of the demonstration")
	}
	checkOrder(t, readmeBlocks(t)[blockIndex], out)
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
