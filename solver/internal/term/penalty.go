package term

// An OwnPenalty is a penalty g(y) as a caller writes it. The methods are documented at solver.Penalty,
// which is the same interface.
type OwnPenalty interface {
	Value(y []float64) float64
	Prox(dst, v, step []float64)
	Separable() bool
	Scale() float64
	Validate(q int) error
}

// A PenaltyConjugate is the convex conjugate g* of a penalty.
type PenaltyConjugate interface {
	// Conjugate returns g*(z), the supremum of z'y − g(y) over y, which may be +Inf.
	Conjugate(z []float64) float64
}

// A Penalty is a penalty g(y) with everything that other packages need.
type Penalty interface {
	OwnPenalty
	PenaltyConjugate
	// RowPenalty returns g as a sum over the q rows of y = A x. ok is false if g is not such a sum.
	RowPenalty(q int) (rows RowPenalty, ok bool)
}

// RowPenalty is a penalty as a sum over the rows of y = A x,
//
//	Σ Limitⱼ |yⱼ| + (Square/2) Σ yⱼ².
//
// All rows of a group G have the same Limit. For the group, Limit |y_G|₂ replaces the sum of Limit |yⱼ|.
type RowPenalty struct {
	Limit  []float64
	Square float64
	Groups [][]int // the rows of each group; nil if no rows form a group
	Within *Within // bounds of all entries of y; nil if they have no bounds
}

// Limits returns the field Limit of g.RowPenalty(q) if the other fields are zero, and nil otherwise.
func Limits(g Penalty, q int) []float64 {
	rows, ok := g.RowPenalty(q)
	if !ok || rows.Square != 0 || rows.Groups != nil || rows.Within != nil {
		return nil
	}
	return rows.Limit
}

var penaltyTypes = typesOf[Penalty](L1{}, ElasticNet{}, SquaredL2{}, GroupL2{}, Within{})

// PenaltyOf returns g as a Penalty; nil means the zero penalty. A caller's own penalty is wrapped.
func PenaltyOf(g OwnPenalty) Penalty {
	if g == nil {
		return L1{}
	}
	if g, ok := asTerm[Penalty](penaltyTypes, g); ok {
		return g
	}
	conjugate, _ := g.(PenaltyConjugate)
	return ownPenalty{g, conjugate}
}
