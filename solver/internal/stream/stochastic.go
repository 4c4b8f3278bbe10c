package stream

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A stochastic is a run of SCAS-ADMM, by solver.SCASK or solver.SCASL. Each inner loop draws from one batch
// of rows.
//
// The file is divided into blocks of consecutive rows. An outer iteration makes two passes. The first pass
// computes the gradient ∇f(x₀) of the mean loss at the snapshot x₀. The second pass reads every block once,
// in a new random order. It copies several blocks into memory, as a batch W, and runs an inner loop on the
// batch. Each step draws a row of W with replacement, in proportion to the sample weights. Let f_W be the
// mean loss of the batch. A step at x then uses on average, as its gradient of the mean loss,
//
//	∇f_W(x) − ∇f_W(x₀) + ∇f(x₀) = ∇f(x) + [(∇f_W − ∇f)(x) − (∇f_W − ∇f)(x₀)].
//
// The error in brackets is zero at x₀. At any x, its weighted sum over all batches of a pass is zero. If
// similar rows are neighbours in the file, the batches differ much. Then the coefficient of a feature that
// occurs in few rows of a batch can move far away from the optimum. OuterLoop.RestoreAfterRise of package
// admm then restores the best iterate.
type stochastic struct {
	q             *exact.Problem
	file          *exact.File
	p             *solver.Problem
	set           *solver.Settings
	clock         admm.Clock   // pauses while the Recorder runs
	bestObjective float64      // the smallest objective at a snapshot so far
	stats         solver.Stats // Result.Stats; method result sets its passes and seconds
	innerPasses   int          // passes of inner loops; exact.File.Visits counts all other passes
	weightSum     float64      // sum of the sample weights, or n without weights
	outer         admm.OuterLoop
	keeper        admm.Keeper        // the best iterate so far
	objective     float64            // the objective at the snapshot; at the end, at the restored iterate
	subset        *exact.Problem     // copies of some rows, from which step sizes are computed
	rowCurvature  *admm.RowCurvature // the curvature of the rows of subset, which limits the step size
	blocks        *rows.Windows
	batchBlocks   int       // number of blocks in a batch; the last batch of a pass may have fewer
	batchCount    int       // number of batches in a pass
	batchUpdates  int       // number of dual updates for each batch
	slopes        []float64 // slopes of a batch at the snapshot
	margins       []float64 // margins of a batch at the snapshot
	rng           *rand.PCG
}

const (
	passesOfOuter     = 2       // number of passes of an outer iteration; one more if it restores an iterate
	slopePieces       = 8       // number of pieces in which the slopes of a batch are computed
	stochasticSamples = 1 << 14 // largest number of samples in subset
	batchShare        = 0.35    // fraction of the memory that a batch takes
	// blockBytes is the approximate number of bytes of a block: large enough for fast reading, and small
	// enough to mix the rows of a file.
	blockBytes = 1 << 17
)

// solve runs outer iterations until the passes are used up. If an error ends the run, the solution has this
// error and the best iterate so far, or zeros if there is none. Afterwards s.outer.Gradient is the gradient of
// the mean loss at the result, or nil if it is not known.
func (s *stochastic) solve() *exact.Solution {
	n, features := s.q.Data.Dims()
	res := &exact.Solution{Result: exact.Result{Gap: math.Inf(1), Objective: math.Inf(1)}, X: make([]float64, features)}
	if res.Err = s.file.Survey(min(n, stochasticSamples)); res.Err != nil {
		return res
	}
	s.subset = s.file.SampleProblem()
	s.prepare()
	for {
		more, err := s.outer.Next()
		if err != nil {
			s.outer.Gradient, res.Err = nil, err
			if kept := s.keeper.Kept; kept.X != nil {
				res.X, res.Z, res.Objective = kept.X, kept.Dual, s.keeper.Best
			}
			return res
		}
		if !more {
			break
		}
		s.stats.OuterIterations++
	}
	res.X, res.Z, res.Objective = s.outer.X, s.outer.Dual, s.objective
	return res
}

