package solver

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestProduct: the short cut for [G; I] gives the bits of the whole matrix, and
// other matrices do not take it.
func TestProduct(t *testing.T) {
	const p = 40
	rng := rand.New(rand.NewPCG(1, 2))
	g, err := graph.FromPairs(p, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {5, 30}, {30, 39}, {7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	fused := g.FusedLasso()
	l, _ := fused.Dims()
	swapped := make([]int, l)
	for i := range swapped {
		swapped[i] = l - 1 - i
	}
	halves, err := sparse.Stack(sparse.Identity(p), sparse.Identity(p))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		a     *sparse.CSR
		short bool
	}{
		{"incidence", fused, true},
		{"identity", sparse.Identity(p), true},
		{"twice the identity", halves, true},
		{"identity upside down", mustSelect(fused, swapped), false},
		{"graph alone", g.Incidence(), false},
	} {
		m := newProduct(c.a)
		if (m.g != nil) != c.short {
			t.Errorf("%s: short cut taken: %v", c.name, m.g != nil)
		}
		l, _ := c.a.Dims()
		x, v := make([]float64, p), make([]float64, l)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		ax, wantAx := make([]float64, l), make([]float64, l)
		m.mul(ax, x)
		c.a.MulVec(wantAx, x)
		sameBits(t, c.name+": A x", ax, wantAx)
		atv, wantATv := make([]float64, p), make([]float64, p)
		m.mulTrans(atv, v)
		c.a.Transpose().MulVec(wantATv, v)
		sameBits(t, c.name+": A'v", atv, wantATv)
	}
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for j := range want {
		if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
			t.Fatalf("%s: entry %d is %v, not %v", what, j, got[j], want[j])
		}
	}
}

// TestSpectraAreShared: a matrix is decomposed once, and forgotten with it.
func TestSpectraAreShared(t *testing.T) {
	kept := func() int {
		spectra.Lock()
		defer spectra.Unlock()
		return len(spectra.of)
	}
	before := kept()
	a := graph.Chain(9).FusedLasso()
	gram := a.Gram()
	first, second := spectrumOf(a, gram, componentsOf(gram)), spectrumOf(a, gram, componentsOf(gram))
	if first != second || first.vectors[0] == nil {
		t.Error("the second call decomposed anew, or none did")
	}
	if kept() <= before {
		t.Error("nothing is kept")
	}
	runtime.KeepAlive(a)
	a, gram = nil, nil
	for range 100 {
		if runtime.GC(); kept() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Error("the spectrum outlives its matrix")
}
