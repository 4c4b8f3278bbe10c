package attack

import (
	"context"
	"fmt"
	"sync"

	"github.com/scas-admm/scas/bench/internal/program"
)

// A writerAttack runs several processes of one job at once. They write the same files.
type writerAttack struct{ *jobs }

func beginWriters(ctx context.Context, g *testbed) (trial, error) {
	j, err := newJobs(ctx, g)
	return writerAttack{j}.try, err
}

func (w writerAttack) try(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	job, dir, oldFiles, err := w.prepare(rng)
	if err != nil {
		return "", err
	}
	defer remove(dir)
	runs := make([]struct {
		e   *program.Ending
		err error
	}, 2+rng.IntN(3))
	var wg sync.WaitGroup
	for k := range runs {
		wg.Go(func() { runs[k].e, runs[k].err = w.g.call(ctx, program.Call{Dir: dir, Args: job.args}) })
	}
	wg.Wait()
	for _, r := range runs {
		if r.err != nil {
			return "", r.err
		}
		if r.e.Code != exitOK {
			return "", fmt.Errorf("%v beside others: exit code %d: %s", job.args, r.e.Code, head(r.e.Stderr))
		}
	}
	newOutputs, err := job.judge(dir, oldFiles, true, false)
	return job.outcome(newOutputs), err
}
