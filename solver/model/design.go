package model

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/kind"
	"github.com/scas-admm/scas/sparse"
)

// A design is a problem of data and specification: what every lambda shares.
type design struct {
	spec    *Spec
	n, p    int         // rows, features
	x       *sparse.CSR // the data, with a last column of ones for the intercept
	y       []float64   // −1 and +1, or numbers
	weights []float64   // nil if equal
	loss    solver.Loss
	mapping sparse.LabelMapping // zero for regression
	scale   []float64           // s
	facts   Facts
}

func newDesign(spec *Spec, x *sparse.CSR, y []float64) (*design, error) {
	if spec == nil {
		spec = &Spec{}
	}
	if x == nil {
		return nil, fmt.Errorf("model: the data are nil")
	}
	n, p := x.Dims()
	if n == 0 || p == 0 || p == sparse.MaxCols {
		return nil, fmt.Errorf("model: the data are %d x %d; they need at least one row and one feature", n, p)
	}
	if err := checkLabels(y, n); err != nil {
		return nil, err
	}
	if err := spec.check(n, p); err != nil {
		return nil, err
	}
	d := &design{spec: spec, n: n, p: p, y: y, loss: spec.loss()}
	var err error
	var signs []float64
	if classifies(d.loss) {
		if signs, d.mapping, err = mapLabels(y, spec.Positive); err != nil {
			return nil, err
		}
		d.y = signs
	} else if err := d.loss.Validate(y); err != nil {
		return nil, err
	}
	if d.weights, err = spec.weigh(y, signs); err != nil {
		return nil, err
	}
	d.scale = make([]float64, p)
	for j := range d.scale {
		d.scale[j] = 1
	}
	if spec.standardizes() {
		d.scale = deviations(x, d.weights)
	}
	if d.x = x; !spec.NoIntercept {
		if d.x, err = withOnes(x); err != nil {
			return nil, err
		}
	}
	d.facts = Facts{Rows: n, NNZ: x.NNZ(), Weighted: d.weights != nil, Standardized: spec.standardizes(), Offsets: spec.Offsets != nil}
	return d, nil
}

// withOnes returns [x, 1].
func withOnes(x *sparse.CSR) (*sparse.CSR, error) {
	n, p := x.Dims()
	size := x.NNZ() + int64(n)
	ptr := make([]int64, n+1)
	idx, val := make([]int32, 0, size), make([]float64, 0, size)
	for i := range n {
		cols, v := x.Row(i)
		idx = append(append(idx, cols...), int32(p))
		val = append(append(val, v...), 1)
		ptr[i+1] = int64(len(idx))
	}
	return sparse.New(n, p+1, ptr, idx, val)
}

// deviations returns the standard deviations √(Σ ωᵢ(x_ij − mⱼ)²/Σω) of the columns, in
// two passes, 1 for constant ones. weights may be nil.
func deviations(x *sparse.CSR, weights []float64) []float64 {
	n, p := x.Dims()
	mean, dev, seen := make([]float64, p), make([]float64, p), make([]float64, p)
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	var total float64
	for i := range n {
		idx, val := x.Row(i)
		w := weight(i)
		total += w
		for k, j := range idx {
			mean[j] += float64(w * val[k])
			seen[j] += w
		}
	}
	for j := range mean {
		mean[j] /= total
	}
	for i := range n {
		idx, val := x.Row(i)
		w := weight(i)
		for k, j := range idx {
			d := val[k] - mean[j]
			dev[j] += float64(w * float64(d*d))
		}
	}
	for j, m := range mean {
		absent := math.Max(0, total-seen[j])
		dev[j] = math.Sqrt((dev[j] + float64(absent*float64(m*m))) / total)
		// Rounding leaves a constant column a deviation of some ulp of its mean.
		if dev[j] <= 1e-12*math.Abs(m) || dev[j] == 0 {
			dev[j] = 1
		}
	}
	return dev
}

// factor returns the penalty factor of a feature.
func (d *design) factor(j int) float64 {
	if d.spec.PenaltyFactors == nil {
		return 1
	}
	return d.spec.PenaltyFactors[j]
}

// proximal reports whether the problem is one for package lasso.
func (d *design) proximal() bool {
	_, grouped := d.spec.Penalty.(GroupLasso)
	return d.spec.Method == nil && d.spec.Graph == nil && !grouped && kind.NewtonLoss(d.loss) != nil
}
