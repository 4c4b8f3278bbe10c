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

// A claim compares two groups of methods on every problem: the worst value of the first group with the best
// value of the second. The page shows the first value divided by the second.
type claim struct {
	ID, Text    string
	measure     measure
	firstSides  func(p *problem) []side
	secondSides func(p *problem) []side
}

// A measure returns the value of a side whose runs did not fail, with entry.Floor. The value is NaN if it is
// unknown.
type measure func(p *problem, s side) (value float64, floor bool)

// A side is one method of a claim, evaluated at one of the method's outputs. x says how the passes of the
// budget are counted; nil means byPasses.
type side struct {
	method paper.Method
	output paper.Output
	x      axis
}

// Values of claim.firstSides and claim.secondSides.
var (
	scasLast    = func(p *problem) []side { return []side{{method: scasOn(p), output: paper.Last}} }
	scasAverage = func(p *problem) []side { return []side{{method: scasOn(p), output: paper.Average}} }
	saLast      = func(*problem) []side { return []side{{method: sa, output: paper.Last}} }
	saAverage   = func(*problem) []side { return []side{{method: sa, output: paper.Average}} }
	stocAverage = func(*problem) []side { return []side{{method: stoc, output: paper.Average}} }
	linearStep  = func(*problem) []side { return []side{{batchLinear, paper.Last, byPaper}} }
	exactCount  = func(*problem) []side { return []side{{batch, paper.Last, byPaper}} }
	exactStep   = func(*problem) []side { return []side{{batch, paper.Last, byBudget}, {batchCG, paper.Last, byBudget}} }
	// stochasticSides returns a side for each stochastic method of the paper that applies to the problem's mu.
	stochasticSides = func(p *problem) (sides []side) {
		for _, m := range p.Protocol.Methods {
			if t := p.Protocol.Traits(m); t.Group == paper.Compared && !t.Info.AllSamples && t.Applies(p.mu) {
				sides = append(sides, side{method: m, output: t.Output()})
			}
		}
		return sides
	}
)

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

// target is the gap for which times are compared.
const target = 1e-3

// claims are the claims of the paper's section on experiments, except the claims about memory and rates.
var claims = []claim{
	{"3a", "SCAS-ADMM against SA-ADMM, last iterates: gap at the last pass.", gapOf, scasLast, saLast},
	{"3b", "SCAS-ADMM against SA-ADMM, averages: gap at the last pass.", gapOf, scasAverage, saAverage},
	{"3c", "SCAS-ADMM against SA-ADMM, last iterates: seconds to a gap of 0.001.", secondsOf, scasLast, saLast},
	{"1a", "The worst of the paper's stochastic methods against batch ADMM with a linearised step: gap at the last pass.", gapOf, stochasticSides, linearStep},
	{"1b", "The same against batch ADMM with an exact step, an iteration counted as one pass, as the paper does.", gapOf, stochasticSides, exactCount},
	{"1c", "The same, every gradient and Hessian product over the data counted as a pass, for the better of assembled Hessians and conjugate gradients.", gapOf, stochasticSides, exactStep},
	{"1d", "The slowest of the paper's stochastic methods against exact batch ADMM: seconds to a gap of 0.001.", secondsOf, stochasticSides, exactStep},
	{"1e", "SCAS-ADMM's last iterate against exact batch ADMM: seconds to a gap of 0.001.", secondsOf, scasLast, exactStep},
	{"2a", "SCAS-ADMM's last iterate against STOC-ADMM's average: gap at the last pass.", gapOf, scasLast, stocAverage},
	{"2b", "SCAS-ADMM's average against STOC-ADMM's average: gap at the last pass.", gapOf, scasAverage, stocAverage},
	{"2c", "SA-ADMM's last iterate against STOC-ADMM's average: gap at the last pass.", gapOf, saLast, stocAverage},
	{"2d", "SCAS-ADMM's last iterate against STOC-ADMM's average: seconds to a gap of 0.001.", secondsOf, scasLast, stocAverage},
	{"4a", "SCAS-ADMM's last iterate against STOC-ADMM's average: loss on the test half.", testLossOf, scasLast, stocAverage},
	{"4b", "SCAS-ADMM's average against STOC-ADMM's average: loss on the test half.", testLossOf, scasAverage, stocAverage},
	{"4c", "SCAS-ADMM against SA-ADMM, last iterates: loss on the test half.", testLossOf, scasLast, saLast},
}

