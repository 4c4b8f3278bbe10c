package linalg

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// A SparseCholesky is the Cholesky factor L of a matrix diag(d) + A'diag(w)A with a sparse A. Its rows and
// columns are put in an order in which L has few entries: the next column is always one with about the fewest
// entries in the matrix that remains after the columns before it are eliminated (minimum degree order).
type SparseCholesky struct {
	a     *sparse.CSR
	order []int32 // column k of L belongs to row and column order[k] of the matrix
	// Column k of L has the diagonal entry diagonal[k], and the entry value[i] in row index[i] for
	// start[k] ≤ i < start[k+1]. The rows increase.
	start    []int
	index    []int32
	value    []float64
	diagonal []float64
	// For each pair of entries in a row of A, in the order of Factor: the place to which Factor adds their
	// product. This is an index of value or, if it is negative, diagonal[−1 − place].
	places []int32

	work []float64 // scratch memory
	// Scratch memory of factor. A column whose entries are not all used yet waits in the list of the row of its
	// next entry, which is entry next[column]. first has the first column of the list of each row, and after the
	// column that follows in the same list; −1 ends a list.
	next         []int
	first, after []int32
}

// NewSparseCholesky chooses the order for matrices of order n. A has n columns; nil means diagonal matrices.
// The result is nil if Factor would need more multiplications than limit, or if it would take long to find the order.
func NewSparseCholesky(a *sparse.CSR, n int, limit float64) *SparseCholesky {
	c := &SparseCholesky{a: a, start: make([]int, 1, n+1)}
	adjacent := neighbours(a, n, limit)
	if adjacent == nil {
		return nil
	}
	columns := c.eliminate(adjacent, limit)
	if columns == nil {
		return nil
	}
	position := make([]int32, n)
	for k, j := range c.order {
		position[j] = int32(k)
	}
	for _, j := range c.order {
		rows := columns[j]
		for k, i := range rows {
			rows[k] = position[i]
		}
		slices.Sort(rows)
		c.index = append(c.index, rows...)
		c.start = append(c.start, len(c.index))
	}
	c.value, c.diagonal, c.work = pages.Make[float64](len(c.index)), make([]float64, n), make([]float64, n)
	c.next, c.first, c.after = make([]int, n), make([]int32, n), make([]int32, n)
	c.findPlaces(position)
	return c
}

// neighbours returns, for each column j of A, the other columns that share a row with it. The result is nil if Factor
// certainly needs more multiplications than limit.
func neighbours(a *sparse.CSR, n int, limit float64) [][]int32 {
	out := make([][]int32, n)
	if a == nil {
		return out
	}
	rows, _ := a.Dims()
	pairs := 0.0
	for row := range rows {
		idx, _ := a.Row(row)
		pairs += PairsOf(len(idx))
	}
	if pairs > limit {
		return nil
	}
	transpose := a.Transpose()
	lastSeenBy := make([]int32, n) // the number k of the last call of each that visited the column
	// each calls do for each neighbour of column j. k must be another number in each call, and not 0.
	each := func(j, k int32, do func(i int32)) {
		lastSeenBy[j] = k
		inRows, _ := transpose.Row(int(j))
		for _, row := range inRows {
			idx, _ := a.Row(int(row))
			for _, i := range idx {
				if lastSeenBy[i] != k {
					lastSeenBy[i] = k
					do(i)
				}
			}
		}
	}
	// Below its diagonal, L has at least total/2 entries. Factor needs the fewest multiplications if these entries are
	// spread evenly over the n columns, e = total/(2n) in each. It then needs n e²/2 of them.
	total, most := 0, 2*math.Sqrt(2*limit*float64(n))
	for j := range int32(n) {
		each(j, j+1, func(int32) { total++ })
		if float64(total) > most {
			return nil
		}
	}
	all := make([]int32, 0, total)
	for j := range int32(n) {
		first := len(all)
		each(j, -j-1, func(i int32) { all = append(all, i) })
		out[j] = all[first:len(all):len(all)]
	}
	return out
}

const (
	mostWork = 2e8 // the largest number of entries of lists that eliminate reads
	// A column of a matrix of order n counts as full if it has more than fullPart·√n neighbours.
	fullPart = 10
)

