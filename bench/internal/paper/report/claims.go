package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver/baseline"
)

// A claim is a statement of the paper, or about it, put to one problem.
type claim struct {
	ID   string // number in the list of statements, with a letter for variants
	Data string
	Mu   float64
	// Rule is how parameters were chosen; empty where nothing depends on it.
	Rule paper.Rule
	// Number is the figure that decides, Measured what it was made from.
	Number   float64
	Measured string
	Verdict  verdict
	// About is the curve that a claim about every method is about here.
	About string
	// Unfloored is the verdict if gaps that no figure shows count too.
	Unfloored verdict
}

// A verdict says how a claim fared.
type verdict string

const (
	reproduced    verdict = "reproduced"
	notReproduced verdict = "not reproduced"
	undecided     verdict = "undecided"
	// inPart is of a statement that holds in some cases and fails in others.
	inPart verdict = "reproduced in part"
)

func holds(yes bool) verdict {
	if yes {
		return reproduced
	}
	return notReproduced
}

// A statement is a claim in words, with what its number means.
type statement struct {
	ID, Text, Number string
}

// The limits of the claims.
const (
	onAPar     = 3    // ratio of gaps
	smallShare = 0.5  // of n p numbers
	nearOrder  = 0.8  // of the proven exponent
	sameGap    = 1e-9 // that counts as the optimum
	alike      = 10   // ratio of gaps to a prototype's
	// floorShare of the objective at zero is the least gap that ratios tell apart.
	floorShare = 1e-6
	// target is the gap to which seconds are compared.
	target = 1e-3
	// sameTest is the ratio of test losses that counts as no worse.
	sameTest = 1.001
)

// ruleNames are the columns of the claims.
var ruleNames = map[paper.Rule]string{paper.Sampled: "on samples", paper.Whole: "on the half", paper.Automatic: "automatic", "": "any"}

// statements are the claims, in order.
var statements = []statement{
	{"1a", "Per pass, every stochastic method beats batch ADMM with a linearised x-step.", "largest gap of the paper's stochastic methods (" + strings.Join(stochastic(), ", ") + ", where they apply) over that of batch ADMM, at the last pass; below 1 reproduces, a method that failed does not"},
	{"1b", "Per pass, every stochastic method beats batch ADMM with an exact x-step, an iteration counted as one pass as the paper does.", "as in 1a"},
	{"1c", "The same, every gradient and Hessian product over the data counted as a pass.", "as in 1a, for the better of batch ADMM with an assembled Hessian and with conjugate gradients, whose last iteration ends where the passes do"},
	{"1d", "In seconds, every stochastic method of the paper beats batch ADMM with an exact x-step.", fmt.Sprintf("time to a gap of %g of the slowest over that of batch ADMM, the faster of an assembled Hessian (up to %d features) and conjugate gradients; below 1 reproduces", target, baseline.MaxFactored)},
	{"1e", "In seconds, SCAS-ADMM beats batch ADMM with an exact x-step.", "as in 1d"},
	{"2a", "SCAS-ADMM beats STOC-ADMM: last outer iterate against average.", "gap of SCAS over that of STOC, at the last pass; below 1 reproduces"},
	{"2b", "SCAS-ADMM beats STOC-ADMM: average against average.", "as in 2a"},
	{"2c", "SA-ADMM beats STOC-ADMM: last iterate against average.", "gap of SA over that of STOC, at the last pass; below 1 reproduces"},
	{"2d", "In seconds, SCAS-ADMM beats STOC-ADMM: last outer iterate against average.", fmt.Sprintf("time to a gap of %g of SCAS over that of STOC; below 1 reproduces", target)},
	{"3a", fmt.Sprintf("SCAS-ADMM is on a par with SA-ADMM, at most %d times its gap: last iterates.", onAPar), fmt.Sprintf("gap of SCAS over that of SA, at the last pass; at most %d reproduces", onAPar)},
	{"3b", fmt.Sprintf("SCAS-ADMM is on a par with SA-ADMM, at most %d times its gap: averages.", onAPar), "as in 3a"},
	{"3c", fmt.Sprintf("In seconds, SCAS-ADMM is on a par with SA-ADMM, at most %d times as many: last iterates.", onAPar), fmt.Sprintf("time to a gap of %g of SCAS over that of SA; at most %d reproduces", target, onAPar)},
	{"4a", "SCAS-ADMM needs no memory of order n p: as the solver runs it.", fmt.Sprintf("measured bytes of the live heap beside the data over 8 n p; below %g reproduces. The solver may keep a rotated copy of the data for speed", smallShare)},
	{"4b", "SCAS-ADMM needs no memory of order n p: rotation of the data forbidden.", "as in 4a"},
	{"5", "The objective falls at least in the proven order of the iterations.", fmt.Sprintf("fitted exponent of the gap over the last two thirds of the passes; at least %g of the proven one reproduces", nearOrder)},
	{"6", "Theorem bounds lie above the measured curves where their conditions hold.", "largest ratio of measured to bound; at most 1 reproduces"},
	{"7", "Every method reaches the same optimum, each as far as its rate allows.", fmt.Sprintf("gap after all passes; below that at 10 passes and below the gap at the start over T^order, T being outer iterations, or passes where the order counts samples, or below %g, reproduces", sameGap)},
	{"8", fmt.Sprintf("Gaps at 10 and 30 passes are those of independent prototypes in another language, or at most %d times as large.", alike), fmt.Sprintf("gap at the last of the two passes run, over that of the prototype; at most %d reproduces", alike)},
	{"9a", "On the test half SCAS-ADMM is no worse than STOC-ADMM: last outer iterate against average.", fmt.Sprintf("mean test loss of SCAS over that of STOC, at the last pass; at most %g, %.2g %% higher, reproduces", sameTest, 100*(sameTest-1))},
	{"9b", "On the test half SCAS-ADMM is no worse than STOC-ADMM: averages.", "as in 9a"},
	{"9c", "On the test half SCAS-ADMM is no worse than SA-ADMM: last iterates.", fmt.Sprintf("as in 9a, over that of SA; at most %g reproduces", sameTest)},
}

