//go:build !purego

package kernels

import (
	"slices"
	"strings"
	"testing"
)

// TestNeeds checks the generated table of processor features.
func TestNeeds(t *testing.T) {
	for l, kernels := range needs {
		for name, list := range kernels {
			if len(list) == 0 {
				t.Errorf("%s %v needs nothing", name, l)
			}
			for _, f := range list {
				if _, ok := features[f]; !ok {
					t.Errorf("%s %v needs %s, which the gate has no name for", name, l, f)
				}
				if strings.HasPrefix(f, "AVX512") && l < AVX512 {
					t.Errorf("%s %v needs %s", name, l, f)
				}
			}
		}
	}
	if len(needs[AVX2]) == 0 || len(needs[AVX2]) != len(needs[AVX512]) {
		t.Errorf("%d kernels for avx2, %d for avx512", len(needs[AVX2]), len(needs[AVX512]))
	}
}

// TestGate checks that a level is not offered if a kernel needs an unknown processor feature.
func TestGate(t *testing.T) {
	if !slices.Contains(Available(), AVX2) {
		t.Skip("no AVX2 here, so the gate is closed already")
	}
	old := needs[AVX2]["dot"]
	defer func() { needs[AVX2]["dot"] = old }()
	needs[AVX2]["dot"] = append(slices.Clone(old), "AVX99")
	if capable(AVX2) {
		t.Error("avx2 is offered although a kernel needs an unknown feature")
	}
}