// eliminate sets c.order. For each column of the matrix, it returns the rows of the entries that this column has in
// L. adjacent has the rows of the off-diagonal entries of each column of the matrix; eliminate changes it. The result
// is nil if Factor would need more multiplications than limit, or if eliminate reads more than mostWork numbers.
//
// When a column is eliminated, each two of its rows get an entry in the matrix that remains. These entries are not
// stored: for each column that is not yet eliminated, eliminate stores which eliminated columns have it as a row.
// The degree of a column is the number of its entries in the matrix that remains. Only an upper bound of the degree
// is computed, which may count a row once for each eliminated column (Amestoy, Davis, Duff 1996, AMD).
//
// Full columns, such as the column of an intercept, are eliminated last. L gets an entry for each full column in each
// other column, even where it would be 0.
func (c *SparseCholesky) eliminate(adjacent [][]int32, limit float64) (rows [][]int32) {
	n, work, multiplications := len(adjacent), 0, 0.0
	rows = make([][]int32, n)
	eliminated := make([][]int32, n) // for each other column j: the eliminated columns whose rows have j
	var full []int32
	isFull := make([]bool, n)
	for j, list := range adjacent {
		if float64(len(list)) > fullPart*math.Sqrt(float64(n)) {
			full, isFull[j] = append(full, int32(j)), true
		}
	}
	for k := range full {
		multiplications += PairsOf(k)
	}
	if multiplications > limit {
		return nil
	}
	lists := newDegreeLists(n)
	for j := range adjacent {
		if !isFull[j] {
			adjacent[j] = slices.DeleteFunc(adjacent[j], func(i int32) bool { return isFull[i] })
			lists.add(int32(j), len(adjacent[j]))
		}
	}
	// absorbed[e] is true if all rows of the eliminated column e are rows of a later eliminated column. Then e is not
	// needed any more.
	absorbed := make([]bool, n)
	// inColumn[i] is 1 plus the last eliminated column that has the row i. others[e] is the number of rows of e that
	// are not rows of the column that is being eliminated, if counted[e] is 1 plus this column.
	inColumn, counted, others := make([]int32, n), make([]int32, n), make([]int, n)
	for len(c.order) < n-len(full) {
		j := lists.removeLeast()
		mark, column := j+1, make([]int32, 0, lists.degree[j])
		inColumn[j] = mark
		collect := func(list []int32) {
			work += len(list)
			for _, i := range list {
				if inColumn[i] != mark {
					inColumn[i] = mark
					column = append(column, i)
				}
			}
		}
		collect(adjacent[j])
		for _, e := range eliminated[j] {
			collect(rows[e])
			absorbed[e] = true
		}
		multiplications += PairsOf(len(column) + len(full))
		if multiplications > limit || work > mostWork {
			return nil
		}
		c.order, rows[j] = append(c.order, j), column
		for _, i := range column {
			work += len(eliminated[i]) + len(adjacent[i])
			for _, e := range eliminated[i] {
				if counted[e] != mark {
					counted[e], others[e] = mark, len(rows[e])
				}
				others[e]--
			}
		}
		for _, i := range column {
			adjacent[i] = slices.DeleteFunc(adjacent[i], func(k int32) bool { return inColumn[k] == mark })
			bound := len(adjacent[i]) + len(column) - 1
			eliminated[i] = slices.DeleteFunc(eliminated[i], func(e int32) bool {
				absorbed[e] = absorbed[e] || others[e] == 0
				if !absorbed[e] {
					bound += others[e]
				}
				return absorbed[e]
			})
			eliminated[i] = append(eliminated[i], j)
			lists.remove(i)
			lists.add(i, min(bound, lists.degree[i]+len(column)-1, n-len(c.order)-1))
		}
	}
	for _, j := range c.order {
		rows[j] = append(rows[j], full...)
	}
	for k, j := range full {
		c.order, rows[j] = append(c.order, j), slices.Clone(full[k+1:])
	}
	return rows
}

// degreeLists is a doubly linked list of columns for each degree.
type degreeLists struct {
	degree        []int   // of each column
	first         []int32 // the first column of each list; −1 ends a list
	before, after []int32 // the neighbours of a column in its list
	least         int     // no list of a smaller degree has a column
}

func newDegreeLists(n int) *degreeLists {
	return &degreeLists{
		degree: make([]int, n), first: slices.Repeat([]int32{-1}, n), before: make([]int32, n),
		after: make([]int32, n),
	}
}

func (l *degreeLists) add(j int32, degree int) {
	following := l.first[degree]
	l.degree[j], l.before[j], l.after[j], l.first[degree] = degree, -1, following, j
	if following >= 0 {
		l.before[following] = j
	}
	l.least = min(l.least, degree)
}

func (l *degreeLists) remove(j int32) {
	before, after := l.before[j], l.after[j]
	if before >= 0 {
		l.after[before] = after
	} else {
		l.first[l.degree[j]] = after
	}
	if after >= 0 {
		l.before[after] = before
	}
}

// removeLeast removes a column of the smallest degree, and returns it. There must be a column.
func (l *degreeLists) removeLeast() int32 {
	for l.first[l.least] < 0 {
		l.least++
	}
	j := l.first[l.least]
	l.remove(j)
	return j
}

