// Package roof measures what bounds a kernel on this machine: how fast data can
// be read from each level of the memory, and how fast it can be multiplied and
// added.
//
// Two things need vector registers, which Go has only in builds with
// simd/archsimd: a loop of independent multiply-adds, and one of loads that are
// added in independent chains. Without them both numbers are what the kernels of
// this project reach at their best, a roof that is too low where the processor
// could do more; the result says which it is.
//
//   - Bandwidth, otherwise: the best of kernels.Dot on two vectors that together
//     fill half of a cache, of kernels.Dot of one with itself, counted once, and
//     of kernels.Axpy, which loads as much as the first and stores half of it.
//   - Peak, otherwise: the better of kernels.Dot of a short vector with itself
//     and kernels.LogisticSlopes counted at its own operations.
//
// The memory is read over four times the last cache. A kernel that also
// writes cannot quite reach the roof.
package roof

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/kernels"
)

// A Level is one level of the memory.
type Level struct {
	Name      string
	Size      int     // bytes a working set may have to count as living here
	Bandwidth float64 // bytes per ns, which is GB/s
}

// A Roof is what a run of this process could reach.
type Roof struct {
	Levels   []Level // L1, L2, L3, memory; the last holds any size
	Peak     float64 // operations per ns, an FMA being two: Gflop/s
	PeakFrom string  // what reached Peak
	ReadFrom string  // what reached the bandwidths
}

// Defaults for a processor that does not tell its cache sizes.
const (
	defaultL1 = 32 << 10
	defaultL2 = 512 << 10
	defaultL3 = 16 << 20
)

// Measure measures for about twenty times the given duration.
func Measure(f machine.Facts, each time.Duration) Roof {
	l1, l2, l3 := cmp.Or(f.L1, defaultL1), cmp.Or(f.L2, defaultL2), cmp.Or(f.L3, defaultL3)
	r := Roof{Levels: []Level{
		{Name: "L1", Size: l1}, {Name: "L2", Size: l2},
		// The last cache is shared, with other machines too where this one is virtual.
		{Name: "L3", Size: l3 / 4 * 3},
		{Name: "memory", Size: 1 << 62},
	}}
	vector := registers()
	r.ReadFrom = "the best kernel"
	if vector.read != nil {
		r.ReadFrom = "simd/archsimd or the best kernel"
	}
	for i, bytes := range []int{l1 / 2, l2 / 2, l3 / 2, 4 * l3} {
		r.Levels[i].Bandwidth = bandwidth(bytes, each, vector)
	}
	r.measurePeak(each, vector)
	return r
}

// measurePeak fills in the best rate and its source.
func (r *Roof) measurePeak(each time.Duration, vector loops) {
	x := ones(1024)
	try := func(rate float64, from string) {
		if rate > r.Peak {
			r.Peak, r.PeakFrom = rate, from
		}
	}
	try(2*1024/fastest(each, func() { kernels.Dot(x, x) }), "Dot in L1")
	slope, label := make([]float64, 1024), ones(1024)
	try((measure.SlopeFlops+measure.LossFlops)*1024/fastest(each, func() { kernels.LogisticSlopes(slope, x, label) }), "LogisticSlopes in L1")
	if f := vector.multiplyAdds; f != nil {
		const rounds = 1000
		try(f(rounds)/fastest(each, func() { f(rounds) }), "registers of simd/archsimd")
	}
}

// loops are what needs vector registers; nil where there are none.
type loops struct {
	multiplyAdds func(rounds int) (flops float64)
	read         func(x []float64)
}

// bandwidth returns bytes per ns read from a working set of the given size.
func bandwidth(size int, each time.Duration, vector loops) float64 {
	n := size / 8 / 64 * 64
	x := ones(n)
	a, b := x[:n/2], x[n/2:]
	best := fastest(each, func() { kernels.Dot(a, b) })
	best = min(best, fastest(each, func() { kernels.Dot(x, x) }))
	best = min(best, fastest(each, func() { kernels.Axpy(0, a, b) }))
	if vector.read != nil {
		best = min(best, fastest(each, func() { vector.read(x) }))
	}
	return float64(8*n) / best
}

// fastest returns the least time of f in ns over the given duration, timing
// batches long enough for the clock.
func fastest(each time.Duration, f func()) float64 {
	f()
	batch := 1
	for {
		start := time.Now()
		for range batch {
			f()
		}
		if d := time.Since(start); d > 20*time.Microsecond || batch > 1<<20 {
			break
		}
		batch *= 2
	}
	best := time.Duration(1<<63 - 1)
	for start, k := time.Now(), 0; k < 3 || time.Since(start) < each; k++ {
		from := time.Now()
		for range batch {
			f()
		}
		best = min(best, time.Since(from))
	}
	return float64(best.Nanoseconds()) / float64(batch)
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// Limit returns the least time per unit in ns that the roof allows c, and which
// part of it is the tightest: a memory level or "flops".
func (r Roof) Limit(c measure.Case) (ns float64, bound string) {
	ns, bound = c.Flops/r.Peak, "flops"
	for _, t := range c.Traffic {
		at := slices.IndexFunc(r.Levels, func(l Level) bool { return t.Size <= l.Size })
		l := r.Levels[at]
		if d := t.Bytes / l.Bandwidth; d > ns {
			ns, bound = d, l.Name
		}
	}
	return ns / float64(c.Units), bound
}

// Lines describes the roof for the head of a report.
func (r Roof) Lines() []string {
	line := "reads:  "
	for _, l := range r.Levels {
		line += fmt.Sprintf(" %s %.0f", l.Name, l.Bandwidth)
	}
	return []string{
		line + fmt.Sprintf(" GB/s (%s; one core)", r.ReadFrom),
		fmt.Sprintf("peak:    %.0f Gflop/s (%s; one core)", r.Peak, r.PeakFrom),
	}
}
