package kernels

import "math"

func innerLazyGeneric(a *stepArgs) (done int) { return a.eachStep(1, a.lazyStep) }

// lazyStep does the step of InnerLazy for row i of the data.
func (a *stepArgs) lazyStep(i int32) {
	l, cells := &a.lazy, a.cells
	b := a.factor(i)
	ba, bg := float64(b*l.Alpha), float64(b*l.Gamma)
	l.Alpha, l.Gamma = float64(l.Q*l.Alpha), math.FMA(l.Q, l.Gamma, -a.Eta)
	rate := a.Eta / l.Alpha

	var lu, ld [8]float64
	lo, n := int(a.Rows.Ptr[i]), a.Rows.rowLen(i)
	for k := range n {
		j, v := a.Rows.entry(lo + k)
		lu[k&7] = math.FMA(v, cells[cellSize*j], lu[k&7])
		ld[k&7] = math.FMA(v, cells[cellSize*j+1], ld[k&7])
	}
	au, ad := sum8(&lu), sum8(&ld)
	delta := a.delta(i, float64(ba*au)+float64(bg*ad))
	r, g := float64(delta*rate), float64(delta*a.Eta)
	if a.norm2 != nil {
		g = float64(r * l.AlphaSum)
	}
	for k := range n {
		j, v := a.Rows.entry(lo + k)
		c := cells[cellSize*j : cellSize*j+cellSize]
		c[0], c[1], c[2], c[3] = math.FMA(r, v, c[0]), math.FMA(0, v, c[1]), math.FMA(g, v, c[2]),
			math.FMA(0, v, c[3])
	}
	if a.norm2 != nil {
		l.project(r, au, ad, a.norm2[i])
	}
}

// project ends a step that added r times a row to u. It updates the numbers in l, and projects the point
// w = Alpha u + Gamma d onto the ball. au and ad are the inner products of the row with u before
// the step and with d. norm2 is the row's squared norm.
func (l *Lazy) project(r, au, ad, norm2 float64) {
	l.UU = math.FMA(r, math.FMA(r, norm2, au+au), l.UU)
	l.UD = math.FMA(r, ad, l.UD)
	cross := float64((l.Alpha + l.Alpha) * l.Gamma)
	n2 := math.FMA(float64(l.Alpha*l.Alpha), l.UU,
		math.FMA(cross, l.UD, float64(float64(l.Gamma*l.Gamma)*l.DD)))
	f := projectionFactor(n2, l.Radius)
	l.Alpha, l.Gamma = float64(f*l.Alpha), float64(f*l.Gamma)
	l.AlphaSum += l.Alpha
	l.GammaSum += l.Gamma
}

// projectionFactor returns the factor that projects a point of squared norm n2 onto the
// ball of the given radius, or 1 if the point is in the ball.
func projectionFactor(n2, radius float64) float64 {
	if n2 > float64(radius*radius) {
		return radius / math.Sqrt(n2)
	}
	return 1
}
