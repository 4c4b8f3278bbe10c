// Package pages allocates large slices in large pages of memory, if the operating system has them.
//
// The first write to each page of fresh memory is a fault. With pages of 4 KiB, the faults can take longer
// than copying the data, above all in virtual machines.
package pages

import (
	"math"
	"unsafe"
)

const (
	pageSize  = 2 << 20 // bytes of a large page
	leastSize = 2 * pageSize
)

// Make returns make([]T, n). If the slice is large, it asks the operating system for large pages.
func Make[T any](n int) []T {
	v := make([]T, n)
	if size := uintptr(n) * unsafe.Sizeof(*new(T)); size >= leastSize && size <= math.MaxInt-pageSize {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), size))
	}
	return v
}
