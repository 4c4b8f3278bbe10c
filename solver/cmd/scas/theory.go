package main

import (
	"fmt"

	"github.com/scas-admm/scas/solver"
)

// conditionFacts are one inequality of Theorem 2 at the parameters of the run.
type conditionFacts struct {
	Name      string `json:"name"` // C1, C2, C3, and C2', C3', C4' of the relaxed version
	Statement string `json:"statement"`
	Left      number `json:"left"`
	Right     number `json:"right"`
	Holds     bool   `json:"holds"`
	text      string
}

// theory checks the conditions of Theorem 2, as printed and relaxed. It is about
// the methods of the paper; others have none.
func (r *trainReport) theory() {
	if r.info.Theorem == 0 {
		return
	}
	steps := max(1, r.InnerSteps/max(1, r.BatchSize))
	collect := func(conditions []solver.Condition) (facts []conditionFacts) {
		for _, c := range conditions {
			facts = append(facts, conditionFacts{c.Name, c.Statement, number(c.Left), number(c.Right), c.Holds(), c.String()})
		}
		return facts
	}
	r.Theorem2 = collect(r.Constants.Theorem2(r.Eta, r.Rho, steps))
	r.Theorem2Relaxed = collect(r.Constants.Theorem2Relaxed(r.Eta, r.Rho, steps))
}

// constantsTable shows the constants of the paper's assumptions and what follows
// from them.
func (r *trainReport) constantsTable() facts {
	var f facts
	c := r.Constants
	f.gap()
	f.add("constants", "nu_f %.6g, mu_f %.6g, nu_L %.6g", c.NuF, c.MuF, c.NuL)
	f.add("A'A", "lambda_1 %.6g, lambda_p %.6g", c.Lambda1, c.LambdaP)
	f.add("D", "%s", orUnknown(c.Diameter, "the domain is not bounded"))
	f.add("radius", "%s", orUnknown(c.Radius, "no bound on the optimum is known"))
	if r.GradientNorm > 0 {
		f.add("G_t", "%.6g at the last snapshot", r.GradientNorm)
	}
	for _, t := range []struct {
		name       string
		conditions []conditionFacts
	}{{"Theorem 2", r.Theorem2}, {"relaxed", r.Theorem2Relaxed}} {
		for k, c := range t.conditions {
			name := t.name
			if k > 0 {
				name = ""
			}
			f.add(name, "%s", c.text)
		}
	}
	switch {
	case r.Theorem2 == nil:
		f.add("Theorem 2", "is about %s and %s", solver.SCAS{}.Info().Name, solver.SCASStrong{}.Info().Name)
	case c.MuF == 0:
		f.add("", "they ask for strong convexity: --mu above 0")
	}
	return f
}

func orUnknown(v float64, unknown string) string {
	if v == 0 {
		return unknown
	}
	return fmt.Sprintf("%.6g", v)
}
