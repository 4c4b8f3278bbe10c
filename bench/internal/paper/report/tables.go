package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver/theory"
)

// A row is a row of our version of the paper's Table 1: the measured values of one method on one problem,
// either for the last iterates or for the averages. Numbers that are unknown are NaN.
type row struct {
	paper.Traits
	counts
	Splits   int                    // number of splits of the problem
	FirstRun *paper.TunedRun        // the run on split 0
	Timing   paper.Timing           // timing on split 0
	Rate     float64                // fitted exponent of the gap; see rate
	Gap10    float64                // gap after 10 passes, as a mean over the splits
	GapEnd   map[paper.Rule]float64 // gap at the end, for each rule
	TestEnd  float64                // mean loss on the test half at the end
	// FirstPasses is the number of passes in the first iteration of an exact batch method, and 0 for other
	// methods. Gap10 and GapEnd of an exact batch method count each iteration as one pass.
	FirstPasses float64
}

// table1 returns the rows of a problem: one for each method and output with a run on split 0.
func (p *problem) table1() (rows []row) {
	nan := math.NaN()
	for _, t := range p.methods {
		for _, output := range t.Outputs {
			l := line{method: t.Info.Name, output: output, rule: paper.Sampled, axis: byPaper}
			u := p.run(l, 0)
			if u == nil {
				continue
			}
			splits := p.commonSplits(l)
			c := p.upToBudget(l, splits, gap)
			r := row{
				Traits: t, counts: p.countsOf(l, splits), Splits: p.splitCount, FirstRun: u,
				Timing: paper.Timing{Bytes: nan, PerPass: nan, Setup: nan},
				Rate:   rate(c.X, c.Y), Gap10: nan, GapEnd: map[paper.Rule]float64{},
			}
			timing := p.timing(t.Info.Name, 0)
			if timing != nil {
				r.Timing = *timing
			}
			logGap, ok := interpolate(c.X, logarithms(c.Y), 10)
			if ok {
				r.Gap10 = math.Exp(logGap)
			}
			r.TestEnd = last(p.upToBudget(l, splits, testLoss).Y)
			for _, l.rule = range paper.Rules() {
				r.GapEnd[l.rule] = last(p.upToBudget(l, p.commonSplits(l), gap).Y)
			}
			if t.Info.PaperPass && len(u.Points) > 1 {
				r.FirstPasses = u.Points[1].Passes
			}
			rows = append(rows, r)
		}
	}
	return rows
}

var tableColumns = []string{
	"data", "mu", "method", "proven_rate", "t_counts", "numbers_beside_data", "measured_bytes", "ns_per_pass",
	"setup_seconds", "plan",
	"curve_of", "fitted_exponent", "gap_at_10", "gap_at_end", "gap_at_end_tuned_on_half",
	"gap_at_end_automatic", "test_loss",
	"eta_split0", "rho_split0", "step_split0", "rho_over_lambda_split0", "splits_open", "splits_halved",
	"splits_clamped", "splits_failed", "reference",
}

// tableCSV returns Table 1 as CSV. Values that were not measured are empty.
func tableCSV(rows []row) string {
	records, num := [][]string{tableColumns}, csvNumber
	for _, r := range rows {
		u, t := r.FirstRun, r.Timing
		records = append(records, []string{
			u.Data, num(u.Mu, -1), u.Method, r.Info.Rate, r.Counts, r.Info.Memory, num(t.Bytes, 12),
			num(t.PerPass, 6), num(t.Setup, 4), t.Plan,
			string(u.Output), num(r.Rate, 4), num(r.Gap10, 6), num(r.GapEnd[paper.Sampled], 6),
			num(r.GapEnd[paper.OnHalf], 6), num(r.GapEnd[paper.Automatic], 6), num(r.TestEnd, 8),
			num(u.Eta, 6), num(u.Rho, 6), num(u.Step, 6), num(u.Penalty, 6), fmt.Sprint(r.Open),
			fmt.Sprint(r.Halved), fmt.Sprint(r.Clamped), fmt.Sprint(r.Failed), r.Info.Reference,
		})
	}
	return output.CSV(records)
}

// An optimumRange summarises the optima of a problem over the splits.
type optimumRange struct {
	Data          string
	Mu, Low, High float64
	Gap           float64 // largest error of a known optimum
	By            string  // how the optimum of the last split was computed, in words
	Splits        int
}

func optima(problems []*problem) (ranges []optimumRange) {
	for _, p := range problems {
		o := optimumRange{Data: p.Name, Mu: p.mu, Low: math.Inf(1), High: math.Inf(-1)}
		for split := range p.splitCount {
			optimum := p.optimum(split)
			if optimum != nil {
				o.Splits, o.By = o.Splits+1, optimum.ComputedBy
				o.Low, o.High, o.Gap = min(o.Low, optimum.Objective), max(o.High, optimum.Objective),
					max(o.Gap, optimum.Gap)
			}
		}
		if o.Splits > 0 {
			ranges = append(ranges, o)
		}
	}
	return ranges
}

// A printedCondition has the rho of Algorithm 2 on one problem, and a limit: condition C2 of Theorem 2, as
// printed in the paper, can hold only if rho is below Limit.
type printedCondition struct {
	*paper.DataSummary
	Mu, Limit float64
	Rho       float64 // rho chosen on split 0
	// Inner is the number of inner steps of theory.Constants.Theorem2Steps, which satisfies all conditions of
	// Theorem2Relaxed, divided by the number of training samples.
	Inner float64
}

func printedConditions(problems []*problem) (conditions []printedCondition) {
	for _, p := range problems {
		u := p.run(line{method: scasStrong, output: paper.Last, rule: paper.Sampled}, 0)
		if p.mu == 0 || u == nil {
			continue
		}
		c := theory.Constants{MuF: p.mu, NuF: p.NuF + p.mu, NuL: p.NuF + p.mu + u.Rho*p.Lambda1}
		_, innerSteps := c.Theorem2Steps()
		conditions = append(conditions, printedCondition{
			DataSummary: p.DataSummary, Mu: p.mu, Limit: p.mu / (p.Lambda1 - p.LambdaP), Rho: u.Rho,
			Inner: float64(innerSteps) / (float64(p.Rows) / 2),
		})
	}
	return conditions
}

// A memoryNote has the memory, the speed and the final gap of one run.
type memoryNote struct {
	*paper.Timing
	Whole float64 // 8 n p: the bytes of n iterates, one for each training sample
	Gap   float64
}

// memoryNotes returns the notes of split 0, for the smallest mu with timings of each data set.
func memoryNotes(problems []*problem) (notes []memoryNote) {
	for _, p := range problems {
		if p.timing(scas, 0) == nil ||
			slices.ContainsFunc(notes, func(n memoryNote) bool { return n.Data == p.Name }) {
			continue
		}
		for _, m := range []paper.Method{scas, scasL, sa, saIU, sag, sagIU} {
			for t := p.timing(m, 0); t != nil; t = t.Unrotated {
				notes = append(notes,
					memoryNote{
						t, 8 * float64(p.Rows/2) * float64(p.Features), excess(t.Objective, p.optimum(0)),
					})
			}
		}
	}
	return notes
}
