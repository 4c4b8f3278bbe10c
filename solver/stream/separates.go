package stream

import (
	"context"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/term"
)

// Separates reports whether margins aᵢ'x, with a last entry of x for the intercept if there
// is one, and without the offsets, separate the rows of all ranks: along x the loss of no row of
// weight rises, and that of some never does. Of two classes, they tell them apart.
func Separates(ctx context.Context, of *Samples, x []float64) (apart bool, err error) {
	defer pass.Rescue(&err)
	team := pass.NewTeam(of.Comm)
	s := &run{q: &exact.Problem{Data: of.Data, Labels: of.Labels}, extra: extra{ones: of.Intercept, positive: of.Positive, team: team}}
	loss := term.LossOf(of.Loss)
	var sides [mostPieces]pass.Sides
	all := func() (sum pass.Sides) {
		for _, k := range sides {
			sum[0], sum[1] = sum[0]+k[0], sum[1]+k[1]
		}
		return sum
	}
	err = s.together(newWindows(of.Data, mostWindow).each(func(lo, hi int) error {
		if all()[0] > 0 {
			return nil
		}
		pieces(mostPieces, of.Threads, lo, hi, func(k, lo, hi int) {
			margin, sign := make([]float64, hi-lo), make([]float64, hi-lo)
			s.margins(margin, of.Data.Rows(lo, hi), lo, x)
			var weights []float64
			if of.Weights != nil {
				weights = of.Weights[lo:hi]
			}
			sides[k].Add(loss, margin, s.labels(sign, lo, hi), weights)
		})
		return ctx.Err()
	}))
	found := all()
	team.Sum(found[:])
	return found.Apart(), err
}
