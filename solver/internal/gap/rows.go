package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// Penalty are a penalty of v = A x,
//
//	Σ Limit |v| + Σ (Square/2) v²,
//
// with norms of groups of rows in the place of absolute values. Penalty without an entry, and
// those whose limit and square are zero, say nothing and are left out. A multiplier z of a row
// has that of the square in it: at the optimum it is z₁ + Square v with |z₁| ≤ Limit.
type Penalty struct {
	M, T   *sparse.CSR // the rows and their transpose; nil for the identity
	Limit  []float64
	Square []float64 // nil for none
	Groups []Group   // nil for none
	From   []int32   // where a row is in A
	Total  int       // rows of A

	// Features that have a row of their own: the row, −1 if there is none, and its entry.
	// Of several it is the one with the most room.
	Singleton      []int32
	SingletonEntry []float64
}

// A Group is a set of rows whose norm is penalised.
type Group struct {
	Rows  []int32
	Limit float64
}

// NewPenalty returns the rows of A for a penalty of A x.
func NewPenalty(a *linalg.Algebra, limit, square []float64, groups [][]int) *Penalty {
	l, p := a.Dims()
	r := &Penalty{Total: l, Singleton: make([]int32, p), SingletonEntry: make([]float64, p)}
	if a.Identity() && allPositive(limit, square) {
		r.Limit, r.Square, r.From = slices.Clone(limit), slices.Clone(square), make([]int32, p)
		for j := range p {
			r.From[j] = int32(j)
			r.Singleton[j], r.SingletonEntry[j] = int32(j), 1
		}
		r.join(groups)
		return r
	}
	whole := a.Matrix()
	if whole == nil {
		whole = sparse.Identity(p)
	}
	var kept []int
	for j := range l {
		if _, val := whole.Row(j); (limit[j] > 0 || square != nil && square[j] > 0) && nonzeros(val) > 0 {
			kept = append(kept, j)
			r.From = append(r.From, int32(j))
			r.Limit = append(r.Limit, limit[j])
			if square != nil {
				r.Square = append(r.Square, square[j])
			}
		}
	}
	var err error
	if r.M, err = whole.SelectRows(kept); err != nil {
		panic(err) // the rows are there
	}
	r.T = r.M.Transpose()
	r.findOwn(whole)
	r.join(groups)
	return r
}

// allPositive reports whether every row has a limit or a square.
func allPositive(limit, square []float64) bool {
	for j, v := range limit {
		if !(v > 0) && !(square != nil && square[j] > 0) {
			return false
		}
	}
	return true
}

func nonzeros(val []float64) (count int) {
	for _, v := range val {
		if v != 0 {
			count++
		}
	}
	return count
}

func (r *Penalty) findOwn(whole *sparse.CSR) {
	for j := range r.Singleton {
		r.Singleton[j] = -1
	}
	for row, from := range r.From {
		idx, val := whole.Row(int(from))
		if nonzeros(val) != 1 {
			continue
		}
		k := 0
		for val[k] == 0 {
			k++
		}
		j := idx[k]
		if was := r.Singleton[j]; was < 0 || r.room(row)*math.Abs(val[k]) > r.room(int(was))*math.Abs(r.SingletonEntry[j]) {
			r.Singleton[j], r.SingletonEntry[j] = int32(row), val[k]
		}
	}
}

// join takes groups, given over the rows of A, in the place of single rows.
func (r *Penalty) join(groups [][]int) {
	if groups == nil {
		return
	}
	at := make([]int32, r.Total)
	for j := range at {
		at[j] = -1
	}
	for k, row := range r.From {
		at[row] = int32(k)
	}
	r.Groups = []Group{}
	for _, rows := range groups {
		var g Group
		for _, row := range rows {
			if k := at[row]; k >= 0 {
				g.Rows = append(g.Rows, k)
				g.Limit = r.Limit[k]
			}
		}
		if len(g.Rows) > 0 {
			r.Groups = append(r.Groups, g)
		}
	}
}

