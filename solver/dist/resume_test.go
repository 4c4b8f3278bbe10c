package dist_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// memoryCheckpoint is a Checkpoint that keeps all states of a run and returns the last one.
type memoryCheckpoint struct {
	states [][]byte
	err    error // the error that Save returns
}

func (m *memoryCheckpoint) Save(state []byte) error {
	m.states = append(m.states, state)
	return m.err
}

func (m *memoryCheckpoint) Load() ([]byte, error) {
	if len(m.states) == 0 {
		return nil, nil
	}
	return m.states[len(m.states)-1], nil
}

// solveFrom solves p with the given number of ranks, from the last state of the checkpoint m if it has
// one. Only the first rank has m.
func solveFrom(t *testing.T, p *solver.Problem, set solver.Settings, ranks int, m *memoryCheckpoint) ([]*solver.Result, []error) {
	t.Helper()
	return onRanks(t, p, ranks, time.Minute, func(c *dist.Goroutine, _ *solver.Problem, target *solver.Settings) {
		*target = set
		target.Checkpoint = forFirstRank(c, m)
	})
}

// forFirstRank returns m on the first rank, and an empty memoryCheckpoint on all other ranks.
func forFirstRank(c dist.Comm, m *memoryCheckpoint) *memoryCheckpoint {
	if c.Rank() > 0 {
		return &memoryCheckpoint{}
	}
	return m
}

// TestResume checks that a run resumed from any of its checkpoints has the same bits as the run without
// interruption. With one more rank, the resumed run must end with the same status.
func TestResume(t *testing.T) {
	plain, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 300, Features: 30, Noise: 1, Seed: 3}, 1e-2)
	weighted := *plain
	weighted.SampleWeights = make([]float64, 300)
	for i := range weighted.SampleWeights {
		weighted.SampleWeights[i] = 1 + float64(i%3)
	}
	for name, c := range map[string]struct {
		p   *solver.Problem
		set solver.Settings
	}{
		"scas-k":           {plain, solver.Settings{Method: solver.SCASK{}, Passes: 20}},
		"scas-l":           {plain, solver.Settings{Method: solver.SCASL{}, Passes: 20}},
		"a large step":     {plain, solver.Settings{Method: solver.SCASK{}, Passes: 30, DualUpdates: 1, Rho: 1e-5}},
		"weights":          {&weighted, solver.Settings{Method: solver.SCASK{}, Passes: 16}},
		"auto, by default": {plain, solver.Settings{}},
	} {
		for _, ranks := range []int{1, 3} {
			history := &memoryCheckpoint{}
			want, errs := solveFrom(t, c.p, c.set, ranks, history)
			if errs[0] != nil {
				t.Fatalf("%s: %v", name, errs)
			}
			if len(history.states) == 0 {
				t.Errorf("%s, %d ranks: no checkpoint", name, ranks)
			}
			for k := range history.states {
				if testing.Short() && k%3 > 0 {
					continue
				}
				got, errs := solveFrom(t, c.p, c.set, ranks, &memoryCheckpoint{states: history.states[:k+1]})
				if errs[0] != nil {
					t.Fatalf("%s, %d ranks, from checkpoint %d: %v", name, ranks, k, errs)
				}
				got[0].Stats.Seconds, got[0].Stats.SetupSeconds = want[0].Stats.Seconds, want[0].Stats.SetupSeconds
				if diff := cmp.Diff(want[0], got[0]); diff != "" {
					t.Fatalf("%s, %d ranks, from checkpoint %d: %s", name, ranks, k, diff)
				}
			}
			moreRanksResults, errs := solveFrom(t, c.p, c.set, ranks+1, &memoryCheckpoint{states: history.states[:1]})
			if errs[0] != nil || moreRanksResults[0].Status != want[0].Status {
				t.Errorf("%s, from %d ranks to one more: %v, %v", name, ranks, moreRanksResults[0].Status, errs)
			}
		}
	}
}

