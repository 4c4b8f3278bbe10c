package exact

import (
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A systemKind says how a coupled model solves its linear systems.
type systemKind int

const (
	formedSystem systemKind = iota // by a Cholesky factor; the Hessian is formed
	manyRows                       // by conjugate gradients; the Hessian is a quadratic.Implicit
	fewRows                        // the same, with the preconditioner for few rows of X
)

const (
	// With fewer features, the Hessian is formed.
	leastImplicit = 256
	// The largest number of entries below the diagonal in a column of the sparse factor in the preconditioner.
	// With more, the Hessian is formed.
	mostDegree = 1000
	// The unit of these costs is a multiplication in a blocked Cholesky factorisation.

	entryCost = 12.0 // of a visit to an entry of a sparse matrix
	dotCost   = 2.5  // of a multiplication in an inner product
	formCost  = 0.1  // of a pair of entries in forming a Hessian, which serves about 20 systems

	// Assumed numbers of iterations of the conjugate gradient method.
	manyRowsIterations, fewRowsIterations = 50.0, 4.0
)

// A systemSize has the numbers that decide how a coupled model solves its linear systems.
type systemSize struct {
	samples, features, entries float64
	pairs                      float64 // see Problem.hessianCost
	// The entries of the sparse factor in the preconditioner, and the multiplications that compute it.
	fill, multiplications float64
}

// linearSystems says how a coupled model solves its linear systems. The zero value means that the Hessian is
// formed.
type linearSystems struct {
	size systemSize
	chol *linalg.SparseCholesky // the factor for the preconditioner; nil if the Hessian is formed
}

// linearSystems returns how a coupled model for p solves its linear systems. It may take a second, because it
// chooses the order of the sparse factor.
func (p *Problem) linearSystems() (systems linearSystems) {
	_, features := p.dims()
	if p.File != nil || !p.Team.Alone() || p.isSeparable() || p.hasFeatureGroups() || p.checkLossAndA() != nil ||
		features < leastImplicit || p.formsHessians && features <= mostFeatures {
		return linearSystems{}
	}
	if p.band() < features-1 { // a band matrix has a fast Cholesky factor
		return linearSystems{}
	}
	size := p.systemSize()
	if size.kind() == formedSystem { // even without entries in the factor
		return linearSystems{}
	}
	a := p.A.Matrix()
	if a == nil {
		a = sparse.Identity(features)
	}
	chol := linalg.NewSparseCholesky(a, features, mostDegree)
	if chol == nil {
		return linearSystems{}
	}
	size.fill, size.multiplications = float64(chol.Entries()), chol.Multiplications()
	if size.kind() == formedSystem {
		return linearSystems{}
	}
	return linearSystems{size, chol}
}

// systemSize returns the size of a coupled model for p. The sparse factor is not known yet: fill and
// multiplications are 0.
func (p *Problem) systemSize() systemSize {
	n, features := p.dims()
	size := systemSize{samples: float64(n), features: float64(features)}
	size.pairs, size.entries = p.hessianCost()
	return size
}

// kind returns the cheapest kind for a coupled model of this size. Above mostFeatures features it is never
// formedSystem. The zero systemSize has the kind formedSystem.
func (z *systemSize) kind() systemKind {
	many, few := z.implicitCosts()
	switch {
	case z.formedCost() <= min(many, few) && z.features <= mostFeatures:
		return formedSystem
	case many <= few:
		return manyRows
	}
	return fewRows
}

// implicitCosts returns the costs of solving one system with the two preconditioners.
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
	share := features / z.features
	return &systemSize{
		z.samples, features, share * z.entries, share * share * z.pairs, share * z.fill, share * z.multiplications,
	}
}
