package peers

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/table"
)

// A Row has the times of a lane, a cell to each of Targets.
type Row struct {
	Name, Version string
	SCAS          bool
	Cells         []Cell
}

// A Cell is a time, or a ratio with the name of the peer whose time it has. Class is the
// style in which the page shows it.
type Cell struct {
	Text, Peer, Class string
}

// targetHead returns the head of a table of targets.
func targetHead(first string) []string {
	head := []string{first}
	for _, t := range Targets {
		head = append(head, fmt.Sprintf("%.0e", t))
	}
	return head
}

// label is the name of a lane in tables. The times of scas are to what it proved.
func (o *Outcome) label(l *Lane) string {
	if l == o.Lanes[0] {
		return "scas, proved"
	}
	return l.Peer
}

// Times returns the rows of the table of seconds, of the lanes that have any.
func (o *Outcome) Times() (rows []Row) {
	for k, l := range o.Lanes {
		if len(l.Points) == 0 {
			continue
		}
		r := Row{Name: o.label(l), Version: l.Version, SCAS: k == 0}
		for _, gap := range Targets {
			c := Cell{Text: "–"}
			switch t := l.To(gap); {
			case math.IsNaN(t):
			case t < 0.1:
				c.Text = fmt.Sprintf("%.4f", t)
			default:
				c.Text = table.Digits(t)
			}
			if l == o.Best(gap) {
				c.Class = "best"
			}
			r.Cells = append(r.Cells, c)
		}
		rows = append(rows, r)
	}
	return rows
}

// Ratios returns, for each target, the time of the fastest peer over the time of scas, or
// why there is no ratio.
func (o *Outcome) Ratios() (cells []Cell) {
	for _, gap := range Targets {
		best, r := o.Best(gap), o.Ratio(gap)
		switch {
		case math.IsNaN(o.Lanes[0].To(gap)):
			cells = append(cells, Cell{"not proved", "", "open"})
		case best == nil:
			cells = append(cells, Cell{"no peer", "", "open"})
		case r < 0.995:
			cells = append(cells, Cell{fmt.Sprintf("LOSS %.2f", r), best.Peer, "no"})
		case r < 10:
			cells = append(cells, Cell{fmt.Sprintf("%.1f", r), best.Peer, "yes"})
		default:
			cells = append(cells, Cell{fmt.Sprintf("%.0f", r), best.Peer, "yes"})
		}
	}
	return cells
}

// Notes say why lanes have no more points.
func (o *Outcome) Notes() (notes []string) {
	for _, l := range o.Lanes {
		if l.Note != "" && !l.Unable {
			notes = append(notes, l.Peer+": "+l.Note)
		}
	}
	return notes
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

// Text is the table of one problem.
func (o *Outcome) Text() string {
	rows := [][]string{targetHead("  seconds to a gap of")}
	for _, r := range o.Times() {
		row := []string{"  " + r.Name}
		for _, c := range r.Cells {
			row = append(row, c.Text)
		}
		rows = append(rows, row)
	}
	notes := ""
	for _, n := range o.Notes() {
		notes += "  " + n + "\n"
	}
	return fmt.Sprintf("%s\n  %s\n  reference %s\n%s%s\n", o.Name, o.Head(), o.Against(), align(rows), notes)
}

// RatioTable has the ratios of all problems.
func RatioTable(all []*Outcome) string {
	rows := [][]string{targetHead("fastest peer / scas")}
	for _, o := range all {
		row := []string{o.Name}
		for _, c := range o.Ratios() {
			row = append(row, strings.TrimSpace(c.Text+" "+c.Peer))
		}
		rows = append(rows, row)
	}
	return align(rows)
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
