package solver

import "github.com/scas-admm/scas/solver/internal/pass"

// Memory estimates what a run of method m, nil for the default, takes beside the
// problem, in bytes, where A = I: the data in compact form, margins and slopes, some
// vectors, a gradient for every run of rows that is summed apart, and the iterates
// that a method stores. With a graph the vectors have an entry per row of A, too,
// and the plan may rotate the data (Stats.PlanReason).
func (p *Problem) Memory(m Method) int64 {
	const vectors = 26 // of length p, about
	n, features := p.Data.Dims()
	runs := int64(pass.NewChunks(p.Data, 1).Count())
	total := p.Data.CompactBytes() + 2*8*int64(n) + (vectors+runs-1)*8*int64(features)
	if m != nil && m.Info().StoredIterates {
		total += 8 * int64(n) * int64(features)
	}
	return total
}
