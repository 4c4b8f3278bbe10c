//go:build !goexperiment.simd || !amd64 || go1.27

package suite

func simd() simdKernels { return simdKernels{} }
