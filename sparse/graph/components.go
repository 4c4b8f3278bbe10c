package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/faults"
)

// ComponentError reports that a connected component (see Covariance.Components) is too large to solve, or
// that more than MaxEdges pairs of features have |c_ij| > Penalty.
type ComponentError struct {
	Penalty float64 // the penalty that was asked for
	// Size is the number of features of the largest component. With too many pairs, Size is only a lower
	// bound of this number, so it need not exceed Limit.
	Size  int
	Limit int // largest size accepted
	// Fits is a penalty that causes no such error: usually the smallest one, rounded up to six digits. It is
	// 0 if the penalty is fixed.
	Fits float64
}

// Error says what is too large, and which penalty to choose.
func (e *ComponentError) Error() string { return e.remedyError().Error() }

// Reword returns the text of Error for the users of a program; see sparse.RemedyError.Reword.
func (e *ComponentError) Reword(words func(sparse.Remedy) string) string {
	return e.remedyError().Reword(words)
}

func (e *ComponentError) remedyError() *sparse.RemedyError {
	err := errorf("penalty %.6g: %d features or more would have to be solved together, more than %d",
		e.Penalty, e.Size, e.Limit)
	if e.Size <= e.Limit {
		err = errorf("penalty %.6g: more than %d pairs of features would be joined", e.Penalty, MaxEdges)
	}
	remedyErr := &sparse.RemedyError{Err: err}
	if e.Fits > 0 {
		larger := sparse.Remedy{Field: "Options.Penalty", To: fmt.Sprintf("%.6g or more", e.Fits)}
		remedyErr.Remedies = []sparse.Remedy{larger}
	}
	return remedyErr
}

// Components returns the connected components of the graph that joins features i and j if
// |c_ij| > penalty, except components of one member. Members are in increasing order; components are
// in the order of their smallest members. The graphical lasso with that penalty can be solved for each
// component by itself, because its solution has the entry 0 for features of different components
// (Witten, Friedman and Simon 2011; Mazumder and Hastie 2012). If a component is larger than limit, or
// if more than MaxEdges pairs have |c_ij| > penalty, the error is a *ComponentError. threads is
// the number of goroutines; 0 means one per processor.
func (c *Covariance) Components(penalty float64, limit, threads int) ([][]int32, error) {
	floor := math.Nextafter(penalty, math.Inf(1))
	pairs, finalFloor := c.strongestPairs(floor, MaxEdges, threads)
	f := newForest(c.n)
	largest := 1
	for _, p := range pairs {
		largest = max(largest, f.join(p.I, p.J))
	}
	if largest > limit || finalFloor > floor { // finalFloor > floor: some pairs are missing
		return nil, &ComponentError{
			Penalty: penalty, Size: largest, Limit: limit,
			Fits: roundUp(fittingPenalty(c.n, pairs, finalFloor, limit)),
		}
	}
	numbers, count := f.numbers()
	members := make([][]int32, count)
	for i, k := range numbers {
		members[k] = append(members[k], int32(i))
	}
	return slices.DeleteFunc(members, func(m []int32) bool { return len(m) < 2 }), nil
}

// fittingPenalty joins the pairs in decreasing order of their absolute values, and returns the absolute
// value of the first pair that makes a component larger than limit. If no pair does, it returns finalFloor,
// the absolute value below which pairs are missing.
func fittingPenalty(n int, pairs []Edge, finalFloor float64, limit int) float64 {
	slices.SortStableFunc(pairs,
		func(a, b Edge) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	f := newForest(n)
	for _, p := range pairs {
		if f.join(p.I, p.J) > limit {
			return math.Abs(p.Weight)
		}
	}
	return finalFloor
}

// roundUp returns the smallest number with six significant digits that is at least v, for v > 0.
func roundUp(v float64) float64 {
	// A step is at most one unit of the sixth digit. Nextafter matters only for the smallest numbers, which
	// the factor does not change.
	for candidate := v; ; candidate = math.Nextafter(candidate*(1+1e-6), math.Inf(1)) {
		if r, _ := strconv.ParseFloat(strconv.FormatFloat(candidate, 'g', 6, 64), 64); r >= v {
			return r
		}
	}
}

// Blocks calls do for every group of features, with the number k of the group and the covariance
// matrix s of its members, row by row. The members of a group must be in increasing order. do may keep
// s. threads is the number of goroutines, which call do concurrently; 0 means one per processor. Blocks
// begins with the large groups, so that all goroutines end at about the same time.
func (c *Covariance) Blocks(groups [][]int32, threads int, do func(k int, s []float64)) {
	order := make([]int, len(groups))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(groups[b]) - len(groups[a]) })
	faults.Each(threads, len(order), func() func(k int) {
		r := newCovarianceRow(c.n)
		return func(k int) { do(order[k], c.block(groups[order[k]], r)) }
	})
}

// block returns the covariance matrix of the given features, row by row. members must be in increasing
// order; r is scratch memory.
func (c *Covariance) block(members []int32, r *covarianceRow) []float64 {
	n := len(members)
	s := make([]float64, n*n)
	for a, i := range members {
		c.fillRow(int(i), int(i)+1, r)
		s[a*n+a] = c.diag[i]
		for b := a + 1; b < n; b++ {
			j := members[b]
			v := r.value[j]
			if !r.listed[j] {
				v = c.disjointEntry(int(i), int(j))
			}
			s[a*n+b], s[b*n+a] = v, v
		}
	}
	return s
}

// forest is a partition of 0..n-1 into sets that can be joined (union-find with
// path halving). The root of a set is its smallest member.
type forest struct {
	parent []int32
	size   []int32 // number of members of each root's set
}

func newForest(n int) *forest {
	f := &forest{parent: make([]int32, n), size: make([]int32, n)}
	for i := range n {
		f.parent[i], f.size[i] = int32(i), 1
	}
	return f
}

func (f *forest) find(i int32) int32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

func (f *forest) join(i, j int32) int {
	a, b := f.find(i), f.find(j)
	if a == b {
		return int(f.size[a])
	}
	a, b = min(a, b), max(a, b)
	f.parent[b] = a
	f.size[a] += f.size[b]
	return int(f.size[a])
}

// numbers returns, for each member, the number of its set, and the count of the sets. Sets are
// numbered from 0 in the order of their smallest members.
func (f *forest) numbers() (numbers []int, count int) {
	numbers = make([]int, len(f.parent))
	for i := range numbers {
		if root := f.find(int32(i)); int(root) == i {
			numbers[i] = count
			count++
		} else {
			numbers[i] = numbers[root] // the root is smaller, so its number is known
		}
	}
	return numbers, count
}
