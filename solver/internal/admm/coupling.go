package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A Coupling holds B and c of the constraint A x + B y = c. Its zero value means B = −I and c = 0.
type Coupling struct {
	B        linalg.Map // nil means −I, or the diagonal matrix of Diagonal
	Diagonal []float64  // the diagonal of a diagonal B; if it is set, B must be nil
	C        []float64  // c; nil means zeros
}

// Y returns the y for which A x + B y = c. ax is A x, and the result may be ax itself. ok is false if the
// field B is set.
func (c Coupling) Y(ax []float64) (y []float64, ok bool) {
	if c.B != nil {
		return nil, false
	}
	if c.Diagonal == nil && c.C == nil {
		return ax, true
	}
	y = make([]float64, len(ax))
	for j, v := range ax {
		y[j] = v
		if c.C != nil {
			y[j] -= c.C[j]
		}
		if c.Diagonal != nil {
			y[j] /= -c.Diagonal[j]
		}
	}
	return y, true
}

// Multipliers returns −B'beta for B = −I or a diagonal B. At an optimum, −B'beta is a subgradient of the
// penalty at y. The result may be beta itself.
func (c Coupling) Multipliers(beta []float64) []float64 {
	if c.Diagonal == nil {
		return beta
	}
	z := make([]float64, len(beta))
	for j, b := range beta {
		z[j] = -float64(c.Diagonal[j] * b)
	}
	return z
}

// Validate checks the fields of c for a constraint matrix A with l rows and a penalty g.
func (c Coupling) Validate(l int, g term.Penalty) error {
	if c.B != nil && c.Diagonal != nil {
		return errorf("Coupling has both B and Diagonal; set one")
	}
	if c.B != nil {
		if rows, _ := c.B.Dims(); rows != l {
			return errorf("Coupling.B has %d rows; the constraint matrix has %d", rows, l)
		}
	}
	if c.C != nil && len(c.C) != l {
		return errorf("Coupling.C has length %d; the constraint matrix has %d rows", len(c.C), l)
	}
	for j, v := range c.C {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errorf("Coupling.C[%d] = %v; it must be finite", j, v)
		}
	}
	if c.Diagonal != nil {
		return c.validateDiagonal(l, g)
	}
	return nil
}

func (c Coupling) validateDiagonal(l int, g term.Penalty) error {
	if len(c.Diagonal) != l {
		return errorf("Coupling.Diagonal has length %d; the constraint matrix has %d rows",
			len(c.Diagonal), l)
	}
	for j, v := range c.Diagonal {
		switch {
		case v == 0 || math.IsNaN(v) || math.IsInf(v, 0):
			return errorf("Coupling.Diagonal[%d] = %v; it must be finite and not zero", j, v)
		case math.Abs(v) != math.Abs(c.Diagonal[0]) && !g.Separable():
			return errorf("Coupling.Diagonal has entries of different size, which a penalty that is not separable (%T) cannot take; give B as a matrix", g)
		}
	}
	return nil
}
