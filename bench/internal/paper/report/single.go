package report

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/bench/internal/paper"
)

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