// A claimCase is a claim on one problem under one rule for choosing parameters.
type claimCase struct {
	Rule          paper.Rule
	Splits        int // number of splits, equal for all methods that are compared
	First, Second entry
	Ratio         ratio
}

// A ratio is the first value of a claim divided by the second.
type ratio struct {
	Value float64 // NaN if one of the two values is unknown, or if both are +Inf
	// Bound is "at least" if Value is a lower bound, "at most" if it is an upper bound, and otherwise empty. See
	// entry.Floor.
	Bound string
}

// A claimRow is a claim on one problem, with a case for each rule.
type claimRow struct {
	Data  string
	Mu    float64
	Cases []claimCase
}

// A result is a claim with its values on all problems.
type result struct {
	claim
	Rows     []claimRow
	Overview []ratioSummary // one for each rule
}

type ratioSummary struct {
	Rule          paper.Rule
	Below, All    int   // number of ratios below 1; number of all known ratios
	Open          int   // number of known ratios for which claimCase.First.Open or Second.Open is true
	Low, Mid, Top ratio // smallest, median and largest ratio; of an even number the lower median
}

// results evaluates all claims on the problems that have results.
func results(problems []*problem) []result {
	var out []result
	for _, c := range claims {
		r := result{claim: c}
		for _, p := range problems {
			if !p.begun {
				continue
			}
			row := claimRow{Data: p.Name, Mu: p.mu}
			for _, rule := range paper.Rules() {
				row.Cases = append(row.Cases, c.evaluate(p.withRule(rule)))
			}
			r.Rows = append(r.Rows, row)
		}
		for k, rule := range paper.Rules() {
			r.Overview = append(r.Overview, summaryOf(r.Rows, k, rule))
		}
		out = append(out, r)
	}
	return out
}

// evaluate evaluates a claim on a problem. It ignores methods without a run, and uses the splits on which all
// other methods of the claim were run.
func (c *claim) evaluate(p *problem) claimCase {
	firstSides, secondSides := c.firstSides(p), c.secondSides(p)
	var splits [][]int
	for _, s := range slices.Concat(firstSides, secondSides) {
		splits = append(splits, p.splitsOf(s.method, s.output))
	}
	p = p.withSplits(commonSplits(splits))
	out := claimCase{Rule: p.rule, Splits: len(p.splits), First: largestEntry(valuesOf(p, c.measure, firstSides)), Second: smallestEntry(valuesOf(p, c.measure, secondSides))}
	out.Ratio = quotient(out.First, out.Second)
	return out
}

// quotient returns a/b. The value is NaN if an entry is unknown or both are +Inf, and 1 if both entries have
// Floor set.
func quotient(a, b entry) ratio {
	r := ratio{Value: a.Value / b.Value} // NaN if both are infinite
	switch {
	case math.IsInf(b.Value, 1) && !math.IsInf(a.Value, 1) && !math.IsNaN(a.Value):
		r.Value = 0
	case a.Floor && b.Floor:
		r.Value = 1
	case b.Floor:
		r.Bound = "at least"
	case a.Floor:
		r.Bound = "at most"
	}
	return r
}

// summaryOf summarises the ratios of the k-th case of every row. rule is the rule of these cases.
func summaryOf(rows []claimRow, k int, rule paper.Rule) ratioSummary {
	o := ratioSummary{Rule: rule}
	var ratios []ratio
	for _, row := range rows {
		c := row.Cases[k]
		if math.IsNaN(c.Ratio.Value) {
			continue
		}
		o.All++
		if c.Ratio.Value < 1 {
			o.Below++
		}
		if c.First.Open || c.Second.Open {
			o.Open++
		}
		ratios = append(ratios, c.Ratio)
	}
	if len(ratios) > 0 {
		slices.SortStableFunc(ratios, func(a, b ratio) int { return cmp.Compare(a.Value, b.Value) })
		o.Low, o.Mid, o.Top = ratios[0], ratios[(len(ratios)-1)/2], ratios[len(ratios)-1]
	}
	return o
}

