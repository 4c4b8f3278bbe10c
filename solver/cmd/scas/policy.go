package main

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// This file decides whether a command reads all rows into memory, works out of core, or refuses the data
// because of --memory. Two kinds of refusal begin elsewhere. Package sparse refuses data that it must hold in
// memory, such as text, if they need more than ReadOptions.Memory. A fit may return rows.ErrNotStreamed;
// refuseUnstreamed turns this error into a refusal.

// A demand says how much memory a command needs for its data. That of a fit is set in spec.go.
type demand struct {
	work string // describes the work, such as "fitting 4 rows and 2 features of a.svm"
	data *sparse.Dataset
	// inMemoryBytes estimates the bytes that the work needs, besides the program, if all rows are in memory.
	// It may read all rows.
	inMemoryBytes func() float64
	// keptBytes is the number of bytes that work out of core keeps in memory, besides the program and the
	// windows of the rows.
	keptBytes int64
	// obstacle is a known reason why the work cannot be done out of core, or nil. It wraps
	// rows.ErrNotStreamed.
	obstacle      error
	featuresGiven bool // whether --features gives the number of features
	distributed   bool // whether --dist is given
}

// errNotMapped is the value of demand.obstacle for data that are not mapped from a file.
var errNotMapped = fmt.Errorf("%w: they must be in a .scas file, which scas convert writes",
	rows.ErrNotStreamed)

const (
	// programBytes is the number of bytes that a command needs out of core besides rows and vectors.
	programBytes = 64 << 20
	// leastLimit is the smallest memory limit for work out of core, in bytes. The limit must leave at least
	// leastRoom bytes for windows of the rows.
	leastLimit, leastRoom = 2 * programBytes, 48 << 20
	mostReserve           = 24 << 20 // the largest result of reservedBytes
)

// reservedBytes returns the bytes of limit that are for the program and its buffers. The remaining bytes are
// for data and vectors.
func reservedBytes(limit int64) int64 { return min(limit/3, mostReserve) }

// dataBytes returns the bytes that the rows and labels of d need in memory.
func dataBytes(d *sparse.Dataset) int64 {
	rows, _ := d.X.Dims()
	return 8*(int64(rows)+1) + (4+8)*d.X.NNZ() + 8*int64(rows)
}

// lessThanMapped reports whether d is mapped from a file, and the limit is less than the size of the data or
// of the file. The reader has then not checked all rows.
func (v memorySize) lessThanMapped(d *sparse.Dataset) bool {
	limit, _ := v.limit()
	return limit > 0 && d.X.Mapped() && max(dataBytes(d), d.Stats.Bytes) > limit
}

// exceededBy reports whether the work needs more memory than the limit if all rows are in memory.
func (v memorySize) exceededBy(d *demand) bool {
	limit, _ := v.limit()
	return limit > 0 && (v.lessThanMapped(d.data) || d.bytesLeft(limit) < 0)
}

// bytesLeft returns the number of bytes of a limit that remain if all rows are in memory. It is negative if
// the rows do not fit.
func (d *demand) bytesLeft(limit int64) float64 {
	return float64(limit-reservedBytes(limit)) - d.inMemoryBytes()
}

// place decides whether the work is done out of core. exceeds says whether the work exceeds the limit on any
// rank. room is the number of bytes for windows of the rows, or 0 if all rows are in memory. If the work
// exceeds the limit, and cannot be done out of core, place returns an error.
func (v memorySize) place(d *demand, exceeds bool) (room int64, err error) {
	if !exceeds {
		return 0, nil
	}
	if d.obstacle == nil {
		room = v.room(d.keptBytes)
	}
	if room == 0 {
		err = v.refuse(d)
	}
	return room, err
}

// room returns the bytes that the limit leaves for windows of the rows if the work is done out of core, or 0
// if these bytes are too few. keptBytes is explained at demand.keptBytes.
func (v memorySize) room(keptBytes int64) int64 {
	limit, _ := v.limit()
	if room := limit - programBytes - keptBytes; limit >= leastLimit && room >= leastRoom {
		return room
	}
	return 0
}

// leastOutOfCoreBytes returns the smallest limit, in bytes, with which the work can be done out of core.
func (d *demand) leastOutOfCoreBytes() float64 {
	return max(leastLimit, programBytes+leastRoom+float64(d.keptBytes))
}

// leastHeap is the smallest limit in bytes that limitHeap gives to the garbage collector.
const leastHeap = 8 << 20

