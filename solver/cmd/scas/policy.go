package main

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/stream"
	"github.com/scas-admm/scas/sparse"
)

// This file decides how a command works on data within --memory: with all rows in memory, or out of core, or
// not at all. In the last case the error says how much memory would be enough.

// A demand is the memory that work on data needs.
type demand struct {
	work string // describes the work, such as "fitting 4 rows and 2 features of a.svm"
	data *sparse.Dataset
	// inMemory estimates the bytes that the work needs if all rows are in memory, without the program. It may
	// visit the rows.
	inMemory func() float64
	// kept is the number of bytes that the work needs out of core, without the windows of the rows.
	kept int64
	// notStreamed is the reason why the work cannot be done out of core. It wraps stream.ErrNotStreamed. It is
	// nil if the work can be done out of core.
	notStreamed error
	stated      bool // whether --features gives the number of features
	shared      bool // whether there are other ranks, each with rows in its own memory
}

// errNotMapped is demand.notStreamed for data that are not mapped from a file.
var errNotMapped = fmt.Errorf("%w: they must be in a .scas file, which scas convert writes", stream.ErrNotStreamed)

const (
	// program is the number of bytes that a command needs out of core for anything but rows and vectors.
	program = 64 << 20
	// leastLimit is the smallest limit with which a command works out of core. leastRoom is the smallest part
	// of the limit for windows of the rows. The other 16 MiB of the smallest limit are for demand.kept.
	leastLimit, leastRoom = 2 * program, 48 << 20
	// mostReserve is the largest value that reserve returns.
	mostReserve = 24 << 20
)

// reserve returns the part of a limit that is reserved for the program itself and for buffers of the readers
// of text. The rest is for data and vectors.
func reserve(limit int64) int64 { return min(limit/3, mostReserve) }

// dataBytes returns the bytes of the data d, including labels, if all rows are in memory.
func dataBytes(d *sparse.Dataset) int64 {
	rows, _ := d.X.Dims()
	return 8*(int64(rows)+1) + (4+8)*d.X.NNZ() + 8*int64(rows)
}

// lessThan reports whether d is mapped from a file, and the limit is less than the size of the data or of the
// file. If so, the reader has not checked all rows.
func (v memorySize) lessThan(d *sparse.Dataset) bool {
	limit, _ := v.limit()
	return limit > 0 && d.X.Mapped() && max(dataBytes(d), d.Stats.Bytes) > limit
}

// exceeds reports whether the work needs more memory than the limit if all rows are in memory.
func (v memorySize) exceeds(d *demand) bool {
	limit, _ := v.limit()
	return limit > 0 && (v.lessThan(d.data) || d.bytesLeft(limit) < 0)
}

// bytesLeft returns the number of bytes of a limit that remain if all rows are in memory. It is negative if
// they do not fit.
func (d *demand) bytesLeft(limit int64) float64 { return float64(limit-reserve(limit)) - d.inMemory() }

// place decides whether the work is done out of core. If so, room is the memory for windows of the rows in
// bytes. Otherwise room is 0. exceeds says whether the work exceeds the limit, here or on another rank. If
// the work exceeds the limit and cannot be done out of core, place returns an error.
func (v memorySize) place(d *demand, exceeds bool) (room int64, err error) {
	if !exceeds {
		return 0, nil
	}
	if d.notStreamed == nil {
		room = v.room(d.kept)
	}
	if room == 0 {
		err = v.refuse(d)
	}
	return room, err
}

// room returns the memory for windows of the rows if the work is out of core, in bytes. It is the limit minus
// kept and the memory of the program. It returns 0 if the memory is too small to work out of core.
func (v memorySize) room(kept int64) int64 {
	limit, _ := v.limit()
	if room := limit - program - kept; limit >= leastLimit && room >= leastRoom {
		return room
	}
	return 0
}

// leastOutOfCore returns the smallest limit, in bytes, with which the work can be done out of core.
func (d *demand) leastOutOfCore() float64 { return max(leastLimit, program+leastRoom+float64(d.kept)) }

// leastHeap is the smallest limit that is set for the garbage collector, in bytes. With less, the run-time
// system would not have enough.
const leastHeap = 8 << 20

// limitHeap sets the limit of the garbage collector until end is called. The limit leaves memory for mapped
// pages. d is nil if the work has no rows. room is the result of place.
func (v memorySize) limitHeap(d *demand, room int64) (end func()) {
	before := debug.SetMemoryLimit(-1)
	switch {
	case d == nil:
	case room > 0:
		debug.SetMemoryLimit(d.kept + room*7/8)
	case v > 0:
		heap := int64(v) - reserve(int64(v))
		if d.data.X.Mapped() {
			heap -= dataBytes(d.data)
		}
		debug.SetMemoryLimit(max(leastHeap, heap))
	}
	return func() { debug.SetMemoryLimit(before) }
}

