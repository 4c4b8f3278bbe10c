//go:build !goexperiment.simd || !amd64 || go1.27

package roof

// registers returns nothing: this build has no vector registers to use.
func registers() loops { return loops{} }