func claimsCSV(results []result) string {
	records := [][]string{{"claim", "data", "mu", "parameters", "splits", "first", "first_of", "first_value", "first_open", "second", "second_of", "second_value", "second_open", "ratio", "ratio_is", "statement"}}
	for _, r := range results {
		for _, row := range r.Rows {
			for _, c := range row.Cases {
				records = append(records, []string{
					r.ID, row.Data, csvNumber(row.Mu, 6), ruleNames[c.Rule], fmt.Sprint(c.Splits),
					c.First.Name, fmt.Sprint(c.First.Among), csvNumber(c.First.Value, 6), fmt.Sprint(c.First.Open),
					c.Second.Name, fmt.Sprint(c.Second.Among), csvNumber(c.Second.Value, 6), fmt.Sprint(c.Second.Open), csvNumber(c.Ratio.Value, 6), c.Ratio.Bound, r.Text,
				})
			}
		}
	}
	return output.CSV(records)
}

func valuesOf(p *problem, m measure, sides []side) (entries []entry) {
	for _, s := range sides {
		t := countsOf(p, s.method, s.output)
		e := entry{Name: fmt.Sprintf("%s, %s", s.method, s.output), Value: math.Inf(1), Open: t.Open > 0}
		if t.Failed == 0 {
			e.Value, e.Floor = m(p, s)
		}
		entries = append(entries, e)
	}
	return entries
}

// gapOf returns the mean gap of a side over the splits, at the end of the budget.
func gapOf(p *problem, s side) (value float64, floor bool) {
	x := s.x
	if x == nil {
		x = byPasses
	}
	c, _ := curveOf(p, s.method, s.output, gap, x)
	c = c.truncateAt(p.Protocol.Passes)
	if len(c.x) < 2 {
		return math.NaN(), false
	}
	return c.lastMean(), c.low[len(c.low)-1] <= p.precision()
}

// testLossOf returns the mean loss of a side on the test half at the end of the budget.
func testLossOf(p *problem, s side) (value float64, floor bool) {
	c, _ := curveOf(p, s.method, s.output, testLoss, byPasses)
	return c.truncateAt(p.Protocol.Passes).lastMean(), false
}

// secondsOf returns the time at which a side reaches the target. It returns +Inf if the side never does, and
// NaN if there are no times.
func secondsOf(p *problem, s side) (value float64, floor bool) {
	c, _ := curveOf(p, s.method, s.output, gap, byPasses)
	c, ok := overSecondsOf(p, s.method, c)
	if !ok {
		return math.NaN(), false
	}
	if k := slices.IndexFunc(c.mean, func(v float64) bool { return v <= target }); k >= 0 {
		return c.x[k], false
	}
	return math.Inf(1), false
}

// bestEntry returns the best entry with a known value. If no value is known, the returned entry has the value
// NaN. Among of the returned entry is the number of entries with a known value.
func bestEntry(entries []entry, better func(a, b float64) bool) entry {
	best, count := entry{Value: math.NaN()}, 0
	if len(entries) == 1 {
		best = entries[0]
	}
	for _, e := range entries {
		if math.IsNaN(e.Value) {
			continue
		}
		if count++; count == 1 || better(e.Value, best.Value) {
			best = e
		}
	}
	best.Among = count
	return best
}

func largestEntry(entries []entry) entry {
	return bestEntry(entries, func(a, b float64) bool { return a > b })
}

func smallestEntry(entries []entry) entry {
	return bestEntry(entries, func(a, b float64) bool { return a < b })
}

var ruleNames = map[paper.Rule]string{paper.Sampled: "chosen on samples", paper.OnHalf: "chosen on the half", paper.Automatic: "automatic"}

// claimsText summarises the claims for a terminal.
func claimsText(results []result) string {
	var b strings.Builder
	fmt.Fprintln(&b, "Cases with a ratio below 1, cases that are open, least and greatest ratio, by the way of choosing parameters:")
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
