package dist_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// A fault makes a rank fail in one of its calls.
type fault func(c *dist.Goroutine, limit time.Duration) error

var errCrash = errors.New("this rank crashed")

// faults has the kinds of failure: a rank ends (crash), a rank waits too long (hang), a message is lost, so
// that all ranks wait (loss).
var faults = map[string]fault{
	"crash": func(c *dist.Goroutine, _ time.Duration) error { return errors.Join(errCrash, c.Close()) },
	"hang": func(_ *dist.Goroutine, limit time.Duration) error {
		time.Sleep(3 * limit)
		return nil
	},
	"loss": func(_ *dist.Goroutine, limit time.Duration) error {
		time.Sleep(limit)
		return dist.ErrHung
	},
}

// TestFaults checks runs in which one rank fails at a random call. No rank may return a result, and
// all ranks must end soon after the time limit of a call. A run that resumes from the checkpoint
// must give the same bits as a run without failures.
func TestFaults(t *testing.T) {
	const ranks, limit = 3, 100 * time.Millisecond
	trials := 20
	if testing.Short() {
		trials = 4
	}
	const patience = 20 * time.Second // additional time that a busy machine may take
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 600, Features: 60, Noise: 1, Seed: 3}, 1e-2)
	calls := 0
	faultFreeCheckpoint := &memoryCheckpoint{}
	want, errs := solveWithFault(t, p, time.Minute, faultFreeCheckpoint,
		func(call int) { calls = max(calls, call+1) }, -1, nil, 0)
	if errs[0] != nil {
		t.Fatal(errs)
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(name[0])))
			for range trials {
				m, badCall, began := &memoryCheckpoint{}, rng.IntN(calls), time.Now()
				got, errs := solveWithFault(t, p, limit, m, nil, rng.IntN(ranks), f, badCall)
				if elapsed := time.Since(began); elapsed > 3*limit+patience {
					t.Errorf("at call %d of %d: it took %v", badCall, calls, elapsed)
				}
				for r := range ranks {
					if got[r] != nil || errs[r] == nil {
						t.Errorf("at call %d of %d: rank %d has a result, error %v", badCall, calls, r, errs[r])
					}
				}
				resumed, errs := solveWithFault(t, p, time.Minute, m, nil, -1, nil, 0)
				if errs[0] != nil || resumed[0].Status != solver.Converged {
					t.Fatalf("relaunched after call %d: %v", badCall, errs)
				}
				if diff := cmp.Diff([]any{want[0].Iterate, want[0].DualityGap},
					[]any{resumed[0].Iterate, resumed[0].DualityGap}); diff != "" {
					t.Fatalf("relaunched after call %d: %s", badCall, diff)
				}
			}
		})
	}
	t.Logf("%d calls of each rank, %d checkpoints", calls, len(faultFreeCheckpoint.states))
}

// solveWithFault solves p with three ranks and the checkpoint m. A call is one communication of a rank with
// the others, and limit is its time limit. The fault f makes rank badRank fail at its call number badCall,
// counted from 0. If badRank is −1, no rank fails. Unless observe is nil, solveWithFault calls it before each
// call of the first rank, with the number of the call.
func solveWithFault(
	t *testing.T, p *solver.Problem, limit time.Duration, m *memoryCheckpoint, observe func(call int),
	badRank int, f fault, badCall int,
) ([]*solver.Result, []error) {
	t.Helper()
	return onRanks(t, p, 3, limit, func(c *dist.Goroutine, _ *solver.Problem, set *solver.Settings) {
		set.Checkpoint = forFirstRank(c, m)
		c.Before = func(call, _ int) error {
			if c.Rank() == 0 && observe != nil {
				observe(call)
			}
			if c.Rank() == badRank && call == badCall {
				return f(c, limit)
			}
			return nil
		}
	})
}

func TestDelays(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 600, Features: 60, Noise: 1, Seed: 3}, 1e-2)
	var want *solver.Result
	for trial := range 3 {
		var mu sync.Mutex
		rng := rand.New(rand.NewPCG(uint64(trial), 1))
		results, errs := onRanks(t, p, 3, time.Minute, func(c *dist.Goroutine, _ *solver.Problem, _ *solver.Settings) {
			c.Before = func(int, int) error {
				mu.Lock()
				wait := time.Duration(rng.IntN(300)) * time.Microsecond
				mu.Unlock()
				time.Sleep(wait)
				return nil
			}
		})
		if errs[0] != nil {
			t.Fatal(errs)
		}
		if want == nil {
			want = results[0]
		}
		if diff := cmp.Diff(want.Iterate, results[2].Iterate); diff != "" {
			t.Error(diff)
		}
	}
}

// TestWatch checks that the watchdog calls its function if an operation takes longer than the limit, and only
// then. Without a limit above 0 there must be no watchdog.
func TestWatch(t *testing.T) {
	comms := dist.Local(2, 0)
	for _, limit := range []time.Duration{0, -time.Second} {
		if dist.Watch(comms[0], limit, nil) != dist.Comm(comms[0]) {
			t.Errorf("a watchdog with the limit %v", limit)
		}
	}
	expired := make(chan struct{}, 1)
	watched := dist.Watch(comms[0], 50*time.Millisecond, func() { expired <- struct{}{} })
	sumAfter := func(delay time.Duration) {
		go func() {
			time.Sleep(delay)
			comms[1].AllReduceSum([]float64{1})
		}()
		v := []float64{1}
		if err := watched.AllReduceSum(v); err != nil || v[0] != 2 {
			t.Errorf("%v, %v", v, err)
		}
	}
	sumAfter(0)
	select {
	case <-expired:
		t.Error("it expired without a reason")
	case <-time.After(100 * time.Millisecond):
	}
	sumAfter(200 * time.Millisecond)
	select {
	case <-expired:
	default:
		t.Error("it did not expire")
	}
}
