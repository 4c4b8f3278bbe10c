package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// hostileProblem has few rows, columns on scales of 1e-4 to 1e4, some of which are
// multiples of each other or nearly so, outliers, weights down to 1e-6, and any loss,
// penalty and domain.
func hostileProblem(rng *rand.Rand) *solver.Problem {
	n, p := 3+rng.IntN(12), 1+rng.IntN(9)
	dense := make([]float64, n*p)
	scale := make([]float64, p)
	for j := range scale {
		scale[j] = math.Pow(10, 8*rng.Float64()-4)
	}
	for k := range dense {
		if rng.Float64() < 0.7 {
			dense[k] = scale[k%p] * rng.NormFloat64()
		}
		if rng.Float64() < 0.02 {
			dense[k] *= 1e5
		}
	}
	if p > 1 && rng.IntN(3) == 0 {
		apart := 1e-9 * float64(rng.IntN(2))
		for i := range n {
			dense[i*p+1] = 2 * dense[i*p] * (1 + apart*rng.NormFloat64())
		}
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		panic(err)
	}
	q := &solver.Problem{Data: x, Labels: make([]float64, n)}
	q.Loss = []solver.Loss{solver.Logistic{}, solver.Squared{}, solver.Huber{}, solver.SquaredHinge{}}[rng.IntN(4)]
	for i := range q.Labels {
		q.Labels[i] = math.Copysign(1, rng.NormFloat64())
		if q.Loss.Validate([]float64{0.5}) == nil {
			q.Labels[i] = 10 * rng.NormFloat64()
		}
	}
	if rng.IntN(2) == 0 {
		q.SampleWeights = make([]float64, n)
		for i := range q.SampleWeights {
			q.SampleWeights[i] = math.Pow(10, -6*rng.Float64())
		}
	}
	lambda := math.Pow(10, -6*rng.Float64())
	if rng.IntN(4) == 0 {
		q.L2 = lambda
	}
	q.Domain = []solver.Domain{nil, nil, nil, solver.Nonnegative{}, solver.Ball{Radius: 0.5}, solver.Simplex{}}[rng.IntN(6)]
	hostilePenalty(q, lambda, p, rng)
	return q
}

func hostilePenalty(q *solver.Problem, lambda float64, p int, rng *rand.Rand) {
	switch rng.IntN(5) {
	case 0:
		q.Penalty = solver.L1{}
	case 1:
		weights := make([]float64, p)
		for j := range weights {
			weights[j] = float64(rng.IntN(2))
		}
		q.Penalty = solver.L1{Lambda: lambda, Weights: weights}
	case 2:
		q.Penalty = solver.L1{Lambda: lambda}
		var edges []sparse.Triplet
		for j := range p - 1 {
			edges = append(edges, sparse.Triplet{Row: j, Col: j, Value: 1}, sparse.Triplet{Row: j, Col: j + 1, Value: -1})
		}
		if a, err := sparse.FromTriplets(p-1, p, edges); err == nil && p > 1 {
			q.Constraint = a
		}
	case 3:
		if p > 2 {
			q.Penalty = solver.GroupL2{Lambda: lambda, Groups: [][]int{{0, 1}}}
		}
	case 4:
		q.Penalty = solver.ElasticNet{L1: lambda, L2: lambda}
	}
}

// startObjective is the objective at 0, or at the point of the domain nearest to it.
func startObjective(p *solver.Problem) float64 {
	_, features := p.Data.Dims()
	x := make([]float64, features)
	if p.Domain != nil {
		p.Domain.Project(x)
	}
	return p.Evaluate(x).Objective
}

// TestHostileBounds: whatever the problem and however a run ends, no objective found by
// another run is below what was proved, nor is it above that at the start.
func TestHostileBounds(t *testing.T) {
	converged := 0
	for seed := range uint64(1500) {
		p := hostileProblem(rand.New(rand.NewPCG(seed, 9)))
		var results []*solver.Result
		best := math.Inf(1)
		sets := []solver.Settings{{RelTol: 1e-2}, {RelTol: 1e-4}, {RelTol: 1e-6}, {RelTol: 1e-9}, {RelTol: 1e-13}, {Method: solver.SCASK{}, Passes: 100}}
		for k := range sets {
			res, err := solver.Minimize(context.Background(), p, &sets[k])
			if res == nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			results, best = append(results, res), math.Min(best, res.At.Objective)
			if at := startObjective(p); sets[k].Method == nil && res.At.Objective > at {
				t.Errorf("seed %d, run %d: objective %.17g, %.17g at the start", seed, k, res.At.Objective, at)
			}
			if p.Domain != nil {
				nearest := slices.Clone(res.X)
				p.Domain.Project(nearest)
				for j, v := range res.X {
					if math.Abs(v-nearest[j]) > 1e-12 {
						t.Errorf("seed %d, run %d: %s: coefficient %d is %v, in %T %v", seed, k, res.Status, j, v, p.Domain, nearest[j])
					}
				}
			}
			if (err == nil) != (res.Status == solver.Converged) && sets[k].Method == nil {
				t.Errorf("seed %d: %s with error %v", seed, res.Status, err)
			}
		}
		if results[2].Status == solver.Converged {
			converged++
		}
		for k, res := range results {
			if above := res.At.Objective - best; above > res.DualityGap*(1+1e-6)+1e-13*math.Abs(best) {
				kind := fmt.Sprintf("%T, %T, %T", p.Loss, p.Penalty, p.Domain)
				t.Errorf("seed %d, run %d: %s: proved to be within %.4g, and %.4g above another", seed, k, kind, res.DualityGap, above)
			}
		}
	}
	t.Logf("%d of 1,500 converged to 1e-6", converged)
	if converged < 1350 {
		t.Errorf("%d of 1,500 converged to 1e-6", converged)
	}
}

// TestSimplexStays: where one entry of the data outweighs all others by 1e4 to 1e11, Newton's
// steps keep to the simplex, whose coordinates sum to 1.
func TestSimplexStays(t *testing.T) {
	x, err := sparse.FromDense(6, 7, []float64{
		0.00033339144406215423, 61.92653114853525, 0, 0, 0, 0.6751427223721512, 0,
		1.1221628229243554e-05, 413.78314398658404, -1.45264403136253, -0.5844087239790378, 0, 1.056748201952958, -0.7091702487209994,
		6.435696684219768e-05, -86.82907531711197, 0.41214425418417827, 0.8397525554531418, 0, 0, 0,
		0, 0, 0, 1.310061482596423, 0, -0.9682628843665966, -0.08341439448512666,
		0, -6.659526204975409e+06, -0.05147031420728354, 0, 0, -0.21158349936858356, -0.6802624006797229,
		-0.00019700112157974967, 0, 0.135351988467454, 0.7166620301460803, 0, 1.0606712943820278, 1.0574700528284997,
	})
	if err != nil {
		t.Fatal(err)
	}
	const label = -3.903138180537935
	p := &solver.Problem{Data: x, Labels: []float64{label, label, label, label, label, label}, Loss: solver.Huber{}, Domain: solver.Simplex{}}
	res, err := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-9})
	if res == nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range res.X {
		sum += v
	}
	if math.Abs(sum-1) > 1e-12 || res.At.Objective < 6.856 || res.DualityGap > 1e-6 {
		t.Errorf("%s: sum %v, objective %v, gap %g", res.Status, sum, res.At.Objective, res.DualityGap)
	}
}
