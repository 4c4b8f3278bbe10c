//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// features maps the names of processor features in the generated variable needs to the constants of
// package cpuid.
var features = map[string]cpuid.FeatureID{
	"AVX": cpuid.AVX, "AVX2": cpuid.AVX2, "FMA3": cpuid.FMA3, "BMI": cpuid.BMI1, "BMI2": cpuid.BMI2,
	"AVX512F": cpuid.AVX512F, "AVX512VL": cpuid.AVX512VL, "AVX512DQ": cpuid.AVX512DQ,
	"AVX512BW": cpuid.AVX512BW, "CMOV": cpuid.CMOV,
	"MMX+": cpuid.SSE, // the prefetch instructions: part of SSE, and of an older extension by AMD
}

// available returns the implementations that this processor can run, in ascending order.
func available() []*set {
	out := []*set{&generic}
	for _, s := range []*set{&setAVX2, &setAVX512} {
		if capable(s.level) {
			out = append(out, s)
		}
	}
	return out
}

// capable reports whether the processor has every feature that the kernels of a level
// use. A feature without an entry in features counts as missing.
func capable(l Level) bool {
	// avo lists the features of the first encoding that fits an instruction. It misses some if a
	// register above 15 requires the EVEX encoding, so AVX512 requires all of x86-64-v4.
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
