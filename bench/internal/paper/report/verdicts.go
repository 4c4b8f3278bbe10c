package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	t := tallyOf(p, m, o)
	c, drawn := curveOf(p, m, o, gap, x)
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
			l.remark = fmt.Sprintf("at the grid's edge in %d of %d", t.Edges, t.Units)
		}
	}
	return l, true
}

// floor is the least gap that ratios tell apart: a share of the objective at zero,
// where every method starts.
const floor = floorShare * math.Ln2

// compare makes a claim of how the gap of one method stands to that of another:
// their ratio, gaps below the floor being raised to it, is at most the limit. It is
// undecided where one is unknown and where both are below the floor and one must be
// smaller.
func compare(p *problem, id string, low, high level, limit float64, measured string) claim {
	if !low.known() || !high.known() {
		return p.claim(id, 0, undecided, "%s", measured)
	}
	ratio := max(low.gap, floor) / max(high.gap, floor)
	out := p.claim(id, ratio, holds(ratio <= limit), "%s", measured)
	if low.gap <= floor && high.gap <= floor && limit < 1 {
		out.Verdict = undecided
	}
	out.Unfloored = holds(low.gap/high.gap <= limit)
	if low.gap == gapFloor && high.gap == gapFloor && limit < 1 {
		out.Unfloored = undecided
	}
	return out
}

// better is the limit of compare for a gap that must be smaller.
var better = math.Nextafter(1, 0)

// rivals are the paper's stochastic methods that were run on a problem, with the output
// each is judged by.
func rivals(p *problem) []paper.Method {
	return slices.DeleteFunc(stochastic(), func(m paper.Method) bool {
		return !slices.Contains(p.Protocol.Methods, m) || !paper.Applies(m, p.mu)
	})
}

// stochastic are all of them.
func stochastic() (out []paper.Method) {
	for _, info := range paper.Infos() {
		if t := paper.TraitsOf(info.Name); t.Group == paper.Compared && !t.Batch {
			out = append(out, info.Name)
		}
	}
	return out
}

// peerOf is SA-ADMM, or where its memory forbids it the form with the penalty
// linearised.
func peerOf(p *problem) paper.Method {
	if _, ok := end(p, sa, paper.Last, byPasses); !ok {
		return saIU
	}
	return sa
}

// againstBatch is claim 1. A stochastic method that failed is worse than any.
func againstBatch(p *problem) []claim {
	worst, name, count := level{}, paper.Method(""), 0
	for _, m := range rivals(p) {
		l, ok := end(p, m, paper.TraitsOf(m).Output, byPasses)
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
	}{{"1a", batchLinear, byPaper}, {"1b", batch, byPaper}, {"1c", frugal(p), byBudget}} {
		l, ok := end(p, c.m, paper.Last, c.x)
		if !ok || count == 0 {
			continue
		}
		one := compare(p, c.id, worst, l, better, fmt.Sprintf("worst of %d: %s %s; %s %s", count, name, worst, c.m, l))
		if !worst.known() {
			one.Verdict, one.Unfloored = notReproduced, notReproduced
		}
		out = append(out, one)
	}
	return out
}

// exact are the forms of batch ADMM with an exact x-step; the second is run where it is
// another than the first.
var exact = []paper.Method{batch, batchCG}

// frugal returns the one of smaller gap at the last pass, all passes counted.
func frugal(p *problem) paper.Method {
	best, least := batch, math.Inf(1)
	for _, m := range exact {
		if l, ok := end(p, m, paper.Last, byBudget); ok && l.gap < least {
			best, least = m, l.gap
		}
	}
	return best
}

// fastest returns the one that reaches the target first, and when; ok is false where
// none was timed.
func fastest(p *problem) (best paper.Method, least float64, ok bool) {
	for _, m := range exact {
		if s, timed := seconds(p, m, paper.Last); timed && (!ok || s < least) {
			best, least, ok = m, s, true
		}
	}
	return best, least, ok
}

