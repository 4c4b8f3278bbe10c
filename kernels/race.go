//go:build race

package kernels

import (
	"runtime"
	"unsafe"
)

// The race detector does not see the reads and writes of assembly, so the exported functions report
// them by the functions below.

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
		lo, hi := a.Ptr[0], a.Ptr[n]
		raceReadPart(a.Idx, lo, hi)
		raceReadPart(a.Val, lo, hi)
		raceReadPart(a.Idx16, lo, hi)
		raceReadPart(a.Val32, lo, hi)
	}
}

func raceReadSampled(a Rows, sampled []int32) {
	for _, i := range sampled {
		raceReadRows(a.Row(int(i)))
	}
}

func raceReadPart[T any](s []T, lo, hi int64) {
	if s != nil {
		raceRead(s[lo:hi])
	}
}
