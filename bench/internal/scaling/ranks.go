package scaling

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// Split divides the rows of a problem at random into parts of about equal size, a problem for each rank.
// Equal arguments give equal parts.
func Split(p *solver.Problem, ranks int) ([]*solver.Problem, error) {
	n := len(p.Labels)
	rows := rand.New(rand.NewPCG(1, uint64(ranks))).Perm(n)
	parts, data := make([]*solver.Problem, ranks), &sparse.Dataset{X: p.Data, Labels: p.Labels}
	for k := range parts {
		shard, err := data.SelectRows(rows[k*n/ranks : (k+1)*n/ranks])
		if err != nil {
			return nil, err
		}
		part := *p
		part.Data, part.Labels = shard.X, shard.Labels
		parts[k] = &part
	}
	return parts, nil
}

// A Fit is the result of rank 0 of a fit on several ranks, with the costs of the ranks. Result is nil if
// solver.Minimize returned none.
type Fit struct {
	*solver.Result
	Messages int   // number of vectors that rank 0 exchanged with all other ranks
	Numbers  int64 // sum of the lengths of these vectors
}

// Solve solves a problem whose rows are divided into parts. Each part is on its own rank, and each rank is
// a goroutine. The error is the error of rank 0.
func Solve(ctx context.Context, parts []*solver.Problem) (*Fit, error) {
	r := &Fit{}
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
	r.Result = results[0]
	return r, errs[0]
}
