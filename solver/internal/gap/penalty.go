package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A Penalty is a function g(v) of v = A x. Without groups it is
//
//	g(v) = Σ Limit_k |v_k| + Σ (Square_k/2) v_k².
//
// With groups G of rows, the first sum is Σ Limit_G |v_G|₂. A row of A is kept if it has an entry
// and its limit or square is positive. The other rows do not change g.
//
// The multiplier z_k of a row is the dual variable of v_k. Without groups, z_k = s + Square_k v_k at the
// optimum, with |s| ≤ Limit_k.
type Penalty struct {
	M, T      *sparse.CSR // the kept rows of A and their transpose; nil if all rows of A = I are kept
	Limit     []float64   // one number for each kept row
	Square    []float64   // one number for each kept row; nil if there are no squares
	Groups    []Group     // nil if there are no groups
	KeptRows  []int32     // KeptRows[k] is the row of A that is kept as row k
	TotalRows int         // the number of rows of A

	// Singleton[j] is the kept row whose only entry is SingletonEntry[j], at feature j; −1 if there
	// is none. Of several such rows it is the one whose multiplier can change the dual residual eⱼ most.
	Singleton      []int32
	SingletonEntry []float64
}

// A Group is a set G of rows with the penalty Limit |v_G|₂. The vector v_G has the entries of v = A x for
// these rows.
type Group struct {
	Rows  []int32 // the kept rows in G; an element k stands for row Penalty.KeptRows[k] of A
	Limit float64
}

// NewPenalty returns the penalty of A x. limit and square have one number for each row of A; square may be
// nil. groups has the rows of each group; nil means no groups. If there are groups, all rows of a group must
// have the same limit, and rows outside the groups must have the limit 0.
func NewPenalty(a *linalg.Algebra, limit, square []float64, groups [][]int) *Penalty {
	l, p := a.Dims()
	pen := &Penalty{TotalRows: l, Singleton: make([]int32, p), SingletonEntry: make([]float64, p)}
	if a.IsIdentity() && allPositive(limit, square) {
		pen.Limit, pen.Square, pen.KeptRows = slices.Clone(limit), slices.Clone(square), make([]int32, p)
		for j := range p {
			pen.KeptRows[j] = int32(j)
			pen.Singleton[j], pen.SingletonEntry[j] = int32(j), 1
		}
		pen.setGroups(groups)
		return pen
	}
	matrix := a.Matrix()
	if matrix == nil {
		matrix = sparse.Identity(p)
	}
	var keptRows []int
	for j := range l {
		if _, val := matrix.Row(j); (limit[j] > 0 || square != nil && square[j] > 0) && len(val) > 0 {
			keptRows = append(keptRows, j)
			pen.KeptRows = append(pen.KeptRows, int32(j))
			pen.Limit = append(pen.Limit, limit[j])
			if square != nil {
				pen.Square = append(pen.Square, square[j])
			}
		}
	}
	var err error
	pen.M, err = matrix.SelectRows(keptRows)
	if err != nil {
		panic(err) // unreachable: all indices are in range
	}
	pen.T = pen.M.Transpose()
	pen.findSingletons(matrix)
	pen.setGroups(groups)
	return pen
}

func allPositive(limit, square []float64) bool {
	for j, v := range limit {
		if !(v > 0) && !(square != nil && square[j] > 0) {
			return false
		}
	}
	return true
}

// findSingletons sets Singleton and SingletonEntry. matrix is A with all rows.
func (pen *Penalty) findSingletons(matrix *sparse.CSR) {
	for j := range pen.Singleton {
		pen.Singleton[j] = -1
	}
	for row, keptRow := range pen.KeptRows {
		idx, val := matrix.Row(int(keptRow))
		if len(idx) != 1 {
			continue
		}
		j, entry := idx[0], val[0]
		if oldRow := pen.Singleton[j]; oldRow < 0 ||
			pen.maxMultiplier(row)*math.Abs(entry) > pen.maxMultiplier(int(oldRow))*math.Abs(pen.SingletonEntry[j]) {
			pen.Singleton[j], pen.SingletonEntry[j] = int32(row), entry
		}
	}
}

