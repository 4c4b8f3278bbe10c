// Package page makes one page of a comparison with other solvers.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/peers"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"seconds": peers.Seconds}).Parse(pageText))

// growthGap is the gap at which growth is drawn.
const growthGap = 1e-6

// A view is what the template gets.
type view struct {
	Machine, Protocol, Missing []string
	Targets                    []string
	Problems                   []problem
	Growth                     []template.HTML
}

type problem struct {
	*peers.Outcome
	Ratios []cell
	Rows   []row
	Notes  []string
	Plot   template.HTML
	Anchor string
}

type cell struct {
	Text, Peer, Class string
}

type row struct {
	Name, Version string
	Scas          bool
	Times         []cell
}

// Write writes the page, complete in itself. machine and protocol are lines about the
// run, missing names the peers that are not here.
func Write(w io.Writer, machine, protocol, missing []string, all []*peers.Outcome) error {
	v := view{Machine: machine, Protocol: protocol, Missing: missing}
	for _, t := range peers.Targets {
		v.Targets = append(v.Targets, fmt.Sprintf("%.0e", t))
	}
	groups := grouping(all)
	for k, o := range all {
		p := problem{Outcome: o, Anchor: fmt.Sprintf("p%d", k)}
		p.fill()
		var err error
		if p.Plot, err = gapPlot(o, groups); err != nil {
			return err
		}
		v.Problems = append(v.Problems, p)
	}
	var err error
	if v.Growth, err = growth(all, groups); err != nil {
		return err
	}
	return pageTemplate.Execute(w, v)
}

// fill makes the tables of a problem.
func (p *problem) fill() {
	for _, gap := range peers.Targets {
		c := cell{Class: "open"}
		c.Text, c.Peer = p.Compared(gap)
		switch ratio := p.Ratio(gap); {
		case ratio < 0.995:
			c.Class = "no"
		case ratio >= 0.995:
			c.Class = "yes"
		}
		p.Ratios = append(p.Ratios, c)
	}
	for _, l := range p.Lanes {
		if l.Note != "" && !l.Unable {
			p.Notes = append(p.Notes, l.Peer+": "+l.Note)
		}
		if len(l.Points) == 0 {
			continue
		}
		r := row{Name: p.Label(l), Version: l.Version, Scas: l == p.Lanes[0]}
		for _, gap := range peers.Targets {
			c := cell{Text: peers.Seconds(l.To(gap))}
			if l == p.Best(gap) {
				c.Class = "best"
			}
			r.Times = append(r.Times, c)
		}
		p.Rows = append(p.Rows, r)
	}
}

// grouping gives every peer its colour, the same in all plots.
func grouping(all []*peers.Outcome) map[string]int {
	groups := map[string]int{}
	for _, o := range all {
		for _, l := range o.Lanes {
			if _, known := groups[l.Peer]; !known && len(l.Points) > 0 {
				groups[l.Peer] = len(groups)
			}
		}
	}
	return groups
}

// drawnFloor is where gaps below it are drawn: there is nothing to compare there.
const drawnFloor = 1e-12

// gapPlot draws the gaps reached over seconds; for scas those proved and the true ones.
func gapPlot(o *peers.Outcome, groups map[string]int) (template.HTML, error) {
	var lines []chart.Line
	for k, l := range o.Lanes {
		proved := func(p *peers.Point) float64 { return p.Bound }
		line := chart.Line{Name: l.Peer, Group: groups[l.Peer]}
		if k == 0 {
			lines = append(lines, frontier(chart.Line{Name: o.Label(l), Group: line.Group}, l.Points, proved))
			line.Name, line.Dashed = l.Peer+", true", true
		}
		lines = append(lines, frontier(line, l.Points, func(p *peers.Point) float64 { return p.Gap }))
	}
	return svg(func(w io.Writer) error { return chart.LogLog(w, o.Name, "seconds", "objective minus optimum", lines) })
}

// frontier fills a line with the points that no faster one is as good as.
func frontier(line chart.Line, points []*peers.Point, gap func(*peers.Point) float64) chart.Line {
	least := math.Inf(1)
	for _, p := range slices.SortedStableFunc(slices.Values(points), func(a, b *peers.Point) int { return cmp.Compare(a.Seconds, b.Seconds) }) {
		if g := gap(p); g < least {
			least = g
			line.X, line.Gap = append(line.X, p.Seconds), append(line.Gap, max(g, drawnFloor))
		}
	}
	return line
}

// growth draws the seconds to a gap over what grows, a chart for every series.
func growth(all []*peers.Outcome, groups map[string]int) (charts []template.HTML, err error) {
	var series []string
	for _, o := range all {
		if o.Series != "" && !slices.Contains(series, o.Series) {
			series = append(series, o.Series)
		}
	}
	for _, s := range series {
		lines := growthLines(slices.DeleteFunc(slices.Clone(all), func(o *peers.Outcome) bool { return o.Series != s }), groups)
		drawn, err := svg(func(w io.Writer) error {
			return chart.LogLog(w, fmt.Sprintf("seconds to %.0e as %s grows", growthGap, s), s, "seconds", lines)
		})
		if err != nil {
			return nil, err
		}
		charts = append(charts, drawn)
	}
	return charts, nil
}

// growthLines are the times of every peer to growthGap on the points of a series.
func growthLines(series []*peers.Outcome, groups map[string]int) []chart.Line {
	at := map[string]int{} // where in lines
	var lines []chart.Line
	for _, o := range series {
		for _, l := range o.Lanes {
			t := l.To(growthGap)
			if math.IsNaN(t) {
				continue
			}
			k, known := at[l.Peer]
			if !known {
				k, at[l.Peer] = len(lines), len(lines)
				lines = append(lines, chart.Line{Name: o.Label(l), Group: groups[l.Peer]})
			}
			lines[k].X, lines[k].Gap = append(lines[k].X, o.At), append(lines[k].Gap, t)
		}
	}
	return lines
}

// svg returns a drawing without its XML head.
func svg(draw func(io.Writer) error) (template.HTML, error) {
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		return "", err
	}
	text := b.String()
	return template.HTML(text[max(0, strings.Index(text, "<svg")):]), nil
}
