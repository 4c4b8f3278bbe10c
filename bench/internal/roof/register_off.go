//go:build !goexperiment.simd || !amd64 || go1.27

package roof

// registerLoops returns loops with nil functions, because this build does not have simd/archsimd.
func registerLoops() loops { return loops{} }
