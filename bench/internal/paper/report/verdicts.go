package report

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A level is where a method ends.
type level struct {
	gap    float64 // mean at the last pass, at least gapFloor; NaN if unknown
	remark string  // what makes it doubtful
}

// known reports whether there is a gap to compare.
func (l level) known() bool { return !math.IsNaN(l.gap) }

// String writes the gap and the remark for people.
func (l level) String() string {
	text := "no gap"
	if l.known() {
		text = gapText(l.gap)
	}
	if l.remark != "" {
		text += " (" + l.remark + ")"
	}
	return text
}

// end returns where a method ends; ok is false if it was not run.
func end(p *problem, m paper.Method, o paper.Output, x axis) (l level, ok bool) {
	t := tallyOf(p, m)
	c, drawn := curveOf(p, m, gapOf(o), x)
	c = c.until(p.Protocol.Passes)
	l.gap = math.NaN()
	switch {
	case t.Units == 0:
		return l, false
	case t.Failed > 0:
		l.remark = fmt.Sprintf("failed in %d of %d splits", t.Failed, t.Units)
	case !drawn || len(c.x) < 2:
		l.remark = "no iteration ends within the passes"
	default:
		l.gap = max(c.end(), gapFloor)
		if t.Edges > 0 {
			l.remark = fmt.Sprintf("tuned beyond the grid in %d of %d", t.Edges, t.Units)
		}
	}
	return l, true
}

// compare makes a claim of how the gap of one method stands to that of another:
// their ratio is at most the limit. It is undecided where one is unknown and where
// rounding hides both.
func compare(p *problem, id string, low, high level, limit float64, measured string) claim {
	switch {
	case !low.known() || !high.known():
		return p.claim(id, 0, undecided, "%s", measured)
	case low.gap == gapFloor && high.gap == gapFloor && limit < 1:
		return p.claim(id, 1, undecided, "%s", measured)
	}
	ratio := low.gap / high.gap
	return p.claim(id, ratio, holds(ratio <= limit), "%s", measured)
}

// better is the limit of compare for a gap that must be smaller.
var better = math.Nextafter(1, 0)

// againstBatch is claim 1. A stochastic method that failed is worse than any.
func againstBatch(p *problem) []claim {
	worst, name, count := level{}, paper.Method(""), 0
	for _, m := range p.Protocol.Methods {
		t := paper.TraitsOf(m)
		if t.Group != paper.Compared || t.Batch || !paper.Applies(m, p.mu) {
			continue
		}
		l, ok := end(p, m, t.Output, byPasses)
		if !ok {
			continue
		}
		if count++; worst.known() && !(l.gap <= worst.gap) {
			worst, name = l, m
		}
	}
	var out []claim
	for _, c := range []struct {
		id string
		m  paper.Method
		x  axis
	}{{"1a", batchLinear, byPaper}, {"1b", batch, byPaper}, {"1c", batch, byPasses}} {
		l, ok := end(p, c.m, paper.Last, c.x)
		if !ok || count == 0 {
			continue
		}
		one := compare(p, c.id, worst, l, better, fmt.Sprintf("worst of %d: %s %s; %s %s", count, name, worst, c.m, l))
		if !worst.known() {
			one.Verdict = notReproduced
		}
		out = append(out, one)
	}
	return out
}

// againstEachOther is claims 2 and 3.
func againstEachOther(p *problem) []claim {
	peer := sa
	if _, ok := end(p, peer, paper.Last, byPasses); !ok {
		peer = saIU
	}
	var out []claim
	for _, c := range []struct {
		id           string
		first, other paper.Method
		of, against  paper.Output
		limit        float64
	}{
		{"2a", scas, stoc, paper.Last, paper.Average, better},
		{"2b", scas, stoc, paper.Average, paper.Average, better},
		{"2c", peer, stoc, paper.Last, paper.Average, better},
		{"3a", scas, peer, paper.Last, paper.Last, onAPar},
		{"3b", scas, peer, paper.Average, paper.Average, onAPar},
	} {
		a, ok := end(p, c.first, c.of, byPasses)
		b, too := end(p, c.other, c.against, byPasses)
		if ok && too {
			out = append(out, compare(p, c.id, a, b, c.limit, fmt.Sprintf("%s %s %s; %s %s %s", c.first, c.of, a, c.other, c.against, b)))
		}
	}
	return out
}

