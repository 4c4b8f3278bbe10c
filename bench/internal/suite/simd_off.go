//go:build !goexperiment.simd || !amd64 || go1.27

package suite

// simdBuilt is true if the build has simd/archsimd.
const simdBuilt = false

func simd() simdForms { return simdForms{} }
