package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// memoryFlags has the flag for the limit on memory. A small file, too, can need much memory, because vectors
// are as long as the largest index in the file. policy.go decides what happens with data beyond the limit.
type memoryFlags struct {
	Memory memorySize `placeholder:"SIZE" help:"Most memory to use, such as 8GiB or 60%; see scas info --help (default: half of the machine's)." group:"Memory and processors:"`
}

// A memorySize is a number of bytes. 0 means that the flag is not given.
type memorySize int64

func (v *memorySize) UnmarshalText(text []byte) error {
	const want = "want a size such as 500MB, 8GiB or 60%"
	digits := strings.TrimRight(string(text), "%kKMGTiB")
	amount, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(amount > 0) {
		return fmt.Errorf("%q: %s", text, want)
	}
	unit := string(text[len(digits):])
	factor, known := map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "KiB": 1 << 10, "MiB": 1 << 20,
		"GiB": 1 << 30, "TiB": 1 << 40,
		"%": float64(machineMemory()) / 100,
	}[unit]
	switch {
	case !known || unit == "%" && amount > 100:
		return fmt.Errorf("%q: %s", text, want)
	case factor == 0:
		return fmt.Errorf("%q: this system does not report its memory; want a size such as 8GiB", text)
	}
	*v = memorySize(min(max(1, amount*factor), 1<<62))
	return nil
}

// limit returns the number of bytes that a command may use, and the origin of this limit, such as --memory.
// It returns 0 if there is no limit.
func (v memorySize) limit() (bytes int64, origin string) {
	if v > 0 {
		return int64(v), "--memory"
	}
	if goLimit := debug.SetMemoryLimit(-1); goLimit < math.MaxInt64 {
		return goLimit, "GOMEMLIMIT"
	}
	// The limit is one half, because garbage may take as much memory as the data in use.
	return machineMemory() / 2, "half of this machine's"
}

// allow returns an error if need is larger than the limit. format and args describe the work that needs the
// memory.
func (v memorySize) allow(need float64, format string, args ...any) error {
	if limit, _ := v.limit(); limit == 0 || need <= float64(limit) {
		return nil
	}
	return fmt.Errorf("%s; allow more with --memory SIZE", v.excessText(fmt.Sprintf(format, args...), need))
}

// excessText says that work needs more memory than the limit.
func (v memorySize) excessText(work string, need float64) string {
	limit, origin := v.limit()
	return fmt.Sprintf("%s needs about %s of memory, more than %s (%s)",
		work, formatBytes(int64(min(need, 1<<62))), formatBytes(limit), origin)
}

// limitReading sets the limits of opt. If --memory is given and at least programBytes, limitReading also
// limits the heap, because garbage could otherwise need as much memory as the data.
func (v memorySize) limitReading(opt *sparse.ReadOptions) {
	opt.Memory, _ = v.limit()
	if opt.Format != sparse.Binary {
		opt.Reserve = reservedBytes(opt.Memory)
	}
	if v >= programBytes {
		debug.SetMemoryLimit(int64(v) - reservedBytes(int64(v)))
	}
}

// machineMemory returns the memory of the machine or of the container in bytes, whichever is smaller. It
// returns 0 if the system does not report the memory.
func machineMemory() int64 {
	info, _ := os.ReadFile("/proc/meminfo")
	total := fieldBytes(string(info), "MemTotal:")
	for _, path := range []string{
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	} {
		text, _ := os.ReadFile(path)
		if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 &&
			(total == 0 || v < total) {
			total = v
		}
	}
	return total
}

// fieldBytes returns the size after name in a text such as /proc/meminfo, in bytes. It returns 0 if it
// finds no size.
func fieldBytes(text, name string) int64 {
	_, value, _ := strings.Cut(text, name)
	var n int64
	var unit string
	if _, err := fmt.Sscan(value, &n, &unit); err != nil || unit != "kB" {
		return 0
	}
	return n << 10
}

// peakMemory returns the peak resident memory of this process in bytes. It returns 0 if the system does not
// report it.
func peakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	return fieldBytes(string(status), "VmHWM:")
}
