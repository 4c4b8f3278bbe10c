package admm

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// densePlan is a plan that updates all of w in each step. It works for batches of samples, and for any A,
// loss and domain.
type densePlan struct {
	*InnerLoop
	reason    string
	batchSize int
	k         *sparse.CSR     // the matrix K of Plan, or nil; see matrixOfK
	product   *linalg.Product // multiplies by A and A'; nil if not needed
	d, w      []float64       // the constant part of the gradient (see Plan), and the current point
	q, sum    []float64       // K w, and the sum of the iterates
	// gain has −(η/batchSize)(φ'(aᵢ'w) − φ'(aᵢ'x_t)) for each sample of a step; x_t is the snapshot.
	gain []float64
	eta  float64
}

func newDense(l *InnerLoop, reason string) *densePlan {
	d := &densePlan{InnerLoop: l, reason: reason, batchSize: max(1, l.BatchSize), k: l.matrixOfK()}
	if d.k == nil && l.Kappa == 0 && !l.A.IsIdentity() {
		d.product = l.A.Product()
	}
	if l.BatchSize == 0 {
		d.chooseBatch()
	}
	for _, v := range []*[]float64{&d.w, &d.q, &d.sum} {
		*v = make([]float64, l.features())
	}
	d.gain = make([]float64, d.batchSize)
	return d
}

const maxBatch = 256

// chooseBatch chooses a larger batch if a product with K costs much more than a sample. It leaves at least 64
// steps for an inner loop.
func (d *densePlan) chooseBatch() {
	if d.k == nil {
		return
	}
	productCost := float64(2*d.features()) + float64(d.k.NNZ())
	costRatio := productCost / (20 + 2*d.nonzerosPerRow())
	batchSize := min(int(costRatio), maxBatch, d.Samples/64)
	if costRatio > 8 && batchSize > 1 {
		d.batchSize = batchSize
		d.reason = fmt.Sprintf("%s; %d samples share it, as it costs about %.0f of them",
			d.reason, d.batchSize, costRatio)
	}
}

// matrixOfK returns the matrix K of Plan. It returns nil if Kappa > 0, or if Algebra.Gram returns nil.
func (l *InnerLoop) matrixOfK() *sparse.CSR {
	gram := l.A.Gram()
	if gram == nil || l.Kappa > 0 {
		return nil
	}
	p := l.features()
	ptr := make([]int64, 1, p+1)
	idx := make([]int32, 0, gram.NNZ()+int64(p))
	val := make([]float64, 0, cap(idx))
	for j := range int32(p) {
		cols, g := gram.Row(int(j))
		index, found := slices.BinarySearch(cols, j)
		diagonalEntry, upperStart := l.Ridge, index
		if found {
			diagonalEntry, upperStart = math.FMA(l.Rho, g[index], l.Ridge), index+1
		}
		idx = append(append(append(idx, cols[:index]...), j), cols[upperStart:]...)
		for _, v := range g[:index] {
			val = append(val, l.Rho*v)
		}
		val = append(val, diagonalEntry)
		for _, v := range g[upperStart:] {
			val = append(val, l.Rho*v)
		}
		ptr = append(ptr, int64(len(idx)))
	}
	k, err := sparse.New(p, p, ptr, idx, val)
	if err != nil {
		return nil // A'A overflows
	}
	return k
}

// multiplyK sets d.q = K w, with the matrix K of Plan.
func (d *densePlan) multiplyK() {
	switch {
	case d.k != nil:
		d.k.MulVec(d.q, d.w)
	case d.product != nil:
		d.product.MulVecTrans(d.q, d.product.Image(d.w))
		for j, w := range d.w {
			d.q[j] = math.FMA(d.Ridge, w, float64(d.Rho*d.q[j]))
		}
	default:
		factor := d.Ridge + d.Rho
		if d.Kappa > 0 {
			factor = d.Ridge + d.Kappa
		}
		for j, w := range d.w {
			d.q[j] = factor * w
		}
	}
}

func (d *densePlan) Name() string {
	if d.batchSize > 1 {
		return "minibatch"
	}
	return "dense"
}

func (d *densePlan) Reason() string { return d.reason }
func (d *densePlan) BatchSize() int { return d.batchSize }

func (d *densePlan) Begin(x, constant []float64, eta float64) {
	d.d, d.eta = constant, eta
	copy(d.w, x)
	clear(d.sum)
}

func (d *densePlan) Advance(sampled []int32) {
	var margin [1]float64
	scale := -(d.eta / float64(d.batchSize))
	for ; len(sampled) > 0; sampled = sampled[d.batchSize:] {
		d.multiplyK()
		for k, row := range sampled[:d.batchSize] {
			i := int(row)
			kernels.Margins(margin[:], d.Rows.Row(i), d.w)
			d.gain[k] = float64(scale * (d.Loss.Slope(margin[0], d.Labels[i]) - d.Slope0[i]))
		}
		for k, row := range sampled[:d.batchSize] {
			kernels.Gradient(d.w, d.Rows.Row(int(row)), d.gain[k:k+1])
		}
		d.update()
	}
}

// update subtracts η(d + q) from w, projects w, and adds w to the sum. It overwrites q.
func (d *densePlan) update() {
	kernels.Axpy(1, d.d, d.q)
	kernels.Axpy(-d.eta, d.q, d.w)
	switch x := d.bounds; {
	case d.Set == nil:
	case x.Lower != nil:
		kernels.Clip(d.w, x.Lower, x.Upper)
	case x.Radius > 0:
		if norm := math.Sqrt(kernels.Dot(d.w, d.w)); norm > x.Radius {
			linalg.Scale(d.w, x.Radius/norm)
		}
	default:
		d.Set.Project(d.w)
	}
	kernels.Axpy(1, d.w, d.sum)
}

func (d *densePlan) End(sum, endpoint []float64) {
	copy(sum, d.sum)
	copy(endpoint, d.w)
}
