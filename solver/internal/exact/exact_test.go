package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A kind describes random problems without a matrix A.
type kind struct {
	loss     term.Loss
	weighted bool
	offset   bool
	ridge    float64 // fraction of the penalty that is a ridge
	free     int     // number of features without a penalty; the last of them is an intercept
	positive bool    // if true, some tests set the domain x ≥ 0; the method random does not
}

func (k kind) String() string {
	return fmt.Sprintf("%T weighted=%v offset=%v ridge=%g free=%d positive=%v",
		k.loss, k.weighted, k.offset, k.ridge, k.free, k.positive)
}

func kinds() (list []kind) {
	for _, loss := range losses {
		for _, free := range []int{0, 1, 3} {
			for _, ridge := range []float64{0, 0.3} {
				for v := range 4 {
					list = append(list, kind{loss, v&1 > 0, v&2 > 0, ridge, free, false})
				}
				if free == 0 {
					list = append(list, kind{loss, ridge == 0, false, ridge, 0, true})
				}
			}
		}
	}
	if testing.Short() {
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:len(list)/3]
	}
	return list
}

// random returns a problem of the kind. About half of the entries are zero. The free features come last.
func (k kind) random(n, p int, seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]float64, n*p)
	prob := &Problem{Loss: k.loss, Labels: make([]float64, n), Limit: make([]float64, p), Ridge: make([]float64, p), Threads: 1}
	hasClasses := k.loss.Traits().Labels == term.Classes
	for i := range n {
		common, sum := rng.NormFloat64(), 0.5
		for j := range p {
			v := (rng.NormFloat64() + common) * math.Pow(10, float64(j%3-1))
			if j == p-1 && k.free > 0 {
				v = 1
			} else if rng.IntN(2) == 0 {
				v = 0
			}
			data[i*p+j] = v
			if j < 5 {
				sum += v * float64(j-2) / 3
			}
		}
		prob.Labels[i] = sum + rng.NormFloat64()
		if hasClasses {
			prob.Labels[i] = math.Copysign(1, prob.Labels[i])
		}
		if k.weighted {
			prob.Weights = append(prob.Weights, float64(rng.IntN(4)))
		}
		if k.offset {
			prob.Offset = append(prob.Offset, rng.NormFloat64())
		}
	}
	for j := range p - k.free {
		w := 0.5 + rng.Float64()
		prob.Limit[j], prob.Ridge[j] = w*(1-k.ridge), w*k.ridge
	}
	prob.Data, _ = sparse.FromDense(n, p, data)
	prob.Rows = prob.Data.Compact(false)
	return prob
}

