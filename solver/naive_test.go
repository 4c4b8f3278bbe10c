package solver

import (
	"context"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestIteratesEqualNaive holds outer iterates, y and beta of every method
// against the dense loop of the paper on the same samples.
func TestIteratesEqualNaive(t *testing.T) {
	classify, _ := planted(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 1}, 1e-2)
	regress, _ := planted(t, sparse.SyntheticOptions{Rows: 60, Features: 23, NonzerosPerRow: 7, Seed: 2, Regression: true, Noise: 0.1}, 1e-2)
	wide, _ := planted(t, sparse.SyntheticOptions{Rows: 60, Features: 200, NonzerosPerRow: 5, Seed: 3}, 1e-3)
	lasso := func(p *Problem) { p.Constraint = nil }
	cases := []struct {
		name  string
		base  *Problem
		mod   func(*Problem)
		batch int
	}{
		{"batches", classify, func(*Problem) {}, 4},
		{"batches, ball", classify, func(p *Problem) { p.Domain = Ball{0.2} }, 3},
		{"identity", classify, lasso, 0},
		{"wide identity", wide, lasso, 0},
		{"wide graph", wide, func(*Problem) {}, 0},
		{"wide graph, L2", wide, func(p *Problem) { p.L2 = 0.3 }, 0},
		{"wide graph, large mu", wide, func(p *Problem) { p.L2 = 20 }, 0},
		{"wide graph, ball", wide, func(p *Problem) { p.Domain = Ball{0.1} }, 0},
		{"wide identity, large mu", wide, func(p *Problem) { lasso(p); p.L2 = 4 }, 0},
		{"wide identity, ball", wide, func(p *Problem) { lasso(p); p.Domain = Ball{0.3} }, 0},
		{"wide identity, ball, large mu", wide, func(p *Problem) { lasso(p); p.L2 = 4; p.Domain = Ball{0.05} }, 0},
		{"wide identity, box", wide, func(p *Problem) { lasso(p); p.Domain = NewBox(200, -0.02, 0.05) }, 0},
		{"identity, ball", classify, func(p *Problem) { lasso(p); p.Domain = Ball{0.2} }, 0},
		{"graph, ball", classify, func(p *Problem) { p.Domain = Ball{0.1} }, 0},
		{"graph", classify, func(*Problem) {}, 0},
		{"graph, L2", classify, func(p *Problem) { p.L2 = 0.05 }, 0},
		{"identity, L2", classify, func(p *Problem) { lasso(p); p.L2 = 0.05 }, 0},
		{"weights", classify, func(p *Problem) {
			l, _ := p.Constraint.Dims()
			weights := make([]float64, l)
			for j := range l {
				weights[j] = float64(j % 3)
			}
			p.Penalty = L1{1e-2, weights}
		}, 0},
		{"squared", regress, func(*Problem) {}, 0},
		{"squared, identity", regress, lasso, 0},
		{"graph, box", classify, func(p *Problem) { p.Domain = NewBox(23, -0.05, 0.1) }, 0},
		{"user's domain", classify, func(p *Problem) { p.Domain = positive{} }, 0},
	}
	plans, reasons := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		for _, m := range []struct {
			method Method
			k      int
		}{{SCAS, 1}, {SCASK, 1}, {SCASK, 7}, {SCASStrong, 1}, {SCASL, 1}, {SCASL, 5}} {
			prob := *c.base
			c.mod(&prob)
			if m.method == SCASStrong && prob.Domain != nil {
				continue
			}
			set := &Settings{Method: m.method, DualUpdates: m.k, Eta: 0.03, Rho: 0.05, Passes: 6, Seed: 42, BatchSize: c.batch}
			res := mustMinimize(t, &prob, set)
			plans[res.Stats.Plan] = true
			reasons[res.Stats.PlanReason] = true
			ref := newNaive(&prob, set)
			ref.batch = c.batch
			if m.method == SCASL {
				ref.kappa = set.Rho * res.Stats.Constants.Lambda1
			}
			ref.nu = math.Min(res.Stats.Constants.NuL, 1/set.Eta)
			average := make([]float64, len(ref.x))
			for range 3 {
				ref.outer(60/max(1, c.batch), m.k, m.method == SCASStrong)
				for j, v := range ref.x {
					average[j] += v / 3
				}
			}
			last := lastIterate(t, &prob, set)
			for _, v := range []struct {
				name      string
				got, want []float64
			}{{"x", last, ref.x}, {"average", res.XAverage, average}, {"y", res.Y, ref.y}, {"beta", res.Dual, ref.beta}} {
				if d := relative(v.got, v.want); !(d < 1e-12) {
					t.Errorf("%s, %s, K = %d, %s plan (%s): %s differs from the naive loop by %.1e", c.name, m.method, m.k, res.Stats.Plan, res.Stats.PlanReason, v.name, d)
				}
			}
		}
	}
	for _, plan := range []string{"dense", "minibatch", "diagonal", "rotated"} {
		if !plans[plan] {
			t.Errorf("no case took the %s plan", plan)
		}
	}
	for _, want := range []string{"nonzeros in a rotated row", "dense rotated rows", "nonzeros a step instead", "tracked norm", "a box needs every coordinate", "are few"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(reasons)), func(r string) bool { return strings.Contains(r, want) }) {
			t.Errorf("no case took the plan that explains itself by %q", want)
		}
	}
}

