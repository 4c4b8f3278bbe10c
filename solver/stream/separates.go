package stream

import (
	"context"
	"slices"

	"github.com/scas-admm/scas/solver/internal/newton"
)

// Separates reports whether margins aᵢ'x, with a last entry of x for the intercept if there
// is one, and without the offsets, tell two classes apart: no row of weight is on the wrong
// side of 0, and some are on the right one.
func Separates(ctx context.Context, of *Samples, x []float64) (bool, error) {
	s := &run{q: &newton.Problem{Data: of.Data}, extra: extra{ones: of.Intercept}}
	var apart, wrong [mostPieces]bool
	err := newWindows(of.Data, mostWindow).each(func(lo, hi int) error {
		if slices.Contains(wrong[:], true) {
			return nil
		}
		pieces(mostPieces, of.Threads, lo, hi, func(k, lo, hi int) {
			margin := make([]float64, hi-lo)
			s.margins(margin, of.Data.Rows(lo, hi), lo, x)
			for i, t := range margin {
				if t == 0 || of.Weights != nil && of.Weights[lo+i] == 0 {
					continue
				}
				apart[k] = true
				wrong[k] = wrong[k] || (t > 0) != (of.Labels[lo+i] > 0)
			}
		})
		return ctx.Err()
	})
	return slices.Contains(apart[:], true) && !slices.Contains(wrong[:], true), err
}
