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
	// The largest number of entries in a column of the sparse factor in the preconditioner. With more, the
	// Hessian is formed.
	mostDegree = 500
	// Costs in multiplications of a blocked Cholesky factorisation: of a visit to an entry of a sparse matrix,
	// of a multiplication in an inner product, and of a multiplication when the Hessian is formed. The last one is
	// small because the Hessian serves about 20 systems.
	entryCost, dotCost, formCost = 12.0, 2.5, 0.1
	// Assumed numbers of iterations of the conjugate gradient method.
	manyRowsIterations, fewRowsIterations = 50.0, 4.0
)

// A systemSize says how large the linear systems of a coupled model are.
type systemSize struct {
	samples, features, entries float64
	pairs                      float64 // see Problem.hessianCost
	// The entries of the sparse factor in the preconditioner, and the multiplications that compute it.
	fill, multiplications float64
}

// systemKind returns the cheapest kind for a coupled model.
func (p *Problem) systemKind() systemKind {
	_, kind := p.linearSystems()
	return kind
}

// linearSystems returns the cheapest kind for a coupled model. It sets size unless the problem allows only
// formedSystem.
func (p *Problem) linearSystems() (size systemSize, kind systemKind) {
	n, features := p.dims()
	a := p.A.Matrix()
	if p.File != nil || !p.Team.Alone() || !p.hasL1Only() || a == nil || features < leastImplicit ||
		p.band() < features-1 {
		return size, formedSystem
	}
	chol := linalg.NewSparseCholesky(a, features, mostDegree)
	if chol == nil {
		return size, formedSystem
	}
	size = systemSize{
		samples: float64(n), features: float64(features),
		fill: float64(chol.Entries()), multiplications: chol.Multiplications(),
	}
	size.pairs, size.entries = p.hessianCost()
	return size, size.kind()
}

// kind returns the cheapest kind for a coupled model of this size.
func (z *systemSize) kind() systemKind {
	n, m := z.samples, z.features
	iteration := 2 * (z.entries + z.fill + 2*m)
	formedCost := m*m*m/6 + formCost*z.pairs
	manyCost := entryCost * (z.multiplications + manyRowsIterations*iteration)
	fewCost := dotCost*n*n*m/2 + n*n*n/6 + n*z.entries +
		entryCost*(z.multiplications+fewRowsIterations*iteration+n*(z.fill+m))
	switch least := min(manyCost, fewCost); {
	case formedCost <= least && m <= mostFeatures:
		return formedSystem
	case manyCost <= fewCost:
		return manyRows
	}
	return fewRows
}

// part returns about the size for some of the features.
func (z *systemSize) part(features float64) *systemSize {
	share := features / z.features
	return &systemSize{
		z.samples, features, share * z.entries, share * share * z.pairs, share * z.fill, share * z.multiplications,
	}
}
