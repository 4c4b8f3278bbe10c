package kernels

import "math"

// Cells holds the vectors of InnerLazy. The vectors are interleaved by column, so that a step touches one
// cache line for each nonzero. Column j is Cells[4j:4j+4], with u[j], d[j], h[j] and +0 in this order;
// InnerLazy defines these vectors. After the last column follows a cell of zeros.
type Cells []float64

// cellSize is the number of float64 in a cell.
const cellSize = 4

// NewCells returns cells of +0 for p columns.
func NewCells(p int) Cells { return make(Cells, cellSize*(p+1)) }

// Len returns the number of columns.
func (c Cells) Len() int { return len(c)/cellSize - 1 }

// Set sets the vectors u, d and h of Cells to w, d and zeros. Here d is the d of Steps. With Alpha = 1
// and Gamma = 0 in Lazy, the current point is then w.
func (c Cells) Set(w, d []float64) {
	checkLen("Cells.Set", "w", len(w), c.Len())
	checkLen("Cells.Set", "d", len(d), c.Len())
	for j, v := range w {
		cell := c[cellSize*j : cellSize*j+cellSize]
		cell[0], cell[1], cell[2], cell[3] = v, d[j], 0, 0
	}
}

// Point computes the current point: w[j] = FMA(Alpha, u[j], Gamma*d[j]).
func (c Cells) Point(w []float64, l *Lazy) {
	checkLen("Cells.Point", "w", len(w), c.Len())
	for j := range w {
		w[j] = math.FMA(l.Alpha, c[cellSize*j], float64(l.Gamma*c[cellSize*j+1]))
	}
}

// Form stores the current point as u and sets l.Alpha = 1, l.Gamma = 0.
func (c Cells) Form(l *Lazy) {
	for j := range c.Len() {
		c[cellSize*j] = math.FMA(l.Alpha, c[cellSize*j], float64(l.Gamma*c[cellSize*j+1]))
	}
	l.Alpha, l.Gamma = 1, 0
}

// RowSum sets h to the vector h of InnerLazy: the sum of g a_i over the steps since Set. After steps with a
// ball it sets h to the vector q of InnerLazy.
func (c Cells) RowSum(h []float64) {
	checkLen("Cells.RowSum", "h", len(h), c.Len())
	for j := range h {
		h[j] = c[cellSize*j+2]
	}
}

// Lazy holds the scalars of InnerLazy. Alpha and Gamma belong to the representation w = Alpha*u + Gamma*d,
// whose u and d are in Cells. In this representation a step costs only as many operations as the row has
// nonzeros.
type Lazy struct {
	Alpha, Gamma float64 // 1 and 0 at the start
	Q            float64 // 1 - eta*kappa, in (0, 1], where kappa I is the matrix K of Steps

	// The fields below are used only with a ball. The norm of w follows from the inner products.
	Radius     float64
	UU, UD, DD float64 // |u|², u'd, |d|²
	AlphaSum   float64 // sum of the values of Alpha after each step
	GammaSum   float64 // sum of the values of Gamma after each step
	GammaLimit float64 // |Gamma| above which the loop stops, because the terms of |w|² would cancel
}

// lazyFloor is the Alpha below which InnerLazy stops, because u grows like 1/Alpha and digits
// would be lost.
const lazyFloor = 0x1p-7

// InnerLazy runs inner steps on w = Alpha*u + Gamma*d, for a matrix K = kappa I (see Steps). With b the label
// for the logistic loss and 1 for other losses, and sums in the 8 lanes of the numeric contract:
//
//	z = (b*Alpha)*(a_i'u) + (b*Gamma)*(a_i'd)
//	Alpha = Q*Alpha,  Gamma = FMA(Q, Gamma, -Eta)
//	delta = Slope0[i] - slope(z),  r = delta*(Eta/Alpha),  g = Eta*delta
//	u[j] = FMA(r, a_i[j], u[j]),  h[j] = FMA(g, a_i[j], h[j])   for the nonzeros of row i
//
// Here slope(z) is the slope of LogisticSlopes at label*margin = z, or of SquaredSlopes at
// margin = z.
//
// If norm2 is not nil, every step also projects w onto the ball of radius l.Radius around the origin. norm2
// holds |a_i|² for every row. The cells then hold q in the place of h. The sum of the iterates, counted from
// the time when AlphaSum, GammaSum and q were 0, is AlphaSum*u - q + GammaSum*d. Here q corrects the first
// term: the earlier iterates had an earlier u.
//
//	q[j] = FMA(r*AlphaSum, a_i[j], q[j])                            for the nonzeros of row i
//	UU = FMA(r, FMA(r, norm2[i], 2*(a_i'u)), UU),  UD = FMA(r, a_i'd, UD)
//	n2 = FMA(Alpha², UU, FMA(2*Alpha*Gamma, UD, Gamma²*DD))
//	if n2 > Radius²:  f = Radius/sqrt(n2),  Alpha = f*Alpha,  Gamma = f*Gamma
//	AlphaSum += Alpha,  GammaSum += Gamma
//
// The loop stops once Alpha is below 2^-7, so that u does not grow too large, or, with a ball, once |Gamma|
// is above GammaLimit. It returns the number of steps done. The caller then calls Form or begins anew with
// Set. Source: Zhao, Li, Zhou, Scalable Stochastic ADMM, inner loop of Algorithm 1.
func InnerLazy(c Cells, norm2 []float64, l *Lazy, s *Steps, sampled []int32) int {
	const fn = "InnerLazy"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkCells(fn, c, &s.Rows)
	a.checkOutput(fn, "the cells", c)
	a.cells, a.norm2, a.lazy = c, norm2, *l
	if norm2 == nil {
		a.lazy.GammaLimit = math.Inf(1)
	} else {
		checkLen(fn, "norm2", len(norm2), s.Rows.Len())
		checkApart(fn, "the cells", c, "norm2", norm2)
		raceRead(norm2)
	}
	done := a.run(active.innerLazy, innerLazyGeneric)
	a.lazy.GammaLimit = l.GammaLimit
	*l = a.lazy
	return done
}

func checkCells(fn string, c Cells, a *Rows) {
	if len(c) < cellSize || len(c)%cellSize != 0 {
		panicf("%s: %d numbers are not cells; make them with NewCells", fn, len(c))
	}
	checkColumns(fn, "Cells", c.Len(), a)
	raceWrite(c)
}
