package solver

import (
	"runtime"
	"sync"
	"weak"

	"github.com/scas-admm/scas/sparse"
)

// spectra keeps what was decomposed for as long as the constraint matrix, which
// does not change, is in use: paths and tuning solve many problems on one A.
var spectra struct {
	sync.Mutex
	of map[weak.Pointer[sparse.CSR]]*lazySpectrum
}

// A lazySpectrum is decomposed by the first who asks; others wait.
type lazySpectrum struct {
	once sync.Once
	s    *spectrum
}

// spectrumOf returns s decomposed; s are the components of a with the given A'A.
func spectrumOf(a *sparse.CSR, gram *sparse.CSR, s *spectrum) *spectrum {
	key := weak.Make(a)
	spectra.Lock()
	if spectra.of == nil {
		spectra.of = map[weak.Pointer[sparse.CSR]]*lazySpectrum{}
	}
	one := spectra.of[key]
	if one == nil {
		one = &lazySpectrum{}
		spectra.of[key] = one
		runtime.AddCleanup(a, forget, key)
	}
	spectra.Unlock()
	one.once.Do(func() {
		s.decompose(gram)
		one.s = s
	})
	return one.s
}

func forget(key weak.Pointer[sparse.CSR]) {
	spectra.Lock()
	defer spectra.Unlock()
	delete(spectra.of, key)
}
