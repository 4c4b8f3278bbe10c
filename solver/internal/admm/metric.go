package admm

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// A metric is needed only if the largest result of columnUnits is more than spread times the smallest.
const spread = 32

// A MetricProblem holds the parts of the problem on which the metric depends.
type MetricProblem struct {
	Data      *sparse.CSR
	A         *linalg.Algebra // the identity or a matrix
	Limit     []float64       // for each row of A, the limit of beta
	Curvature float64         // upper bound of φ″
	Ridge     float64         // mu
	Unit      float64         // root mean square of the labels in regression, else 1
	LeastRho  float64         // usually the smallest ρ of a row; see the method rho
	Slope     float64         // root mean square of the slopes at x = 0
	Team      *rows.Team      // the processes that hold the rows; nil if there is only one
}

// A Metric gives each column of the data its own step size. A nil Metric means equal step sizes.
//
// With a Metric, the inner loop of SCAS-ADMM runs in u with x = D u, where D is diagonal. The entries of D
// are powers of two, so the scaled data X D have no rounding errors. Each row of A has its own ρ, because the
// entries of A x have different units.
type Metric struct {
	D    []float64   // powers of two
	Rho  []float64   // ρ of each row of A, a power of two
	Data *sparse.CSR // X D
	// A is the matrix M = [diag(√ρ) G D; √mu D], where G is MetricProblem.A. For steps in u, the matrix K
	// of Plan is M'M.
	A *linalg.Algebra
}

// NewMetric returns the metric of a problem. It returns nil if equal step sizes for all columns are better,
// or if Metric.D would overflow or underflow.
func NewMetric(p *MetricProblem) *Metric {
	unit, ok := columnUnits(p.Team, p.Data)
	if !ok || p.coupled() && p.fractionAtZero(unit) > 0.2 {
		return nil
	}
	weightedNorm2, norm2 := scaledNorms(p.Team, p.Data, unit)
	m := &Metric{D: make([]float64, len(unit)), Rho: make([]float64, len(p.Limit))}
	stiffness := slices.Repeat([]float64{p.Ridge}, len(unit))
	for k := range m.Rho {
		idx, val := rowOf(p.A, k)
		m.Rho[k] = p.rho(k, termSize(idx, val, unit), weightedNorm2, math.Sqrt(norm2))
		for i, j := range idx { // for the row a and every u: (a'u)² ≤ len(idx) Σ aⱼ²uⱼ²
			stiffness[j] += float64(m.Rho[k] * val[i] * val[i] * float64(len(idx)))
		}
	}
	for j, u := range unit {
		sum := p.Curvature/(u*u) + stiffness[j]*stiffnessWeight/weightedNorm2
		m.D[j] = roundToPowerOfTwo(1 / math.Sqrt(sum))
		if m.D[j] == 0 || math.IsInf(m.D[j], 0) {
			return nil
		}
	}
	m.Data = scaledColumns(p.Data, m.D)
	m.A = m.algebra(p)
	return m
}

// stiffnessWeight is the weight of the ridge and of A'A when NewMetric computes Metric.D; the loss has the
// weight 1. With this weight, η times the largest eigenvalue of the matrix K (see Plan) is usually below 1/2,
// as StepSize.Lazy requires.
const stiffnessWeight = 6

// termSize returns the typical size of the terms of a row of A x if xⱼ = unitⱼ: about the geometric mean of
// their absolute values, as a power of two. It returns 0 for a row of zeros.
func termSize(idx []int32, val, unit []float64) float64 {
	exponentSum, termCount := 0, 0
	for i, j := range idx {
		if val[i] != 0 {
			_, exp := math.Frexp(val[i] * unit[j])
			exponentSum += exp
			termCount++
		}
	}
	if termCount == 0 {
		return 0
	}
	return math.Ldexp(1, int(math.Round(float64(exponentSum)/float64(termCount)-0.5)))
}

// rho returns ρ of row k of A, rounded to a power of two. naturalRho is 3 times the limit of the row, divided
// by the expected size of (A x)ₖ. The last line applies two lower bounds. balancedRho is the ρ at which ρ(A
// x)ₖ² has about the same curvature as the loss. size comes from termSize; weightedNorm2 and the square of
// norm come from scaledNorms. For size 0, rho returns 1.
func (p *MetricProblem) rho(k int, size, weightedNorm2, norm float64) float64 {
	if size == 0 {
		return 1
	}
	naturalRho := 3 * p.Limit[k] * norm / (p.Unit * size)
	balancedRho := weightedNorm2 * p.Curvature / (size * size)
	return roundToPowerOfTwo(max(naturalRho, min(p.LeastRho, 0.1*balancedRho), minRho*balancedRho))
}

// minRho times balancedRho is the smallest ρ of a row; see the method rho.
const minRho = 4e-6

