package graph

// forest is a partition of 0..n-1 into sets that can be joined (union-find with
// path halving). The root of a set is its smallest member.
type forest struct {
	parent []int32
	size   []int32 // by root
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

// join joins the sets of i and j and returns the size of the result.
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

// numbers returns the number of each member's set, in the order of the smallest
// members, and how many sets there are.
func (f *forest) numbers() (of []int, count int) {
	of = make([]int, len(f.parent))
	for i := range of {
		if root := f.find(int32(i)); int(root) == i {
			of[i] = count
			count++
		} else {
			of[i] = of[root] // the root is the smallest member, so it has its number
		}
	}
	return of, count
}
