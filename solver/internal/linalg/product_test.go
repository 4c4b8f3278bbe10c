package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestProduct checks a Product with A = [G; I], which multiplies by G and copies for I. It must give the same
// bits as the matrix A. For any other matrix Product.parts must be nil.
func TestProduct(t *testing.T) {
	const p = 40
	rng := rand.New(rand.NewPCG(1, 2))
	g, err := graph.FromPairs(p, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {5, 30}, {30, 39}, {7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	fusedLasso := g.FusedLasso()
	l, _ := fusedLasso.Dims()
	reversedRows := make([]int, l)
	for i := range reversedRows {
		reversedRows[i] = l - 1 - i
	}
	twoIdentities, err := sparse.Stack(sparse.Identity(p), sparse.Identity(p))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		a        *sparse.CSR
		hasParts bool
	}{
		{"incidence", fusedLasso, true},
		{"identity", sparse.Identity(p), true},
		{"twice the identity", twoIdentities, true},
		{"identity upside down", mustSelect(fusedLasso, reversedRows), false},
		{"graph alone", g.Incidence(), false},
	} {
		m := New(c.a, p).Product()
		if (m.parts != nil) != c.hasParts {
			t.Errorf("%s: short cut taken: %v", c.name, m.parts != nil)
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
		m.MulVec(ax, x)
		c.a.MulVec(wantAx, x)
		sameBits(t, c.name+": A x", ax, wantAx)
		atv, wantATv := make([]float64, p), make([]float64, p)
		m.MulVecTrans(atv, v)
		c.a.Transpose().MulVec(wantATv, v)
		sameBits(t, c.name+": A'v", atv, wantATv)
	}
}

func sameBits(t *testing.T, description string, got, want []float64) {
	t.Helper()
	for j := range want {
		if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
			t.Fatalf("%s: entry %d is %v, not %v", description, j, got[j], want[j])
		}
	}
}

// TestSpectrumStops checks that Spectrum and Shifted end at once if their argument interrupt returns an
// error, and that a later call of Spectrum succeeds.
func TestSpectrumStops(t *testing.T) {
	a := graph.Chain(60).FusedLasso()
	q, calls, stop := New(a, 60), 0, errors.New("stop")
	countCalls := func() error { calls++; return nil }
	if _, err := New(a, 60).Spectrum(countCalls); err != nil || calls < 2*60 {
		t.Fatalf("called %d times in several sweeps of 60 rows, error %v", calls, err)
	}
	countdown := calls / 2
	if s, err := q.Spectrum(func() error {
		countdown--
		if countdown == 0 {
			return stop
		}
		return nil
	}); s != nil || err != stop || countdown != 0 {
		t.Fatalf("%v, error %v, %d left", s, err, countdown)
	}
	if _, err := q.Shifted(1, func() error { return stop }); err != stop {
		t.Errorf("Shifted: %v", err)
	}
	s, err := q.Spectrum(nil)
	if err != nil || s.vectors[0] == nil {
		t.Fatalf("after the interruption: %v", err)
	}
	if again, err := q.Spectrum(func() error { return stop }); again != s || err != nil {
		t.Errorf("what is there is computed anew: %v", err)
	}
}

// TestSharedOnce checks that concurrent callers get the same spectrum, and that A'A and the parts of A are
// computed only once.
func TestSharedOnce(t *testing.T) {
	q := New(graph.Chain(9).FusedLasso(), 9)
	spectra := make([]*Spectrum, 8)
	var wg sync.WaitGroup
	for k := range spectra {
		wg.Go(func() { spectra[k], _ = q.Spectrum(nil) })
	}
	wg.Wait()
	for _, s := range spectra {
		if s != spectra[0] || s.vectors[0] == nil {
			t.Error("the spectrum was computed twice, or not at all")
		}
	}
	if gram, parts := q.Gram(), q.Product().parts; gram != q.Gram() || parts != q.Product().parts {
		t.Error("A'A or the parts of A are computed anew")
	}
}
