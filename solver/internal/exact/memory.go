package exact

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// The most bytes for an entry of X: in the transpose of X, and in a copy of the rows.
const transposeBytes, rowBytes = 12, 10

// Memory estimates the bytes that a Solver needs in addition to the problem.
func (q *Problem) Memory() int64 {
	n, features := q.dims()
	switch {
	case q.hasFeatureGroups():
		return q.memoryGrouped()
	case !q.isSeparable():
		return q.memoryCoupled(q.linearSystems())
	}
	columns, support := mostFormedColumns(q)
	k, h, entries := int64(columns), int64(support), q.entries()
	total := 8*(14*int64(n)+14*int64(features)) + q.sumsMemory()
	cheap := q.hasCheapHessian()
	if !cheap && q.estimatesHelp() {
		total += 8 * gap.MostReferences * (int64(n) + int64(features))
	}
	if q.gramServes(cheap) {
		// Two matrices for the growing Gram matrix, one for its submatrix of the support, and two for
		// the growing Cholesky factor of the submatrix.
		const matrices = 5
		// With more columns than rows the set does not get all columns, see gram.prove. At most n columns are
		// in the support; assume that the set has twice as many.
		order := int64(min(features, 2*n, defaultWorking))
		total += 8 * matrices * order * order
		if !cheap {
			total += 8 * int64(n) * int64(features)
		}
		return total + scratchMemory(n, entries, q.Threads)
	}
	stored := q.storedEntries()
	total += q.zerosMemory()
	// The Hessian, and four matrices for the support: the submatrix of the Hessian, and three for its growing
	// Cholesky factor. Cholesky.Append copies the factor to memory of about 1.6 times the size.
	total += 8 * (k*k + 4*h*h)
	if enoughSamples(n, features) {
		total += ((transposeBytes+rowBytes)*stored + q.zerosMemory()) / sampleShare
	}
	if !cheap {
		total += transposeBytes*stored + rowBytes*min(stored, int64(n)*k)
	}
	if q.ManyLambdas {
		total += 8 * (4*int64(features) + int64(n)) // see pastSolutions, state.sizes and memorySamples.pastMargin
	}
	if q.ManyLambdas && !cheap {
		total += 8 * k * k // the former Hessian, see growHessian
	}
	return total + scratchMemory(n, stored, q.Threads)
}

// storedEntries returns the number of entries of Rows in a Solver without a Gram matrix, see storesZeros.
func (q *Problem) storedEntries() int64 {
	if !q.storesZeros() {
		return q.entries()
	}
	n, features := q.dims()
	return int64(n) * int64(features)
}

// zerosMemory returns an upper bound of the bytes of the rows that withZeros makes, or 0 if a Solver does not
// store zeros.
func (q *Problem) zerosMemory() int64 {
	if !q.storesZeros() {
		return 0
	}
	return 10 * q.storedEntries()
}

// sumsMemory returns the bytes of the gradients that rows.Sums computes, one for each chunk of the rows.
func (q *Problem) sumsMemory() int64 {
	_, features := q.dims()
	return 8 * int64(rows.NewChunks(q.Data, 1).Count()*features)
}

// For a single lambda, mostFormedColumns multiplies leastVisits by singlePart. A single fit forms most
// Hessians far from the optimum. There it forms only Hessians that cost less than leastVisits.
const singlePart = 0.5