// againstEachOther is claims 2 and 3.
func againstEachOther(p *problem) []claim {
	peer, scas := peerOf(p), scasOn(p)
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

// seconds returns when a method reaches the target, +Inf if it does not; ok is false
// where nothing was timed.
func seconds(p *problem, m paper.Method, o paper.Output) (s float64, ok bool) {
	c, ok := curveOf(p, m, o, gap, byPasses)
	if !ok {
		return math.Inf(1), tallyOf(p, m, o).Failed > 0 && p.timing(m, 0) != nil
	}
	if c, ok = overSecondsOf(p, m, c); !ok {
		return 0, false
	}
	for k, gap := range c.mean {
		if gap <= target {
			return c.x[k], true
		}
	}
	return math.Inf(1), true
}

// faster makes a claim of the seconds to the target.
func faster(p *problem, id string, low, high float64, limit float64, first, other string) claim {
	text := func(s float64) string {
		if math.IsInf(s, 1) {
			return "not reached"
		}
		return short(s, 3) + " s"
	}
	measured := fmt.Sprintf("to a gap of %g: %s %s; %s %s", target, first, text(low), other, text(high))
	switch {
	case math.IsInf(low, 1) && math.IsInf(high, 1):
		return p.claim(id, 0, undecided, "%s", measured)
	case math.IsInf(low, 1):
		return p.claim(id, 0, notReproduced, "%s", measured)
	case math.IsInf(high, 1):
		return p.claim(id, 0, reproduced, "%s", measured)
	}
	return p.claim(id, low/high, holds(low/high <= limit), "%s", measured)
}

// inSeconds is the claims of seconds.
func inSeconds(p *problem) []claim {
	var out []claim
	peer, scas := peerOf(p), scasOn(p)
	slowest, name, count := 0., paper.Method(""), 0
	for _, m := range rivals(p) {
		if s, ok := seconds(p, m, paper.TraitsOf(m).Output); ok {
			if count++; name == "" || s > slowest {
				slowest, name = s, m
			}
		}
	}
	ours, ok := seconds(p, scas, paper.Last)
	if !ok {
		return nil
	}
	if m, s, ok := fastest(p); ok {
		out = append(out, faster(p, "1d", slowest, s, better, fmt.Sprintf("slowest of %d: %s", count, name), m),
			faster(p, "1e", ours, s, better, scas, m))
	}
	if s, ok := seconds(p, stoc, paper.Average); ok {
		out = append(out, faster(p, "2d", ours, s, better, scas, stoc))
	}
	if s, ok := seconds(p, peer, paper.Last); ok {
		out = append(out, faster(p, "3c", ours, s, onAPar, scas, peer))
	}
	return out
}

// onTest is the claims of the test loss.
func onTest(p *problem) []claim {
	var out []claim
	peer, scas := peerOf(p), scasOn(p)
	for _, c := range []struct {
		id           string
		first, other paper.Method
		of, against  paper.Output
	}{
		{"9a", scas, stoc, paper.Last, paper.Average},
		{"9b", scas, stoc, paper.Average, paper.Average},
		{"9c", scas, peer, paper.Last, paper.Last},
	} {
		a, ok := curveOf(p, c.first, c.of, testLoss, byPasses)
		b, too := curveOf(p, c.other, c.against, testLoss, byPasses)
		if !ok || !too {
			continue
		}
		x, y := a.until(p.Protocol.Passes).end(), b.until(p.Protocol.Passes).end()
		out = append(out, p.claim(c.id, x/y, holds(x/y <= sameTest), "%s %s %.5f; %s %s %.5f", c.first, c.of, x, c.other, c.against, y))
	}
	return out
}

// memory is claim 4, by bytes measured on the first split.
func memory(p *problem) []claim {
	t := p.timing(scasOn(p), 0)
	if p.facts == nil || t == nil || t.Bytes == 0 {
		return nil
	}
	whole := 4 * float64(p.facts.Rows) * float64(p.facts.Features) // 8 bytes, half of the rows
	one := func(id string, t *paper.Timing) claim {
		c := p.claim(id, t.Bytes/whole, holds(t.Bytes/whole < smallShare), "%s, plan %s, %s ms a pass; 8 n p is %s", byteSize(t.Bytes), t.Plan, short(t.PerPass/1e6, 3), byteSize(whole))
		c.Rule = ""
		return c
	}
	out := []claim{one("4a", t)}
	switch {
	case t.Plain != nil:
		out = append(out, one("4b", t.Plain))
	case !strings.HasPrefix(t.Plan, "rotated"):
		out = append(out, one("4b", t))
	}
	return out
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
		c, _ := curveOf(p, m, o, gap, byPaper)
		c = c.until(p.Protocol.Passes)
		switch fitted := rate(c.x, c.mean); {
		case !math.IsNaN(fitted) && l.known():
			out = append(out, p.claim("5", fitted, holds(fitted >= nearOrder*order), "%s, %s: T^%.2f, proven T^-%.3g of %s", m, o, -fitted, order, t.Counts).about(m, o))
		case l.known() && l.gap <= visibleGap:
			out = append(out, p.claim("5", order, reproduced, "%s, %s: below what rounding lets be seen", m, o).about(m, o))
		default:
			out = append(out, p.claim("5", 0, undecided, "%s, %s: %s, too few points for a fit", m, o, l).about(m, o))
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
		u := p.unit(m, t.Output, 0)
		if u == nil {
			continue
		}
		c, ok := curveOf(p, m, t.Output, gap, byPasses)
		if !ok {
			out = append(out, p.claim("7", 0, notReproduced, "%s: %s", m, u.Failed).about(m, t.Output))
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
		out = append(out, p.claim("7", last, holds(last <= allowed && falls), "%s: %s at 10 passes, %s after %s; %.2g allowed", m, gapText(early), gapText(last), cost, allowed).about(m, t.Output))
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
		c, ok := curveOf(p, nameOf(one.method), one.output, gap, byPaper)
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
		out = append(out, p.claim("8", ratio, holds(ratio <= alike), "%s, %s: %s at 10 passes (prototype %s)%s", nameOf(one.method), one.output, gapText(early), gapText(one.gap[0]), late).about(nameOf(one.method), one.output))
	}
	return out
}
