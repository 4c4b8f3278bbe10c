package solvertest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
)

// Heap returns the bytes of live objects.
func Heap() int64 {
	runtime.GC()
	runtime.GC() // finalizers and pools
	return live()
}

// live returns the bytes that the last collection found alive.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Peak returns the most bytes that collections find alive while do runs, with a
// collection whenever the heap has grown by a twentieth, and what do returned.
func Peak[T any](do func() T) (result T, most int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	var seen atomic.Int64
	var ended atomic.Bool
	var watch func()
	watch = func() { // an object that the next collection finds dead
		runtime.SetFinalizer(new([4]*byte), func(*[4]*byte) {
			seen.Store(max(seen.Load(), live()))
			if !ended.Load() {
				watch()
			}
		})
	}
	watch()
	result = do()
	last := Heap()
	ended.Store(true)
	return result, max(last, seen.Load())
}

// CheckEstimate holds an estimate of memory to what was measured, both in bytes.
func CheckEstimate(t testing.TB, estimate, measured int64) {
	t.Helper()
	ratio := float64(estimate) / float64(measured)
	t.Logf("%d bytes estimated, %d measured, %.2f", estimate, measured, ratio)
	if ratio < 0.7 || ratio > 1.4 {
		t.Errorf("the estimate is %.3g times what was measured", ratio)
	}
}
