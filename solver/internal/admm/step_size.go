package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// CurvatureRows is the approximate number of rows of a large matrix that a RowCurvature uses.
const CurvatureRows = 4096

// A RowCurvature estimates the curvature of the loss along the rows of a matrix from some of the rows: from
// rows at equal distances among the rows with a positive weight.
type RowCurvature struct {
	rows    []int     // the numbers of these rows
	norms   []float64 // |aᵢ|² for each of these rows
	weights []float64 // the weight of each row of the matrix; nil for equal weights
}

// NewRowCurvature returns the RowCurvature of x. weights has one weight for each row of x; nil means equal
// weights.
func NewRowCurvature(x *sparse.CSR, weights []float64) *RowCurvature {
	n, _ := x.Dims()
	c, count := &RowCurvature{weights: weights}, 0
	hasWeight := func(i int) bool { return weights == nil || weights[i] > 0 }
	for i := range n {
		if hasWeight(i) {
			count++
		}
	}
	stride, k := max(1, count/CurvatureRows), 0
	for i := range n {
		if !hasWeight(i) {
			continue
		}
		if k%stride == 0 {
			c.add(x, i)
		}
		k++
	}
	return c
}

// add adds row i of x to the rows of c.
func (c *RowCurvature) add(x *sparse.CSR, i int) {
	var sum float64
	_, val := x.Row(i)
	for _, v := range val {
		sum += float64(v * v)
	}
	c.rows, c.norms = append(c.rows, i), append(c.norms, sum)
}

// AtMargins returns a weighted mean of φ″|aᵢ|² over the rows. Rows with a large φ″|aᵢ|² have a larger weight
// (see weightedMean). margin, slope and labels have an entry for each row of the matrix. If φ″ is not
// continuous, AtMargins uses the upper bound of φ″ instead.
func (c *RowCurvature) AtMargins(loss term.Loss, margin, slope, labels []float64) float64 {
	if !loss.Traits().ContinuousCurvature {
		return c.weightedMean(func(int) float64 { return loss.Curvature() })
	}
	return c.weightedMean(func(i int) float64 {
		return loss.SecondDerivative(margin[i], slope[i], labels[i])
	})
}

// weightedMean returns Σ wᵢ hᵢ² / Σ wᵢ hᵢ, or 0 if the denominator is 0. Here hᵢ = φ″ |aᵢ|², and wᵢ is the
// weight of row i, or 1 without weights. curvature returns φ″ for row i.
//
// The reason for this ratio: a stochastic step along aᵢ multiplies the part of the error in the direction of
// aᵢ by 1 − η hᵢ. Let v be the error, and cosᵢ the cosine of the angle between aᵢ and v. Then |v|² decreases
// in the mean if η E[hᵢ² cosᵢ²] < 2 E[hᵢ cosᵢ²]. If cosᵢ² is about the same for all rows, this says that η
// times the ratio is less than 2. A few rows with a large hᵢ raise the ratio more than they raise
// the mean of hᵢ.
func (c *RowCurvature) weightedMean(curvature func(i int) float64) float64 {
	var sum, sum2 float64
	for k, norm2 := range c.norms {
		i := c.rows[k]
		h := float64(curvature(i) * norm2)
		weightedH := h
		if c.weights != nil {
			weightedH = float64(c.weights[i] * h)
		}
		sum += weightedH
		sum2 += float64(weightedH * h)
	}
	if sum == 0 {
		return 0
	}
	return sum2 / sum
}

// MeanCurvature returns an estimate of the Lipschitz constant of the gradient of the mean loss: curvature
// times the largest eigenvalue of Σ wᵢ aᵢaᵢ' / Σ wᵢ, where aᵢ is row i of x, and wᵢ its weight. Nil weights
// mean equal weights. curvature is an upper bound of φ″.
func MeanCurvature(curvature float64, x *sparse.CSR, weights []float64) float64 {
	n, p := x.Dims()
	if weights == nil {
		return curvature * linalg.LargestEigenvalue(x) / float64(n)
	}
	sum := rows.Mass(weights, n)
	if sum == 0 {
		return 0
	}
	scaled := &scaledRows{CSR: x, factors: make([]float64, n), v: make([]float64, n)}
	for i, w := range weights {
		scaled.factors[i] = math.Sqrt(w / sum)
	}
	return curvature * linalg.New(scaled, p).LargestEigenvalue()
}

