// Package report makes a page, tables and figures from the records of the experiments, and compares
// the claims of the paper with the measured values. Read Make first.
package report

import (
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A problem is a data set with one value of mu, and the records of its runs.
type problem struct {
	*paper.Records
	paper.Spec
	mu      float64
	rule    paper.Rule         // how parameters were chosen
	summary *paper.DataSummary // nil if the records have no summary of the data set
	// begun is true if the records have a run of the problem with the rule Sampled. In a copy that withRule
	// makes, a run with the new rule also suffices.
	begun bool
	// splits has the numbers of the splits on which all methods of the paper's figures were run with this
	// rule, and whose optimum is known. If no split meets these conditions, it has the numbers of all splits.
	// A split is a random division of the data into a training half and a test half.
	splits []int
}

func (p *problem) label() string {
	if p.summary != nil && !p.summary.Original {
		return p.Name + " (stand-in)"
	}
	return p.Name
}

// problems returns the problems of the records' protocol, with the rule Sampled.
func problems(r *paper.Records) []*problem {
	var out []*problem
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.Mus {
			p := &problem{Records: r, Spec: s, mu: mu, rule: paper.Sampled, summary: r.Summary(s.Name)}
			p.findSplits()
			out = append(out, p)
		}
	}
	return out
}

func (p *problem) findSplits() {
	has := func(k paper.Key) bool { return p.TunedRun(k) != nil }
	lacks := func(k paper.Key) bool { return !has(k) }
	var allSplits []int
	p.splits = nil
	for split := range p.Protocol.Splits {
		keys := slices.DeleteFunc(p.Protocol.Keys(p.Spec, split), func(k paper.Key) bool { return k.Mu != p.mu || k.Rule != p.rule })
		p.begun = p.begun || slices.ContainsFunc(keys, has)
		allSplits = append(allSplits, split)
		keys = slices.DeleteFunc(keys, func(k paper.Key) bool { return !p.Protocol.Traits(k.Method).InFigures })
		if len(keys) > 0 && !slices.ContainsFunc(keys, lacks) && p.optimum(split) != nil {
			p.splits = append(p.splits, split)
		}
	}
	if p.splits == nil {
		p.splits = allSplits
	}
}

func (p *problem) withRule(rule paper.Rule) *problem {
	q := *p
	q.rule = rule
	q.findSplits()
	return &q
}

func (p *problem) key(m paper.Method, output paper.Output, split int) paper.Key {
	return paper.Key{Data: p.Name, Mu: p.mu, Method: m, Split: split, Rule: p.rule, Output: output}
}

// runOf returns the run of a method whose parameters were chosen for the given output, or nil if the records
// do not have this run. For a method without this output it returns the run for the method's first output.
func (p *problem) runOf(m paper.Method, output paper.Output, split int) *paper.TunedRun {
	if t := p.Protocol.Traits(m); !slices.Contains(t.Outputs, output) {
		output = t.Output()
	}
	return p.TunedRun(p.key(m, output, split))
}

func (p *problem) splitsOf(m paper.Method, output paper.Output) []int {
	return slices.DeleteFunc(slices.Clone(p.splits), func(split int) bool { return p.runOf(m, output, split) == nil })
}

func (p *problem) withSplits(splits []int) *problem {
	q := *p
	q.splits = splits
	return &q
}

// commonSplits returns the splits that are in all nonempty lists. It returns nil if all lists are empty.
func commonSplits(lists [][]int) (splits []int) {
	lists = slices.DeleteFunc(lists, func(l []int) bool { return len(l) == 0 })
	if len(lists) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(lists[0]), func(split int) bool {
		return slices.ContainsFunc(lists, func(l []int) bool { return !slices.Contains(l, split) })
	})
}

func (p *problem) timing(m paper.Method, split int) *paper.Timing {
	return p.Timing(p.Protocol.TimedKey(p.key(m, "", split)))
}

func (p *problem) optimum(split int) *paper.Optimum { return p.Optimum(p.Name, p.mu, split) }

// splitCounts has numbers of splits for one method.
type splitCounts struct {
	Runs    int // splits on which the method was run
	Open    int // splits on which a step size or rho that was not tried may be better
	Halved  int // splits on which the step size was halved because the run diverged
	Failed  int // splits on which the run failed
	Clamped int // splits on which a negative weight in the average of the iterates was set to zero
}

func countsOf(p *problem, m paper.Method, output paper.Output) (t splitCounts) {
	add := func(count *int, holds bool) {
		if holds {
			*count++
		}
	}
	for _, split := range p.splits {
		u := p.runOf(m, output, split)
		if u == nil {
			continue
		}
		t.Runs++
		add(&t.Open, u.MayImprove())
		add(&t.Halved, u.Halvings > 0)
		add(&t.Failed, u.Failed != "")
		add(&t.Clamped, u.Clamped)
	}
	return t
}
