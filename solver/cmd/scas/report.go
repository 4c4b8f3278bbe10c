package main

import (
	"fmt"
	"path/filepath"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse"
)

// A trainReport is what scas train --json prints; the table for people shows
// the same.
type trainReport struct {
	solver.Stats
	Status    solver.Status `json:"status"`
	Objective number        `json:"objective"`
	Loss      number        `json:"loss"`
	Penalty   number        `json:"penalty"` // lambda |A x|_1, or what the flags make of it
	Ridge     number        `json:"ridge"`   // (mu/2)|x|^2

	PrimalResidual *number `json:"primal_residual"` // null for the average: they are of the last iterate
	DualResidual   *number `json:"dual_residual"`
	DualityGap     *number `json:"duality_gap"` // of the iterate reported; null where it is not known

	ReadSeconds float64 `json:"read_seconds"` // before Seconds
	NNZ         int64   `json:"nnz"`
	NNZX        int     `json:"nnz_x"`
	LossName    string  `json:"loss_name"`
	HuberDelta  float64 `json:"huber_delta,omitempty"`
	problemFacts
	Schedule string `json:"schedule"`
	Seed     uint64 `json:"seed"`
	Output   string `json:"output"`

	// With --verbose only.
	Theorem2        []conditionFacts `json:"theorem2,omitempty"`
	Theorem2Relaxed []conditionFacts `json:"theorem2_relaxed,omitempty"`

	Level   string `json:"level"`
	Peak    int64  `json:"peak_memory"` // of this process, in bytes; 0 if the system does not tell
	Version string `json:"scas_version"`
	Model   string `json:"model,omitempty"` // the file written

	model *model
	cmd   *trainCmd
	data  *sparse.Dataset
	info  solver.MethodInfo
}

// newTrainReport collects what the run found, and the model it gives.
func newTrainReport(c *trainCmd, t *task, res *solver.Result) *trainReport {
	x, at := res.X, res.At
	average := c.Output == "average" && res.Status != solver.Diverged
	if average {
		x, at = res.XAverage, res.AtAverage
	}
	m, _ := baseline.ByName(res.Stats.Method)
	r := &trainReport{
		Stats: res.Stats, Status: res.Status,
		Objective: number(at.Objective), Loss: number(at.Loss), Penalty: number(at.Penalty),
		Ridge: number(at.Objective - at.Loss - at.Penalty),
		NNZ:   t.Data.NNZ(), NNZX: nonZeros(x),
		LossName: c.Loss.String(), HuberDelta: c.Loss.huberDelta(), problemFacts: t.facts, Schedule: c.Schedule, Seed: c.Seed, Output: c.Output,
		Level: kernels.Active().String(), Peak: peakMemory(), Version: version,
		cmd: c, data: t.data, info: m.Info(),
	}
	r.Rounded = r.Rounded && c.Output == "last"
	if c.Verbose {
		r.theory()
	}
	if c.Mu == 0 {
		r.Ridge = 0
	}
	if !average {
		primal, dual := number(res.PrimalResidual), number(res.DualResidual)
		r.PrimalResidual, r.DualResidual = &primal, &dual
	}
	if res.DualityGap >= 0 {
		gap := number(gapOf(res, at))
		r.DualityGap = &gap
	}
	r.model = newModel(c, t, r, x, at.Objective)
	return r
}

// gapOf bounds the excess of an objective of the result over the optimum, given
// that the gap at the last iterate is known.
func gapOf(res *solver.Result, at solver.Evaluation) float64 {
	return max(0, at.Objective-res.At.Objective+res.DualityGap)
}

func nonZeros(x []float64) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

func (r *trainReport) table() facts {
	f := append(r.problemTable(), r.runTable()...)
	f.gap()
	f = append(f, r.resultTable()...)
	if r.cmd.Verbose {
		f = append(f, r.constantsTable()...)
	}
	return f
}

// problemTable says what was asked.
func (r *trainReport) problemTable() facts {
	c := r.cmd
	var f facts
	f.add("data", "%s: %s", dataName(c.Data), shape(r.data.X))
	if !r.data.Mapping.IsZero() {
		f.add("labels", "%s", labelCounts(r.data))
	}
	f.add("problem", "%s loss, lambda %g, mu %g%s", r.lossText(), r.Lambda, r.Mu, withDomain(c.Domain))
	switch {
	case r.Groups > 0:
		f.add("", "group lasso, %s of %s", plural(r.Groups, "group"), r.penaltyFacts.File)
	case r.L2Y > 0:
		f.add("", "elastic net, with (%g/2)|A x|^2 in the penalty", r.L2Y)
	}
	switch {
	case r.Classes != "":
		f.add("weights", "both classes count the same")
	case r.weightFacts.File != "":
		f.add("weights", "of %s", r.weightFacts.File)
	}
	f.add("graph", "%s", r.Graph)
	return f
}

