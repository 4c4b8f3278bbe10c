// Package shards runs the distributed solver on shards in one process, counts what their
// ranks tell each other, and predicts what runs on many machines take.
package shards

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// An Order says which rows a shard has.
type Order string

// The orders.
const (
	Random Order = "random" // drawn without replacement
	Sorted Order = "sorted" // by label: most shards have rows of one class
)

// Split cuts a problem into shards.
func Split(p *solver.Problem, shards int, order Order) ([]*solver.Problem, error) {
	n := len(p.Labels)
	rows := rand.New(rand.NewPCG(1, uint64(shards))).Perm(n)
	if order == Sorted {
		slices.SortStableFunc(rows, func(i, j int) int {
			switch {
			case p.Labels[i] < p.Labels[j]:
				return -1
			case p.Labels[i] > p.Labels[j]:
				return 1
			}
			return i - j
		})
	}
	parts := make([]*solver.Problem, shards)
	for k := range parts {
		own := rows[k*n/shards : (k+1)*n/shards]
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

// A Count is what a rank sent.
type Count struct {
	Calls   int   // of any length
	Numbers int64 // in all of them
}

func (c *Count) add(length int) {
	c.Calls++
	c.Numbers += int64(length)
}

// Solve solves a problem on shards, and returns what rank 0 found and sent. see, if not nil,
// is called on rank 0 after outer iterations; to evaluate the iterate takes messages, too.
func Solve(ctx context.Context, parts []*solver.Problem, set solver.Settings, see func(*solver.Point)) (*solver.Result, Count, error) {
	return solve(ctx, parts, set, see, nil)
}

// solve is Solve; call, if not nil, is told of the length of each sum of rank 0.
func solve(ctx context.Context, parts []*solver.Problem, set solver.Settings, see func(*solver.Point), call func(length int)) (*solver.Result, Count, error) {
	var sent Count
	results, errs := make([]*solver.Result, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	for r, c := range dist.Local(len(parts), 0) {
		part, own := *parts[r], set
		part.Comm = c
		if see != nil {
			own.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
				if r == 0 {
					see(pt)
				}
				return nil
			})
		}
		if r == 0 {
			c.Before = func(_, length int) error {
				if sent.add(length); call != nil {
					call(length)
				}
				return nil
			}
		}
		own.Threads = 1
		wg.Go(func() { results[r], errs[r] = solver.Minimize(ctx, &part, &own) })
	}
	wg.Wait()
	return results[0], sent, errs[0]
}

// PerIteration is what an outer iteration sends, from one sum of the states to the next:
// they are the longest sums of which there is one an iteration.
func PerIteration(ctx context.Context, parts []*solver.Problem) (each Count, err error) {
	const iterations = 4
	set := solver.Settings{Method: solver.SCASK{}, OuterIterations: iterations, Passes: 1e6}
	var lengths []int
	if _, _, err := solve(ctx, parts, set, nil, func(length int) { lengths = append(lengths, length) }); err != nil {
		return each, err
	}
	times, state := map[int]int{}, 0
	for _, length := range lengths {
		times[length]++
	}
	for length, n := range times {
		if n == iterations {
			state = max(state, length)
		}
	}
	var now Count
	for _, length := range lengths {
		if now.add(length); length == state {
			now, each = Count{}, now
		}
	}
	return each, nil
}

// Read reads data.
func Read(path string, features int) (*solver.Problem, error) {
	d, err := sparse.ReadFile(path, &sparse.ReadOptions{Features: features})
	if err != nil {
		return nil, err
	}
	return &solver.Problem{Data: d.X, Labels: d.Labels}, nil
}
