package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// LambdaMax returns the least lambda at which all penalised coefficients are zero. In the formulas,
// g is the gradient of the mean loss at the best model whose penalised coefficients are all zero;
// all other symbols are in the package comment.
//
// For the lasso and the elastic net, LambdaMax is max |gⱼ|/(r fⱼ sⱼ). For groups it is max
// |g_k|/wₖ, where g_k has the entries gⱼ/sⱼ of group k. If a Domain lets a coefficient leave 0 in
// one direction only, an entry gⱼ counts only if −gⱼ has this direction. For ridge regression no
// lambda makes coefficients zero; LambdaMax is then computed for L1Ratio 0.001, as in glmnet. With
// a graph, every penalty factor must be positive, and LambdaMax is the largest −g'b/Ω(b) over all b
// whose signs the Domain allows, to nine digits; Ω is the penalty for lambda 1. With more than two
// classes it is the largest LambdaMax of the classes. A loss without a known conjugate, a matrix A, a
// Graph with a GroupLasso, and a Domain that is not a box that contains 0 are errors.
func LambdaMax(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (lambdaMax float64, err error) {
	if err := spec.checkNoCheckpoint(); err != nil {
		return 0, err
	}
	p, err := newProblems(spec, x, y)
	if err != nil {
		return 0, err
	}
	ctx, cancel := ending.WithTimeLimit(ctx, p.spec.TimeLimit)
	defer cancel()
	return p.lambdaMax(ctx)
}

// lambdaMax returns the largest LambdaMax of all problems. A problem in which no feature matters has none;
// this is an error only if no problem has one. lambdaMax ignores the time limit.
func (p *problems) lambdaMax(ctx context.Context) (_ float64, err error) {
	defer rows.Rescue(&err)
	lambdaMaxes := make([]float64, p.count())
	err = p.eachProblem(func(k int) error {
		d, err := p.preparedDesign(k)
		if err == nil {
			lambdaMaxes[k], err = d.lambdaMax(ctx)
		}
		if p.count() > 1 && errors.Is(err, errNoFeature) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if largest := slices.Max(lambdaMaxes); largest > 0 {
		return largest, nil
	}
	return 0, errNoFeature
}

// leastRatio is the least L1Ratio for which LambdaMax is computed; it replaces smaller values.
const leastRatio = 1e-3

func (d *design) lambdaMax(ctx context.Context) (float64, error) {
	f, err := d.bareFitter(ctx)
	if err != nil {
		return 0, err
	}
	return f.lambdaMax(ctx)
}

// lambdaMaxError returns the error for a problem whose LambdaMax is not known; reason is its text.
// errNoFeature is the error of LambdaMax if all penalised coefficients are 0 for every lambda.
var errNoFeature = lambdaMaxError("no feature matters at all: every gradient at zero is 0, up to rounding, or the domain keeps all coefficients at 0")

func lambdaMaxError(reason string) error {
	return &sparse.RemedyError{
		Err:      errorf("%s", reason),
		Remedies: []sparse.Remedy{{Field: "PathSettings.Lambdas", To: "lambdas of your own"}},
	}
}

func (d *design) checkLambdaMax() error {
	switch {
	case !d.loss.Traits().HasConjugate:
		return lambdaMaxError("the largest lambda is computed only for losses of package solver and for a solver.ConjugateLoss")
	case d.spec.A != nil || d.spec.grouped() && d.spec.Graph != nil:
		return lambdaMaxError("the largest lambda is not computed with a matrix A, or with groups of its rows")
	case d.spec.Domain != nil && d.cone() == nil:
		return lambdaMaxError("the largest lambda is computed only for a domain that bounds each coefficient on its own " +
			"and holds 0")
	}
	return nil
}

// cone returns a box whose bounds are 0 or infinite. A bound is infinite if the domain lets the
// coefficient leave 0 in this direction. cone returns nil if there is no domain, or if it is not a box
// that contains 0.
func (d *design) cone() solver.Domain {
	box, ok := d.spec.box(d.p)
	if !ok {
		return nil
	}
	cone := widenBox(box, d.columns(), nil)
	for j := range d.p {
		if !(cone.Lower[j] <= 0 && cone.Upper[j] >= 0) {
			return nil
		}
		if cone.Lower[j] < 0 {
			cone.Lower[j] = math.Inf(-1)
		}
		if cone.Upper[j] > 0 {
			cone.Upper[j] = math.Inf(1)
		}
	}
	return solver.Box(cone)
}

// structuredLambdaMax returns LambdaMax of the design. plainLambdaMax is its value without the graph and the
// groups. s must be at the model in which all penalised coefficients are zero.
func (d *design) structuredLambdaMax(ctx context.Context, plainLambdaMax float64, s *exact.Solver) (_ float64, err error) {
	lambdaMax := plainLambdaMax
	if group, ok := d.spec.Penalty.(GroupLasso); ok {
		lambdaMax = d.groupLambdaMax(group, s.Gradient())
	}
	if d.spec.Graph != nil {
		for j := range d.p {
			if d.factor(j) == 0 {
				return 0, lambdaMaxError("the largest lambda is computed with a graph only if all penalty factors are " +
					"positive")
			}
		}
		if lambdaMax > 0 && d.spec.l1Ratio() >= leastRatio {
			lambdaMax, err = d.graphLambdaMax(ctx, s.Gradient())
			if err != nil {
				return 0, err
			}
		}
	}
	if lambdaMax > 0 {
		return lambdaMax * (1 + 1e-12), nil
	}
	if d.factors != nil && slices.Max(d.factors) == 0 {
		return 0, errorf("no feature is penalised, so that no lambda matters; give one a positive penalty factor, or a group")
	}
	if freePart := d.freePart(1, s.X()); freePart != nil {
		switch falls, err := s.LossFallsForever(freePart); {
		case err != nil:
			return 0, err
		case falls:
			return 0, errorf("the features without a penalty separate the classes, or the rows with count 0 from the others, so that no lambda matters; give these features a positive penalty factor, or a group")
		}
	}
	return 0, errNoFeature
}

// graphLambdaMax returns LambdaMax for a design with a graph. g is the gradient, on the original scale, at
// the model in which all penalised coefficients are zero. Let bⱼ = −gⱼ/sⱼ, where s is d.scale, and let Ω be
// the penalty for lambda 1. LambdaMax is the largest b'x/Ω(x) over the x in d.cone(), or over all x if there
// is no domain.
//
// graphLambdaMax increases a lower bound lambda of LambdaMax (Dinkelbach 1967). In each step, x is the
// proximal point of b for the penalty lambda Ω, and b'x/Ω(x) is nextLambda.
func (d *design) graphLambdaMax(ctx context.Context, g []float64) (float64, error) {
	columns := d.columns()
	a, err := d.rowsOfA(columns)
	if err != nil {
		return 0, err
	}
	constraint, weights := solver.NewConstraint(a), d.limits()
	b, maxAbs := make([]float64, columns), 0.0
	for j := range d.p {
		b[j] = -g[j] / d.scale[j]
		maxAbs = math.Max(maxAbs, math.Abs(b[j]))
	}
	for j := range b {
		b[j] /= maxAbs
	}
	p := solver.Problem{
		Data: sparse.Identity(columns), Labels: b, Loss: solver.Squared{}, Constraint: constraint,
		Domain: d.cone(),
	}
	ax := make([]float64, len(weights))
	ratio := func(x []float64) float64 { // b'x/Ω(x), where b is divided by maxAbs; 0 if Ω(x) = 0
		p.Constraint.MulVec(ax, x)
		omega, product := solver.L1{Lambda: 1, Weights: weights}.Value(ax), 0.0
		for j, v := range x {
			product += float64(v * b[j])
		}
		if omega == 0 {
			return 0
		}
		return product / omega
	}
	const tolerance = 1e-9
	start := slices.Clone(b)
	if p.Domain != nil {
		p.Domain.Project(start)
	}
	lambda := ratio(start)
	for range 100 {
		p.Penalty = solver.L1{Lambda: 2 * lambda * (1 + tolerance) / float64(columns), Weights: weights}
		res, err := solver.Minimize(ctx, &p, &solver.Settings{RelTol: 1e-13, Threads: d.spec.Threads})
		// If ctx has ended in any process, the point says nothing about LambdaMax.
		if ctxErr := ending.CauseError(ctx, d.team.Agree(ending.CauseOf(ctx), nil)); ctxErr != nil {
			return 0, ctxErr
		}
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			return 0, err
		}
		nextLambda := ratio(res.X)
		if nextLambda <= lambda*(1+tolerance) {
			break
		}
		lambda = nextLambda
	}
	return lambda * maxAbs * (1 + tolerance), nil
}

// groupLambdaMax returns LambdaMax for a group lasso without a graph. g is the gradient, on the original
// scale, at the model in which all penalised coefficients are zero.
func (d *design) groupLambdaMax(group GroupLasso, g []float64) (lambdaMax float64) {
	u := make([]float64, d.columns())
	for j, s := range d.scale {
		u[j] = -g[j] / s
	}
	if cone := d.cone(); cone != nil {
		cone.Project(u) // clears the entries along which the domain allows no step
	}
	for k, members := range group.Groups {
		norm2 := 0.0
		for _, j := range members {
			norm2 += float64(u[j] * u[j])
		}
		if weight := group.weight(k); weight > 0 {
			lambdaMax = math.Max(lambdaMax, math.Sqrt(norm2)/weight)
		}
	}
	return lambdaMax
}
