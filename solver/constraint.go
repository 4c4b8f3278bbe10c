package solver

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/scas-admm/scas/solver/internal/dual"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// An Operator is a linear map from R^p to R^l. *sparse.CSR is one; anything
// else, such as a difference operator without a matrix, is used through its
// products alone.
type Operator interface {
	// Dims returns l and p.
	Dims() (rows, cols int)
	// MulVec sets dst, of length l, to the image of x, of length p.
	MulVec(dst, x []float64)
	// MulVecTrans sets dst, of length p, to the image of v, of length l, under
	// the transposed map.
	MulVecTrans(dst, v []float64)
}

// A Coupling is the second half B y = c − A x of the constraint A x + B y = c. At
// most one of B and Diagonal is set.
type Coupling struct {
	// B maps R^q to R^l. With neither B nor Diagonal, B = −I.
	B Operator
	// Alpha, if positive, states that B'B = Alpha·I, so that the y-step is a
	// single proximal map. It is checked on random vectors.
	Alpha float64
	// Diagonal is B = diag(Diagonal), of length l, without zeros. It needs a
	// separable penalty unless all entries have the same size.
	Diagonal []float64
	// C is c, of length l; nil means zero.
	C []float64
}

// dims returns the number of rows and columns of B, for a constraint matrix
// with l rows.
func (c *Coupling) dims(l int) (rows, q int) {
	if c == nil || c.B == nil {
		return l, l
	}
	return c.B.Dims()
}

// validate checks c against the l rows of A and the penalty.
func (c *Coupling) validate(l int, g Penalty) error {
	if c == nil {
		return nil
	}
	if c.B != nil && c.Diagonal != nil {
		return fmt.Errorf("solver: Coupling has both B and Diagonal; set one")
	}
	if rows, _ := c.dims(l); rows != l {
		return fmt.Errorf("solver: Coupling.B has %d rows; the constraint matrix has %d", rows, l)
	}
	if c.C != nil && len(c.C) != l {
		return fmt.Errorf("solver: Coupling.C has length %d; the constraint matrix has %d rows", len(c.C), l)
	}
	for j, v := range c.C {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("solver: Coupling.C[%d] = %v; it must be finite", j, v)
		}
	}
	if c.Diagonal != nil {
		return c.validateDiagonal(l, g)
	}
	if c.Alpha != 0 {
		return c.validateAlpha()
	}
	return nil
}

func (c *Coupling) validateDiagonal(l int, g Penalty) error {
	if len(c.Diagonal) != l {
		return fmt.Errorf("solver: Coupling.Diagonal has length %d; the constraint matrix has %d rows", len(c.Diagonal), l)
	}
	for j, v := range c.Diagonal {
		switch {
		case v == 0 || math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("solver: Coupling.Diagonal[%d] = %v; it must be finite and not zero", j, v)
		case math.Abs(v) != math.Abs(c.Diagonal[0]) && !g.Separable():
			return fmt.Errorf("solver: Coupling.Diagonal has entries of different size, which a penalty that is not separable (%T) cannot take; give B as a matrix", g)
		}
	}
	return nil
}

func (c *Coupling) validateAlpha() error {
	if !(c.Alpha > 0) || math.IsInf(c.Alpha, 0) || c.B == nil {
		return fmt.Errorf("solver: Coupling.Alpha = %v; it must be positive and finite, and B be set", c.Alpha)
	}
	l, q := c.B.Dims()
	rng := rand.New(rand.NewPCG(3, 5))
	y, by, back := make([]float64, q), make([]float64, l), make([]float64, q)
	for range 3 {
		for j := range y {
			y[j] = rng.Float64() - 0.5
		}
		c.B.MulVec(by, y)
		c.B.MulVecTrans(back, by)
		for j := range y {
			if math.Abs(back[j]-c.Alpha*y[j]) > 1e-9*c.Alpha {
				return fmt.Errorf("solver: Coupling.Alpha = %v, but B'B is not that multiple of the identity (coordinate %d of B'B y is %v for y = %v)", c.Alpha, j, back[j], y[j])
			}
		}
	}
	return nil
}

// impliedY returns the y that A x + B y = c determines, given A x, and whether
// there is one in closed form. The result may be ax itself.
func (c *Coupling) impliedY(ax []float64) ([]float64, bool) {
	if c == nil {
		return ax, true
	}
	if c.B != nil {
		return nil, false
	}
	y := make([]float64, len(ax))
	for j, v := range ax {
		if y[j] = v; c.C != nil {
			y[j] -= c.C[j]
		}
		if c.Diagonal != nil {
			y[j] /= -c.Diagonal[j]
		}
	}
	return y, true
}

// dualStep returns the step of y and beta for l rows of A and q coordinates of y.
func (p *Problem) dualStep(l, q int) *dual.Step {
	var c dual.Coupling
	if p.Coupling != nil {
		c = dual.Coupling{B: p.Coupling.B, Alpha: p.Coupling.Alpha, Diagonal: p.Coupling.Diagonal, C: p.Coupling.C}
	}
	var limit []float64
	if l1, ok := p.penalty().(L1); ok && c.B == nil && c.Diagonal == nil {
		limit = make([]float64, l)
		for j := range limit {
			limit[j] = l1.Limit(j)
		}
	}
	return dual.New(c, p.penalty(), limit, l, q)
}

// A Constraint is a map A prepared for use in many problems: what follows from A
// alone, its transpose, A'A and the eigenbasis of that, is computed once, by the
// first run that needs it. It is safe for concurrent use.
type Constraint struct {
	Operator
	algebra *quad.Algebra
}

// NewConstraint prepares a, which must not change any more.
func NewConstraint(a Operator) *Constraint {
	_, p := a.Dims()
	return &Constraint{a, quad.New(a, p)}
}

// algebra returns that of p.Constraint.
func (p *Problem) algebra() *quad.Algebra {
	if c, ok := p.Constraint.(*Constraint); ok {
		return c.algebra
	}
	_, cols := p.Data.Dims()
	return quad.New(p.Constraint, cols)
}
