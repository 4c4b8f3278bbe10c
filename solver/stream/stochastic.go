package stream

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A stochastic run is SCAS-ADMM with many dual updates (solver.SCASK, and with the penalty
// linearised solver.SCASL) whose inner loop draws from a batch of the rows at a time.
//
// The file is cut into blocks of consecutive rows. An outer iteration is a pass for the
// gradient at the snapshot x₀, and one that visits every block once, in an order that is
// shuffled anew: blocks that follow each other in it are read into memory together, a
// batch W, and as many steps are made as it has rows, each of a row of the batch drawn with
// replacement, uniformly or by its weight, with one or several dual updates on the way.
// Within a batch the mean of the directions at x is then
//
//	∇f_W(x) − ∇f_W(x₀) + ∇f(x₀) = ∇f(x) + [(∇f_W − ∇f)(x) − (∇f_W − ∇f)(x₀)],
//
// which is off by what a batch's gradient changes more than that of all samples: nothing
// at x₀, and by the shares of the batches it adds up to nothing at any x over the epoch, in
// which directions are unbiased as those of Algorithm 1 are in each step. Over the shuffles
// each batch is a sample of blocks, so that a file whose rows are sorted does not make
// batches that are all of a kind. Where rows lie in groups batches differ all the same, and
// features that few of their rows have drift: see tame.
type stochastic struct {
	q          *exact.Problem
	file       *exact.File
	weight     float64 // Σ ω, or n
	tell       teller
	show       func(outer int, at *exact.Solution, gradient []float64) error
	did        deeds
	p          *solver.Problem
	set        *solver.Settings
	part       *exact.Problem // samples that step sizes follow from
	curve      *admm.RowCurvature
	state      admm.Iterate
	loop       admm.InnerLoop
	blocks     *rows.Windows
	size       int       // blocks of a batch
	slope      []float64 // of a batch at the snapshot
	margin     []float64
	rng        *rand.PCG
	watch      admm.Watcher
	kept       admm.Iterate
	epoch      int
	largest    float64 // λ₁(A'A)
	soft       float64 // curvature of the loss times the mean |aᵢ|²
	rho        float64
	batchCount int
	updates    int // of y and beta in a batch
}

const (
	mostPieces        = 8       // that a batch's slopes are computed in
	stochasticSamples = 1 << 14 // that step sizes follow from
	batchShare        = 0.35    // of the memory that a batch takes
	blockBytes        = 1 << 17 // of a block: enough for a disk, few enough to mix the rows of a file
)

// deeds are what a stochastic run did: outer iterations, passes beside the visits of its file, dual updates
// of an outer iteration, and the inner loop.
type deeds struct {
	outer, passes, updates int
	eta, rho               float64
	plan, reason           string
	gradient               []float64 // of the loss at the result; nil if it is not known
}

// solve runs outer iterations until the passes are made, and proves what it can.
func (s *stochastic) solve(tol float64) (*exact.Solution, error) {
	n, features := s.q.Data.Dims()
	res := &exact.Solution{X: make([]float64, features), Gap: math.Inf(1), Objective: math.Inf(1)}
	if err := s.file.Survey(min(n, stochasticSamples)); err != nil {
		return res, err
	}
	s.part = s.file.Part()
	s.prepare()
	passes := s.set.Passes
	if passes == 0 {
		passes = 100
	}
	for s.epoch = 0; float64(2*(s.epoch+1)) <= passes; s.epoch++ {
		if err := s.iterate(); err != nil {
			s.reached(res)
			return res, err
		}
	}
	loss, gradient, err := s.file.Look(s.state.X)
	if err != nil {
		return res, err
	}
	value := s.value(s.state.X, loss)
	if s.epoch > 0 && s.watch.See(value, true, false) != admm.Best {
		s.restore()
		value, gradient = s.watch.Best, nil
	}
	res.X, res.Z, res.Objective, res.Why = s.state.X, s.state.Dual, value, ending.Iterations
	s.did.gradient = gradient
	s.did.outer, s.did.eta, s.did.rho = s.epoch, s.eta(), s.rho
	if err := s.show(s.epoch, res, gradient); err != nil {
		return res, err
	}
	return res, s.prove(res, tol*s.file.Scale())
}

// reached makes the best point of a run that ends before its passes are made the result.
func (s *stochastic) reached(res *exact.Solution) {
	if s.kept.X == nil {
		return
	}
	res.X, res.Z, res.Objective, res.Why = s.kept.X, s.kept.Dual, s.watch.Best, ending.Interrupted
	s.did.outer, s.did.eta, s.did.rho = s.epoch, s.eta(), s.rho
}

// prepare fixes ρ, A'A and the inner loop.
func (s *stochastic) prepare() {
	_, features := s.q.Data.Dims()
	l, _ := s.q.A.Dims()
	s.curve = admm.NewRowCurvature(s.part.Data, s.part.Weights)
	var norm2 float64
	norms := s.part.Data.RowNormsSq()
	for _, v := range norms {
		norm2 += v
	}
	penalty, set := term.PenaltyOf(s.p.Penalty), term.SetOf(s.p.Domain)
	unit := 1.0
	if s.q.Loss.Traits().Labels == term.Numbers {
		unit = max(math.Sqrt(dot(s.part.Labels)/float64(len(s.part.Labels))), math.SmallestNonzeroFloat64)
	}
	const many = 3 // with many dual updates more is better
	s.largest = s.q.A.Largest()
	s.soft = s.q.Loss.Curvature() * norm2 / float64(len(norms))
	if s.rho = s.set.Rho; s.rho == 0 {
		s.rho = admm.Rho(penalty.Scale(), many*math.Sqrt(norm2/float64(len(norms)))/unit)
	}
	s.state = admm.Iterate{
		X: make([]float64, features), Y: make([]float64, l), Dual: make([]float64, l), Ridge: s.p.L2, A: s.q.A.Product(),
		Step: admm.NewDualStep(admm.Coupling{}, penalty, term.Limits(penalty, l), l, l), Interrupt: s.file.Stop,
		Project: func(x []float64) {
			if set != nil {
				set.Project(x)
			}
		},
	}
	s.state.Step.SetRho(s.rho)
	copy(s.state.X, s.set.Start.X)
	s.state.Project(s.state.X)
	copy(s.state.Y, s.state.A.Image(s.state.X))
	_, linearised := s.set.Method.(solver.SCASL)
	if linearised || !s.q.A.Identity() { // rotated data would be a copy
		s.state.Kappa = float64(s.rho * s.largest)
	}
	s.loop = admm.InnerLoop{
		Data: s.q.Data, Loss: s.q.Loss, A: s.q.A, Set: set,
		Rho: s.rho, Ridge: s.p.L2, Kappa: s.state.Kappa, BatchSize: 1, Unrotated: true,
	}
	s.rng = rand.NewPCG(s.set.Seed, 0x77696e)
	all := s.set.DualUpdates
	if all == 0 {
		n, _ := s.q.Data.Dims()
		ofUpdate := float64(l + features)
		if a := s.q.A.Matrix(); a != nil {
			ofUpdate += 2 * float64(a.NNZ())
		}
		all = admm.DualUpdates(float64(n), float64(s.q.Data.NNZ())/float64(n), ofUpdate)
	}
	batches := (s.blocks.Count() + s.size - 1) / s.size
	s.updates = max(1, all/batches)
	s.did.updates, s.batchCount = s.updates*batches, batches
}

// value returns the objective at x, given the mean loss there.
func (s *stochastic) value(x []float64, loss float64) float64 {
	return loss + float64(0.5*s.p.L2*dot(x)) + term.PenaltyOf(s.p.Penalty).Value(s.state.A.Image(x))
}

// iterate is an outer iteration.
func (s *stochastic) iterate() error {
	loss, gradient, err := s.file.Look(s.state.X)
	if err != nil {
		return err
	}
	back, err := s.judge(s.value(s.state.X, loss))
	if err == nil && back {
		loss, gradient, err = s.file.Look(s.state.X)
	}
	if err != nil {
		return err
	}
	at := &exact.Solution{X: s.state.X, Z: s.state.Dual, Objective: s.value(s.state.X, loss), Gap: math.Inf(1)}
	if err := s.show(s.epoch, at, gradient); err != nil {
		return err
	}
	s.state.Gradient = gradient
	eta := s.eta()
	x0 := slices.Clone(s.state.X)
	err = s.batches(s.blocks, s.shuffled(), s.size, func(b *batch) error { return s.steps(x0, eta, b) })
	s.did.passes++
	return err
}

// shuffled returns the blocks in an order that is new (Fisher and Yates).
func (s *stochastic) shuffled() []int {
	order := make([]int, s.blocks.Count())
	for k := range order {
		at, _ := bits.Mul64(s.rng.Uint64(), uint64(k+1))
		order[k] = order[at]
		order[at] = k
	}
	return order
}

// steps does those of a batch, and dual updates.
func (s *stochastic) steps(x0 []float64, eta float64, b *batch) error {
	n := len(b.labels)
	s.slope, s.margin = resize(s.slope, n), resize(s.margin, n)
	l := s.loop
	l.Rows, l.Labels, l.Slope0 = kernels.Rows{Ptr: b.ptr, Idx: b.idx, Val: b.val, Cols: len(x0)}, b.labels, s.slope
	l.Steps, l.Block = n, n/s.updates
	rows.Pieces(mostPieces, s.q.Threads, 0, n, func(_, lo, hi int) {
		part := l.Rows
		part.Ptr = part.Ptr[lo : hi+1]
		kernels.Margins(s.margin[lo:hi], part, x0)
		s.q.Loss.Slopes(s.slope[lo:hi], s.margin[lo:hi], b.labels[lo:hi])
	})
	all, _ := s.q.Data.Dims()
	steps := int(math.Round(b.mass(s.weight) * float64(all)))
	if steps < 2 { // next to no weight
		return s.file.Stop()
	}
	l.Scratch = kernels.NewScratch(l.Rows)
	var err error
	if s.state.Plan, err = admm.NewPlan(&l); err != nil {
		return err
	}
	s.did.plan, s.did.reason = s.state.Plan.Name(), s.state.Plan.Reason()
	var weights []float64
	if s.q.Weights != nil {
		weights = b.weights
	}
	s.state.Draw = admm.NewSampler(s.rng.Uint64(), n, weights).Draw
	return s.state.Blocks(eta, max(2*s.updates, steps/s.state.Plan.BatchSize()), s.updates)
}

func resize[T any](v []T, n int) []T { return slices.Grow(v[:0], n)[:n] }

// eta is the step size at the iterate.
func (s *stochastic) eta() float64 {
	if s.set.Eta != 0 {
		return s.set.Eta
	}
	n, p := s.q.Data.Dims()
	m := len(s.part.Labels)
	margin, slope, curve := make([]float64, m), make([]float64, m), make([]float64, m)
	kernels.Margins(margin, s.part.Rows, s.state.X)
	s.q.Loss.Slopes(slope, margin, s.part.Labels)
	s.q.Loss.Curvatures(curve, slope, margin, s.part.Labels, term.Damping{Flat: 1})
	if !s.q.Loss.Traits().ContinuousCurvature {
		for i := range curve {
			curve[i] = s.q.Loss.Curvature()
		}
	}
	step := admm.StepSize{
		Met: s.curve.Met(func(i int) float64 { return curve[i] }), Batch: 1, Mu: s.p.L2, Factor: admm.StepFactor(n, p, s.epoch, true),
		Stiffness: float64(s.rho*s.largest) + s.loop.Ridge, Lazy: true,
	}
	return math.Ldexp(step.Eta(), -s.watch.Halvings)
}

// judge compares the objective at the iterate with the best so far, and reports whether it
// went back to that since steps are too long.
func (s *stochastic) judge(value float64) (back bool, err error) {
	verdict := admm.Best
	switch {
	case s.epoch == 0:
		s.watch.Start(value, s.file.Scale())
	case s.tame(value):
		return true, nil
	default:
		verdict = s.watch.See(value, s.set.Eta == 0, false)
	}
	switch verdict {
	case admm.Best:
		s.pull(float64(lessPull * s.state.Anchor.Pull))
		s.tell.found(value, math.Inf(1))
		s.kept.X, s.kept.Y, s.kept.Dual = slices.Clone(s.state.X), slices.Clone(s.state.Y), slices.Clone(s.state.Dual)
	case admm.Restart:
		s.restore()
		return true, nil
	case admm.Lost:
		eta := s.eta()
		s.restore()
		return true, &solver.DivergenceError{Outer: s.epoch, Objective: value, Start: s.watch.First, Eta: eta, Rho: s.rho, Try: eta / 4}
	}
	return false, nil
}

const (
	firstPull, mostPull = 0.03, 10 // of soft
	morePull, lessPull  = 3, 0.7   // once an iteration has led off, and after one that has not
	astray              = 0.01     // of the objective at zero
)

// tame goes back to the best iterate from one that is well above it, and adds c(w − x₁) to
// the gradient of steps, x₁ being where a batch begins, or raises c, which falls while things
// go well: as for ranks whose rows differ (SCOPE; Zhao, Xiang, Shi, Gao, Li 2017), but by what
// was seen. Fixed points are the same. What is beyond all bounds is for shorter steps. It
// reports whether it did.
func (s *stochastic) tame(value float64) bool {
	pull := max(float64(firstPull*s.soft), float64(morePull*s.state.Anchor.Pull))
	if !(value > s.watch.Best+float64(astray*s.file.Scale())) || s.watch.Lost(value) || pull > mostPull*s.soft {
		return false
	}
	s.pull(pull)
	s.restore()
	return true
}

// pull sets c.
func (s *stochastic) pull(c float64) { s.state.Anchor.Pull, s.loop.Ridge = c, s.p.L2+c }

func (s *stochastic) restore() {
	copy(s.state.X, s.kept.X)
	copy(s.state.Y, s.kept.Y)
	copy(s.state.Dual, s.kept.Dual)
}

// prove bounds how far the result is from the optimum, unless package exact does not take the problem.
func (s *stochastic) prove(res *exact.Solution, goal float64) error {
	if refuses(s.q) != nil {
		return nil
	}
	q := *s.q
	q.Take(s.file)
	certifier, err := exact.New(&q)
	if err != nil {
		return err
	}
	res.Gap = certifier.Certify(res.X, &exact.Settings{Tol: goal, Stop: s.file.Stop})
	if res.Gap <= goal {
		res.Why = ending.Reached
	}
	return s.file.Err()
}

// batched solves a problem by SCAS-ADMM.
func batched(p *solver.Problem, set *solver.Settings, q *exact.Problem, f *exact.File, opt Options, n *exact.Settings, to *recorder) (*exact.Solution, deeds) {
	s := &stochastic{q: q, file: f, p: p, set: set, tell: newTeller(opt.Tell), blocks: rows.NewWindows(q.Data, blockBytes)}
	f.Tell = s.told
	s.show = func(outer int, at *exact.Solution, gradient []float64) error {
		return to.show(outer, f.Visits()+s.did.passes, at, gradient)
	}
	s.size = max(1, int(batchShare*float64(opt.Memory))/blockBytes)
	all, _ := q.Data.Dims()
	s.weight = float64(all)
	if q.Weights != nil {
		s.weight = 0
		for _, w := range q.Weights {
			s.weight += w
		}
	}
	res, err := s.solve(n.Tol)
	if err != nil {
		res.Err, res.Why = err, ending.Interrupted
	}
	if s.did.plan != "" {
		s.did.reason = fmt.Sprintf("%s; steps draw from a batch of the file at a time, of %d", s.did.reason, s.batchCount)
	}
	return res, s.did
}

// told tells that a part of a pass is done.
func (s *stochastic) told(part float64) { s.tell.passes(float64(s.file.Visits()+s.did.passes) + part) }
