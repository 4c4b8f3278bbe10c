package scaling

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
)

// Split gives each of some ranks a random part of the rows of a problem.
func Split(p *solver.Problem, ranks int) ([]*solver.Problem, error) {
	n := len(p.Labels)
	rows := rand.New(rand.NewPCG(1, uint64(ranks))).Perm(n)
	parts := make([]*solver.Problem, ranks)
	for k := range parts {
		own := rows[k*n/ranks : (k+1)*n/ranks]
		x, err := p.Data.SelectRows(own)
		if err != nil {
			return nil, err
		}
		part := *p
		part.Data, part.Labels = x, make([]float64, len(own))
		for i, row := range own {
			part.Labels[i] = p.Labels[row]
		}
		parts[k] = &part
	}
	return parts, nil
}

// Ranks says what a run on ranks took.
type Ranks struct {
	NewtonSteps int
	Messages    int   // that rank 0 sent, of any length
	Numbers     int64 // in all of them
}

// Solve solves a problem with each part on a rank of its own, a goroutine.
func Solve(ctx context.Context, parts []*solver.Problem) (*Ranks, error) {
	r := &Ranks{}
	results, errs := make([]*solver.Result, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	for k, c := range dist.Local(len(parts), 0) {
		part := *parts[k]
		part.Comm = c
		if k == 0 {
			c.Before = func(_, length int) error {
				r.Messages++
				r.Numbers += int64(length)
				return nil
			}
		}
		wg.Go(func() { results[k], errs[k] = solver.Minimize(ctx, &part, &solver.Settings{Threads: 1}) })
	}
	wg.Wait()
	if results[0] != nil {
		r.NewtonSteps = results[0].Stats.NewtonSteps
	}
	return r, errs[0]
}
