package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A claim is the memory that some work on data takes.
type claim struct {
	what string // the work, such as "fitting 4 rows and 2 features of a.svm"
	data *sparse.Dataset
	// whole returns the bytes that the work takes with all rows in memory. It reads them all.
	whole func() float64
	// kept is the number of bytes that the work keeps out of core, beside pieces of the rows. why is the
	// reason why the work is impossible out of core, which wraps model.ErrNotStreamed; nil if it is
	// possible.
	kept int64
	why  error
	// stated says that --features gives the number of features.
	stated bool
	// shared says that other ranks have other rows, each within memory of its own.
	shared bool
}

// pieces returns the least memory for the work out of core.
func (c *claim) pieces() float64 { return max(leastBeyond, program+leastRoom+float64(c.kept)) }

// small reports whether all rows take less memory than the work out of core.
func (c *claim) small() bool { return float64(dataBytes(c.data)) < c.pieces() }

// size estimates the bytes that the work takes in memory. For a large mapped file it uses the size of
// the file, to avoid a scan.
func (c *claim) size(beyond bool) float64 {
	data := dataBytes(c.data)
	if c.data.X.Mapped() { // the reader allows for the file
		data = max(data, c.data.Stats.Bytes)
	}
	if n, _ := c.data.X.Dims(); beyond && (!c.small() || c.data.X.Check(0, n) != nil) {
		return float64(data)
	}
	need := max(float64(data), c.whole())
	if !c.data.X.Mapped() {
		need = max(need, 2*float64(data)) // as reading took
		need += min(need/2, mostReserve)  // see reserve
	}
	return need
}

// exceeds reports whether there is no room for all rows in memory.
func (v memorySize) exceeds(c *claim) bool {
	limit, _ := v.limit()
	return limit > 0 && (v.beyond(c.data) || c.left(limit) < 0)
}

// left returns how much of a limit remains with all rows in memory; it is negative if they do not fit.
func (c *claim) left(limit int64) float64 {
	if !c.data.X.Mapped() {
		limit -= reserve(limit)
	}
	return float64(limit) - c.whole()
}

// refuseShared is refuse if only rows of other ranks do not fit.
func (v memorySize) refuseShared(c *claim) error {
	limit, origin := v.limit()
	text := fmt.Sprintf("%s: other ranks have rows beyond the %s of memory allowed (%s)", c.what, byteCount(limit), origin)
	if c.why != nil {
		return fmt.Errorf("%s: %w", text, c.why)
	}
	return fmt.Errorf("%s; allow %s with --memory, to go through all of them in pieces", text, enough(c.pieces(), true))
}

// refuse returns the error for work that does not fit. It says how much memory would be enough, and
// what else helps.
func (v memorySize) refuse(c *claim) error {
	if c.shared && !v.exceeds(c) {
		return v.refuseShared(c)
	}
	limit, origin := v.limit()
	beyond := v.beyond(c.data)
	need, known := c.size(beyond), !beyond || c.small()
	text := fmt.Sprintf("%s takes some %s of memory, more than %s (%s)", c.what, byteCount(int64(min(need, 1<<62))), byteCount(limit), origin)
	if !known {
		text = fmt.Sprintf("%s takes more than the %s of memory allowed (%s)", c.what, byteCount(limit), origin)
	}
	switch less := c.pieces() < need || !known; {
	case less && c.why == nil:
		return fmt.Errorf("%s; allow %s with --memory, to go through it in pieces", text, enough(c.pieces(), true))
	case less && c.mayStream():
		return fmt.Errorf("%s: %w; %sallow %s with --memory", text, c.why, c.remedy(), enough(need, known))
	}
	return fmt.Errorf("%s; %sallow %s with --memory", text, c.remedy(), enough(need, known))
}

// mayStream reports whether why is to be in the error. Data with too many features do not fit in a
// .scas file, either.
func (c *claim) mayStream() bool {
	_, p := c.data.X.Dims()
	return c.data.X.Mapped() || p < mostStreamed
}

// remedy returns the remedy for data of which most features have no entry, ending in "or"; it is
// empty for other data.
func (c *claim) remedy() string {
	switch {
	case !c.mostlyUnused():
		return ""
	case c.stated:
		return "give a smaller --features, or "
	}
	return "number the features without gaps, or "
}

// mostlyUnused reports whether there are many features, and most have no entry.
func (c *claim) mostlyUnused() bool {
	const many = 1 << 16
	n, p := c.data.X.Dims()
	if p < many || int64(p) >= 2*c.data.X.NNZ() {
		return p >= many
	}
	if c.data.X.Mapped() && !c.small() || c.data.X.Check(0, n) != nil { // it would take a pass
		return false
	}
	seen, used := make([]bool, p), 0
	for _, j := range c.data.X.Rows(0, n).Idx[:c.data.X.NNZ()] {
		if !seen[j] {
			seen[j] = true
			used++
		}
	}
	return 2*used < p
}

// enough writes an amount of memory, rounded up, in a form that --memory takes.
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
	digit := 1.0 // three of them
	for ; unit != "" && bytes*digit < 100; digit *= 10 {
	}
	return strconv.FormatFloat(math.Ceil(bytes*digit)/digit, 'f', -1, 64) + unit
}

// room returns the memory for pieces of the data, beside the program and what is
// kept; 0 if it is too little.
func (v memorySize) room(kept int64) int64 {
	limit, _ := v.limit()
	if room := limit - program - kept; limit >= leastBeyond && room >= leastRoom {
		return room
	}
	return 0
}

// unstreamed adds, to the error of a fit that is impossible out of core, the memory that would be
// enough. It returns other errors as they are.
func (v memorySize) unstreamed(c *claim, err error) error {
	if !errors.Is(err, model.ErrNotStreamed) {
		return err
	}
	c.why = err
	if limit, ok := errors.AsType[*model.MethodError](err); ok {
		c.why = rewordedError{err, limitWords(limit)}
	}
	return v.refuse(c)
}
