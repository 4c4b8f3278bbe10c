package exact

import (
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
)

// Pose sets the loss, the penalty and the domain x of p; a nil x leaves the domain as it is. It reports
// whether the package supports these terms. Refusal may still refuse p, for its size. The other fields of p
// must be set before.
func (p *Problem) Pose(l term.Loss, g term.Penalty, x term.Set) bool {
	p.Loss = l
	if x != nil {
		_, features := p.dims()
		p.Set = x.Region(features)
		if p.Set == nil {
			return false
		}
	}
	return l.Traits().HasConjugate && p.Penalise(g)
}

// Penalise makes g the penalty of A x, and reports whether the package supports it. If A = I, the factor of
// the squares in g is added to Ridge. If g bounds the coefficients, the bounds become Set; this needs A = I
// and a nil Set.
func (p *Problem) Penalise(g term.Penalty) bool {
	l, _ := p.A.Dims()
	rows, ok := g.RowPenalty(l)
	if !ok {
		return false
	}
	p.Limit, p.Groups = rows.Limit, rows.Groups
	switch {
	case rows.Square == 0:
	case p.A.IsIdentity():
		p.PenaltyRidge = rows.Square
		for j := range p.Ridge {
			p.Ridge[j] += rows.Square
		}
	default:
		p.Square = slices.Repeat([]float64{rows.Square}, l)
	}
	if b := rows.Within; b != nil {
		if !p.A.IsIdentity() || p.Set != nil {
			return false
		}
		p.Set = term.NewBox(l, b.Lower, b.Upper)
	}
	return true
}

// hasL1Only reports whether the penalty is Σ limit_k |(A x)_k|, apart from ridges, and the domain is R^p. If
// A = I, squares in the penalty count as a ridge (see Penalise).
func (p *Problem) hasL1Only() bool { return p.Square == nil && p.Groups == nil && p.Set == nil }
