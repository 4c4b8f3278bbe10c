//go:build !amd64 || purego

package kernels

func available() []*set { return []*set{&generic} }

// members is empty where the reference is all there is.
var members []member
