package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// why says of an outcome that is not reproduced what the comparison of the columns
// shows of the reason: cases that fail in one may hold in another.
func (o outcome) why() string {
	if len(o.failed()) == 0 {
		return ""
	}
	if len(o.Rules) < 3 {
		return "It does not depend on tuning."
	}
	onSamples, half, auto := o.cases(paper.Sampled), o.cases(paper.Whole), o.cases(paper.Automatic)
	switch {
	case len(onSamples) == 0 && len(half) == 0:
		return "It is the automatic parameters: tuned either way it holds in all cases decided."
	case len(onSamples) == 0:
		return "By the paper's rule it holds in all cases decided; parameters better for the methods one by one reverse it."
	case len(half) == 0 && len(auto) == 0:
		return "It is the 500 samples: with parameters chosen on the training half, or automatic ones, it holds in all cases decided."
	case len(half) == 0:
		return "It is the 500 samples: with parameters chosen on the training half it holds in all cases decided."
	case len(auto) == 0:
		return "It is the choice after few passes: with automatic parameters it holds in all cases decided."
	}
	var byHalf, byAuto, never int
	for c := range onSamples {
		switch {
		case half[c] && auto[c]:
			never++
		case !half[c] && !auto[c]:
			byHalf, byAuto = byHalf+1, byAuto+1
		case half[c]:
			byAuto++
		default:
			byHalf++
		}
	}
	if never == len(onSamples) {
		return fmt.Sprintf("It is the methods, not the 500 samples: what fails on them (%d) fails too with parameters chosen on the training half (%d in all), and with automatic ones (%d).", never, len(half), len(auto))
	}
	return fmt.Sprintf("Of the %d cases that fail on the samples %d do not with parameters chosen on the training half, %d not with automatic ones; %d fail each way.", len(onSamples), byHalf, byAuto, never)
}

// cases are those that fail under a rule.
func (o outcome) cases(rule paper.Rule) map[claim]bool {
	out := map[claim]bool{}
	for _, c := range o.failed() {
		if c.Rule == rule {
			out[claim{Data: c.Data, Mu: c.Mu, About: c.About}] = true
		}
	}
	return out
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
	case "4a":
		return "The solver keeps a rotated copy of the data there, for speed; 4b is without."
	case "5", "7", "8":
		return byCurve(failed)
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

// byCurve counts the cases that fail by method and output.
func byCurve(failed []claim) string {
	var names []string
	count := map[string]int{}
	for _, c := range failed {
		if count[c.About]++; count[c.About] == 1 {
			names = append(names, c.About)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	for k, name := range names {
		names[k] = fmt.Sprintf("%s (%d)", name, count[name])
	}
	return "Cases that fail, all ways together: " + strings.Join(names, "; ") + "."
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
		if t, ok := curveOf(p, scasOn(p), paper.Last, testLoss, byPasses); ok && len(p.splits) > 1 {
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
