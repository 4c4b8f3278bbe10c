package solver

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// Memory estimates the largest number of bytes that a run of method m uses in addition to the problem; a nil
// m is the default method. If there are many features, it counts the largest possible working set, which few
// runs reach. Memory does not count a rotated copy of the data (see Settings.NoRotation). The garbage
// collector lets the heap grow to about twice the memory in use, unless GOGC or GOMEMLIMIT say otherwise.
func (p *Problem) Memory(m Method) int64 {
	singleProcess := *p
	singleProcess.Comm, singleProcess.joinedTeam = nil, nil
	p = &singleProcess
	const (
		// Numbers of vectors that have an entry for each feature, for each row of A, and for each feature.
		featureVectors, rowVectors, proofVectors = 17, 10, 16
		// With more than maxFeatures features, and fewer entries than features, Memory does not call
		// ProverMemory, which allocates vectors.
		maxFeatures = 1 << 26
	)
	n, features := p.Data.Dims()
	l, _ := p.algebra().Dims()
	chunkCount := rows.NewChunks(p.Data, 1).Count()
	total := p.Data.CompactBytes() +
		8*(2*int64(n)+int64(featureVectors+chunkCount-1)*int64(features)+rowVectors*int64(l))
	if a := p.algebra().Matrix(); a != nil {
		total += 3 * (12*a.NNZ() + 8*int64(l+features)) // copies of A, A' and parts of them
	}
	if m != nil && m.Info().StoredIterates {
		total += 8 * int64(n) * int64(features)
	}
	if features > maxFeatures && int64(features) > p.Data.NNZ() {
		return total + 8*proofVectors*int64(features)
	}
	_, isAuto := m.(Auto)
	return total + exact.ProverMemory(p.exactProblem(p.algebra(), kernels.Rows{}, 0), isAuto || m == nil)
}