// mostFormedColumns estimates the largest number of columns of a Hessian that a Solver forms, and how many of
// them are in the support. It does not know which columns these are. For their number of entries it takes the
// geometric mean of two guesses: that they are average columns, and that they are the columns with the most
// entries. It assumes that half of the columns are in the support; with a ridge, that all are.
func mostFormedColumns(p *Problem) (columns, support int) {
	n, features := p.dims()
	part := 0.5
	if isPositive := func(r float64) bool { return r > 0 }; slices.ContainsFunc(p.Ridge, isPositive) ||
		slices.ContainsFunc(p.FixedRidge, isPositive) {
		part = 1
	}
	if !p.Team.Alone() { // the Hessian is always formed
		columns = min(features, defaultWorking)
		return columns, int(part * float64(columns))
	}
	counts := columnCounts(p)
	slices.SortFunc(counts, func(a, b float64) int { return cmp.Compare(b, a) })
	mostEntries, meanCount, mostVisits := 0.0, 0.0, leastVisits
	for _, c := range counts {
		meanCount += c / float64(len(counts))
	}
	if !p.ManyLambdas {
		mostVisits *= singlePart
	}
	for k, c := range counts[:min(len(counts), defaultWorking)] {
		mostEntries += c
		entries := math.Sqrt(mostEntries * meanCount * float64(k+1))
		// There are at least leastPairs pairs of entries in the same row: as many as if all rows had the same
		// number of entries.
		leastPairs := float64(entries * (entries/float64(n) + 1) / 2)
		if leastPairs+denseCost(k+1, part*float64(k)) <= mostVisits*visitCost*entries {
			columns, support = k+1, int(part*float64(k+1))
		}
	}
	return columns, support
}

func columnCounts(p *Problem) []float64 {
	n, features := p.dims()
	counts := make([]float64, features)
	for i := range n {
		idx, _ := p.Data.Row(i)
		for _, j := range idx {
			counts[j]++
		}
	}
	if p.HasOnes {
		counts[features-1] = float64(n)
	}
	return counts
}

// candidateCount returns the number of features that may enter working sets: features with entries in X, and
// features that share a row of A with others.
func candidateCount(p *Problem) (count int) {
	useCounts := columnCounts(p)
	if a := p.A.Matrix(); a != nil {
		for i := range len(p.Limit) {
			if idx, _ := a.Row(i); len(idx) > 1 {
				for _, j := range idx {
					useCounts[j]++
				}
			}
		}
	}
	for _, u := range useCounts {
		if u > 0 {
			count++
		}
	}
	return count
}

// denseCoupledMemory estimates the bytes of a Solver with a dense coupled model. n is the number of samples,
// and rows the number of rows of A.
func denseCoupledMemory(features, n, rows int) int64 {
	// Matrices with a row for each feature: the Hessians of the loss and of the model, the matrix of the linear
	// systems, and its factor. The rest is a margin, found by measurements.
	const matrices = 4.5
	const tileColumns = 128 // number of columns of a dense factor that are stored twice
	return vectorsMemory(features, n, rows) + int64(8*matrices)*int64(features)*int64(features) +
		int64(8*tileColumns*features)
}

// vectorsMemory estimates the bytes of the vectors of a Solver with a coupled model.
func vectorsMemory(features, n, rows int) int64 {
	// Numbers of vectors that have an entry for each sample, for each feature, and for each row of A.
	const sampleVectors, featureVectors, rowVectors = 15, 30, 40
	return 8 * int64(sampleVectors*n+featureVectors*features+rowVectors*rows)
}

// memoryCoupled returns the result of Memory for a coupled problem.
func (q *Problem) memoryCoupled(systems linearSystems) int64 {
	// Number of vectors with an entry for each sample, in the smaller problem that startBySamples solves.
	const subproblemVectors = 12
	n, features := q.dims()
	l, _ := q.A.Dims()
	total := q.sumsMemory() + q.zerosMemory()
	if systems.chol != nil {
		total += systems.size.implicitMemory(l)
	} else {
		total += denseCoupledMemory(features, n, l) + scratchMemory(n, q.storedEntries(), q.Threads)
	}
	if enoughSamples(n, features) {
		total += (q.Data.CompactBytes() + 12*q.entries() + q.zerosMemory() + 8*subproblemVectors*int64(n)) /
			(sampleShare - 1)
	}
	return total
}

