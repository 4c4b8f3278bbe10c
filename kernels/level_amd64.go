//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// features maps the names of processor features to constants of package cpuid. The names are those in
// the field needs of the generated sets.
var features = map[string]cpuid.FeatureID{
	"AVX": cpuid.AVX, "AVX2": cpuid.AVX2, "FMA3": cpuid.FMA3, "BMI": cpuid.BMI1, "BMI2": cpuid.BMI2,
	"AVX512F": cpuid.AVX512F, "AVX512VL": cpuid.AVX512VL, "AVX512DQ": cpuid.AVX512DQ,
	"AVX512BW": cpuid.AVX512BW, "CMOV": cpuid.CMOV,
	"MMX+": cpuid.SSE, // avo lists this feature for prefetch instructions; SSE has them too
}

func availableSets() []*set {
	out := []*set{&generic}
	for _, s := range []*set{&setAVX2, &setAVX512} {
		if capable(s) {
			out = append(out, s)
		}
	}
	return out
}

// capable reports whether the processor has every feature that the kernels of s use.
func capable(s *set) bool {
	// The list needs lacks some features of instructions that use registers above 15. So AVX512
	// requires all of x86-64-v4.
	if s.level == AVX512 && cpuid.CPU.X64Level() < 4 {
		return false
	}
	for _, name := range s.needs {
		id, ok := features[name]
		if !ok || !cpuid.CPU.Supports(id) {
			return false
		}
	}
	return true
}
