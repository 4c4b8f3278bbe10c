package report

import (
	"cmp"
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// Names of the methods that claims, figures and notes refer to.
var (
	scas        = solver.SCAS{}.Info().Name
	scasStrong  = solver.SCASStrong{}.Info().Name
	scasK       = solver.SCASK{}.Info().Name
	scasL       = solver.SCASL{}.Info().Name
	stoc        = baseline.STOC{}.Info().Name
	oadm        = baseline.OADM{}.Info().Name
	opg         = baseline.OPG{}.Info().Name
	rda         = baseline.RDA{}.Info().Name
	os1         = baseline.OS1{}.Info().Name
	os2         = baseline.OS2{}.Info().Name
	sa          = baseline.SA{}.Info().Name
	saIU        = baseline.SAIU{}.Info().Name
	sag         = baseline.SAG{}.Info().Name
	sagIU       = baseline.SAGIU{}.Info().Name
	svrg        = baseline.SVRG{}.Info().Name
	batch       = baseline.Batch{}.Info().Name
	batchCG     = baseline.BatchCG{}.Info().Name
	batchLinear = baseline.BatchLinear{}.Info().Name
	batchUzawa  = baseline.BatchUzawa{}.Info().Name
)

// scasOn returns the algorithm of the paper for the problem: Algorithm 2 if mu > 0 and the protocol
// has Algorithm 2, otherwise Algorithm 1.
func scasOn(p *problem) paper.Method {
	if p.mu > 0 && slices.Contains(p.Protocol.Methods, scasStrong) {
		return scasStrong
	}
	return scas
}

// A trace describes a line of a figure.
type trace struct {
	name   string
	method paper.Method
	output paper.Output
	x      axis // the horizontal axis over passes, such as byPaper or byBudget
	bold   bool
	dashed bool       // whether this is the second line of its method
	rule   paper.Rule // rule for choosing parameters; empty means the problem's rule
	// With passesOnly, the line is only in charts over passes; with secondsOnly, only in charts over seconds.
	passesOnly, secondsOnly bool
	endOnly                 bool // only the last point of the line is drawn, as a mark
}

func (t trace) problem(p *problem) *problem {
	if t.rule == "" {
		return p
	}
	return p.withRule(t.rule)
}

// overviewKind is the panel.kind of the small charts in Figures 1 and 2.
const overviewKind = "paper"

// seriesNumber returns the number that selects the colour and the mark of a method in all figures. The
// algorithm that scasOn returns has the number of scas. The paper's other algorithm has the number of
// scasStrong.
func (p *problem) seriesNumber(m paper.Method) int {
	switch m {
	case scasOn(p):
		m = scas
	case scas:
		m = scasStrong
	}
	methods := p.Protocol.AllTraits()
	priority := func(t paper.Traits) int {
		switch {
		case t.InFigures:
			return 0
		case t.Info.Name == scasK: // numbered next, because all panels except the small charts show scas-k
			return 1
		case t.Group == paper.Compared:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(methods, func(a, b paper.Traits) int { return cmp.Compare(priority(a), priority(b)) })
	return slices.IndexFunc(methods, func(t paper.Traits) bool { return t.Info.Name == m })
}

// traces returns the lines of a figure of the given kind for a problem.
func traces(p *problem, kind string) (t []trace) {
	ourMethod := scasOn(p)
	line := func(name string, m paper.Method, output paper.Output) trace {
		traits := p.Protocol.Traits(m)
		return trace{name: name, method: m, output: output, x: byPasses, dashed: output != traits.Output()}
	}
	// lines returns a line for each method: of its last iterate or its average, as Traits.Output says.
	lines := func(methods ...paper.Method) (list []trace) {
		for _, m := range methods {
			name, traits := m, p.Protocol.Traits(m)
			if traits.Output() == paper.Average {
				name += ", average"
			}
			list = append(list, line(name, m, traits.Output()))
		}
		return list
	}
	if kind == overviewKind {
		t = []trace{
			line("SCAS-ADMM, last", ourMethod, paper.Last), line("SCAS-ADMM, average", ourMethod, paper.Average), line("STOC-ADMM, average", stoc, paper.Average),
			line("SA-ADMM, last", sa, paper.Last), line("batch, linearised", batchLinear, paper.Last), {name: "batch, exact", method: batch, output: paper.Last, x: byPaper},
		}
		t[0].bold = true
		return t
	}
	t = []trace{line(ourMethod, ourMethod, paper.Last), line("scas-k (ours)", scasK, paper.Last)}
	t[0].bold, t[1].bold = true, true
	switch kind {
	case "main":
		t = append(t, line(ourMethod+", average", ourMethod, paper.Average))
		if ourMethod != scas {
			t = append(t, line("scas (Algorithm 1)", scas, paper.Last))
		}
		t = append(t, trace{name: "scas-k, automatic", method: scasK, output: paper.Last, x: byPasses, dashed: true, rule: paper.Automatic})
		t = append(t, lines(stoc, sa, svrg, batchLinear)...)
		t = append(t,
			trace{name: "batch, paper's count", method: batch, output: paper.Last, x: byPaper, passesOnly: true},
			// The first iteration of the next two methods takes most of the passes, so their lines would have few
			// points. Only the last point of each line is drawn.
			trace{name: "batch, all passes", method: batch, output: paper.Last, x: byBudget, passesOnly: true, endOnly: true},
			trace{name: "batch-cg, all passes", method: batchCG, output: paper.Last, x: byBudget, passesOnly: true, endOnly: true},
			trace{name: "batch, exact", method: batch, output: paper.Last, x: byPasses, secondsOnly: true},
			trace{name: "batch-cg, exact", method: batchCG, output: paper.Last, x: byPasses, secondsOnly: true})
	case "predecessors":
		t = append(t, lines(stoc, oadm, opg, rda, os1, os2, sa, saIU, batchLinear, batchUzawa)...)
	case "successors":
		for _, m := range p.Protocol.Methods {
			successor := p.Protocol.Traits(m).Group == paper.Successors && m != scasK
			if successor || m == scas && ourMethod != scas {
				t = append(t, lines(m)...)
			}
		}
	}
	return slices.DeleteFunc(t, func(tr trace) bool {
		traits := p.Protocol.Traits(tr.method)
		return !slices.Contains(p.Protocol.Methods, tr.method) || !traits.Applies(p.mu)
	})
}
