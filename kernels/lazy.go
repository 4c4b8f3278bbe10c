package kernels

import "math"

// Cells holds the vectors of the lazy inner loops, InnerLazyCells and InnerLazyBallCells. The vectors are
// interleaved by column, so that a step touches one cache line for each nonzero. Column j is
// Cells[4j:4j+4], with u[j], d[j], h[j] and +0 in this order; InnerLazyCells defines these vectors.
// After the last column follows a cell of zeros.
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

// RowSum sets h to the vector h of InnerLazyCells: the sum of g a_i over the steps since Set. After
// steps of InnerLazyBallCells it sets h to the vector q of that function.
func (c Cells) RowSum(h []float64) {
	checkLen("Cells.RowSum", "h", len(h), c.Len())
	for j := range h {
		h[j] = c[cellSize*j+2]
	}
}

// Lazy holds the scalars Alpha and Gamma of the representation w = Alpha*u + Gamma*d; Cells holds u
// and d. In this representation a step of InnerLazyCells costs only as many operations as the row has
// nonzeros.
type Lazy struct {
	Alpha, Gamma float64 // 1 and 0 at the start
	Q            float64 // 1 - eta*kappa, in (0, 1], where kappa I is the matrix K of Steps
}

// lazyFloor is the Alpha below which a lazy loop stops, because u grows like 1/Alpha and digits
// would be lost.
const lazyFloor = 0x1p-7

// LazyBall holds the scalars of InnerLazyBallCells: Alpha and Gamma as in Lazy, and inner products
// from which the norm of w follows.
type LazyBall struct {
	Lazy
	Radius     float64
	UU, UD, DD float64 // |u|², u'd, |d|²
	AlphaSum   float64 // sum of the values of Alpha after each step
	GammaSum   float64 // sum of the values of Gamma after each step
	GammaLimit float64 // |Gamma| above which the loop stops, because the terms of |w|² would cancel
}

// InnerLazyCells runs inner steps on w = Alpha*u + Gamma*d, for a matrix K = kappa I (see Steps)
// and without a projection. With b the label for the logistic loss and 1 for other losses, and sums
// in the 8 lanes of the numeric contract:
//
//	z = (b*Alpha)*(a_i'u) + (b*Gamma)*(a_i'd)
//	Alpha = Q*Alpha,  Gamma = FMA(Q, Gamma, -Eta)
//	delta = Slope0[i] - slope(z),  r = delta*(Eta/Alpha),  g = Eta*delta
//	u[j] = FMA(r, a_i[j], u[j]),  h[j] = FMA(g, a_i[j], h[j])   for the nonzeros of row i
//
// Here slope(z) is the slope of LogisticSlopes at label*margin = z, or of SquaredSlopes at
// margin = z. The loop stops once Alpha is below 2^-7, so that u does not grow too large,
// and returns the number of steps done; the caller then calls Form. Source: Zhao, Li,
// Zhou, Scalable Stochastic ADMM, inner loop of Algorithm 1.
func InnerLazyCells(c Cells, l *Lazy, s *Steps, sampled []int32) int {
	const fn = "InnerLazyCells"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkCells(fn, c, &s.Rows)
	a.checkOutput(fn, "the cells", c)
	a.cells, a.ball.Lazy = c, *l
	done := a.run(active.innerLazyCells, innerLazyCellsGeneric)
	*l = a.ball.Lazy
	return done
}

// InnerLazyBallCells is InnerLazyCells with projection onto the ball of radius l.Radius
// around the origin. InnerLazyCells explains a_i, u, d, h and r; LazyBall has the scalars.
// norm2 holds |a_i|² for every row. The cells hold q in the place of h. The sum of the
// iterates, counted from the time when AlphaSum, GammaSum and q were 0, is
// AlphaSum*u - q + GammaSum*d. Here q corrects the first term: the earlier iterates had
// an earlier u.
//
//	q[j] = FMA(r*AlphaSum, a_i[j], q[j])                            for the nonzeros of row i
//	UU = FMA(r, FMA(r, norm2[i], 2*(a_i'u)), UU),  UD = FMA(r, a_i'd, UD)
//	n2 = FMA(Alpha², UU, FMA(2*Alpha*Gamma, UD, Gamma²*DD))
//	if n2 > Radius²:  f = Radius/sqrt(n2),  Alpha = f*Alpha,  Gamma = f*Gamma
//	AlphaSum += Alpha,  GammaSum += Gamma
//
// The loop stops once Alpha is below 2^-7 or |Gamma| above GammaLimit, and returns the
// number of steps done.
func InnerLazyBallCells(c Cells, norm2 []float64, l *LazyBall, s *Steps, sampled []int32) int {
	const fn = "InnerLazyBallCells"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkCells(fn, c, &s.Rows)
	a.checkOutput(fn, "the cells", c)
	checkLen(fn, "norm2", len(norm2), s.Rows.Len())
	checkApart(fn, "the cells", c, "norm2", norm2)
	raceRead(norm2)
	a.cells, a.norm2, a.ball = c, norm2, *l
	done := a.run(active.innerLazyCells, innerLazyCellsGeneric)
	*l = a.ball
	return done
}

func checkCells(fn string, c Cells, a *Rows) {
	if len(c) < cellSize || len(c)%cellSize != 0 {
		panicf("%s: %d numbers are not cells; make them with NewCells", fn, len(c))
	}
	checkColumns(fn, "Cells", c.Len(), a)
	raceWrite(c)
}
