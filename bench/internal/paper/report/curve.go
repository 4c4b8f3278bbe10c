package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A curve shows one quantity along the runs of one method on a problem: its mean, smallest and largest value
// over the splits. x has the positions on the horizontal axis.
type curve struct {
	x, mean, low, high []float64
}

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
func (p *problem) precision() float64 {
	v := gapFloor
	for _, split := range p.splits {
		if o := p.optimum(split); o != nil {
			v = max(v, o.Gap)
		}
	}
	return v
}

// An axis returns the points of a run, and their positions on the horizontal axis. budget is
// Passes of paper.Protocol.
type axis func(u *paper.TunedRun, budget float64) (points []paper.Point, x []float64)

// byPasses is the axis of passes in which every sample gradient and every Hessian product counts.
func byPasses(u *paper.TunedRun, _ float64) (points []paper.Point, x []float64) {
	return withPositions(u.Points, func(p paper.Point) float64 { return p.Passes })
}

// byPaper is the axis of passes as the paper counts them: an iteration of an exact batch method is one pass.
func byPaper(u *paper.TunedRun, _ float64) (points []paper.Point, x []float64) {
	return withPositions(u.Points, func(p paper.Point) float64 { return p.PaperPasses })
}

// byBudget is like byPasses, but the last point is u.BudgetEnd, the state of the run at the end of the
// budget. If u.BudgetEnd is nil, byBudget returns the same as byPasses.
func byBudget(u *paper.TunedRun, budget float64) (points []paper.Point, x []float64) {
	if u.BudgetEnd == nil {
		return byPasses(u, budget)
	}
	points, x = byPasses(u, budget)
	k := 1 // the first point is always kept
	for k < len(x) && x[k] < u.BudgetEnd.Passes {
		k++
	}
	// The last point is drawn at the budget, even if the run used fewer passes.
	return append(slices.Clone(points[:k]), *u.BudgetEnd), append(x[:k:k], budget)
}

func withPositions(points []paper.Point, position func(p paper.Point) float64) ([]paper.Point, []float64) {
	var x []float64
	for _, p := range points {
		x = append(x, position(p))
	}
	return points, x
}

// positionTol is the largest distance at which two positions on an axis count as equal.
const positionTol = 1e-9

// curveOf returns the curve of a metric for the method m on the problem p. Its runs have the step size and
// rho that were chosen for the given output, the last iterate or the average. ok is false if no split has
// both such a run, with points, and a known optimum.
func curveOf(p *problem, m paper.Method, output paper.Output, value metric, x axis) (c curve, ok bool) {
	type run struct{ x, v []float64 }
	var runs []run
	for _, split := range p.splits {
		u, o := p.runOf(m, output, split), p.optimum(split)
		if u == nil || o == nil || len(u.Points) == 0 {
			continue
		}
		points, positions := x(u, p.Protocol.Passes)
		r := run{x: positions}
		for _, pt := range points {
			r.v = append(r.v, value(pt, o))
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return c, false
	}
	for _, position := range runs[0].x {
		var values []float64
		for _, r := range runs {
			if v, ok := interpolateLog(r.x, r.v, position); ok {
				values = append(values, v)
			}
		}
		if len(values) < len(runs) {
			break // a run has no points from here on
		}
		c.add(position, stat.Mean(values, nil), slices.Min(values), slices.Max(values))
	}
	return c, true
}

func (c *curve) add(x, mean, low, high float64) {
	c.x, c.mean = append(c.x, x), append(c.mean, mean)
	c.low, c.high = append(c.low, low), append(c.high, high)
}

// overSecondsOf returns c, a method's curve over passes, as a curve over seconds. The time of a number of
// passes is the mean over the timed splits. ok is false if fewer than two points of the curve have a time.
func overSecondsOf(p *problem, m paper.Method, c curve) (out curve, ok bool) {
	var timings []*paper.Timing
	for split := range p.Protocol.Splits {
		if t := p.timing(m, split); t != nil && len(t.Passes) > 1 {
			timings = append(timings, t)
		}
	}
	if len(timings) == 0 {
		return c, false
	}
	for k, passes := range c.x {
		var seconds []float64
		for _, t := range timings {
			if s, ok := interpolateLinear(t.Passes, t.Seconds, passes); ok {
				seconds = append(seconds, s)
			}
		}
		if len(seconds) < len(timings) {
			break
		}
		out.add(stat.Mean(seconds, nil), c.mean[k], c.low[k], c.high[k])
	}
	return out, len(out.x) > 1
}

// findPosition returns the index k of the first position in xs that is at least x − positionTol, or −1 if
// there is none. share is (x − xs[k−1]) / (xs[k] − xs[k−1]), or 0 if k < 1. xs must increase.
func findPosition(xs []float64, x float64) (k int, share float64) {
	k = slices.IndexFunc(xs, func(v float64) bool { return v >= x-positionTol })
	if k > 0 {
		share = (x - xs[k-1]) / (xs[k] - xs[k-1])
	}
	return k, share
}

// interpolateLog returns the value of a positive curve at x, by linear interpolation of its logarithm.
// ok is false if x is outside the curve.
func interpolateLog(xs, vs []float64, x float64) (v float64, ok bool) {
	switch k, share := findPosition(xs, x); {
	case k < 0:
		return 0, false
	case k == 0 || xs[k] <= x+positionTol:
		return vs[k], xs[k] <= x+positionTol
	default:
		return math.Exp(math.Log(vs[k-1]) + share*(math.Log(vs[k])-math.Log(vs[k-1]))), true
	}
}

// interpolateLinear returns the value of a curve at x by linear interpolation. Before the first position it
// returns vs[0]. ok is false beyond the last position.
func interpolateLinear(xs, vs []float64, x float64) (v float64, ok bool) {
	switch k, share := findPosition(xs, x); {
	case k < 0:
		return 0, false
	case k == 0:
		return vs[0], true
	default:
		return vs[k-1] + share*(vs[k]-vs[k-1]), true
	}
}

func (c curve) valueAt(x float64) (float64, bool) { return interpolateLog(c.x, c.mean, x) }

// lastMean returns the mean at the last position, or NaN for an empty curve.
func (c curve) lastMean() float64 {
	if len(c.x) == 0 {
		return math.NaN()
	}
	return c.mean[len(c.mean)-1]
}

// lastPoint returns a curve with only the last point of c. c must not be empty.
func (c curve) lastPoint() curve {
	k := len(c.x) - 1
	return curve{c.x[k:], c.mean[k:], c.low[k:], c.high[k:]}
}

// truncateAt returns the part of the curve up to the position x.
func (c curve) truncateAt(x float64) curve {
	if k := slices.IndexFunc(c.x, func(position float64) bool { return position > x+positionTol }); k >= 0 {
		return curve{c.x[:k], c.mean[:k], c.low[:k], c.high[:k]}
	}
	return c
}

// rate returns the exponent r for which y falls as x^−r: minus the slope of the least-squares line through
// (log x, log y). It uses the points with x > 0, x ≥ (last x)/3 and y > gapFloor. With fewer than three of
// these points it returns NaN.
func rate(xs, ys []float64) float64 {
	var logX, logY []float64
	for k, x := range xs {
		if x > 0 && x >= xs[len(xs)-1]/3 && ys[k] > gapFloor {
			logX, logY = append(logX, math.Log(x)), append(logY, math.Log(ys[k]))
		}
	}
	if len(logX) < 3 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(logX, logY, nil, false)
	return -slope
}
