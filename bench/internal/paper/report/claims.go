package report

import (
	"fmt"
	"slices"
	"strconv"
)

// A claim is a statement of the paper, or about it, put to one problem.
type claim struct {
	ID   string // number in the list of statements, with a letter for variants
	Data string
	Mu   float64
	// Number is the figure that decides, Measured what it was made from.
	Number   float64
	Measured string
	Verdict  verdict
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
)

// statements are the claims, in order.
var statements = []statement{
	{"1a", "Per pass, every stochastic method beats batch ADMM with a linearised x-step.", "largest gap of the paper's stochastic methods over that of batch ADMM, at the last pass; below 1 reproduces, a method that failed does not"},
	{"1b", "Per pass, every stochastic method beats batch ADMM with an exact x-step, an iteration counted as one pass as the paper does.", "as in 1a"},
	{"1c", "The same, every gradient and Hessian product over the data counted as a pass.", "as in 1a"},
	{"2a", "SCAS-ADMM beats STOC-ADMM: last outer iterate against average.", "gap of SCAS over that of STOC, at the last pass; below 1 reproduces"},
	{"2b", "SCAS-ADMM beats STOC-ADMM: average against average.", "as in 2a"},
	{"2c", "SA-ADMM beats STOC-ADMM: last iterate against average.", "gap of SA over that of STOC, at the last pass; below 1 reproduces"},
	{"3a", "SCAS-ADMM is on a par with SA-ADMM: last iterates.", fmt.Sprintf("gap of SCAS over that of SA, at the last pass; at most %d reproduces", onAPar)},
	{"3b", "SCAS-ADMM is on a par with SA-ADMM: averages.", "as in 3a"},
	{"4", "SCAS-ADMM needs no memory of order n p.", fmt.Sprintf("numbers that the algorithm keeps beside the data, 4p + 2l + n, over n p; below %g reproduces. What the solver keeps, which may rotate the data for speed, is measured in Table 1", smallShare)},
	{"5", "The objective falls at least in the proven order of the iterations.", fmt.Sprintf("fitted exponent of the gap over the last two thirds of the passes; at least %g of the proven one reproduces", nearOrder)},
	{"6", "Theorem bounds lie above the measured curves where their conditions hold.", "largest ratio of measured to bound; at most 1 reproduces"},
	{"7", "Every method reaches the same optimum, each as far as its rate allows.", fmt.Sprintf("gap after all passes; below that at 10 passes and below the gap at the start over T^order, T being outer iterations, or passes where the order counts samples, or below %g, reproduces", sameGap)},
	{"8", "Gaps at 10 and 30 passes are those of independent prototypes in another language.", fmt.Sprintf("gap at the last of the two passes run, over that of the prototype; at most %d reproduces", alike)},
}

// claims puts the statements about the data sets to the records; the theorems'
// bounds are measured by themselves.
func claims(all []*problem) []claim {
	var out []claim
	for _, p := range all {
		switch {
		case !p.begun:
		case p.Whole:
			out = append(out, sameOptimum(p)...)
		default:
			out = slices.Concat(out, againstBatch(p), againstEachOther(p), memory(p), fittedRates(p), againstPrototypes(p))
		}
	}
	return out
}

// claim makes a claim about p.
func (p *problem) claim(id string, number float64, is verdict, format string, args ...any) claim {
	return claim{ID: id, Data: p.Name, Mu: p.mu, Number: number, Measured: fmt.Sprintf(format, args...), Verdict: is}
}

// claimsCSV writes claims as CSV.
func claimsCSV(all []claim) string {
	records := [][]string{{"claim", "data", "mu", "verdict", "number", "measured", "statement"}}
	for _, c := range all {
		text := ""
		for _, s := range statements {
			if s.ID == c.ID {
				text = s.Text
			}
		}
		records = append(records, []string{
			c.ID, c.Data, strconv.FormatFloat(c.Mu, 'g', -1, 64), string(c.Verdict),
			strconv.FormatFloat(c.Number, 'g', 6, 64), c.Measured, text,
		})
	}
	return csvText(records)
}

// An outcome is a statement with all claims of it.
type outcome struct {
	statement
	Claims   []claim
	Held, Of int
	Open     int // undecided
	Overall  verdict
}

// outcomes sums up the claims, statement by statement.
func outcomes(all []claim) []outcome {
	var out []outcome
	for _, s := range statements {
		o := outcome{statement: s, Overall: undecided}
		for _, c := range all {
			if c.ID == s.ID {
				o.Claims = append(o.Claims, c)
			}
		}
		o.Of, o.Held, o.Open = len(o.Claims), count(o.Claims, reproduced), count(o.Claims, undecided)
		switch {
		case o.Of == 0:
		case o.Held == o.Of:
			o.Overall = reproduced
		case o.Held > 0:
			o.Overall = inPart
		case o.Open < o.Of:
			o.Overall = notReproduced
		}
		out = append(out, o)
	}
	return out
}

func count(all []claim, is verdict) int {
	n := 0
	for _, c := range all {
		if c.Verdict == is {
			n++
		}
	}
	return n
}