// memoryGrouped returns the result of Memory for a problem with a grouped model. At the solution, about as many
// groups as there are samples can be non-zero. memoryGrouped assumes that a working set has at most three times
// as many groups. If it needs more columns than a grouped model has, a coupled model follows.
func (q *Problem) memoryGrouped() int64 {
	const sampleVectors, featureVectors = 14, 30
	// Matrices with a row for each column of the set: the Hessian, the matrix of a Newton step, its factor, and
	// garbage from smaller sets.
	matrices := int64(4)
	if q.ManyLambdas {
		matrices++ // the former Hessian, see growHessian
	}
	n, features := q.dims()
	largest, stored := 1, q.storedEntries()
	for _, group := range q.Groups {
		largest = max(largest, len(group))
	}
	needed := min(features, 3*n*largest)
	k := min(needed, q.mostInGroupSet(), q.mostGrouped())
	if enoughSamples(n, features) {
		stored += stored / sampleShare
	}
	total := 8*(matrices*int64(k)*int64(k)+sampleVectors*int64(n)+featureVectors*int64(features)) +
		q.sumsMemory() + q.zerosMemory() + scratchMemory(n, stored, q.Threads) + transposeBytes*stored +
		rowBytes*min(stored, int64(n)*int64(k))
	if needed > k {
		size := q.systemSize()
		total += size.implicitMemory(features)
	}
	return total
}

// scratchMemory estimates the bytes of scratch memory of the Hessian kernel, in all goroutines. n is the
// number of rows, and stored the number of their stored entries.
func scratchMemory(n int, stored int64, threads int) int64 {
	const (
		// The kernels may copy rows to dense panels if rows have at least this number of entries on average.
		longRows        = 28
		scratch, panels = 1 << 15, 9 << 18 // bytes for one goroutine, without and with panels
	)
	if kernels.Active() == kernels.Generic || stored < longRows*int64(n) {
		return int64(rows.Threads(threads)) * scratch
	}
	return int64(rows.Threads(threads)) * panels
}

// setSolverMemory estimates the bytes that a setSolver needs in addition to the problem: for proofs of gaps
// and, if finish is set, for solving problems on the largest working sets.
func setSolverMemory(p *Problem, systems linearSystems, finish bool) int64 {
	// Numbers of vectors that have an entry for each sample, for each row of A, and for each feature.
	const sampleVectors, rowVectors, featureVectors = 7, 10, 14
	n, features := p.dims()
	l, _ := p.A.Dims()
	total := 8*(sampleVectors*int64(n)+featureVectors*int64(features)+rowVectors*int64(l)) + p.sumsMemory()
	if a := p.A.Matrix(); a != nil {
		total += 2*12*a.NNZ() + 8*int64(l+features) // the rows of A and their transpose
	}
	if !finish {
		return total
	}
	// A working set needs a Solver and, for a while, two copies of its columns.
	k := min(candidateCount(p), mostInSet(p, systems))
	total += 2 * 12 * min(p.entries(), int64(n)*int64(k))
	if systems.chol != nil {
		return total + systems.size.part(float64(k)).implicitMemory(min(l, 2*k))
	}
	return total + denseCoupledMemory(k, n, min(l, 2*k))
}

// implicitMemory estimates the bytes of a Solver with a coupled model whose Hessian is implicit. rows is the
// number of rows of A. It does not count the matrices of a Hessian that is formed after giveUpImplicit, which few
// problems need: up to 600 MB.
func (z *systemSize) implicitMemory(rows int) int64 {
	// Bytes for an entry of the factor of the preconditioner, and numbers for a feature, with those needed to
	// find the order of the factor.
	const fillBytes, orderVectors = 32, 15
	// For SparseRows: bytes for an entry of X in the rows of the factor, and for a pair of entries in a row.
	const rowEntryBytes, pairBytes = 24, 4
	n, features := int(z.samples), int(z.features)
	total := vectorsMemory(features, n, rows) + transposeBytes*int64(z.entries) +
		fillBytes*int64(z.fill) + 8*orderVectors*int64(features)
	few := int64(z.longRows) // the rows in quadratic.fewRows
	switch z.kind() {
	case quadratic.FewRows:
		few += int64(n)
	case quadratic.SparseRows:
		total += int64(rowEntryBytes*z.entries) + int64(pairBytes*z.pairs)
	}
	return total + 8*(2*few*int64(features)+2*few*few)
}
