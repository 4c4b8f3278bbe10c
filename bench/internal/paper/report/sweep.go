package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// A knob is what a sweep goes over.
type knob struct {
	name, axis string
	of         func(paper.Trial) float64
}

var knobs = []knob{
	{"step", "step size, in units of the method", func(t paper.Trial) float64 { return t.Step }},
	{"rho", "rho over lambda", func(t paper.Trial) float64 { return t.Penalty }},
}

// sweeps draw, of the methods that claims compare, how the objective by which parameters
// are chosen on the first split's samples depends on them.
func sweeps(p *problem, bitmap bool) ([]*Figure, error) {
	ours := scasOn(p)
	var out []*Figure
	for _, k := range knobs {
		a := chart.Axes{Title: fmt.Sprintf("%s, mu = %g: objective when tuning on samples", p.Name, p.mu), X: k.axis, Y: "above the best", LogX: true, LogY: true}
		f := &Figure{Name: sweepName(p, k), Caption: a.Title + " against " + k.axis, Head: []string{"curve", "at", "above the best"}}
		var lines []chart.BandLine
		for _, one := range []struct {
			m  paper.Method
			by paper.Output
		}{{ours, paper.Last}, {ours, paper.Average}, {stoc, paper.Average}, {peerOf(p), paper.Last}, {peerOf(p), paper.Average}} {
			u := p.unit(one.m, one.by, 0)
			if u == nil || len(u.Tried) == 0 {
				continue
			}
			line := k.sweep(u)
			line.Name, line.Bold = string(one.m)+", "+string(one.by), one.m == ours
			lines = append(lines, line)
			for n := range line.X {
				f.Rows = append(f.Rows, []string{line.Name, short(line.X[n], 3), short(line.Y[n], 3)})
			}
		}
		if len(lines) == 0 {
			return nil, nil
		}
		if err := f.draw(a, lines, bitmap); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// sweepName names the sweep of a problem over a knob.
func sweepName(p *problem, k knob) string {
	return fmt.Sprintf("%s-mu%g-sweep-%s", p.Name, p.mu, k.name)
}

// sweep returns the best objective at each multiple, above the best of all, at least what
// decides nothing.
func (k knob) sweep(u *paper.Unit) (line chart.BandLine) {
	best, least := map[float64]float64{}, math.Inf(1)
	for _, t := range u.Tried {
		if t.Objective < 0 {
			continue
		}
		least = min(least, t.Objective)
		if v, ok := best[k.of(t)]; !ok || t.Objective < v {
			best[k.of(t)] = t.Objective
		}
	}
	for _, x := range slices.Sorted(maps.Keys(best)) {
		line.X, line.Y = append(line.X, x), append(line.Y, max(best[x]-least, paper.Tie))
	}
	line.Low, line.High = line.Y, line.Y
	return line
}
