package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Row is one of Table 1 as measured: a method on a problem.
type Row struct {
	Info solver.MethodInfo
	Data string
	Mu   float64

	Bytes, PerPass, Setup float64 // live heap beside the data, ns, seconds; NaN if not measured
	Rate                  float64 // fitted exponent of the gap, NaN if there is none
	Output                Output
	Gap10, GapEnd         float64 // means over the splits
	TestEnd               float64 // at the last iterate
	TestAverage           float64 // at the average
	Unit                  *Unit   // of the first split
	Edges, Halved, Failed int     // splits whose choice lies beyond the grid, diverged first, failed
	Plan                  string
	// FirstPasses is what the first iteration of an exact batch method costs in
	// honest passes; its gaps are in the paper's count.
	FirstPasses float64
}

// Table1 measures every method on every problem.
func (r *Results) Table1() []Row {
	var rows []Row
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.mus(s) {
			for _, info := range infos() {
				if row, ok := r.tableRow(info, s, mu); ok {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

func (r *Results) tableRow(info solver.MethodInfo, s Spec, mu float64) (Row, bool) {
	nan := math.NaN()
	row := Row{Info: info, Data: s.Name, Mu: mu, Output: traitsOf(info.Name).Output, Bytes: nan, PerPass: nan, Setup: nan, Rate: nan, Gap10: nan, GapEnd: nan, TestEnd: nan}
	if row.Unit = r.Store.Unit(Key{s.Name, mu, info.Name, 0}); row.Unit == nil {
		return row, false
	}
	count := 0.0
	for _, split := range r.splits(s.Name, mu) {
		u := r.Store.Unit(Key{s.Name, mu, info.Name, split})
		if u == nil {
			continue
		}
		if u.Edge != "" {
			row.Edges++
		}
		if u.Halved > 0 {
			row.Halved++
		}
		if u.Failed != "" {
			row.Failed++
			continue
		}
		count++
		row.TestAverage += (u.TestAverage - row.TestAverage) / count
	}
	if t := r.Timings.Get(Key{s.Name, mu, info.Name, 0}); t != nil {
		row.Bytes, row.PerPass, row.Setup, row.Plan = t.Bytes, t.PerPass, t.Setup, t.Plan
	}
	limit := r.Protocol.Passes
	if s.Whole {
		limit = max(limit, wholePasses)
	}
	if c, ok := r.curve(s.Name, mu, info.Name, gapOf(row.Output), byPaper); ok {
		c = c.Until(limit)
		row.Rate, row.GapEnd = c.rate(), c.End(limit)
		if v, ok := c.At(10); ok {
			row.Gap10 = v
		}
	}
	if c, ok := r.curve(s.Name, mu, info.Name, testLast, byPaper); ok {
		row.TestEnd = c.End(limit)
	}
	if end := len(row.Unit.Points); info.Name == solver.Batch && end > 1 {
		row.FirstPasses = row.Unit.Points[1].Passes
	}
	return row, true
}

// tableColumns are those of table1.csv.
var tableColumns = []string{
	"data", "mu", "method", "proven_rate", "t_counts", "numbers_beside_data", "measured_bytes", "ns_per_pass", "setup_seconds", "plan",
	"curve_of", "fitted_exponent", "gap_at_10", "gap_at_end", "test_loss_last", "test_loss_average",
	"eta_split0", "rho_split0", "step_split0", "rho_over_lambda_split0", "splits_beyond_grid", "splits_halved", "splits_failed", "reference",
}

// WriteTable writes Table 1 as CSV. Numbers that were not measured are empty.
func WriteTable(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	_ = out.Write(tableColumns) // kept until Error
	num := func(v float64, digits int) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	for _, r := range rows {
		u := r.Unit
		_ = out.Write([]string{
			r.Data, num(r.Mu, -1), string(r.Info.Name), r.Info.Rate, traitsOf(r.Info.Name).Counts, r.Info.Memory, num(r.Bytes, 12), num(r.PerPass, 6), num(r.Setup, 4), r.Plan,
			string(r.Output), num(r.Rate, 4), num(r.Gap10, 6), num(r.GapEnd, 6), num(r.TestEnd, 8), num(r.TestAverage, 8),
			num(u.Eta, 6), num(u.Rho, 6), num(u.Step, 6), num(u.Penalty, 6), fmt.Sprint(r.Edges), fmt.Sprint(r.Halved), fmt.Sprint(r.Failed), r.Info.Reference,
		})
	}
	out.Flush()
	return out.Error()
}
