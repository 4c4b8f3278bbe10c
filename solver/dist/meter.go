package dist

import "time"

// A Meter is a Comm that counts what another one is asked for.
type Meter struct {
	Comm
	Traffic
	// Clock tells the processor time of this process; nil if nobody asks.
	Clock func() time.Duration
}

// Traffic is what a rank told the others.
type Traffic struct {
	Messages int           // calls of a Comm
	Numbers  int64         // in all of them
	Time     time.Duration // within calls: what waits for other ranks is in it
	CPU      time.Duration // processor time within calls: MPI waits at work
}

// Since is the traffic since an earlier time.
func (t Traffic) Since(then Traffic) Traffic {
	return Traffic{t.Messages - then.Messages, t.Numbers - then.Numbers, t.Time - then.Time, t.CPU - then.CPU}
}

func (m *Meter) count(length int, call func() error) error {
	began, cpu := time.Now(), m.cpu()
	err := call()
	m.Messages++
	m.Numbers += int64(length)
	m.Time += time.Since(began)
	m.CPU += m.cpu() - cpu
	return err
}

func (m *Meter) cpu() time.Duration {
	if m.Clock == nil {
		return 0
	}
	return m.Clock()
}

// AllReduceSum implements Comm.
func (m *Meter) AllReduceSum(v []float64) error {
	return m.count(len(v), func() error { return m.Comm.AllReduceSum(v) })
}

// AllReduceMax implements Comm.
func (m *Meter) AllReduceMax(v []float64) error {
	return m.count(len(v), func() error { return m.Comm.AllReduceMax(v) })
}

// Bcast implements Comm.
func (m *Meter) Bcast(v []float64, root int) error {
	return m.count(len(v), func() error { return m.Comm.Bcast(v, root) })
}
