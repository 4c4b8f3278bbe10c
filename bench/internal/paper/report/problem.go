// Package report makes a page, tables and figures from the records of the experiments, and compares
// the claims of the paper with the measured values. Read Make first.
package report

import (
	"maps"
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/chart"
)

// Names of the methods that claims, figures and tables refer to.
var (
	scas        = solver.SCAS{}.Info().Name
	scasStrong  = solver.SCASStrong{}.Info().Name
	scasK       = solver.SCASK{}.Info().Name
	scasL       = solver.SCASL{}.Info().Name
	stoc        = baseline.STOC{}.Info().Name
	sa          = baseline.SA{}.Info().Name
	saIU        = baseline.SAIU{}.Info().Name
	sag         = baseline.SAG{}.Info().Name
	sagIU       = baseline.SAGIU{}.Info().Name
	svrg        = baseline.SVRG{}.Info().Name
	batch       = baseline.Batch{}.Info().Name
	batchCG     = baseline.BatchCG{}.Info().Name
	batchLinear = baseline.BatchLinear{}.Info().Name
)

// A problem is a data set with one value of mu, and the records of its runs.
type problem struct {
	*paper.Records
	*paper.DataSummary
	mu         float64
	methods    []paper.Traits // the methods of all records
	splitCount int            // 1 + the largest number of a split with a run
}

// A line selects runs for a curve in a figure, for one side of a claim or for a row of a table: the runs of
// one method, one for each split. The runs have the parameters that the rule chose for the output, and are
// evaluated at this output.
type line struct {
	method paper.Method
	output paper.Output
	rule   paper.Rule
	axis   axis
	style  chart.Line // name and style of the curve in a figure
}

// problems returns the problems that have runs, in the order of data sets and mu.
func problems(r *paper.Records) (list []*problem) {
	methods := r.Methods()
	for _, name := range slices.Sorted(maps.Keys(r.Summaries)) {
		splitCounts := map[float64]int{} // by mu
		for k := range r.Runs {
			if k.Data == name {
				splitCounts[k.Mu] = max(splitCounts[k.Mu], k.Split+1)
			}
		}
		for _, mu := range slices.Sorted(maps.Keys(splitCounts)) {
			list = append(list, &problem{r, r.Summaries[name], mu, methods, splitCounts[mu]})
		}
	}
	return list
}

func (p *problem) label() string {
	if !p.Original {
		return p.Name + " (stand-in)"
	}
	return p.Name
}

// run returns the run of l on a split, or nil if the records do not have it.
func (p *problem) run(l line, split int) *paper.TunedRun {
	return p.Runs[paper.Key{
		Data: p.Name, Mu: p.mu, Method: l.method, Split: split, Rule: l.rule, Output: l.output,
	}]
}

func (p *problem) optimum(split int) *paper.Optimum {
	return p.Optima[paper.Key{Data: p.Name, Mu: p.mu, Split: split}]
}

func (p *problem) timing(m paper.Method, split int) *paper.Timing {
	return p.Timings[p.Protocol.TimedKey(paper.Key{Data: p.Name, Mu: p.mu, Method: m, Split: split})]
}

// commonSplits returns the splits with a known optimum on which all lines have a run. It ignores lines
// without any run.
func (p *problem) commonSplits(lines ...line) (splits []int) {
	var made []line
	for _, l := range lines {
		for split := range p.splitCount {
			if p.run(l, split) != nil {
				made = append(made, l)
				break
			}
		}
	}
	for split := range p.splitCount {
		lacks := func(l line) bool { return p.run(l, split) == nil }
		if made != nil && p.optimum(split) != nil && !slices.ContainsFunc(made, lacks) {
			splits = append(splits, split)
		}
	}
	return splits
}

// counts has numbers of splits.
type counts struct {
	Runs    int // splits on which the method was run
	Open    int // splits on which a step size or rho that was not tried may be better
	Halved  int // splits on which the step size was halved because the run diverged
	Failed  int // splits on which the run failed
	Clamped int // splits on which a negative weight in the average of the iterates was set to zero
}

func (p *problem) countsOf(l line, splits []int) (c counts) {
	add := func(count *int, holds bool) {
		if holds {
			*count++
		}
	}
	for _, split := range splits {
		u := p.run(l, split)
		if u != nil {
			c.Runs++
			add(&c.Open, u.MayImprove())
			add(&c.Halved, u.Halvings > 0)
			add(&c.Failed, u.Failed != "")
			add(&c.Clamped, u.Clamped)
		}
	}
	return c
}

// scasOn returns the algorithm of the paper for the problem: Algorithm 2 if mu > 0 and the records have runs
// of Algorithm 2, otherwise Algorithm 1.
func (p *problem) scasOn() paper.Method {
	if p.mu > 0 &&
		slices.ContainsFunc(p.methods, func(t paper.Traits) bool { return t.Info.Name == scasStrong }) {
		return scasStrong
	}
	return scas
}
