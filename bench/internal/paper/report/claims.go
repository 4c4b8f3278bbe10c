package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// A claim compares two sides on every problem: the largest value of the first side with the smallest value of
// the second. The page shows the first value divided by the second. Small values are good.
type claim struct {
	ID            string
	measure       measure
	first, second []line // see problem.side
	Text          string
}

// A measure returns Value and Floor of the entry of one line. The runs of the line must not have failed. The
// value is NaN if it is unknown.
type measure func(p *problem, l line, splits []int) (value float64, floor bool)

// A line with the method stochasticMethods stands for all stochastic methods of the paper. problem.side
// replaces it by a line for each of these methods.
const stochasticMethods = "the stochastic methods of the paper"

// The sides of claims. In them, scas stands for the algorithm that scasOn returns.
var (
	scasLast    = []line{{method: scas, output: paper.Last}}
	scasAverage = []line{{method: scas, output: paper.Average}}
	saLast      = []line{{method: sa, output: paper.Last}}
	saAverage   = []line{{method: sa, output: paper.Average}}
	stocAverage = []line{{method: stoc, output: paper.Average}}
	linearStep  = []line{{method: batchLinear, output: paper.Last, axis: byPaper}}
	exactCount  = []line{{method: batch, output: paper.Last, axis: byPaper}}
	exactStep   = []line{
		{method: batch, output: paper.Last, axis: byBudget},
		{method: batchCG, output: paper.Last, axis: byBudget},
	}
	stochastic = []line{{method: stochasticMethods}}
)

// target is the gap for which times are compared.
const target = 1e-3

// claims are the claims of the paper's section on experiments, except the claims about memory and rates.
var claims = []claim{
	{"3a", gapAtEnd, scasLast, saLast, "SCAS-ADMM against SA-ADMM, last iterates: gap at the last pass."},
	{"3b", gapAtEnd, scasAverage, saAverage, "SCAS-ADMM against SA-ADMM, averages: gap at the last pass."},
	{"3c", secondsToTarget, scasLast, saLast,
		"SCAS-ADMM against SA-ADMM, last iterates: seconds to a gap of 0.001."},
	{"1a", gapAtEnd, stochastic, linearStep,
		"The worst of the paper's stochastic methods against batch ADMM with a linearised step: gap at the last pass."},
	{"1b", gapAtEnd, stochastic, exactCount,
		"The same against batch ADMM with an exact step, an iteration counted as one pass, as the paper does."},
	{"1c", gapAtEnd, stochastic, exactStep,
		"The same, every gradient and Hessian product over the data counted as a pass, for the better of assembled Hessians and conjugate gradients."},
	{"1d", secondsToTarget, stochastic, exactStep,
		"The slowest of the paper's stochastic methods against exact batch ADMM: seconds to a gap of 0.001."},
	{"1e", secondsToTarget, scasLast, exactStep,
		"SCAS-ADMM's last iterate against exact batch ADMM: seconds to a gap of 0.001."},
	{"2a", gapAtEnd, scasLast, stocAverage,
		"SCAS-ADMM's last iterate against STOC-ADMM's average: gap at the last pass."},
	{"2b", gapAtEnd, scasAverage, stocAverage,
		"SCAS-ADMM's average against STOC-ADMM's average: gap at the last pass."},
	{"2c", gapAtEnd, saLast, stocAverage,
		"SA-ADMM's last iterate against STOC-ADMM's average: gap at the last pass."},
	{"2d", secondsToTarget, scasLast, stocAverage,
		"SCAS-ADMM's last iterate against STOC-ADMM's average: seconds to a gap of 0.001."},
	{"4a", testLossAtEnd, scasLast, stocAverage,
		"SCAS-ADMM's last iterate against STOC-ADMM's average: loss on the test half."},
	{"4b", testLossAtEnd, scasAverage, stocAverage,
		"SCAS-ADMM's average against STOC-ADMM's average: loss on the test half."},
	{"4c", testLossAtEnd, scasLast, saLast, "SCAS-ADMM against SA-ADMM, last iterates: loss on the test half."},
}

