package main

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/theory"
)

// A conditionReport is an inequality of Theorem 2, evaluated at the parameters of the run.
type conditionReport struct {
	Name      string `json:"name"` // C1, C2, C3; in the relaxed version C2', C3', C4'
	Statement string `json:"statement"`
	LeftSide  number `json:"left"`
	RightSide number `json:"right"`
	Holds     bool   `json:"holds"`
	text      string // theory.Condition.String: the condition, both sides, and whether it holds
}

// checkTheorem2 checks the conditions of Theorem 2, as printed in the paper and in the weaker form of
// theory.Constants.Theorem2Relaxed. It does nothing if the paper has no theorem about the method.
func (r *columnFit) checkTheorem2() {
	if r.methodInfo().Theorem == 0 {
		return
	}
	run := &r.Run
	steps := max(1, run.InnerSteps/max(1, run.BatchSize))
	collect := func(conditions []theory.Condition) (out []conditionReport) {
		for _, c := range conditions {
			out = append(out,
				conditionReport{c.Name, c.Statement, number(c.Left), number(c.Right), c.Holds(), c.String()})
		}
		return out
	}
	r.Theorem2 = collect(run.Constants.Theorem2(run.Eta, run.Rho, steps))
	r.Theorem2Relaxed = collect(run.Constants.Theorem2Relaxed(run.Eta, run.Rho, steps))
}

func (r *columnFit) addConstants(f *summary) {
	c := r.Run.Constants
	if c == (theory.Constants{}) {
		return // for Newton steps, no constants are computed
	}
	formatOr := func(v float64, unknown string) string {
		if v == 0 {
			return unknown
		}
		return fmt.Sprintf("%.6g", v)
	}
	f.addBlank()
	f.add("constants", "nu_f %.6g, mu_f %.6g, nu_L %s", c.NuF, c.MuF, formatOr(c.NuL, "none"))
	f.add("A'A", "lambda_1 %.6g, lambda_p %.6g", c.Lambda1, c.LambdaP)
	f.add("D", "%s", formatOr(c.Diameter, "the domain is not bounded"))
	f.add("radius", "%s", formatOr(c.Radius, "no bound on the optimum is known"))
	f.addIf(r.Run.GradientNorm > 0, "G_t", "%.6g at the last snapshot", r.Run.GradientNorm)
	names := map[int]string{0: "Theorem 2", len(r.Theorem2): "relaxed"}
	for k, c := range slices.Concat(r.Theorem2, r.Theorem2Relaxed) {
		f.add(names[k], "%s", c.text)
	}
	if r.Theorem2 == nil {
		f.add("Theorem 2", "is about %s and %s", solver.SCAS{}.Info().Name, solver.SCASStrong{}.Info().Name)
	} else {
		f.addIf(c.MuF == 0, "", "they ask for strong convexity: --mu above 0")
	}
}
