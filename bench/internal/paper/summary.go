package paper

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
)

// Results are what a report is made from.
type Results struct {
	Protocol Protocol
	Store    *Store
	Timings  *Timings
	PNG      bool // figures as bitmaps too
}

// A Curve is a quantity along the runs of one method: mean, least and greatest
// over the splits.
type Curve struct {
	Method          solver.Method
	Output          Output
	X               []float64
	Mean, Low, High []float64
}

// A metric is a quantity at a point of a run.
type metric func(p Point, optimum float64) float64

var (
	gapLast    metric = func(p Point, optimum float64) float64 { return p.Last - optimum }
	gapAverage metric = func(p Point, optimum float64) float64 { return p.Average - optimum }
	testLast   metric = func(p Point, _ float64) float64 { return p.Test }
)

// gapOf returns the metric of an output.
func gapOf(o Output) metric {
	if o == Average {
		return gapAverage
	}
	return gapLast
}

// An axis is what a run is measured against.
type axis func(p Point) float64

var (
	byPasses axis = func(p Point) float64 { return p.Passes }
	byPaper  axis = func(p Point) float64 { return p.Paper }
)

// smallest is the least gap that two objectives of order one can show. Nor is a
// gap shown below what the optimum is certified to.
const smallest = 1e-16

// curve aggregates a metric over the splits; ok is false if no run has points.
func (r *Results) curve(data string, mu float64, m solver.Method, value metric, x axis) (c Curve, ok bool) {
	type run struct {
		x, v []float64
	}
	var runs []run
	for _, split := range r.splits(data, mu) {
		u, o := r.Store.Unit(Key{data, mu, m, split}), r.Store.Optimum(data, mu, split)
		if u == nil || o == nil || len(u.Points) == 0 {
			continue
		}
		var one run
		for _, p := range u.Points {
			one.x = append(one.x, x(p))
			one.v = append(one.v, math.Max(value(p, o.Objective), math.Max(smallest, o.Gap)))
		}
		runs = append(runs, one)
	}
	if len(runs) == 0 {
		return c, false
	}
	c.Method = m
	for _, at := range runs[0].x {
		var values []float64
		for _, one := range runs {
			if v, ok := interpolate(one.x, one.v, at); ok {
				values = append(values, v)
			}
		}
		if len(values) < len(runs) {
			break // some run ends here
		}
		var sum float64
		for _, v := range values {
			sum += v
		}
		c.X, c.Mean = append(c.X, at), append(c.Mean, sum/float64(len(values)))
		c.Low, c.High = append(c.Low, slices.Min(values)), append(c.High, slices.Max(values))
	}
	return c, true
}

// splits returns the splits of a problem that every method was run on, so that
// all curves are means over the same; where there is none yet, all.
func (r *Results) splits(data string, mu float64) []int {
	var complete, all []int
	for _, s := range r.Protocol.known() {
		if s.Name != data {
			continue
		}
		for split := range r.Protocol.splits(s) {
			all = append(all, split)
			if r.complete(s, mu, split) {
				complete = append(complete, split)
			}
		}
	}
	if complete == nil {
		return all
	}
	return complete
}

// begun reports whether there is a run on a problem.
func (r *Results) begun(s Spec, mu float64) bool {
	for split := range r.Protocol.splits(s) {
		for _, k := range r.Protocol.keys(s, split) {
			if k.Mu == mu && r.Store.Unit(k) != nil {
				return true
			}
		}
	}
	return false
}

func (r *Results) complete(s Spec, mu float64, split int) bool {
	for _, k := range r.Protocol.keys(s, split) {
		if k.Mu == mu && r.Store.Unit(k) == nil {
			return false
		}
	}
	return r.Store.Optimum(s.Name, mu, split) != nil
}

// interpolate returns the value at x of a curve through positive values, along
// straight lines over a logarithmic axis of values.
func interpolate(xs, vs []float64, x float64) (float64, bool) {
	const slack = 1e-9
	k := slices.IndexFunc(xs, func(v float64) bool { return v >= x-slack })
	switch {
	case k < 0:
		return 0, false
	case k == 0 || xs[k] <= x+slack:
		return vs[k], xs[k] <= x+slack
	}
	share := (x - xs[k-1]) / (xs[k] - xs[k-1])
	return math.Exp(math.Log(vs[k-1]) + share*(math.Log(vs[k])-math.Log(vs[k-1]))), true
}

// At returns the mean at x; ok is false beyond the curve.
func (c Curve) At(x float64) (float64, bool) { return interpolate(c.X, c.Mean, x) }

// End returns the mean at the last x up to a limit.
func (c Curve) End(limit float64) float64 {
	v := math.NaN()
	for k, x := range c.X {
		if x <= limit+1e-9 {
			v = c.Mean[k]
		}
	}
	return v
}

// Until cuts the curve at x.
func (c Curve) Until(x float64) Curve {
	for k, at := range c.X {
		if at > x+1e-9 {
			c.X, c.Mean = c.X[:k], c.Mean[:k]
			if c.Low != nil {
				c.Low, c.High = c.Low[:k], c.High[:k]
			}
			break
		}
	}
	return c
}

// Against returns the curve over seconds instead of passes: the mean, over the
// timed splits, of when a run had done so many passes.
func (r *Results) Against(c Curve, data string, mu float64) (Curve, bool) {
	var timed []*Timing
	for split := range r.Timings.Splits {
		if t := r.Timings.Get(Key{data, mu, c.Method, split}); t != nil && len(t.Passes) > 1 {
			timed = append(timed, t)
		}
	}
	if len(timed) == 0 {
		return c, false
	}
	out := Curve{Method: c.Method, Output: c.Output}
	for k, passes := range c.X {
		var sum float64
		for _, t := range timed {
			sum += linear(t.Passes, t.Seconds, passes)
		}
		if math.IsNaN(sum) {
			break
		}
		out.X = append(out.X, sum/float64(len(timed)))
		out.Mean, out.Low, out.High = append(out.Mean, c.Mean[k]), append(out.Low, c.Low[k]), append(out.High, c.High[k])
	}
	return out, len(out.X) > 1
}

// linear interpolates, and is NaN beyond the last x.
func linear(xs, vs []float64, x float64) float64 {
	k := slices.IndexFunc(xs, func(v float64) bool { return v >= x-1e-9 })
	switch {
	case k < 0:
		return math.NaN()
	case k == 0:
		return vs[0]
	}
	share := (x - xs[k-1]) / (xs[k] - xs[k-1])
	return vs[k-1] + share*(vs[k]-vs[k-1])
}

// rate is the exponent of the decrease of a curve: −slope of log gap against log
// x, by least squares over the last two thirds, as far as rounding lets gaps be
// seen. NaN where fewer than three points remain.
func (c Curve) rate() float64 {
	const visible = 1e-12
	if len(c.X) == 0 {
		return math.NaN()
	}
	from := c.X[len(c.X)-1] / 3
	var n, sx, sy, sxx, sxy float64
	for k, x := range c.X {
		if x < from || x == 0 || c.Mean[k] < visible {
			continue
		}
		lx, ly := math.Log(x), math.Log(c.Mean[k])
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	if n < 3 {
		return math.NaN()
	}
	return -(n*sxy - sx*sy) / (n*sxx - sx*sx)
}