// positive is the nonnegative orthant, a domain the solver has no kernel for.
type positive struct{}

func (positive) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(v, 0)
	}
}
func (positive) Diameter() float64  { return math.Inf(1) }
func (positive) Validate(int) error { return nil }

// lastIterate returns the last outer iterate before zeros and ties are made
// exact.
func lastIterate(t *testing.T, p *Problem, s *Settings) []float64 {
	var x []float64
	c := *s
	c.Recorder = RecorderFunc(func(pt *Point) error { x = slices.Clone(pt.X); return nil })
	mustMinimize(t, p, &c)
	return x
}

// TestZeroConstraintIsSVRG: with A = 0 Algorithm 1 is SVRG with the averaged
// snapshot (Johnson and Zhang), whatever rho.
func TestZeroConstraintIsSVRG(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 50, Features: 15, Seed: 3}, 1e-2)
	zero, err := sparse.FromTriplets(1, 15, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Constraint = zero
	set := &Settings{Method: SCAS, Eta: 0.02, Rho: 0.7, Passes: 8}
	got := lastIterate(t, p, set)

	x, rng := make([]float64, 15), rand.NewPCG(0, 0x5ca5)
	ref := &naive{p: p}
	for range 4 {
		ref.x = x
		full, w, sum := ref.fullGradient(), slices.Clone(x), slices.Clone(x)
		for range 49 {
			hi, _ := bits.Mul64(rng.Uint64(), 50)
			i := int(hi)
			delta := ref.slope(i, w) - ref.slope(i, x)
			idx, val := p.Data.Row(i)
			for j := range w {
				w[j] -= 0.02 * full[j]
			}
			for k, j := range idx {
				w[j] -= 0.02 * delta * val[k]
			}
			for j, v := range w {
				sum[j] += v
			}
		}
		x = make([]float64, 15)
		for j := range x {
			x[j] = sum[j] / 50
		}
	}
	if d := relative(got, x); !(d < 1e-12) {
		t.Errorf("differs from SVRG by %.1e", d)
	}
}

// TestEndWeights checks the identity behind Algorithm 2's average, and its
// special case: at η = 1/ν_L the weights of w_0 and w_M are 0 and 1.
func TestEndWeights(t *testing.T) {
	first, last := endWeights(0.25, 4)
	if first != 0 || last != 1 {
		t.Errorf("at eta = 1/nu_L the weights are %v, %v; want 0, 1", first, last)
	}
	for _, h := range []float64{0, 0.1, 0.5, 0.99, 1, 1.7} {
		first, last = endWeights(h, 1)
		if first < 0 || math.Abs(first+last-1) > 1e-15 {
			t.Errorf("eta nu = %v: weights %v, %v are not a convex combination", h, first, last)
		}
		if h <= 1 {
			s := h / (1 - h/2)
			if h > 0 && math.Abs(last-s/(2*h)) > 1e-15 {
				t.Errorf("eta nu = %v: weight of w_M is %v, want s/(2 eta) = %v", h, last, s/(2*h))
			}
		}
	}
}

// TestRunningSum holds the running sum of one inner loop against the telescoped
// recursion S = K⁻¹[(w_0 − w_M)/η − h − M d], for A = I where K is a scalar.
func TestRunningSum(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 80, Features: 15, Seed: 4}, 1e-2)
	p.Constraint, p.L2 = nil, 0.1
	set, err := (&Settings{Method: SCASStrong, Eta: 0.05, Rho: 0.3}).withDefaults(p)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(context.Background(), p, set)
	r.snapshot()
	r.eta, r.steps = r.schedule()
	r.plan = newDensePlan(r, "")
	r.linearise()
	w0 := slices.Clone(r.x)
	r.plan.begin()
	var s, h [15]float64
	row := r.rows[:1]
	for range 80 {
		for j, w := range r.w {
			s[j] += w
		}
		r.samples.draw(row)
		i := int(row[0])
		idx, val := p.Data.Row(i)
		delta := -p.Labels[i]/(1+math.Exp(p.Labels[i]*dot(p.Data, i, r.w))) - r.slope0[i]
		for k, j := range idx {
			h[j] += delta * val[k]
		}
		r.plan.advance(row)
	}
	for j := range s {
		want := ((w0[j]-r.w[j])/0.05 - h[j] - 80*r.d[j]) / (0.3 + 0.1)
		if math.Abs(s[j]-want) > 1e-11*math.Abs(want) {
			t.Errorf("coordinate %d: running sum %v, telescoped %v", j, s[j], want)
		}
	}
}

// TestLargestEigenvalue checks lambda_1 on a graph whose spectrum is known:
// the path on p nodes has Laplacian eigenvalues 2 − 2cos(πk/p).
func TestLargestEigenvalue(t *testing.T) {
	a := graph.Chain(30).FusedLasso()
	want := 1 + 2 - 2*math.Cos(math.Pi*29/30)
	if got := largestEigenvalue(a); got < want || got > want*(1+1e-4) {
		t.Errorf("lambda_1 = %v, want from above %v", got, want)
	}
	if got := largestEigenvalue(sparse.Identity(5)); math.Abs(got-1) > 1e-5 {
		t.Errorf("lambda_1 of the identity = %v", got)
	}
}
