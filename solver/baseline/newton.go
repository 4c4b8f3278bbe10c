package baseline

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// MaxFactored is the largest number of features for which [Batch] computes and factors the Hessian.
const MaxFactored = 512

// factoredNewton is the newtonSystem (batch.go) that computes its matrix H and a Cholesky factor of H.
type factoredNewton struct {
	b              *base
	fixedPart      []float64 // mu I + ρ A'A, p × p; only the upper triangle is filled
	h              []float64 // the upper triangle of H, p × p
	ones           []float64
	chol           *linalg.Cholesky
	assemblyPasses float64 // passes that the Hessian of the loss costs
}

// assemblyCost returns the cost, in passes, of the Hessian of the loss.
func assemblyCost(x *sparse.CSR) float64 { return (&exact.Problem{Data: x}).Assembly() }

func newFactoredNewton(b *base) *factoredNewton {
	p := len(b.x)
	f := &factoredNewton{
		b: b, fixedPart: make([]float64, p*p), h: make([]float64, p*p), ones: slices.Repeat([]float64{1}, p),
		chol: linalg.NewCholesky(p),
	}
	f.assemblyPasses = assemblyCost(b.run.Problem.Data)
	unit, column := b.vector(), b.vector()
	for j := range p {
		unit[j] = 1
		b.a.MulVec(b.u, unit)
		b.a.MulVecTrans(column, b.u)
		for k := j; k < p; k++ {
			f.fixedPart[j*p+k] = b.rho * column[k]
		}
		f.fixedPart[j*p+j] += b.mu
		unit[j] = 0
	}
	return f
}

func (f *factoredNewton) cost() float64 { return f.assemblyPasses }

func (f *factoredNewton) solve(step, g, curvature []float64, _ float64) (float64, error) {
	copy(f.h, f.fixedPart)
	inv := 1 / float64(f.b.n)
	for i, c := range curvature {
		idx, val := f.b.run.Problem.Data.Row(i)
		c *= inv
		for k, j := range idx {
			row, v := f.h[int(j)*len(f.b.x):], float64(c*val[k])
			for m := k; m < len(idx); m++ {
				row[idx[m]] += float64(v * val[m])
			}
		}
	}
	if !f.chol.Factor(f.h, f.ones, 0) {
		return f.assemblyPasses, errNotConvex
	}
	f.chol.Solve(step, g)
	linalg.Scale(step, -1)
	return f.assemblyPasses, nil
}

// cgNewton is the newtonSystem (batch.go) that uses conjugate gradients with a diagonal preconditioner.
type cgNewton struct {
	b             *base
	cg            *linalg.ConjugateGradients
	fixedDiagonal []float64 // diagonal of ρ A'A + mu I
	curvature     []float64 // φ″ of each sample
	margin        []float64 // scratch memory with an entry for each sample
}

func newCGNewton(b *base) *cgNewton {
	c := &cgNewton{b: b, margin: make([]float64, b.n)}
	c.fixedDiagonal, _ = b.a.Diagonal()
	for j, sigma := range c.fixedDiagonal {
		c.fixedDiagonal[j] = b.mu + float64(b.rho*sigma)
	}
	c.cg = linalg.NewConjugateGradients(len(b.x), c.multiply)
	return c
}

func (c *cgNewton) cost() float64 { return 1 }

const (
	forcing    = 0.1  // conjugate gradients end at a residual of at most forcing·|g|, where g is the gradient
	maxCGSteps = 2000 // largest number of conjugate gradient steps
)

func (c *cgNewton) solve(step, g, curvature []float64, budget float64) (float64, error) {
	c.curvature = curvature
	c.precondition()
	clear(step)
	scaleTo(c.cg.Residual, g, -1)
	norm := math.Sqrt(kernels.Dot(g, g))
	maxSteps := int(math.Min(budget, maxCGSteps))
	isSmall := c.cg.StopAtNorm(norm * math.Min(forcing, math.Sqrt(norm)))
	var err error
	passes := c.cg.Solve(step, maxSteps, func(round int, energy float64) bool {
		err = c.b.run.Err()
		return err != nil || isSmall(round, energy)
	})
	return float64(passes), err
}

func (c *cgNewton) multiply(dst, v []float64) {
	b := c.b
	kernels.Margins(c.margin, b.data.Rows(), v)
	inv := 1 / float64(b.n)
	for i, h := range c.curvature {
		c.margin[i] *= float64(h * inv)
	}
	b.a.MulVec(b.u, v)
	b.a.MulVecTrans(dst, b.u)
	for j, x := range v {
		dst[j] = math.FMA(b.rho, dst[j], float64(b.mu*x))
	}
	kernels.Gradient(dst, b.data.Rows(), c.margin)
}

func (c *cgNewton) precondition() {
	diagonal := c.cg.Diagonal
	copy(diagonal, c.fixedDiagonal)
	inv := 1 / float64(c.b.n)
	for i, h := range c.curvature {
		idx, val := c.b.run.Problem.Data.Row(i)
		h *= inv
		for k, j := range idx {
			diagonal[j] += float64(float64(h*val[k]) * val[k])
		}
	}
}
