//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// features maps the names in the table of needs to the processor's.
var features = map[string]cpuid.FeatureID{
	"AVX": cpuid.AVX, "AVX2": cpuid.AVX2, "FMA3": cpuid.FMA3, "BMI": cpuid.BMI1, "BMI2": cpuid.BMI2,
	"AVX512F": cpuid.AVX512F, "AVX512VL": cpuid.AVX512VL, "AVX512DQ": cpuid.AVX512DQ,
	"AVX512BW": cpuid.AVX512BW, "CMOV": cpuid.CMOV,
	"MMX+": cpuid.SSE, // the prefetches, which Intel has with SSE and AMD had before
}

// available returns the sets this processor can run, ascending.
func available() []*set {
	out := []*set{&generic}
	for _, s := range []*set{&setAVX2, &setAVX512} {
		if capable(s.level) {
			out = append(out, s)
		}
	}
	return out
}

// capable reports whether the processor has every feature that the kernels of
// a level use. A feature this package has no name for counts as missing.
func capable(l Level) bool {
	// The generator reads off the first form that fits an instruction, which
	// under-reports where a high register makes it an EVEX one.
	if l == AVX512 && cpuid.CPU.X64Level() < 4 {
		return false
	}
	for _, names := range needs[l] {
		for _, name := range names {
			id, ok := features[name]
			if !ok || !cpuid.CPU.Supports(id) {
				return false
			}
		}
	}
	return true
}
