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

// prototypes are gaps at 10 and 30 passes of throw-away NumPy programs on half of
// a9a (one split, the published graph), each method tuned for its gap at 30
// passes: an independent account of what the methods can do. A zero means below
// 1e-15.
var prototypes = []struct {
	method solver.Method
	output paper.Output
	mu     float64
	gap    [2]float64
}{
	{baseline.BatchLinear{}, paper.Last, 0, [2]float64{6.2e-2, 2.9e-2}},
	{baseline.STOC{}, paper.Average, 0, [2]float64{1.6e-3, 7.5e-4}},
	{baseline.OPG{}, paper.Average, 0, [2]float64{1.7e-3, 8.5e-4}},
	{baseline.RDA{}, paper.Average, 0, [2]float64{1.8e-3, 1.0e-3}},
	{baseline.OADM{}, paper.Average, 0, [2]float64{2.0e-3, 9.7e-4}},
	{baseline.SAIU{}, paper.Last, 0, [2]float64{1.5e-3, 6.4e-4}},
	{baseline.SAGIU{}, paper.Last, 0, [2]float64{1.1e-3, 3.6e-6}},
	{solver.SCAS{}, paper.Average, 0, [2]float64{2.7e-3, 5.4e-4}},
	{solver.SCAS{}, paper.Last, 0, [2]float64{1.8e-4, 2.8e-5}},
	{solver.SCASL{}, paper.Last, 0, [2]float64{3.8e-4, 9.2e-5}},
	{baseline.SVRG{}, paper.Last, 0, [2]float64{9.1e-5, 3.9e-6}},
	{baseline.ASVRG{}, paper.Last, 0, [2]float64{1.3e-4, 2.0e-5}},
	{baseline.PDFP{}, paper.Last, 0, [2]float64{7.9e-3, 1.7e-6}},
	{baseline.STOC{}, paper.Average, 1e-2, [2]float64{7.4e-5, 2.1e-5}},
	{baseline.OS1{}, paper.Average, 1e-2, [2]float64{9.3e-5, 2.5e-5}},
	{baseline.RDA{}, paper.Average, 1e-2, [2]float64{14e-5, 3.1e-5}},
	{solver.SCAS{}, paper.Average, 1e-2, [2]float64{1.4e-4, 1.6e-5}},
	{solver.SCAS{}, paper.Last, 1e-2, [2]float64{1.0e-5, 4.6e-8}},
	{solver.SCASStrong{}, paper.Last, 1e-2, [2]float64{1.2e-5, 4.8e-8}},
	{solver.SCASL{}, paper.Last, 1e-2, [2]float64{3.9e-6, 5.3e-8}},
	{baseline.SAIU{}, paper.Last, 1e-2, [2]float64{1.4e-8, 0}},
	{baseline.SAGIU{}, paper.Last, 1e-2, [2]float64{3.7e-8, 0}},
	{baseline.SVRG{}, paper.Last, 1e-2, [2]float64{8e-14, 0}},
	{baseline.ASVRG{}, paper.Last, 1e-2, [2]float64{2.5e-8, 1.1e-9}},
	{baseline.PDFP{}, paper.Last, 1e-2, [2]float64{1.3e-4, 0}},
	{baseline.STOC{}, paper.Average, 1e-4, [2]float64{6.3e-4, 2.2e-4}},
	{solver.SCAS{}, paper.Last, 1e-4, [2]float64{1.7e-5, 2.8e-6}},
	{baseline.SAIU{}, paper.Last, 1e-4, [2]float64{3.9e-4, 3.9e-5}},
	{baseline.SAGIU{}, paper.Last, 1e-4, [2]float64{1.1e-4, 2.9e-10}},
	{baseline.SVRG{}, paper.Last, 1e-4, [2]float64{1.9e-7, 1.3e-14}},
	{baseline.PDFP{}, paper.Last, 1e-4, [2]float64{8e-5, 1e-11}},
}
