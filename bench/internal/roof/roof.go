// Package roof measures what bounds a kernel on this machine: how fast data can
// be read from each level of the memory, and how fast it can be multiplied and
// added.
//
// Bandwidth is what kernels.Dot reaches at the highest level on two vectors
// that together fill half of a cache, or several times the last one; or on one
// vector with itself, counted once, if that is faster. Stores are slower than
// loads, so a kernel that writes cannot quite reach it.
//
// The peak is the best of three measured rates, because the true one needs a
// loop of independent multiply-adds in registers, which Go without assembly does
// not give: kernels.Dot of a short vector with itself (two loads per
// multiply-add bound it), kernels.LogisticSlopes counted at its own operations,
// and, in builds with simd/archsimd, the register loop itself. The source of the
// number is part of the result.
package roof

import (
	"fmt"
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
}

// Defaults for a processor that does not tell its cache sizes.
const (
	defaultL1 = 32 << 10
	defaultL2 = 512 << 10
	defaultL3 = 16 << 20
)

// Measure measures for about nine times the given duration.
func Measure(f machine.Facts, each time.Duration) Roof {
	size := func(n, otherwise int) int {
		if n > 0 {
			return n
		}
		return otherwise
	}
	l1, l2, l3 := size(f.L1, defaultL1), size(f.L2, defaultL2), size(f.L3, defaultL3)
	r := Roof{Levels: []Level{
		{Name: "L1", Size: l1}, {Name: "L2", Size: l2},
		// The last cache is shared, with other machines too where this one is virtual.
		{Name: "L3", Size: l3 / 4 * 3},
		{Name: "memory", Size: 1 << 62},
	}}
	for i, bytes := range []int{l1 / 2, l2 / 2, l3 / 2, 4 * l3} {
		r.Levels[i].Bandwidth = bandwidth(bytes, each)
	}
	r.measurePeak(each)
	return r
}

// measurePeak fills in the best rate and its source.
func (r *Roof) measurePeak(each time.Duration) {
	x := ones(1024)
	try := func(rate float64, from string) {
		if rate > r.Peak {
			r.Peak, r.PeakFrom = rate, from
		}
	}
	try(2*1024/fastest(each, func() { kernels.Dot(x, x) }), "Dot in L1")
	slope, label := make([]float64, 1024), ones(1024)
	try(SlopeFlops*1024/fastest(each, func() { kernels.LogisticSlopes(slope, x, label) }), "LogisticSlopes in L1")
	if f := registerLoop(); f != nil {
		const rounds = 1000
		try(f(rounds)/fastest(each, func() { f(rounds) }), "register loop of simd/archsimd")
	}
}

// SlopeFlops are the operations of LogisticSlopes per element: 35 for the
// exponential and the quotient, 31 for log1p.
const SlopeFlops = 66

// bandwidth returns bytes per ns read from a working set of the given size.
func bandwidth(size int, each time.Duration) float64 {
	n := size / 8
	x := ones(n)
	a, b := x[:n/2], x[n/2:n/2*2]
	two := fastest(each, func() { kernels.Dot(a, b) })
	one := fastest(each, func() { kernels.Dot(x, x) })
	return float64(8*n) / min(two, one)
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

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// Limit returns the least time per unit in ns that the roof allows c, and which
// part of it is the tightest: a memory level or "flops".
func (r Roof) Limit(c measure.Case) (ns float64, bound string) {
	ns, bound = c.Flops/r.Peak, "flops"
	for _, t := range c.Traffic {
		l := r.At(t.Size)
		if d := t.Bytes / l.Bandwidth; d > ns {
			ns, bound = d, l.Name
		}
	}
	return ns / float64(c.Units), bound
}

// At returns the level in which a working set of the given size lives.
func (r Roof) At(size int) Level {
	for _, l := range r.Levels {
		if size <= l.Size {
			return l
		}
	}
	return r.Levels[len(r.Levels)-1]
}

// Lines describes the roof for the head of a report.
func (r Roof) Lines() []string {
	line := "reads:  "
	for _, l := range r.Levels {
		line += fmt.Sprintf(" %s %.0f", l.Name, l.Bandwidth)
	}
	return []string{
		line + " GB/s (kernels.Dot, one core)",
		fmt.Sprintf("peak:    %.0f Gflop/s (%s; one core)", r.Peak, r.PeakFrom),
	}
}
