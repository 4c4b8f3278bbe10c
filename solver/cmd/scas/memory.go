package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// memoryFacts tell what data and training take, in bytes.
type memoryFacts struct {
	Data   int64 `json:"data"`           // as loaded, labels included; the reader may leave a quarter more unused
	Solver int64 `json:"solver"`         // what scas train adds for A = I, estimated
	Peak   int64 `json:"peak,omitempty"` // of this process so far; 0 if the system does not tell
}

// newMemoryFacts accounts for d.
func newMemoryFacts(d *sparse.Dataset) memoryFacts {
	n, _ := d.X.Dims()
	rows := int64(n)
	return memoryFacts{
		Data: 8*(rows+1) + (4+8)*d.X.NNZ() + 8*rows, Peak: peakMemory(),
		Solver: (&solver.Problem{Data: d.X}).Memory(nil),
	}
}

// peakMemory returns the largest amount of memory this process has had resident,
// 0 if the system does not tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return parsePeak(string(status))
}

// parsePeak reads VmHWM, in bytes, from a file like Linux's /proc/self/status.
func parsePeak(status string) int64 {
	for line := range strings.Lines(status) {
		value, found := strings.CutPrefix(line, "VmHWM:")
		if fields := strings.Fields(value); found && len(fields) == 2 && fields[1] == "kB" {
			kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// byteCount writes a number of bytes for people.
func byteCount(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return plural(n, "byte")
	}
	v, k := float64(n)/(1<<10), 0
	for v >= 1<<10 {
		v, k = v/(1<<10), k+1
	}
	return fmt.Sprintf("%.3g %ciB", v, units[k])
}