// setGroups sets pen.Groups. The argument lists the rows of A in each group; it is nil if there are
// no groups. Rows that are not kept, and groups without kept rows, are left out.
func (pen *Penalty) setGroups(groups [][]int) {
	if groups == nil {
		return
	}
	index := make([]int32, pen.TotalRows) // for each row of A, its index among the kept rows, or −1
	for j := range index {
		index[j] = -1
	}
	for k, row := range pen.KeptRows {
		index[row] = int32(k)
	}
	pen.Groups = []Group{}
	for _, rows := range groups {
		var g Group
		for _, row := range rows {
			if k := index[row]; k >= 0 {
				g.Rows = append(g.Rows, k)
				g.Limit = pen.Limit[k]
			}
		}
		if len(g.Rows) > 0 {
			pen.Groups = append(pen.Groups, g)
		}
	}
}

// SetLimit changes the limits. limit has one number for each row of A. Positive limits must stay positive.
func (pen *Penalty) SetLimit(limit []float64) {
	for k, row := range pen.KeptRows {
		pen.Limit[k] = limit[row]
	}
	for k := range pen.Groups {
		pen.Groups[k].Limit = pen.Limit[pen.Groups[k].Rows[0]]
	}
}

// Len returns the number of kept rows of A (see Penalty).
func (pen *Penalty) Len() int { return len(pen.Limit) }

func (pen *Penalty) Grouped() bool { return pen.Groups != nil }

func (pen *Penalty) Squared(row int) bool { return pen.Square != nil && pen.Square[row] > 0 }

// entryCount returns the number of kept rows of A (see Penalty) with an entry for feature j.
func (pen *Penalty) entryCount(j int) int {
	if pen.T == nil {
		return 1
	}
	rows, _ := pen.T.Row(j)
	return len(rows)
}

// Touches reports whether a kept row of A (see Penalty) has an entry for feature j.
func (pen *Penalty) Touches(j int) bool { return pen.entryCount(j) > 0 }

// maxMultiplier returns the largest |z| for which g* is finite, where z is the multiplier of the row. It is
// +Inf if the row has a square.
func (pen *Penalty) maxMultiplier(row int) float64 {
	if pen.Squared(row) {
		return math.Inf(1)
	}
	return pen.Limit[row]
}

// EachEntry calls do with the feature and the value of every entry of a kept row of A (see Penalty).
func (pen *Penalty) EachEntry(row int32, do func(j int32, v float64)) {
	if pen.M == nil {
		do(row, 1)
		return
	}
	idx, val := pen.M.Row(int(row))
	for k, j := range idx {
		do(j, val[k])
	}
}

func (pen *Penalty) Mul(dst, x []float64) {
	if pen.M == nil {
		copy(dst, x)
		return
	}
	pen.M.MulVec(dst, x)
}

// AddTrans adds A'z to dst.
func (pen *Penalty) AddTrans(dst, z []float64) {
	if pen.M == nil {
		for j, v := range z {
			dst[j] += v
		}
		return
	}
	for j := range dst {
		rows, val := pen.T.Row(j)
		for k, row := range rows {
			dst[j] = math.FMA(val[k], z[row], dst[j])
		}
	}
}

func (pen *Penalty) Value(v []float64) float64 {
	var sum float64
	for k := range pen.Groups {
		sum += float64(pen.Groups[k].Limit * pen.Groups[k].Norm(v))
	}
	if !pen.Grouped() {
		for j, u := range v {
			sum += float64(pen.Limit[j] * math.Abs(u))
		}
	}
	for j, q := range pen.Square {
		sum += float64(0.5 * q * float64(v[j]*v[j]))
	}
	return sum
}

// Restrict returns the entries of z at the rows in pen.KeptRows. z has one entry for each row of A.
func (pen *Penalty) Restrict(z []float64) []float64 {
	out := make([]float64, len(pen.KeptRows))
	for k, row := range pen.KeptRows {
		out[k] = z[row]
	}
	return out
}

