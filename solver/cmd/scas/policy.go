package main

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// This file decides how a command works on data within --memory: with all rows in memory, out of
// core, or not at all, with an error that names what would be enough.

// A demand is the memory that work on data needs.
type demand struct {
	work string // what needs it, such as "fitting 4 rows and 2 features of a.svm"
	data *sparse.Dataset
	// inMemory estimates the bytes with all rows in memory, without the program. It may visit the rows.
	inMemory func() float64
	// kept is the number of bytes that the work keeps out of core, beside a window of the rows.
	kept int64
	// notStreamed is the reason why the work cannot be done out of core, or nil if it can. It wraps
	// model.ErrNotStreamed.
	notStreamed error
	stated      bool // --features gives the number of features
	shared      bool // other ranks have other rows, each in memory of its own
}

const (
	// program is the memory of a command that works out of core, without rows and vectors.
	program = 64 << 20
	// leastLimit is the least limit for work out of core, and leastRoom the least part of it for windows
	// of the rows. 16 MiB of the least limit are for what is kept of each row or pair of features.
	leastLimit, leastRoom = 2 * program, 48 << 20
	// mostReserve is the memory of a command with all rows in memory, see reserve.
	mostReserve = 24 << 20
)

// reserve returns the part of a limit that is for the program itself and for buffers of readers of
// text, not for data and vectors.
func reserve(limit int64) int64 { return min(limit/3, mostReserve) }

// dataBytes returns the bytes of data, with their labels.
func dataBytes(d *sparse.Dataset) int64 {
	rows, _ := d.X.Dims()
	return 8*(int64(rows)+1) + (4+8)*d.X.NNZ() + 8*int64(rows)
}

// lessThan reports whether the limit is less than mapped data, or than their file. The reader has then
// not checked all rows.
func (v memorySize) lessThan(d *sparse.Dataset) bool {
	limit, _ := v.limit()
	return limit > 0 && d.X.Mapped() && max(dataBytes(d), d.Stats.Bytes) > limit
}

// exceeds reports whether the work needs more than the limit with all rows in memory.
func (v memorySize) exceeds(d *demand) bool {
	limit, _ := v.limit()
	return limit > 0 && (v.lessThan(d.data) || d.left(limit) < 0)
}

// left returns the part of a limit that remains if all rows are in memory; negative if they do not
// fit.
func (d *demand) left(limit int64) float64 { return float64(limit-reserve(limit)) - d.inMemory() }

// place returns the bytes for windows of the rows if the work is to be done out of core, and 0 if it is to
// be done with all rows in memory. exceeds says that the work exceeds the limit, here or on another rank.
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

// room returns the memory for windows of the rows out of core: without the program and what the work
// keeps. It returns 0 if there is too little.
func (v memorySize) room(kept int64) int64 {
	limit, _ := v.limit()
	if room := limit - program - kept; limit >= leastLimit && room >= leastRoom {
		return room
	}
	return 0
}

// leastOutOfCore returns the least limit with which the work is done out of core.
func (d *demand) leastOutOfCore() float64 { return max(leastLimit, program+leastRoom+float64(d.kept)) }

// leastHeap is the least limit of the garbage collector, which counts what the run-time system needs.
const leastHeap = 8 << 20