// scaledRows is the matrix CSR with row i multiplied by factors[i].
type scaledRows struct {
	*sparse.CSR
	factors []float64
	v       []float64 // scratch memory with an entry for each row
}

func (s *scaledRows) MulVec(dst, x []float64) {
	s.CSR.MulVec(dst, x)
	for i, f := range s.factors {
		dst[i] *= f
	}
}

func (s *scaledRows) MulVecTrans(dst, v []float64) {
	for i, f := range s.factors {
		s.v[i] = f * v[i]
	}
	s.CSR.MulVecTrans(dst, s.v)
}

// A StepSize holds the quantities from which an automatic step size is computed.
type StepSize struct {
	Curvature     float64 // RowCurvature.AtMargins at the snapshot
	MeanCurvature float64 // Lipschitz constant of the gradient of the mean loss; used if BatchSize is above 1
	BatchSize     int     // number of samples in a step
	Mu            float64 // curvature of the ridge, added to the curvature of the loss; 0 with a Metric
	Factor        float64 // step size times curvature, unless Stiffness or Lazy limits the step size
	Stiffness     float64 // largest eigenvalue of the matrix K of the penalty and the ridge (see Plan)
	Lazy          bool    // η times Stiffness must stay below 1/2, as for lazyPlan, ballPlan and decayPlan
}

// Eta returns the step size. For b samples in a step, the curvature of the loss counts as
// Curvature/b + (1 − 1/b) MeanCurvature. If nothing limits the step size, Eta returns 1.
func (s StepSize) Eta() float64 {
	curvature := s.Curvature
	if s.BatchSize > 1 {
		b := float64(s.BatchSize)
		curvature = float64(curvature/b) + float64((1-1/b)*s.MeanCurvature)
	}
	curvature += s.Mu
	eta := math.Inf(1)
	if curvature > 0 {
		eta = s.Factor / curvature
	}
	maxProduct := 1.0 // bound of η times Stiffness; from 2 on, steps would be unstable
	if s.Lazy {
		maxProduct = 0.499
	}
	eta = math.Min(eta, maxProduct/s.Stiffness)
	if math.IsInf(eta, 1) {
		return 1
	}
	return eta
}

// lastFactor is the final StepSize.Factor. The inner loop is stable for factors below 2. Near the optimum,
// the mean of its iterates converges fastest for factors from 1 to 1.6.
const lastFactor = 1.5

// StepFactor returns StepSize.Factor after the given number of outer iterations, for n samples with p
// features. manyUpdates is true if an outer iteration has several dual updates. Then the first iterations use
// shorter steps, because far from the optimum the noise of the steps dominates. With fewer than 4 rows per
// feature the factor is constant, because two samples seldom change the same coefficients.
func StepFactor(n, p, iterations int, manyUpdates bool) float64 {
	if 4*p > n || !manyUpdates {
		return lastFactor
	}
	return math.Min(lastFactor, 0.7+float64(0.2*float64(iterations)))
}

// maxDualUpdates is the largest K that is chosen automatically.
const maxDualUpdates = 40

// DualUpdates returns K, the number of dual updates, for the given number of inner steps. stepCost and
// updateCost are the operations of a step and of a dual update. If K is above 1, all dual updates together
// cost at most as much as the steps, and every round has at least 8 steps.
func DualUpdates(steps, stepCost, updateCost float64) int {
	k := math.Min(float64(steps*stepCost)/updateCost, steps/8)
	return int(math.Max(1, math.Min(k, maxDualUpdates)))
}
