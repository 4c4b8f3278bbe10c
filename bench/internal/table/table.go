package table

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/measure"
)

// Table returns rows as aligned text. Cases are set apart; a ratio below 1, a
// loss to the naive loop, is marked.
func Table(rows []Row) string {
	return align("kernel\tshape\tlevel\tmin\tmedian\tns per\tvs naive\tof limit\t  bound", rows, func(r Row) []string {
		return []string{r.Level, ns(r.Min()), ns(r.Median()), r.Unit, ratio(r), percent(r.Fraction), r.Bound}
	})
}

// MillisecondTable is Table for work that takes milliseconds and has no limit to
// compare with.
func MillisecondTable(rows []Row) string {
	return align("what\tdata\tlevel\tmin ms\tmedian ms\tvs naive", rows, func(r Row) []string {
		return []string{r.Level, ns(r.Min() / 1e6), ns(r.Median() / 1e6), ratio(r)}
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

// ns writes a time with three significant digits, never in scientific form.
func ns(v float64) string {
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
