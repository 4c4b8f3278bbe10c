package torture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

// trainingAttack trains again and again in one process, whose memory, goroutines and
// descriptors must not grow.
type trainingAttack struct {
	first *footprint // after the first trial, which warms up
}

func beginTrainings(context.Context, *ground) (attack, error) { return &trainingAttack{}, nil }

// perTrial is how many trainings a trial has.
const perTrial = 50

func (a *trainingAttack) try(ctx context.Context, seed uint64) (string, int, error) {
	rng := random(seed)
	for range perTrial {
		if err := train(ctx, rng); err != nil {
			return "", 1, err
		}
	}
	now, err := measure()
	switch {
	case err != nil:
		return "", perTrial, err
	case a.first == nil:
		a.first = now
	case now.goroutines > a.first.goroutines || now.descriptors > a.first.descriptors || now.heap > 2*a.first.heap+8<<20 || now.resident > a.first.resident+64<<20:
		return "", perTrial, fmt.Errorf("%+v, was %+v", *now, *a.first)
	}
	return "flat", perTrial, nil
}

// train solves a random problem by the library and by package model.
func train(ctx context.Context, rng *rand.Rand) error {
	ctx, cancel := patience(ctx)
	defer cancel()
	p := problem(rng)
	res, err := solver.Minimize(ctx, p, nil)
	if _, wrong := judge(p, &solver.Settings{}, res, err); wrong != nil {
		return wrong
	}
	spec := &model.Spec{Loss: p.Loss, Lambda: 0.01 * rng.Float64(), SampleWeights: p.SampleWeights, NoIntercept: chance(rng, 2)}
	m, err := model.Fit(ctx, spec, p.Data, p.Labels)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("not ended after %v", problemLimit)
	case m == nil && err == nil:
		return errors.New("neither a model nor an error")
	case err == nil && m.Certificate.Status != solver.Converged:
		return fmt.Errorf("%s without an error", m.Certificate.Status)
	case m == nil:
		return nil
	}
	c := m.Certificate
	if slices.ContainsFunc(m.Coefficients, func(v float64) bool { return !finite(v) }) || !finite(m.Intercept) || math.IsNaN(c.Gap) || c.Gap < 0 || err == nil && !finite(c.Objective+c.Gap) {
		return fmt.Errorf("model %+v, error %w", m, err)
	}
	return nil
}

// A footprint is what a process holds.
type footprint struct {
	goroutines, descriptors int
	heap, resident          int64 // bytes
}

// measure looks at this process, with all garbage gone.
func measure() (*footprint, error) {
	for range 100 { // those of the last training may be about to end
		if runtime.NumGoroutine() <= 8 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := &footprint{goroutines: runtime.NumGoroutine(), heap: int64(m.HeapAlloc)}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.descriptors = len(open)
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
		if err != nil {
			return nil, err
		}
		f.resident = pages * int64(os.Getpagesize())
	}
	return f, nil
}

// Together trains so many times on as many goroutines, each problem twice, and returns
// the first thing that is wrong, such as other bits.
func Together(ctx context.Context, seed uint64, trainings int) error {
	errs := make([]error, trainings)
	var wg sync.WaitGroup
	for k := range trainings {
		wg.Go(func() {
			rng := random(seed + uint64(k/2))
			p := problem(rng)
			res, err := solver.Minimize(ctx, p, nil)
			_, errs[k] = judge(p, &solver.Settings{}, res, err)
			again, _ := solver.Minimize(ctx, p, &solver.Settings{Threads: 1 + k%3})
			if errs[k] == nil && res != nil && (again == nil || !same(res.At.Objective, again.At.Objective)) {
				errs[k] = fmt.Errorf("seed %d: other bits the second time", seed)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// raceAttack runs the test of trainings at once in processes of its own.
type raceAttack struct{}

func beginRaces(ctx context.Context, _ *ground) (attack, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, skip("no go command")
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-race", "-run", "^$", module+"/bench/internal/torture")
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, skip("go test -race does not work here: %s", lines[len(lines)-1])
	}
	return raceAttack{}, nil
}

// atOnce is how many trainings are in one of these.
const atOnce = 200

// TogetherEnv tells the test how many trainings, and TogetherSeed from which seed on.
const (
	TogetherEnv  = "SCAS_TORTURE_TRAININGS"
	TogetherSeed = "SCAS_TORTURE_SEED"
)

func (raceAttack) try(ctx context.Context, seed uint64) (string, int, error) {
	handled, args, env := "no race", []string{"test", "-race"}, []string{}
	if seed%2 == 0 {
		handled, args, env = "collections checked", []string{"test"}, []string{"GOGC=1", "GODEBUG=gccheckmark=1"}
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-count=1", "-run", "^TestTogether$", module+"/bench/internal/torture")...)
	cmd.Env = append(append(os.Environ(), env...), TogetherEnv+"="+strconv.Itoa(atOnce), TogetherSeed+"="+strconv.FormatUint(seed*atOnce, 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", atOnce, fmt.Errorf("%s: %w\n%s", handled, err, head(string(out)))
	}
	return handled, atOnce, nil
}
