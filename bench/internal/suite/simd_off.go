//go:build !goexperiment.simd || !amd64

package suite

func simd() forms { return forms{} }
