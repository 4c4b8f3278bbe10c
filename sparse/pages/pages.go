// Package pages allocates slices in large pages of memory, if the operating system has them.
//
// The operating system provides the memory of a page when the program first writes to the page. If pages have
// only 4 KiB, this can take more time than copying the data, above all in virtual machines.
//
// Large pages have a disadvantage: the program may occupy more memory than the Go runtime reports. The runtime
// gives unused memory back to the operating system. If this memory is only a part of a large page, the operating
// system may provide it again at once, because it wants to keep the page large.
package pages

import (
	"math"
	"runtime"
	"runtime/debug"
	"unsafe"
)

const (
	leastSize = 64 << 10 // Make asks for large pages if a slice has at least leastSize bytes
	pageSize  = 2 << 20  // bytes of a large page
	chunkSize = 4 << 20  // the Go heap grows by multiples of chunkSize bytes
)

// Make returns make([]T, n). Unless the slice is small, it asks the operating system for large pages: for the
// chunks of the heap in which the slice lies or, if debug.SetMemoryLimit or GOMEMLIMIT limits the memory, only
// for large pages in which nothing else lies.
func Make[T any](n int) []T {
	v := make([]T, n)
	size := uintptr(n) * unsafe.Sizeof(*new(T))
	if size < leastSize {
		return v
	}
	start := uintptr(unsafe.Pointer(&v[0]))
	first, end := start&^(chunkSize-1), (start+size+chunkSize-1)&^(chunkSize-1)
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		first, end = (start+pageSize-1)&^(pageSize-1), (start+size)&^(pageSize-1)
	}
	if first < end {
		advise(first, end)
	}
	return v
}

// Reserve asks for large pages for the next n bytes that the Go heap needs, whether or not they come from Make. Only
// memory that is used counts as occupied. A program should call Reserve once, when it starts, because Reserve runs the
// garbage collector. If debug.SetMemoryLimit or GOMEMLIMIT limits the memory, Reserve does nothing.
func Reserve(n int) {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return
	}
	Make[byte](n)
	runtime.GC() // now the memory is free again, but still part of the heap
}

// Resize returns a slice of length n that uses the memory of v if this is large enough, or else memory from
// Make. The elements are undefined. A slice that grows gets spare memory for a quarter more elements.
func Resize[T any](v []T, n int) []T {
	switch {
	case n <= cap(v):
		return v[:n]
	case v == nil:
		return Make[T](n)
	}
	return Make[T](n + n/4)[:n]
}

// Grow returns v with room for n more elements. If v lacks room, it is copied to memory from Make.
func Grow[T any](v []T, n int) []T {
	if n <= cap(v)-len(v) {
		return v
	}
	return append(Make[T](len(v) + n)[:0], v...)
}
