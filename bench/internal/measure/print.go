package measure

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// A Printer prints one line for each case, with a column for each series of Names.
type Printer struct {
	W io.Writer
	// Divisor divides the times; zero means 1.
	Divisor   float64
	Unit      string // unit of the times after the division, such as "ns"
	LastTitle string // title of the last column
}

// WriteHead prints the titles of the columns.
func (p *Printer) WriteHead() error {
	return p.writeLine("kernel", "data", p.Unit+" per", Names(), "vs naive", p.LastTitle)
}

// WriteCase prints a line: the smallest time of each series, the ratio of the naive loop's time to the best
// level's time, and lastCell. A ratio below 0.995 is marked with LOSS. series are in the order of Names.
func (p *Printer) WriteCase(c Case, series []Series, lastCell string) error {
	var times []string
	for _, s := range series {
		times = append(times, FormatNumber(s.Min()/cmp.Or(p.Divisor, 1)))
	}
	ratio := series[len(series)-1].Min() / BestTime(series)
	mark := ""
	if ratio < 0.995 {
		mark = "LOSS "
	}
	return p.writeLine(c.Kernel, c.Shape, c.Unit, times, fmt.Sprintf("%s%.2fx", mark, ratio), lastCell)
}

func (p *Printer) writeLine(kernel, data, unit string, times []string, ratio, lastCell string) error {
	line := fmt.Sprintf("%-19s %-17s %-9s", kernel, data, unit)
	for _, t := range times {
		line += fmt.Sprintf(" %8s", t)
	}
	_, err := fmt.Fprintf(p.W, "%s %10s  %s\n", line, ratio, lastCell)
	return err
}

// FormatNumber returns a number as text, without an exponent: from 100 on rounded to a whole number, below 1
// with three decimals, and otherwise with three significant digits.
func FormatNumber(v float64) string {
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

// Benchfmt returns all times of a case in the format of Go benchmarks, one per line. With benchstat
// -col /level the series become the columns of a table.
func Benchfmt(c Case, series []Series) string {
	var b strings.Builder
	for _, s := range series {
		for _, ns := range s.Times {
			fmt.Fprintf(&b, "Benchmark%s/shape=%s/level=%s\t%d\t%.5g ns/op\t%.5g ns/%s\n",
				c.Kernel, c.Shape, s.Level, s.Runs, ns*float64(c.Units), ns, c.Unit)
		}
	}
	return b.String()
}
