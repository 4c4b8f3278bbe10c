package paper

import (
	"context"
	"fmt"
	"strings"
)

// Names of the files made from the results.
const (
	ReportFile = "report.html"
	TableFile  = "table1.csv"
	ClaimsFile = "claims.csv"
)

// A File is one of the report's.
type File struct {
	Name, Text string
}

// Files makes the report and its tables. machine has the facts of the machine,
// one per line.
func (r *Results) Files(ctx context.Context, machine []string) ([]File, error) {
	return nil, nil
}

// Text is the summary for a terminal.
func (r *Results) Text() string {
	var b strings.Builder
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.mus(s) {
			for _, m := range r.Protocol.Methods {
				c, ok := r.curve(s.Name, mu, m, gapOf(traitsOf(m).Output), byPasses)
				if !ok {
					continue
				}
				fmt.Fprintf(&b, "%-8s mu %-6g %-12s", s.Name, mu, m)
				for _, x := range []float64{2, 5, 10, 20, 30} {
					v, _ := c.At(x)
					fmt.Fprintf(&b, " %.1e", v)
				}
				u := r.Store.Unit(Key{s.Name, mu, m, 0})
				fmt.Fprintf(&b, "  step %g rho %g %s halved %d, tuned with %d runs\n", u.Step, u.Penalty, u.Edge, u.Halved, u.Runs)
			}
		}
	}
	return b.String()
}