func mustNew(t testing.TB, p *Problem) *Solver {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPath checks for each lambda of a path that a gap within the tolerance is proved, and that it is not
// below the true gap. At the first lambda, the result of LambdaMax, all coefficients with a limit must be 0.
func TestPath(t *testing.T) {
	for _, k := range kinds() {
		p := k.random(60, 12, 7)
		s := mustNew(t, p)
		lambdaMax, err := s.LambdaMax(nil)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 12 {
			lambda := lambdaMax * math.Pow(1e-3, float64(step)/11)
			r := s.Solve(lambda, &Settings{Tol: 1e-6 * s.Scale()})
			cold := mustNew(t, p)
			coldRun := cold.Solve(lambda, &Settings{Tol: 1e-13 * s.Scale()})
			if !(r.Gap <= 1e-6*s.Scale()) || !(coldRun.Gap <= 1e-12*s.Scale()) || coldRun.Iterations > 50 {
				t.Errorf("%v: lambda %d: gap %.1e, cold %.1e after %d steps",
					k, step, r.Gap/s.Scale(), coldRun.Gap/s.Scale(), coldRun.Iterations)
			}
			if excess := r.Objective - coldRun.Objective; excess > r.Gap+1e-15*s.Scale() ||
				excess < -coldRun.Gap-1e-15*s.Scale() {
				t.Errorf("%v: lambda %d: %.3e above the optimum, gap %.3e", k, step, excess, r.Gap)
			}
			if step == 0 && slices.ContainsFunc(s.X()[:12-k.free], func(v float64) bool { return math.Abs(v) > 1e-9 }) {
				t.Errorf("%v: at lambda max the point is %v", k, s.X())
			}
		}
	}
}

// TestWidePaths compares paths with cold fits, and with the same paths on three goroutines. The working
// sets do not have all columns, so that Hessians grow and proofs estimate correlations.
func TestWidePaths(t *testing.T) {
	growCount, estimateCount := 0, 0
	for _, loss := range losses {
		for _, free := range []int{0, 1} {
			p := kind{loss: loss, free: free, weighted: free > 0}.random(240, 260, 3)
			s := mustNew(t, p)
			if s.set.needsAll {
				t.Fatalf("%T: the working set has all columns", loss)
			}
			q := *p
			q.Threads = 3
			threaded := mustNew(t, &q)
			lambdaMax, err := s.LambdaMax(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := threaded.LambdaMax(nil); err != nil {
				t.Fatal(err)
			}
			for step := 1; step <= 30; step++ {
				lambda := lambdaMax * math.Pow(0.88, float64(step))
				oldCount := len(s.set.cols)
				r := s.Solve(lambda, &Settings{Tol: 1e-5 * s.Scale()})
				if m := inMemory(s); m.hasEstimates {
					estimateCount++
				}
				if s.work.stale && len(s.set.cols) > oldCount {
					growCount++
				}
				threadedRun := threaded.Solve(lambda, &Settings{Tol: 1e-5 * s.Scale()})
				if !slices.Equal(s.X(), threaded.X()) || r.Gap != threadedRun.Gap {
					t.Errorf("%T, %d free, lambda %d: the result depends on the number of goroutines", loss, free, step)
				}
				if step%6 != 0 {
					continue
				}
				coldRun := mustNew(t, p).Solve(lambda, &Settings{Tol: 1e-11 * s.Scale()})
				excess, rounding := r.Objective-coldRun.Objective, 1e-14*s.Scale()
				if !(r.Gap <= 1e-5*s.Scale()) || excess > r.Gap+rounding || excess < -coldRun.Gap-rounding {
					t.Errorf("%T, %d free, lambda %d: %.3e above the optimum, gap %.3e", loss, free, step, excess, r.Gap)
				}
			}
			// The working set becomes empty.
			if again, err := s.LambdaMax(nil); err != nil || math.Abs(again-lambdaMax) > 1e-12*lambdaMax {
				t.Errorf("%T, %d free: lambda max is %v, then %v, %v", loss, free, lambdaMax, again, err)
			}
		}
	}
	if growCount < 10 || estimateCount < 10 {
		t.Errorf("%d Hessians have grown and %d proofs have estimates, want at least 10", growCount, estimateCount)
	}
}

// supportSize returns the number of coefficients of s that are not zero.
func supportSize(s *Solver) (count int) {
	for _, v := range s.X() {
		if v != 0 {
			count++
		}
	}
	return count
}

// TestLambdaMaxOfBounds checks that a coefficient with equal bounds, or a ridge near overflow, does not
// change the lambda max of the others.
func TestLambdaMaxOfBounds(t *testing.T) {
	p := kind{loss: term.Squared{}, ridge: 0.3}.random(60, 4, 2)
	for _, sign := range []float64{-1, 1} {
		for i := range p.Labels {
			p.Labels[i] *= sign
		}
		lambdaMax := func(change func(q *Problem)) float64 {
			q := *p
			q.Limit, q.Ridge = slices.Clone(p.Limit), slices.Clone(p.Ridge)
			change(&q)
			v, err := mustNew(t, &q).LambdaMax(nil)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		for j := range 4 {
			box := term.NewBox(4, math.Inf(-1), math.Inf(1))
			box.Lower[j], box.Upper[j] = 0, 0
			got := lambdaMax(func(q *Problem) { q.Set = box })
			if want := lambdaMax(func(q *Problem) { q.Limit[j] *= 1e6 }); math.Abs(got-want) > 1e-9*want {
				t.Errorf("feature %d fixed at 0: lambda max %v; %v with a large limit", j, got, want)
			}
			got = lambdaMax(func(q *Problem) { q.Ridge[j] = 1e250 })
			if want := lambdaMax(func(q *Problem) {}); math.Abs(got-want) > 1e-9*want {
				t.Errorf("ridge of feature %d 1e250: lambda max %v; %v with a usual one", j, got, want)
			}
		}
	}
}

// TestLambdaMax checks that a penalised coefficient becomes nonzero slightly below the lambda that
// LambdaMax returns, and that all penalised coefficients are 0 slightly above this lambda. A second call
// must return the same lambda, up to rounding.
func TestLambdaMax(t *testing.T) {
	for _, k := range kinds() {
		s := mustNew(t, k.random(60, 12, 9))
		lambdaMax, _ := s.LambdaMax(nil)
		s.Solve(lambdaMax*(1-1e-3), &Settings{Tol: 1e-13 * s.Scale()})
		if supportSize(s) <= k.free && k.free < 3 {
			t.Errorf("%v: nothing enters below lambda max = %g: %v", k, lambdaMax, s.X())
		}
		repeated, _ := s.LambdaMax(nil)
		if math.Abs(repeated-lambdaMax) > 1e-12*lambdaMax {
			t.Errorf("%v: lambda max is %v, then %v", k, lambdaMax, repeated)
		}
		s.Solve(lambdaMax*(1+1e-9), &Settings{Tol: 1e-14 * s.Scale()})
		if supportSize(s) > k.free {
			t.Errorf("%v: above lambda max the point is %v", k, s.X())
		}
	}
}

// TestLambdaMaxOfConstants checks that lambda max is 0, and not a rounding error, if all columns are
// multiples of the intercept's column.
func TestLambdaMaxOfConstants(t *testing.T) {
	const n, p = 100, 70
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}, term.Huber{Delta: 0.5}} {
		prob := kind{loss: loss, free: 1, weighted: true}.random(n, p, 5)
		data := make([]float64, n*p)
		for i := range data {
			data[i] = 1 + float64(i%p)/3
		}
		prob.setData(fromDense(t, n, p, data))
		if lambdaMax, err := mustNew(t, prob).LambdaMax(nil); lambdaMax != 0 || err != nil {
			t.Errorf("%T: lambda max is %v, %v; want 0", loss, lambdaMax, err)
		}
	}
}

// TestLambdaMaxOfRidge checks LambdaMax after a dual coordinate ascent, which needs no working set.
func TestLambdaMaxOfRidge(t *testing.T) {
	const n, p = 30, defaultWorking + 1
	prob := kind{loss: term.Logistic{}}.random(n, p, 1)
	clear(prob.Limit)
	prob.FixedRidge = slices.Repeat([]float64{1e4}, p)
	if lambdaMax, err := mustNew(t, prob).LambdaMax(nil); lambdaMax != 0 || err != nil {
		t.Errorf("lambda max %v, %v without limits", lambdaMax, err)
	}
}

// TestNoFeatures solves a problem without features, as a setSolver poses it for an empty working set.
func TestNoFeatures(t *testing.T) {
	for _, loss := range []term.Loss{term.Squared{}, term.Logistic{}} {
		p := &Problem{Loss: loss, Labels: []float64{1, -1, 1}, Limit: []float64{}, Ridge: []float64{}}
		p.Data, _ = sparse.FromDense(3, 0, nil)
		p.Rows = p.Data.Compact(false)
		if r := mustNew(t, p).Finish(nil, &Settings{Tol: 1e-9}); !(r.Gap <= 1e-9) {
			t.Errorf("%T: gap %g", loss, r.Gap)
		}
	}
}

// TestModels checks that the separable and the coupled model lead to the same optimum.
func TestModels(t *testing.T) {
	for _, k := range kinds() {
		p := k.random(80, 15, 3)
		s := mustNew(t, p)
		lambdaMax, _ := s.LambdaMax(nil)
		if k.positive {
			p.Set = term.NewBox(15, 0, math.Inf(1))
			s = mustNew(t, p)
		}
		p.joint = true
		coupledSolver := mustNew(t, p)
		lambdaMax = min(lambdaMax, 1)
		_, isSeparable := s.model.(*separable)
		_, isCoupled := coupledSolver.model.(*coupled)
		if !isSeparable || !isCoupled {
			t.Fatalf("the models are %T and %T", s.model, coupledSolver.model)
		}
		for _, share := range []float64{0.5, 0.1, 0.01} {
			got := s.Solve(share*lambdaMax, &Settings{Tol: 1e-13 * s.Scale()})
			coupledSolver.Start(make([]float64, 15))
			want := coupledSolver.Solve(share*lambdaMax, &Settings{Tol: 1e-13 * s.Scale()})
			if math.Abs(got.Objective-want.Objective) > 1e-11*s.Scale() {
				t.Errorf("%v at %g: objective %.15g, of the coupled model %.15g (gaps %.1e, %.1e)",
					k, share, got.Objective, want.Objective, got.Gap, want.Gap)
			}
			if k.positive && slices.Min(s.X()) < 0 {
				t.Errorf("%v at %g: the point is %v", k, share, s.X())
			}
		}
	}
}

func TestThreads(t *testing.T) {
	for _, loss := range []term.Loss{term.Logistic{}, term.Squared{}} {
		p := kind{loss: loss, weighted: true, ridge: 0.1, free: 1}.random(9000, 70, 5)
		var want []float64
		for _, threads := range []int{1, 2, 5} {
			p.Threads = threads
			s := mustNew(t, p)
			if inMemory(s).Count() < 2 {
				t.Fatal("one chunk")
			}
			lambdaMax, _ := s.LambdaMax(nil)
			r := s.Solve(0.05*lambdaMax, &Settings{Tol: 1e-9})
			got := append(slices.Clone(s.X()), r.Gap, r.Objective)
			if want == nil {
				want = got
			} else if !slices.Equal(want, got) {
				t.Errorf("%v, %d threads: %v, not %v", loss, threads, got, want)
			}
		}
	}
}

// TestFull checks that Result.Full is true if the solution needs more than MaxWorking columns. For a larger
// lambda, whose solution needs fewer columns, it must be false. Data without zeros have a Gram matrix.
func TestFull(t *testing.T) {
	for _, hasZeros := range []bool{false, true} {
		p := kind{loss: term.Squared{}, free: 1}.random(400, 100, 5)
		p.MaxWorking = 30
		if !hasZeros {
			values := make([]float64, 400*100)
			for k := range values {
				values[k] = float64(k%7)/7 - 0.4
				idx, val := p.Data.Row(k / 100)
				if at, found := slices.BinarySearch(idx, int32(k%100)); found {
					values[k] = val[at]
				}
			}
			p.setData(fromDense(t, 400, 100, values))
		}
		s := mustNew(t, p)
		if (s.gram == nil) != hasZeros {
			t.Fatalf("zeros %v: Gram matrix %v", hasZeros, s.gram != nil)
		}
		lambdaMax, _ := s.LambdaMax(nil)
		r := s.Solve(1e-4*lambdaMax, &Settings{Tol: 1e-9})
		if !r.Full || r.Gap <= 1e-9 {
			t.Errorf("zeros %v: %+v", hasZeros, r)
		}
		s.Start(make([]float64, 100))
		r = s.Solve(0.7*lambdaMax, &Settings{Tol: 1e-9 * s.Scale()})
		if r.Full || !(r.Gap <= 1e-9*s.Scale()) {
			t.Errorf("zeros %v: %+v with %d columns", hasZeros, r, len(s.set.cols))
		}
	}
}

// TestDegenerate checks that gaps are proved for data with equal columns, constant and empty columns, and
// columns of very different size, also for a loss that is linear at the start.
func TestDegenerate(t *testing.T) {
	n, p := 40, 9
	rng := rand.New(rand.NewPCG(3, 4))
	data := make([]float64, n*p)
	labels := make([]float64, n)
	for i := range n {
		row := data[i*p:]
		row[0], row[1] = rng.NormFloat64(), 1 // constant, like row[8], the intercept's column
		row[2], row[3] = row[0], 0
		// These one-hot columns add up to the intercept's column.
		row[4], row[5] = float64(i%2), float64(1-i%2)
		row[6], row[7] = 1e-9*rng.NormFloat64(), 1e6*rng.NormFloat64()
		row[8] = 1
		labels[i] = math.Copysign(1, row[0]+0.3*float64(i%2)+rng.NormFloat64())
	}
	x := fromDense(t, n, p, data)
	for _, loss := range term.Losses(1e-3, -1, 1) {
		prob := &Problem{
			Data: x, Rows: x.Compact(false), Labels: labels, Loss: loss,
			Limit: []float64{1, 1, 1, 1, 1, 1, 1e-9, 1e6, 0}, Ridge: make([]float64, p),
		}
		s := mustNew(t, prob)
		lambdaMax, _ := s.LambdaMax(nil)
		for _, share := range []float64{0.9, 0.3, 0.01, 1e-4} {
			if r := s.Solve(share*lambdaMax, &Settings{Tol: 1e-9 * s.Scale()}); !(r.Gap <= 1e-9*s.Scale()) {
				t.Errorf("%T at %g: %+v, x = %v", loss, share, r, s.X())
			}
		}
	}
}

// TestLinearColumn checks that a gap is proved if a column enters the working set at a point where the loss
// of every sample with an entry in the column is linear, with and without finite bounds.
func TestLinearColumn(t *testing.T) {
	for name, set := range map[string]term.Region{"no bounds": nil, "bounds": term.NewBox(2, -20, 20)} {
		prob := &Problem{
			Loss: term.Huber{Delta: 0.5}, Labels: []float64{2, -2, 2, -1, 9}, Limit: []float64{1, 1},
			Ridge: make([]float64, 2), Set: set,
		}
		prob.setData(fromDense(t, 5, 2, []float64{2, 0, -2, 0, 2, 0, -1, 0, 0, 1}))
		s := mustNew(t, prob)
		lambdaMax, _ := s.LambdaMax(nil)
		for _, share := range []float64{0.5, 0.05} { // the second column enters at the second lambda
			s.work.damping, s.work.gapRatio = 0, 1 // no damping, as after many steps
			if r := s.Solve(share*lambdaMax, &Settings{Tol: 1e-9 * s.Scale()}); !(r.Gap <= 1e-9*s.Scale()) {
				t.Errorf("%s: at %g: %+v, x = %v", name, share, r, s.X())
			}
		}
	}
}

// TestLargeMeans checks that gaps are proved for features whose means are 10,000 standard deviations. The
// margins are then rounded so coarsely that the last steps do not lower the computed objective.
func TestLargeMeans(t *testing.T) {
	const n, p, mean = 60, 12, 1e4
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		prob := &Problem{Loss: term.Logistic{}, Limit: slices.Repeat([]float64{1}, p), Ridge: make([]float64, p)}
		prob.Limit[p-1] = 0 // the intercept
		var data []float64
		for range n {
			row := make([]float64, p)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			prob.Labels = append(prob.Labels, math.Copysign(1, row[0]+row[5]+0.5*rng.NormFloat64()))
			for j := range 4 {
				row[j] += mean
			}
			row[p-1] = 1
			data = append(data, row...)
		}
		prob.setData(fromDense(t, n, p, data))
		s := mustNew(t, prob)
		lambdaMax, _ := s.LambdaMax(nil)
		for _, share := range []float64{0.3, 0.03, 1e-3} {
			if r := s.Solve(share*lambdaMax, &Settings{Tol: 1e-6 * s.Scale()}); !(r.Gap <= 1e-6*s.Scale()) {
				t.Errorf("seed %d at %g: %+v", seed, share, r)
			}
		}
	}
}

