package solver

import (
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// An Operator is a linear map from R^p to R^l. *sparse.CSR is an Operator.
type Operator interface {
	// Dims returns l and p.
	Dims() (rows, cols int)
	// MulVec sets dst, of length l, to the image of x, of length p.
	MulVec(dst, x []float64)
	// MulVecTrans sets dst, of length p, to the image of v, of length l, under
	// the transposed map.
	MulVecTrans(dst, v []float64)
}

// A Coupling describes B and c of the constraint A x + B y = c. At most one of B and Diagonal may
// be set.
type Coupling struct {
	// B maps y in R^q to R^l. If neither B nor Diagonal is set, B = −I.
	B Operator
	// Diagonal, if not nil, means B = diag(Diagonal). It has length l and no zeros. It needs a
	// separable penalty, unless all entries have the same absolute value.
	Diagonal []float64
	// C is the vector c of the constraint, with an entry for each row of A; nil means zero.
	C []float64
}

// columnCount returns the number of columns of B, which is the length of y, if A has l rows.
func (c *Coupling) columnCount(l int) int {
	if c == nil || c.B == nil {
		return l
	}
	_, q := c.B.Dims()
	return q
}

// coupling returns p.Coupling as the type of package admm. A nil *Coupling means B = −I and C = 0.
func (p *Problem) coupling() admm.Coupling {
	c := p.Coupling
	if c == nil {
		return admm.Coupling{}
	}
	return admm.Coupling{B: c.B, Diagonal: c.Diagonal, C: c.C}
}

// dualStep returns the dual step of p, which updates y and beta, for l rows of A and q coordinates of y.
func (p *Problem) dualStep(l, q int) *admm.DualStep {
	c := p.coupling()
	var limits []float64
	if c.B == nil && c.Diagonal == nil {
		limits = term.Limits(p.penalty(), l)
	}
	return admm.NewDualStep(c, p.penalty(), limits, l, q)
}

// A Constraint is a map A that NewConstraint has prepared for use in many problems: A', A'A and the
// eigenbasis of A'A are computed once, by the first run that needs them. A Constraint is safe for concurrent
// use.
type Constraint struct {
	Operator
	algebra *linalg.Algebra
}

// NewConstraint makes a Constraint of the map a. If a is a *Constraint already, NewConstraint returns it. The
// map must not change afterwards.
func NewConstraint(a Operator) *Constraint {
	if c, ok := a.(*Constraint); ok {
		return c
	}
	_, p := a.Dims()
	return &Constraint{Operator: a, algebra: linalg.New(a, p)}
}

// algebra returns A in the form of package linalg. A *Constraint has this form already.
func (p *Problem) algebra() *linalg.Algebra {
	if c, ok := p.Constraint.(*Constraint); ok {
		return c.algebra
	}
	_, cols := p.Data.Dims()
	return linalg.New(p.Constraint, cols)
}
