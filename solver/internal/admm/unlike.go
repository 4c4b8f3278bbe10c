package admm

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// unlikeness uses the rows of each process that rowsAtEqualDistances returns, and unlikeSteps steps of the
// power method.
const (
	unlikeRows  = 4096
	unlikeSteps = 4
)

// Here deviation and size are the results of the function unlikeness.
const (
	// There is a proximal term if deviation > deviationLimit·size. On the data sets a9a and covtype,
	// deviation/size is at most 0.05 if the rows are in random order, and at least 0.2 if they are sorted by
	// label.
	deviationLimit = 0.1
	// The weight of the proximal term is weightFactor·deviation. With 0.1 some runs diverged, and with 1 runs
	// were slow.
	weightFactor = 0.3
)

// ProximalWeight returns the proximal weight (Anchor.Weight) with which a run on several processes begins,
// divided by the upper bound of φ″. It returns 0 if the processes have similar rows. x has the rows of this
// process and p columns.
func ProximalWeight(t *rows.Team, x kernels.Rows, p int) float64 {
	if deviation, size := unlikeness(t, x, p); deviation > deviationLimit*size {
		return weightFactor * deviation
	}
	return 0
}

// unlikeness compares the rows of the processes. Let process s have the nₛ rows Xₛ of all n rows, let
// Gₛ = Xₛ'Xₛ/nₛ, and let G = Σ (nₛ/n) Gₛ be the mean. deviation is the square root of the largest eigenvalue
// of Σ (nₛ/n) (Gₛ − G)², and size is the largest eigenvalue of G. Both are estimates from some of the rows.
// For one process both are 0.
func unlikeness(t *rows.Team, x kernels.Rows, p int) (deviation, size float64) {
	if t == nil {
		return 0, 0
	}
	n := len(x.Ptr) - 1
	totalRows := t.Total(float64(n))
	u := &gramOperator{
		team: t, rows: rowsAtEqualDistances(x), fraction: float64(n) / totalRows, margin: make([]float64, 1),
	}
	v, mean, delta, image := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for j := range v {
		v[j] = 1 + float64(j%3) // with equal entries, v could be orthogonal to the eigenvector
	}
	top := slices.Clone(v)
	for range unlikeSteps {
		size = u.mulMean(mean, top)
		copy(top, mean)
		normalise(top)
		normalise(v)
		u.mulMean(mean, v)
		u.mulLocal(delta, v)
		for j := range delta {
			delta[j] -= mean[j]
		}
		// Let δₛ = (Gₛ − G) v be the delta of process s. image becomes Σ (nₛ/n) Gₛ δₛ. This equals
		// Σ (nₛ/n) (Gₛ − G) δₛ, because Σ nₛ δₛ = 0.
		deviation = math.Sqrt(u.mulMean(image, delta))
		copy(v, image)
	}
	return deviation, size
}

// gramOperator multiplies vectors by Gₛ, the mean of aᵢaᵢ' over the rows aᵢ of this process, and by G, the
// mean over all rows. It estimates Gₛ from some of the rows.
type gramOperator struct {
	team     *rows.Team
	rows     []kernels.Rows // some rows of this process, as matrices of one row each
	fraction float64        // nₛ/n, the fraction of all rows that this process has
	margin   []float64      // scratch memory for one number
}

// rowsAtEqualDistances returns rows at equal distances: at least unlikeRows rows, and fewer than twice as
// many. If there are fewer than unlikeRows rows, it returns all of them.
func rowsAtEqualDistances(x kernels.Rows) (matrices []kernels.Rows) {
	n := len(x.Ptr) - 1
	for i := 0; i < n; i += max(1, n/unlikeRows) {
		matrices = append(matrices, x.Row(i))
	}
	return matrices
}

// mulLocal sets dst = Gₛ v (see gramOperator).
func (u *gramOperator) mulLocal(dst, v []float64) {
	clear(dst)
	for _, row := range u.rows {
		kernels.Margins(u.margin, row, v)
		kernels.Gradient(dst, row, u.margin)
	}
	for j := range dst {
		dst[j] /= float64(len(u.rows))
	}
}

// mulMean sets dst to the sum of (nₛ/n) Gₛ v (see gramOperator) over all processes s, and returns the norm of
// dst. v may differ between processes.
func (u *gramOperator) mulMean(dst, v []float64) float64 {
	u.mulLocal(dst, v)
	for j := range dst {
		dst[j] *= u.fraction
	}
	u.team.Sum(dst)
	return math.Sqrt(kernels.Dot(dst, dst))
}

func normalise(v []float64) {
	if norm := math.Sqrt(kernels.Dot(v, v)); norm > 0 {
		for j := range v {
			v[j] /= norm
		}
	}
}
