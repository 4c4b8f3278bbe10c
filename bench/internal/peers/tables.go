package peers

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/table"
)

// SCASLabel is what scas is called in tables: its times are to what it proved.
const SCASLabel = "scas, proved"

// Label is the name of a lane in tables.
func (o *Outcome) Label(l *Lane) string {
	if l == o.Lanes[0] {
		return SCASLabel
	}
	return l.Peer
}

// Seconds writes a time with three digits, or a dash for none.
func Seconds(t float64) string {
	switch {
	case math.IsNaN(t):
		return "–"
	case t < 0.1:
		return fmt.Sprintf("%.4f", t)
	}
	return table.Digits(t)
}

// Compared writes the ratio to the fastest peer, and which it is; or why there is none.
func (o *Outcome) Compared(gap float64) (ratio, peer string) {
	best, r := o.Best(gap), o.Ratio(gap)
	switch {
	case math.IsNaN(o.Lanes[0].To(gap)):
		return "not proved", ""
	case best == nil:
		return "no peer", ""
	case r < 0.995:
		return fmt.Sprintf("LOSS %.2f", r), best.Peer
	case r < 10:
		return fmt.Sprintf("%.1f", r), best.Peer
	}
	return fmt.Sprintf("%.0f", r), best.Peer
}

// Head describes the problem in a line.
func (o *Outcome) Head() string {
	matrix := "A = I"
	if o.RowsOfA > 0 {
		matrix = fmt.Sprintf("A with %d rows", o.RowsOfA)
	}
	return fmt.Sprintf("%s: %d x %d, %d nonzeros, lambda %.4g, mu %g, %s", o.Data, o.Rows, o.Features, o.NNZ, o.Lambda, o.L2, matrix)
}

// Against describes the reference in a line.
func (o *Outcome) Against() string {
	return fmt.Sprintf("%.13f (%s; the bounds that scas proves are %.0e apart)", o.Reference.Value, o.Reference.How, o.Reference.Proved)
}

// align writes rows of cells in columns.
func align(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	_ = w.Flush() // a Builder does not fail
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

func targetHead(first string) []string {
	head := []string{first}
	for _, t := range Targets {
		head = append(head, fmt.Sprintf("%.0e", t))
	}
	return head
}

// Text is the table of one problem.
func (o *Outcome) Text() string {
	rows := [][]string{targetHead("  seconds to a gap of")}
	var notes strings.Builder
	for _, l := range o.Lanes {
		if l.Note != "" && !l.Unable {
			fmt.Fprintf(&notes, "  %s: %s\n", l.Peer, l.Note)
		}
		if len(l.Points) == 0 {
			continue
		}
		row := []string{"  " + o.Label(l)}
		for _, t := range Targets {
			row = append(row, Seconds(l.To(t)))
		}
		rows = append(rows, row)
	}
	return fmt.Sprintf("%s\n  %s\n  reference %s\n%s%s\n", o.Name, o.Head(), o.Against(), align(rows), notes.String())
}

// RatioTable has the ratios of all problems.
func RatioTable(all []*Outcome) string {
	rows := [][]string{targetHead("fastest peer / scas")}
	for _, o := range all {
		row := []string{o.Name}
		for _, t := range Targets {
			ratio, peer := o.Compared(t)
			row = append(row, strings.TrimSpace(ratio+" "+peer))
		}
		rows = append(rows, row)
	}
	return align(rows)
}

// WriteCSV writes every point under a line that names the columns. What is not known is
// an empty field.
func WriteCSV(w io.Writer, all []*Outcome) error {
	records := [][]string{{"problem", "rows", "features", "nnz", "lambda", "mu", "rows_of_a", "reference", "peer", "version", "tolerance", "cpu_seconds", "wall_seconds", "fits", "objective", "gap", "gap_proved", "note"}}
	for _, o := range all {
		about := []string{o.Name, strconv.Itoa(o.Rows), strconv.Itoa(o.Features), strconv.FormatInt(o.NNZ, 10), number(o.Lambda), number(o.L2), strconv.Itoa(o.RowsOfA), exact(o.Reference.Value)}
		for _, l := range o.Lanes {
			who := append(about[:len(about):len(about)], l.Peer, l.Version)
			for _, p := range l.Points {
				records = append(records, append(who[:len(who):len(who)], number(p.Tol), number(p.CPU), number(p.Wall), strconv.Itoa(p.Repeats), exact(p.Objective), number(p.Gap), number(p.Bound), ""))
			}
			if l.Note != "" {
				records = append(records, append(who[:len(who):len(who)], "", "", "", "", "", "", "", l.Note))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(records)
}

func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
