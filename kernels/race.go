//go:build race

package kernels

import (
	"runtime"
	"unsafe"
)

// The race detector cannot see assembly, so the wrappers report for it.

func raceRead[T any](s []T) {
	if len(s) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&s[0]), len(s)*int(unsafe.Sizeof(s[0])))
	}
}

func raceWrite(s []float64) {
	if len(s) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&s[0]), 8*len(s))
	}
}

func raceReadRows(a Rows) {
	raceRead(a.Ptr)
	if n := a.Len(); n > 0 {
		raceRead(a.Idx[a.Ptr[0]:a.Ptr[n]])
		raceRead(a.Val[a.Ptr[0]:a.Ptr[n]])
	}
}
