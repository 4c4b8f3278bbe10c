package attack

import (
	"context"
	"fmt"
	"sync"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginWriters(ctx context.Context, g *testbed) (trial, error) {
	return g.tryWriters, g.makeJobs(ctx)
}

// tryWriters runs several processes of one job at once. They write the same files.
func (g *testbed) tryWriters(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	job, err := g.prepare(rng)
	if err != nil {
		return "", err
	}
	defer remove(job.dir)
	runs := make([]struct {
		e   *program.Ending
		err error
	}, 2+rng.IntN(3))
	var wg sync.WaitGroup
	for k := range runs {
		wg.Go(func() { runs[k].e, runs[k].err = g.call(ctx, program.Call{Dir: job.dir, Args: job.args}) })
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
	return job.judge(true, false)
}
