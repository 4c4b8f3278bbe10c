package curves

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

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
