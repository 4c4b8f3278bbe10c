package gap

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A number is a big.Float with a mantissa of 300 bits.
type number struct{ *big.Float }

func num(v float64) number                 { return number{new(big.Float).SetPrec(300).SetFloat64(v)} }
func (a number) plus(b number) number      { return number{num(0).Add(a.Float, b.Float)} }
func (a number) times(b number) number     { return number{num(0).Mul(a.Float, b.Float)} }
func (a number) dividedBy(b number) number { return number{num(0).Quo(a.Float, b.Float)} }
func (a number) less(b number) bool        { return a.Cmp(b.Float) < 0 }

// A box is [lower, upper]^p.
type box struct{ lower, upper float64 }

// maximum returns the maximum of −e v − mu v²/2 over v in [lower, upper]. A nil box is R.
func (b *box) maximum(e number, mu float64) number {
	v := num(0)
	if mu > 0 {
		v = num(-1).times(e).dividedBy(num(mu))
	}
	switch {
	case b == nil:
	case mu == 0 && e.Sign() > 0, mu > 0 && v.less(num(b.lower)):
		v = num(b.lower)
	case mu == 0, num(b.upper).less(v):
		v = num(b.upper)
	}
	return num(-1).times(e).times(v).plus(num(-mu / 2).times(v).times(v))
}

// randomInstance returns a random problem with the squared loss (b − t)² and the penalty |A x|₁, a point, and
// the labels b. The columns of the data have very different scales. If trivial is true, A is the identity,
// and the point has X = 0 and E ≈ 0.
func randomInstance(rng *rand.Rand, mu float64, set *box, trivial bool) (
	*SimpleProblem, *SimplePoint, []float64) {
	n, p, l := 3+rng.IntN(30), 1+rng.IntN(8), 1+rng.IntN(10)
	matrix := func(rows int, scale []float64) *sparse.CSR {
		b, err := sparse.FromDense(rows, p, randomVector(rng, rows*p, scale))
		if err != nil {
			panic(err)
		}
		return b
	}
	columnScale := make([]float64, p)
	for j := range columnScale {
		columnScale[j] = math.Pow(10, 10*rng.Float64()-5)
	}
	data, a := matrix(n, columnScale), matrix(l, columnScale)
	f := &SimpleProblem{Data: data, Curvature: 2, A: linalg.New(a, p), Mu: mu}
	if set != nil {
		f.Domain = term.NewBox(p, set.lower, set.upper)
	}
	if trivial {
		l = p
		f.A = linalg.New(sparse.Identity(p), p)
	}
	point := &SimplePoint{X: randomVector(rng, p, nil), Slope: make([]float64, n), E: make([]float64, p), Y: make([]float64, l)}
	for j := range point.X {
		point.X[j] /= columnScale[j]
		if trivial {
			point.X[j] = 0
		}
	}
	if f.Domain != nil {
		f.Domain.Project(point.X)
	}
	labels := randomVector(rng, n, nil)
	f.Data.MulVec(point.Slope, point.X)
	for i, t := range point.Slope {
		point.Loss += (labels[i] - t) * (labels[i] - t) / float64(n)
		point.Slope[i] = 2 * (t - labels[i])
	}
	f.A.Matrix().MulVec(point.Y, point.X)
	point.Beta = make([]float64, l)
	for k, y := range point.Y { // lambda is 1
		point.Penalty += math.Abs(y)
		point.Beta[k] = math.Copysign(1, y)
		if rng.IntN(4) == 0 {
			point.Beta[k] = 2*rng.Float64() - 1
		}
	}
	point.Z = point.Beta
	meanSlope := make([]float64, n)
	for i, v := range point.Slope {
		meanSlope[i] = v / float64(n)
	}
	f.Data.MulVecTrans(point.E, meanSlope)
	if trivial {
		for j, v := range point.E {
			point.Beta[j] = -v * (1 + 0x1p-52*float64(rng.IntN(3)))
		}
	}
	aTransBeta := make([]float64, p)
	f.A.Matrix().MulVecTrans(aTransBeta, point.Beta)
	for j, v := range aTransBeta {
		point.E[j] += v
	}
	return f, point, labels
}

