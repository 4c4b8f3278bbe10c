package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A claim compares two numbers on every problem. The ratio of the first to the second is
// what the page shows; below 1 it favours the first.
type claim struct {
	ID, Text string
	of       func(p *problem) (first, second entry)
}

// An entry is a number of a claim. A number that is unknown is NaN, one that is not
// reached +Inf.
type entry struct {
	Name  string // of the method
	Value float64
	Edge  bool // some split has its step size or rho at the edge of a grid
}

// target is the gap to which seconds are compared.
const target = 1e-3

// claims are those of the paper's section on experiments, in its order. Where mu > 0,
// SCAS-ADMM is Algorithm 2. Memory (claim 4) and rates (claim 5) have tables of their own.
var claims = []claim{
	{"1a", "The worst of the paper's stochastic methods against batch ADMM with a linearised step: gap at the last pass.", func(p *problem) (a, b entry) {
		return worstGap(p), gapOf(p, batchLinear, paper.Last, byPaper)
	}},
	{"1b", "The same against batch ADMM with an exact step, an iteration counted as one pass, as the paper does.", func(p *problem) (a, b entry) {
		return worstGap(p), gapOf(p, batch, paper.Last, byPaper)
	}},
	{"1c", "The same, every gradient and Hessian product over the data counted as a pass, for the better of assembled Hessians and conjugate gradients.", func(p *problem) (a, b entry) {
		return worstGap(p), least(gapOf(p, batch, paper.Last, byBudget), gapOf(p, batchCG, paper.Last, byBudget))
	}},
	{"1d", fmt.Sprintf("The slowest of the paper's stochastic methods against exact batch ADMM: seconds to a gap of %g.", target), func(p *problem) (a, b entry) {
		return slowest(p), least(secondsOf(p, batch, paper.Last), secondsOf(p, batchCG, paper.Last))
	}},
	{"1e", fmt.Sprintf("SCAS-ADMM's last iterate against exact batch ADMM: seconds to a gap of %g.", target), func(p *problem) (a, b entry) {
		return secondsOf(p, scasOn(p), paper.Last), least(secondsOf(p, batch, paper.Last), secondsOf(p, batchCG, paper.Last))
	}},
	{"2a", "SCAS-ADMM's last iterate against STOC-ADMM's average: gap at the last pass.", func(p *problem) (a, b entry) {
		return gapOf(p, scasOn(p), paper.Last, byPasses), gapOf(p, stoc, paper.Average, byPasses)
	}},
	{"2b", "SCAS-ADMM's average against STOC-ADMM's average: gap at the last pass.", func(p *problem) (a, b entry) {
		return gapOf(p, scasOn(p), paper.Average, byPasses), gapOf(p, stoc, paper.Average, byPasses)
	}},
	{"2c", "SA-ADMM's last iterate against STOC-ADMM's average: gap at the last pass.", func(p *problem) (a, b entry) {
		return gapOf(p, peerOf(p), paper.Last, byPasses), gapOf(p, stoc, paper.Average, byPasses)
	}},
	{"2d", fmt.Sprintf("SCAS-ADMM's last iterate against STOC-ADMM's average: seconds to a gap of %g.", target), func(p *problem) (a, b entry) {
		return secondsOf(p, scasOn(p), paper.Last), secondsOf(p, stoc, paper.Average)
	}},
	{"3a", "SCAS-ADMM against SA-ADMM, last iterates: gap at the last pass.", func(p *problem) (a, b entry) {
		return gapOf(p, scasOn(p), paper.Last, byPasses), gapOf(p, peerOf(p), paper.Last, byPasses)
	}},
	{"3b", "SCAS-ADMM against SA-ADMM, averages: gap at the last pass.", func(p *problem) (a, b entry) {
		return gapOf(p, scasOn(p), paper.Average, byPasses), gapOf(p, peerOf(p), paper.Average, byPasses)
	}},
	{"3c", fmt.Sprintf("SCAS-ADMM against SA-ADMM, last iterates: seconds to a gap of %g.", target), func(p *problem) (a, b entry) {
		return secondsOf(p, scasOn(p), paper.Last), secondsOf(p, peerOf(p), paper.Last)
	}},
	{"9a", "SCAS-ADMM's last iterate against STOC-ADMM's average: loss on the test half.", func(p *problem) (a, b entry) {
		return testOf(p, scasOn(p), paper.Last), testOf(p, stoc, paper.Average)
	}},
	{"9b", "SCAS-ADMM's average against STOC-ADMM's average: loss on the test half.", func(p *problem) (a, b entry) {
		return testOf(p, scasOn(p), paper.Average), testOf(p, stoc, paper.Average)
	}},
	{"9c", "SCAS-ADMM against SA-ADMM, last iterates: loss on the test half.", func(p *problem) (a, b entry) {
		return testOf(p, scasOn(p), paper.Last), testOf(p, peerOf(p), paper.Last)
	}},
}

