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
	// A chart of growthCharts shows the time to reach a gap of growthGap times Problem.ObjectiveAtZero.
	growthGap = 1e-6
	// drawnFloor is the smallest gap in a chart, see chart.Chart.Floor.
	drawnFloor = 1e-12
)

// A problemView has the table of a problem and its chart.
type problemView struct {
	Text string
	Plot template.HTML
}

// Page returns the comparison as one HTML page that needs no other file: the same tables as the text report,
// and plots. head is the head of the text report.
func Page(head string, outcomes []*Outcome) (string, error) {
	var names []string // of all peers with points; the index of a peer is the number of its colour
	for _, o := range outcomes {
		for _, l := range o.Lanes {
			if !slices.Contains(names, l.Name) && len(l.Points) > 0 {
				names = append(names, l.Name)
			}
		}
	}
	var problems []problemView
	for _, o := range outcomes {
		plot, err := svg(o.gapChart(names))
		if err != nil {
			return "", err
		}
		problems = append(problems, problemView{o.Text(), plot})
	}
	var growth []template.HTML
	for _, c := range growthCharts(outcomes, names) {
		plot, err := svg(c)
		if err != nil {
			return "", err
		}
		growth = append(growth, plot)
	}
	var b strings.Builder
	err := pageTemplate.Execute(&b, map[string]any{
		"Head": head, "Ratios": RatioTable(outcomes), "Growth": growth, "Problems": problems,
	})
	return b.String(), err
}

// gapChart returns a chart of the gap against the seconds, with a line for each peer. scas has two lines: the
// proved gaps and the true gaps. The index of a peer in names is the number of its colour.
func (o *Outcome) gapChart(names []string) *chart.Chart {
	c := &chart.Chart{
		Title: o.Name, X: "seconds", Y: "(objective minus optimum) / P(0)", LogX: true, LogY: true,
		Floor: drawnFloor,
	}
	for k, l := range o.Lanes {
		line := frontier(l.Points, func(p *Point) float64 { return p.Gap })
		line.Name, line.Series = l.Name, slices.Index(names, l.Name)
		if k == 0 {
			proved := frontier(l.Points, func(p *Point) float64 { return p.ProvedGap })
			proved.Name, proved.Series = l.Name+", proved", line.Series
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
	for _, p := range slices.SortedStableFunc(slices.Values(points),
		func(a, b *Point) int { return cmp.Compare(a.Seconds, b.Seconds) }) {
		if g := gap(p); g < lowest {
			lowest = g
			line.X, line.Y = append(line.X, p.Seconds), append(line.Y, g)
		}
	}
	return line
}

// growthCharts returns a chart for each group of problems with the same Spec.Series, which names a size such
// as n. The chart shows the seconds to a gap of growthGap against this size, Spec.SeriesSize. The index of a
// peer in names is the number of its colour.
func growthCharts(outcomes []*Outcome, names []string) (charts []*chart.Chart) {
	for _, o := range outcomes {
		if o.Series == "" {
			continue
		}
		k := slices.IndexFunc(charts, func(c *chart.Chart) bool { return c.X == o.Series })
		if k < 0 {
			k = len(charts)
			c := &chart.Chart{
				Title: fmt.Sprintf("seconds to %.0e as %s grows", growthGap, o.Series), X: o.Series,
				Y: "seconds", LogX: true, LogY: true,
			}
			for series, name := range names {
				c.Lines = append(c.Lines, chart.Line{Name: name, Series: series})
			}
			charts = append(charts, c)
		}
		for _, l := range o.Lanes {
			p := l.Fastest(growthGap)
			if p == nil {
				continue
			}
			line := &charts[k].Lines[slices.Index(names, l.Name)]
			line.X, line.Y = append(line.X, o.SeriesSize), append(line.Y, p.Seconds)
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
