//go:build goexperiment.simd && amd64 && !go1.27

package suite

import (
	"testing"

	"github.com/scas-admm/scas/kernels"
)

func TestSIMDIsThere(t *testing.T) {
	levels := kernels.Available()
	want, f := levels[len(levels)-1] == kernels.AVX512, simd()
	if has := (f.dot != nil); has != want || has != (f.update != nil) || has != (f.prox != nil) {
		t.Errorf("forms %+v; AVX-512: %v", f, want)
	}
}