// findPlaces sets c.places. position[j] is the number of the column of L that belongs to column j of A.
func (c *SparseCholesky) findPlaces(position []int32) {
	if c.a == nil {
		return
	}
	rows, _ := c.a.Dims()
	for row := range rows {
		idx, _ := c.a.Row(row)
		for k, i := range idx {
			for _, j := range idx[:k+1] {
				column, below := min(position[i], position[j]), max(position[i], position[j])
				if i == j {
					c.places = append(c.places, -1-column)
					continue
				}
				lo, hi := c.start[column], c.start[column+1]
				at, _ := slices.BinarySearch(c.index[lo:hi], below)
				c.places = append(c.places, int32(lo+at))
			}
		}
	}
}

// A returns the matrix A.
func (c *SparseCholesky) A() *sparse.CSR { return c.a }

// Entries returns the number of entries of L below its diagonal.
func (c *SparseCholesky) Entries() int { return len(c.index) }

// Multiplications returns the number of multiplications of Factor.
func (c *SparseCholesky) Multiplications() float64 {
	sum := 0.0
	for k := range c.diagonal {
		sum += PairsOf(c.start[k+1] - c.start[k])
	}
	return sum
}

// PairsOf returns the number of pairs in a row with count entries, including each entry's pair with itself.
func PairsOf(count int) float64 { return float64(count * (count + 1) / 2) }

// Factor factors the matrix diag(d) + A'diag(w)A. It reports whether the matrix is positive definite.
func (c *SparseCholesky) Factor(d, w []float64) bool {
	clear(c.value)
	for k, j := range c.order {
		c.diagonal[k] = d[j]
	}
	place := 0
	for row, weight := range w {
		idx, val := c.a.Row(row)
		for k := range idx {
			u := float64(weight * val[k])
			for _, v := range val[:k+1] {
				if at := c.places[place]; at < 0 {
					c.diagonal[-1-at] = math.FMA(u, v, c.diagonal[-1-at])
				} else {
					c.value[at] = math.FMA(u, v, c.value[at])
				}
				place++
			}
		}
	}
	return c.factor()
}

// factor replaces the entries of the matrix, which c.value and c.diagonal have, by those of L.
func (c *SparseCholesky) factor() bool {
	const none = -1
	for k := range c.first {
		c.first[k] = none
	}
	for k := range c.diagonal {
		lo, hi := c.start[k], c.start[k+1]
		for i := lo; i < hi; i++ {
			c.work[c.index[i]] = c.value[i]
		}
		for column := c.first[k]; column != none; {
			following := c.after[column]
			i, end := c.next[column], c.start[column+1]
			factor := c.value[i]
			c.diagonal[k] = math.FMA(-factor, factor, c.diagonal[k])
			for m := i + 1; m < end; m++ {
				c.work[c.index[m]] = math.FMA(-factor, c.value[m], c.work[c.index[m]])
			}
			c.wait(column, i+1)
			column = following
		}
		if !(c.diagonal[k] > 0 && c.diagonal[k] <= math.MaxFloat64) {
			return false
		}
		c.diagonal[k] = math.Sqrt(c.diagonal[k])
		for i := lo; i < hi; i++ {
			c.value[i] = c.work[c.index[i]] / c.diagonal[k]
		}
		c.wait(int32(k), lo)
	}
	return true
}

// wait puts the column into the list of the row of its entry i, if it has such an entry.
func (c *SparseCholesky) wait(column int32, i int) {
	if i < c.start[column+1] {
		row := c.index[i]
		c.next[column], c.after[column], c.first[row] = i, c.first[row], column
	}
}

// Solve sets dst to the solution of L L' v = b, in the order of the matrix; dst may be b.
func (c *SparseCholesky) Solve(dst, b []float64) {
	c.Forward(c.work, b)
	c.Backward(dst, c.work)
}

// Forward sets dst to the solution of L v = b. b is in the order of the matrix, and dst in the order of L.
// They must not overlap.
func (c *SparseCholesky) Forward(dst, b []float64) {
	for k, j := range c.order {
		dst[k] = b[j]
	}
	for k, d := range c.diagonal {
		v := dst[k] / d
		dst[k] = v
		for i := c.start[k]; i < c.start[k+1]; i++ {
			dst[c.index[i]] = math.FMA(-v, c.value[i], dst[c.index[i]])
		}
	}
}

// Backward sets dst to the solution of L'v = b, and changes b. b is in the order of L, and dst in the order of
// the matrix. They must not overlap.
func (c *SparseCholesky) Backward(dst, b []float64) {
	for k := len(b) - 1; k >= 0; k-- {
		sum := b[k]
		for i := c.start[k]; i < c.start[k+1]; i++ {
			sum = math.FMA(-c.value[i], b[c.index[i]], sum)
		}
		b[k] = sum / c.diagonal[k]
		dst[c.order[k]] = b[k]
	}
}