func (s *stochastic) prepare() {
	n, features := s.q.Data.Dims()
	l, _ := s.q.A.Dims()
	penalty, set := term.PenaltyOf(s.p.Penalty), term.SetOf(s.p.Domain)
	limits := term.Limits(penalty, l)
	var noTeam *rows.Team
	_, rowNorm := noTeam.Norms(s.subset.Data.RowNormsSq())
	s.rowCurvature = admm.NewRowCurvature(s.subset.Data, s.subset.Weights)
	s.outer = admm.OuterLoop{
		TakeSnapshot: s.snapshot, NextEta: s.schedule, EachRowSet: s.rowSets,
		SnapshotCurvature: s.curvatureHere, Keeper: &s.keeper,
		Point: admm.Point{X: make([]float64, features), Y: make([]float64, l), Dual: make([]float64, l)},
		Scales: admm.Scales{
			Samples: n, Features: features, RowNorm: rowNorm, Unit: 1, Curvature: s.q.Loss.Curvature(), Mu: s.p.L2,
			Lambda: penalty.Scale(), Limited: limits != nil, Lambda1: s.q.A.LargestEigenvalue(), LambdaP: s.q.A.SmallestEigenvalue(),
		},
		A: s.q.A.Product(), DualStep: admm.NewDualStep(admm.Coupling{}, penalty, limits, l, l), ManyUpdates: true, BatchSize: 1,
		Interrupt: s.file.Stop,
		Project: func(x []float64) {
			if set != nil {
				set.Project(x)
			}
		},
	}
	o := &s.outer
	if s.q.Loss.Traits().Labels == term.Numbers {
		o.Unit = noTeam.RMSOrOne(s.subset.Labels)
	}
	k := cmp.Or(s.set.DualUpdates, admm.DualUpdates(float64(n), float64(s.q.Data.NNZ())/float64(n), o.A.Operations()))
	s.batchCount = (s.blocks.Count() + s.batchBlocks - 1) / s.batchBlocks
	s.batchUpdates = max(1, k/s.batchCount)
	s.stats.DualUpdates = s.batchUpdates * s.batchCount
	s.stats.Rho = admm.UsableRho(cmp.Or(s.set.Rho, o.Rho(s.stats.DualUpdates)))
	o.DualStep.SetRho(s.stats.Rho)
	_, linearised := s.set.Method.(solver.SCASL)
	// Steps without linearisation may be slow if A is not the identity, because this package does not rotate
	// the data.
	if linearised || !s.q.A.IsIdentity() {
		o.Linearise()
	}
	s.keeper.Auto, s.keeper.Watched = s.set.Eta == 0, true
	copy(o.X, s.set.Start.X)
	o.Project(o.X)
	copy(o.Y, o.A.Image(o.X))
	s.rng = rand.NewPCG(s.set.Seed, 0x77696e)
}

// evaluate computes the objective, and the gradient of the mean loss, at the iterate, in one pass.
func (s *stochastic) evaluate() error {
	x := s.outer.X
	loss, gradient, err := s.file.Evaluate(x)
	if err == nil {
		s.outer.Gradient = gradient
		s.objective = loss + float64(0.5*s.p.L2*linalg.SumSquares(x)) + term.PenaltyOf(s.p.Penalty).Value(s.outer.A.Image(x))
	}
	return err
}

// snapshot computes the objective and the gradient at the iterate. If the objective has clearly risen, it
// restores the best iterate and evaluates it, in another pass. It returns a DivergenceError if the run has
// diverged.
func (s *stochastic) snapshot() error {
	if err := s.evaluate(); err != nil {
		return err
	}
	o, k, verdict := &s.outer, &s.keeper, admm.Best
	switch {
	case s.stats.OuterIterations == 0:
		k.Begin(o.Point, s.objective, s.file.Scale())
	case o.RestoreAfterRise(s.objective):
		verdict = admm.Restart
	default:
		verdict = k.Judge(o.Point, s.objective, false)
		s.stats.StepHalvings = k.Halvings
	}
	switch verdict {
	case admm.Best:
		o.Anchor.Relax()
		s.bestObjective = s.objective
	case admm.Restart:
		return s.evaluate()
	case admm.Lost:
		k.Restore(o.Point)
		return &solver.DivergenceError{
			Outer: s.stats.OuterIterations, Objective: s.objective, Start: k.First, Eta: s.stats.Eta, Rho: s.stats.Rho,
			Try: min(s.stats.Eta/admm.RetryFactor, o.NaturalEta(s.stats.OuterIterations)),
		}
	}
	return nil
}

// schedule passes the iterate to the recorder, and returns the step size. If no passes are left, more is
// false, and schedule restores the best iterate before it passes the iterate.
func (s *stochastic) schedule() (eta float64, more bool, err error) {
	o := &s.outer
	if more = float64(passesOfOuter*(s.stats.OuterIterations+1)) <= cmp.Or(s.set.Passes, 100); !more {
		if bestObjective := s.keeper.RestoreBest(o.Point, s.objective); bestObjective != s.objective {
			s.objective, o.Gradient = bestObjective, nil
		}
	}
	solution := &exact.Solution{Result: exact.Result{Gap: math.Inf(1), Objective: s.objective}, X: o.X, Z: o.Dual}
	if err := s.record(solution, o.Gradient); err != nil || !more {
		return 0, false, err
	}
	if s.stats.Eta = s.set.Eta; s.stats.Eta == 0 {
		s.stats.Eta = o.NaturalEta(s.stats.OuterIterations)
	}
	return s.stats.Eta, true, nil
}

// curvatureHere returns admm.RowCurvature.AtMargins at the iterate, for the rows of s.subset.
func (s *stochastic) curvatureHere() float64 {
	m := len(s.subset.Labels)
	margins, slopes := make([]float64, m), make([]float64, m)
	kernels.Margins(margins, s.subset.Rows, s.outer.X)
	s.q.Loss.Slopes(slopes, margins, s.subset.Labels)
	return s.rowCurvature.AtMargins(s.q.Loss, margins, slopes, s.subset.Labels)
}

