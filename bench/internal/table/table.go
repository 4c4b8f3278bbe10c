// Package table writes measurements as tables for people, as CSV, and in the
// format of Go benchmarks.
package table

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/bench/internal/measure"
)

// A Printer prints one line for each case, with all its implementations side by side, as
// soon as the case is measured.
type Printer struct {
	W io.Writer
	// Series are the columns, in order.
	Series []string
	// Scale divides the times; zero means 1.
	Scale float64
	Unit  string // of the times, such as "ns"
}

// Head prints the line above the cases.
func (p *Printer) Head() error {
	line := fmt.Sprintf("%-19s %-18s %-8s", "kernel", "data", p.Unit+" per")
	for _, s := range p.Series {
		line += fmt.Sprintf(" %11s", s)
	}
	_, err := fmt.Fprintf(p.W, "%s %10s %8s %s\n", line, "vs naive", "of limit", "bound")
	return err
}

// Case prints the least times of a case, the ratio of the naive time to the best, and how
// much of the machine's limit the best reaches. A ratio below 1 is marked.
func (p *Printer) Case(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	line := fmt.Sprintf("%-19s %-18s %-8s", rows[0].Kernel, rows[0].Shape, rows[0].Unit)
	best := Row{}
	for _, name := range p.Series {
		cell := "-"
		for _, r := range rows {
			if r.Level != name {
				continue
			}
			cell = Digits(r.Min() / cmp.Or(p.Scale, 1))
			if r.Level != measure.Naive && r.Level != measure.NaiveDense && r.Ratio > best.Ratio {
				best = r
			}
		}
		line += fmt.Sprintf(" %11s", cell)
	}
	_, err := fmt.Fprintf(p.W, "%s %10s %8s %s\n", line, ratio(best), percent(best.Fraction), best.Bound)
	return err
}

// Digits writes a number with three significant digits, below 1 with three decimals, and
// never in scientific form.
func Digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// ratio writes the ratio to naive.
func ratio(r Row) string {
	switch {
	case r.Ratio == 0:
		return ""
	case r.Ratio < 0.995:
		return fmt.Sprintf("LOSS %.2fx", r.Ratio)
	}
	return fmt.Sprintf("%.2fx", r.Ratio)
}

func percent(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*v)
}

// A Row is one implementation of one case.
type Row struct {
	measure.Case // without its Work
	measure.Series
	Ratio    float64 // time of naive over Min; 0 if there is no naive series
	Fraction float64 // least time the machine allows over Min; 0 if not known
	Bound    string  // what sets that least time
}

// Rows combines the timings of one case. limit is the least time per unit in
// ns that the machine allows, 0 if not known.
func Rows(c measure.Case, series []measure.Series, limit float64, bound string) []Row {
	var naive float64
	for _, s := range series {
		if s.Level == measure.Naive {
			naive = s.Min()
		}
	}
	c.Work = measure.Work{} // rows outlive the data
	var rows []Row
	for _, s := range series {
		rows = append(rows, Row{Case: c, Series: s, Ratio: naive / s.Min(), Fraction: limit / s.Min(), Bound: bound})
	}
	return rows
}

// WriteCSV writes rows under a line that names the columns. A number that is not
// known is an empty field.
func WriteCSV(w io.Writer, rows []Row) error {
	records := [][]string{{"kernel", "shape", "level", "unit", "ns_min", "ns_median", "ratio_to_naive", "fraction_of_limit"}}
	for _, r := range rows {
		records = append(records, []string{
			r.Kernel, r.Shape, r.Level, r.Unit, number(r.Min()), number(r.Median()), number(r.Ratio), number(r.Fraction),
		})
	}
	return csv.NewWriter(w).WriteAll(records)
}

func number(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// WriteBenchfmt writes one line per sample in the Go benchmark format, so that
// benchstat -col /level compares the series. head lines become a comment-like
// preamble, which the format allows.
func WriteBenchfmt(w io.Writer, platform, cpu string, rows []Row) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/scas-admm/scas/bench\ncpu: %s\n", goos, goarch, cpu)
	for _, r := range rows {
		for _, s := range r.Samples {
			fmt.Fprintf(&b, "Benchmark%s/shape=%s/level=%s\t%d\t%s ns/op\t%s ns/%s\n",
				r.Kernel, r.Shape, r.Level, r.Runs, number(s*float64(r.Units)), number(s), r.Unit)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