// load returns a problem with the logistic loss and the data of a file, to which it appends a column of ones.
// All limits are 1, except that the column of ones is free.
func load(t testing.TB, name string, features int) *Problem {
	t.Helper()
	d, err := sparse.ReadFile(sparsetest.DataFile(t, name), &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := d.X.Dims()
	ptr := make([]int64, 1, n+1)
	var idx []int32
	var val []float64
	for i := range n {
		cols, v := d.X.Row(i)
		idx, val = append(append(idx, cols...), int32(features)), append(append(val, v...), 1)
		ptr = append(ptr, int64(len(idx)))
	}
	x, err := sparse.New(n, features+1, ptr, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	l1 := slices.Repeat([]float64{1}, features+1)
	l1[features] = 0
	return &Problem{
		Data: x, Rows: x.Compact(false), Labels: d.Labels, Loss: term.Logistic{}, Limit: l1,
		Ridge: make([]float64, features+1),
	}
}

var publicSets = []struct {
	name, file string
	features   int
	ratio      float64 // the last lambda of the path divided by lambda max
}{
	{"a9a", "paper/a9a.zst", 123, 1e-4},
	{"rcv1", "paper/rcv1v2_binary_train.libsvm.zst", 47236, 1e-2},
}

// TestPublicPaths solves paths of a hundred lambdas. For each lambda, at most 4 iterations must prove a gap
// of 1e-6 times Scale.
func TestPublicPaths(t *testing.T) {
	for _, c := range publicSets {
		s := mustNew(t, load(t, c.file, c.features))
		lambdaMax, _ := s.LambdaMax(nil)
		for k := range 100 {
			if r := s.Solve(lambdaMax*math.Pow(c.ratio, float64(k)/99),
				&Settings{Tol: 1e-6 * s.Scale()}); !(r.Gap <= 1e-6*s.Scale()) || r.Iterations > 4 {
				t.Errorf("%s, lambda %d: %+v", c.name, k, r)
			}
		}
	}
}

func BenchmarkPath(b *testing.B) {
	for _, c := range publicSets {
		b.Run(c.name, func(b *testing.B) {
			p := load(b, c.file, c.features)
			p.Threads = 1
			for b.Loop() {
				s := mustNew(b, p)
				lambdaMax, _ := s.LambdaMax(nil)
				for k := range 100 {
					s.Solve(lambdaMax*math.Pow(c.ratio, float64(k)/99), &Settings{Tol: 1e-6 * s.Scale()})
				}
			}
		})
	}
}

// TestSamplesWithoutZero checks that a run starts at the solution for some of the samples if 0 is not in the
// domain, even if the objective is smaller at 0.
func TestSamplesWithoutZero(t *testing.T) {
	const n = sampleShare * leastSample
	data, labels := make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i] = float64(1 - 2*(i%2))
		data[i] = -labels[i] // the optimum without the domain is at −Inf
	}
	prob := &Problem{Loss: term.Logistic{}, Labels: labels, Limit: []float64{1}, Ridge: []float64{0}, Set: term.NewBox(1, 1, 3)}
	prob.setData(fromDense(t, n, 1, data))
	s := mustNew(t, prob)
	sampleSolver, err := s.startBySamples(1e-3, &Settings{})
	if sampleSolver == nil || err != nil || s.x[0] != 1 {
		t.Errorf("solver %v, error %v, x = %v, want 1", sampleSolver, err, s.x)
	}
}

