package report

import (
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// The methods that claims, figures and notes single out. All others are treated
// alike.
var (
	scas        = nameOf(solver.SCAS{})
	scasStrong  = nameOf(solver.SCASStrong{})
	scasK       = nameOf(solver.SCASK{})
	scasL       = nameOf(solver.SCASL{})
	stoc        = nameOf(baseline.STOC{})
	sa          = nameOf(baseline.SA{})
	saIU        = nameOf(baseline.SAIU{})
	sag         = nameOf(baseline.SAG{})
	sagIU       = nameOf(baseline.SAGIU{})
	batch       = nameOf(baseline.Batch{})
	batchCG     = nameOf(baseline.BatchCG{})
	batchLinear = nameOf(baseline.BatchLinear{})
)

// nameOf returns the name under which a method's records are kept.
func nameOf(m solver.Method) paper.Method { return m.Info().Name }

// A trace is a line of a figure.
type trace struct {
	name   string
	method paper.Method
	output paper.Output
	x      axis
	bold   bool
	rule   paper.Rule // empty means that of the problem
	// only says on which axis the line makes sense; empty means both.
	only string
}

// The axes of figures.
const (
	overPasses  = "passes"
	overSeconds = "seconds"
)

// scasOn returns the algorithm of the paper for a problem: the second where the
// objective is strongly convex.
func scasOn(p *problem) paper.Method {
	if p.mu > 0 && slices.Contains(p.Protocol.Methods, scasStrong) {
		return scasStrong
	}
	return scas
}

// traces returns the lines of a figure: SCAS-ADMM first, so that it has the same
// colour everywhere.
func traces(p *problem, kind string) []trace {
	if kind == "paper" {
		return paperTraces(p)
	}
	first := scasOn(p)
	t := []trace{
		{name: first, method: first, output: paper.Last, x: byPasses, bold: true},
		{name: "scas-k (ours)", method: scasK, output: paper.Last, x: byPasses, bold: true},
	}
	one := func(m paper.Method) {
		line := trace{name: m, method: m, output: paper.TraitsOf(m).Output, x: byPasses}
		if line.output == paper.Average {
			line.name += ", average"
		}
		t = append(t, line)
	}
	add := func(ms ...solver.Method) {
		for _, m := range ms {
			one(nameOf(m))
		}
	}
	switch kind {
	case "main":
		t = append(t, trace{name: first + ", average", method: first, output: paper.Average, x: byPasses})
		if first != scas {
			t = append(t, trace{name: "scas (Algorithm 1)", method: scas, output: paper.Last, x: byPasses})
		}
		t = append(t, trace{name: "scas-k, automatic", method: scasK, output: paper.Last, x: byPasses, bold: true, rule: paper.Automatic})
		add(baseline.STOC{}, baseline.SA{}, baseline.SVRG{}, baseline.BatchLinear{})
		t = append(t, trace{name: "batch, paper's count", method: batch, output: paper.Last, x: byPaper, only: overPasses},
			trace{name: "batch, honest", method: batch, output: paper.Last, x: byBudget, only: overPasses},
			trace{name: "batch-cg, honest", method: batchCG, output: paper.Last, x: byBudget, only: overPasses},
			trace{name: "batch, exact", method: batch, output: paper.Last, x: byPasses, only: overSeconds},
			trace{name: "batch-cg, exact", method: batchCG, output: paper.Last, x: byPasses, only: overSeconds})
	case "predecessors":
		add(baseline.STOC{}, baseline.OADM{}, baseline.OPG{}, baseline.RDA{}, baseline.OS1{}, baseline.OS2{}, baseline.SA{}, baseline.SAIU{}, baseline.BatchLinear{}, baseline.BatchUzawa{})
	case "successors":
		for _, m := range p.Protocol.Methods {
			if paper.TraitsOf(m).Group == paper.Successors && m != scasK || m == scas && scasOn(p) != scas {
				one(m)
			}
		}
	}
	return slices.DeleteFunc(t, func(one trace) bool {
		return !slices.Contains(p.Protocol.Methods, one.method) || !paper.Applies(one.method, p.mu)
	})
}
