package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/pass"
)

// Memory estimates what a run of method m, nil for the default, keeps beside the
// problem at its peak, in bytes: the data in compact form, margins and slopes, some
// vectors of length p and l, a gradient for every run of rows that is summed apart, what
// multiplies by A', the iterates that a method stores, and what proves the gap,
// three matrices of order p, or where there are many features what finishes, matrices of
// the size of the largest working set, which few coefficients that are not zero do not
// fill. p and l do not count columns that leave the problem (Minimize), for which an index
// and the vectors of the Result are all. A plan of methods asked for by name may rotate
// the data (Stats.PlanReason), which is not counted. The collector lets garbage grow by
// as much as lives, unless GOGC or GOMEMLIMIT say otherwise.
func (p *Problem) Memory(m Method) int64 {
	alone := *p
	alone.Comm = nil // this process estimates what is its own
	part, _, k := leaveOut(&alone, &Settings{})
	total := part.memory(m)
	if k != nil {
		_, cols := p.Data.Dims()
		l, _ := p.algebra().Dims()
		total += 4*p.Data.NNZ() + int64(cols)/4 + 8*(2*int64(cols)+3*int64(l))
		if part.Constraint != nil {
			total += 4 * int64(cols) // components of A
		}
	}
	return total
}

// memory is Memory where every column stays.
func (p *Problem) memory(m Method) int64 {
	const ofFeatures, ofRows = 17, 10 // vectors, about
	n, features := p.Data.Dims()
	l, _ := p.algebra().Dims()
	runs := pass.NewChunks(p.Data, 1).Count()
	total := p.Data.CompactBytes() + 8*(2*int64(n)+int64(ofFeatures+runs-1)*int64(features)+ofRows*int64(l))
	a, _ := p.matrix()
	if a != nil {
		total += 3 * (12*a.NNZ() + 8*int64(l+features)) // A', and of [G; I] its parts
	}
	if m != nil && m.Info().StoredIterates {
		total += 8 * int64(n) * int64(features)
	}
	_, finishes := m.(Auto)
	return total + exact.ProverMemory(p.forExact(p.algebra(), kernels.Rows{}, 0), runs, finishes || m == nil)
}
