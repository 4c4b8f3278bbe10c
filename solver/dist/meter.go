package dist

import "time"

// A Meter is a Comm that measures the traffic of another Comm.
type Meter struct {
	Comm
	Traffic
	// Clock returns the processor time of this process; if it is nil, processor time is
	// not measured.
	Clock func() time.Duration
}

// Traffic has sums over the calls that a rank makes to the methods of its Comm.
type Traffic struct {
	Messages int           // number of calls
	Numbers  int64         // total length of the vectors
	Time     time.Duration // time in calls, including waiting for other ranks
	CPU      time.Duration // processor time in calls; MPI uses the processor while it waits
}

// Since returns the difference between the traffic t and the earlier traffic of the same Meter.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{
		t.Messages - earlier.Messages, t.Numbers - earlier.Numbers, t.Time - earlier.Time,
		t.CPU - earlier.CPU,
	}
}

func (m *Meter) measure(length int, call func() error) error {
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

func (m *Meter) AllReduceSum(v []float64) error {
	return m.measure(len(v), func() error { return m.Comm.AllReduceSum(v) })
}

func (m *Meter) AllReduceMax(v []float64) error {
	return m.measure(len(v), func() error { return m.Comm.AllReduceMax(v) })
}

func (m *Meter) Bcast(v []float64, root int) error {
	return m.measure(len(v), func() error { return m.Comm.Bcast(v, root) })
}