// gapAtEnd returns the mean gap over the splits, at the end of the budget.
func gapAtEnd(p *problem, l line, splits []int) (value float64, floor bool) {
	c := p.upToBudget(l, splits, gap)
	if last(c.X) == 0 {
		return math.NaN(), false // the first step alone exceeds the budget
	}
	// The factor allows for the rounding of logarithms in problem.curve.
	return last(c.Y), last(c.Low) <= p.precision(splits)*(1+1e-9)
}

// testLossAtEnd returns the mean loss on the test half at the end of the budget.
func testLossAtEnd(p *problem, l line, splits []int) (value float64, floor bool) {
	l.axis = byPasses
	return last(p.upToBudget(l, splits, testLoss).Y), false
}

// secondsToTarget returns the time at which the mean gap over the splits reaches the target.
func secondsToTarget(p *problem, l line, splits []int) (value float64, floor bool) {
	c := p.overSeconds(l, splits, gap)
	if len(c.X) < 2 {
		return math.NaN(), false
	}
	k := slices.IndexFunc(c.Y, func(v float64) bool { return v <= target })
	if k < 0 {
		return math.Inf(1), false
	}
	return c.X[k], false
}

// An entry is the value of one side of a claim.
type entry struct {
	Name  string  // the method and its output, such as "scas, last"
	Value float64 // NaN if it is unknown; +Inf if a run failed, or if the target is not reached
	// Floor is true if the gap on some split is not larger than the error of the known optimum. The true
	// value may then be smaller than Value.
	Floor bool
	Among int  // number of compared entries with a known value; this entry is the worst or the best of them
	Open  bool // whether parameters that were not tried may be better on some split
}

// A comparison is a claim on one problem under one rule for choosing parameters.
type comparison struct {
	Data          string
	Mu            float64
	Rule          paper.Rule
	Splits        int // number of splits, equal for all methods that are compared
	First, Second entry
	Ratio         ratio
}

// A ratio is the first value of a claim divided by the second.
type ratio struct {
	Value float64 // NaN if one of the two values is unknown, or if both are +Inf
	// Bound is "at least" if Value is a lower bound, "at most" if it is an upper bound, and otherwise empty.
	// See entry.Floor.
	Bound string
}

// String returns the ratio as text that begins with Bound.
func (r ratio) String() string { return strings.TrimSpace(r.Bound + " " + number(r.Value)) }

// A result is a claim with its values. Rows has the comparisons on each problem, and Overview a summary of
// all problems; both have an element for each rule, in the order of paper.Rules.
type result struct {
	claim
	Rows     [][]comparison
	Overview []ratioSummary
}

type ratioSummary struct {
	Below, All    int   // number of ratios below 1; number of all known ratios
	Open          int   // number of known ratios for which First.Open or Second.Open is true
	Low, Mid, Top ratio // smallest, median and largest ratio; of an even number the lower median
}

func results(problems []*problem) (out []result) {
	for _, c := range claims {
		r := result{claim: c}
		for _, p := range problems {
			var row []comparison
			for _, rule := range paper.Rules() {
				row = append(row, c.compare(p, rule))
			}
			r.Rows = append(r.Rows, row)
		}
		for k := range paper.Rules() {
			r.Overview = append(r.Overview, summaryOf(r.Rows, k))
		}
		out = append(out, r)
	}
	return out
}

// side returns one side of a claim for the problem, with the methods that the lines stand for and with the
// given rule.
func (p *problem) side(lines []line, rule paper.Rule) (side []line) {
	for _, l := range lines {
		l.rule = rule
		switch l.method {
		case stochasticMethods:
			for _, t := range p.methods {
				if t.Role != paper.Later && !t.Info.AllSamples && t.Applies(p.mu) {
					side = append(side, line{method: t.Info.Name, output: t.Outputs[0], rule: rule})
				}
			}
			continue
		case scas:
			l.method = p.scasOn()
		}
		side = append(side, l)
	}
	return side
}

// compare evaluates a claim on the splits on which all its methods were run. It ignores methods without a
// run.
func (c *claim) compare(p *problem, rule paper.Rule) comparison {
	first, second := p.side(c.first, rule), p.side(c.second, rule)
	splits := p.commonSplits(slices.Concat(first, second)...)
	out := comparison{Data: p.Name, Mu: p.mu, Rule: rule, Splits: len(splits)}
	out.First, out.Second = c.largest(p, first, splits, 1), c.largest(p, second, splits, -1)
	out.Ratio = quotient(out.First, out.Second)
	return out
}

