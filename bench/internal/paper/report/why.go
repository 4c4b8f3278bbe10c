package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// why says of an outcome that is not reproduced what the comparison of the columns
// shows of the reason.
func why(o outcome) string {
	if len(o.Rules) < 3 {
		if len(o.Rules) == 0 || o.Rules[0].Failed() == 0 {
			return ""
		}
		return "It does not depend on tuning."
	}
	onSamples, half, auto := o.Rules[0].fails(), o.Rules[1].fails(), o.Rules[2].fails()
	switch {
	case onSamples == 0 && half == 0 && auto == 0:
		return ""
	case onSamples == 0 && half == 0:
		return "It is the automatic parameters: tuned either way it holds in all cases decided."
	case onSamples == 0:
		return "By the paper's rule it holds in all cases decided; parameters better for the methods one by one reverse it."
	case half == 0 && auto == 0:
		return "It is the 500 samples: with parameters chosen on the training half, or automatic ones, it holds in all cases decided."
	case half == 0:
		return "It is the 500 samples: with parameters chosen on the training half it holds in all cases decided."
	case auto == 0:
		return "It is the choice after few passes: with automatic parameters it holds in all cases decided."
	case half < onSamples:
		return "In part the 500 samples: chosen on the training half it fails in a smaller share of the cases; the rest are the methods themselves."
	}
	return "It is the methods, not the 500 samples: chosen on the training half it fails in as large a share of the cases, and automatic parameters do not mend it."
}

// fails is the share of the cases decided that fail.
func (s share) fails() float64 {
	return float64(s.Failed()) / math.Max(1, float64(s.Of-s.Open))
}

// failed are the claims of an outcome that are not reproduced.
func (o outcome) failed() []claim {
	return slices.DeleteFunc(slices.Clone(o.Claims), func(c claim) bool { return c.Verdict != notReproduced })
}

// evidence is what else there is to say of the cases that fail, in numbers.
func evidence(o outcome, all []*problem) string {
	failed := o.failed()
	if len(failed) == 0 {
		return ""
	}
	switch o.ID {
	case "1b", "1d":
		return costOfIterations(failed, all)
	case "5", "7", "8":
		return byMethod(failed)
	case "9a", "9b", "9c":
		return spreadOfTests(failed, all)
	}
	return ""
}

// problemOf returns that of a claim.
func (c claim) problemOf(all []*problem) *problem {
	k := slices.IndexFunc(all, func(p *problem) bool { return p.Name == c.Data && p.mu == c.Mu })
	if k < 0 {
		return nil
	}
	return all[k].under(c.Rule)
}

// costOfIterations says what exact batch iterations cost that are counted as one pass.
func costOfIterations(failed []claim, all []*problem) string {
	low, high := math.Inf(1), 0.
	for _, c := range failed {
		p := c.problemOf(all)
		if p == nil {
			continue
		}
		for _, split := range p.splits {
			if u := p.unit(batch, paper.Last, split); u != nil && len(u.Points) > 1 {
				end := u.Points[len(u.Points)-1]
				each := end.Passes / float64(end.Outer)
				low, high = min(low, each), max(high, each)
			}
		}
	}
	if low > high {
		return ""
	}
	return fmt.Sprintf("In the cases that fail an exact iteration visits the data %.0f to %.0f times.", low, high)
}

// byMethod counts the cases that fail by method.
func byMethod(failed []claim) string {
	var names []string
	count := map[string]int{}
	for _, c := range failed {
		if count[c.Method]++; count[c.Method] == 1 {
			names = append(names, c.Method)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	for k, name := range names {
		names[k] = fmt.Sprintf("%s %d", name, count[name])
	}
	return "Cases that fail: " + strings.Join(names, ", ") + "."
}

// spreadOfTests compares the differences of test losses with those between splits.
func spreadOfTests(failed []claim, all []*problem) string {
	worst, spread := 0., 0.
	for _, c := range failed {
		worst = max(worst, c.Number-1)
		p := c.problemOf(all)
		if p == nil {
			continue
		}
		if t, ok := curveOf(p, scasOn(p), paper.Last, testOf(paper.Last), byPasses); ok && len(p.splits) > 1 {
			t = t.until(p.Protocol.Passes)
			spread = max(spread, (t.high[len(t.high)-1]-t.low[len(t.low)-1])/t.end())
		}
	}
	text := fmt.Sprintf("The loss is %.2g %% higher at most", 100*worst)
	if spread > 0 {
		text += fmt.Sprintf("; between splits it differs by up to %.2g %%", 100*spread)
	}
	return text + "."
}

// A sweepRef points to the sweeps of a problem.
type sweepRef struct{ Text, ID string }

// sweepsOf returns the sweeps of the cases that fail where parameters were chosen.
func sweepsOf(o outcome, all []*problem) (out []sweepRef) {
	for _, c := range o.failed() {
		if p := c.problemOf(all); p != nil && c.Rule != "" && c.Rule != paper.Automatic && !p.Whole {
			ref := sweepRef{fmt.Sprintf("%s, μ = %g", p.Name, p.mu), sweepName(p, knobs[0])}
			if !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
	}
	return out
}