// collecting sets the limit of the garbage collector, until end is called: to what the work leaves
// beside mapped pages. d is nil without rows. room is what place returned.
func (v memorySize) collecting(d *demand, room int64) (end func()) {
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

// refuse returns the error for work that exceeds the limit. It names the memory that would be
// enough, and other remedies.
func (v memorySize) refuse(d *demand) error {
	if d.shared && !v.exceeds(d) {
		return v.refuseShared(d)
	}
	limit, origin := v.limit()
	need, known := v.need(d)
	text := fmt.Sprintf("%s takes some %s of memory, more than %s (%s)", d.work, byteCount(int64(min(need, 1<<62))), byteCount(limit), origin)
	if !known {
		text = fmt.Sprintf("%s takes more than the %s of memory allowed (%s)", d.work, byteCount(limit), origin)
	}
	switch less := d.leastOutOfCore() < need || !known; {
	case less && d.notStreamed == nil:
		return fmt.Errorf("%s; allow %s with --memory, to go through it in pieces", text, enough(d.leastOutOfCore(), true))
	case less && d.mayStream():
		return fmt.Errorf("%s: %w; %sallow %s with --memory", text, d.notStreamed, d.remedy(), enough(need, known))
	}
	return fmt.Errorf("%s; %sallow %s with --memory", text, d.remedy(), enough(need, known))
}

// refuseShared is refuse if the rows of other ranks exceed the limit.
func (v memorySize) refuseShared(d *demand) error {
	limit, origin := v.limit()
	text := fmt.Sprintf("%s: other ranks have rows beyond the %s of memory allowed (%s)", d.work, byteCount(limit), origin)
	if d.notStreamed != nil {
		return fmt.Errorf("%s: %w", text, d.notStreamed)
	}
	return fmt.Errorf("%s; allow %s with --memory, to go through all of them in pieces", text, enough(d.leastOutOfCore(), true))
}

// unstreamed returns the error of work that turned out to be impossible out of core, with the memory that
// would be enough.
func (v memorySize) unstreamed(d *demand, err error) error {
	if !errors.Is(err, model.ErrNotStreamed) {
		return err
	}
	d.notStreamed = err
	if limit, ok := errors.AsType[*model.MethodError](err); ok {
		d.notStreamed = rewordedError{err, limitWords(limit)}
	}
	return v.refuse(d)
}

// need returns the bytes with all rows in memory, with the program. known is false if the estimate
// would take a pass over data that are larger than the limit: the bytes are then those of the data.
func (v memorySize) need(d *demand) (bytes float64, known bool) {
	data := float64(dataBytes(d.data))
	if d.data.X.Mapped() { // the reader compares the limit with the file, too
		data = max(data, float64(d.data.Stats.Bytes))
	}
	if v.lessThan(d.data) && !d.checked() {
		return data, d.small()
	}
	need := max(data, d.inMemory())
	if !d.data.X.Mapped() {
		need = max(need, 2*data) // while text is read
	}
	return need + min(need/2, mostReserve), true // see reserve
}

// small reports whether the data may take less memory than work out of core.
func (d *demand) small() bool { return float64(dataBytes(d.data)) < d.leastOutOfCore() }

// checked reports whether the data are small, and their rows valid.
func (d *demand) checked() bool {
	n, _ := d.data.X.Dims()
	return d.small() && d.data.X.Check(0, n) == nil
}

// mayStream reports whether notStreamed helps the user: data with too many features would not be
// streamed as a .scas file either.
func (d *demand) mayStream() bool {
	_, p := d.data.X.Dims()
	return d.data.X.Mapped() || p < mostStreamed
}

// remedy returns a remedy that ends in "or", if most features have no entry.
func (d *demand) remedy() string {
	switch {
	case !d.mostlyUnused():
		return ""
	case d.stated:
		return "give a smaller --features, or "
	}
	return "number the features without gaps, or "
}

// mostlyUnused reports whether there are many features of which most have no entry.
func (d *demand) mostlyUnused() bool {
	const many = 1 << 16
	x := d.data.X
	n, p := x.Dims()
	switch {
	case p < many:
		return false
	case int64(p) >= 2*x.NNZ():
		return true
	case x.Mapped() && !d.checked(): // to count takes a pass
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

// enough writes an amount of memory for --memory, rounded up. It describes an amount that is not known.
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
	digit := 1.0 // for three digits
	for ; unit != "" && bytes*digit < 100; digit *= 10 {
	}
	return strconv.FormatFloat(math.Ceil(bytes*digit)/digit, 'f', -1, 64) + unit
}