// A case is a claim on one problem, with parameters chosen in one way.
type claimCase struct {
	Rule          paper.Rule
	First, Second entry
	Ratio         float64 // NaN where one number is unknown or both are not reached
}

// A claimRow is a claim on one problem, in all ways of choosing parameters.
type claimRow struct {
	Data  string
	Mu    float64
	Cases []claimCase
}

// A result is a claim with its numbers.
type result struct {
	claim
	Rows     []claimRow
	Overview []overviewOf // a way of choosing parameters each
}

// overviewOf counts the cases of a claim under one rule.
type overviewOf struct {
	Rule          paper.Rule
	Below, Of     int     // ratios below 1, and ratios at all
	Edges         int     // of these, with a choice at the edge of a grid
	Low, Mid, Top float64 // least, median and greatest ratio
}

// results puts the claims to the problems that have a split.
func results(all []*problem) []result {
	var out []result
	for _, c := range claims {
		r := result{claim: c}
		for _, p := range all {
			if !p.begun || p.Whole {
				continue
			}
			row := claimRow{Data: p.Name, Mu: p.mu}
			for _, rule := range paper.Rules() {
				one := claimCase{Rule: rule}
				one.First, one.Second = c.of(p.under(rule))
				one.Ratio = ratio(one.First.Value, one.Second.Value)
				row.Cases = append(row.Cases, one)
			}
			r.Rows = append(r.Rows, row)
		}
		for k, rule := range paper.Rules() {
			r.Overview = append(r.Overview, overviewCases(r.Rows, k, rule))
		}
		out = append(out, r)
	}
	return out
}

// ratio is a/b; 0 or +Inf where one of them is not reached.
func ratio(a, b float64) float64 {
	switch {
	case math.IsInf(b, 1) && !math.IsInf(a, 1) && !math.IsNaN(a):
		return 0
	default:
		return a / b // NaN for two infinities
	}
}

func overviewCases(rows []claimRow, k int, rule paper.Rule) overviewOf {
	o := overviewOf{Rule: rule, Low: math.NaN(), Mid: math.NaN(), Top: math.NaN()}
	var ratios []float64
	for _, row := range rows {
		c := row.Cases[k]
		if math.IsNaN(c.Ratio) {
			continue
		}
		o.Of++
		if c.Ratio < 1 {
			o.Below++
		}
		if c.First.Edge || c.Second.Edge {
			o.Edges++
		}
		ratios = append(ratios, c.Ratio)
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		o.Low, o.Top = ratios[0], ratios[len(ratios)-1]
		o.Mid = stat.Quantile(0.5, stat.Empirical, ratios, nil)
	}
	return o
}

// claimsCSV writes all numbers of the claims.
func claimsCSV(all []result) string {
	records := [][]string{{"claim", "data", "mu", "tuned", "first", "first_value", "first_at_edge", "second", "second_value", "second_at_edge", "ratio", "statement"}}
	num := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	for _, r := range all {
		for _, row := range r.Rows {
			for _, c := range row.Cases {
				records = append(records, []string{
					r.ID, row.Data, num(row.Mu), ruleNames[c.Rule], c.First.Name, num(c.First.Value), strconv.FormatBool(c.First.Edge),
					c.Second.Name, num(c.Second.Value), strconv.FormatBool(c.Second.Edge), num(c.Ratio), r.Text,
				})
			}
		}
	}
	return csvText(records)
}

