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

	"github.com/scas-admm/scas/bench/internal/peers"
	"github.com/scas-admm/scas/solver/chart"
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
	c := &chart.Chart{Title: o.Name, X: "seconds", Y: "objective minus optimum", LogX: true, LogY: true}
	for k, l := range o.Lanes {
		line := chart.Line{Name: l.Peer, Series: groups[l.Peer]}
		if k == 0 {
			proved := frontier(l.Points, func(p *peers.Point) float64 { return p.Bound })
			proved.Name, proved.Series = o.Label(l), line.Series
			c.Lines = append(c.Lines, proved)
			line.Name, line.Dashed = l.Peer+", true", true
		}
		reached := frontier(l.Points, func(p *peers.Point) float64 { return p.Gap })
		line.X, line.Y = reached.X, reached.Y
		c.Lines = append(c.Lines, line)
	}
	return svg(c)
}

// frontier returns a line through the points that no faster one is as good as.
func frontier(points []*peers.Point, gap func(*peers.Point) float64) (line chart.Line) {
	least := math.Inf(1)
	for _, p := range slices.SortedStableFunc(slices.Values(points), func(a, b *peers.Point) int { return cmp.Compare(a.Seconds, b.Seconds) }) {
		if g := gap(p); g < least {
			least = g
			line.X, line.Y = append(line.X, p.Seconds), append(line.Y, max(g, drawnFloor))
		}
	}
	return line
}

// growth draws the seconds to a gap over what grows, a chart for every series.
func growth(all []*peers.Outcome, groups map[string]int) (charts []template.HTML, err error) {
	series := map[string]*chart.Chart{}
	lines := map[[2]string]int{} // of a series and a peer
	var order []string
	for _, o := range all {
		if o.Series == "" {
			continue
		}
		c := series[o.Series]
		if c == nil {
			c = &chart.Chart{Title: fmt.Sprintf("seconds to %.0e as %s grows", growthGap, o.Series), X: o.Series, Y: "seconds", LogX: true, LogY: true}
			series[o.Series], order = c, append(order, o.Series)
		}
		for _, l := range o.Lanes {
			t := l.To(growthGap)
			if math.IsNaN(t) {
				continue
			}
			k, known := lines[[2]string{o.Series, l.Peer}]
			if !known {
				k = len(c.Lines)
				lines[[2]string{o.Series, l.Peer}] = k
				c.Lines = append(c.Lines, chart.Line{Name: o.Label(l), Series: groups[l.Peer]})
			}
			c.Lines[k].X, c.Lines[k].Y = append(c.Lines[k].X, o.At), append(c.Lines[k].Y, t)
		}
	}
	for _, name := range order {
		drawn, err := svg(series[name])
		if err != nil {
			return nil, err
		}
		charts = append(charts, drawn)
	}
	return charts, nil
}

// svg returns a drawing without its XML head.
func svg(c *chart.Chart) (template.HTML, error) {
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		return "", err
	}
	text := b.String()
	return template.HTML(text[max(0, strings.Index(text, "<svg")):]), nil
}
