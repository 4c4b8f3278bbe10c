package admm

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// decayPlan is a plan for a diagonal K (see Plan). It stores, for each coordinate of w, its value after the
// last step whose row has an entry at this coordinate. During later steps, the coordinate decays
// exponentially to a fixed number. So a step costs only as many operations as its row has nonzeros.
type decayPlan struct {
	diagonalBase                     // only End sets its w
	cells        []kernels.DecayCell // one for each coordinate
	gain         []float64           // the argument h of telescope
}

func newDecay(base diagonalBase) *decayPlan {
	p := len(base.k)
	return &decayPlan{diagonalBase: base, gain: make([]float64, p), cells: make([]kernels.DecayCell, p)}
}

func (*decayPlan) Name() string { return "diagonal-decay" }

func (p *decayPlan) fits(eta float64) bool {
	return math.FMA(-eta, slices.Max(p.k), 1) >= minFactor && p.canTelescope(eta, p.k)
}

func (p *decayPlan) Begin(x, d []float64, eta float64) {
	sameRates := eta == p.eta
	p.diagonalBase.Begin(x, d, eta)
	for j, factor := range p.c {
		c := &p.cells[j]
		if !sameRates {
			c.Rate, c.Factor = kernels.NegLog1m(1-factor), factor
		}
		fixedPoint := p.e[j] / (1 - factor)
		c.Fixed, c.Deviation, c.Last, c.Gain = fixedPoint, x[j]-fixedPoint, 0, 0
	}
}

func (p *decayPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
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
