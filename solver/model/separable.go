package model

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
)

// An objective has no minimum if in some direction of features without a penalty the loss of some rows
// falls forever, and the loss of no row rises. This file finds such a direction.

// recedes returns a function that reports whether the domain is unbounded for coefficient j, towards +∞
// if sign is positive and towards −∞ if sign is negative.
func (d *design) recedes() func(j int, sign float64) bool {
	if d.spec.Domain == nil {
		return func(int, float64) bool { return true }
	}
	if !d.ownDomain() {
		if box, ok := term.SetOf(d.spec.Domain).Region(d.p).Box(); ok {
			return func(j int, sign float64) bool {
				return sign > 0 && math.IsInf(box.Upper[j], 1) || sign < 0 && math.IsInf(box.Lower[j], -1)
			}
		}
	}
	return func(int, float64) bool { return false }
}

// unpenalised returns x, the coefficients and the intercept, with zeros for the coefficients that lambda
// or a ridge penalises or that the domain bounds. It returns nil if a step in the direction of the result
// cannot lower the loss of a row forever, for example because the loss of each row reaches its minimum.
func (d *design) unpenalised(lambda float64, x []float64) []float64 {
	if !traits(d.loss).NeverZero {
		return nil
	}
	_, grouped := d.spec.Penalty.(GroupLasso)
	free, any := make([]float64, len(x)), false
	if lambda == 0 || d.factors != nil || d.spec.A != nil || grouped { // otherwise all features are penalised
		held, recedes := d.penalised(lambda), d.recedes()
		for j, v := range x[:d.p] {
			if !held[j] && recedes(j, v) {
				free[j], any = v, true
			}
		}
	}
	// Both classes have rows, so an intercept alone separates no classes. But all counts may be 0: then
	// an intercept alone lowers the loss forever.
	if !any && classifies(d.loss) {
		return nil
	}
	if !d.spec.NoIntercept {
		free[d.p] = x[d.p]
	}
	return free
}

// penalised reports for each coefficient whether it is penalised with lambda: it has a ridge, or an
// entry in a row of A with a positive weight.
func (d *design) penalised(lambda float64) []bool {
	held := make([]bool, d.columns())
	p, err := d.penalty()
	if err != nil {
		return held
	}
	for j := range held {
		held[j] = lambda*p.ridge[j] > 0 || p.fixed != nil && p.fixed[j] > 0
	}
	for k, limit := range p.limit {
		if !(lambda*limit > 0) && (p.square == nil || p.square[k] == 0) {
			continue
		}
		if p.a == nil {
			held[k] = true
			continue
		}
		idx, _ := p.a.Row(k)
		for _, j := range idx {
			held[j] = true
		}
	}
	return held
}
