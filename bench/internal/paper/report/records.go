// Package report turns the records of the experiments into a page, tables,
// figures, and the paper's claims with their numbers.
package report

import (
	"slices"

	"github.com/scas-admm/scas/bench/internal/paper"
)

// A problem is a data set with one coefficient of the L2 term, and where to find
// what was recorded of it.
type problem struct {
	paper.Records
	paper.Spec
	mu    float64
	facts *paper.Facts // nil if there are none
	begun bool         // something was run
	// splits are those that every method was run on, so that all curves are means
	// over the same; where there is none yet, all.
	splits []int
}

// problems returns those of the protocol.
func problems(r paper.Records) []*problem {
	var out []*problem
	for _, s := range r.Protocol.Specs() {
		for _, mu := range r.Protocol.MusOn(s) {
			p := &problem{Records: r, Spec: s, mu: mu, facts: r.Store.Facts(s.Name)}
			p.findSplits()
			out = append(out, p)
		}
	}
	return out
}

func (p *problem) findSplits() {
	has := func(k paper.Key) bool { return p.Store.Unit(k) != nil }
	lacks := func(k paper.Key) bool { return !has(k) }
	var all []int
	for split := range p.Protocol.SplitsOn(p.Spec) {
		keys := slices.DeleteFunc(p.Protocol.Keys(p.Spec, split), func(k paper.Key) bool { return k.Mu != p.mu })
		p.begun = p.begun || slices.ContainsFunc(keys, has)
		all = append(all, split)
		if !slices.ContainsFunc(keys, lacks) && p.optimum(split) != nil {
			p.splits = append(p.splits, split)
		}
	}
	if p.splits == nil {
		p.splits = all
	}
}

func (p *problem) key(m paper.Method, split int) paper.Key {
	return paper.Key{Data: p.Name, Mu: p.mu, Method: m, Split: split}
}

// unit, timing and optimum return what was recorded, or nil.
func (p *problem) unit(m paper.Method, split int) *paper.Unit { return p.Store.Unit(p.key(m, split)) }

func (p *problem) timing(m paper.Method, split int) *paper.Timing {
	return p.Timings.Get(p.key(m, split))
}

func (p *problem) optimum(split int) *paper.Optimum { return p.Store.Optimum(p.Name, p.mu, split) }

// A tally counts the splits on which a method was run, of which its choice lies
// beyond the grid, it diverged first, it failed.
type tally struct {
	Units, Edges, Halved, Failed int
	TestAverage                  float64 // mean over those that did not fail
}

func tallyOf(p *problem, m paper.Method) (t tally) {
	for _, split := range p.splits {
		u := p.unit(m, split)
		if u == nil {
			continue
		}
		t.Units++
		if u.Edge != "" {
			t.Edges++
		}
		if u.Halved > 0 {
			t.Halved++
		}
		if u.Failed != "" {
			t.Failed++
		} else {
			t.TestAverage += (u.TestAverage - t.TestAverage) / float64(t.Units-t.Failed)
		}
	}
	return t
}
