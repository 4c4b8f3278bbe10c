package peers

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/solver/chart"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

const (
	// growthCharts shows the time to reach a gap of growthGap times Problem.ObjectiveAtZero.
	growthGap = 1e-6
	// drawnFloor is the smallest gap in a chart. Smaller gaps are drawn as drawnFloor.
	drawnFloor = 1e-12
)

// A view holds the values that the template of the page uses.
type view struct {
	Machine, Protocol, Missing []string
	Targets                    []string
	Problems                   []pageProblem
	Growth                     []template.HTML // the charts of growthCharts
}

type pageProblem struct {
	*Outcome
	Plot   template.HTML
	Anchor string
}

// Page returns the comparison as one HTML page that needs no other file. machine and protocol are lines of
// text about the run; missingPeers has a line for each peer that is not installed.
func Page(machine, protocol, missingPeers []string, outcomes []*Outcome) (string, error) {
	v := view{Machine: machine, Protocol: protocol, Missing: missingPeers, Targets: targetHead("")[1:]}
	colours := map[string]int{} // for each peer, the number of its colour
	for _, o := range outcomes {
		for _, l := range o.Lanes {
			if _, known := colours[l.Name]; !known && len(l.Points) > 0 {
				colours[l.Name] = len(colours)
			}
		}
	}
	for k, o := range outcomes {
		plot, err := svg(o.gapChart(colours))
		if err != nil {
			return "", err
		}
		v.Problems = append(v.Problems, pageProblem{o, plot, fmt.Sprintf("p%d", k)})
	}
	for _, c := range growthCharts(outcomes, colours) {
		plot, err := svg(c)
		if err != nil {
			return "", err
		}
		v.Growth = append(v.Growth, plot)
	}
	var b strings.Builder
	err := pageTemplate.Execute(&b, v)
	return b.String(), err
}

// gapChart returns a chart of the gap against the seconds, with a line for each peer. scas has two lines: the
// proved gaps and the true gaps. colours maps the name of a peer to the number of its colour.
func (o *Outcome) gapChart(colours map[string]int) *chart.Chart {
	c := &chart.Chart{Title: o.Name, X: "seconds", Y: "(objective minus optimum) / P(0)", LogX: true, LogY: true}
	for k, l := range o.Lanes {
		line := frontier(l.Points, func(p *Point) float64 { return p.Gap })
		line.Name, line.Series = l.Name, colours[l.Name]
		if k == 0 {
			proved := frontier(l.Points, func(p *Point) float64 { return p.ProvedGap })
			proved.Name, proved.Series = o.label(l), line.Series
			c.Lines = append(c.Lines, proved)
			line.Name, line.Dashed = l.Name+", true", true
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// frontier returns a line through the points whose gap is smaller than the gaps of all faster points.
func frontier(points []*Point, gap func(*Point) float64) (line chart.Line) {
	lowest := math.Inf(1)
	for _, p := range slices.SortedStableFunc(slices.Values(points), func(a, b *Point) int { return cmp.Compare(a.Seconds, b.Seconds) }) {
		if g := gap(p); g < lowest {
			lowest = g
			line.X, line.Y = append(line.X, p.Seconds), append(line.Y, max(g, drawnFloor))
		}
	}
	return line
}

// growthCharts returns a chart for each group of problems with the same Spec.Series, which names a size such
// as n. The chart shows the seconds to a gap of growthGap against this size, Spec.SeriesSize.
func growthCharts(outcomes []*Outcome, colours map[string]int) (charts []*chart.Chart) {
	for _, o := range outcomes {
		if o.Series == "" {
			continue
		}
		k := slices.IndexFunc(charts, func(c *chart.Chart) bool { return c.X == o.Series })
		if k < 0 {
			k = len(charts)
			charts = append(charts, &chart.Chart{Title: fmt.Sprintf("seconds to %.0e as %s grows", growthGap, o.Series), X: o.Series, Y: "seconds", LogX: true, LogY: true})
		}
		c := charts[k]
		for _, l := range o.Lanes {
			t := l.TimeTo(growthGap)
			if math.IsNaN(t) {
				continue
			}
			index := slices.IndexFunc(c.Lines, func(line chart.Line) bool { return line.Name == o.label(l) })
			if index < 0 {
				index = len(c.Lines)
				c.Lines = append(c.Lines, chart.Line{Name: o.label(l), Series: colours[l.Name]})
			}
			c.Lines[index].X, c.Lines[index].Y = append(c.Lines[index].X, o.SeriesSize), append(c.Lines[index].Y, t)
		}
	}
	return charts
}

func svg(c *chart.Chart) (template.HTML, error) {
	var b strings.Builder
	if err := c.WriteSVG(&b); err != nil {
		return "", err
	}
	return output.Inline(b.String(), c.Title), nil
}
