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
