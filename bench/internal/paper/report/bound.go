package report

import (
	"context"
	"strings"

	"github.com/scas-admm/scas/bench/internal/paper"
	"github.com/scas-admm/scas/solver/chart"
)

// A bound compares the upper bound that a theorem gives for the gap with measured gaps.
type bound struct {
	*paper.Bound
	Worst float64 // largest ratio of the measured gap to the bound
	// The measured gap falls about as T^−RateT with the number T of outer iterations, and as N^−RateN with
	// the number N of sample gradients. Both exponents are fitted to the last points; see rate.
	RateT, RateN float64
	Figure       *figure
}

func bounds(ctx context.Context) (bounds []*bound, err error) {
	for _, theorem := range []func(context.Context) (*paper.Bound, error){
		paper.Theorem1, paper.Theorem2, paper.Theorem2Printed,
	} {
		measured, err := theorem(ctx)
		if err != nil {
			return nil, err
		}
		b := &bound{
			Bound: measured, RateT: rate(measured.T, measured.Gap),
			RateN: rate(measured.Gradients, measured.Gap),
		}
		for k, g := range b.Gap {
			b.Worst = max(b.Worst, g/b.GapBound[k])
		}
		name := "bound-" + strings.NewReplacer(",", "", " ", "-").Replace(strings.ToLower(b.Theorem))
		b.Figure, err = newFigure(name, &chart.Chart{
			Title: b.Theorem + ": bound and measured gap", X: "outer iterations",
			Y: "objective − optimum at the average", LogX: true, LogY: true, Floor: gapFloor,
			Lines: []chart.Line{
				{Name: "measured", X: b.T, Y: b.Gap, Low: b.Gap, High: b.Gap, Bold: true},
				{Name: "bound", Series: 1, X: b.T, Y: b.GapBound, Low: b.GapBound, High: b.GapBound},
			},
		})
		if err != nil {
			return nil, err
		}
		bounds = append(bounds, b)
	}
	return bounds, nil
}
