package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/term"
)

// ErrNotApplicable is wrapped by the error of New for a problem that the package cannot solve.
var ErrNotApplicable = errors.New("exact: not applicable")

const (
	// DenseFeatures is the largest number of features of a problem with its samples in a file. It is also the
	// largest number for a coupled problem with a dense Hessian, unless Problem.MaxWorking is set, and the largest
	// size of a working set of groups if there are more than mostFeatures features.
	DenseFeatures = 2048
	// A coupled problem in memory is refused if forming its Hessian costs more than maxAssembly passes over
	// the data, and also more than maxProducts multiplications for each process.
	maxAssembly, maxProducts = 64, 2e9
	// A coupled problem is refused if it has more roots (see gap.Problem.RootCount): the time for a proof grows with the
	// square of their number.
	mostRoots = DenseFeatures
)

// isSeparable reports whether the model is separable, see the package comment.
func (p *Problem) isSeparable() bool {
	if p.joint || !p.A.IsIdentity() || p.Square != nil || p.Groups != nil {
		return false
	}
	_, isBox := p.Set.(term.Box)
	return p.Set == nil || isBox
}

// checkLossAndA returns an error if the conjugate of the loss or the entries of A are not known.
func (p *Problem) checkLossAndA() error {
	switch {
	case !p.Loss.Traits().HasConjugate:
		return fmt.Errorf("%w: the conjugate of the loss is not known", ErrNotApplicable)
	case !p.A.IsIdentity() && p.A.Matrix() == nil:
		return fmt.Errorf("%w: A is no matrix", ErrNotApplicable)
	}
	return nil
}

// Refusal returns nil if a Solver can solve the problem, and otherwise an error that wraps ErrNotApplicable.
func (p *Problem) Refusal() error { return p.refusal(p.linearSystems()) }

// refusal is Refusal for the given result of linearSystems.
func (p *Problem) refusal(systems linearSystems) error {
	if err := p.checkLossAndA(); err != nil {
		return err
	}
	if p.hasFeatureGroups() {
		return nil
	}
	if p.isSeparable() {
		if free := zeroCount(p.Limit); free > defaultWorking && !p.Team.Alone() {
			return fmt.Errorf("%w: %d coefficients have no L1 penalty, and several processes take at most %d of them", ErrNotApplicable, free, defaultWorking)
		}
		return nil
	}
	_, features := p.dims()
	maxFeatures := cmp.Or(p.MaxWorking, DenseFeatures)
	if features > maxFeatures && !systems.size.sparseRows &&
		(p.MaxWorking > 0 || p.allowsSets() || systems.chol == nil) {
		return fmt.Errorf("%w: %d features; dense factors are formed up to %d",
			ErrNotApplicable, features, maxFeatures)
	}
	if p.File != nil {
		return nil
	}
	if features > DenseFeatures { // otherwise there are few roots
		if roots := p.rootCount(); roots > mostRoots {
			return fmt.Errorf("%w: the penalty leaves %d coefficients or groups of coefficients free; a proof takes up to %d",
				ErrNotApplicable, roots, mostRoots)
		}
	}
	if systems.chol != nil {
		return nil
	}
	if passes := p.Assembly(); passes > maxAssembly &&
		passes*p.Team.Total(float64(p.Data.NNZ())) > maxProducts*float64(p.Team.Size()) {
		return fmt.Errorf("%w: forming a Hessian takes as much as %.0f passes over the data",
			ErrNotApplicable, passes)
	}
	return nil
}

// allowsSets reports whether a setSolver may solve the problem. This needs an L1 penalty, equal ridges, and at most
// mostUnheld features with neither a ridge nor a singleton row.
func (p *Problem) allowsSets() bool {
	for j, r := range p.Ridge {
		if r != p.Ridge[0] || p.FixedRidge != nil && p.FixedRidge[j] != p.FixedRidge[0] {
			return false
		}
	}
	return p.hasL1Only() && p.checkLossAndA() == nil && p.unheldCount() <= mostUnheld
}

// unheldCount returns the number of features with neither a ridge nor a singleton row. The ridges must be equal.
func (p *Problem) unheldCount() (count int) {
	if p.Ridge[0] > 0 {
		return 0
	}
	for _, row := range gap.NewPenalty(p.A, p.Limit, nil, nil).Singleton {
		if row < 0 {
			count++
		}
	}
	return count
}

func zeroCount(v []float64) (count int) {
	for _, x := range v {
		if x == 0 {
			count++
		}
	}
	return count
}

// fileRoots is the largest number of roots of a problem with its samples in a file, see
// gap.Problem.RootCount.
const fileRoots = 256

// FileRefusal says why a Solver cannot solve the problem with its samples in a file. It returns "" if a
// Solver can.
func (p *Problem) FileRefusal() string {
	switch columns := len(p.Ridge); {
	case !p.Loss.Traits().HasConjugate:
		return "only losses with a conjugate are streamed"
	case !p.A.IsIdentity() && p.A.Matrix() == nil:
		return "only a matrix A is streamed, not another operator"
	case columns > DenseFeatures:
		return fmt.Sprintf("up to %d coefficients are streamed, and there are %d", DenseFeatures, columns)
	}
	if roots := p.rootCount(); roots > fileRoots {
		return fmt.Sprintf("the penalty leaves %d coefficients or groups of coefficients free, and up to %d are streamed: give them a penalty of their own, or a ridge", roots, fileRoots)
	}
	return ""
}

// rootCount returns the number of roots of the problem, see gap.Problem.RootCount.
func (p *Problem) rootCount() int {
	ridge := slices.Clone(p.Ridge)
	for j, r := range p.FixedRidge {
		ridge[j] += r
	}
	b := &gap.Problem{
		Penalty: gap.NewPenalty(p.A, p.Limit, p.Square, p.Groups), Ridge: ridge, Set: p.Set,
		Columns: gap.Columns{LargestEntry: slices.Repeat([]float64{1}, len(p.Ridge))},
	}
	b.Prepare()
	return b.RootCount()
}
