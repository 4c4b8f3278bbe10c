package solver

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/columns"
	"github.com/scas-admm/scas/solver/internal/inner"
	"github.com/scas-admm/scas/solver/internal/newton"
)

// This file says what other packages have to know of the domains of this one.

// innerDomain returns d in R^p as the inner loop takes it.
func innerDomain(d Domain, p int) inner.Domain {
	switch x := d.(type) {
	case nil:
		return inner.Domain{}
	case Box:
		return inner.Domain{Lower: x.Lower, Upper: x.Upper}
	case Nonnegative:
		b := NewBox(p, 0, math.Inf(1))
		return inner.Domain{Lower: b.Lower, Upper: b.Upper}
	case Ball:
		return inner.Domain{Radius: x.Radius}
	}
	return inner.Domain{Project: d.Project}
}

// newtonDomain fills in the domain, and reports whether it is known there.
func newtonDomain(q *newton.Problem, x Domain) bool {
	_, p := q.Data.Dims()
	switch x := x.(type) {
	case nil:
	case Box:
		q.Domain = newton.Box(x)
	case Nonnegative:
		q.Domain = newton.NewBox(p, 0, math.Inf(1))
	case Ball:
		q.Domain = newton.Ball(x)
	case Simplex:
		q.Domain = newton.Simplex{Total: x.total()}
	default:
		return false
	}
	return true
}

// domainZeros reports whether x is known to stay in d, nil for R^p, when coordinates are
// made zero, with the exception of some.
func domainZeros(d Domain) (except *columns.Set, ok bool) {
	switch d := d.(type) {
	case nil, Ball, Nonnegative:
		return nil, true
	case Box:
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

// domainPart returns d for some coordinates, the others being zero. It is one of which
// domainZeros is true.
func domainPart(d Domain, coordinates []int32) Domain {
	if b, ok := d.(Box); ok {
		return Box{columns.Take(b.Lower, coordinates), columns.Take(b.Upper, coordinates)}
	}
	return d
}
