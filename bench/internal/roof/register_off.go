//go:build !goexperiment.simd || !amd64 || go1.27

package roof

// registers returns no loops, because this build has no simd/archsimd.
func registers() loops { return loops{} }