// columnUnits returns 1/(root mean square of the nonzeros) for each column. ok is true if these numbers are
// finite and differ enough to need a metric. The root mean square leaves zeros out, because otherwise columns
// with few nonzeros would get large numbers, and the few rows with these nonzeros would dominate the scaled
// data.
func columnUnits(t *rows.Team, x *sparse.CSR) (unit []float64, ok bool) {
	n, p := x.Dims()
	unit = make([]float64, p)
	nonzeros := make([]float64, p)
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			if val[k] != 0 {
				unit[j] += float64(val[k] * val[k])
				nonzeros[j]++
			}
		}
	}
	t.Sum(unit)
	t.Sum(nonzeros)
	minUnit, maxUnit := math.Inf(1), 0.0
	for j, c := range nonzeros {
		if c > 0 {
			unit[j] = math.Sqrt(c / unit[j])
			minUnit, maxUnit = math.Min(minUnit, unit[j]), math.Max(maxUnit, unit[j])
		}
	}
	for j, c := range nonzeros {
		if c == 0 {
			unit[j] = math.Sqrt(minUnit) * math.Sqrt(maxUnit)
		}
	}
	return unit, minUnit > 0 && maxUnit < math.Inf(1) && maxUnit > spread*minUnit
}

func (p *MetricProblem) coupled() bool {
	for k := range p.Limit {
		if idx, _ := rowOf(p.A, k); len(idx) > 1 {
			return true
		}
	}
	return false
}

// fractionAtZero returns the fraction of singleton rows of A whose limit is so large that the penalty keeps
// the coefficient at zero in the first iterations, or 0 without singleton rows. If A is coupled and the
// fraction is large, NewMetric returns nil, because equal step sizes find the ties sooner.
func (p *MetricProblem) fractionAtZero(unit []float64) float64 {
	var zeroRows, singletonRows float64
	for k, limit := range p.Limit {
		if idx, val := rowOf(p.A, k); len(idx) == 1 {
			singletonRows++
			if limit*math.Abs(val[0])*unit[idx[0]] > p.Slope {
				zeroRows++
			}
		}
	}
	return zeroRows / math.Max(singletonRows, 1)
}

// scaledNorms returns two means of |aᵢ|² over the rows aᵢ of all processes. weightedMean has the weights
// |aᵢ|², so it is Σ|aᵢ|⁴/Σ|aᵢ|²; mean has equal weights. aᵢ is row i of x with column j multiplied by unitⱼ.
func scaledNorms(t *rows.Team, x *sparse.CSR, unit []float64) (weightedMean, mean float64) {
	n, _ := x.Dims()
	var sum, sum2 float64
	for i := range n {
		idx, val := x.Row(i)
		var norm2 float64
		for k, j := range idx {
			v := float64(val[k] * unit[j])
			norm2 += float64(v * v)
		}
		sum += norm2
		sum2 += float64(norm2 * norm2)
	}
	return t.Mean(sum2, sum), t.Mean(sum, float64(n))
}

func rowOf(a *linalg.Algebra, k int) (idx []int32, val []float64) {
	if a.IsIdentity() {
		return []int32{int32(k)}, []float64{1}
	}
	return a.Matrix().Row(k)
}

func roundToPowerOfTwo(v float64) float64 {
	frac, exp := math.Frexp(v)
	if frac < math.Sqrt2/2 {
		exp--
	}
	return math.Ldexp(1, exp)
}

// scaledColumns returns X diag(d). Unlike x.ScaleColumns it shares the indices of x.
func scaledColumns(x *sparse.CSR, d []float64) *sparse.CSR {
	n, p := x.Dims()
	source := x.Rows(0, n)
	val := make([]float64, len(source.Val))
	for k, j := range source.Idx {
		val[k] = source.Val[k] * d[j]
	}
	return newMatrix(n, p, source.Ptr, source.Idx, val)
}

func newMatrix(rows, cols int, ptr []int64, idx []int32, val []float64) *sparse.CSR {
	m, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		panic(err) // cannot happen: the indices are from a valid matrix
	}
	return m
}

// algebra returns the Algebra of [diag(√ρ) A D; √mu D].
func (m *Metric) algebra(p *MetricProblem) *linalg.Algebra {
	ptr := make([]int64, 1, len(m.Rho)+len(m.D)+1)
	var idx []int32
	var val []float64
	for k, rho := range m.Rho {
		cols, v := rowOf(p.A, k)
		idx = append(idx, cols...)
		for i, j := range cols {
			val = append(val, math.Sqrt(rho)*v[i]*m.D[j])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	if p.Ridge > 0 {
		for j, d := range m.D {
			idx, val = append(idx, int32(j)), append(val, math.Sqrt(p.Ridge)*d)
			ptr = append(ptr, int64(len(idx)))
		}
	}
	return linalg.New(newMatrix(len(ptr)-1, len(m.D), ptr, idx, val), len(m.D))
}

// divideByD sets dst to u = x/D and returns it. For a nil Metric it returns x itself.
func (m *Metric) divideByD(dst, x []float64) []float64 {
	if m == nil {
		return x
	}
	for j, d := range m.D {
		dst[j] = x[j] / d
	}
	return dst
}

// multiplyByD multiplies v by D. This turns u into x = D u (see Metric), and a derivative with respect to x
// into a derivative with respect to u. For a nil Metric it does nothing.
func (m *Metric) multiplyByD(v []float64) {
	if m == nil || v == nil {
		return
	}
	for j, d := range m.D {
		v[j] *= d
	}
}

// RhoRatios returns the median ρ of the rows of A, and the ρ of each row divided by this median.
func (m *Metric) RhoRatios() (rho float64, ratios []float64) {
	sortedRho := slices.Clone(m.Rho)
	slices.Sort(sortedRho)
	rho = sortedRho[len(sortedRho)/2]
	ratios = make([]float64, len(m.Rho))
	for k, v := range m.Rho {
		ratios[k] = v / rho
	}
	return rho, ratios
}