// largest returns the entry of the line with the largest known value if sign is 1, or with the smallest if
// sign is −1. Its value is NaN if no value is known.
func (c *claim) largest(p *problem, lines []line, splits []int, sign float64) entry {
	best, count := entry{Value: math.NaN()}, 0
	for _, l := range lines {
		t := p.countsOf(l, splits)
		e := entry{Name: fmt.Sprintf("%s, %s", l.method, l.output), Value: math.Inf(1), Open: t.Open > 0}
		if t.Failed == 0 {
			e.Value, e.Floor = c.measure(p, l, splits)
		}
		switch {
		case !math.IsNaN(e.Value):
			count++
			if count == 1 || sign*e.Value > sign*best.Value {
				best = e
			}
		case len(lines) == 1:
			best = e
		}
	}
	best.Among = count
	return best
}

// quotient returns a/b. The value is NaN if an entry is unknown or both are +Inf, and 1 if both entries have
// Floor set.
func quotient(a, b entry) ratio {
	r := ratio{Value: a.Value / b.Value} // NaN if both are infinite
	switch {
	case math.IsInf(a.Value, 0) || math.IsInf(b.Value, 0): // exactly infinite or 0
	case a.Floor && b.Floor:
		r.Value = 1
	case b.Floor:
		r.Bound = "at least"
	case a.Floor:
		r.Bound = "at most"
	}
	return r
}

// summaryOf summarises the ratios of the k-th comparison of every row.
func summaryOf(rows [][]comparison, k int) (o ratioSummary) {
	var ratios []ratio
	for _, row := range rows {
		c := row[k]
		if math.IsNaN(c.Ratio.Value) {
			continue
		}
		ratios = append(ratios, c.Ratio)
		if c.Ratio.Value < 1 {
			o.Below++
		}
		if c.First.Open || c.Second.Open {
			o.Open++
		}
	}
	o.All = len(ratios)
	if o.All > 0 {
		slices.SortStableFunc(ratios, func(a, b ratio) int { return cmp.Compare(a.Value, b.Value) })
		o.Low, o.Mid, o.Top = ratios[0], ratios[(len(ratios)-1)/2], ratios[len(ratios)-1]
	}
	return o
}

func claimsCSV(results []result) string {
	records := [][]string{
		{
			"claim", "data", "mu", "parameters", "splits", "first", "first_of", "first_value", "first_open",
			"second", "second_of", "second_value", "second_open", "ratio", "ratio_is", "statement",
		},
	}
	for _, r := range results {
		for _, c := range slices.Concat(r.Rows...) {
			record := []string{r.ID, c.Data, csvNumber(c.Mu, 6), ruleNames[c.Rule], fmt.Sprint(c.Splits)}
			for _, e := range []entry{c.First, c.Second} {
				record = append(record, e.Name, fmt.Sprint(e.Among), csvNumber(e.Value, 6),
					fmt.Sprint(e.Open))
			}
			records = append(records, append(record, csvNumber(c.Ratio.Value, 6), c.Ratio.Bound, r.Text))
		}
	}
	return output.CSV(records)
}

var ruleNames = map[paper.Rule]string{
	paper.Sampled: "chosen on samples", paper.OnHalf: "chosen on the half", paper.Automatic: "automatic",
}

// claimsText summarises the claims for a terminal.
func claimsText(results []result) string {
	var b strings.Builder
	fmt.Fprintln(&b,
		"Cases with a ratio below 1, cases that are open, least and greatest ratio, by the way of choosing parameters:")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "claim")
	for _, rule := range paper.Rules() {
		fmt.Fprintf(w, "\t%s\topen\t", ruleNames[rule])
	}
	fmt.Fprintln(w)
	for _, r := range results {
		fmt.Fprint(w, r.ID)
		for _, o := range r.Overview {
			if o.All > 0 {
				fmt.Fprintf(w, "\t%d of %d\t%d\t%s ... %s", o.Below, o.All, o.Open, o.Low, o.Top)
			} else {
				fmt.Fprint(w, "\tnot run\t\t")
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a strings.Builder returns no errors
	for _, r := range results {
		fmt.Fprintf(&b, "%-3s %s\n", r.ID, r.Text)
	}
	return b.String()
}
