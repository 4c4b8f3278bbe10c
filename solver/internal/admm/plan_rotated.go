package admm

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

const (
	maxDense         = 512     // largest number of features for dense rotated rows
	maxRotatedMemory = 2 << 30 // largest memory of rotated data, in bytes
)

// newCoupled returns the best plan if A'A is not diagonal, for the domain R^p or a ball.
func newCoupled(l *InnerLoop) (Plan, error) {
	if l.A.Matrix() == nil {
		return newDense(l, "a step for every coordinate: A is an operator, not a matrix"), nil
	}
	c := l.A.Components()
	if size, _ := c.LargestSize(); size > linalg.MaxComponent {
		return newDense(l, fmt.Sprintf("a component of %d features is too large to rotate (at most %d)", size, linalg.MaxComponent)), nil
	}
	n, p := l.Data.Dims()
	nonzeros := c.Fill(l.Data)
	entries := int64(n) * int64(paddedLength(p))
	ball := l.walls.Radius > 0
	useDense := p <= maxDense && (ball || 4*nonzeros > entries)
	bytes := 12 * nonzeros
	if useDense {
		bytes = 8 * entries
	}
	switch {
	case bytes > maxRotatedMemory:
		return newDense(l, fmt.Sprintf("the rotated data of %s would take %.1f GiB (at most %d)", c, float64(bytes)/(1<<30), maxRotatedMemory>>30)), nil
	case ball && !useDense:
		return newDense(l, fmt.Sprintf("%d features are too many to project rotated rows onto a ball (at most %d)", p, maxDense)), nil
	}
	spec, err := l.A.Spectrum(l.Interrupt)
	if err != nil {
		return nil, err
	}
	if useDense {
		return newRotated(l, spec)
	}
	return newRotatedDecay(l, spec, nonzeros)
}

func (l *InnerLoop) interrupted(i int) error {
	if l.Interrupt == nil || i%256 != 0 {
		return nil
	}
	return l.Interrupt()
}

func paddedLength(p int) int { return (p + 7) &^ 7 }

// rotated is a plan that works in the eigenbasis of A'A = V diag(σ) V', in which the matrix K of Plan is
// diagonal. It stores the rotated data as dense rows.
type rotated struct {
	*InnerLoop
	spec *linalg.Spectrum
	x    []float64 // the rotated rows, each padded to a multiple of 8 entries
	eta  float64

	w, sum []float64 // the current point and the sum of the iterates, in the eigenbasis
	c, e   []float64 // c[j] is 1 − η K_jj; e is −η d for the argument d of Begin, in the eigenbasis
}

func newRotated(l *InnerLoop, spec *linalg.Spectrum) (Plan, error) {
	n, features := l.Data.Dims()
	stride := paddedLength(features)
	p := &rotated{InnerLoop: l, spec: spec, x: make([]float64, n*stride)}
	for _, v := range []*[]float64{&p.w, &p.sum, &p.c, &p.e} {
		*v = make([]float64, stride)
	}
	mark := make([]int32, len(p.spec.Members))
	for i := range n {
		idx, val := l.Data.Row(i)
		p.spec.RotateRow(p.x[i*stride:i*stride+features], idx, val, nil, mark, int32(i+1))
		if err := l.interrupted(i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (*rotated) Name() string   { return "rotated" }
func (*rotated) BatchSize() int { return 1 }

func (p *rotated) Reason() string {
	return fmt.Sprintf("%s; %.3g MiB of dense rotated rows", p.spec, float64(len(p.x))*8/(1<<20))
}

func (p *rotated) Begin(x, d []float64, eta float64) {
	p.eta = eta
	p.spec.Rotate(p.w[:len(x)], x)
	p.spec.Rotate(p.e[:len(x)], d)
	for j, sigma := range p.spec.Sigma {
		p.e[j] = -(eta * p.e[j])
		p.c[j] = math.FMA(-eta, math.FMA(p.Rho, sigma, p.Ridge), 1)
	}
	clear(p.sum)
}

func (p *rotated) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	kernels.InnerRotated(p.w, p.sum, p.c, p.e, p.x, p.walls.Radius, &s, sampled)
}

func (p *rotated) End(sum, endpoint []float64) {
	p.spec.Unrotate(sum, p.sum)
	if endpoint != nil {
		p.spec.Unrotate(endpoint, p.w)
	}
}