// randomVector returns n normal numbers. Number j is multiplied by scale[j mod len(scale)]; a nil scale means
// 1.
func randomVector(rng *rand.Rand, n int, scale []float64) []float64 {
	v := make([]float64, n)
	for j := range v {
		v[j] = rng.NormFloat64()
		if scale != nil {
			v[j] *= scale[j%len(scale)]
		}
	}
	return v
}

// exactProduct returns M x without rounding.
func exactProduct(m *sparse.CSR, x []float64) []number {
	n, _ := m.Dims()
	out := make([]number, n)
	for i := range out {
		out[i] = num(0)
		idx, val := m.Row(i)
		for k, j := range idx {
			out[i] = out[i].plus(num(val[k]).times(num(x[j])))
		}
	}
	return out
}

// exactGap returns what Gap would return without rounding errors and their bounds. A nil set is R^p.
func exactGap(f *SimpleProblem, set *box, point *SimplePoint, labels []float64) number {
	n := num(float64(len(labels)))
	gap := num(0)
	for i, t := range exactProduct(f.Data, point.X) {
		b, a := num(labels[i]), num(point.Slope[i])
		r := t.plus(num(-1).times(b))
		v := r.times(r).plus(a.times(b)).plus(a.times(a).dividedBy(num(4))).plus(num(-1).times(a).times(t))
		gap = gap.plus(v.dividedBy(n))
	}
	for k, y := range exactProduct(f.A.Matrix(), point.X) {
		absY := y
		if y.Sign() < 0 {
			absY = num(-1).times(y)
		}
		gap = gap.plus(absY).plus(num(-point.Beta[k]).times(y))
	}
	scaledSlope := make([]number, len(point.Slope))
	for i, v := range point.Slope {
		scaledSlope[i] = num(v).dividedBy(n)
	}
	data, a := f.Data.Transpose(), f.A.Matrix().Transpose()
	for j, x := range point.X {
		e := num(0)
		idx, val := data.Row(j)
		for k, i := range idx {
			e = e.plus(num(val[k]).times(scaledSlope[i]))
		}
		idx, val = a.Row(j)
		for k, i := range idx {
			e = e.plus(num(val[k]).times(num(point.Beta[i])))
		}
		gap = gap.plus(num(f.Mu / 2).times(num(x)).times(num(x))).plus(e.times(num(x))).plus(set.maximum(e, f.Mu))
	}
	return gap
}

// TestSimpleIsABound checks that Gap is never below its value without rounding, and hardly above it.
func TestSimpleIsABound(t *testing.T) {
	wideBox := &box{-1e3, 1e3}
	for name, c := range map[string]struct {
		mu  float64
		set *box
	}{
		"mu": {1e-3, nil}, "small mu": {1e-9, nil}, "box": {0, wideBox}, "box and mu": {1e-6, wideBox},
		"narrow box": {1, &box{-1e-3, 2e-3}},
	} {
		t.Run(name, func(t *testing.T) {
			var worst float64
			for seed := range uint64(400) {
				f, point, labels := randomInstance(rand.New(rand.NewPCG(seed, 7)), c.mu, c.set, seed%2 == 0)
				want := exactGap(f, c.set, point, labels)
				got := num(f.Gap(point))
				if got.less(want) {
					t.Fatalf("seed %d: bound %v is below %v", seed, got, want)
				}
				excess, _ := got.plus(num(-1).times(want)).dividedBy(want.plus(num(1))).Float64()
				worst = math.Max(worst, excess)
			}
			t.Logf("above by at most %.1e", worst)
			if worst > 1e-4 { // rounding adds at most 7e-5 in these instances
				t.Errorf("the bound is %.1e above what it bounds", worst)
			}
		})
	}
}
