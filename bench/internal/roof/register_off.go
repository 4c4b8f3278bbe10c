//go:build !goexperiment.simd || !amd64 || go1.27

package roof

// registers returns loops with nil functions, because this build does not have simd/archsimd.
func registers() loops { return loops{} }
