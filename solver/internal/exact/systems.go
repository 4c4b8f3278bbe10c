package exact

import (
	"math"
	"math/bits"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/sparse"
)

const (
	// With p features, a row of A is long if it has more than longPart·√p entries. The sparse factor leaves it out, see
	// quadratic.Implicit.
	longPart = 10
	// With fewer features, the Hessian is formed.
	leastImplicit = 256
	// The largest number of multiplications for the sparse factor of A'A. If it needs more, or if a factor of the
	// Hessian needs fewer, the Hessian is formed.
	mostMultiplications = 5e9
	// The unit of these costs is a multiplication in a blocked Cholesky factorisation.

	entryCost = 12.0 // of a visit to an entry of a sparse matrix
	dotCost   = 2.5  // of a multiplication in an inner product
	formCost  = 0.1  // of a pair of entries in forming a Hessian, which serves about 20 systems

	// The costs assume these numbers of iterations of the conjugate gradient method. With the kind ManyRows, most
	// systems need about usualManyRows iterations, but some need many more; so its cost assumes manyRowsIterations.
	// Only the choice between ManyRows and Formed assumes usualManyRows, because the Hessian can still be formed later.
	manyRowsIterations, usualManyRows, fewRowsIterations, sparseRowsIterations = 50.0, 20.0, 4.0, 3.0
)

// A systemSize has the numbers that decide how a coupled model solves its linear systems.
type systemSize struct {
	samples, features, entries float64
	pairs                      float64 // see Problem.hessianCost
	// The entries of the sparse factor in the preconditioner, and the multiplications that compute it.
	fill, multiplications float64
	sparseRows            bool // the factor is one of A'A + X'X: the kind is quadratic.SparseRows
	longRows              int  // the number of rows of A that the factor leaves out
}

// linearSystems says how a coupled model solves its linear systems. The zero value means that the Hessian is
// formed.
type linearSystems struct {
	size systemSize
	chol *linalg.SparseCholesky // the factor for the preconditioner; nil if the Hessian is formed
}

// linearSystems returns how a coupled model for p solves its linear systems. It may take some seconds, because
// it chooses the orders of sparse factors.
func (p *Problem) linearSystems() (systems linearSystems) {
	_, features := p.dims()
	if p.File != nil || !p.Team.Alone() || p.isSeparable() || p.hasFeatureGroups() || p.checkLossAndA() != nil ||
		features < leastImplicit || p.formsHessians && features <= mostFeatures {
		return linearSystems{}
	}
	size := p.systemSize()
	if size.kind() == quadratic.Formed { // the sparse factor would make the other kinds only slower
		return linearSystems{}
	}
	a := p.A.Matrix()
	if a == nil {
		a = sparse.Identity(features)
	}
	a, size.longRows = quadratic.WithoutLongRows(a, int(longPart*math.Sqrt(float64(features))))
	limit := mostMultiplications
	if features <= mostFeatures {
		limit = min(limit, size.formedCost()/entryCost)
	}
	chol := linalg.NewSparseCholesky(a, features, limit)
	if chol == nil {
		return linearSystems{}
	}
	systems = linearSystems{size, chol}
	systems.size.setFactor(chol)
	systems.addRows(p, a)
	if systems.size.kind() == quadratic.Formed {
		return linearSystems{}
	}
	return systems
}

// addRows replaces the factor of A'A by a factor of A'A + X'X, if a system then takes less time.
func (s *linearSystems) addRows(p *Problem, a *sparse.CSR) {
	size := s.size
	limit := size.cost()
	if size.sparseRowsCost() > limit { // the factor of A'A + X'X has more entries than that of A'A
		return
	}
	// A Cholesky factor with f entries in k columns needs at least f²/(2k) multiplications.
	if f := neighbourPairs(p.Data); entryCost*f*f/(2*size.features) > limit {
		return
	}
	x := p.Data
	if p.HasOnes {
		n, _ := x.Dims()
		ones := must(sparse.FromDense(1, n, slices.Repeat([]float64{1}, n)))
		x = must(sparse.Stack(x.Transpose(), ones)).Transpose()
	}
	chol := linalg.NewSparseCholesky(must(sparse.Stack(a, x)), int(size.features), limit/entryCost)
	if chol == nil {
		return
	}
	size.setFactor(chol)
	size.sparseRows = true
	if size.sparseRowsCost() <= limit {
		*s = linearSystems{size, chol}
	}
}

