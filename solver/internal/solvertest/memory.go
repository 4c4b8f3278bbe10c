package solvertest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
)

// HeapAfterGC collects garbage and returns the number of bytes in live objects.
func HeapAfterGC() int64 {
	runtime.GC()
	runtime.GC() // frees the objects that finalizers and pools kept alive in the first collection
	return liveBytes()
}

// liveBytes returns the number of bytes that the last garbage collection found alive.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// PeakHeap calls do. It returns the result of do and the largest number of live bytes that a garbage
// collection found during or just after the call.
func PeakHeap[T any](do func() T) (result T, peak int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	var highest atomic.Int64
	var ended atomic.Bool
	var watch func()
	watch = func() { // watch sets a finalizer, which runs after the next garbage collection
		runtime.SetFinalizer(new([4]*byte), func(*[4]*byte) {
			highest.Store(max(highest.Load(), liveBytes()))
			if !ended.Load() {
				watch()
			}
		})
	}
	watch()
	result = do()
	lastHeap := HeapAfterGC()
	ended.Store(true)
	return result, max(lastHeap, highest.Load())
}

// CheckEstimate checks that an estimate of memory, in bytes, is near the measured number.
func CheckEstimate(t testing.TB, estimate, measured int64) {
	t.Helper()
	ratio := float64(estimate) / float64(measured)
	t.Logf("%d bytes estimated, %d measured, %.2f", estimate, measured, ratio)
	if ratio < 0.7 || ratio > 1.4 {
		t.Errorf("the estimate is %.3g times the measured value", ratio)
	}
}
