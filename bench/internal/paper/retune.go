package paper

import (
	"context"
	"fmt"
	"math"
)

// A Retuned compares the parameters that were chosen for a run with parameters near them.
type Retuned struct {
	*TunedRun
	// BestObjective is the smallest objective of the run and of its repetitions. BestStep and BestPenalty are
	// Step and Penalty (see Tuned) of the run that reached it.
	BestObjective, BestStep, BestPenalty float64
	Repetitions                          int // number of repetitions
}

// EndObjective returns the objective at the end of the run with the chosen parameters.
func (r *Retuned) EndObjective() float64 { return r.Points[len(r.Points)-1].Objective }

// Retune repeats a run of split 0 on the training half. It multiplies the chosen step size, the chosen rho
// or both by 1/4, 1/2, 2 and 4, and tries every combination.
func (r *Records) Retune(ctx context.Context, d *Data, k Key) (*Retuned, error) {
	u := r.TunedRun(k)
	switch {
	case u == nil:
		return nil, fmt.Errorf("paper: %v: there is no such run in the records", k)
	case len(u.Points) == 0:
		return nil, fmt.Errorf("paper: %v: the run failed: %s", k, u.Failed)
	case k.Split != 0 || k.Rule == Automatic:
		return nil, fmt.Errorf("paper: %v: only parameters that were chosen on split 0 can be tuned again", k)
	}
	h, err := d.Halve(ctx, k.Split, r.Protocol.TuneSamples)
	if err != nil {
		return nil, err
	}
	t, err := r.Protocol.newRunner(ctx, h, k.Mu, k.Method)
	if err != nil {
		return nil, err
	}
	out := &Retuned{TunedRun: u, BestStep: u.Step, BestPenalty: u.Penalty}
	out.BestObjective = out.EndObjective()
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
			out.Repetitions++
			if v := objectives[k.Output]; v < out.BestObjective {
				out.BestObjective, out.BestStep, out.BestPenalty = v, step, penalty
			}
		}
	}
	return out, nil
}
