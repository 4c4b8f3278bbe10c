package report

import (
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver"
)

// The methods that claims, figures and notes single out. All others are treated
// alike.
const (
	scas        = solver.SCAS
	scasStrong  = solver.SCASStrong
	scasK       = solver.SCASK
	scasKAuto   = paper.Method("scas-k-auto")
	scasL       = solver.SCASL
	stoc        = solver.STOC
	sa          = solver.SA
	saIU        = solver.SAIU
	sag         = solver.SAG
	sagIU       = solver.SAGIU
	batch       = solver.Batch
	batchLinear = solver.BatchLinear
)

// A trace is a line of a figure.
type trace struct {
	name   string
	method paper.Method
	output paper.Output
	x      axis
	bold   bool
	// only says on which axis the line makes sense; empty means both.
	only string
}

// The axes of figures.
const (
	overPasses  = "passes"
	overSeconds = "seconds"
)

// traces returns the lines of a figure: SCAS-ADMM first, so that it has the same
// colour everywhere.
func traces(p *problem, kind string) []trace {
	t := []trace{
		{name: "scas", method: scas, output: paper.Last, x: byPasses, bold: true},
		{name: "scas-k (ours)", method: scasK, output: paper.Last, x: byPasses, bold: true},
	}
	add := func(ms ...paper.Method) {
		for _, m := range ms {
			one := trace{name: string(m), method: m, output: paper.TraitsOf(m).Output, x: byPasses}
			if one.output == paper.Average {
				one.name += ", average"
			}
			t = append(t, one)
		}
	}
	switch kind {
	case "main":
		t = append(t, trace{name: "scas, average", method: scas, output: paper.Average, x: byPasses},
			trace{name: "scas-k, automatic", method: scasKAuto, output: paper.Last, x: byPasses, bold: true})
		add("stoc", "sa", "svrg", "batch-linear")
		t = append(t, trace{name: "batch, paper's count", method: batch, output: paper.Last, x: byPaper, only: overPasses},
			trace{name: "batch, honest", method: batch, output: paper.Last, x: byPasses, only: overPasses},
			trace{name: "batch, exact", method: batch, output: paper.Last, x: byPasses, only: overSeconds})
	case "predecessors":
		add("stoc", "oadm", "opg", "rda", "os1", "os2", "sa", "sa-iu", "batch-linear", "batch-uzawa")
	case "successors":
		for _, m := range p.Protocol.Methods {
			if paper.TraitsOf(m).Group == paper.Successors && m != scasK || m == scasStrong {
				add(m)
			}
		}
	}
	return slices.DeleteFunc(t, func(one trace) bool {
		return !slices.Contains(p.Protocol.Methods, one.method) || !paper.Applies(one.method, p.mu)
	})
}
