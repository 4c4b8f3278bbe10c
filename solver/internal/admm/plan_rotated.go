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
	if l.A.Gram() == nil {
		return newDense(l, "a step for every coordinate: A'A would have too many entries"), nil
	}
	c := l.A.Components()
	if size, _ := c.LargestSize(); size > linalg.MaxComponent {
		return newDense(l,
			fmt.Sprintf("a component of %d features is too large to rotate (at most %d)",
				size, linalg.MaxComponent)), nil
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
		return newDense(l,
			fmt.Sprintf("the rotated data of %s would take %.1f GiB (at most %d)",
				c, float64(bytes)/(1<<30), maxRotatedMemory>>30)), nil
	case isBall && !useDense:
		return newDense(l,
			fmt.Sprintf("%d features are too many to project rotated rows onto a ball (at most %d)",
				p, maxDenseFeatures)), nil
	}
	spectrum, err := l.A.Spectrum(l.Interrupt)
	if err != nil {
		return nil, err
	}
	if useDense {
		return newRotatedDense(l, spectrum)
	}
	return newRotatedDecay(l, spectrum, nonzeros)
}

func paddedLength(p int) int { return (p + 7) &^ 7 }

// rotatedPlan runs another plan in the eigenbasis of A'A = V diag(σ) V', in which the matrix K of Plan is
// diagonal. The rows of the other plan are the rotated rows of the data.
type rotatedPlan struct {
	Plan
	name            string
	spectrum        *linalg.Spectrum
	start, constant []float64 // the arguments x and d of Begin, in the eigenbasis
	sum, point      []float64 // the results of End, in the eigenbasis
}

// newRotated returns a rotatedPlan with vectors of the given length, which is at least the number of
// features.
func newRotated(name string, spectrum *linalg.Spectrum, inEigenbasis Plan, length int) *rotatedPlan {
	p := &rotatedPlan{Plan: inEigenbasis, name: name, spectrum: spectrum}
	for _, v := range []*[]float64{&p.start, &p.constant, &p.sum, &p.point} {
		*v = make([]float64, length)
	}
	return p
}

func (p *rotatedPlan) Name() string { return p.name }

func (p *rotatedPlan) Begin(x, d []float64, eta float64) {
	p.spectrum.Rotate(p.start[:len(x)], x)
	p.spectrum.Rotate(p.constant[:len(d)], d)
	p.Plan.Begin(p.start, p.constant, eta)
}

func (p *rotatedPlan) End(sum, endpoint []float64) {
	p.Plan.End(p.sum, p.point)
	p.spectrum.Unrotate(sum, p.sum)
	if endpoint != nil {
		p.spectrum.Unrotate(endpoint, p.point)
	}
}

// rotatedBase returns the diagonalBase of a plan in the eigenbasis. Its vectors have the given length; K is 0
// at the entries beyond the number of features.
func (l *InnerLoop) rotatedBase(spectrum *linalg.Spectrum, length int) diagonalBase {
	k := make([]float64, length)
	for j, sigma := range spectrum.Sigma {
		k[j] = math.FMA(l.Rho, sigma, l.Ridge)
	}
	return newDiagonalBase(l, k)
}

// eachRow calls do for each row of the data.
func (l *InnerLoop) eachRow(do func(i int, idx []int32, val []float64)) error {
	n, _ := l.Data.Dims()
	for i := range n {
		idx, val := l.Data.Row(i)
		do(i, idx, val)
		if l.Interrupt != nil && i%256 == 0 {
			if err := l.Interrupt(); err != nil {
				return err
			}
		}
	}
	return nil
}

// rotatedDense is a plan for rotated rows that are stored as dense rows.
type rotatedDense struct {
	summedBase           // its vectors are padded like the rows
	rows       []float64 // the rotated rows, each padded to a multiple of 8 entries
}

func newRotatedDense(l *InnerLoop, spectrum *linalg.Spectrum) (Plan, error) {
	n, features := l.Data.Dims()
	stride := paddedLength(features)
	p := &rotatedDense{newSummedBase(l.rotatedBase(spectrum, stride)), make([]float64, n*stride)}
	componentMarks := make([]int32, len(spectrum.Members))
	err := l.eachRow(func(i int, idx []int32, val []float64) {
		spectrum.RotateRow(p.rows[i*stride:i*stride+features], idx, val, nil, componentMarks, int32(i+1))
	})
	if err != nil {
		return nil, err
	}
	mib := float64(len(p.rows)) * 8 / (1 << 20)
	p.reason = fmt.Sprintf("%s; %.3g MiB of dense rotated rows", spectrum, mib)
	return newRotated("rotated", spectrum, p, stride), nil
}

func (*rotatedDense) Name() string { return "dense rows" } // rotatedPlan adds this to its own name

func (p *rotatedDense) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	kernels.InnerRotated(p.w, p.sum, p.c, p.e, p.rows, p.bounds.Radius, &s, sampled)
}

// newRotatedDecay returns a decayPlan in the eigenbasis. There the rows of the data are sparse if the
// connected components of A'A (see linalg.Components) have few features. nonzeros is an upper bound of the
// number of nonzeros in the rotated data.
func newRotatedDecay(l *InnerLoop, spectrum *linalg.Spectrum, nonzeros int64) (Plan, error) {
	n, features := l.Data.Dims()
	data := kernels.Rows{
		Ptr: make([]int64, 1, n+1), Idx: make([]int32, 0, nonzeros), Val: make([]float64, 0, nonzeros),
		Cols: features,
	}
	row := make([]float64, features)
	componentMarks := make([]int32, len(spectrum.Members))
	var touched []int32
	err := l.eachRow(func(i int, idx []int32, val []float64) {
		touched = spectrum.RotateRow(row, idx, val, touched[:0], componentMarks, int32(i+1))
		for _, c := range touched {
			offset := spectrum.Offset[c]
			for j := offset; j < offset+len(spectrum.Members[c]); j++ {
				if row[j] != 0 {
					data.Idx, data.Val = append(data.Idx, int32(j)), append(data.Val, row[j])
					row[j] = 0
				}
			}
		}
		data.Ptr = append(data.Ptr, int64(len(data.Idx)))
	})
	if err != nil {
		return nil, err
	}
	rotatedLoop := *l
	rotatedLoop.Rows, rotatedLoop.scratch = data, kernels.NewScratch(data)
	p := newDecay(rotatedLoop.rotatedBase(spectrum, features))
	p.reason = fmt.Sprintf("%s; %.3g nonzeros in a rotated row", spectrum, float64(len(data.Idx))/float64(n))
	return guardPlan(l, newRotated("rotated-sparse", spectrum, p, features), p.fits), nil
}
