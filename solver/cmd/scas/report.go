package main

import (
	"fmt"
	"path/filepath"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A trainReport is what scas train --json prints; the table for people shows
// the same.
type trainReport struct {
	Method    solver.Method `json:"method"`
	Status    solver.Status `json:"status"`
	Objective number        `json:"objective"`
	Loss      number        `json:"loss"`
	Penalty   number        `json:"penalty"` // lambda |A x|_1
	Ridge     number        `json:"ridge"`   // (mu/2)|x|^2

	Passes          float64 `json:"passes"`
	Seconds         float64 `json:"seconds"`
	SetupSeconds    float64 `json:"setup_seconds"` // of Seconds
	ReadSeconds     float64 `json:"read_seconds"`  // before Seconds
	OuterIterations int     `json:"outer_iterations"`
	InnerSteps      int     `json:"inner_steps"`

	N    int   `json:"n"`
	P    int   `json:"p"`
	NNZ  int64 `json:"nnz"`
	NNZX int   `json:"nnz_x"`

	PrimalResidual number  `json:"primal_residual"` // of the last iterate
	DualResidual   number  `json:"dual_residual"`
	DualityGap     *number `json:"duality_gap"` // null where it is not known

	Lambda      float64    `json:"lambda"`
	Mu          float64    `json:"mu"`
	LossName    string     `json:"loss_name"`
	Graph       graphFacts `json:"graph"`
	DualUpdates int        `json:"dual_updates"`
	Eta         float64    `json:"eta"`
	Rho         float64    `json:"rho"`
	Halvings    int        `json:"step_halvings"`
	Seed        uint64     `json:"seed"`
	Output      string     `json:"output"`
	Rounded     bool       `json:"rounded"`

	Constants solver.Constants `json:"constants"`
	Plan      string           `json:"plan"`
	PlanWhy   string           `json:"plan_reason"`
	Level     string           `json:"level"`
	Version   string           `json:"scas_version"`
	Model     string           `json:"model,omitempty"` // the file written

	model *model
	cmd   *trainCmd
	data  *sparse.Dataset
}

// newTrainReport collects what the run found, and the model it gives.
func newTrainReport(c *trainCmd, data *sparse.Dataset, gf graphFacts, res *solver.Result) *trainReport {
	n, p := data.X.Dims()
	x, at := res.X, res.At
	if c.Output == "average" {
		x, at = res.XAverage, res.AtAverage
	}
	st := res.Stats
	r := &trainReport{
		Method: st.Method, Status: res.Status,
		Objective: number(at.Objective), Loss: number(at.Loss), Penalty: number(at.Penalty),
		Ridge:  number(at.Objective - at.Loss - at.Penalty),
		Passes: st.Passes, Seconds: st.Seconds, SetupSeconds: st.SetupSeconds,
		OuterIterations: st.OuterIterations, InnerSteps: st.InnerSteps,
		N: n, P: p, NNZ: data.X.NNZ(), NNZX: nonZeros(x),
		PrimalResidual: number(res.PrimalResidual), DualResidual: number(res.DualResidual),
		Lambda: float64(c.Lambda), Mu: float64(c.Mu), LossName: c.Loss, Graph: gf,
		DualUpdates: st.DualUpdates, Eta: st.Eta, Rho: st.Rho, Halvings: st.StepHalvings,
		Seed: c.Seed, Output: c.Output, Rounded: st.Rounded && c.Output == "last",
		Constants: st.Constants, Plan: st.Plan, PlanWhy: st.PlanReason, Level: activeLevel(), Version: version,
		cmd: c, data: data,
	}
	if c.Mu == 0 {
		r.Ridge = 0
	}
	if res.DualityGap >= 0 {
		gap := number(res.DualityGap)
		r.DualityGap = &gap
	}
	r.model = &model{Coefficients: x, modelHead: modelHead{
		Format: modelFormat, Version: version,
		Loss: c.Loss, Lambda: r.Lambda, Mu: r.Mu, Graph: gf, Domain: c.Domain.text,
		N: n, P: p, IndexBase: int(data.Stats.IndexBase - sparse.ZeroBased),
		Objective: at.Objective, Output: c.Output,
		Method: st.Method, DualUpdates: st.DualUpdates, Seed: c.Seed,
		Passes: st.Passes, OuterIterations: st.OuterIterations, Eta: st.Eta, Rho: st.Rho,
	}}
	if !data.Mapping.IsZero() {
		r.model.Labels = &data.Mapping
	}
	return r
}

func nonZeros(x []float64) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// print writes the report to standard output.
func (r *trainReport) print(e *env, asJSON bool) error {
	if asJSON {
		return printJSON(e.stdout, r)
	}
	return e.print(r.table())
}

func (r *trainReport) table() facts {
	c := r.cmd
	var f facts
	f.add("data", "%s: %s", dataName(c.Data), shape(r.data.X))
	if !r.data.Mapping.IsZero() {
		f.add("labels", "%s", labelCounts(r.data))
	}
	f.add("problem", "%s loss, lambda %g, mu %g%s", c.Loss, r.Lambda, r.Mu, withDomain(c.Domain))
	f.add("graph", "%s", r.Graph)
	f.add("method", "%s, %s per snapshot, seed %d", r.Method, plural(r.DualUpdates, "dual update"), r.Seed)
	f.add("", "eta %.4g%s, rho %.4g%s", r.Eta, autoMark(c.Eta), r.Rho, autoMark(c.Rho))
	if r.Halvings > 0 {
		f.add("", "eta was halved %s, because the objective rose", plural(r.Halvings, "time"))
	}
	f.add("run", "%s, %g passes, %s in %.3g s (reading %.3g s)", r.ending(), r.Passes,
		plural(r.OuterIterations, "outer iteration"), r.Seconds, r.ReadSeconds)
	f.add("kernels", "%s", r.Level)
	f.add("plan", "%s: %s", r.Plan, r.PlanWhy)
	f.gap()
	f.add("objective", "%.10g (%s iterate)", r.Objective, r.shown())
	f.add("loss", "%.10g", r.Loss)
	f.add("penalty", "%.10g", r.Penalty)
	if r.Mu > 0 {
		f.add("mu term", "%.10g", r.Ridge)
	}
	f.add("non-zeros", "%s of %s coefficients", grouped(r.NNZX), grouped(r.P))
	f.add("residuals", "primal %.3g, dual %.3g", r.PrimalResidual, r.DualResidual)
	if r.DualityGap != nil {
		f.add("gap", "at most %.3g above the optimum", *r.DualityGap)
	}
	if r.Model != "" {
		f.add("model", "written to %s", r.Model)
	}
	return f
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
	return fmt.Sprintf("%s is the positive class (%s), %s the negative (%s)",
		plainNumber(d.Mapping.Positive), plural(pos, "row"), plainNumber(d.Mapping.Negative), plural(len(d.Labels)-pos, "row"))
}

func withDomain(d domain) string {
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
