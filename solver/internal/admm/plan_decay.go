package admm

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// decayPlan is a plan for a diagonal K (see Plan). It stores, for each coordinate of w, its value after the
// last step whose row has an entry at this coordinate. During later steps, the coordinate decays exponentially
// to a fixed number. So a step costs only as many operations as its row has nonzeros.
type decayPlan struct {
	diagonalBase              // only End sets its w
	data         kernels.Rows // the rows of InnerLoop, or these rows times an orthogonal matrix
	state        []float64    // a cell of DecayStride numbers for each coordinate; see kernels.InnerDecay
	scratch      *kernels.Scratch
	gain         []float64 // the argument h of telescope

	askedEta float64 // argument of the last call of fits
	answer   bool    // result of the last call of fits
}

func newDecay(base diagonalBase) *decayPlan {
	p := len(base.k)
	return &decayPlan{
		diagonalBase: base, data: base.Rows, scratch: base.Scratch,
		gain: make([]float64, p), state: make([]float64, p*kernels.DecayStride),
	}
}

func (*decayPlan) Name() string { return "diagonal-decay" }

// fits reports whether the plan is accurate and fast for the step size eta. If it returns true, it has also
// set the rates of decay for eta.
func (p *decayPlan) fits(eta float64) bool {
	if p.askedEta == eta {
		return p.answer
	}
	p.askedEta, p.answer = eta, p.canTelescope(eta, p.k)
	for j, k := range p.k {
		factor := math.FMA(-eta, k, 1)
		if p.answer = p.answer && factor >= minFactor; !p.answer {
			return false
		}
		cell := p.cell(j)
		cell[kernels.DecayRate], cell[kernels.DecayFactor] = kernels.NegLog1m(1-factor), factor
	}
	return true
}

func (p *decayPlan) cell(j int) []float64 {
	return p.state[j*kernels.DecayStride : (j+1)*kernels.DecayStride]
}

func (p *decayPlan) Begin(x, d []float64, eta float64) {
	p.diagonalBase.Begin(x, d, eta)
	for j, e := range p.e {
		cell, fixedPoint := p.cell(j), e/(1-p.c[j])
		cell[kernels.DecayFixed], cell[kernels.DecayDeviation] = fixedPoint, x[j]-fixedPoint
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
	telescope(sum, p.x, p.w, p.c, p.e, p.gain, p.stepCount)
	copy(endpoint, p.w)
}

// rotatedDecayPlan is a decayPlan in the eigenbasis V of A'A, for a K that is not diagonal. There the rows of
// the data are sparse if the connected components of A'A (see linalg.Components) have few features.
type rotatedDecayPlan struct {
	*decayPlan
	spectrum        *linalg.Spectrum // eigenvalues and eigenvectors of A'A
	start, constant []float64        // the arguments x and d of Begin, in the eigenbasis
	sumInEigenbasis []float64        // the sum of the iterates
}

// newRotatedDecay returns a rotatedDecayPlan. If its method fits returns false for a step size, a densePlan
// runs instead. nonzeros is an upper bound of the number of nonzeros in the rotated data.
func newRotatedDecay(l *InnerLoop, spectrum *linalg.Spectrum, nonzeros int64) (Plan, error) {
	k := make([]float64, l.features())
	for j, sigma := range spectrum.Sigma {
		k[j] = math.FMA(l.Rho, sigma, l.Ridge)
	}
	data, err := l.rotatedData(spectrum, nonzeros)
	if err != nil {
		return nil, err
	}
	p := &rotatedDecayPlan{decayPlan: newDecay(newDiagonalBase(l, k)), spectrum: spectrum}
	p.data, p.scratch = data, kernels.NewScratch(data)
	for _, v := range []*[]float64{&p.start, &p.constant, &p.sumInEigenbasis} {
		*v = make([]float64, len(k))
	}
	n, _ := l.Data.Dims()
	p.reason = fmt.Sprintf("%s; %.3g nonzeros in a rotated row", spectrum, float64(len(data.Idx))/float64(n))
	return guardPlan(l, p), nil
}

// rotatedData returns the data matrix times the eigenbasis V of A'A. It allocates memory for the given number
// of nonzeros.
func (l *InnerLoop) rotatedData(spectrum *linalg.Spectrum, nonzeros int64) (kernels.Rows, error) {
	n, features := l.Data.Dims()
	data := kernels.Rows{Ptr: make([]int64, 1, n+1), Idx: make([]int32, 0, nonzeros), Val: make([]float64, 0, nonzeros), Cols: features}
	row := make([]float64, features)
	componentMarks := make([]int32, len(spectrum.Members))
	var touched []int32
	for i := range n {
		idx, val := l.Data.Row(i)
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
		if err := l.checkInterrupt(i); err != nil {
			return kernels.Rows{}, err
		}
	}
	return data, nil
}

func (*rotatedDecayPlan) Name() string { return "rotated-sparse" }

func (p *rotatedDecayPlan) Begin(x, d []float64, eta float64) {
	p.spectrum.Rotate(p.start, x)
	p.spectrum.Rotate(p.constant, d)
	p.decayPlan.Begin(p.start, p.constant, eta)
}

func (p *rotatedDecayPlan) End(sum, endpoint []float64) {
	p.decayPlan.End(p.sumInEigenbasis, nil)
	p.spectrum.Unrotate(sum, p.sumInEigenbasis)
	if endpoint != nil {
		p.spectrum.Unrotate(endpoint, p.w)
	}
}
