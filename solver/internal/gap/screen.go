package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// References are dual points α_k for which X'Cα_k was computed. Screen uses them to bound X'Cα for a dual
// point α that is nearly a linear combination of them.
type References []reference

// A reference has α_k and head = X'Cα_k, both divided by an upper bound of the norm √(Σ cᵢα_kᵢ²). So the
// norm of alpha is at most 1.
type reference struct{ alpha, head []float64 }

// MostReferences is the largest number of references in References. A new one replaces the oldest.
const MostReferences = 3

// AddReference adds alpha to the references. head is X'C alpha as computed, with the roundings that Prove
// assumes.
func (m *DataProblem) AddReference(r *References, alpha, head []float64) {
	norm := m.normOf(alpha)
	if !(norm > 0) {
		return
	}
	point := reference{make([]float64, len(alpha)), make([]float64, len(head))}
	kernels.Axpy(1/norm, alpha, point.alpha)
	kernels.Axpy(1/norm, head, point.head)
	*r = append(*r, point)
	if len(*r) > MostReferences {
		*r = (*r)[1:]
	}
}

// normOf returns an upper bound of √(Σ cᵢvᵢ²).
func (m *DataProblem) normOf(v []float64) float64 {
	return float64(1.001 * math.Sqrt(kernels.Dot(m.Sums.Scaled(v), v)))
}

// screenPart is the part of its limit that |(X'Cα)ⱼ| must certainly not exceed, so that Screen leaves out
// feature j.
const screenPart = 0.9

// Screen estimates head = X'C alpha as a linear combination of the heads of the references, and sets errors
// to bounds of the errors. It returns the features at which the caller must replace head by the computed
// X'C alpha, and set the error to 0. At all other features |headⱼ| + errorsⱼ is below the limit, so that
// the estimate does not enlarge the gap. x is the point. A must be the identity, there must be no domain
// and no groups, and one process must hold all samples.
//
// If δ = α − Σ s_k α_k, then |xⱼ'Cδ| is at most √(Σ cᵢx_ij²) √(Σ cᵢδᵢ²), by the Cauchy-Schwarz inequality.
// The factors s_k make δ as small as possible.
func (m *DataProblem) Screen(r References, head, errors, alpha, x []float64) (needed []int32) {
	factors := m.combination(r, alpha)
	clear(head)
	difference, factorSum := slices.Clone(alpha), 0.0
	for k, f := range factors {
		kernels.Axpy(f, r[k].head, head)
		kernels.Axpy(-f, r[k].alpha, difference)
		factorSum += math.Abs(f)
	}
	// The second term bounds the rounding errors of difference.
	distance := m.normOf(difference) + float64(8*roundoff*(factorSum+m.normOf(alpha)))
	for j, norm := range m.Columns.Norm {
		// As in setResidual. The number 32 covers the division by the norm and the sums of head.
		roundings := float64(2*m.Sums.Totals.Chunks) + m.Columns.EntryCount[j] + 32
		errors[j] = float64(1.001 * norm * (distance + float64(roundings*roundoff*factorSum)))
		row := m.Penalty.Singleton[j]
		if x[j] != 0 || row < 0 || m.Ridge[j] > 0 || m.Penalty.Squared(int(row)) ||
			!(math.Abs(head[j])+errors[j] <= screenPart*m.Penalty.Limit[row]) {
			needed = append(needed, int32(j))
		}
	}
	return needed
}

// combination returns the factors s_k for which Σ s_k α_k is nearest to alpha. It leaves out references that
// depend on earlier ones.
func (m *DataProblem) combination(r References, alpha []float64) []float64 {
	const leastPivot = 1e-12 // of a reference, whose norm is about 1
	var (
		factor   linalg.Cholesky
		used     []int
		products []float64
	)
	for k := range r {
		scaled, column := m.Sums.Scaled(r[k].alpha), make([]float64, len(used))
		for a, l := range used {
			column[a] = kernels.Dot(scaled, r[l].alpha)
		}
		if factor.Append([][]float64{column}, []float64{kernels.Dot(scaled, r[k].alpha)}, leastPivot) {
			used, products = append(used, k), append(products, kernels.Dot(scaled, alpha))
		}
	}
	factor.Solve(products, products)
	factors := make([]float64, len(r))
	for a, k := range used {
		factors[k] = products[a]
	}
	return factors
}
