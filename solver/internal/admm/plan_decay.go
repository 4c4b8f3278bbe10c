package admm

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// decayPlan is a plan for a diagonal K (see Plan). It stores, for each coordinate of w, its value after the
// last step whose row has an entry at this coordinate. During later steps, the coordinate decays
// exponentially to a fixed number. So a step costs only as many operations as its row has nonzeros.
type decayPlan struct {
	diagonalBase                     // only End sets its w
	data         kernels.Rows        // the rows of InnerLoop, or these rows times an orthogonal matrix
	cells        []kernels.DecayCell // one for each coordinate
	scratch      *kernels.Scratch
	gain         []float64 // the argument h of telescope

	askedEta float64 // argument of the last call of fits
	answer   bool    // result of the last call of fits
}

func newDecay(base diagonalBase) *decayPlan {
	p := len(base.k)
	return &decayPlan{
		diagonalBase: base, data: base.Rows, scratch: base.Scratch,
		gain: make([]float64, p), cells: make([]kernels.DecayCell, p),
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
		p.answer = p.answer && factor >= minFactor
		if !p.answer {
			return false
		}
		p.cells[j].Rate, p.cells[j].Factor = kernels.NegLog1m(1-factor), factor
	}
	return true
}

func (p *decayPlan) Begin(x, d []float64, eta float64) {
	p.diagonalBase.Begin(x, d, eta)
	for j, e := range p.e {
		c, fixedPoint := &p.cells[j], e/(1-p.c[j])
		c.Fixed, c.Deviation, c.Last, c.Gain = fixedPoint, x[j]-fixedPoint, 0, 0
	}
}

func (p *decayPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	s.Rows, s.Scratch = p.data, p.scratch
	kernels.InnerDecay(p.cells, p.stepCount, &s, sampled)
	p.stepCount += len(sampled)
}

func (p *decayPlan) End(sum, endpoint []float64) {
	for j := range p.gain {
		p.gain[j] = p.cells[j].Gain
	}
	kernels.DecayTo(p.w, p.cells, p.stepCount)
	telescope(sum, p.x, p.w, p.c, p.e, p.gain, p.stepCount)
	copy(endpoint, p.w)
}
