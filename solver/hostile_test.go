package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// hostileProblem returns a random problem with few rows and difficult data: columns of very different scales,
// columns that are nearly multiples of each other, outliers and small sample weights.
func hostileProblem(rng *rand.Rand) *solver.Problem {
	n, p := 3+rng.IntN(12), 1+rng.IntN(9)
	dense := make([]float64, n*p)
	scales := make([]float64, p)
	for j := range scales {
		scales[j] = math.Pow(10, 8*rng.Float64()-4)
	}
	for k := range dense {
		if rng.Float64() < 0.7 {
			dense[k] = scales[k%p] * rng.NormFloat64()
		}
		if rng.Float64() < 0.02 {
			dense[k] *= 1e5
		}
	}
	if p > 1 && rng.IntN(3) == 0 {
		noise := 1e-9 * float64(rng.IntN(2))
		for i := range n {
			dense[i*p+1] = 2 * dense[i*p] * (1 + noise*rng.NormFloat64())
		}
	}
	x, err := sparse.FromDense(n, p, dense)
	if err != nil {
		panic(err)
	}
	q := &solver.Problem{Data: x, Labels: make([]float64, n)}
	losses := solvertest.Losses(0, -1, 1)
	q.Loss = losses[rng.IntN(len(losses))]
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

// startObjective returns the objective at the point of the domain nearest to 0.
func startObjective(p *solver.Problem) float64 {
	_, features := p.Data.Dims()
	x := make([]float64, features)
	if p.Domain != nil {
		p.Domain.Project(x)
	}
	return p.Evaluate(x).Objective
}

// TestHostileBounds checks for random problems that no run finds an objective below the bound that another
// run proved.
func TestHostileBounds(t *testing.T) {
	convergedCount, problemCount := 0, 1500
	if testing.Short() {
		problemCount = 80
	}
	for seed := range uint64(problemCount) {
		p := hostileProblem(rand.New(rand.NewPCG(seed, 9)))
		var results []*solver.Result
		lowestObjective := math.Inf(1)
		settings := []solver.Settings{
			{RelTol: 1e-2}, {RelTol: 1e-4}, {RelTol: 1e-6}, {RelTol: 1e-9}, {RelTol: 1e-13},
			{Method: solver.SCASK{}, Passes: 100},
		}
		for k := range settings {
			res, err := solver.Minimize(context.Background(), p, &settings[k])
			if res == nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			results, lowestObjective = append(results, res), math.Min(lowestObjective, res.At.Objective)
			if at := startObjective(p); settings[k].Method == nil && res.At.Objective > at {
				t.Errorf("seed %d, run %d: objective %.17g, %.17g at the start", seed, k, res.At.Objective, at)
			}
			if p.Domain != nil && domainDistance(p.Domain, res.X) > 1e-12 {
				t.Errorf("seed %d, run %d: %s: x is %.1e outside of %T",
					seed, k, res.Status, domainDistance(p.Domain, res.X), p.Domain)
			}
			if (err == nil) != (res.Status == solver.Converged) && settings[k].Method == nil {
				t.Errorf("seed %d: %s with error %v", seed, res.Status, err)
			}
		}
		if results[2].Status == solver.Converged {
			convergedCount++
		}
		for k, res := range results {
			if excess := res.At.Objective - lowestObjective; excess > res.DualityGap*(1+1e-6)+1e-13*math.Abs(lowestObjective) {
				kind := fmt.Sprintf("%T, %T, %T", p.Loss, p.Penalty, p.Domain)
				t.Errorf("seed %d, run %d: %s: proved to be within %.4g, and %.4g above another",
					seed, k, kind, res.DualityGap, excess)
			}
		}
	}
	t.Logf("%d of %d converged to 1e-6", convergedCount, problemCount)
	if 10*convergedCount < 9*problemCount {
		t.Errorf("%d of %d converged to 1e-6", convergedCount, problemCount)
	}
}

// TestSimplexStays checks that Newton steps stay in the simplex if one value of the data is much larger than
// all others.
func TestSimplexStays(t *testing.T) {
	x, err := sparse.FromDense(6, 7, []float64{
		0.00033339144406215423, 61.92653114853525, 0, 0, 0, 0.6751427223721512, 0,
		1.1221628229243554e-05, 413.78314398658404, -1.45264403136253, -0.5844087239790378, 0,
		1.056748201952958, -0.7091702487209994,
		6.435696684219768e-05, -86.82907531711197, 0.41214425418417827, 0.8397525554531418, 0, 0, 0,
		0, 0, 0, 1.310061482596423, 0, -0.9682628843665966, -0.08341439448512666,
		0, -6.659526204975409e+06, -0.05147031420728354, 0, 0, -0.21158349936858356, -0.6802624006797229,
		-0.00019700112157974967, 0, 0.135351988467454, 0.7166620301460803, 0, 1.0606712943820278, 1.0574700528284997,
	})
	if err != nil {
		t.Fatal(err)
	}
	const label = -3.903138180537935
	p := &solver.Problem{
		Data: x, Labels: []float64{label, label, label, label, label, label}, Loss: solver.Huber{},
		Domain: solver.Simplex{},
	}
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

// TestBoundOfHeavyPenalty checks that the gap is valid if lambda is 2e6 times as large as the loss at x = 0.
func TestBoundOfHeavyPenalty(t *testing.T) {
	x, err := sparse.FromDense(5, 7, []float64{
		-0.00424794259703046, -0.00849588519406092, -904.7497030836776, 0.019568811527848593,
		-0.32415465397603205, 0, -233.66937266206304,
		0.006232211264898387, 0.012464422529796773, 0, -0.0437869618462325, 1.687290551873176,
		-0.09608599604641888, 5.575229427474401e+07,
		0, 0, 156.74568378710256, 0.20847552932562216, 2.275032440819663, 0.36796850049696733, -608.1883968288824,
		0.0042752288460206345, 0.008550457692041269, 2056.6871802809205, -0.08531595657611578, 0, 0, 318.58303496988015,
		0.0017217330783635154, 0.0034434661567270307, 0, 0.10845391465109701, 0.2113083274539252, 0, -278.26612665247563,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := sparse.FromDense(2, 7, []float64{0, 0, 1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{
		Data:   x,
		Labels: []float64{-19.992857608803263, -3.2517268660206966, -11.7120979482311, -18.722648587383713, 14.830765577405424},
		Loss:   solver.Squared{}, Penalty: solver.L1{Lambda: 4.55345828947697e+08}, Constraint: a,
	}
	best, err := solver.Minimize(context.Background(), p, nil)
	if err != nil || best.At.Objective > 1e-9 {
		t.Fatalf("%+v, %v", best, err)
	}
	res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: solver.SCASK{}, Passes: 60})
	if err != nil {
		t.Fatal(err)
	}
	if excess := res.At.Objective - best.At.Objective; excess > res.DualityGap {
		t.Errorf("proved to be within %v, and %v above another", res.DualityGap, excess)
	}
}

// TestInfiniteStart starts a run at a point at which the sum of the weighted losses overflows, and ends it
// before the optimum is reached: nothing follows from a gap of the start.
func TestInfiniteStart(t *testing.T) {
	const n = 16
	ones, counts, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		ones[i], counts[i], weights[i] = 1, float64(i), 100
	}
	x, err := sparse.FromDense(n, 1, ones)
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{
		Data: x, Labels: counts, SampleWeights: weights, Loss: solver.Poisson{},
		Penalty: solver.SquaredL2{Lambda: 1e-3},
	}
	want, err := solver.Minimize(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := solver.Iterate{X: []float64{1000}}
	if at := p.Evaluate(start.X).Objective; !math.IsInf(at, 1) {
		t.Fatalf("the objective at the start is %v", at)
	}
	got, err := solver.Minimize(t.Context(), p, &solver.Settings{Start: start, Passes: 3})
	if got == nil {
		t.Fatal(err)
	}
	if got.At.Objective-got.DualityGap > want.At.Objective {
		t.Errorf("%s: objective %v, gap %v; the optimum is %v", got.Status, got.At.Objective, got.DualityGap, want.At.Objective)
	}
}
