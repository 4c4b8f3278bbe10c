package solver

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/kernels"
)

// maxFactored is the number of features up to which the Hessian is formed.
const maxFactored = 512

var errNotConvex = errors.New("solver: the Newton system of the batch x-step is not positive definite; set Rho or L2 above zero")

// factored forms the Hessian and factors it.
type factored struct {
	b        *baseline
	fixed    *mat.SymDense // mu I + ρ A'A
	h        *mat.SymDense
	assembly float64
}

func newFactored(b *baseline) *factored {
	f := &factored{b: b, fixed: mat.NewSymDense(b.p, nil), h: mat.NewSymDense(b.p, nil)}
	var products float64
	for i := range b.n {
		_, val := b.prob.Data.Row(i)
		k := float64(len(val))
		products += k * (k + 1) / 2
	}
	f.assembly = products / math.Max(1, float64(b.prob.Data.NNZ()))
	unit, column := make([]float64, b.p), make([]float64, b.p)
	for j := range b.p {
		unit[j] = 1
		b.mulA(b.u, unit)
		b.applyAT(column, b.u)
		for k := j; k < b.p; k++ {
			f.fixed.SetSym(j, k, b.rho*column[k])
		}
		f.fixed.SetSym(j, j, f.fixed.At(j, j)+b.mu)
		unit[j] = 0
	}
	return f
}

func (f *factored) cost() float64 { return f.assembly }

func (f *factored) solve(step, g, curvature []float64, _ float64) (float64, error) {
	f.h.CopySym(f.fixed)
	raw := f.h.RawSymmetric()
	inv := 1 / float64(f.b.n)
	for i, c := range curvature {
		idx, val := f.b.prob.Data.Row(i)
		c *= inv
		for k, j := range idx {
			row, v := raw.Data[int(j)*raw.Stride:], c*val[k]
			for m := k; m < len(idx); m++ {
				row[idx[m]] += v * val[m]
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(f.h) {
		return f.assembly, errNotConvex
	}
	dst := mat.NewVecDense(len(step), step)
	if err := chol.SolveVecTo(dst, mat.NewVecDense(len(g), g)); err != nil {
		var bad mat.Condition
		if !errors.As(err, &bad) {
			return f.assembly, err
		}
	}
	dst.ScaleVec(-1, dst)
	return f.assembly, nil
}

// conjugate solves by conjugate gradients, preconditioned by the diagonal.
type conjugate struct {
	b            *baseline
	squares      []float64 // diagonal of ρ A'A + mu I
	diagonal     []float64
	res, dir, pr []float64
	product      []float64
	margin       []float64
}

func newConjugate(b *baseline) *conjugate {
	c := &conjugate{b: b, margin: make([]float64, b.n)}
	for _, v := range []*[]float64{&c.squares, &c.diagonal, &c.res, &c.dir, &c.pr, &c.product} {
		*v = make([]float64, b.p)
	}
	sigma := newShifted(b.run).sigma
	for j := range c.squares {
		c.squares[j] = b.mu + b.rho*sigma[j]
	}
	return c
}

func (c *conjugate) cost() float64 { return 1 }

const (
	forcing   = 0.1  // residual of a Newton system, relative to the gradient
	maxRounds = 2000 // of conjugate gradients
)

func (c *conjugate) solve(step, g, curvature []float64, budget float64) (float64, error) {
	c.precondition(curvature)
	clear(step)
	for j, v := range g {
		c.res[j] = -v
	}
	norm := math.Sqrt(kernels.Dot(g, g))
	goal := norm * math.Min(forcing, math.Sqrt(norm))
	passes, previous := 0.0, 0.0
	for round := 0; round < maxRounds && passes+1 <= budget; round++ {
		for j, v := range c.res {
			c.pr[j] = v / c.diagonal[j]
		}
		rz := kernels.Dot(c.res, c.pr)
		if round == 0 {
			copy(c.dir, c.pr)
		} else {
			turn := rz / previous
			for j, v := range c.pr {
				c.dir[j] = math.FMA(turn, c.dir[j], v)
			}
		}
		previous = rz
		c.multiply(curvature)
		passes++
		length := rz / kernels.Dot(c.dir, c.product)
		kernels.Axpy(length, c.dir, step)
		kernels.Axpy(-length, c.product, c.res)
		if math.Sqrt(kernels.Dot(c.res, c.res)) <= goal {
			break
		}
	}
	return passes, nil
}

// multiply sets product = H dir.
func (c *conjugate) multiply(curvature []float64) {
	b := c.b
	kernels.Margins(c.margin, b.data, c.dir)
	inv := 1 / float64(b.n)
	for i, h := range curvature {
		c.margin[i] *= float64(h * inv)
	}
	b.mulA(b.u, c.dir)
	b.applyAT(c.product, b.u)
	for j, v := range c.dir {
		c.product[j] = math.FMA(b.rho, c.product[j], float64(b.mu*v))
	}
	kernels.Gradient(c.product, b.data, c.margin)
}

// precondition sets the diagonal of H.
func (c *conjugate) precondition(curvature []float64) {
	copy(c.diagonal, c.squares)
	inv := 1 / float64(c.b.n)
	for i, h := range curvature {
		idx, val := c.b.prob.Data.Row(i)
		h *= inv
		for k, j := range idx {
			c.diagonal[j] += float64(float64(h*val[k]) * val[k])
		}
	}
}