// limitHeap limits the heap until end is called, if the work is out of core or --memory is given. This is
// to keep the heap and the mapped pages together within the limit. room is the result of v.place. If there
// are no rows, d is nil, and limitHeap sets no limit.
func (v memorySize) limitHeap(d *demand, room int64) (end func()) {
	oldLimit := debug.SetMemoryLimit(-1)
	switch {
	case d == nil:
	case room > 0:
		debug.SetMemoryLimit(d.keptBytes + room*7/8)
	case v > 0:
		heapLimit := int64(v) - reservedBytes(int64(v))
		if d.data.X.Mapped() {
			heapLimit -= dataBytes(d.data)
		}
		debug.SetMemoryLimit(max(leastHeap, heapLimit))
	}
	return func() { debug.SetMemoryLimit(oldLimit) }
}

// refuse returns the error for work that exceeds the limit.
func (v memorySize) refuse(d *demand) error {
	neededBytes := v.neededBytes(d)
	text, remedy := v.excessText(d.work, neededBytes), "allow "+formatAllowance(neededBytes)+" with --memory"
	if d.distributed && !v.exceededBy(d) {
		neededBytes = math.Inf(1) // only other ranks need more memory, and this rank does not know how much
		limit, origin := v.limit()
		text = fmt.Sprintf("%s: other ranks need more memory than %s (%s)",
			d.work, formatBytes(limit), origin)
		remedy = "allow more with --memory"
	}
	outOfCoreBytes := d.leastOutOfCoreBytes()
	unused := d.mostlyUnused()
	switch {
	case unused && d.featuresGiven:
		remedy = "give a smaller --features, or " + remedy
	case unused:
		remedy = "number the features without gaps, or " + remedy
	}
	outOfCoreHelps := outOfCoreBytes < neededBytes
	switch {
	case outOfCoreHelps && d.obstacle == nil:
		return fmt.Errorf("%s; allow %s with --memory, to read the data in pieces",
			text, formatAllowance(outOfCoreBytes))
	case outOfCoreHelps && (d.data.X.Mapped() || !unused): // a .scas file does not help against unused features
		return fmt.Errorf("%s: %w; %s", text, d.obstacle, remedy)
	}
	return fmt.Errorf("%s; %s", text, remedy)
}

// refuseUnstreamed returns the error of refuse, with err as the obstacle, if err wraps
// rows.ErrNotStreamed. It returns any other err unchanged.
func (v memorySize) refuseUnstreamed(d *demand, err error) error {
	if !errors.Is(err, rows.ErrNotStreamed) {
		return err
	}
	d.obstacle = err
	return v.refuse(d)
}

// neededBytes estimates the bytes that the work needs if all rows are in memory, the program included. A good
// estimate reads all rows, so they must be valid. If the rows of mapped data have not been checked (see
// lessThanMapped), and smallAndValid returns false, the estimate is three times the size of the data.
func (v memorySize) neededBytes(d *demand) float64 {
	dataSize := float64(dataBytes(d.data))
	if d.data.X.Mapped() { // as in lessThanMapped, the size of the file counts if it is larger
		dataSize = max(dataSize, float64(d.data.Stats.Bytes))
	}
	if v.lessThanMapped(d.data) && !d.smallAndValid() {
		return 3 * dataSize
	}
	neededBytes := max(dataSize, d.inMemoryBytes())
	if !d.data.X.Mapped() {
		neededBytes = max(neededBytes, 2*dataSize) // to read text, twice the size of the data is needed
	}
	// With a limit of this size, limit − reservedBytes(limit) is neededBytes.
	return neededBytes + min(neededBytes/2, mostReserve)
}

// smallAndValid reports whether the data are small and all rows are valid. It does not read large data,
// because that takes long. Data are small if they need less memory than the smallest limit for work out of
// core.
func (d *demand) smallAndValid() bool {
	n, _ := d.data.X.Dims()
	return float64(dataBytes(d.data)) < d.leastOutOfCoreBytes() && d.data.X.Check(0, n) == nil
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
	case x.Mapped() && !d.smallAndValid(): // the count would need a pass over the file
		return false
	}
	seen, usedCount := make([]bool, p), 0
	for _, j := range x.Rows(0, n).Idx[:x.NNZ()] {
		if !seen[j] {
			seen[j] = true
			usedCount++
		}
	}
	return 2*usedCount < p
}

// formatAllowance formats bytes as a value for --memory, rounded up.
func formatAllowance(bytes float64) string {
	unit := ""
	for _, larger := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if bytes < 1<<10 {
			break
		}
		bytes, unit = bytes/(1<<10), larger
	}
	digitScale := 1.0 // 1, 10 or 100: bytes is rounded up at its third digit or later
	for ; unit != "" && bytes*digitScale < 100; digitScale *= 10 {
	}
	return strconv.FormatFloat(math.Ceil(bytes*digitScale)/digitScale, 'f', -1, 64) + unit
}