// Expand returns a vector with one entry for each row of A: z[k] for row pen.KeptRows[k], and 0 for all rows
// that are not in pen.KeptRows.
func (pen *Penalty) Expand(z []float64) []float64 {
	out := make([]float64, pen.TotalRows)
	for k, row := range pen.KeptRows {
		out[row] = z[k]
	}
	return out
}

// Clip moves every multiplier into the domain of g*.
func (pen *Penalty) Clip(z []float64) {
	if !pen.Grouped() {
		for j, limit := range pen.Limit {
			if !pen.Squared(j) {
				z[j] = linalg.Clip(z[j], limit)
			}
		}
	}
	for k := range pen.Groups {
		pen.Groups[k].clip(z)
	}
}

// scaling returns the factor by which z must be multiplied to be in the domain of g*. It is at most 1. The
// exact z differs from the argument z by at most zErr.
func (pen *Penalty) scaling(z, zErr []float64) float64 {
	factor := 1.0
	if !pen.Grouped() {
		for j, v := range z {
			if limit, size := pen.Limit[j], math.Abs(v)+zErr[j]; size > limit && !pen.Squared(j) {
				factor = math.Min(factor, limit/size)
			}
		}
	}
	for k := range pen.Groups {
		g := &pen.Groups[k]
		size := float64(g.Norm(z)*(1+g.relativeError())) + g.Norm(zErr)
		factor = math.Min(factor, g.Limit/math.Max(size, g.Limit))
	}
	return factor
}

// fenchel returns an upper bound of g(v) + g*(z) − z'v for the exact z. The exact z differs from the argument
// z by at most zErr.
func (pen *Penalty) fenchel(z, zErr, v []float64) float64 {
	var sum float64
	for j, u := range v {
		if u == 0 && !pen.Squared(j) {
			continue
		}
		if !pen.Grouped() {
			sum += pen.fenchelAt(j, z[j], u)
		}
		sum += float64(zErr[j] * math.Abs(u))
		if pen.Squared(j) {
			sum += pen.squareErrorCost(j, z[j], zErr[j])
		}
	}
	for k := range pen.Groups {
		sum += pen.Groups[k].fenchel(z, v)
	}
	return sum
}

// fenchelAt returns g(v) + g*(z) − z v of row j as a sum of non-negative terms. The penalty must
// have no groups.
func (pen *Penalty) fenchelAt(j int, z, v float64) float64 {
	limit := pen.Limit[j]
	if !pen.Squared(j) {
		return float64((limit - math.Copysign(z, v*z)) * math.Abs(v))
	}
	s := linalg.Clip(z, limit)
	d := math.FMA(pen.Square[j], v, s-z)
	return float64((limit-math.Copysign(s, v*s))*math.Abs(v)) + productOver(d, d, 2*pen.Square[j])
}

// productOver returns a·b/q, also if the product underflows or overflows.
func productOver(a, b, q float64) float64 {
	if product := float64(a * b); a == 0 || linalg.SquaresFit(product) {
		return product / q
	}
	return float64(a * (b / q))
}

// squareErrorCost bounds by how much an error zErr of z changes g*(z) of row j. The row must have a positive
// square; then g*(z) = max(0, |z| − Limit)²/(2 Square).
func (pen *Penalty) squareErrorCost(j int, z, zErr float64) float64 {
	excess := math.Max(0, math.Abs(z)-pen.Limit[j])
	return productOver(zErr, excess+zErr, pen.Square[j])
}

// Norm returns |v_G|₂, the Euclidean norm over the rows of the group.
func (g *Group) Norm(v []float64) float64 { return linalg.NormAt(v, g.Rows) }

// clip scales the multipliers of the group down if their Euclidean norm may be above the limit.
func (g *Group) clip(z []float64) {
	if norm := g.Norm(z); norm > g.Limit*(1-g.relativeError()) {
		factor := g.Limit / norm * (1 - float64(2*g.relativeError()))
		for _, row := range g.Rows {
			z[row] *= factor
		}
	}
}

