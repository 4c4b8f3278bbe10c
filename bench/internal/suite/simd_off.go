//go:build !goexperiment.simd || !amd64 || go1.27

package suite

const simdBuilt = false

// simdBuilt tells whether the build has simd/archsimd.
func simd() simdForms { return simdForms{} }
