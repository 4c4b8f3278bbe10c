package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A theme is a line of the findings: a claim in a few words.
type theme struct{ id, text string }

var themes = []theme{
	{"2a", "SCAS-ADMM's last iterate against STOC-ADMM's average, gaps"},
	{"2b", "Average against average, gaps"},
	{"3a", "SCAS-ADMM against SA-ADMM, last iterates, gaps"},
	{"9a", "The same on the test half, SCAS-ADMM's last iterate against STOC-ADMM's average, losses"},
	{"1a", "The worst stochastic method against batch ADMM with a linearised step, gaps per pass"},
	{"1b", "The worst stochastic method against exact batch ADMM, an iteration counted as a pass, gaps"},
	{"1e", "SCAS-ADMM against exact batch ADMM, seconds"},
	{"2d", "SCAS-ADMM against STOC-ADMM, seconds"},
	{"4b", "Memory without a rotated copy of the data, bytes over 8 n p"},
	{"6", "Measured gaps against the theorems' bounds"},
}

// findings sums up what was found, a line a theme: the ratio that decides, and in how
// many cases the claim holds, for every way of choosing parameters.
func findings(all []outcome) []string {
	var out []string
	for _, t := range themes {
		k := slices.IndexFunc(all, func(o outcome) bool { return o.ID == t.id && o.Of > 0 })
		if k < 0 {
			continue
		}
		var parts []string
		for _, s := range all[k].Rules {
			parts = append(parts, s.text())
		}
		out = append(out, fmt.Sprintf("%s (%s): %s.", t.text, t.id, strings.Join(parts, "; ")))
	}
	return out
}

// text writes how an outcome fared under a rule.
func (s share) text() string {
	held := fmt.Sprintf("holds in %d of %d", s.Held, s.Of)
	if s.Open > 0 {
		held += fmt.Sprintf(", %d undecided", s.Open)
	}
	if s.Bare != s.Held {
		held += fmt.Sprintf(" (%d where gaps below the floor count)", s.Bare)
	}
	if s.Rule != "" {
		held = "tuned " + ruleNames[s.Rule] + " " + held
		if s.Rule == paper.Automatic {
			held = strings.TrimPrefix(held, "tuned ")
		}
	}
	low, high := ratioText(s.Low), ratioText(s.High)
	switch {
	case s.Low > s.High:
		return held
	case low == high:
		return fmt.Sprintf("%s, ratio %s", held, low)
	}
	return fmt.Sprintf("%s, ratios %s to %s", held, low, high)
}

// ratioText writes a ratio with as many digits as tell it from 1.
func ratioText(v float64) string {
	switch {
	case math.Abs(v-1) < 0.01:
		return fmt.Sprintf("%.4f", v)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return short(v, 2)
}
