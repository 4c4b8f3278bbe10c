package exact

import (
	"context"
	"errors"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// Each rank (process) has some of the rows, in its own file or in a shared file. In a visit (see File), every
// rank reads its windows. Then the ranks agree whether to continue, and add their sums. After a visit all
// ranks do the same computations, with the same bits.

// failed means that the visit of this rank failed. It is larger than the causes of package ending.
const failed = ending.Canceled + 1

// teamError returns the error after a visit, given the error of this rank. If one rank has an error, all
// ranks return an error.
func (f *File) teamError(err error) error {
	if f.Team.Alone() {
		return err
	}
	why := ending.Running
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		why = ending.TimeUp
	case errors.Is(err, context.Canceled):
		why = ending.Canceled
	case err != nil:
		why = failed
	}
	switch cause := f.Team.Agree(why, nil); {
	case cause == ending.Running:
		return nil
	case cause == ending.TimeUp:
		return context.DeadlineExceeded
	case cause == ending.Canceled:
		return context.Canceled
	case why == failed:
		return err
	}
	return rows.ErrElsewhere
}

// addRanks replaces sums, which are over this rank's rows, by the sums over the rows of all ranks.
func (f *File) addRanks(r *request, sums *piece) {
	if f.Team.Alone() {
		return
	}
	hasModel := r.model != nil
	message := append([]float64{sums.loss}, sums.gradient...)
	if hasModel {
		message = append(message, sums.rootSums...)
		if sums.tail == nil {
			message = append(message, sums.head...)
		}
	}
	f.Team.Sum(message)
	sums.loss, message = message[0], message[1:]
	message = message[copy(sums.gradient, message):]
	if hasModel {
		message = message[copy(sums.rootSums, message):]
		if sums.tail == nil {
			copy(sums.head, message)
		} else {
			f.Team.SumPairs(sums.head, sums.tail)
		}
		sums.tally.MergeTeam(f.Team)
	}
	if r.needsHessian {
		f.Team.SumUpper(f.p, func(i int) []float64 { return sums.hessian[i*f.p+i : (i+1)*f.p] })
	}
}

// share returns how many of the samples this rank copies, in proportion to its rows.
func (f *File) share(samples int) int {
	n, _ := f.Data.Dims()
	if f.Team.Alone() {
		return samples
	}
	return int(float64(samples) * (float64(n) / f.n))
}

// gather replaces this rank's samples by the samples of all ranks, in the order of the ranks.
func (t *sampleCopy) gather(team *rows.Team) {
	if team.Alone() {
		return
	}
	lengths, columns := make([]float64, len(t.label)), make([]float64, len(t.idx))
	for i := range lengths {
		lengths[i] = float64(t.ptr[i+1] - t.ptr[i])
	}
	for k, j := range t.idx {
		columns[k] = float64(j)
	}
	t.ptr, t.idx = t.ptr[:1], t.idx[:0]
	for _, length := range team.Gather(lengths) {
		t.ptr = append(t.ptr, t.ptr[len(t.ptr)-1]+int64(length))
	}
	for _, j := range team.Gather(columns) {
		t.idx = append(t.idx, int32(j))
	}
	t.val, t.label = team.Gather(t.val), team.Gather(t.label)
	if weights := team.Gather(t.weights); len(weights) > 0 {
		t.weights = weights
	}
	if offsets := team.Gather(t.offsets); len(offsets) > 0 {
		t.offsets = offsets
	}
}