// rowSets implements admm.OuterLoop.EachRowSet. It reads all blocks once, in a random order. It leaves out a
// batch whose rows have almost no weight, unless this is the only batch.
func (s *stochastic) rowSets(runInnerLoop func(*admm.RowSet) error) error {
	x0 := slices.Clone(s.outer.X)
	n, _ := s.q.Data.Dims()
	err := s.eachBatch(s.shuffledBlocks(), func(b *batch) error {
		sampleCount := int(math.Round(rows.Mass(b.weights, len(b.labels)) / s.weightSum * float64(n)))
		if sampleCount < 2 && s.batchCount > 1 {
			return s.file.Stop()
		}
		w, err := s.rowSet(b, x0, sampleCount)
		if err != nil {
			return err
		}
		return runInnerLoop(w)
	})
	s.innerPasses++
	return err
}

// shuffledBlocks returns the numbers of the blocks in a new random order (Fisher and Yates).
func (s *stochastic) shuffledBlocks() []int {
	order := make([]int, s.blocks.Count())
	for k := range order {
		index, _ := bits.Mul64(s.rng.Uint64(), uint64(k+1))
		order[k] = order[index]
		order[index] = k
	}
	return order
}

// rowSet returns the RowSet of a batch. x0 is the snapshot, and sampleCount is the number of samples that the
// inner loop draws.
func (s *stochastic) rowSet(b *batch, x0 []float64, sampleCount int) (*admm.RowSet, error) {
	n, o := len(b.labels), &s.outer
	s.slopes, s.margins = linalg.Resized(s.slopes, n), linalg.Resized(s.margins, n)
	l := &admm.InnerLoop{
		Data: s.q.Data, Rows: kernels.Rows{Ptr: b.ptr, Idx: b.idx, Val: b.val, Cols: len(x0)}, Labels: b.labels, Slope0: s.slopes,
		Loss: s.q.Loss, A: s.q.A, Set: term.SetOf(s.p.Domain), Rho: s.stats.Rho, Ridge: s.p.L2 + o.Anchor.Weight, Kappa: o.Kappa,
		Samples: n, RoundSamples: n / s.batchUpdates, BatchSize: 1, NoRotation: true,
	}
	l.Scratch = kernels.NewScratch(l.Rows)
	rows.EachPiece(slopePieces, s.q.Threads, 0, n, func(_, lo, hi int) {
		kernels.Margins(s.margins[lo:hi], l.Rows.Slice(lo, hi), x0)
		s.q.Loss.Slopes(s.slopes[lo:hi], s.margins[lo:hi], b.labels[lo:hi])
	})
	plan, err := admm.NewPlan(l)
	if err != nil {
		return nil, err
	}
	s.stats.Plan = plan.Name()
	s.stats.PlanReason = fmt.Sprintf("%s; steps draw from a batch of the file at a time, of %d", plan.Reason(), s.batchCount)
	return &admm.RowSet{Plan: plan, Draw: admm.NewSampler(s.rng.Uint64(), n, b.weights).Draw, Samples: sampleCount, Updates: s.batchUpdates}, nil
}

// prove sets res.Gap to a proved gap. It stops early if the gap is at most goal. If package exact cannot
// solve the problem with a file, prove does nothing.
func (s *stochastic) prove(res *exact.Solution, goal float64) error {
	if s.q.FileRefusal() != "" {
		return nil
	}
	q := *s.q
	q.Take(s.file)
	certifier, err := exact.New(&q)
	if err != nil {
		return err
	}
	res.Gap = certifier.Certify(res.X, &exact.Settings{Tol: goal, Stop: s.file.Stop})
	return s.file.Err()
}

// newStochastic returns a run, which began at the given time, for the problem p, whose data are in the file f. q
// is the same problem for package exact.
func newStochastic(p *solver.Problem, set *solver.Settings, q *exact.Problem, f *exact.File, memory int64, began time.Time) *stochastic {
	method := set.Method.Info().Name
	s := &stochastic{
		q: q, file: f, p: p, set: set, clock: admm.NewClock(began), bestObjective: math.Inf(1),
		blocks: rows.NewWindows(q.Data, blockBytes), weightSum: rows.Mass(q.Weights, len(q.Labels)),
		batchBlocks: max(1, int(batchShare*float64(memory))/blockBytes),
		stats: solver.Stats{
			Name: cmp.Or(set.Name, method), Method: method, Storage: p.Data.Rows(0, 0).Form(), DualUpdates: 1, BatchSize: 1,
		},
	}
	f.ReportProgress = s.reportPass
	return s
}

// passes returns the number of passes so far, without an unfinished one.
func (s *stochastic) passes() int { return s.file.Visits() + s.innerPasses }

// reportPass calls Settings.Report with the smallest objective at a snapshot so far. fraction is the finished
// fraction of the current pass.
func (s *stochastic) reportPass(fraction float64) {
	if s.set.Report != nil {
		s.set.Report(solver.Report{Passes: float64(s.passes()) + fraction, Objective: s.bestObjective, Gap: math.Inf(1)})
	}
}
