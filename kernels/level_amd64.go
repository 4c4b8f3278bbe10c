//go:build !purego

package kernels

func available() []*set { return []*set{&generic} }
