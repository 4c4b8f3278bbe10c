package solver

import (
	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/sparse"
)

// leaveOut returns p and s without the columns that have no data, where 0 is best for
// their coefficients whatever the others are and s starts there; or both as they are
// and nil. p and the start of s are valid.
func leaveOut(p *Problem, s *Settings) (*Problem, *Settings, *columns.Kept) {
	a, matrix := p.matrix()
	_, cols := p.Data.Dims()
	if cols == 0 {
		return p, s, nil // not valid, which others say
	}
	if !matrix || !p.penalty().LeastAtZero() || p.Coupling != nil {
		return p, s, nil
	}
	fixed := columns.NewSet(cols)
	if d := p.domain(); d != nil {
		except, ok := d.ZerosStay()
		if !ok {
			return p, s, nil
		}
		for _, j := range except {
			fixed.Add(int(j))
		}
	}
	start := s.Start
	rows := columns.NonZeros(start.Y).Union(columns.NonZeros(start.Dual))
	k := columns.Find(p.Data, a, columns.NonZeros(start.X).Union(fixed), rows, p.team().Maximum())
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
	if p.Penalty != nil {
		part.Penalty = p.penalty().Part(k.Rows)
	}
	if p.Domain != nil {
		part.Domain = p.domain().Part(k.Columns)
	}
	set.Start = Iterate{columns.Take(start.X, k.Columns), columns.Take(start.Y, k.Rows), columns.Take(start.Dual, k.Rows)}
	if s.Recorder != nil {
		set.Recorder = widen(s.Recorder, k)
	}
	return &part, &set, k
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
	x, average := k.X(nil), k.X(nil)
	return RecorderFunc(func(pt *Point) error {
		pt.X, pt.XAverage = k.Put(x, pt.X), k.Put(average, pt.XAverage)
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
	k.Renumber(res.Groups)
}