// neighbourPairs estimates the number of pairs of columns that have entries in the same row of x. Two columns with
// entries in m common rows occur together m times. The estimate is the sum of 1/m over all occurrences, from the
// values of m at a sample of 64 occurrences.
func neighbourPairs(x *sparse.CSR) float64 {
	const sampleSize = 64
	n, cols := x.Dims()
	total := pairs(x) - float64(x.NNZ()) // the number of occurrences
	if total == 0 {
		return 0
	}
	// Bit k is set at the two columns of occurrence k of the sample.
	first, second := make([]uint64, cols), make([]uint64, cols)
	k, passed := 0, 0.0
	for i := range n {
		idx, _ := x.Row(i)
		length := len(idx)
		passed += linalg.PairsOf(length) - float64(length)
		for ; k < sampleSize && total/sampleSize*(float64(k)+0.5) < passed; k++ {
			a := 7 * k % length
			b := (a + 1 + 13*k%(length-1)) % length
			first[idx[a]] |= 1 << k
			second[idx[b]] |= 1 << k
		}
	}
	var count [sampleSize]float64 // m for each occurrence of the sample
	for i := range n {
		var hasFirst, hasSecond uint64
		idx, _ := x.Row(i)
		for _, j := range idx {
			hasFirst |= first[j]
			hasSecond |= second[j]
		}
		for both := hasFirst & hasSecond; both != 0; both &= both - 1 {
			count[bits.TrailingZeros64(both)]++
		}
	}
	sum := 0.0
	for _, m := range count[:k] {
		sum += 1 / m
	}
	return total / sampleSize * sum
}

// setFactor sets the numbers that describe the sparse factor.
func (z *systemSize) setFactor(chol *linalg.SparseCholesky) {
	z.fill, z.multiplications = float64(chol.Entries()), chol.Multiplications()
}

// systemSize returns the size of a coupled model for p. The sparse factor is not known yet: fill and
// multiplications are 0.
func (p *Problem) systemSize() systemSize {
	n, features := p.dims()
	size := systemSize{samples: float64(n), features: float64(features)}
	size.pairs, size.entries = p.hessianCost()
	return size
}

// kind returns the cheapest kind for a coupled model of this size. Above mostFeatures features it is never Formed.
// The zero systemSize has the kind Formed.
func (z *systemSize) kind() quadratic.SystemKind {
	many, few := z.implicitCosts()
	least := many - float64((manyRowsIterations-usualManyRows)*z.iterationCost())
	switch {
	case z.sparseRows:
		return quadratic.SparseRows
	case z.formedCost() <= min(least, few) && z.features <= mostFeatures:
		return quadratic.Formed
	case many <= few:
		return quadratic.ManyRows
	}
	return quadratic.FewRows
}

// cost returns the cost of solving one system, if the sparse factor is one of A'A.
func (z *systemSize) cost() float64 {
	many, few := z.implicitCosts()
	if z.features > mostFeatures {
		return min(many, few)
	}
	return min(many, few, z.formedCost())
}

// sparseRowsCost returns the cost of solving one system, if the sparse factor is one of A'A + X'X.
func (z *systemSize) sparseRowsCost() float64 {
	return float64(entryCost*(z.multiplications+z.pairs)) + float64(sparseRowsIterations*z.iterationCost())
}

// implicitCosts returns the costs of solving one system with the first two preconditioners.
func (z *systemSize) implicitCosts() (manyRows, fewRows float64) {
	n, m := z.samples, z.features
	manyRows = float64(entryCost*z.multiplications) + float64(manyRowsIterations*z.iterationCost())
	fewRows = float64(dotCost/2*n*n*m) + n*n*n/6 + float64(n*z.entries) +
		float64(entryCost*(z.multiplications+float64(n*(z.fill+m)))) + float64(fewRowsIterations*z.iterationCost())
	return manyRows, fewRows
}

// formedCost returns the cost of solving one system if the Hessian is formed.
func (z *systemSize) formedCost() float64 {
	return z.features*z.features*z.features/6 + float64(formCost*z.pairs)
}

// iterationCost returns the cost of one iteration of the conjugate gradient method.
func (z *systemSize) iterationCost() float64 {
	return entryCost * 2 * (z.entries + z.fill + float64(2*z.features))
}

// part returns about the size for some of the features.
func (z *systemSize) part(features float64) *systemSize {
	part, share := *z, features/z.features
	part.features = features
	part.entries *= share
	part.pairs *= share * share
	part.fill *= share
	part.multiplications *= share
	return &part
}
