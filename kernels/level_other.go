//go:build !amd64 || purego

package kernels

func available() []*set { return []*set{&generic} }
