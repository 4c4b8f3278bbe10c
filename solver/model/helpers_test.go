package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// plainObjective computes the objective of spec at the coefficients b and the intercept c by plain loops.
func plainObjective(spec *Spec, x *sparse.CSR, y, b []float64, c float64) float64 {
	n, p := x.Dims()
	scale := make([]float64, p)
	low, high := math.Inf(1), math.Inf(-1)
	classWeights := map[float64]float64{}
	weights := make([]float64, n)
	var weightSum float64
	for i, v := range y {
		low, high = math.Min(low, v), math.Max(high, v)
		weights[i] = 1
		if spec.SampleWeights != nil {
			weights[i] = spec.SampleWeights[i]
		}
		classWeights[v] += weights[i]
		weightSum += weights[i]
	}
	var totalWeight float64
	for i, v := range y {
		if w, ok := spec.ClassWeights[v]; ok {
			weights[i] *= w
		}
		if spec.Balanced {
			weights[i] *= weightSum / (2 * classWeights[v])
		}
		totalWeight += weights[i]
	}
	for j := range scale {
		scale[j] = 1
		if !spec.standardizes() {
			continue
		}
		var mean, variance float64
		for i := range n {
			mean += weights[i] * x.At(i, j) / totalWeight
		}
		for i := range n {
			variance += weights[i] * (x.At(i, j) - mean) * (x.At(i, j) - mean) / totalWeight
		}
		if variance > 1e-20 {
			scale[j] = math.Sqrt(variance)
		}
	}
	var loss, penalty float64
	for i, v := range y {
		t := c
		if spec.Offsets != nil {
			t += spec.Offsets[i]
		}
		for j := range p {
			t += x.At(i, j) * b[j]
		}
		if classifies(spec.loss()) {
			v = map[bool]float64{true: 1, false: -1}[v == high]
			if spec.Positive != nil && *spec.Positive == low {
				v = -v
			}
		}
		loss += weights[i] * spec.loss().Value(t, v) / totalWeight
	}
	r := spec.l1Ratio()
	factor := func(j int) float64 {
		if spec.PenaltyFactors == nil {
			return 1
		}
		return spec.PenaltyFactors[j]
	}
	var ax []float64 // the entries of A x, where x_j is scale[j]·b[j]
	for j := range p {
		loss += spec.Mu / 2 * scale[j] * scale[j] * b[j] * b[j]
	}
	if spec.Graph != nil {
		for _, e := range spec.Graph.Edges() {
			ax = append(ax, math.Abs(e.Weight)*(scale[e.I]*b[e.I]-math.Copysign(1, e.Weight)*scale[e.J]*b[e.J]))
		}
	}
	if spec.A != nil {
		l, _ := spec.A.Dims()
		for k := range l {
			sum := 0.0
			for j := range p {
				sum += spec.A.At(k, j) * scale[j] * b[j]
			}
			ax = append(ax, sum)
			penalty += math.Abs(sum)
		}
	} else {
		for j := range p {
			ax = append(ax, scale[j]*b[j])
		}
	}
	for _, v := range ax {
		loss += spec.MuA / 2 * v * v
	}
	if group, ok := spec.Penalty.(GroupLasso); ok {
		penalty = 0
		for k, members := range group.Groups {
			var norm2 float64
			for _, j := range members {
				norm2 += ax[j] * ax[j]
			}
			w := math.Sqrt(float64(len(members)))
			if group.Weights != nil {
				w = group.Weights[k]
			}
			penalty += w * math.Sqrt(norm2)
		}
		return loss + spec.Lambda*penalty
	}
	for j := range p {
		if spec.A != nil {
			break
		}
		u := scale[j] * b[j]
		penalty += factor(j) * (r*math.Abs(u) + (1-r)/2*u*u)
	}
	if spec.Graph != nil {
		for _, e := range spec.Graph.Edges() {
			i, j := e.I, e.J
			penalty += spec.fusion() * math.Abs(e.Weight) * math.Abs(scale[i]*b[i]-math.Copysign(1, e.Weight)*scale[j]*b[j])
		}
	}
	return loss + spec.Lambda*penalty
}

// denseMatrix returns a matrix with the given elements, row by row.
func denseMatrix(t testing.TB, rows, cols int, elements []float64) *sparse.CSR {
	t.Helper()
	x, err := sparse.FromDense(rows, cols, elements)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// randomData returns n rows of p features. The labels are 3 and 7 if withClasses is true, and otherwise any
// numbers. The features have different scales, and about a third of the entries are absent.
func randomData(t testing.TB, n, p int, seed uint64, withClasses bool) (*sparse.CSR, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	data, y := make([]float64, n*p), make([]float64, n)
	for i := range n {
		rowMean := rng.NormFloat64()
		sum := 0.7
		for j := range p {
			v := (rng.NormFloat64() + rowMean + 1) * math.Pow(10, float64(j%3-1))
			if rng.IntN(3) == 0 {
				v = 0
			}
			data[i*p+j] = v
			if j < 4 {
				sum += v * float64(j-1) / 2
			}
		}
		y[i] = sum + rng.NormFloat64()
		if withClasses {
			y[i] = map[bool]float64{true: 7, false: 3}[y[i] > 0]
		}
	}
	return denseMatrix(t, n, p, data), y
}

// mixedLabels returns n labels from 0 to classCount − 1, in a mixed order.
func mixedLabels(n, classCount int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64((i * i / 7) % classCount)
	}
	return y
}

// randomDataFor returns random data with labels that are valid for loss.
func randomDataFor(t testing.TB, n, p int, seed uint64, loss solver.Loss) (*sparse.CSR, []float64) {
	t.Helper()
	x, y := randomData(t, n, p, seed, classifies(loss))
	if term.LossOf(loss).Traits().Labels == term.Counts {
		for i, v := range y {
			y[i] = math.Floor(math.Exp(v / 4))
		}
	}
	return x, y
}

// minimizeIterations is a value of Settings.OuterIterations that no fit reaches, but that makes Fit call
// solver.Minimize.
const minimizeIterations = 1 << 30

func mustFit(t testing.TB, spec *Spec, x *sparse.CSR, y []float64) *Model {
	t.Helper()
	m, err := Fit(context.Background(), spec, x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustCV(t testing.TB, spec *Spec, x *sparse.CSR, y []float64, set *CVSettings) *CVResult {
	t.Helper()
	r, err := CV(context.Background(), spec, x, y, set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// loadData reads a data set with its original labels.
func loadData(t testing.TB, name string, features int) (*sparse.CSR, []float64) {
	t.Helper()
	d, err := sparse.ReadFile(sparsetest.DataFile(t, name), &sparse.ReadOptions{Features: features, AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	return d.X, d.Labels
}

var losses = solvertest.Losses(0.8)

// metricOf returns a Metric that computes a measure of this package. It changes the sign of a measure for
// which larger values are better.
func metricOf(measure Measure) Metric {
	return func(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error) {
		s, err := m.Score(x, y, set)
		if err != nil {
			return 0, err
		}
		return measure.sign() * s.scores()[measure], nil
	}
}

// splitRows returns the numbers of the rows in a fold, and of all other rows.
func splitRows(folds []int, fold int) (heldRows, otherRows []int) {
	for i, k := range folds {
		if k == fold {
			heldRows = append(heldRows, i)
		} else {
			otherRows = append(otherRows, i)
		}
	}
	return heldRows, otherRows
}

func fitPath(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *PathSettings) ([]*Step, error) {
	return collect(Path(ctx, spec, x, y, set))
}