// TestFarOff checks that runs prove a gap from points with large margins, at which the logistic loss has
// almost no curvature.
func TestFarOff(t *testing.T) {
	const n, p = 60, 90 // one feature for each sample, and 30 others
	rng := rand.New(rand.NewPCG(3, 4))
	var entries []sparse.Triplet
	prob := &Problem{
		Loss: term.Logistic{}, Labels: make([]float64, n), Limit: slices.Repeat([]float64{1}, p),
		Ridge: make([]float64, p), Threads: 1,
	}
	for i := range n {
		prob.Labels[i] = float64(1 - 2*(i%2))
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Value: 1})
		for j := n; j < p; j++ {
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: rng.NormFloat64()})
		}
	}
	prob.setData(fromTriplets(t, n, p, entries))
	for _, far := range []float64{1, 30, 100, 1000} {
		s := mustNew(t, prob)
		x := make([]float64, p)
		for j := range x {
			x[j] = far * rng.NormFloat64()
		}
		s.Start(x)
		if r := s.Solve(1e-5, &Settings{Tol: 1e-9 * s.Scale()}); !(r.Gap <= 1e-9*s.Scale()) {
			t.Errorf("margins of %g: gap %.1e after %d steps", far, r.Gap/s.Scale(), r.Iterations)
		}
	}
}