// TestResumeOtherDomain checks that a state is refused if its x is not in the domain of the present problem,
// and that the gap of a state is not trusted: it may be of a problem with a smaller domain.
func TestResumeOtherDomain(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 100, Features: 20, Seed: 1}, 1e-2)
	_, features := p.Data.Dims()
	inBox := *p
	inBox.Domain = solver.NewBox(features, -1e-2, 1e-2)
	set := solver.Settings{Method: solver.SCASK{}, Passes: 100, RelTol: 1e-3}
	for _, ranks := range []int{1, 2} {
		boxed, free := &memoryCheckpoint{}, &memoryCheckpoint{}
		for q, m := range map[*solver.Problem]*memoryCheckpoint{p: free, &inBox: boxed} {
			if results, errs := solveFrom(t, q, set, ranks, m); errs[0] != nil || results[0].Status != solver.Converged {
				t.Fatalf("%d ranks: %v", ranks, errs)
			}
		}
		if _, errs := solveFrom(t, &inBox, set, ranks, free); errs[0] == nil ||
			!strings.Contains(errs[0].Error(), "not in Problem.Domain") {
			t.Errorf("%d ranks, a smaller domain: %v", ranks, errs)
		}
		if results, errs := solveFrom(t, p, set, ranks, boxed); errs[0] != nil || results[0].Status != solver.Converged {
			t.Errorf("%d ranks, a larger domain: %v", ranks, errs)
		}
	}
}

// TestResumeRefuses checks that all ranks end if a checkpoint belongs to another problem or method, is
// malformed, or cannot be saved.
func TestResumeRefuses(t *testing.T) {
	p := solvertest.ChainProblem(t, 0)
	otherProblem, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 100, Features: 20, Seed: 1}, 1e-2)
	set := solver.Settings{Method: solver.SCASK{}, Passes: 4}
	withLongerY := *p // y has one coordinate more
	l, _ := p.Constraint.Dims()
	b, err := sparse.FromDense(l, l+1, slices.Repeat([]float64{1}, l*(l+1)))
	if err != nil {
		t.Fatal(err)
	}
	withLongerY.Coupling = &solver.Coupling{B: b}
	withWeakerPenalty := *p
	withWeakerPenalty.Penalty = solver.L1{Lambda: p.Penalty.Scale() / 2}
	otherCheckpoint, longerCheckpoint, weakerCheckpoint := &memoryCheckpoint{}, &memoryCheckpoint{}, &memoryCheckpoint{}
	for q, m := range map[*solver.Problem]*memoryCheckpoint{
		otherProblem: otherCheckpoint, &withLongerY: longerCheckpoint, &withWeakerPenalty: weakerCheckpoint,
	} {
		if _, errs := solveFrom(t, q, set, 1, m); errs[0] != nil {
			t.Fatal(errs[0])
		}
	}
	scaslCheckpoint, scaslSettings := &memoryCheckpoint{}, set
	scaslSettings.Method = solver.SCASL{}
	if _, errs := solveFrom(t, p, scaslSettings, 1, scaslCheckpoint); errs[0] != nil {
		t.Fatal(errs[0])
	}
	errFull := errors.New("the disk is full")
	for want, bad := range map[string]*memoryCheckpoint{
		"of 20 features":                        otherCheckpoint,
		fmt.Sprintf("%d coordinates of y", l+1): longerCheckpoint,
		"of another problem: the objective":     weakerCheckpoint,
		"of the method scas-l":                  scaslCheckpoint,
		"cannot be read":                        {states: [][]byte{[]byte("this is none")}},
		errFull.Error():                         {err: errFull},
	} {
		for _, ranks := range []int{1, 2} {
			_, errs := solveFrom(t, p, set, ranks, &memoryCheckpoint{states: bad.states, err: bad.err})
			for r, err := range errs {
				if err == nil || r == 0 && !strings.Contains(err.Error(), want) {
					t.Errorf("%q, rank %d of %d: %v", want, r, ranks, err)
				}
			}
		}
	}
}
