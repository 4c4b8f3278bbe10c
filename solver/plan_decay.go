package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// minDecayFactor is the least 1 − η k for which coordinates decay lazily.
const minDecayFactor = 0.5

// sparseRotatedPlan works in the eigenbasis of each connected component: rows
// stay sparse, since a sample touches few components, and a step costs as many
// operations as its rotated row has nonzeros. The running sum telescopes.
type sparseRotatedPlan struct {
	r        *run
	kind     kernels.LossKind
	s        *spectrum
	data     kernels.Rows // X V
	state    []float64    // see kernels.InnerDecay
	scratch  *kernels.Scratch
	k, c, e  []float64 // diagonal of K; 1 − η k; −η d
	w0, w, h []float64 // in the eigenbasis
	sum      []float64
	eta      float64 // for which rates were computed
	taken    int
	dense    *densePlan // for η k out of range
	stepwise bool
}

func newSparseRotatedPlan(r *run, kind kernels.LossKind, s *spectrum, nonzeros int64) *sparseRotatedPlan {
	p := &sparseRotatedPlan{r: r, kind: kind, s: s, dense: newDensePlan(r, "")}
	p.state = make([]float64, r.p*kernels.DecayStride)
	for _, v := range []*[]float64{&p.k, &p.c, &p.e, &p.w0, &p.w, &p.h, &p.sum} {
		*v = make([]float64, r.p)
	}
	for j, sigma := range s.sigma {
		p.k[j] = math.FMA(r.rho, sigma, r.prob.L2)
	}
	p.data = kernels.Rows{Ptr: make([]int64, 1, r.n+1), Idx: make([]int32, 0, nonzeros), Val: make([]float64, 0, nonzeros)}
	row := make([]float64, r.p)
	mark := make([]int32, len(s.members))
	var touched []int32
	for i := range r.n {
		idx, val := r.prob.Data.Row(i)
		touched = s.rotateRow(row, idx, val, touched[:0], mark, int32(i+1))
		for _, c := range touched {
			for j := s.offset[c]; j < s.offset[c]+len(s.members[c]); j++ {
				if row[j] != 0 {
					p.data.Idx, p.data.Val = append(p.data.Idx, int32(j)), append(p.data.Val, row[j])
					row[j] = 0
				}
			}
		}
		p.data.Ptr = append(p.data.Ptr, int64(len(p.data.Idx)))
	}
	p.scratch = kernels.NewScratch(p.data)
	return p
}

func (*sparseRotatedPlan) name() string { return "rotated" }

func (p *sparseRotatedPlan) explain() string {
	per := float64(len(p.data.Idx)) / float64(p.r.n)
	return fmt.Sprintf("%s; %.3g nonzeros in a rotated row", p.s.describe(), per)
}

func (p *sparseRotatedPlan) begin() {
	r := p.r
	if p.eta != r.eta {
		p.setRates()
	}
	if p.stepwise {
		p.dense.begin()
		return
	}
	p.s.rotate(p.w0, r.w)
	p.s.rotate(p.e, r.d)
	for j, d := range p.e {
		p.e[j] = -(r.eta * d)
		cell := p.state[j*kernels.DecayStride : (j+1)*kernels.DecayStride]
		fixed := p.e[j] / (1 - p.c[j])
		cell[kernels.DecayFixed], cell[kernels.DecayDeviation] = fixed, p.w0[j]-fixed
		cell[kernels.DecayLast], cell[kernels.DecayGain] = 0, 0
	}
	p.taken = 0
}

func (p *sparseRotatedPlan) setRates() {
	r := p.r
	p.eta = r.eta
	p.stepwise = !telescopes(r.eta, p.k, r.set.InnerSteps/r.dualUpdates)
	for j, k := range p.k {
		p.c[j] = math.FMA(-r.eta, k, 1)
		if p.stepwise = p.stepwise || p.c[j] < minDecayFactor; p.stepwise {
			return
		}
		cell := p.state[j*kernels.DecayStride : (j+1)*kernels.DecayStride]
		cell[kernels.DecayRate], cell[kernels.DecayFactor] = kernels.NegLog1m(1-p.c[j]), p.c[j]
	}
}

func (p *sparseRotatedPlan) advance(sampled []int32) {
	if p.stepwise {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	s.Rows, s.Scratch = p.data, p.scratch
	kernels.InnerDecay(p.state, p.taken, &s, sampled)
	p.taken += len(sampled)
}

func (p *sparseRotatedPlan) end(last bool) {
	if p.stepwise {
		return
	}
	for j := range p.h {
		p.h[j] = p.state[j*kernels.DecayStride+kernels.DecayGain]
	}
	kernels.DecayTo(p.w, p.state, p.taken)
	telescope(p.sum, p.w0, p.w, p.c, p.e, p.h, p.taken)
	p.s.unrotate(p.r.s, p.sum)
	if last {
		p.s.unrotate(p.r.w, p.w)
	}
}
