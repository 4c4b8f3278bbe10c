package kernels

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A Timing is one measurement of Calibrate.
type Timing struct {
	Kernel string // one of KernelNames
	Shape  string // what it worked on
	Level  Level
	Unit   string  // what the time is per: nnz, element or step
	Nanos  float64 // least nanoseconds per unit over all rounds
}

// calibrateMargin is how much faster a lower level must be to be chosen over a
// higher one: less than that is noise.
const calibrateMargin = 0.97

// Calibrate measures every kernel at every level of this machine above Generic
// for about the given time, a second being enough, and returns the best choice
// as a value for the environment variable SCAS_KERNELS, with the measurements
// behind it. Levels take turns, and the least time of many rounds counts, so that
// a busy machine gives the same answer later. The choice is empty where Generic
// is all there is.
//
// Kernels that other goroutines run meanwhile change level, which changes speed
// but no result; like Use it must not be called while kernels run.
func Calibrate(budget time.Duration) (choice string, timings []Timing) {
	was := active
	defer func() { active = was }()
	levels := sets[1:]
	if len(levels) == 0 {
		return "", nil
	}
	work := calibrateWork()
	deadline := time.Now().Add(budget)
	least := make([][]time.Duration, len(work))
	for i := range least {
		least[i] = make([]time.Duration, len(levels))
	}
	for round := 0; round < 3 || time.Now().Before(deadline); round++ {
		for i, w := range work {
			for j, s := range levels {
				active = s
				start := time.Now()
				w.run()
				if d := max(time.Since(start), 1); round == 0 || d < least[i][j] {
					least[i][j] = d
				}
			}
		}
	}
	for i, w := range work {
		for j, s := range levels {
			timings = append(timings, Timing{w.kernel, w.shape, s.level, w.unit, float64(least[i][j]) / float64(w.units)})
		}
	}
	return chooseFastest(timings), timings
}

// chooseFastest takes for every kernel the level with the least geometric mean
// over shapes.
func chooseFastest(timings []Timing) string {
	var out []string
	for _, kernel := range KernelNames() {
		total, shapes := [numLevels]float64{}, [numLevels]int{}
		for _, t := range timings {
			if t.Kernel == kernel {
				total[t.Level] += math.Log(t.Nanos)
				shapes[t.Level]++
			}
		}
		best := Generic
		for l := numLevels - 1; l > Generic; l-- {
			if shapes[l] == 0 {
				continue
			}
			// Both means are over the same shapes.
			if best == Generic || (total[l]-total[best])/float64(shapes[l]) < math.Log(calibrateMargin) {
				best = l
			}
		}
		if best > Generic {
			out = append(out, fmt.Sprintf("%s=%v", kernel, best))
		}
	}
	return strings.Join(out, ",")
}
