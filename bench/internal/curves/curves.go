// Package curves runs the solver's methods on one problem and keeps their
// progress: objective against effective passes and seconds.
package curves

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/solver"
)

// A Point is a record of a run.
type Point struct {
	Passes, Seconds float64
	Objective       float64 // at the last outer iterate
	Average         float64 // at the mean of the outer iterates
	PrimalResidual  float64
}

// A Curve is one run of one method.
type Curve struct {
	Method string
	Points []Point
	Result *solver.Result
	Err    error // a divergence; the points up to it are kept
}

// Run runs one method. settings gives everything but the method and the
// recorder. A diverging run is a curve with Err set, not an error.
func Run(ctx context.Context, p *solver.Problem, m solver.Method, settings solver.Settings) (Curve, error) {
	c := Curve{Method: m.Info().Name}
	settings.Method, settings.RelTol = m, -1
	settings.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		c.Points = append(c.Points, Point{
			Passes: pt.Passes, Seconds: pt.Seconds,
			Objective: pt.Last.Objective, Average: pt.Average.Objective, PrimalResidual: pt.PrimalResidual,
		})
		return nil
	})
	res, err := solver.Minimize(ctx, p, &settings)
	c.Result = res
	if _, diverged := errors.AsType[*solver.DivergenceError](err); diverged {
		c.Err = err
		return c, nil
	}
	return c, err
}

// Best returns the least objective seen in any curve, last or average iterate,
// final result included. A diverged run may hold NaN, which counts as nothing.
func Best(all []Curve) float64 {
	best := math.Inf(1)
	see := func(last, average float64) {
		for _, v := range []float64{last, average} {
			if v < best {
				best = v
			}
		}
	}
	for _, c := range all {
		for _, p := range c.Points {
			see(p.Objective, p.Average)
		}
		if c.Result != nil {
			see(c.Result.At.Objective, c.Result.AtAverage.Objective)
		}
	}
	return best
}

// WriteCSV writes every point of every curve under a line that names the columns.
// The gap is that of the last iterate to reference.
func WriteCSV(w io.Writer, all []Curve, reference float64) error {
	records := [][]string{{"method", "passes", "seconds", "objective", "gap", "average_objective", "primal_residual"}}
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range all {
		for _, p := range c.Points {
			records = append(records, []string{
				c.Method, num(p.Passes), strconv.FormatFloat(p.Seconds, 'g', 6, 64),
				num(p.Objective), num(p.Objective - reference), num(p.Average), num(p.PrimalResidual),
			})
		}
	}
	return csv.NewWriter(w).WriteAll(records)
}

// Table returns the curves as aligned text: one block per method, at most rows
// lines each, evenly spread over its passes with first and last kept.
func Table(all []Curve, reference float64, rows int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tpasses\tseconds\tobjective\tgap\taverage gap\t|Ax-y|\t")
	for _, c := range all {
		name := c.Method
		for _, p := range thin(c.Points, rows) {
			fmt.Fprintf(w, "%s\t%.3g\t%.4f\t%.10f\t%.2e\t%.2e\t%.1e\t\n",
				name, p.Passes, p.Seconds, p.Objective, p.Objective-reference, p.Average-reference, p.PrimalResidual)
			name = ""
		}
	}
	_ = w.Flush() // a Builder does not fail
	for _, c := range all {
		if c.Err != nil {
			fmt.Fprintf(&b, "%s: %v\n", c.Method, c.Err)
		}
	}
	return b.String()
}

// thin keeps at most n points: early ones close together, as the curves fall
// fast there, the last always.
func thin(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	last := float64(len(points) - 1)
	out := make([]Point, 0, n)
	next := 0
	for k := range n {
		x := float64(k) / float64(n-1)
		at := max(next, int(x*x*last+0.5))
		if at >= len(points) {
			break
		}
		out = append(out, points[at])
		next = at + 1
	}
	return out
}
