package dist

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrHung is the error of a call that waited longer than the limit of Local, and of all later calls.
var ErrHung = errors.New("a rank is missing: it hangs, or the network has lost it")

// ErrDead is the error of calls after a rank has closed its Comm.
var ErrDead = errors.New("a rank ended before the others")

// Local returns the Comms of ranks that are goroutines of this process. size is the number of ranks; Local
// panics if it is negative. A call that waits longer than limit returns ErrHung; 0 means no limit. Local is
// for tests and simulations. To use several processors of one machine, solver.Settings.Threads is better.
func Local(size int, limit time.Duration) []*Goroutine {
	if size < 0 {
		panic(fmt.Sprintf("dist: Local of %d ranks", size))
	}
	m := &meeting{size: size, limit: limit, exchange: newExchange(size)}
	ranks := make([]*Goroutine, size)
	for r := range ranks {
		ranks[r] = &Goroutine{rank: r, meeting: m}
	}
	return ranks
}

// A Goroutine is the Comm of one rank of Local.
type Goroutine struct {
	// Before, if not nil, is called before every collective call. It gets the number of the call,
	// from 0, and the length of its vector. If it returns an error, the call returns this error at
	// once.
	Before func(call, length int) error

	rank  int
	calls int
	*meeting
}

// A meeting is the state that all ranks of Local share.
type meeting struct {
	size  int
	limit time.Duration

	mu       sync.Mutex
	exchange *exchange
	err      error // the first failure, or nil
}

// An exchange is one call that all ranks make together, for example one AllReduceSum.
type exchange struct {
	done     chan struct{}
	kind     string
	arrivals int
	vectors  [][]float64 // the vectors of the ranks that have arrived
	result   []float64
	err      error
}

func newExchange(size int) *exchange {
	return &exchange{done: make(chan struct{}), vectors: make([][]float64, size)}
}

func (g *Goroutine) Rank() int { return g.rank }

func (g *Goroutine) Size() int { return g.size }

func (g *Goroutine) AllReduceSum(v []float64) error {
	return g.reduce("sum", v, func(a, b float64) float64 { return a + b })
}

func (g *Goroutine) AllReduceMax(v []float64) error {
	return g.reduce("max", v, func(a, b float64) float64 { return max(a, b) })
}

// reduce sets each entry of v to combine of this entry of all ranks, in the order of the ranks.
func (g *Goroutine) reduce(kind string, v []float64, combine func(a, b float64) float64) error {
	return g.meet(kind, v, func(vectors [][]float64) []float64 {
		result := slices.Clone(vectors[0])
		for _, vector := range vectors[1:] {
			for j, x := range vector {
				result[j] = combine(result[j], x)
			}
		}
		return result
	})
}

func (g *Goroutine) Bcast(v []float64, root int) error {
	return g.meet(fmt.Sprintf("bcast from %d", root), v,
		func(vectors [][]float64) []float64 { return vectors[root] })
}

// Close makes all calls of the other ranks return ErrDead, including calls that wait. After an earlier
// failure it does nothing.
func (g *Goroutine) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fail(ErrDead)
	return nil
}

// fail makes err the error of the current exchange and of all later calls, unless there was an earlier
// failure. The caller must hold m.mu.
func (m *meeting) fail(err error) {
	if m.err == nil {
		m.err, m.exchange.err = err, err
		close(m.exchange.done)
	}
}

// meet makes one collective call: it waits for the vectors of all ranks, and replaces v by the result of
// combine. kind is the name of the call, which must be the same on all ranks.
func (g *Goroutine) meet(kind string, v []float64, combine func(vectors [][]float64) []float64) error {
	call := g.calls
	g.calls++
	if g.Before != nil {
		if err := g.Before(call, len(v)); err != nil {
			return err
		}
	}
	t := g.post(kind, v, combine)
	var timeout <-chan time.Time
	if g.limit > 0 {
		timer := time.NewTimer(g.limit)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-t.done:
	case <-timeout:
		g.mu.Lock()
		if t == g.exchange { // the exchange has not ended
			g.fail(ErrHung)
		}
		g.mu.Unlock()
	}
	copy(v, t.result)
	return t.err
}

// post stores a copy of v in the current exchange, and returns the exchange. The last rank that calls post
// also calls combine, which computes the result, and ends the exchange.
func (g *Goroutine) post(kind string, v []float64, combine func(vectors [][]float64) []float64) *exchange {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.exchange
	switch {
	case g.err != nil:
		return t
	case t.arrivals == 0:
		t.kind = kind
	case kind != t.kind:
		g.fail(fmt.Errorf("dist: rank %d calls %s where others call %s", g.rank, kind, t.kind))
		return t
	}
	t.vectors[g.rank] = slices.Clone(v)
	t.arrivals++
	if t.arrivals < g.size {
		return t
	}
	for r, vector := range t.vectors {
		if len(vector) != len(v) {
			g.fail(fmt.Errorf("dist: %s of %d numbers by rank %d and of %d by rank %d",
				kind, len(vector), r, len(v), g.rank))
			return t
		}
	}
	t.result = combine(t.vectors)
	g.exchange = newExchange(g.size)
	close(t.done)
	return t
}
