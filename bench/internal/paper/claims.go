package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Claim is a statement of the paper, or about it, put to one problem.
type Claim struct {
	ID   string // number in the list of Statements, with a letter for variants
	Data string
	Mu   float64
	// Number is the figure that decides, Measured what it was made from.
	Number   float64
	Measured string
	Verdict  Verdict
}

// A Verdict says how a claim fared.
type Verdict string

const (
	Reproduced    Verdict = "reproduced"
	NotReproduced Verdict = "not reproduced"
	Undecided     Verdict = "undecided"
	// InPart is of a statement that holds in some cases and fails in others.
	InPart Verdict = "reproduced in part"
)

func verdict(holds bool) Verdict {
	if holds {
		return Reproduced
	}
	return NotReproduced
}

// A Statement is a claim in words, with what its number means.
type Statement struct {
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

// Statements are the claims, in order.
var Statements = []Statement{
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

// Claims puts the statements about the data sets to the results; the theorems'
// bounds are measured by themselves.
func (r *Results) Claims() []Claim {
	var all []Claim
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.mus(s) {
			v := view{r, s, mu}
			if !r.begun(s, mu) {
				continue
			}
			if s.Whole {
				all = append(all, v.sameOptimum()...)
				continue
			}
			all = append(all, v.againstBatch()...)
			all = append(all, v.againstEachOther()...)
			all = append(all, v.memory()...)
			all = append(all, v.fittedRates()...)
			all = append(all, v.againstPrototypes()...)
		}
	}
	return all
}

// A view is the results on one problem.
type view struct {
	*Results
	Spec
	mu float64
}

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
func (v view) end(m solver.Method, o Output, x axis) (l level, ok bool) {
	l.gap = math.NaN()
	units, failed, beyond := 0, 0, 0
	for _, split := range v.splits(v.Name, v.mu) {
		u := v.Store.Unit(Key{v.Name, v.mu, m, split})
		if u == nil {
			continue
		}
		if units++; u.Failed != "" {
			failed++
		}
		if u.Edge != "" {
			beyond++
		}
	}
	c, drawn := v.curve(v.Name, v.mu, m, gapOf(o), x)
	switch c = c.Until(v.Protocol.Passes); {
	case units == 0:
		return l, false
	case failed > 0:
		l.remark = fmt.Sprintf("failed in %d of %d splits", failed, units)
	case !drawn || len(c.X) < 2:
		l.remark = "no iteration ends within the passes"
	default:
		l.gap = math.Max(c.Mean[len(c.Mean)-1], gapFloor)
		if beyond > 0 {
			l.remark = fmt.Sprintf("tuned beyond the grid in %d of %d", beyond, units)
		}
	}
	return l, true
}

// gapText writes a gap for people.
func gapText(gap float64) string {
	if gap <= gapFloor {
		return fmt.Sprintf("below %.0e", gapFloor)
	}
	return fmt.Sprintf("%.2g", gap)
}

func (v view) claim(id string, number float64, is Verdict, measured string) Claim {
	return Claim{ID: id, Data: v.Name, Mu: v.mu, Number: number, Measured: measured, Verdict: is}
}

// compare makes a claim of how the gap of one method stands to that of another:
// their ratio is at most the limit. It is undecided where one is unknown and where
// rounding hides both.
func (v view) compare(id string, low, high level, limit float64, measured string) Claim {
	switch {
	case !low.known() || !high.known():
		return v.claim(id, 0, Undecided, measured)
	case low.gap == gapFloor && high.gap == gapFloor && limit < 1:
		return v.claim(id, 1, Undecided, measured)
	}
	ratio := low.gap / high.gap
	return v.claim(id, ratio, verdict(ratio <= limit), measured)
}

// better is the limit of compare for a gap that must be smaller.
var better = math.Nextafter(1, 0)

// againstBatch is claim 1. A stochastic method that failed is worse than any.
func (v view) againstBatch() []Claim {
	worst, name, count := level{gap: 0}, solver.Method(""), 0
	for _, m := range v.Protocol.Methods {
		t := traitsOf(m)
		if t.Group != Compared || t.Batch || !applies(m, v.mu) {
			continue
		}
		l, ok := v.end(m, t.Output, byPasses)
		if !ok {
			continue
		}
		if count++; worst.known() && !(l.gap <= worst.gap) {
			worst, name = l, m
		}
	}
	var out []Claim
	for _, c := range []struct {
		id string
		m  solver.Method
		x  axis
	}{{"1a", solver.BatchLinear, byPaper}, {"1b", solver.Batch, byPaper}, {"1c", solver.Batch, byPasses}} {
		l, ok := v.end(c.m, Last, c.x)
		if !ok || count == 0 {
			continue
		}
		measured := fmt.Sprintf("worst of %d: %s %s; %s %s", count, name, worst, c.m, l)
		one := v.compare(c.id, worst, l, better, measured)
		if !worst.known() {
			one.Verdict = NotReproduced
		}
		out = append(out, one)
	}
	return out
}

// againstEachOther is claims 2 and 3.
func (v view) againstEachOther() []Claim {
	sa := solver.SA
	if _, ok := v.end(sa, Last, byPasses); !ok {
		sa = solver.SAIU
	}
	var out []Claim
	for _, c := range []struct {
		id           string
		first, other solver.Method
		of, against  Output
		limit        float64
	}{
		{"2a", solver.SCAS, solver.STOC, Last, Average, better},
		{"2b", solver.SCAS, solver.STOC, Average, Average, better},
		{"2c", sa, solver.STOC, Last, Average, better},
		{"3a", solver.SCAS, sa, Last, Last, onAPar},
		{"3b", solver.SCAS, sa, Average, Average, onAPar},
	} {
		a, ok := v.end(c.first, c.of, byPasses)
		b, too := v.end(c.other, c.against, byPasses)
		if ok && too {
			out = append(out, v.compare(c.id, a, b, c.limit, fmt.Sprintf("%s %s %s; %s %s %s", c.first, c.of, a, c.other, c.against, b)))
		}
	}
	return out
}

// memory is claim 4.
func (v view) memory() []Claim {
	f := v.Store.Facts(v.Name)
	if f == nil {
		return nil
	}
	n, p := float64(f.Rows)/2, float64(f.Features)
	numbers := 4*p + 2*float64(f.RowsOfA) + n
	return []Claim{v.claim("4", numbers/(n*p), verdict(numbers/(n*p) < smallShare), fmt.Sprintf("%.3g numbers; n p is %.3g", numbers, n*p))}
}

// fittedRates is claim 5.
func (v view) fittedRates() []Claim {
	var out []Claim
	for _, m := range v.Protocol.Methods {
		t := traitsOf(m)
		order := t.order(v.mu)
		if order == 0 || math.IsInf(order, 1) {
			continue // nothing proven, or no power to compare with
		}
		o := t.Output
		if m == solver.SCAS || m == solver.SCASStrong {
			o = Average // what the theorems speak of
		}
		l, ok := v.end(m, o, byPaper)
		if !ok {
			continue
		}
		c, _ := v.curve(v.Name, v.mu, m, gapOf(o), byPaper)
		switch fitted := c.Until(v.Protocol.Passes).rate(); {
		case !math.IsNaN(fitted) && l.known():
			out = append(out, v.claim("5", fitted, verdict(fitted >= nearOrder*order), fmt.Sprintf("%s, %s: T^%.2f, proven T^-%.3g of %s", m, o, -fitted, order, t.Counts)))
		case l.known() && l.gap <= visibleGap:
			out = append(out, v.claim("5", order, Reproduced, fmt.Sprintf("%s, %s: below what rounding lets be seen", m, o)))
		default:
			out = append(out, v.claim("5", 0, Undecided, fmt.Sprintf("%s, %s: %s, too few points for a fit", m, o, l)))
		}
	}
	return out
}

// order returns the proven exponent.
func (t traits) order(mu float64) float64 {
	if mu > 0 {
		return t.Order[1]
	}
	return t.Order[0]
}

// sameOptimum is claim 7.
func (v view) sameOptimum() []Claim {
	var out []Claim
	for _, m := range v.Protocol.Methods {
		t := traitsOf(m)
		u := v.Store.Unit(Key{v.Name, v.mu, m, 0})
		if u == nil {
			continue
		}
		c, ok := v.curve(v.Name, v.mu, m, gapOf(t.Output), byPasses)
		if !ok {
			out = append(out, v.claim("7", 0, NotReproduced, fmt.Sprintf("%s: %s", m, u.Failed)))
			continue
		}
		order := t.order(v.mu)
		if order == 0 || math.IsInf(order, 1) {
			order = 1
		}
		end := u.Points[len(u.Points)-1]
		steps, cost := end.Passes, fmt.Sprintf("%.4g passes", end.Passes)
		if t.Counts != samples {
			steps = float64(end.Outer)
		}
		if end.Paper != end.Passes {
			cost = fmt.Sprintf("%.4g passes as the paper counts, %.4g honest ones", end.Paper, end.Passes)
		}
		last := math.Max(c.End(end.Passes), gapFloor)
		early, _ := c.At(10)
		allowed := math.Max(sameGap, c.Mean[0]*math.Pow(steps, -order))
		falls := last <= sameGap || last < early
		out = append(out, v.claim("7", last, verdict(last <= allowed && falls), fmt.Sprintf("%s: %s at 10 passes, %s after %s; %.2g allowed", m, gapText(early), gapText(last), cost, allowed)))
	}
	return out
}

// WriteClaims writes claims as CSV.
func WriteClaims(w io.Writer, claims []Claim) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"claim", "data", "mu", "verdict", "number", "measured", "statement"}) // kept until Error
	for _, c := range claims {
		text := ""
		for _, s := range Statements {
			if s.ID == c.ID {
				text = s.Text
			}
		}
		_ = out.Write([]string{
			c.ID, c.Data, strconv.FormatFloat(c.Mu, 'g', -1, 64), string(c.Verdict),
			strconv.FormatFloat(c.Number, 'g', 6, 64), c.Measured, text,
		})
	}
	out.Flush()
	return out.Error()
}
