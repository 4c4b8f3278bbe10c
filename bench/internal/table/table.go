// Package table writes measurements as tables for people, as CSV, and in the
// format of Go benchmarks.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/measure"
)

// Table returns rows as aligned text. Cases are set apart; a ratio below 1, a
// loss to the naive loop, is marked.
func Table(rows []Row) string {
	return align("kernel\tshape\tlevel\tmin\tmedian\tns per\tvs naive\tof limit\t  bound", rows, func(r Row) []string {
		return []string{r.Level, Digits(r.Min()), Digits(r.Median()), r.Unit, ratio(r), percent(r.Fraction), r.Bound}
	})
}

// MillisecondTable is Table for work that takes milliseconds and has no limit to
// compare with.
func MillisecondTable(rows []Row) string {
	return align("what\tdata\tlevel\tmin ms\tmedian ms\tvs naive", rows, func(r Row) []string {
		return []string{r.Level, Digits(r.Min() / 1e6), Digits(r.Median() / 1e6), ratio(r)}
	})
}

// align writes kernel and shape of each case once, and cells of each row.
func align(head string, rows []Row, cells func(Row) []string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, head+"\t")
	for i, r := range rows {
		name := r.Kernel + "\t" + r.Shape
		if i > 0 && rows[i-1].Kernel == r.Kernel && rows[i-1].Shape == r.Shape {
			name = "\t"
		}
		fmt.Fprintln(w, name+"\t"+strings.Join(cells(r), "\t")+"\t")
	}
	_ = w.Flush() // a Builder does not fail
	return b.String()
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

// ratio writes the ratio to naive; that of the other naive series is no loss.
func ratio(r Row) string {
	switch {
	case r.Ratio == 0:
		return ""
	case r.Ratio < 0.995 && r.Level != measure.NaiveDense:
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
