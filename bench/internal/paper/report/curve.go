package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver/chart"
)

// A metric computes a quantity at a point of a run.
type metric func(p paper.Point, o *paper.Optimum) float64

func testLoss(p paper.Point, _ *paper.Optimum) float64 { return p.Test }

func gap(p paper.Point, o *paper.Optimum) float64 { return excess(p.Objective, o) }

// gapFloor is the smallest gap that is shown. It is the error to which package paper tries to prove optima.
const gapFloor = 1e-13

// excess returns the objective minus the optimum, but at least the error of the known optimum and at least
// gapFloor.
func excess(objective float64, o *paper.Optimum) float64 {
	return max(objective-o.Objective, o.Gap, gapFloor)
}

// precision returns the largest error of the known optima of the splits, but at least gapFloor.
func (p *problem) precision(splits []int) float64 {
	v := gapFloor
	for _, split := range splits {
		v = max(v, p.optimum(split).Gap)
	}
	return v
}

// An axis says how the horizontal axis counts passes, and which points of a run it shows.
type axis int

const (
	byPasses axis = iota // every sample gradient and every Hessian product counts
	byPaper              // as the paper counts: an iteration of an exact batch method is one pass
	byBudget             // like byPasses, but only TunedRun.BudgetEnd is shown, at the budget of passes
)

// points returns the points of a run that the axis shows, and their positions on it.
func (a axis) points(u *paper.TunedRun, budget float64) (points []paper.Point, x []float64) {
	if a == byBudget {
		if u.BudgetEnd == nil {
			return nil, nil
		}
		return []paper.Point{*u.BudgetEnd}, []float64{budget}
	}
	for _, p := range u.Points {
		if a == byPaper {
			x = append(x, p.PaperPasses)
		} else {
			x = append(x, p.Passes)
		}
	}
	return u.Points, x
}

// positionTol is the largest distance at which two positions on an axis count as equal.
const positionTol = 1e-9

// curve returns a metric along the runs of l on the given splits, in the style of l: Y has the mean over the
// splits, Low and High the smallest and the largest value. Splits without a run, or with a run that failed,
// are ignored. The curve ends where a run has no more points.
func (p *problem) curve(l line, splits []int, value metric) chart.Line {
	var positions, logs [][]float64 // for each run; a metric is interpolated by its logarithm
	for _, split := range splits {
		u := p.run(l, split)
		if u == nil || u.Failed != "" {
			continue
		}
		points, x := l.axis.points(u, p.Protocol.Passes)
		var v []float64
		for _, point := range points {
			v = append(v, value(point, p.optimum(split)))
		}
		positions, logs = append(positions, x), append(logs, logarithms(v))
	}
	c := l.style
	if positions == nil {
		return c
	}
	for _, x := range positions[0] {
		var atX []float64
		for k := range positions {
			v, ok := interpolate(positions[k], logs[k], x)
			if ok {
				atX = append(atX, math.Exp(v))
			}
		}
		if len(atX) < len(positions) {
			break
		}
		c.X, c.Y = append(c.X, x), append(c.Y, stat.Mean(atX, nil))
		c.Low, c.High = append(c.Low, slices.Min(atX)), append(c.High, slices.Max(atX))
	}
	return c
}

// upToBudget is like curve, but the curve ends at the budget of passes.
func (p *problem) upToBudget(l line, splits []int, value metric) chart.Line {
	c := p.curve(l, splits, value)
	k := slices.IndexFunc(c.X, func(x float64) bool { return x > p.Protocol.Passes+positionTol })
	if k >= 0 {
		c.X, c.Y, c.Low, c.High = c.X[:k], c.Y[:k], c.Low[:k], c.High[:k]
	}
	return c
}

// overSeconds is like curve, but the horizontal axis has seconds: for each number of passes, the mean time
// over the timed splits. If no run of the method was timed, the curve has no points.
func (p *problem) overSeconds(l line, splits []int, value metric) chart.Line {
	l.axis = byPasses
	c := p.curve(l, splits, value)
	var timings []*paper.Timing
	for split := range p.splitCount {
		t := p.timing(l.method, split)
		if t != nil {
			timings = append(timings, t)
		}
	}
	out := l.style
	for k, passes := range c.X {
		var seconds []float64
		for _, t := range timings {
			s, ok := interpolate(t.Passes, t.Seconds, passes)
			if ok {
				seconds = append(seconds, s)
			}
		}
		if len(timings) == 0 || len(seconds) < len(timings) {
			break
		}
		out.X, out.Y = append(out.X, stat.Mean(seconds, nil)), append(out.Y, c.Y[k])
		out.Low, out.High = append(out.Low, c.Low[k]), append(out.High, c.High[k])
	}
	return out
}

// interpolate returns the value of a piecewise linear function at x, and vs[0] before the first position. xs
// must increase. ok is false beyond the last position.
func interpolate(xs, vs []float64, x float64) (v float64, ok bool) {
	k := slices.IndexFunc(xs, func(position float64) bool { return position >= x-positionTol })
	if k < 0 {
		return 0, false
	}
	if k == 0 || xs[k] <= x+positionTol {
		return vs[k], true
	}
	return vs[k-1] + (x-xs[k-1])/(xs[k]-xs[k-1])*(vs[k]-vs[k-1]), true
}

func logarithms(values []float64) (logs []float64) {
	for _, v := range values {
		logs = append(logs, math.Log(v))
	}
	return logs
}

// last returns the last of the values, or NaN if there are none.
func last(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return values[len(values)-1]
}

// rate returns the exponent r for which y falls as x^−r: minus the slope of the least-squares line through
// (log x, log y). It uses the points with x > 0, x ≥ (last x)/3 and y > gapFloor. With fewer than three of
// these points it returns NaN.
func rate(xs, ys []float64) float64 {
	var logX, logY []float64
	for k, x := range xs {
		if x > 0 && x >= last(xs)/3 && ys[k] > gapFloor {
			logX, logY = append(logX, math.Log(x)), append(logY, math.Log(ys[k]))
		}
	}
	if len(logX) < 3 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(logX, logY, nil, false)
	return -slope
}
