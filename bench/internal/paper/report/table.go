package report

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// A row is a row of our version of the paper's Table 1: the measured values of one method on one problem,
// either for the last iterates or for the averages.
type row struct {
	paper.Timing // timing on the first split; if nothing was timed, Bytes, PerPass and Setup are NaN
	paper.Traits

	FirstRun *paper.TunedRun // the run on the first split
	splitCounts
	Splits int // number of splits in problem.splits

	Rate          float64      // fitted exponent of the gap, see rate; NaN if there is none
	Curve         paper.Output // whether the values are for the last iterate or for the average
	Gap10, GapEnd float64      // gaps after 10 passes and at the end, as means over the splits
	// GapOnHalf and GapAuto are the gaps at the end under the rules paper.OnHalf and paper.Automatic.
	GapOnHalf, GapAuto float64
	TestEnd            float64 // mean loss on the test half at the end
	// FirstPasses is the number of passes in the first iteration of an exact batch method, and 0 for other
	// methods. Gap10 and GapEnd of an exact batch method count each iteration as one pass.
	FirstPasses float64
}

// table1 returns the rows of a problem: one for each method and output with a run on the first split.
func table1(p *problem) []row {
	var rows []row
	for _, t := range methodsOf(&p.Protocol) {
		for _, curveOutput := range t.Outputs {
			if u := p.runOf(t.Info.Name, curveOutput, 0); u != nil {
				rows = append(rows, newRow(p, t, u))
			}
		}
	}
	return rows
}

func newRow(p *problem, t paper.Traits, u *paper.TunedRun) row {
	nan, m, curveOutput := math.NaN(), t.Info.Name, u.Output
	r := row{Traits: t, FirstRun: u, splitCounts: countsOf(p, m, curveOutput), Splits: len(p.splits), Curve: curveOutput, Rate: nan, Gap10: nan, TestEnd: nan}
	r.Timing = paper.Timing{Key: u.Key, Bytes: nan, PerPass: nan, Setup: nan}
	if timing := p.timing(m, 0); timing != nil {
		r.Timing = *timing
	}
	budget := p.Protocol.Passes
	metricCurve := func(p *problem, value metric) curve {
		c, _ := curveOf(p, m, curveOutput, value, byPaper)
		return c.truncateAt(budget)
	}
	c := metricCurve(p, gap)
	r.Rate, r.GapEnd = rate(c.x, c.mean), c.lastMean()
	if v, ok := c.valueAt(10); ok {
		r.Gap10 = v
	}
	r.GapOnHalf, r.GapAuto = metricCurve(p.withRule(paper.OnHalf), gap).lastMean(), metricCurve(p.withRule(paper.Automatic), gap).lastMean()
	r.TestEnd = metricCurve(p, testLoss).lastMean()
	if t.Info.PaperPass && len(u.Points) > 1 {
		r.FirstPasses = u.Points[1].Passes
	}
	return r
}

var tableColumns = []string{
	"data", "mu", "method", "proven_rate", "t_counts", "numbers_beside_data", "measured_bytes", "ns_per_pass", "setup_seconds", "plan",
	"curve_of", "fitted_exponent", "gap_at_10", "gap_at_end", "gap_at_end_tuned_on_half", "gap_at_end_automatic", "test_loss",
	"eta_split0", "rho_split0", "step_split0", "rho_over_lambda_split0", "splits_open", "splits_halved", "splits_clamped", "splits_failed", "reference",
}

// tableCSV returns Table 1 as CSV. Values that were not measured are empty.
func tableCSV(rows []row) string {
	records, num := [][]string{tableColumns}, csvNumber
	for _, r := range rows {
		u := r.FirstRun
		records = append(records, []string{
			r.Data, num(r.Mu, -1), r.Info.Name, r.Info.Rate, r.Counts, r.Info.Memory, num(r.Bytes, 12), num(r.PerPass, 6), num(r.Setup, 4), r.Plan,
			string(r.Curve), num(r.Rate, 4), num(r.Gap10, 6), num(r.GapEnd, 6), num(r.GapOnHalf, 6), num(r.GapAuto, 6), num(r.TestEnd, 8),
			num(u.Eta, 6), num(u.Rho, 6), num(u.Step, 6), num(u.Penalty, 6), fmt.Sprint(r.Open), fmt.Sprint(r.Halved), fmt.Sprint(r.Clamped), fmt.Sprint(r.Failed), r.Info.Reference,
		})
	}
	return output.CSV(records)
}
