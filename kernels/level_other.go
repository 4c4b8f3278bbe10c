//go:build !amd64 || purego

package kernels

func availableSets() []*set { return []*set{&generic} }
