package kind

import (
	"math"

	"github.com/scas-admm/scas/solver/domain"
	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/solver/internal/inner"
	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/region"
)

// A Domain is any set; nil is R^p.
type Domain interface {
	Project(x []float64)
	Diameter() float64
	Validate(p int) error
}

// InnerDomain returns d in R^p as the inner loop takes it.
func InnerDomain(d Domain, p int) inner.Domain {
	switch x := d.(type) {
	case nil:
		return inner.Domain{}
	case domain.Box:
		return inner.Domain{Lower: x.Lower, Upper: x.Upper}
	case domain.Nonnegative:
		b := domain.NewBox(p, 0, math.Inf(1))
		return inner.Domain{Lower: b.Lower, Upper: b.Upper}
	case domain.Ball:
		return inner.Domain{Radius: x.Radius}
	}
	return inner.Domain{Project: d.Project}
}

// Newton fills in the loss, the penalty and the domain of q, the rest of which is there, and
// reports whether all of them are known to package newton.
func Newton(q *newton.Problem, l Loss, g Penalty, d Domain) bool {
	q.Loss = NewtonLoss(l)
	return q.Loss != nil && newtonDomain(q, d) && newtonPenalty(q, g)
}

// newtonDomain fills in the domain, and reports whether it is known there.
func newtonDomain(q *newton.Problem, d Domain) bool {
	_, p := q.Data.Dims()
	switch x := d.(type) {
	case nil:
	case domain.Box:
		q.Domain = region.Box(x)
	case domain.Nonnegative:
		q.Domain = region.NewBox(p, 0, math.Inf(1))
	case domain.Ball:
		q.Domain = region.Ball(x)
	case domain.Simplex:
		q.Domain = region.Simplex{Total: x.Sum()}
	default:
		return false
	}
	return true
}

// DomainZeros reports whether x is known to stay in d when coordinates are made zero, with
// the exception of some.
func DomainZeros(d Domain) (except *columns.Set, ok bool) {
	switch d := d.(type) {
	case nil, domain.Ball, domain.Nonnegative:
		return nil, true
	case domain.Box:
		except = columns.NewSet(len(d.Lower))
		for j, lo := range d.Lower {
			if lo > 0 || d.Upper[j] < 0 {
				except.Add(j)
			}
		}
		return except, true
	}
	return nil, false
}

// DomainPart returns d for some coordinates, the others being zero. It is one of which
// DomainZeros is true.
func DomainPart(d Domain, coordinates []int32) Domain {
	if b, ok := d.(domain.Box); ok {
		return domain.Box{Lower: columns.Take(b.Lower, coordinates), Upper: columns.Take(b.Upper, coordinates)}
	}
	return d
}
