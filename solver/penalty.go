package solver

import "github.com/scas-admm/scas/solver/internal/term"

// A Penalty is a convex function g(y) whose proximal map can be computed with little work.
type Penalty interface {
	// Value returns g(y), or +Inf if y is outside the domain of g.
	Value(y []float64) float64
	// Prox sets dst to the minimiser over u of g(u) + Σ (uⱼ − vⱼ)²/(2 stepⱼ).
	// dst may be the same slice as v. If Separable returns false, all steps
	// are equal.
	Prox(dst, v, step []float64)
	// Separable reports whether g is a sum of functions of single coordinates.
	Separable() bool
	// Scale returns the order of magnitude of the derivatives of g, from which the automatic rho
	// follows. It returns zero if g has no such scale, for example if g is an indicator. Then rho
	// follows from the curvature of the loss.
	Scale() float64
	// Validate returns an error if g is not valid on R^q.
	Validate(q int) error
}

// A ConjugatePenalty is a Penalty with its convex conjugate, with which gaps can be proved; see
// Result.DualityGap. The penalties of this package are ConjugatePenalties.
type ConjugatePenalty interface {
	Penalty
	// Conjugate returns g*(z) = sup over y of z'y − g(y), or +Inf if z is outside the domain of g*.
	Conjugate(z []float64) float64
}

// L1 is the penalty g(y) = Lambda Σⱼ Weightsⱼ |yⱼ|.
type L1 struct {
	// Lambda scales the whole penalty. It must not be negative; 0 is no penalty.
	Lambda float64
	// Weights has one entry for each coordinate of y, none of them negative. Coordinates of weight 0
	// are not penalised. Nil means all ones.
	Weights []float64
}

func (g L1) Value(y []float64) float64     { return term.L1(g).Value(y) }
func (g L1) Prox(dst, v, step []float64)   { term.L1(g).Prox(dst, v, step) }
func (g L1) Separable() bool               { return term.L1(g).Separable() }
func (g L1) Scale() float64                { return term.L1(g).Scale() }
func (g L1) Validate(q int) error          { return term.L1(g).Validate(q) }
func (g L1) Conjugate(z []float64) float64 { return term.L1(g).Conjugate(z) }

// ElasticNet is the penalty g(y) = L1 Σⱼ Weightsⱼ |yⱼ| + (L2/2) Σⱼ yⱼ².
type ElasticNet struct {
	// L1 scales the absolute values, and L2 the squares. They must not be negative; 0 leaves the
	// absolute values or the squares out.
	L1, L2 float64
	// Weights has one entry for each coordinate of y, none of them negative. It scales the absolute
	// values, not the squares. Nil means all ones.
	Weights []float64
}

func (g ElasticNet) Value(y []float64) float64     { return term.ElasticNet(g).Value(y) }
func (g ElasticNet) Prox(dst, v, step []float64)   { term.ElasticNet(g).Prox(dst, v, step) }
func (g ElasticNet) Separable() bool               { return term.ElasticNet(g).Separable() }
func (g ElasticNet) Scale() float64                { return term.ElasticNet(g).Scale() }
func (g ElasticNet) Validate(q int) error          { return term.ElasticNet(g).Validate(q) }
func (g ElasticNet) Conjugate(z []float64) float64 { return term.ElasticNet(g).Conjugate(z) }

// SquaredL2 is the penalty g(y) = (Lambda/2) Σⱼ yⱼ².
type SquaredL2 struct {
	Lambda float64 // not negative; 0 is no penalty
}

func (g SquaredL2) Value(y []float64) float64     { return term.SquaredL2(g).Value(y) }
func (g SquaredL2) Prox(dst, v, step []float64)   { term.SquaredL2(g).Prox(dst, v, step) }
func (g SquaredL2) Separable() bool               { return term.SquaredL2(g).Separable() }
func (g SquaredL2) Scale() float64                { return term.SquaredL2(g).Scale() }
func (g SquaredL2) Validate(q int) error          { return term.SquaredL2(g).Validate(q) }
func (g SquaredL2) Conjugate(z []float64) float64 { return term.SquaredL2(g).Conjugate(z) }

// GroupL2 is the penalty g(y) = Lambda Σ_k Weights_k |y_{Groups_k}|₂ of the group lasso.
type GroupL2 struct {
	// Lambda scales the whole penalty. It must not be negative; 0 is no penalty.
	Lambda float64
	// Groups are disjoint sets of coordinates of y. Coordinates in no group are not penalised.
	Groups [][]int
	// Weights has one entry for each group, none of them negative. Nil means the square roots of the
	// sizes of the groups.
	Weights []float64
}

func (g GroupL2) Value(y []float64) float64     { return term.GroupL2(g).Value(y) }
func (g GroupL2) Prox(dst, v, step []float64)   { term.GroupL2(g).Prox(dst, v, step) }
func (g GroupL2) Separable() bool               { return term.GroupL2(g).Separable() }
func (g GroupL2) Scale() float64                { return term.GroupL2(g).Scale() }
func (g GroupL2) Validate(q int) error          { return term.GroupL2(g).Validate(q) }
func (g GroupL2) Conjugate(z []float64) float64 { return term.GroupL2(g).Conjugate(z) }

// Within is the penalty g(y) = 0 if Lower ≤ yⱼ ≤ Upper for every j, and +Inf otherwise.
// Within{Upper: math.Inf(1)} forbids negative yⱼ.
type Within struct {
	Lower, Upper float64 // may be infinite; with both 0, y must be 0
}

func (g Within) Value(y []float64) float64     { return term.Within(g).Value(y) }
func (g Within) Prox(dst, v, step []float64)   { term.Within(g).Prox(dst, v, step) }
func (g Within) Separable() bool               { return term.Within(g).Separable() }
func (g Within) Scale() float64                { return term.Within(g).Scale() }
func (g Within) Validate(q int) error          { return term.Within(g).Validate(q) }
func (g Within) Conjugate(z []float64) float64 { return term.Within(g).Conjugate(z) }
