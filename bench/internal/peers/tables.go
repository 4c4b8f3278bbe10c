package peers

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/measure"
)

// A column of the tables says which point of a lane counts in it.
type column struct {
	title   string
	point   func(*Lane) *Point // returns nil if the lane has no point for the column
	showGap bool               // whether cells also have the gap of the point
}

// columns returns the columns of the tables: one for each entry of Targets, with the fastest point within the
// gap, and one with the point at the default tolerance of each solver.
func columns() (list []column) {
	for _, gap := range Targets {
		list = append(list,
			column{title: fmt.Sprintf("%.0e", gap), point: func(l *Lane) *Point { return l.Fastest(gap) }})
	}
	return append(list, column{title: "at default (gap)", point: (*Lane).DefaultPoint, showGap: true})
}

// withGap returns the text with the gap of p in brackets, if the column shows gaps.
func (c column) withGap(text string, p *Point) string {
	if !c.showGap {
		return text
	}
	return fmt.Sprintf("%s (%.0e)", text, p.reached())
}

// titleRow returns the first row of a table, which begins with firstCell.
func titleRow(firstCell string) []string {
	row := []string{firstCell}
	for _, c := range columns() {
		row = append(row, c.title)
	}
	return row
}

func secondsText(t float64) string {
	if t < 0.1 {
		return fmt.Sprintf("%.4f", t)
	}
	return measure.FormatNumber(t)
}

// times returns the row of the table of times for one lane: its name and version, and seconds.
func (o *Outcome) times(l *Lane) []string {
	row := []string{"  " + l.Name + " " + l.Version}
	if l == o.Lanes[0] {
		row[0] = "  scas, proved"
	}
	for _, c := range columns() {
		cell := "–"
		p := c.point(l)
		if p != nil {
			cell = c.withGap(secondsText(p.Seconds), p)
		}
		row = append(row, cell)
	}
	return row
}

// ratios returns a cell for each column, with the time of scas divided by the time of the fastest peer, or
// with the reason why there is no ratio. If names is true, the cell also has the name of this peer.
func (o *Outcome) ratios(names bool) (cells []string) {
	for _, c := range columns() {
		var fastest *Lane
		for _, l := range o.Lanes[1:] {
			p := c.point(l)
			if p != nil && (fastest == nil || p.Seconds < c.point(fastest).Seconds) {
				fastest = l
			}
		}
		scasPoint := c.point(o.Lanes[0])
		switch {
		case scasPoint == nil:
			cells = append(cells, "not proved")
			continue
		case fastest == nil:
			cells = append(cells, "no peer")
			continue
		}
		peerPoint := c.point(fastest)
		cell := ratioText(scasPoint.Seconds / peerPoint.Seconds)
		if names {
			cell += " " + c.withGap(fastest.Name, peerPoint)
		}
		cells = append(cells, cell)
	}
	return cells
}

// ratioText returns a ratio as text. scas is behind only if the ratio is above 1.005, because repeated
// measurements usually differ by up to 0.5 %.
func ratioText(r float64) string {
	if r > 1.005 {
		return "BEHIND " + measure.FormatNumber(r)
	}
	return fmt.Sprintf("%.2g", r)
}

// notes returns lines that say why solvers gave no more answers. For the task CV, further lines compare the
// losses of each solver on the rows held out, at its default tolerance, with the losses of scas at its
// tightest tolerance.
func (o *Outcome) notes() (notes []string) {
	for _, l := range o.Lanes {
		if l.Note != "" {
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
		notes = append(notes,
			fmt.Sprintf("%s: losses on rows held out at its default: within %.0e P(0) of those of scas at %g",
				l.Name, worst, tightest.Tol))
	}
	return notes
}

// referenceText returns a text that describes the reference.
func (o *Outcome) referenceText() string {
	value := ""
	if len(o.Optima) == 1 {
		value = fmt.Sprintf("%.13f ", o.Optima[0].Lower)
	}
	return fmt.Sprintf("%s(the greatest lower bound that scas proves; at most %.0e P(0) below the least objective)",
		value, maxDistance(o.Optima)/o.ObjectiveAtZero)
}

// Text returns the table of the problem: the times of all solvers, the ratios, and notes.
func (o *Outcome) Text() string {
	rows := [][]string{titleRow("  seconds to a gap of")}
	for _, l := range o.Lanes {
		if len(l.Points) > 0 {
			rows = append(rows, o.times(l))
		}
	}
	rows = append(rows, append([]string{"  scas / fastest peer"}, o.ratios(false)...))
	notes := ""
	for _, n := range o.notes() {
		notes += "  " + n + "\n"
	}
	return fmt.Sprintf("%s\n  %s\n  reference %s\n%s%s\n",
		o.Name, o.Head, o.referenceText(), align(rows), notes)
}

// RatioTable returns a text table with one row for each outcome: its name, and ratios with the names of the
// peers.
func RatioTable(outcomes []*Outcome) string {
	rows := [][]string{titleRow("scas / fastest peer")}
	for _, o := range outcomes {
		rows = append(rows, append([]string{o.Name}, o.ratios(true)...))
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
