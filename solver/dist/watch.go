package dist

import (
	"time"
)

// Watch returns c with a watchdog. If a call takes longer than limit, the watchdog calls onExpiry in
// a new goroutine. If limit is not above 0, there is no watchdog. A rank waits in a call while other ranks
// still compute or read; limit must be longer than this time. With MPI, onExpiry should end the process,
// because MPI calls cannot be cancelled.
func Watch(c Comm, limit time.Duration, onExpiry func()) Comm {
	if limit <= 0 {
		return c
	}
	return &watchedComm{c, limit, onExpiry}
}

type watchedComm struct {
	Comm
	limit    time.Duration
	onExpiry func()
}

func (w *watchedComm) watch(call func() error) error {
	timer := time.AfterFunc(w.limit, w.onExpiry)
	defer timer.Stop()
	return call()
}

func (w *watchedComm) AllReduceSum(v []float64) error {
	return w.watch(func() error { return w.Comm.AllReduceSum(v) })
}

func (w *watchedComm) AllReduceMax(v []float64) error {
	return w.watch(func() error { return w.Comm.AllReduceMax(v) })
}

func (w *watchedComm) Bcast(v []float64, root int) error {
	return w.watch(func() error { return w.Comm.Bcast(v, root) })
}

func (w *watchedComm) Close() error { return w.watch(w.Comm.Close) }
