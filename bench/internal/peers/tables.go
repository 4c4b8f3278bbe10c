package peers

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/measure"
)

// A Row has the times of a solver: a cell for each entry of Targets, and a cell for the default tolerance.
type Row struct {
	Name, Version string
	SCAS          bool // the solver is scas
	Cells         []Cell
}

// A Cell is a cell of a table. In the table of Outcome.Times, Text is a time, perhaps with a gap, or a dash
// if there is no time. In the table of Outcome.Ratios, Text is a ratio, or the reason why there is none. For
// a ratio, Peer is the peer with which scas is compared, perhaps with the peer's gap. Class is the CSS class.
type Cell struct {
	Text, Peer, Class string
}

// targetHead returns the header row of a table, which begins with firstCell.
func targetHead(firstCell string) []string {
	head := []string{firstCell}
	for _, t := range Targets {
		head = append(head, fmt.Sprintf("%.0e", t))
	}
	return append(head, "at default (gap)")
}

// label returns the name of a lane in tables. The name of scas says that its gaps are proved gaps.
func (o *Outcome) label(l *Lane) string {
	if l == o.Lanes[0] {
		return "scas, proved"
	}
	return l.Name
}

func secondsText(t float64) string {
	if t < 0.1 {
		return fmt.Sprintf("%.4f", t)
	}
	return measure.FormatNumber(t)
}

// Times returns the rows of the table of times in seconds: one for each peer with points.
func (o *Outcome) Times() (rows []Row) {
	for k, l := range o.Lanes {
		if len(l.Points) == 0 {
			continue
		}
		r := Row{Name: o.label(l), Version: l.Version, SCAS: k == 0}
		for _, gap := range Targets {
			c := Cell{Text: "–"}
			if t := l.TimeTo(gap); !math.IsNaN(t) {
				c.Text = secondsText(t)
			}
			if l == o.FastestPeer(gap) {
				c.Class = "best"
			}
			r.Cells = append(r.Cells, c)
		}
		defaultCell := Cell{Text: "–"}
		if p := l.DefaultPoint(); p != nil {
			defaultCell.Text = fmt.Sprintf("%s (%.0e)", secondsText(p.Seconds), p.reached())
		}
		r.Cells = append(r.Cells, defaultCell)
		rows = append(rows, r)
	}
	return rows
}

// Ratios returns a cell for each entry of Targets, with the time of scas divided by the time of the fastest
// peer, or with the reason why there is no ratio. A last cell compares scas and the fastest peer, each at its
// own default tolerance, and has the gap of this peer.
func (o *Outcome) Ratios() (cells []Cell) {
	for _, gap := range Targets {
		fastest := o.FastestPeer(gap)
		switch {
		case math.IsNaN(o.Lanes[0].TimeTo(gap)):
			cells = append(cells, Cell{"not proved", "", "open"})
		case fastest == nil:
			cells = append(cells, Cell{"no peer", "", "open"})
		default:
			cells = append(cells, ratioCell(o.Ratio(gap), fastest.Name))
		}
	}
	var fastest *Lane
	for _, l := range o.Lanes[1:] {
		if p := l.DefaultPoint(); p != nil && (fastest == nil || p.Seconds < fastest.DefaultPoint().Seconds) {
			fastest = l
		}
	}
	scasPoint := o.Lanes[0].DefaultPoint()
	switch {
	case scasPoint == nil:
		return append(cells, Cell{"not proved", "", "open"})
	case fastest == nil:
		return append(cells, Cell{"no peer", "", "open"})
	}
	p := fastest.DefaultPoint()
	peerText := fmt.Sprintf("%s (%.0e)", fastest.Name, p.reached())
	return append(cells, ratioCell(scasPoint.Seconds/p.Seconds, peerText))
}

// ratioCell returns the cell of the ratio r. scas is behind only if r is above 1.005, because repeated
// measurements usually differ by up to 0.5 %.
func ratioCell(r float64, peer string) Cell {
	if r > 1.005 {
		return Cell{"BEHIND " + measure.FormatNumber(r), peer, "no"}
	}
	return Cell{fmt.Sprintf("%.2g", r), peer, "yes"}
}

// Notes returns lines that say why peers gave no more answers. For the task CV, further lines compare the
// losses of each solver on the rows held out, at its default tolerance, with the losses of scas at its
// tightest tolerance.
func (o *Outcome) Notes() (notes []string) {
	for _, l := range o.Lanes {
		if l.Note != "" && !l.Unable {
			notes = append(notes, l.Name+": "+l.Note)
		}
	}
	if o.Task != CV || len(o.Lanes[0].Points) == 0 {
		return notes
	}
	tightest := o.Lanes[0].Points[len(o.Lanes[0].Points)-1]
	for _, l := range o.Lanes {
		p := l.DefaultPoint()
		if p == nil {
			continue
		}
		var worst float64
		for k, v := range p.CVLosses {
			worst = max(worst, math.Abs(v-tightest.CVLosses[k])/o.ObjectiveAtZero)
		}
		notes = append(notes, fmt.Sprintf("%s: losses on rows held out at its default: within %.0e P(0) of those of scas at %g",
			l.Name, worst, tightest.Tol))
	}
	return notes
}

// ReferenceText returns a line that describes the reference.
func (o *Outcome) ReferenceText() string {
	value := ""
	if len(o.Optima) == 1 {
		value = fmt.Sprintf("%.13f ", o.Optima[0].Lower)
	}
	return fmt.Sprintf("%s(the greatest lower bound that scas proves; at most %.0e P(0) below the least objective)",
		value, maxDistance(o.Optima)/o.ObjectiveAtZero)
}

func textRow(firstCell string, cells []Cell) []string {
	row := []string{firstCell}
	for _, c := range cells {
		row = append(row, strings.TrimSpace(c.Text+" "+c.Peer))
	}
	return row
}

// Text returns the table of the problem as text, with its notes.
func (o *Outcome) Text() string {
	rows := [][]string{targetHead("  seconds to a gap of")}
	for _, r := range o.Times() {
		rows = append(rows, textRow("  "+r.Name, r.Cells))
	}
	ratios := o.Ratios()
	for k := range ratios {
		ratios[k].Peer = ""
	}
	rows = append(rows, textRow("  scas / fastest peer", ratios))
	notes := ""
	for _, n := range o.Notes() {
		notes += "  " + n + "\n"
	}
	return fmt.Sprintf("%s\n  %s\n  reference %s\n%s%s\n", o.Name, o.Head, o.ReferenceText(), align(rows), notes)
}

// RatioTable returns a text table with one row for each outcome: its name and its Ratios.
func RatioTable(outcomes []*Outcome) string {
	rows := [][]string{targetHead("scas / fastest peer")}
	for _, o := range outcomes {
		rows = append(rows, textRow(o.Name, o.Ratios()))
	}
	return align(rows)
}

func align(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	_ = w.Flush() // a strings.Builder returns no errors
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
