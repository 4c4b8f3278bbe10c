package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/paper"
)

// A bound is a theorem with what was measured, summed up.
type bound struct {
	*paper.Bound
	Worst float64 // largest ratio of measured to bound
	// RateT and RateN are the fitted exponents in outer iterations and in sample
	// gradients.
	RateT, RateN float64
	Figure       *Figure
}

// bounds measures the theorems.
func bounds(ctx context.Context) ([]*bound, error) {
	var out []*bound
	for _, theorem := range []func(context.Context) (*paper.Bound, error){paper.Theorem1, paper.Theorem2, paper.Theorem2Printed} {
		measured, err := theorem(ctx)
		if err != nil {
			return nil, err
		}
		b := &bound{Bound: measured, RateT: rate(measured.T, measured.Gap), RateN: rate(measured.Gradients, measured.Gap)}
		for k, g := range b.Gap {
			b.Worst = max(b.Worst, g/b.Limit[k])
		}
		out = append(out, b)
	}
	return out, nil
}

// boundFigure draws a theorem's bound beside what was measured.
func boundFigure(b *bound, bitmap bool) (*Figure, error) {
	a := chart.Axes{Title: b.Theorem + ": bound and measured gap", X: "outer iterations", Y: "objective − optimum at the average", LogX: true, LogY: true, Floor: gapFloor}
	f := &Figure{Name: "bound-" + strings.NewReplacer(",", "", " ", "-").Replace(strings.ToLower(b.Theorem)), Caption: a.Title}
	f.Head = []string{"T", "sample gradients", "measured", "bound"}
	for k := range b.T {
		if k == 0 || k == len(b.T)-1 || (k+1)%20 == 0 || k == 9 {
			f.Rows = append(f.Rows, []string{fmt.Sprint(b.T[k]), fmt.Sprintf("%.3g", b.Gradients[k]), fmt.Sprintf("%.2e", b.Gap[k]), fmt.Sprintf("%.2e", b.Limit[k])})
		}
	}
	return f, f.draw(a, []chart.BandLine{
		{Name: "measured", X: b.T, Y: b.Gap, Low: b.Gap, High: b.Gap, Bold: true},
		{Name: "bound", X: b.T, Y: b.Limit, Low: b.Limit, High: b.Limit},
	}, bitmap)
}
