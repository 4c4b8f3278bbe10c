package model

import (
	"context"
	"errors"
	"math"

	"github.com/scas-admm/scas/sparse"
)

// LambdaMax returns the least lambda at which every coefficient with a penalty is zero,
// from the gradient g of the mean loss at the model of the others, the intercept among
// them: max |gⱼ|/(r fⱼ sⱼ) for the lasso and the elastic net, max |g_k|/wₖ for groups.
// For ridge regression, which has none, it is that of L1Ratio 0.001, as in glmnet. With
// a graph it is an upper bound, the value without it: the multipliers of the edges may
// be 0 in the dual's conditions. There every penalty factor must be positive.
func LambdaMax(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (float64, error) {
	d, err := newDesign(spec, x, y)
	if err != nil {
		return 0, err
	}
	ctx, cancel := d.limit(ctx)
	defer cancel()
	return d.lambdaMax(ctx, nil)
}

// leastRatio is the L1Ratio that LambdaMax takes at least.
const leastRatio = 1e-3

// lambdaMax leaves q, if that is not nil, at the model without penalised coefficients.
func (d *design) lambdaMax(ctx context.Context, q *proximal) (float64, error) {
	if conjugate(d.loss) == nil {
		return 0, errors.New("model: LambdaMax is for the losses of package solver; give PathSettings.Lambdas")
	}
	r := math.Max(leastRatio, d.spec.l1Ratio())
	if q == nil || r != d.spec.l1Ratio() {
		null := *d.spec
		null.Graph, null.Penalty = nil, ElasticNet{r}
		if _, ok := d.spec.Penalty.(GroupLasso); ok {
			null.Penalty = nil
		}
		bare := *d
		bare.spec = &null
		var err error
		if q, err = bare.newProximal(); err != nil {
			return 0, err
		}
	}
	most, err := q.s.LambdaMax(ctx.Err)
	if err != nil {
		return 0, err
	}
	if group, ok := d.spec.Penalty.(GroupLasso); ok {
		most = d.groupMax(group, q.s.Gradient())
	}
	if d.spec.Graph != nil {
		for j := range d.p {
			if d.factor(j) == 0 {
				return 0, errors.New("model: LambdaMax with a Graph needs positive PenaltyFactors; give PathSettings.Lambdas")
			}
		}
	}
	if most == 0 {
		return 0, errors.New("model: no feature matters at all: every gradient at zero is 0; give PathSettings.Lambdas")
	}
	return most * (1 + 1e-12), nil
}

// groupMax is LambdaMax of groups; g is the gradient on the original scale.
func (d *design) groupMax(group GroupLasso, g []float64) (most float64) {
	in := make([]bool, d.p)
	for k, members := range group.Groups {
		w, norm2 := sqrtOf(len(members)), 0.0
		if group.Weights != nil {
			w = group.Weights[k]
		}
		for _, j := range members {
			in[j] = true
			u := g[j] / d.scale[j]
			norm2 += float64(u * u)
		}
		if w > 0 {
			most = math.Max(most, math.Sqrt(norm2)/w)
		}
	}
	for j, there := range in {
		if !there {
			most = math.Max(most, math.Abs(g[j])/d.scale[j])
		}
	}
	return most
}
