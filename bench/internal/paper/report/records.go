// Package report turns the records of the experiments into a page, tables,
// figures, and the paper's claims with their numbers.
package report

import (
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A problem is a data set with one coefficient of the L2 term, and the records of its runs.
type problem struct {
	*paper.Records
	paper.Spec
	mu      float64
	rule    paper.Rule         // how parameters were chosen
	summary *paper.DataSummary // nil if there are none
	begun   bool               // something was run
	// splits are the splits that all methods of the paper's figures were run on with this rule, so
	// that their curves are means over the same splits. Where there is none, splits are all.
	splits []int
}

// label returns the name of the data set, and says if it is a stand-in.
func (p *problem) label() string {
	if p.summary != nil && !p.summary.Original {
		return p.Name + " (stand-in)"
	}
	return p.Name
}

// problems returns the problems of the protocol.
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
	has := func(k paper.Key) bool { return p.Unit(k) != nil }
	lacks := func(k paper.Key) bool { return !has(k) }
	var all []int
	p.splits = nil
	for split := range p.Protocol.Splits {
		keys := slices.DeleteFunc(p.Protocol.Keys(p.Spec, split), func(k paper.Key) bool { return k.Mu != p.mu || k.Rule != p.rule })
		p.begun = p.begun || slices.ContainsFunc(keys, has)
		all = append(all, split)
		keys = slices.DeleteFunc(keys, func(k paper.Key) bool { return !p.Protocol.Traits(k.Method).Figured })
		if len(keys) > 0 && !slices.ContainsFunc(keys, lacks) && p.optimum(split) != nil {
			p.splits = append(p.splits, split)
		}
	}
	if p.splits == nil {
		p.splits = all
	}
}

// under returns the same problem with parameters chosen by another rule.
func (p *problem) under(rule paper.Rule) *problem {
	q := *p
	q.rule = rule
	q.findSplits()
	return &q
}

func (p *problem) key(m paper.Method, by paper.Output, split int) paper.Key {
	return paper.Key{Data: p.Name, Mu: p.mu, Method: m, Split: split, Rule: p.rule, By: by}
}

// unit, timing and optimum return the record, or nil. by is the output for which the parameters were
// chosen; a method without that output has its first one instead.
func (p *problem) unit(m paper.Method, by paper.Output, split int) *paper.Unit {
	if t := p.Protocol.Traits(m); !slices.Contains(t.Outputs, by) {
		by = t.Output()
	}
	return p.Unit(p.key(m, by, split))
}

func (p *problem) timing(m paper.Method, split int) *paper.Timing {
	return p.Timing(p.Protocol.Timed(p.key(m, "", split)))
}

func (p *problem) optimum(split int) *paper.Optimum { return p.Optimum(p.Name, p.mu, split) }

// A tally counts the splits on which a method was run.
type tally struct {
	Units   int
	Edges   int // its step size or rho lies at the end of a ladder
	Halved  int // the run diverged at first
	Failed  int
	Clamped int // weights of the average were clamped
}

func tallyOf(p *problem, m paper.Method, by paper.Output) (t tally) {
	add := func(count *int, yes bool) {
		if yes {
			*count++
		}
	}
	for _, split := range p.splits {
		u := p.unit(m, by, split)
		if u == nil {
			continue
		}
		t.Units++
		add(&t.Edges, u.Edge != "")
		add(&t.Halved, u.Halved > 0)
		add(&t.Failed, u.Failed != "")
		add(&t.Clamped, u.Clamped)
	}
	return t
}
