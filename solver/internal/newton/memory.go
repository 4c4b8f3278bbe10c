package newton

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Memory estimates what New and Certify or Finish take beside the problem, in bytes, for
// data cut into so many runs; where there are too many features, a Wide, with finish one
// whose working sets are full.
func (p *Problem) Memory(runs int, finish bool) int64 {
	n, features := p.Data.Dims()
	l, _ := p.A.Dims()
	switch t := newTriangle(features, p.band()); {
	case !p.A.Identity() && p.A.Matrix() == nil:
		return 0
	case t.banded() || features <= p.mostDense():
		return p.finisherMemory(t, n, l, p.Data.CompactBytes())
	case p.Absolute() && (p.Ridge > 0 || slices.Max(p.Limit) > 0):
		total := p.wideMemory(runs)
		if finish {
			total += p.setMemory()
		}
		return total
	case features <= MostFeatures:
		return p.finisherMemory(t, n, l, p.Data.CompactBytes())
	}
	return 0
}

// finisherMemory is that of a Finisher for n samples, l rows of A and data of that size in
// compact form, with a call of Finish: three matrices (the Hessian of the loss, that of
// the whole objective and its factor), two of half their order for the nonzeros, those of
// runs that are added up, the scratch of kernels and factors, and vectors.
func (p *Problem) finisherMemory(t triangle, n, l int, compact int64) int64 {
	const (
		ofSamples, ofFeatures, ofRows = 15, 30, 40
		ofTiles                       = 128 // features, in a dense factor
		ofPart                        = 12  // samples, see Sampled
	)
	total := 8 * (int64(ofSamples*n+ofFeatures*t.n+ofRows*l) + 3*int64(t.size()) + int64(t.size())/2)
	if !t.banded() {
		runs := hessianRuns(p.Data.Rows(0, n).Ptr, t.n)
		total += 8*(int64(runs-1)*int64(t.size())+int64(ofTiles*t.n)) + p.ScratchMemory()
		if partPays(n, t.n) { // a part, a part of the part and so on
			total += (compact + 8*ofPart*int64(n)) / (sampleShare - 1)
		}
	}
	return total
}

// ScratchMemory is what the kernel of Hessians takes of each goroutine.
func (p *Problem) ScratchMemory() int64 {
	const (
		longRows        = 28 // mean nonzeros from which there may be panels, by vectors
		scratch, panels = 1 << 15, 9 << 18
	)
	if n, _ := p.Data.Dims(); kernels.Active() == kernels.Generic || p.Data.NNZ() < longRows*int64(n) {
		return int64(p.threads()) * scratch
	}
	return int64(p.threads()) * panels
}

// wideMemory is that of a Wide: points, multipliers and rows of the penalty for all
// features.
func (p *Problem) wideMemory(runs int) int64 {
	const ofSamples, ofRows, ofFeatures = 5, 10, 14 // vectors
	n, features := p.Data.Dims()
	l, _ := p.A.Dims()
	total := 8 * (ofSamples*int64(n) + int64(ofFeatures+runs)*int64(features) + ofRows*int64(l))
	if a := p.A.Matrix(); a != nil {
		total += 2*12*a.NNZ() + 8*int64(l+features) // its rows and their transpose
	}
	return total
}

// setMemory is that of a Wide's working set that is full: a copy of its columns, twice
// while it is made, and a Finisher.
func (p *Problem) setMemory() int64 {
	n, features := p.Data.Dims()
	l, _ := p.A.Dims()
	k := min(features, p.mostWide())
	entries := min(p.Data.NNZ(), int64(n)*int64(k))
	return 2*12*entries + p.finisherMemory(newTriangle(k, k-1), n, min(l, 2*k), 0)
}