// SetLimit changes the limits, given over the rows of A: those that are kept stay positive.
func (r *Penalty) SetLimit(limit []float64) {
	for k, row := range r.From {
		r.Limit[k] = limit[row]
	}
	for k := range r.Groups {
		r.Groups[k].Limit = r.Limit[r.Groups[k].Rows[0]]
	}
}

// Len returns the number of rows.
func (r *Penalty) Len() int { return len(r.Limit) }

// Grouped reports whether norms of groups are penalised.
func (r *Penalty) Grouped() bool { return r.Groups != nil }

// Squared reports whether a row has a square.
func (r *Penalty) Squared(row int) bool { return r.Square != nil && r.Square[row] > 0 }

// AllSingletons reports whether every feature has a row of its own.
func (r *Penalty) AllSingletons() bool {
	for _, row := range r.Singleton {
		if row < 0 {
			return false
		}
	}
	return true
}

// count returns the number of rows that have a feature.
func (r *Penalty) count(j int) int {
	if r.T == nil {
		return 1
	}
	rows, _ := r.T.Row(j)
	return len(rows)
}

// Touches reports whether some row has a feature.
func (r *Penalty) Touches(j int) bool {
	if r.T == nil {
		return true
	}
	_, val := r.T.Row(j)
	return nonzeros(val) > 0
}

// room is how large the multiplier of a row may be.
func (r *Penalty) room(row int) float64 {
	if r.Squared(row) {
		return math.Inf(1)
	}
	return r.Limit[row]
}

// each calls do for every entry of a row.
func (r *Penalty) each(row int32, do func(j int32, v float64)) {
	if r.M == nil {
		do(row, 1)
		return
	}
	idx, val := r.M.Row(int(row))
	for k, j := range idx {
		do(j, val[k])
	}
}

// Mul sets dst = A x.
func (r *Penalty) Mul(dst, x []float64) {
	if r.M == nil {
		copy(dst, x)
		return
	}
	r.M.MulVec(dst, x)
}

// AddTrans adds A'z to dst.
func (r *Penalty) AddTrans(dst, z []float64) {
	if r.M == nil {
		for j, v := range z {
			dst[j] += v
		}
		return
	}
	for j := range dst {
		rows, val := r.T.Row(j)
		for k, row := range rows {
			dst[j] = math.FMA(val[k], z[row], dst[j])
		}
	}
}

// Value returns the penalty.
func (r *Penalty) Value(v []float64) float64 {
	var sum float64
	for k := range r.Groups {
		sum += float64(r.Groups[k].Limit * r.Groups[k].Norm(v))
	}
	if !r.Grouped() {
		for j, u := range v {
			sum += float64(r.Limit[j] * math.Abs(u))
		}
	}
	for j, q := range r.Square {
		sum += float64(0.5 * q * float64(v[j]*v[j]))
	}
	return sum
}

// Restrict returns the entries of a vector over the rows of A that are kept.
func (r *Penalty) Restrict(z []float64) []float64 {
	out := make([]float64, len(r.From))
	for k, row := range r.From {
		out[k] = z[row]
	}
	return out
}

// Expand is the inverse of Restrict, with zeros at the rows left out.
func (r *Penalty) Expand(z []float64) []float64 {
	out := make([]float64, r.Total)
	for k, row := range r.From {
		out[row] = z[k]
	}
	return out
}

// Clip brings every z into the domain of g*.
func (r *Penalty) Clip(z []float64) {
	if !r.Grouped() {
		for j, limit := range r.Limit {
			if !r.Squared(j) {
				z[j] = math.Max(-limit, math.Min(z[j], limit))
			}
		}
	}
	for k := range r.Groups {
		r.Groups[k].fit(z)
	}
}

// shrink returns the factor that brings z, each off by slack at most, into the domain of g*.
func (r *Penalty) shrink(z, slack []float64) float64 {
	by := 1.0
	if !r.Grouped() {
		for j, v := range z {
			if limit, size := r.Limit[j], math.Abs(v)+slack[j]; size > limit && !r.Squared(j) {
				by = math.Min(by, limit/size)
			}
		}
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		size := float64(g.Norm(z)*(1+g.rounding())) + g.Norm(slack)
		by = math.Min(by, g.Limit/math.Max(size, g.Limit))
	}
	return by
}

