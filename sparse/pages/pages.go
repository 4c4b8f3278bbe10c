// Package pages allocates slices in large pages of memory, if the operating system has them.
//
// The first write to each page of fresh memory is a fault. With pages of 4 KiB, the faults can take longer
// than copying the data, above all in virtual machines.
package pages

import "unsafe"

const (
	leastSize = 64 << 10 // bytes of the smallest slice for which Make asks for large pages
	chunkSize = 4 << 20  // the Go heap grows by multiples of chunkSize bytes
)

// Make returns make([]T, n). Unless the slice is small, it asks the operating system for large pages.
func Make[T any](n int) []T {
	v := make([]T, n)
	if size := uintptr(n) * unsafe.Sizeof(*new(T)); size >= leastSize {
		advise(uintptr(unsafe.Pointer(&v[0])), size)
	}
	return v
}

// Resize returns a slice of length n that uses the memory of v if this is large enough, or else memory from
// Make. The elements are undefined. A slice that grows gets spare memory for half as many elements more.
func Resize[T any](v []T, n int) []T {
	switch {
	case n <= cap(v):
		return v[:n]
	case v == nil:
		return Make[T](n)
	}
	return Make[T](n + n/2)[:n]
}

// Grow returns v with room for n more elements. If v lacks room, it is copied to memory from Make.
func Grow[T any](v []T, n int) []T {
	if n <= cap(v)-len(v) {
		return v
	}
	return append(Make[T](len(v) + n)[:0], v...)
}