// refuse returns the error for work that exceeds the limit. The error names the memory that would be enough,
// and other remedies.
func (v memorySize) refuse(d *demand) error {
	if d.shared && !v.exceeds(d) {
		return v.refuseShared(d)
	}
	limit, origin := v.limit()
	need, known := v.need(d)
	text := fmt.Sprintf("%s needs about %s of memory, more than %s (%s)", d.work, byteCount(int64(min(need, 1<<62))), byteCount(limit), origin)
	if !known {
		text = fmt.Sprintf("%s needs more than the %s of memory allowed (%s)", d.work, byteCount(limit), origin)
	}
	switch less := d.leastOutOfCore() < need || !known; {
	case less && d.notStreamed == nil:
		return fmt.Errorf("%s; allow %s with --memory, to read it in pieces", text, enough(d.leastOutOfCore(), true))
	case less && d.mayStream():
		return fmt.Errorf("%s: %w; %sallow %s with --memory", text, d.notStreamed, d.remedy(), enough(need, known))
	}
	return fmt.Errorf("%s; %sallow %s with --memory", text, d.remedy(), enough(need, known))
}

// refuseShared returns the error if only the rows of other ranks exceed the limit.
func (v memorySize) refuseShared(d *demand) error {
	limit, origin := v.limit()
	text := fmt.Sprintf("%s: other ranks have rows beyond the %s of memory allowed (%s)", d.work, byteCount(limit), origin)
	if d.notStreamed != nil {
		return fmt.Errorf("%s: %w", text, d.notStreamed)
	}
	return fmt.Errorf("%s; allow %s with --memory, to read all of them in pieces", text, enough(d.leastOutOfCore(), true))
}

// unstreamed adds to err the memory that would be enough, if err says that the work is impossible out of
// core. It returns any other err unchanged.
func (v memorySize) unstreamed(d *demand, err error) error {
	if !errors.Is(err, stream.ErrNotStreamed) {
		return err
	}
	d.notStreamed = err
	return v.refuse(d)
}

// need returns the bytes that the work needs if all rows are in memory, including the program. If an
// estimate would need a pass over data that are larger than the limit, need returns only the bytes of
// the data. In this case known is false, unless the data are small.
func (v memorySize) need(d *demand) (bytes float64, known bool) {
	data := float64(dataBytes(d.data))
	if d.data.X.Mapped() { // the reader also compares the limit with the size of the file
		data = max(data, float64(d.data.Stats.Bytes))
	}
	if v.lessThan(d.data) && !d.checked() {
		return data, d.small()
	}
	need := max(data, d.inMemory())
	if !d.data.X.Mapped() {
		need = max(need, 2*data) // the reader of text needs twice the data
	}
	return need + min(need/2, mostReserve), true // with reserve
}

// small reports whether the data need less memory than the smallest limit for work out of core.
func (d *demand) small() bool { return float64(dataBytes(d.data)) < d.leastOutOfCore() }

// checked reports whether the data are small and all rows are valid.
func (d *demand) checked() bool {
	n, _ := d.data.X.Dims()
	return d.small() && d.data.X.Check(0, n) == nil
}

// mayStream reports whether the reason notStreamed helps the user. It does not help if text has too many
// features, because a .scas file with them could not be read out of core either.
func (d *demand) mayStream() bool {
	_, p := d.data.X.Dims()
	return d.data.X.Mapped() || p < exact.DenseFeatures
}

// remedy returns a part of the error of refuse: a way to have fewer features, followed by "or". It returns ""
// unless there are many features and most of them have no entry.
func (d *demand) remedy() string {
	switch {
	case !d.mostlyUnused():
		return ""
	case d.stated:
		return "give a smaller --features, or "
	}
	return "number the features without gaps, or "
}

// mostlyUnused reports whether there are many features and most of them have no entry.
func (d *demand) mostlyUnused() bool {
	const many = 1 << 16
	x := d.data.X
	n, p := x.Dims()
	switch {
	case p < many:
		return false
	case int64(p) >= 2*x.NNZ():
		return true
	case x.Mapped() && !d.checked(): // the count would need a pass over the file
		return false
	}
	seen, used := make([]bool, p), 0
	for _, j := range x.Rows(0, n).Idx[:x.NNZ()] {
		if !seen[j] {
			seen[j] = true
			used++
		}
	}
	return 2*used < p
}

// enough formats bytes as a value for --memory, rounded up. If known is false, bytes is the size of the data.
func enough(bytes float64, known bool) string {
	if !known {
		return "more than the " + byteCount(int64(bytes)) + " of the data, some three times as much as a rule,"
	}
	unit := ""
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if bytes < 1<<10 {
			break
		}
		bytes, unit = bytes/(1<<10), larger
	}
	digit := 1.0 // 1, 10 or 100, so that at least three digits are kept
	for ; unit != "" && bytes*digit < 100; digit *= 10 {
	}
	return strconv.FormatFloat(math.Ceil(bytes*digit)/digit, 'f', -1, 64) + unit
}
