package dist_test

import (
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
)

func TestMeter(t *testing.T) {
	var clock time.Duration
	var meters []*dist.Meter
	for _, c := range dist.Local(2, time.Minute) {
		meters = append(meters, &dist.Meter{Comm: c})
	}
	meters[0].Clock = func() time.Duration {
		clock += time.Second
		return clock
	}
	var wg sync.WaitGroup
	for r, m := range meters {
		wg.Go(func() {
			if r == 1 {
				time.Sleep(20 * time.Millisecond)
			}
			v := []float64{1, float64(r), 3}
			if m.AllReduceSum(v) != nil || m.AllReduceMax(v[:1]) != nil || m.Bcast(v[:2], 1) != nil ||
				v[0] != 2 || v[1] != 1 || v[2] != 6 {
				t.Errorf("rank %d: %v", r, v)
			}
		})
	}
	wg.Wait()
	traffic := meters[0].Since(dist.Traffic{Messages: 1, Numbers: 2})
	if traffic.Messages != 2 || traffic.Numbers != 4 || traffic.CPU != 3*time.Second || traffic.Time < 10*time.Millisecond {
		t.Errorf("rank 0: %+v", traffic)
	}
	if otherTraffic := meters[1].Traffic; otherTraffic.Messages != 3 || otherTraffic.Numbers != 6 || otherTraffic.CPU != 0 {
		t.Errorf("rank 1: %+v", otherTraffic)
	}
}
