package model

import (
	"cmp"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/sparse"
)

// Fits describes the calls for which Spec.EstimateMemory estimates the memory. The zero value is a call of
// Fit for numbers or two classes.
type Fits struct {
	Classes int // number of different labels; 0 if the labels are numbers
	Lambdas int // number of lambdas of Path or CV; 0 for Fit
	Folds   int // number of folds of CV; 0 for Fit and Path
}

// EstimateMemory estimates the bytes that Fit, Path or CV needs at its peak with the rows in memory, in
// addition to x and the labels. The estimate includes the slices of s, copies of the rows, the solver, and
// the models. EstimateMemory may read the rows of x, and ignores Spec.Memory. If s is not valid, the estimate
// means nothing, and Fit returns the error. The garbage collector may let the heap grow to twice the memory
// in use; see GOGC and GOMEMLIMIT.
func (s *Spec) EstimateMemory(x *sparse.CSR, fits Fits) int64 {
	n, p := x.Dims()
	problems, parallelFits, spec := int64(1), int64(1), *s
	spec.Memory = 0
	threads := spec.parallelFits()
	if fits.Classes > 2 {
		problems, parallelFits = int64(fits.Classes), int64(min(fits.Classes, threads))
	}
	if parallelFits > 1 {
		spec.Threads = 1
	}
	isPath := fits.Lambdas > 0 || fits.Folds > 0
	fitMemory := spec.memoryOf(x, isPath)
	modelBytes := problems * 8 * int64(p+1)
	// A coefficient that is not zero takes 12 bytes: an index and a value. Assume that the mean number of
	// such coefficients is half of min(n, p).
	if fits.Lambdas > 0 {
		modelBytes = problems * int64(fits.Lambdas) * 12 * int64(min(n, p)) / 2
	}
	totalBytes := fitMemory.sharedBytes + parallelFits*(fitMemory.rowBytes+fitMemory.solverBytes)
	if fits.Folds > 0 {
		foldMemory := fitMemory
		if threads > 1 && spec.Threads != 1 {
			spec.Threads = 1
			foldMemory = spec.memoryOf(x, isPath)
		}
		const scoreBytes = 24 // bytes of a margin, a score and a weight
		const labelBytes = 24 // bytes of a label, a weight and an offset
		k, tableBytes := int64(fits.Folds), matrixBytes(n, x.NNZ())
		fittedRows := foldMemory.sharedBytes + foldMemory.rowBytes + labelBytes*int64(n)
		keptBytes := int64(0) // the rows with a column of ones, from which folds select theirs
		if s.NoIntercept {
			fittedRows += tableBytes // otherwise sharedBytes has the selected rows
		} else {
			keptBytes = matrixBytes(n, x.NNZ()+int64(n))
		}
		fittedBytes := (k - 1) * fittedRows / k
		heldBytes := (tableBytes + labelBytes*int64(n) + scoreBytes*problems*int64(n)) / k
		foldBytes := fittedBytes + heldBytes + foldMemory.solverBytes
		totalBytes = max(totalBytes, keptBytes+min(int64(threads), k)*foldBytes) +
			labelBytes*int64(n)
	}
	return totalBytes + modelBytes + s.bytes()
}

// bytes returns the memory of the slices, the matrix and the graph of s.
func (s *Spec) bytes() int64 {
	const edgeBytes, groupBytes = 16, 24
	totalBytes := 8 * int64(len(s.SampleWeights)+len(s.Offsets)+len(s.PenaltyFactors))
	if s.A != nil {
		rows, _ := s.A.Dims()
		totalBytes += matrixBytes(rows, s.A.NNZ())
	}
	if s.Graph != nil {
		totalBytes += edgeBytes * int64(len(s.Graph.Edges()))
	}
	if g, ok := s.Penalty.(GroupLasso); ok {
		for _, members := range g.Groups {
			totalBytes += groupBytes + 8*int64(len(members))
		}
	}
	if b, ok := s.Domain.(solver.Box); ok {
		totalBytes += 8 * int64(len(b.Lower)+len(b.Upper))
	}
	return totalBytes
}