// shrink divides each multiplier z of the group by 1 + ν weight. All rows have the same ν ≥ 0. It is the smallest
// one for which the norm of the group's multipliers becomes at most Limit, up to rounding. No other multipliers u of
// such a norm have a smaller sum Σ (z − u)²/weight, where z are the old multipliers. Both arguments have one number
// for each kept row of A.
func (g *Group) shrink(z, weight []float64) {
	const maxSteps = 50
	start, nu := make([]float64, len(g.Rows)), 0.0
	for k, row := range g.Rows {
		start[k] = z[row]
	}
	for range maxSteps {
		norm, slope := g.Norm(z), 0.0 // slope is minus the derivative of norm with respect to ν
		if !(norm > g.Limit) {
			return
		}
		for _, row := range g.Rows {
			slope += float64(z[row] / norm * z[row] * (weight[row] / (1 + float64(nu*weight[row]))))
		}
		// This is a Newton step for 1/norm = 1/Limit. It is never too long, because 1/norm is a concave function
		// of ν.
		next := nu + float64((norm-g.Limit)/g.Limit*(norm/slope))
		if !(next > nu && next <= math.MaxFloat64) {
			return
		}
		nu = next
		for k, row := range g.Rows {
			z[row] = start[k] / (1 + float64(nu*weight[row]))
		}
	}
}

// relativeError bounds the relative rounding error of Norm.
func (g *Group) relativeError() float64 { return float64(float64(len(g.Rows)+8) * roundoff) }

// fenchel returns an upper bound of Limit |v| − z'v, where |v| and z'v are over the rows of the group only.
// The result is 0 for v = 0, and otherwise, apart from rounding,
//
//	|v| (|z − (Limit/|v|) v|² + Limit² − |z|²) / (2 Limit).
func (g *Group) fenchel(z, v []float64) float64 {
	norm := g.Norm(v)
	if norm == 0 {
		return 0
	}
	// All multipliers are divided by a power of 2 near the limit, so that their squares do not underflow.
	_, exponent := math.Frexp(g.Limit)
	unit := math.Ldexp(1, exponent-1)
	limit, size, distance2 := g.Limit/unit, g.Norm(z)/unit, 0.0
	for _, row := range g.Rows {
		d := z[row]/unit - float64(limit*(v[row]/norm))
		distance2 = math.FMA(d, d, distance2)
	}
	slack := math.Max(0, float64((limit-size)*(limit+size)))
	return norm * (unit * (float64(distance2+slack)/(2*limit) + float64(2*g.relativeError()*limit)))
}

// imageError returns an upper bound of the increase of g(v) + g*(z) − z'v that the rounding of v = A x can
// cause. A nil z means z = 0. A row with one entry is skipped: its v is accurate to the last digit.
func (pen *Penalty) imageError(x, v, z []float64) (sum float64) {
	if pen.M == nil {
		return 0
	}
	for row, u := range v {
		idx, val := pen.M.Row(row)
		if len(idx) < 2 {
			continue
		}
		var size float64
		for k, j := range idx {
			size += math.Abs(float64(val[k] * x[j]))
		}
		if size == 0 || u == 0 && cancels(idx, val, x) {
			continue
		}
		slopeBound := pen.Limit[row]
		if z != nil {
			slopeBound += math.Abs(z[row])
		}
		if pen.Square != nil {
			slopeBound += float64(pen.Square[row] * math.Abs(u))
		}
		sum += float64(float64(len(idx)) * roundoff * size * slopeBound)
	}
	return sum
}

// cancels reports whether the inner product of a row with x is exactly 0 for one of two reasons. First, all
// products are 0. Second, exactly two products are not 0; their entries of the row are equal and their
// coordinates opposite, or the other way round.
func cancels(idx []int32, val, x []float64) bool {
	products, firstEntry, firstCoordinate := 0, 0.0, 0.0
	for k, j := range idx {
		if x[j] == 0 {
			continue
		}
		products++
		if products == 1 {
			firstEntry, firstCoordinate = val[k], x[j]
		} else if opposite := val[k] == firstEntry && x[j] == -firstCoordinate ||
			val[k] == -firstEntry && x[j] == firstCoordinate; products > 2 || !opposite {
			return false
		}
	}
	return products != 1
}