// claims puts the statements about the data sets to the records; the theorems'
// bounds are measured by themselves.
func claims(all []*problem) []claim {
	var out []claim
	for _, p := range all {
		switch {
		case !p.begun:
		case p.Whole:
			for _, rule := range paper.Rules() {
				out = append(out, sameOptimum(p.under(rule))...)
			}
		default:
			out = append(out, memory(p)...)
			for _, rule := range paper.Rules() {
				q := p.under(rule)
				out = slices.Concat(out, againstBatch(q), againstEachOther(q), inSeconds(q), onTest(q), fittedRates(q), againstPrototypes(q))
			}
		}
	}
	return out
}

// claim makes a claim about p.
func (p *problem) claim(id string, number float64, is verdict, format string, args ...any) claim {
	return claim{ID: id, Data: p.Name, Mu: p.mu, Rule: p.rule, Number: number, Measured: fmt.Sprintf(format, args...), Verdict: is, Unfloored: is}
}

// about says which curve a claim is about.
func (c claim) about(m paper.Method, o paper.Output) claim {
	c.About = fmt.Sprintf("%s, %s", m, o)
	return c
}

// claimsCSV writes claims as CSV.
func claimsCSV(all []claim) string {
	records := [][]string{{"claim", "data", "mu", "tuned", "verdict", "verdict_without_floor", "number", "measured", "statement"}}
	for _, c := range all {
		text := ""
		for _, s := range statements {
			if s.ID == c.ID {
				text = s.Text
			}
		}
		records = append(records, []string{
			c.ID, c.Data, strconv.FormatFloat(c.Mu, 'g', -1, 64), ruleNames[c.Rule], string(c.Verdict), string(c.Unfloored),
			strconv.FormatFloat(c.Number, 'g', 6, 64), c.Measured, text,
		})
	}
	return csvText(records)
}

// An outcome is a statement with all claims of it.
type outcome struct {
	statement
	Claims []claim
	Of     int
	Rules  []share // one per rule; one alone where nothing depends on it
	Why    string  // of what is not reproduced, what the columns and other figures show
	// Sweeps are those of the cases that fail.
	Sweeps []sweepRef
}

// A share is how an outcome fared under one rule.
type share struct {
	Rule           paper.Rule
	Held, Of, Open int // Open are undecided
	Bare           int // held without the floor
	Low, High      float64
	Overall        verdict
}

// outcomes sums up the claims, statement by statement.
func outcomes(all []claim, of []*problem) []outcome {
	var out []outcome
	for _, s := range statements {
		o := outcome{statement: s}
		for _, c := range all {
			if c.ID == s.ID {
				o.Claims = append(o.Claims, c)
			}
		}
		o.Of = len(o.Claims)
		for _, rule := range append(paper.Rules(), "") {
			if one := shareOf(o.Claims, rule); one.Of > 0 {
				o.Rules = append(o.Rules, one)
			}
		}
		o.Why = strings.TrimSpace(o.why() + " " + evidence(o, of))
		o.Sweeps = sweepsOf(o, of)
		out = append(out, o)
	}
	return out
}

// shareOf sums up the claims under a rule.
func shareOf(all []claim, rule paper.Rule) share {
	s := share{Rule: rule, Overall: undecided, Low: math.Inf(1), High: math.Inf(-1)}
	for _, c := range all {
		if c.Rule != rule {
			continue
		}
		s.Of++
		switch c.Verdict {
		case reproduced:
			s.Held++
		case undecided:
			s.Open++
		}
		if c.Unfloored == reproduced {
			s.Bare++
		}
		if c.Verdict != undecided && c.Number > 0 {
			s.Low, s.High = min(s.Low, c.Number), max(s.High, c.Number)
		}
	}
	switch {
	case s.Of == 0:
	case s.Held == s.Of:
		s.Overall = reproduced
	case s.Held > 0:
		s.Overall = inPart
	case s.Open < s.Of:
		s.Overall = notReproduced
	}
	return s
}

// Failed is how many of the cases were decided against the statement.
func (s share) Failed() int { return s.Of - s.Held - s.Open }