// memory is claim 4.
func memory(p *problem) []claim {
	if p.facts == nil {
		return nil
	}
	rows, features := float64(p.facts.Rows)/2, float64(p.facts.Features)
	numbers, whole := 4*features+2*float64(p.facts.RowsOfA)+rows, rows*features
	return []claim{p.claim("4", numbers/whole, holds(numbers/whole < smallShare), "%.3g numbers; n p is %.3g", numbers, whole)}
}

// fittedRates is claim 5.
func fittedRates(p *problem) []claim {
	var out []claim
	for _, m := range p.Protocol.Methods {
		t := paper.TraitsOf(m)
		order, proven := order(t, p.mu)
		if !proven {
			continue // nothing proven, or no power to compare with
		}
		o := t.Output
		if m == scas || m == scasStrong {
			o = paper.Average // what the theorems speak of
		}
		l, ok := end(p, m, o, byPaper)
		if !ok {
			continue
		}
		c, _ := curveOf(p, m, gapOf(o), byPaper)
		c = c.until(p.Protocol.Passes)
		switch fitted := rate(c.x, c.mean); {
		case !math.IsNaN(fitted) && l.known():
			out = append(out, p.claim("5", fitted, holds(fitted >= nearOrder*order), "%s, %s: T^%.2f, proven T^-%.3g of %s", m, o, -fitted, order, t.Counts))
		case l.known() && l.gap <= visibleGap:
			out = append(out, p.claim("5", order, reproduced, "%s, %s: below what rounding lets be seen", m, o))
		default:
			out = append(out, p.claim("5", 0, undecided, "%s, %s: %s, too few points for a fit", m, o, l))
		}
	}
	return out
}

// order returns the proven exponent, if there is one.
func order(t paper.Traits, mu float64) (exponent float64, proven bool) {
	exponent = t.Order[0]
	if mu > 0 {
		exponent = t.Order[1]
	}
	return exponent, exponent != 0 && !math.IsInf(exponent, 1)
}

// sameOptimum is claim 7.
func sameOptimum(p *problem) []claim {
	var out []claim
	for _, m := range p.Protocol.Methods {
		t := paper.TraitsOf(m)
		u := p.unit(m, 0)
		if u == nil {
			continue
		}
		c, ok := curveOf(p, m, gapOf(t.Output), byPasses)
		if !ok {
			out = append(out, p.claim("7", 0, notReproduced, "%s: %s", m, u.Failed))
			continue
		}
		power, proven := order(t, p.mu)
		if !proven {
			power = 1
		}
		end := u.Points[len(u.Points)-1]
		steps, cost := end.Passes, fmt.Sprintf("%.4g passes", end.Passes)
		if t.Counts != paper.Samples {
			steps = float64(end.Outer)
		}
		if end.Paper != end.Passes {
			cost = fmt.Sprintf("%.4g passes as the paper counts, %.4g honest ones", end.Paper, end.Passes)
		}
		last := max(c.end(), gapFloor)
		early, _ := c.at(10)
		allowed := max(sameGap, c.mean[0]*math.Pow(steps, -power))
		falls := last <= sameGap || last < early
		out = append(out, p.claim("7", last, holds(last <= allowed && falls), "%s: %s at 10 passes, %s after %s; %.2g allowed", m, gapText(early), gapText(last), cost, allowed))
	}
	return out
}

// againstPrototypes is claim 8.
func againstPrototypes(p *problem) []claim {
	if p.Name != "a9a" || p.Protocol.Graph != paper.Antisymmetric {
		return nil
	}
	var out []claim
	for _, one := range prototypes {
		c, ok := curveOf(p, nameOf(one.method), gapOf(one.output), byPaper)
		early, reached := c.at(10)
		if one.mu != p.mu || !ok || !reached {
			continue
		}
		got, want, late := early, one.gap[0], ""
		if v, ok := c.at(30); ok {
			got, want = v, one.gap[1]
			late = fmt.Sprintf(", %s at 30 (%s)", gapText(got), gapText(want))
		}
		ratio := max(got, visibleGap) / max(want, visibleGap)
		out = append(out, p.claim("8", ratio, holds(ratio <= alike), "%s, %s: %s at 10 passes (prototype %s)%s", nameOf(one.method), one.output, gapText(early), gapText(one.gap[0]), late))
	}
	return out
}
