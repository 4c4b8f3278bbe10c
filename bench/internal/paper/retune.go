package paper

import (
	"context"
	"math"
	"slices"
)

// Retune repeats the run u with other step sizes and other values of rho. It tries all 24 pairs in which one or
// both parameters of u are multiplied by 1/4, 1/2, 2 or 4. u must be a run on split 0 that did not fail, and
// the rule for its parameters must not be Automatic.
//
// Retune returns a copy of u with the best pair: the one, of u or of a repetition, that reaches the smallest
// objective on the training half. The last point of the copy has this objective. The copy's other points are
// points of u. The field Tuned.Runs of the copy is the number of repetitions.
func (r *Records) Retune(ctx context.Context, d *Data, u *TunedRun) (*TunedRun, error) {
	h, err := d.Halve(ctx, u.Split, r.Protocol.TuneSamples)
	if err != nil {
		return nil, err
	}
	t, err := r.Protocol.newRunner(ctx, h, u.Mu, u.Method)
	if err != nil {
		return nil, err
	}
	best := *u
	best.Points, best.Runs = slices.Clone(u.Points), 0
	end := &best.Points[len(best.Points)-1]
	multiples := func(v float64, fixed bool) (values []float64) {
		if fixed {
			return []float64{v}
		}
		for e := -2; e <= 2; e++ {
			values = append(values, math.Ldexp(v, e))
		}
		return values
	}
	for _, step := range multiples(u.Step, !t.traits.Info.TakesEta) {
		for _, penalty := range multiples(u.Penalty, t.traits.NoRho) {
			if step == u.Step && penalty == u.Penalty {
				continue
			}
			objectives, err := t.trainingGrid.try(step, penalty)
			if err != nil {
				return nil, err
			}
			best.Runs++
			if objectives[u.Output] < end.Objective {
				end.Objective, best.Step, best.Penalty = objectives[u.Output], step, penalty
			}
		}
	}
	return &best, nil
}
