package kernels

import "unsafe"

// noescape returns p with its way here hidden from the compiler, which takes
// what is passed to a function value for kept, and would move every argument
// struct to the heap. No kernel keeps one. The number is a pointer again before
// anything can move the stack.
//
//go:nosplit
func noescape[T any](p *T) *T {
	u := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&u))
}
