package admm

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// decayPlan is a plan that stores, for each coordinate of w, its value after the last step whose row has an
// entry at this coordinate. During later steps, the coordinate decays exponentially to a fixed number. So a
// step costs only as many operations as its row has nonzeros. If the matrix K of Plan is not diagonal,
// decayPlan works in the eigenbasis V of A'A. There the rows of the data are sparse if the connected
// components of A'A (see linalg.Components) have few features.
type decayPlan struct {
	diagonalBase                  // its vectors are in the eigenbasis if spectrum is set; only End sets its w
	spectrum     *linalg.Spectrum // eigenvalues and eigenvectors of A'A; nil if K (see Plan) is diagonal
	data         kernels.Rows     // the data matrix times the eigenbasis V, or itself if spectrum is nil
	state        []float64        // a cell of DecayStride numbers for each coordinate; see kernels.InnerDecay
	scratch      *kernels.Scratch
	// w0 is the iterate at the start of the round. gain is the argument h of telescope. sum is the sum of the
	// iterates. These vectors are in the eigenbasis if spectrum is not nil.
	w0, gain, sum []float64

	askedEta float64 // argument of the last call of fits
	answer   bool    // result of the last call of fits
}

// newRotatedDecay returns a decayPlan in the eigenbasis of A'A. If decayPlan.fits returns false for a step
// size, a densePlan runs instead. nonzeros is an upper bound of the number of nonzeros in the rotated data.
func newRotatedDecay(l *InnerLoop, spectrum *linalg.Spectrum, nonzeros int64) (Plan, error) {
	k := make([]float64, l.features())
	for j, sigma := range spectrum.Sigma {
		k[j] = math.FMA(l.Rho, sigma, l.Ridge)
	}
	p := newDecay(newDiagonalBase(l, k))
	p.spectrum = spectrum
	if err := p.rotateData(nonzeros); err != nil {
		return nil, err
	}
	p.scratch = kernels.NewScratch(p.data)
	n, _ := l.Data.Dims()
	perRow := float64(len(p.data.Idx)) / float64(n)
	p.reason = fmt.Sprintf("%s; %.3g nonzeros in a rotated row", p.spectrum, perRow)
	return guardPlan(l, p), nil
}

func newDecay(base diagonalBase) *decayPlan {
	p := &decayPlan{diagonalBase: base, data: base.Rows, scratch: base.Scratch}
	p.state = make([]float64, len(p.k)*kernels.DecayStride)
	for _, v := range []*[]float64{&p.w0, &p.gain, &p.sum} {
		*v = make([]float64, len(p.k))
	}
	return p
}

func (p *decayPlan) rotate(dst, src []float64) {
	if p.spectrum == nil {
		copy(dst, src)
		return
	}
	p.spectrum.Rotate(dst, src)
}

func (p *decayPlan) unrotate(dst, src []float64) {
	if p.spectrum == nil {
		copy(dst, src)
		return
	}
	p.spectrum.Unrotate(dst, src)
}

// rotateData sets p.data to the data matrix times the eigenbasis V (see decayPlan). It allocates memory for
// the given number of nonzeros.
func (p *decayPlan) rotateData(nonzeros int64) error {
	n, features := p.Data.Dims()
	p.data = kernels.Rows{Ptr: make([]int64, 1, n+1), Idx: make([]int32, 0, nonzeros), Val: make([]float64, 0, nonzeros), Cols: features}
	row := make([]float64, features)
	componentMarks := make([]int32, len(p.spectrum.Members))
	var touched []int32
	for i := range n {
		idx, val := p.Data.Row(i)
		touched = p.spectrum.RotateRow(row, idx, val, touched[:0], componentMarks, int32(i+1))
		for _, c := range touched {
			p.appendComponent(row, int(c))
		}
		p.data.Ptr = append(p.data.Ptr, int64(len(p.data.Idx)))
		if err := p.checkInterrupt(i); err != nil {
			return err
		}
	}
	return nil
}

// appendComponent appends the nonzeros of row in component c of A'A to the last row of p.data, and sets them
// to zero in row.
func (p *decayPlan) appendComponent(row []float64, c int) {
	offset := p.spectrum.Offset[c]
	for j := offset; j < offset+len(p.spectrum.Members[c]); j++ {
		if row[j] != 0 {
			p.data.Idx, p.data.Val = append(p.data.Idx, int32(j)), append(p.data.Val, row[j])
			row[j] = 0
		}
	}
}

func (p *decayPlan) Name() string {
	if p.spectrum == nil {
		return "diagonal-decay"
	}
	return "rotated-sparse"
}

// fits reports whether the plan is accurate and fast for the step size eta. If it returns true, it has also
// set the rates of decay for eta.
func (p *decayPlan) fits(eta float64) bool {
	if p.askedEta == eta {
		return p.answer
	}
	p.askedEta, p.answer = eta, p.canTelescope(eta, p.k)
	for j, k := range p.k {
		p.c[j] = math.FMA(-eta, k, 1)
		if p.answer = p.answer && p.c[j] >= minFactor; !p.answer {
			return false
		}
		cell := p.cell(j)
		cell[kernels.DecayRate], cell[kernels.DecayFactor] = kernels.NegLog1m(1-p.c[j]), p.c[j]
	}
	return true
}

func (p *decayPlan) cell(j int) []float64 {
	return p.state[j*kernels.DecayStride : (j+1)*kernels.DecayStride]
}

func (p *decayPlan) Begin(x, d []float64, eta float64) {
	p.eta, p.stepCount = eta, 0
	p.rotate(p.w0, x)
	p.rotate(p.e, d)
	for j, d := range p.e {
		p.e[j] = -(eta * d)
		cell, fixedPoint := p.cell(j), p.e[j]/(1-p.c[j])
		cell[kernels.DecayFixed], cell[kernels.DecayDeviation] = fixedPoint, p.w0[j]-fixedPoint
		cell[kernels.DecayLast], cell[kernels.DecayGain] = 0, 0
	}
}

func (p *decayPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	s.Rows, s.Scratch = p.data, p.scratch
	kernels.InnerDecay(p.state, p.stepCount, &s, sampled)
	p.stepCount += len(sampled)
}

func (p *decayPlan) End(sum, endpoint []float64) {
	for j := range p.gain {
		p.gain[j] = p.cell(j)[kernels.DecayGain]
	}
	kernels.DecayTo(p.w, p.state, p.stepCount)
	telescope(p.sum, p.w0, p.w, p.c, p.e, p.gain, p.stepCount)
	p.unrotate(sum, p.sum)
	if endpoint != nil {
		p.unrotate(endpoint, p.w)
	}
}
