//go:build !purego

package kernels

import (
	"slices"
	"strings"
	"testing"
)

// TestNeeds checks the generated lists of processor features.
func TestNeeds(t *testing.T) {
	for _, s := range []*set{&setAVX2, &setAVX512} {
		if len(s.needs) == 0 {
			t.Errorf("%v needs nothing", s.level)
		}
		for _, f := range s.needs {
			if _, ok := features[f]; !ok {
				t.Errorf("%v needs %s, which the gate has no name for", s.level, f)
			}
			if strings.HasPrefix(f, "AVX512") && s.level < AVX512 {
				t.Errorf("%v needs %s", s.level, f)
			}
		}
	}
}

// TestGate checks that a level is not offered if its kernels need an unknown processor feature.
func TestGate(t *testing.T) {
	if !slices.Contains(Available(), AVX2) {
		t.Skip("no AVX2 here, so the gate is closed already")
	}
	s := setAVX2
	s.needs = append(slices.Clone(s.needs), "AVX99")
	if capable(&s) {
		t.Error("avx2 is offered although its kernels need an unknown feature")
	}
}
