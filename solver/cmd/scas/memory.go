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

// memoryFlags bound what a command may take. A file of some bytes can name a feature
// 2,147,483,647, and vectors have an entry for each.
type memoryFlags struct {
	Memory memorySize `placeholder:"SIZE" help:"Most memory to use, such as 8GiB or 60%; see scas info --help (default: half of the machine's)." group:"Memory and processors:"`
}

// memorySize is a number of bytes; 0 stands for no flag.
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
		"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
		"%": float64(machineMemory()) / 100,
	}[unit]
	switch {
	case !known || unit == "%" && amount > 100:
		return fmt.Errorf("%q: %s", text, want)
	case factor == 0:
		return fmt.Errorf("%q: this system does not tell its memory; %s", text, "want a size such as 8GiB")
	}
	*v = memorySize(min(max(1, amount*factor), 1<<62))
	return nil
}

// limit returns the bytes that a command may take, and what sets this limit. It returns 0 if nothing
// sets one.
func (v memorySize) limit() (bytes int64, origin string) {
	if v > 0 {
		return int64(v), "--memory"
	}
	if soft := debug.SetMemoryLimit(-1); soft < math.MaxInt64 {
		return soft, "GOMEMLIMIT"
	}
	// Half, since garbage may grow to the size of what lives.
	return machineMemory() / 2, "half of this machine's"
}

// allow returns an error if something needs more bytes than the limit.
func (v memorySize) allow(need float64, format string, args ...any) error {
	return v.allowOr(func() string { return "" }, need, format, args...)
}

// allowOr is allow for cases with another remedy, a text that ends in "or".
func (v memorySize) allowOr(remedy func() string, need float64, format string, args ...any) error {
	limit, origin := v.limit()
	if limit == 0 || need <= float64(limit) {
		return nil
	}
	return fmt.Errorf("%s takes some %s of memory, more than %s (%s); %sallow more with --memory SIZE",
		fmt.Sprintf(format, args...), byteCount(int64(min(need, 1<<62))), byteCount(limit), origin, remedy())
}

// collect makes the garbage collector keep the process within the flag for the rest of the command,
// unless the flag is less than the program itself takes. Otherwise live data and garbage may take
// twice the data.
func (v memorySize) collect() {
	if v >= program {
		debug.SetMemoryLimit(int64(v) - reserve(int64(v)))
	}
}

// reserve returns the part of a limit that the program itself and its buffers for reading text take.
func reserve(limit int64) int64 { return min(limit/3, mostReserve) }

const mostReserve = 24 << 20

// machineMemory returns the bytes of memory of the machine or, if it is smaller, of the
// container; 0 if the system does not report it.
func machineMemory() int64 {
	info, _ := os.ReadFile("/proc/meminfo")
	total := kilobytes(string(info), "MemTotal:")
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(path)
		if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && v > 0 && (total == 0 || v < total) {
			total = v
		}
	}
	return total
}

// kilobytes returns a size in bytes from the text of a file such as /proc/meminfo; 0 if the name is
// not there.
func kilobytes(text, name string) int64 {
	_, value, _ := strings.Cut(text, name)
	var n int64
	var unit string
	if _, err := fmt.Sscan(value, &n, &unit); err != nil || unit != "kB" {
		return 0
	}
	return n << 10
}

// dataBytes returns the bytes that data take, labels included.
func dataBytes(d *sparse.Dataset) int64 {
	rows, _ := d.X.Dims()
	return 8*(int64(rows)+1) + (4+8)*d.X.NNZ() + 8*int64(rows)
}

// allowConstraint returns an error if the file of --graph needs too much memory for the features
// of the data. It is called before the file is read.
func (c *trainCmd) allowConstraint(data *sparse.Dataset) error {
	_, p := data.X.Dims()
	need := float64(48 * float64(p)) // I and [G; I]
	if !c.Memory.beyond(data) && !c.ranks.pieces {
		need += float64(dataBytes(data))
	}
	features := &claim{data: data, stated: c.Features != 0}
	return c.Memory.allowOr(features.remedy, need, "a problem with a graph of %s of %s", plural(p, "feature"), dataName(c.Data))
}

// beyond reports whether data are mapped and larger than memory, or in a file so large that the reader
// did not check all of it.
func (v memorySize) beyond(d *sparse.Dataset) bool {
	limit, _ := v.limit()
	return limit > 0 && d.X.Mapped() && max(dataBytes(d), d.Stats.Bytes) > limit
}

// program is the memory of the process beside data and vectors.
const program = 64 << 20

// leastBeyond is the least limit for work out of core, and leastRoom the part of it for the pieces of
// the data. The rest is for the program and for what is kept of each row or pair of
// features: 16 MiB with the least limit.
const leastBeyond, leastRoom = 2 * program, 48 << 20

// collecting limits the garbage of a fit out of core to the memory beside the mapped pages, until end
// is called. room is 0 for other fits, which it does not limit.
func collecting(room, vectors int64) (end func()) {
	if room == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(vectors + room*7/8)
	return func() { debug.SetMemoryLimit(before) }
}
