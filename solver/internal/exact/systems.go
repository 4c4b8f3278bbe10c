package exact

import "github.com/scas-admm/scas/solver/internal/linalg"

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
	mostDegree = 500
	// Costs for one linear system, in multiplications of a blocked Cholesky factorisation: of a visit to an entry
	// of a sparse matrix, of a multiplication in an inner product, and of a multiplication when the Hessian is
	// formed. The Hessian is formed once for about 20 systems.
	entryCost, dotCost, formCost = 12.0, 2.5, 0.1
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

// systemKind returns the cheapest kind for a coupled model.
func (p *Problem) systemKind() systemKind {
	size, _ := p.linearSystems()
	return size.kind()
}

// linearSystems returns the size of the linear systems of a coupled model, and the sparse factor for the
// preconditioner. The factor is nil if the Hessian is formed.
func (p *Problem) linearSystems() (size systemSize, chol *linalg.SparseCholesky) {
	n, features := p.dims()
	a := p.A.Matrix()
	inBox := p.Set == nil
	if !inBox {
		_, inBox = p.Set.Box()
	}
	if p.File != nil || !p.Team.Alone() || p.Square != nil || p.Groups != nil || !inBox || a == nil ||
		features < leastImplicit || p.formsHessians && features <= mostFeatures || p.band() < features-1 {
		return systemSize{}, nil
	}
	size = systemSize{samples: float64(n), features: float64(features)}
	size.pairs, size.entries = p.hessianCost()
	if size.kind() == formedSystem { // even without entries in the factor
		return size, nil
	}
	chol = linalg.NewSparseCholesky(a, features, mostDegree)
	if chol == nil {
		return systemSize{}, nil
	}
	size.fill, size.multiplications = float64(chol.Entries()), chol.Multiplications()
	if size.kind() == formedSystem {
		return size, nil
	}
	return size, chol
}

// kind returns the cheapest kind for a coupled model of this size. Without features, it is formedSystem.
func (z *systemSize) kind() systemKind {
	n, m := z.samples, z.features
	fewCost := dotCost*n*n*m/2 + n*n*n/6 + n*z.entries +
		entryCost*(z.multiplications+n*(z.fill+m)) + fewRowsIterations*z.iterationCost()
	manyCost := entryCost*z.multiplications + manyRowsIterations*z.iterationCost()
	switch {
	case z.formedCost() <= min(manyCost, fewCost) && m <= mostFeatures:
		return formedSystem
	case manyCost <= fewCost:
		return manyRows
	}
	return fewRows
}

// formedCost returns the cost of a system with a formed Hessian.
func (z *systemSize) formedCost() float64 {
	return z.features*z.features*z.features/6 + formCost*z.pairs
}

// iterationCost returns the cost of an iteration of the conjugate gradient method.
func (z *systemSize) iterationCost() float64 {
	return entryCost * 2 * (z.entries + z.fill + 2*z.features)
}

// part returns about the size for some of the features.
func (z *systemSize) part(features float64) *systemSize {
	share := features / z.features
	return &systemSize{
		z.samples, features, share * z.entries, share * share * z.pairs, share * z.fill, share * z.multiplications,
	}
}