func matrixBytes(rows int, entries int64) int64 { return 8*int64(rows+1) + 12*entries }

// A memoryEstimate is an estimate of the bytes that the fit of one problem needs.
type memoryEstimate struct {
	sharedBytes int64 // bytes of a fitData
	rowBytes    int64 // bytes of other copies of the rows and labels
	solverBytes int64 // all other bytes of the fit
}

// manyFeatures is the number of features above which memoryOf may make a rough estimate. A better estimate
// would allocate vectors with an entry for each feature.
const manyFeatures = 1 << 26

// memoryOf estimates the memory of the fit of one problem, for one lambda or, if isPath is true, for many.
func (s *Spec) memoryOf(x *sparse.CSR, isPath bool) memoryEstimate {
	// Numbers of vectors that have one entry for each feature:
	const (
		designVectors = 10 // in a design and its penalty
		fitVectors    = 50 // in the whole fit, for the rough estimate (see manyFeatures)
	)
	n, p := x.Dims()
	entries, columns := x.NNZ(), int64(p)
	m := memoryEstimate{rowBytes: 2 * 8 * int64(n)}
	if s.weighs() {
		m.rowBytes += 8 * int64(n)
	}
	if !s.NoIntercept {
		columns, entries = columns+1, entries+int64(n)
		m.sharedBytes += matrixBytes(n, entries)
	}
	m.solverBytes = 8 * designVectors * columns
	if p > manyFeatures && columns > entries {
		m.solverBytes = 8 * fitVectors * columns
		return m
	}
	d := &design{spec: s, n: n, p: p, x: x, loss: s.loss(), scale: slices.Repeat([]float64{1}, p)}
	if s.check(n, p) != nil {
		return m
	}
	d.factors = s.factors(p)
	penalty, err := d.penalty()
	if err != nil {
		return m
	}
	d.manyLambdas = isPath
	q := d.exactProblem(penalty)
	q.Data, q.HasOnes = x, !s.NoIntercept
	m.sharedBytes += x.CompactBytes()
	if s.needsMinimize() || d.unsupportedDomain() || q.Refusal() != nil {
		d.addMinimizerMemory(q, &m)
		return m
	}
	m.solverBytes += q.Memory()
	return m
}

// addMinimizerMemory adds to m the memory of a fit by solver.Minimize. q is the problem of d for package
// exact.
func (d *design) addMinimizerMemory(q *exact.Problem, m *memoryEstimate) {
	bareSpec := *d.spec // bareSpec gets settings for which newMinimizer does not copy the rows
	copies := int64(0)
	if d.spec.standardizes() || d.sqrtPenaltyFactors() != nil {
		copies, bareSpec.Standardize, bareSpec.PenaltyFactors = copies+1, StandardizeOff, nil
	}
	if d.spec.Offsets != nil && !d.loss.Traits().DependsOnResidual {
		copies++
	}
	// solver.Minimize stores the rows once more in the form of the kernels.
	m.rowBytes += copies*matrixBytes(d.n, d.x.NNZ()+int64(d.n)) + d.x.CompactBytes()
	bareSpec.NoIntercept, bareSpec.Offsets = true, nil
	bareDesign := *d
	bareDesign.spec = &bareSpec
	g, err := bareDesign.newMinimizer()
	if err != nil {
		return
	}
	problem := g.problemFor(1)
	_, isAuto := cmp.Or[solver.Method](d.spec.Method, solver.Auto{}).(solver.Auto)
	// Only q has the intercept. With it, the proof may take more memory than the fit of problem.
	m.solverBytes += max(problem.Memory(d.spec.Method)-d.x.CompactBytes(), exact.ProverMemory(q, isAuto))
}
