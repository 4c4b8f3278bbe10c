package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// retunedClaims are the IDs of the claims that compare the gap of SCAS-ADMM with the gap of another method.
var retunedClaims = []string{"3a", "3b", "2a", "2b"}

// Retune checks whether the choice of parameters decides the claims of retunedClaims, for the data set d and
// mu. For each claim it takes the method with the larger gap on the first split, and searches again near this
// method's parameters. It returns, as text, each claim's ratio of gaps before and after this search. If the
// run of this method failed, the text says so instead of the ratio after the search.
func Retune(ctx context.Context, r *paper.Records, d *paper.Data, mu float64) (string, error) {
	p := &problem{Records: r, Spec: d.Spec, mu: mu}
	if p.optimum(0) == nil {
		return "", fmt.Errorf("paper: there are no results of %s with mu = %g, split 0", d.Name, mu)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, rule := range []paper.Rule{paper.Sampled, paper.OnHalf} {
		p := p.withRule(rule).withSplits([]int{0})
		retuned := map[paper.Key]*paper.Retuned{}
		for _, c := range claims {
			if !slices.Contains(retunedClaims, c.ID) {
				continue
			}
			oldCase := c.evaluate(p)
			if oldCase.First.Among == 0 || oldCase.Second.Among == 0 {
				continue
			}
			worseSide, tunedCase := c.secondSides(p)[0], oldCase
			if oldCase.Ratio.Value > 1 {
				worseSide = c.firstSides(p)[0]
			}
			k := p.key(worseSide.method, worseSide.output, 0)
			if u := r.TunedRun(k); u != nil && u.Failed != "" {
				fmt.Fprintf(w, "%s, mu %g\t%s\t%s\tratio %s\tnot tuned again\t%s, %s: the run failed: %s\n",
					d.Name, mu, ruleNames[rule], c.ID, oldCase.Ratio, k.Method, k.Output, u.Failed)
				continue
			}
			if retuned[k] == nil {
				rerun, err := r.Retune(ctx, d, k)
				if err != nil {
					return "", err
				}
				retuned[k] = rerun
			}
			bestGap := excess(retuned[k].BestObjective, p.optimum(0))
			if oldCase.Ratio.Value > 1 {
				tunedCase.First.Value, tunedCase.First.Floor = bestGap, bestGap <= p.precision()
			} else {
				tunedCase.Second.Value, tunedCase.Second.Floor = bestGap, bestGap <= p.precision()
			}
			fmt.Fprintf(w, "%s, mu %g\t%s\t%s\tratio %s\ttuned again %s\t%s\n",
				d.Name, mu, ruleNames[rule], c.ID,
				oldCase.Ratio, quotient(tunedCase.First, tunedCase.Second), p.describe(retuned[k]))
		}
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (p *problem) describe(r *paper.Retuned) string {
	unit := p.Protocol.Traits(r.Method).Unit
	text := func(objective, step, penalty float64) string {
		return fmt.Sprintf("%s at %s, %s λ", shortText(excess(objective, p.optimum(0)), 3), unit.Times(shortText(step, 3)), shortText(penalty, 3))
	}
	return fmt.Sprintf("%s, %s: %s; of %d more the best %s", r.Method, r.Output, text(r.EndObjective(), r.Step, r.Penalty), r.Repetitions, text(r.BestObjective, r.BestStep, r.BestPenalty))
}