// costs returns g(v) + g*(z) − z'v from above, where z is off by slack.
func (r *Penalty) costs(z, slack, v []float64) float64 {
	var sum float64
	for j, u := range v {
		if u == 0 && !r.Squared(j) {
			continue
		}
		if !r.Grouped() {
			sum += r.cost(j, z[j], u)
		}
		sum += float64(slack[j] * math.Abs(u))
		if r.Squared(j) {
			sum += r.unsettled(j, z[j], slack[j], u)
		}
	}
	for k := range r.Groups {
		sum += r.Groups[k].cost(z, v)
	}
	return sum
}

// cost returns g(v) + g*(z) − z v of a row that is in no group, as a sum of terms that are not
// negative.
func (r *Penalty) cost(j int, z, v float64) float64 {
	limit := r.Limit[j]
	if !r.Squared(j) {
		return float64((limit - math.Copysign(z, v*z)) * math.Abs(v))
	}
	first := math.Max(-limit, math.Min(z, limit))
	d := math.FMA(r.Square[j], v, first-z)
	return float64((limit-math.Copysign(first, v*first))*math.Abs(v)) + float64(d*d)/(2*r.Square[j])
}

// unsettled bounds what slack does to g* of a row with a square, beyond slack |v|: its
// derivative is what z exceeds the limit by, over Square.
func (r *Penalty) unsettled(j int, z, slack, v float64) float64 {
	over := math.Max(0, math.Abs(z)-r.Limit[j])
	return float64(slack*(over+slack)) / r.Square[j]
}

// Norm returns |v|₂ of the group.
func (g *Group) Norm(v []float64) float64 {
	var sum float64
	for _, row := range g.Rows {
		sum = math.FMA(v[row], v[row], sum)
	}
	return math.Sqrt(sum)
}

// fit brings |z| below the limit, however norms are rounded.
func (g *Group) fit(z []float64) {
	if norm := g.Norm(z); norm > g.Limit*(1-g.rounding()) {
		by := g.Limit / norm * (1 - float64(2*g.rounding()))
		for _, row := range g.Rows {
			z[row] *= by
		}
	}
}

// rounding bounds the relative error of a norm and of products of two vectors.
func (g *Group) rounding() float64 { return float64(float64(len(g.Rows)+8) * unit) }

// cost returns limit |v| − z'v as |v| (|z − limit v/|v||² + limit² − |z|²)/(2 limit), from
// above.
func (g *Group) cost(z, v []float64) float64 {
	norm := g.Norm(v)
	if norm == 0 {
		return 0
	}
	size, apart := g.Norm(z), 0.0
	for _, row := range g.Rows {
		d := z[row] - float64(g.Limit*(v[row]/norm))
		apart = math.FMA(d, d, apart)
	}
	left := math.Max(0, float64((g.Limit-size)*(g.Limit+size)))
	return norm * (float64(apart+left)/(2*g.Limit) + float64(2*g.rounding()*g.Limit))
}

// imageError bounds what the rounding of v = A x does to the cost of the rows, z being nil for zeros;
// that of a row with one entry is relative.
func (r *Penalty) imageError(x, v, z []float64) (sum float64) {
	if r.M == nil {
		return 0
	}
	for row, u := range v {
		idx, val := r.M.Row(row)
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
		rate := r.Limit[row]
		if z != nil {
			rate += math.Abs(z[row])
		}
		if r.Square != nil {
			rate += float64(r.Square[row] * math.Abs(u))
		}
		sum += float64(float64(len(idx)) * unit * size * rate)
	}
	return sum
}

// cancels reports whether the products of a row with x are sure to add up to 0 without an error: all
// are 0 but two, of entries of one size.
func cancels(idx []int32, val, x []float64) bool {
	count, entry, last := 0, 0.0, 0.0
	for k, j := range idx {
		if val[k] == 0 || x[j] == 0 {
			continue
		}
		if count++; count == 1 {
			entry, last = val[k], x[j]
		} else if count > 2 || val[k] != -entry && val[k] != entry || val[k]*x[j] != -(entry*last) {
			return false
		}
	}
	return count != 1
}
