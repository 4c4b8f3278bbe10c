//go:build !goexperiment.simd || !amd64

package roof

// registerLoop returns nil: this build has no vector registers to use.
func registerLoop() func(rounds int) (flops float64) { return nil }