// runTable says how it was done.
func (r *trainReport) runTable() facts {
	var f facts
	updates := ""
	if r.DualUpdates > 1 {
		updates = fmt.Sprintf(", %d dual updates per snapshot", r.DualUpdates)
	}
	if r.BatchSize > 1 {
		updates += fmt.Sprintf(", %d samples a step", r.BatchSize)
	}
	f.add("method", "%s%s, seed %d", r.Method, updates, r.Seed)
	if r.Schedule == string(solver.Practical) {
		f.add("", "%s, rho %.4g%s", r.etaText(), r.Rho, autoMark(r.cmd.Rho))
	} else {
		f.add("", "%s schedule, now eta %.4g, %s; rho %.4g%s", r.Schedule, r.Eta, plural(r.InnerSteps, "step"), r.Rho, autoMark(r.cmd.Rho))
	}
	if r.StepHalvings > 0 {
		f.add("", "eta was halved %s, because the objective rose", plural(r.StepHalvings, "time"))
	}
	f.add("run", "%s, %s, %s in %.3g s (reading %.3g s)", r.ending(), passCount(r.Passes),
		plural(r.OuterIterations, "outer iteration"), r.Seconds, r.ReadSeconds)
	if r.Plan != "" {
		f.add("plan", "%s: %s", r.Plan, r.PlanReason)
	}
	f.add("kernels", "%s, data as %s", r.Level, r.Storage)
	if r.Peak > 0 && r.cmd.Verbose {
		f.add("memory", "%s at most, reading included", byteCount(r.Peak))
	}
	return f
}

// resultTable says what was found.
func (r *trainReport) resultTable() facts {
	var f facts
	f.add("objective", "%.10g (%s iterate)", r.Objective, r.shown())
	f.add("loss", "%.10g", r.Loss)
	f.add("penalty", "%.10g", r.Penalty)
	if r.Mu > 0 {
		f.add("mu term", "%.10g", r.Ridge)
	}
	f.add("non-zeros", "%s of %s coefficients", grouped(r.NNZX), grouped(r.P))
	if r.PrimalResidual != nil {
		f.add("residuals", "primal %.3g, dual %.3g", *r.PrimalResidual, *r.DualResidual)
	}
	if r.DualityGap != nil {
		f.add("gap", "at most %.3g above the optimum", *r.DualityGap)
	}
	if r.Model != "" {
		f.add("model", "written to %s", r.Model)
	}
	return f
}

// etaText tells the step size.
func (r *trainReport) etaText() string {
	if !r.info.TakesEta {
		return "no step size"
	}
	return fmt.Sprintf("eta %.4g%s", r.Eta, autoMark(r.cmd.Eta))
}

// lossText names the loss with its parameter.
func (r *trainReport) lossText() string {
	if r.HuberDelta == 0 {
		return r.LossName
	}
	return fmt.Sprintf("%s:%g", r.LossName, r.HuberDelta)
}

// ending says how the run ended, in words.
func (r *trainReport) ending() string {
	switch r.Status {
	case solver.PassesDone:
		return "done"
	case solver.Diverged:
		return "diverged"
	}
	return string(r.Status)
}

// shown says which iterate the report is about.
func (r *trainReport) shown() string {
	if r.Status == solver.Diverged {
		return "best"
	}
	return r.Output
}

func dataName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// shape describes a matrix.
func shape(x *sparse.CSR) string {
	n, p := x.Dims()
	return fmt.Sprintf("%s, %s, %s (%.3g %%)", plural(n, "row"), plural(p, "feature"),
		plural(x.NNZ(), "entry"), 100*density(x))
}

// density is the share of stored entries.
func density(x *sparse.CSR) float64 {
	n, p := x.Dims()
	return float64(x.NNZ()) / max(1, float64(n)*float64(p))
}

// labelCounts tells the two classes and their sizes.
func labelCounts(d *sparse.Dataset) string {
	var pos int
	for _, b := range d.Labels {
		if b > 0 {
			pos++
		}
	}
	return fmt.Sprintf("%g is the positive class (%s), %g the negative (%s)",
		d.Mapping.Positive, plural(pos, "row"), d.Mapping.Negative, plural(len(d.Labels)-pos, "row"))
}

func withDomain(d domainFlag) string {
	if d.text == "" {
		return ""
	}
	return ", coefficients in " + d.text
}

func autoMark(v auto) string {
	if v == 0 {
		return " (auto)"
	}
	return ""
}

// String describes the graph for people.
func (g graphFacts) String() string {
	switch g.Kind {
	case "none":
		return "none: A = I, the plain lasso"
	case "chain":
		return fmt.Sprintf("chain of %s: A = [G; I] with %s", plural(g.Edges, "edge"), plural(g.Rows, "row"))
	case "edges":
		return fmt.Sprintf("%s, %s: A = [G; I] with %s", g.File, plural(g.Edges, "edge"), plural(g.Rows, "row"))
	}
	return fmt.Sprintf("%s, read as A itself: %s", g.File, plural(g.Rows, "row"))
}
