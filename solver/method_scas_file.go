package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// A fileSCAS is a run of SCASK or SCASL out of core. Each inner loop draws from one batch of rows.
// Run.Samples, Run.Snapshot and Run.prover are not set, because they need all rows in memory.
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
type fileSCAS struct {
	*Run
	q            *exact.Problem // the problem, for package exact
	file         *exact.File
	innerPasses  int     // passes of inner loops; exact.File.Visits counts all other passes
	weightSum    float64 // sum of the sample weights, or n without weights
	outer        admm.OuterLoop
	subset       *exact.Problem     // copies of some rows, from which step sizes are computed
	rowCurvature *admm.RowCurvature // the curvature of the rows of subset, which limits the step size
	blocks       *rows.Windows
	batchBlocks  int       // number of blocks in a batch; the last batch of a pass may have fewer
	batchCount   int       // number of batches in a pass
	batchUpdates int       // number of dual updates for each batch
	slopes       []float64 // slopes of a batch at the snapshot
	margins      []float64 // margins of a batch at the snapshot
	rng          *rand.PCG
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

// minimizeFile is Minimize out of core (see Settings.Memory), with checked settings.
func (p *Problem) minimizeFile(ctx context.Context, set Settings, began time.Time) (*Result, error) {
	q, err := p.fileProblem(&set)
	if err != nil {
		return nil, err
	}
	s := newFileSCAS(ctx, p, set, q, began)
	err = s.solve()
	s.clock.pause()
	s.goal = max(0, set.RelTol) * s.file.Scale()
	if err == nil {
		err = s.prove()
	}
	if fileErr := s.file.Err(); fileErr != nil && !ending.IsContextError(fileErr) {
		return nil, fileErr // for example, the file is damaged
	}
	late := ending.IsContextError(err) && ending.Late(ctx)
	if late {
		err = nil
	}
	res := s.result()
	return res, s.judge(res, err, &ending.Evidence{Late: late}, !math.IsInf(res.DualityGap, 1))
}

// fileProblem returns p as a problem of package exact. It returns an error if p or set is not for runs out of
// core.
func (p *Problem) fileProblem(set *Settings) (*exact.Problem, error) {
	_, linearised := set.Method.(SCASL)
	_, manyUpdates := set.Method.(SCASK)
	switch {
	case !linearised && !manyUpdates:
		return nil, notStreamed("only scas-k and scas-l draw from a file")
	case !p.Data.Mapped():
		return nil, notStreamed("they must be in a .scas file, which scas convert writes")
	case set.Checkpoint != nil:
		return nil, &sparse.RemedyError{
			Err:      notStreamed("checkpoints are only for data in memory"),
			Remedies: []sparse.Remedy{{Field: "Settings.Checkpoint", To: "nil"}},
		}
	case !p.team().Alone():
		return nil, &sparse.RemedyError{
			Err:      notStreamed("with ranks method " + nameOf(set.Method) + " is not streamed"),
			Remedies: []sparse.Remedy{{Field: "Settings.Method", To: "auto"}},
		}
	case p.Coupling != nil:
		return nil, notStreamed("a coupling A x + B y = c is not streamed")
	}
	q := p.exactProblem(p.algebra(), kernels.Rows{}, set.Threads)
	if q == nil {
		return nil, notStreamed("losses, penalties and domains of other packages are not streamed")
	}
	return q, nil
}

func notStreamed(why string) error { return errorf("%w: %s", rows.ErrNotStreamed, why) }

// newFileSCAS returns a run at its start. q is p for package exact.
func newFileSCAS(ctx context.Context, p *Problem, set Settings, q *exact.Problem, began time.Time) *fileSCAS {
	r := emptyRun(ctx, p, set, q.A, began)
	r.dual = p.dualStep(len(r.Dual), len(r.Y))
	r.Mean = r.Iterate
	copy(r.X, set.Start.X)
	p.project(r.X)
	copy(r.Y, r.product.Image(r.X))
	r.Stats.Storage = p.Data.Rows(0, 0).Form()
	r.keeper.Best = math.Inf(1) // what Report gets before the first snapshot
	f := exact.NewFile(q, exact.FileSettings{Memory: set.Memory})
	f.Stop = ctx.Err
	s := &fileSCAS{
		Run: r, q: q, file: f,
		blocks: rows.NewWindows(p.Data, blockBytes), weightSum: rows.Mass(p.SampleWeights, len(p.Labels)),
		batchBlocks: max(1, int(batchShare*float64(set.Memory))/blockBytes),
		rng:         rand.NewPCG(set.Seed, 0x77696e),
	}
	f.ReportProgress = s.reportPass
	return s
}

// solve runs outer iterations until the passes are used up. If an error ends the run, the iterate becomes the
// best one so far, or the start if there is none. Afterwards s.lastObjective is the objective at the iterate,
// or +Inf if it is not known, and s.outer.Gradient is the gradient of the mean loss there, or nil.
func (s *fileSCAS) solve() error {
	if err := s.file.Survey(min(len(s.Problem.Labels), stochasticSamples)); err != nil {
		return err
	}
	s.prepareFile()
	for {
		more, err := s.outer.Next()
		if err != nil {
			s.outer.Gradient, s.lastObjective = nil, math.Inf(1)
			if s.keeper.Restore(s.outer.Point) {
				s.lastObjective = s.keeper.Best
			}
			return err
		}
		if !more {
			return nil
		}
		s.Stats.OuterIterations++
	}
}

// prepareFile sets the parameters of the run, after the survey of the file.
func (s *fileSCAS) prepareFile() {
	p, set, st := s.Problem, &s.Settings, &s.Stats
	s.subset = s.file.SampleProblem()
	_, rowNorm := p.team().Norms(s.subset.Data.RowNormsSq())
	s.rowCurvature = admm.NewRowCurvature(s.subset.Data, s.subset.Weights)
	s.scales = s.newScales(rowNorm, s.subset.Labels)
	s.outer = admm.OuterLoop{
		TakeSnapshot: s.snapshot, NextEta: s.schedule, EachRowSet: s.rowSets,
		SnapshotCurvature: s.curvatureHere, Keeper: &s.keeper, Point: admm.Point(s.Iterate), Scales: s.scales,
		A: s.product, DualStep: s.dual, Project: p.project, ManyUpdates: true, BatchSize: 1,
		Interrupt: s.file.Stop,
	}
	n, nonzeros := float64(len(p.Labels)), float64(p.Data.NNZ())
	k := cmp.Or(set.DualUpdates, admm.DualUpdates(n, nonzeros/n, s.product.Operations()))
	s.batchCount = (s.blocks.Count() + s.batchBlocks - 1) / s.batchBlocks
	s.batchUpdates = max(1, k/s.batchCount)
	st.DualUpdates = s.batchUpdates * s.batchCount
	s.SetRho(cmp.Or(set.Rho, s.scales.Rho(st.DualUpdates)))
	_, linearised := set.Method.(SCASL)
	// Steps without linearisation may be slow if A is not the identity, because the data are not rotated.
	if linearised || !s.product.IsIdentity() {
		s.outer.Linearise()
	}
	s.keeper.Auto = set.Eta == 0
}

// evaluate computes the objective, and the gradient of the mean loss, at the iterate, in one pass.
func (s *fileSCAS) evaluate() error {
	loss, gradient, err := s.file.Evaluate(s.X)
	if err == nil {
		s.outer.Gradient = gradient
		s.lastObjective = loss + s.Problem.ridge(s.X) + s.Problem.penalty().Value(s.product.Image(s.X))
	}
	return err
}

// snapshot computes the objective and the gradient at the iterate. If the objective has clearly risen, it
// restores the best iterate and evaluates it, in another pass. It returns a DivergenceError if the run has
// diverged.
func (s *fileSCAS) snapshot() error {
	if err := s.evaluate(); err != nil {
		return err
	}
	o, k, st, verdict := &s.outer, &s.keeper, &s.Stats, admm.Best
	switch {
	case st.OuterIterations == 0:
		k.Begin(o.Point, s.lastObjective, s.file.Scale())
	case o.RestoreAfterRise(s.lastObjective):
		verdict = admm.Restart
	default:
		verdict = k.Judge(o.Point, s.lastObjective, false)
		st.StepHalvings = k.Halvings
	}
	switch verdict {
	case admm.Best:
		o.Anchor.Relax()
	case admm.Restart:
		return s.evaluate()
	case admm.Lost:
		k.Restore(o.Point)
		return &DivergenceError{
			Outer: st.OuterIterations, Objective: s.lastObjective, Start: k.First, Eta: st.Eta, Rho: st.Rho,
			Try: min(st.Eta/admm.RetryFactor, o.NaturalEta(st.OuterIterations)),
		}
	}
	return nil
}

// schedule passes the iterate to the recorder, and returns the step size. If no passes are left, more is
// false, and schedule restores the best iterate before it passes the iterate.
func (s *fileSCAS) schedule() (eta float64, more bool, err error) {
	o, st := &s.outer, &s.Stats
	more = float64(passesOfOuter*(st.OuterIterations+1)) <= s.Settings.Passes
	if !more {
		if bestObjective := s.keeper.RestoreBest(o.Point, s.lastObjective); bestObjective != s.lastObjective {
			s.lastObjective, o.Gradient = bestObjective, nil
		}
	}
	st.Passes = s.passes()
	err = s.record(func(pt *Point) {
		pt.Last = s.evaluation()
		pt.Average, pt.DualResidual = pt.Last, s.residualHere
	})
	if err != nil || !more {
		return 0, false, err
	}
	st.Eta = s.Settings.Eta
	if st.Eta == 0 {
		st.Eta = o.NaturalEta(st.OuterIterations)
	}
	return st.Eta, true, nil
}

// curvatureHere returns admm.RowCurvature.AtMargins at the iterate, for the rows of s.subset.
func (s *fileSCAS) curvatureHere() float64 {
	m := len(s.subset.Labels)
	margins, slopes := make([]float64, m), make([]float64, m)
	kernels.Margins(margins, s.subset.Rows, s.X)
	s.q.Loss.Slopes(slopes, margins, s.subset.Labels)
	return s.rowCurvature.AtMargins(s.q.Loss, margins, slopes, s.subset.Labels)
}

// rowSets implements admm.OuterLoop.EachRowSet. It reads all blocks once, in a random order. It leaves out a
// batch whose rows have almost no weight, unless this is the only batch.
func (s *fileSCAS) rowSets(runInnerLoop func(*admm.RowSet) error) error {
	x0 := slices.Clone(s.X)
	n := float64(len(s.Problem.Labels))
	err := s.eachBatch(s.shuffledBlocks(), func(b *batch) error {
		sampleCount := int(math.Round(rows.Mass(b.weights, len(b.labels)) / s.weightSum * n))
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
func (s *fileSCAS) shuffledBlocks() []int {
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
func (s *fileSCAS) rowSet(b *batch, x0 []float64, sampleCount int) (*admm.RowSet, error) {
	n, p, o := len(b.labels), s.Problem, &s.outer
	s.slopes, s.margins = pages.Resize(s.slopes, n), pages.Resize(s.margins, n)
	l := &admm.InnerLoop{
		Data: p.Data, Rows: kernels.Rows{Ptr: b.ptr, Idx: b.idx, Val: b.val, Cols: len(x0)}, Labels: b.labels,
		Slope0: s.slopes,
		Loss:   s.q.Loss, A: s.q.A, Set: p.domain(), Rho: s.Stats.Rho, Ridge: p.L2 + o.Anchor.Weight,
		Kappa:   o.Kappa,
		Samples: n, RoundSamples: n / s.batchUpdates, BatchSize: 1, NoRotation: true,
	}
	rows.EachPiece(slopePieces, s.Settings.Threads, 0, n, func(_, lo, hi int) {
		kernels.Margins(s.margins[lo:hi], l.Rows.Slice(lo, hi), x0)
		s.q.Loss.Slopes(s.slopes[lo:hi], s.margins[lo:hi], b.labels[lo:hi])
	})
	plan, err := admm.NewPlan(l)
	if err != nil {
		return nil, err
	}
	s.Stats.Plan = plan.Name()
	s.Stats.PlanReason = fmt.Sprintf("%s; steps draw from a batch of the file at a time, of %d",
		plan.Reason(), s.batchCount)
	return &admm.RowSet{
		Plan: plan, Draw: admm.NewSampler(s.rng.Uint64(), n, b.weights).Draw, Samples: sampleCount,
		Updates: s.batchUpdates,
	}, nil
}

// prove sets s.gap to a proved gap of the iterate. It stops early if the gap is at most s.goal. If package
// exact cannot solve the problem with a file, prove does nothing.
func (s *fileSCAS) prove() error {
	if s.q.FileRefusal() != "" {
		return nil
	}
	q := *s.q
	q.File = s.file
	certifier, err := exact.New(&q)
	if err != nil {
		return err
	}
	s.gap = certifier.Certify(s.X, &exact.Settings{Tol: s.goal, Stop: s.file.Stop})
	return s.file.Err()
}

// result returns the Result of the final state, without its status.
func (s *fileSCAS) result() *Result {
	s.Stats.Passes, s.Stats.Seconds = s.passes(), s.clock.secondsAtPause()
	s.Stats.PaperPasses = s.paperPasses()
	copy(s.Y, s.product.Image(s.X))
	at := s.evaluation()
	return &Result{
		Iterate: s.Iterate, XAverage: s.X, YAverage: s.Y, At: at, AtAverage: at, Unrounded: at.Objective,
		DualityGap: s.gap, DualResidual: s.residualHere(), Stats: s.Stats,
	}
}

// evaluation returns the Evaluation of the iterate, whose objective is s.lastObjective.
func (s *fileSCAS) evaluation() Evaluation {
	at := Evaluation{Objective: s.lastObjective, Penalty: s.Problem.penalty().Value(s.product.Image(s.X))}
	at.Loss = at.Objective - at.Penalty - s.Problem.ridge(s.X)
	return at
}

// residualHere returns the dual residual at the iterate, or NaN if the gradient there is not known.
func (s *fileSCAS) residualHere() float64 {
	if s.outer.Gradient == nil {
		return math.NaN()
	}
	return s.residualOf(s.addMultipliers(s.outer.Gradient, s.Dual))
}

// passes returns the number of passes so far, without an unfinished one.
func (s *fileSCAS) passes() float64 { return float64(s.file.Visits() + s.innerPasses) }

// reportPass calls Settings.Report with the smallest objective at a snapshot so far. fraction is the finished
// fraction of the current pass.
func (s *fileSCAS) reportPass(fraction float64) {
	if s.Settings.Report != nil {
		s.Settings.Report(Report{Passes: s.passes() + fraction, Objective: s.keeper.Best, Gap: math.Inf(1)})
	}
}
