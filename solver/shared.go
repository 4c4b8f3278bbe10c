package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// team returns the processes that hold the rows, or nil if this process has all rows.
func (p *Problem) team() *rows.Team {
	if p.joinedTeam == nil && p.Comm != nil {
		return rows.NewTeam(p.Comm)
	}
	return p.joinedTeam
}

// join checks p and s.Start, and returns a copy of p with its team and s.Threads. If the check fails on one
// process, it returns an error on all processes.
func (p *Problem) join(s *Settings) (*Problem, error) {
	err := p.validate(s.Memory > 0)
	if err == nil {
		err = s.Start.check(p)
	}
	if p == nil {
		return nil, err
	}
	joined := *p
	joined.threads = s.Threads
	if p.Comm != nil {
		joined.joinedTeam, err = rows.Join(p.Comm, p.Data, err)
	}
	return &joined, err
}

// Err returns an error if the run must stop because its context has ended, and nil otherwise. A method
// should call Err about every thousand samples. If there are several processes, they must make the
// same calls of Err; if the context of one process has ended, all get an error in the same call.
func (r *Run) Err() error {
	r.stopCause = r.Problem.team().Agree(ending.CauseOf(r.ctx), r.X)
	return ending.CauseError(r.ctx, r.stopCause)
}

// canceled is Err, but returns nil if only the time limit has passed.
func (r *Run) canceled() error {
	if err := r.Err(); r.stopCause == ending.Canceled {
		return err
	}
	return nil
}

// A saved is the state of a run between outer iterations, as a checkpoint stores it.
type saved struct {
	At, Mean Iterate
	Averaged int
	Loose    bool
	Gap      float64
	Keeper   admm.Keeper
	Stats    Stats
	Draws    []byte
}

func (r *Run) save() error {
	if r.Settings.Checkpoint == nil || r.Stats.NewtonSteps > 0 { // a resumed run repeats its Newton steps
		return nil
	}
	return r.Problem.team().Save(r.Settings.Checkpoint,
		saved{
			r.Iterate, r.Mean, r.averagedCount, r.loose, r.gap, r.keeper, r.Stats, r.Samples.sampler.State(),
		})
}

func (r *Run) resume() error {
	var s saved
	if stored, err := r.Problem.team().Load(r.Settings.Checkpoint, &s); err != nil || !stored {
		return err
	}
	if iterate := s.At; len(iterate.X) != len(r.X) || len(iterate.Y) != len(r.Y) ||
		len(iterate.Dual) != len(r.Dual) {
		return errorf("the checkpoint is of %d features, %d coordinates of y and %d rows of A, the problem has %d, %d and %d",
			len(iterate.X), len(iterate.Y), len(iterate.Dual), len(r.X), len(r.Y), len(r.Dual))
	}
	if s.Stats.Method != r.Stats.Method {
		return errorf("the checkpoint is of the method %s, the run has the method %s",
			s.Stats.Method, r.Stats.Method)
	}
	if !r.inDomain(s.At.X) || !r.inDomain(s.Keeper.Kept.X) {
		return errorf("the checkpoint is of another problem: its x is not in Problem.Domain; give an empty Checkpoint")
	}
	if err := r.checkBest(&s); err != nil {
		return err
	}
	r.Iterate.set(s.At)
	r.Mean = s.Mean
	r.averagedCount, r.loose, r.keeper, r.Stats = s.Averaged, s.Loose, s.Keeper, s.Stats
	if !math.IsInf(s.Gap, 1) { // prove it again, because the checkpoint may be of another problem
		r.gap = r.certify(r.Err)
	}
	return r.Samples.sampler.Resume(s.Draws)
}

// inDomain reports whether x is in the domain, up to rounding.
func (r *Run) inDomain(x []float64) bool {
	nearest := slices.Clone(x)
	if x != nil {
		r.Problem.project(nearest)
	}
	kernels.Axpy(-1, x, nearest)
	return linalg.Norm(nearest) <= 1e-9*linalg.Norm(x)
}

// checkBest computes the objective at the best iterate of s again. If this differs from the objective in s by
// more than rounding, checkBest returns an error, because Run.settleAtBest would compute a wrong gap.
// Otherwise it replaces the objective in s. It may change the iterate and the snapshot of r.
func (r *Run) checkBest(s *saved) error {
	k := &s.Keeper
	if !k.Watched || s.Loose || k.Kept.X == nil {
		return nil // there is no best iterate, or Run.moveToBest ignores it
	}
	r.Iterate.set(Iterate(k.Kept))
	objective := r.takeSnapshot()
	if !(math.Abs(objective-k.Best) <= 1e-9*math.Abs(k.Best)) {
		return errorf("the checkpoint is of another problem: the objective at its best iterate is %v, and this problem has %v there",
			k.Best, objective)
	}
	k.Best = objective // with another number of processes, rounding differs
	return nil
}
