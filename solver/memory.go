package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// Memory estimates what a run of method m, nil for the default, keeps beside the
// problem at its peak, in bytes: the data in compact form, margins and slopes, some
// vectors of length p and l, a gradient for every run of rows that is summed apart, what
// multiplies by A', the iterates that a method stores, and what proves the gap,
// about five matrices of order p, or where there are many features what finishes, matrices of
// the size of the largest working set, which few coefficients that are not zero do not
// fill. A plan of methods asked for by name may rotate
// the data (Stats.PlanReason), which is not counted. The collector lets garbage grow by
// as much as lives, unless GOGC or GOMEMLIMIT say otherwise.
func (p *Problem) Memory(m Method) int64 {
	alone := *p
	alone.Comm, alone.joined = nil, nil // this process estimates what is its own
	p = &alone
	const (
		ofFeatures, ofRows, ofProof = 17, 10, 16 // vectors, about
		most                        = 1 << 26    // features up to which the estimate makes some
	)
	n, features := p.Data.Dims()
	l, _ := p.algebra().Dims()
	runs := rows.NewChunks(p.Data, 1).Count()
	total := p.Data.CompactBytes() + 8*(2*int64(n)+int64(ofFeatures+runs-1)*int64(features)+ofRows*int64(l))
	if a := p.algebra().Matrix(); a != nil {
		total += 3 * (12*a.NNZ() + 8*int64(l+features)) // A', and of [G; I] its parts
	}
	if m != nil && m.Info().StoredIterates {
		total += 8 * int64(n) * int64(features)
	}
	if features > most && int64(features) > p.Data.NNZ() {
		return total + 8*ofProof*int64(features)
	}
	_, finishes := m.(Auto)
	return total + exact.ProverMemory(p.forExact(p.algebra(), kernels.Rows{}, 0), runs, finishes || m == nil)
}
