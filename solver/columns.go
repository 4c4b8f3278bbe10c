package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/sparse"
)

// leaveOut returns p and s without the columns that have no data, where 0 is best for
// their coefficients whatever the others are and s starts there; or both as they are
// and nil. p and the start of s are valid.
func leaveOut(p *Problem, s *Settings) (*Problem, *Settings, *columns.Kept) {
	fixed, ok := p.zeroIsBest()
	a, matrix := p.matrix()
	if !ok || !matrix {
		return p, s, nil
	}
	start := s.Start
	rows := columns.NonZeros(start.Y).Union(columns.NonZeros(start.Dual))
	k := columns.Find(p.Data, a, columns.NonZeros(start.X).Union(fixed), rows)
	if k == nil {
		return p, s, nil
	}
	part, set := *p, *s
	part.Data = k.Data
	switch c := p.Constraint.(type) {
	case *Constraint:
		part.Constraint = c.part(k)
	case *sparse.CSR:
		part.Constraint = k.A
	}
	switch g := p.Penalty.(type) {
	case L1:
		g.Weights = columns.Take(g.Weights, k.Rows)
		part.Penalty = g
	case GroupL2:
		part.Penalty = g.part(k.Rows)
	}
	if b, ok := p.Domain.(Box); ok {
		part.Domain = Box{columns.Take(b.Lower, k.Columns), columns.Take(b.Upper, k.Columns)}
	}
	set.Start = Iterate{columns.Take(start.X, k.Columns), columns.Take(start.Y, k.Rows), columns.Take(start.Dual, k.Rows)}
	if s.Recorder != nil {
		set.Recorder = widen(s.Recorder, k)
	}
	return &part, &set, k
}

// zeroIsBest reports whether 0 minimises the objective over coefficients without data
// that A couples to no others, with the exception of some: a penalty and a domain that
// are known, and no coupling.
func (p *Problem) zeroIsBest() (except *columns.Set, ok bool) {
	switch g := p.penalty().(type) {
	case L1, ElasticNet, SquaredL2, GroupL2:
	case Within:
		if g.Lower > 0 || g.Upper < 0 {
			return nil, false
		}
	default:
		return nil, false
	}
	switch d := p.Domain.(type) {
	case nil, Ball, Nonnegative:
		return nil, p.Coupling == nil
	case Box:
		except = columns.NewSet(len(d.Lower))
		for j, lo := range d.Lower {
			if lo > 0 || d.Upper[j] < 0 {
				except.Add(j)
			}
		}
		return except, p.Coupling == nil
	}
	return nil, false
}

// matrix returns A, nil if it is the identity, and whether it is one of both.
func (p *Problem) matrix() (*sparse.CSR, bool) {
	a := p.Constraint
	if c, ok := a.(*Constraint); ok {
		a = c.Operator
	}
	m, ok := a.(*sparse.CSR)
	return m, ok || a == nil
}

// widen shows the recorder x over all columns.
func widen(to Recorder, k *columns.Kept) Recorder {
	x := k.X(nil)
	return RecorderFunc(func(pt *Point) error {
		pt.X = k.Put(x, pt.X)
		return to.Record(pt)
	})
}

// widen puts back the columns that were left out.
func (res *Result) widen(k *columns.Kept) {
	if k == nil || res == nil {
		return
	}
	res.Iterate = Iterate{k.X(res.X), k.Y(res.Y), k.Y(res.Dual)}
	res.XAverage, res.YAverage = k.X(res.XAverage), k.Y(res.YAverage)
	for _, group := range res.Groups {
		for i, j := range group {
			group[i] = int(k.Columns[j])
		}
	}
}

// part returns g as a function of some coordinates of y, the others being zero. Weights
// that follow from the size of a group stay those of the whole one.
func (g GroupL2) part(rows []int32) GroupL2 {
	out := GroupL2{Lambda: g.Lambda, Weights: []float64{}}
	for k, group := range g.Groups {
		var left []int
		for _, j := range group {
			if at, ok := slices.BinarySearch(rows, int32(j)); ok {
				left = append(left, at)
			}
		}
		if len(left) == 0 {
			continue
		}
		weight := math.Sqrt(float64(len(group)))
		if g.Weights != nil {
			weight = g.Weights[k]
		}
		out.Groups, out.Weights = append(out.Groups, left), append(out.Weights, weight)
	}
	return out
}
