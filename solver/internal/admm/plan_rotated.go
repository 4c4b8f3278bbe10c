package admm

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

const (
	maxDenseFeatures = 512     // largest number of features for dense rotated rows
	maxRotatedMemory = 2 << 30 // largest memory of rotated data, in bytes
)

// newCoupledPlan returns the best plan if A'A is not diagonal, for the domain R^p or a ball.
func newCoupledPlan(l *InnerLoop) (Plan, error) {
	if l.A.Matrix() == nil {
		return newDense(l, "a step for every coordinate: A is an operator, not a matrix"), nil
	}
	c := l.A.Components()
	if size, _ := c.LargestSize(); size > linalg.MaxComponent {
		return newDense(l, fmt.Sprintf("a component of %d features is too large to rotate (at most %d)", size, linalg.MaxComponent)), nil
	}
	n, p := l.Data.Dims()
	nonzeros := c.Fill(l.Data)
	denseEntries := int64(n) * int64(paddedLength(p))
	isBall := l.bounds.Radius > 0
	useDense := p <= maxDenseFeatures && (isBall || 4*nonzeros > denseEntries)
	bytes := 12 * nonzeros
	if useDense {
		bytes = 8 * denseEntries
	}
	switch {
	case bytes > maxRotatedMemory:
		return newDense(l, fmt.Sprintf("the rotated data of %s would take %.1f GiB (at most %d)", c, float64(bytes)/(1<<30), maxRotatedMemory>>30)), nil
	case isBall && !useDense:
		return newDense(l, fmt.Sprintf("%d features are too many to project rotated rows onto a ball (at most %d)", p, maxDenseFeatures)), nil
	}
	spectrum, err := l.A.Spectrum(l.Interrupt)
	if err != nil {
		return nil, err
	}
	if useDense {
		return newRotated(l, spectrum)
	}
	return newRotatedDecay(l, spectrum, nonzeros)
}

func (l *InnerLoop) checkInterrupt(i int) error {
	if l.Interrupt == nil || i%256 != 0 {
		return nil
	}
	return l.Interrupt()
}

func paddedLength(p int) int { return (p + 7) &^ 7 }

// rotatedPlan is a plan that works in the eigenbasis of A'A = V diag(σ) V', in which the matrix K of Plan is
// diagonal. It stores the rotated data as dense rows.
type rotatedPlan struct {
	*InnerLoop
	spectrum    *linalg.Spectrum
	rotatedRows []float64 // the rotated rows, each padded to a multiple of 8 entries
	eta         float64

	w, sum []float64 // the current point and the sum of the iterates, in the eigenbasis
	c, e   []float64 // c[j] is 1 − η K_jj; e is −η d for the argument d of Begin, in the eigenbasis
}

func newRotated(l *InnerLoop, spectrum *linalg.Spectrum) (Plan, error) {
	n, features := l.Data.Dims()
	stride := paddedLength(features)
	p := &rotatedPlan{InnerLoop: l, spectrum: spectrum, rotatedRows: make([]float64, n*stride)}
	for _, v := range []*[]float64{&p.w, &p.sum, &p.c, &p.e} {
		*v = make([]float64, stride)
	}
	componentMarks := make([]int32, len(p.spectrum.Members))
	for i := range n {
		idx, val := l.Data.Row(i)
		row := p.rotatedRows[i*stride : i*stride+features]
		p.spectrum.RotateRow(row, idx, val, nil, componentMarks, int32(i+1))
		if err := l.checkInterrupt(i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (*rotatedPlan) Name() string   { return "rotated" }
func (*rotatedPlan) BatchSize() int { return 1 }

func (p *rotatedPlan) Reason() string {
	mib := float64(len(p.rotatedRows)) * 8 / (1 << 20)
	return fmt.Sprintf("%s; %.3g MiB of dense rotated rows", p.spectrum, mib)
}

func (p *rotatedPlan) Begin(x, d []float64, eta float64) {
	p.eta = eta
	p.spectrum.Rotate(p.w[:len(x)], x)
	p.spectrum.Rotate(p.e[:len(x)], d)
	for j, sigma := range p.spectrum.Sigma {
		p.e[j] = -(eta * p.e[j])
		p.c[j] = math.FMA(-eta, math.FMA(p.Rho, sigma, p.Ridge), 1)
	}
	clear(p.sum)
}

func (p *rotatedPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	kernels.InnerRotated(p.w, p.sum, p.c, p.e, p.rotatedRows, p.bounds.Radius, &s, sampled)
}

func (p *rotatedPlan) End(sum, endpoint []float64) {
	p.spectrum.Unrotate(sum, p.sum)
	if endpoint != nil {
		p.spectrum.Unrotate(endpoint, p.w)
	}
}
