package term

// An OwnPenalty is a penalty g(y) as a caller writes it. It is solver.Penalty, which says
// what its methods return.
type OwnPenalty interface {
	Value(y []float64) float64
	Prox(dst, v, step []float64)
	Separable() bool
	Scale() float64
	Validate(q int) error
}

// A PenaltyConjugate is the convex conjugate g* of a penalty.
type PenaltyConjugate interface {
	// Conjugate returns g*(z) = sup over y of z'y − g(y); +Inf outside its domain.
	Conjugate(z []float64) float64
}

// A Penalty is g(y) with all that the package knows of it.
type Penalty interface {
	OwnPenalty
	PenaltyConjugate
	// Rows returns g as the exact solvers take it, where y has q coordinates; ok is false if
	// they do not take it.
	Rows(q int) (rows Rows, ok bool)
}

// Rows are a penalty as a sum over the rows of y = A x,
//
//	Σ Limitⱼ |yⱼ| + (Square/2) Σ yⱼ²,
//
// with the norm of each group in the place of the absolute values of its rows, whose limits
// are the same.
type Rows struct {
	Limit  []float64
	Square float64
	Groups [][]int // nil for none
	Within *Within // what y must be in; nil for no bounds
}

// Limits returns the factors of the absolute values if g, on R^q, has nothing beside them,
// else nil.
func Limits(g Penalty, q int) []float64 {
	rows, ok := g.Rows(q)
	if !ok || rows.Square != 0 || rows.Groups != nil || rows.Within != nil {
		return nil
	}
	return rows.Limit
}

// penalties lists the penalties of the package.
var penalties = []Penalty{L1{}, ElasticNet{}, SquaredL2{}, GroupL2{}, Within{}}

// PenaltyOf returns g as the package knows it; nil is zero.
func PenaltyOf(g OwnPenalty) Penalty {
	if g == nil {
		return L1{}
	}
	if known, ok := known(penalties, g); ok {
		return known
	}
	if wrapped, ok := g.(ownPenalty); ok {
		return wrapped
	}
	conjugate, _ := g.(PenaltyConjugate)
	return ownPenalty{g, conjugate}
}