// gapOf is the gap of a method at the last pass, the mean over the splits. A method that
// failed in a split never reaches a gap.
func gapOf(p *problem, m paper.Method, o paper.Output, x axis) entry {
	t := tallyOf(p, m, o)
	e := entry{Name: fmt.Sprintf("%s, %s", m, o), Value: math.NaN(), Edge: t.atEdge()}
	c, drawn := curveOf(p, m, o, gap, x)
	c = c.until(p.Protocol.Passes)
	switch {
	case t.Failed > 0:
		e.Value = math.Inf(1)
	case drawn && len(c.x) > 1:
		e.Value = max(c.end(), gapFloor)
	}
	return e
}

// testOf is the mean loss of a method on the test half at the last pass.
func testOf(p *problem, m paper.Method, o paper.Output) entry {
	e := entry{Name: fmt.Sprintf("%s, %s", m, o), Value: math.NaN(), Edge: tallyOf(p, m, o).atEdge()}
	if c, ok := curveOf(p, m, o, testLoss, byPasses); ok {
		e.Value = c.until(p.Protocol.Passes).end()
	}
	return e
}

// secondsOf is when a method reaches the target, +Inf if it does not.
func secondsOf(p *problem, m paper.Method, o paper.Output) entry {
	t := tallyOf(p, m, o)
	e := entry{Name: fmt.Sprintf("%s, %s", m, o), Value: math.NaN(), Edge: t.atEdge()}
	c, ok := curveOf(p, m, o, gap, byPasses)
	if !ok {
		if t.Failed > 0 && p.timing(m, 0) != nil {
			e.Value = math.Inf(1)
		}
		return e
	}
	if c, ok = overSecondsOf(p, m, c); !ok {
		return e
	}
	e.Value = math.Inf(1)
	if k := slices.IndexFunc(c.mean, func(v float64) bool { return v <= target }); k >= 0 {
		e.Value = c.x[k]
	}
	return e
}

// worstGap is the largest gap of the paper's stochastic methods, at their own outputs.
func worstGap(p *problem) entry {
	var all []entry
	for _, m := range rivals(p) {
		all = append(all, gapOf(p, m, paper.TraitsOf(m).Output, byPasses))
	}
	return greatest(all)
}

// slowest is the last of the same to reach the target.
func slowest(p *problem) entry {
	var all []entry
	for _, m := range rivals(p) {
		all = append(all, secondsOf(p, m, paper.TraitsOf(m).Output))
	}
	return greatest(all)
}

// rivals are the paper's stochastic methods that were run on a problem.
func rivals(p *problem) (out []paper.Method) {
	for _, m := range p.Protocol.Methods {
		if t := paper.TraitsOf(m); t.Group == paper.Compared && !t.Batch && paper.Applies(m, p.mu) {
			out = append(out, m)
		}
	}
	return out
}

// peerOf is SA-ADMM, or its form with a linearised penalty where its memory forbids it.
func peerOf(p *problem) paper.Method {
	if tallyOf(p, sa, paper.Last).Units == 0 {
		return saIU
	}
	return sa
}

// greatest is the entry of largest value among those that are known.
func greatest(all []entry) entry {
	best := entry{Value: math.NaN()}
	for _, e := range all {
		if !math.IsNaN(e.Value) && !(best.Value >= e.Value) {
			best = e
		}
	}
	return best
}

// least is the entry of smallest value among those that are known.
func least(all ...entry) entry {
	best := entry{Value: math.NaN()}
	for _, e := range all {
		if !math.IsNaN(e.Value) && !(best.Value <= e.Value) {
			best = e
		}
	}
	return best
}

// ruleNames are the ways of choosing parameters, in words.
var ruleNames = map[paper.Rule]string{paper.Sampled: "on samples", paper.Whole: "on the half", paper.Automatic: "automatic"}

// claimsText sums up the claims for a terminal.
func claimsText(all []result) string {
	var b strings.Builder
	fmt.Fprintln(&b, "\nratios below 1, of all, and their median: parameters chosen on samples, on the half, automatic")
	for _, r := range all {
		fmt.Fprintf(&b, "%-3s", r.ID)
		for _, o := range r.Overview {
			fmt.Fprintf(&b, "  %2d of %2d %8s", o.Below, o.Of, ratioText(o.Mid))
		}
		fmt.Fprintf(&b, "  %s\n", r.Text)
	}
	return b.String()
}
