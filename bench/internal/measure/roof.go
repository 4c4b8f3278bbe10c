package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/kernels"
)

// A MemoryLevel is a level of the memory hierarchy.
type MemoryLevel struct {
	Name      string
	Size      int     // largest size in bytes of data that this level is assumed to keep
	Bandwidth float64 // bytes per ns, which is the same as GB/s
}

// A Roof has the measured limits of this machine: the bandwidth of each memory level, and floating-point
// operations per second (the roofline model, Williams, Waterman and Patterson 2009). A limit is the best rate
// of several computations:
//
//   - for bandwidth: the kernels Dot and Axpy of two vectors that together have the size to measure, and Dot
//     of a vector of this size with itself
//   - for operations: the kernels Dot of a short vector with itself, and LogisticSlopes
//
// The processor may be able to do more than is measured here. In particular, it can do many more operations
// per second than Peak if all numbers stay in registers; these kernels read their numbers from a cache.
type Roof struct {
	Levels     []MemoryLevel // L1, L2, L3 and main memory
	Peak       float64       // floating-point operations per ns (Gflop/s); an FMA counts as two
	PeakSource string        // the kernel that reached Peak
}

// Cache sizes to assume if the processor does not report them.
const (
	defaultL1 = 32 << 10
	defaultL2 = 512 << 10
	defaultL3 = 16 << 20
)

// NewRoof measures the bandwidths and the peak of this machine. description has the sizes of the caches.
// duration is the time of one measurement; NewRoof takes about twenty times as long.
func NewRoof(description machine.Description, duration time.Duration) Roof {
	l1, l2 := cmp.Or(description.L1, defaultL1), cmp.Or(description.L2, defaultL2)
	l3 := cmp.Or(description.L3, defaultL3)
	r := Roof{Levels: []MemoryLevel{
		{Name: "L1", Size: l1}, {Name: "L2", Size: l2},
		// Other cores and other virtual machines may share the last cache, so only three quarters of it
		// count.
		{Name: "L3", Size: l3 / 4 * 3},
		{Name: "memory", Size: 1 << 62},
	}}
	for i, bytes := range []int{l1 / 2, l2 / 2, l3 / 2, 4 * l3} {
		r.Levels[i].Bandwidth = bandwidth(bytes, duration)
	}
	r.measurePeak(duration)
	return r
}

func (r *Roof) measurePeak(duration time.Duration) {
	x := ones(1024)
	try := func(rate float64, source string) {
		if rate > r.Peak {
			r.Peak, r.PeakSource = rate, source
		}
	}
	try(2*1024/fastest(duration, func() { kernels.Dot(x, x) }), "Dot in L1")
	slope, label := make([]float64, 1024), ones(1024)
	try((SlopeFlops+LossFlops)*1024/fastest(duration, func() { kernels.LogisticSlopes(slope, x, label) }),
		"LogisticSlopes in L1")
}

// bandwidth returns the highest rate of several kernels over data of the given size, in bytes per ns. The
// size is in bytes. Each kernel is repeated for the given duration.
func bandwidth(size int, duration time.Duration) float64 {
	n := size / 8 / 64 * 64
	x := ones(n)
	a, b := x[:n/2], x[n/2:]
	best := fastest(duration, func() { kernels.Dot(a, b) })
	best = min(best, fastest(duration, func() { kernels.Dot(x, x) }))
	best = min(best, fastest(duration, func() { kernels.Axpy(0, a, b) }))
	return float64(8*n) / best
}

// fastest calls f again and again, and returns the smallest time of a call in ns. duration is about the total
// time. If one call is too short for the clock, fastest times several calls together.
func fastest(duration time.Duration, f func()) float64 {
	timeCalls := func(calls int) time.Duration {
		start := time.Now()
		for range calls {
			f()
		}
		return time.Since(start)
	}
	calls, best := repetitions(20*time.Microsecond, timeCalls), time.Duration(math.MaxInt64)
	for start, k := time.Now(), 0; k < 3 || time.Since(start) < duration; k++ {
		best = min(best, timeCalls(calls))
	}
	return float64(best.Nanoseconds()) / float64(calls)
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// Limit returns the smallest time that the roof allows for one unit of the work of c, in ns. bound is the
// name of the limit that applies: a memory level or "flops".
func (r Roof) Limit(c Case) (ns float64, bound string) {
	ns, bound = c.Flops/r.Peak, "flops"
	for _, t := range c.Traffic {
		index := slices.IndexFunc(r.Levels, func(l MemoryLevel) bool { return t.Size <= l.Size })
		l := r.Levels[index]
		if d := t.Bytes / l.Bandwidth; d > ns {
			ns, bound = d, l.Name
		}
	}
	return ns / float64(c.Units), bound
}

// Lines returns the bandwidths and the peak as lines for the head of a report.
func (r Roof) Lines() []string {
	line := "reads:  "
	for _, l := range r.Levels {
		line += fmt.Sprintf(" %s %.0f", l.Name, l.Bandwidth)
	}
	return []string{
		line + " GB/s (the best kernel; one core)",
		fmt.Sprintf("peak:    %.0f Gflop/s (%s; one core)", r.Peak, r.PeakSource),
	}
}
