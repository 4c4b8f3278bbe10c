package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// Retune checks whether the choice of parameters decides the claims that compare the gap of SCAS-ADMM with
// the gap of another method, on the first split of the data set d with mu. For each claim it takes the method
// with the larger gap and searches again near this method's parameters. It returns, as text, each claim's
// ratio of gaps before and after this search. If the run of this method failed, the text says so instead.
func Retune(ctx context.Context, r *paper.Records, d *paper.Data, mu float64) (string, error) {
	list := problems(r)
	index := slices.IndexFunc(list,
		func(p *problem) bool { return p.Name == d.Name && p.mu == mu && p.optimum(0) != nil })
	if index < 0 {
		return "", fmt.Errorf("paper: there are no results of %s with mu = %g, split 0", d.Name, mu)
	}
	tuned := map[paper.Key]*paper.TunedRun{} // the results of Records.Retune
	p := list[index]
	p.splitCount = 1 // split 0 alone
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, rule := range []paper.Rule{paper.Sampled, paper.OnHalf} {
		for _, c := range claims {
			before := c.compare(p, rule)
			if !slices.Contains([]string{"3a", "3b", "2a", "2b"}, c.ID) || before.First.Among == 0 ||
				before.Second.Among == 0 {
				continue
			}
			behind := c.second
			if before.Ratio.Value > 1 {
				behind = c.first
			}
			u := p.run(p.side(behind, rule)[0], 0)
			fmt.Fprintf(w, "%s, mu %g\t%s\t%s\tratio %s\t", d.Name, mu, ruleNames[rule], c.ID, before.Ratio)
			if u.Failed != "" {
				fmt.Fprintf(w, "not tuned again\t%s, %s: the run failed: %s\n", u.Method, u.Output, u.Failed)
				continue
			}
			again := tuned[u.Key]
			if again == nil {
				var err error
				again, err = r.Retune(ctx, d, u)
				if err != nil {
					return "", err
				}
				tuned[u.Key] = again
			}
			r.Runs[u.Key] = again // for the next comparison alone
			after := c.compare(p, rule)
			r.Runs[u.Key] = u
			text := func(u *paper.TunedRun) string {
				end := u.Points[len(u.Points)-1]
				return fmt.Sprintf("%s at %s", number(excess(end.Objective, p.optimum(0))), p.parameters(u))
			}
			fmt.Fprintf(w, "tuned again %s\t%s, %s: %s; of %d more the best %s\n",
				after.Ratio, u.Method, u.Output, text(u), again.Runs, text(again))
		}
	}
	_ = w.Flush() // a strings.Builder returns no errors
	return b.String(), nil
}