// TestAfterZero checks that a run for lambda > 0 reaches the optimum after a run for lambda = 0, for which
// every feature is free.
func TestAfterZero(t *testing.T) {
	p := kind{loss: term.Logistic{}}.random(60, 5, 11)
	s, fresh := mustNew(t, p), mustNew(t, p)
	lambdaMax, _ := fresh.LambdaMax(nil)
	tol := 1e-9 * s.Scale()
	s.Solve(0, &Settings{Tol: tol})
	got, want := s.Solve(0.1*lambdaMax, &Settings{Tol: tol}), fresh.Solve(0.1*lambdaMax, &Settings{Tol: tol})
	if !(got.Gap <= tol) || math.Abs(got.Objective-want.Objective) > tol {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// ownCountLoss is the Poisson loss as a caller's own loss. Its curvature has no bound.
type ownCountLoss struct{ term.OwnLoss }

func (ownCountLoss) Conjugate(alpha, label float64) float64 {
	return term.Poisson{}.Conjugate(alpha, label)
}

func (ownCountLoss) ConjugateDomain(label float64) (lo, hi float64) {
	return term.Poisson{}.SlopeRange(label)
}

// TestOwnUnbounded checks a caller's own loss whose curvature has no bound: the optimum must be the one for
// the same loss in package term, and a gap must be proved.
func TestOwnUnbounded(t *testing.T) {
	for _, joint := range []bool{false, true} {
		for _, free := range []int{0, 1} {
			p := kind{loss: term.Poisson{}, free: free}.random(80, 6, 3)
			for i, b := range p.Labels {
				p.Labels[i] = math.Round(math.Exp(min(b, 3)))
			}
			for j := range p.Limit {
				p.Limit[j] *= 0.01
			}
			p.joint = joint
			tol := 1e-9 * mustNew(t, p).Scale()
			want := mustNew(t, p).Finish(nil, &Settings{Tol: tol})
			p.Loss = term.LossOf(ownCountLoss{term.Poisson{}})
			got := mustNew(t, p).Finish(nil, &Settings{Tol: tol})
			if !(got.Gap <= tol) || math.Abs(got.Objective-want.Objective) > 2*tol {
				t.Errorf("free %d, coupled %v: %.12g with gap %.1e after %d steps, want %.12g",
					free, joint, got.Objective, got.Gap, got.Iterations, want.Objective)
			}
		}
	}
}
