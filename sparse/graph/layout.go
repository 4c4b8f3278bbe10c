package graph

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// point is a place in the plane.
type point struct{ x, y float64 }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }
func (p point) length() float64     { return math.Hypot(p.x, p.y) }

// layoutRounds is how many rounds of majorisation a component gets.
const layoutRounds = 150

// layoutComponent places the nodes of a connected graph, given by its adjacency
// lists, so that distances resemble the number of edges between nodes: classical
// scaling first, then majorisation of the stress sum (d_ij - |p_i - p_j|)^2/d_ij^2
// (Gansner, Koren and North 2004). Nothing in it is random.
func layoutComponent(adj [][]int) []point {
	n := len(adj)
	distance := hops(adj)
	at := classicalScaling(distance)
	for round := range layoutRounds {
		worst := 0.0
		for i := range n {
			var sum point
			weight := 0.0
			for j := range n {
				if i == j {
					continue
				}
				d := distance[i][j]
				w := 1 / (d * d)
				delta := at[i].minus(at[j])
				length := delta.length()
				if length < 1e-9 { // on top of each other: part them in a fixed direction
					angle := float64(i) + float64(round)
					delta, length = point{math.Cos(angle), math.Sin(angle)}, 1
				}
				sum.x += w * (at[j].x + d*delta.x/length)
				sum.y += w * (at[j].y + d*delta.y/length)
				weight += w
			}
			to := point{sum.x / weight, sum.y / weight}
			worst = max(worst, to.minus(at[i]).length())
			at[i] = to
		}
		if worst < 1e-3 {
			break
		}
	}
	return at
}

// hops returns the distances between all nodes, in edges, by breadth-first
// search. Neighbours of well-connected nodes are put a little farther away:
// otherwise the nodes of a dense graph, all two apart, pile up.
func hops(adj [][]int) [][]float64 {
	n := len(adj)
	all := make([][]float64, n)
	for s := range n {
		d := make([]float64, n)
		for i := range d {
			d[i] = -1
		}
		d[s] = 0
		for queue := []int{s}; len(queue) > 0; queue = queue[1:] {
			for _, j := range adj[queue[0]] {
				if d[j] < 0 {
					d[j] = d[queue[0]] + 1
					queue = append(queue, j)
				}
			}
		}
		for i := range d {
			if d[i] == 1 {
				common := min(len(adj[i]), len(adj[s]))
				d[i] = 0.7 + 0.3*math.Sqrt(float64(common))/2
			}
		}
		all[s] = d
	}
	return all
}

// classicalScaling embeds distances in the plane by the two leading eigenvectors
// of the doubly centred squares.
func classicalScaling(distance [][]float64) []point {
	n := len(distance)
	at := make([]point, n)
	if n == 2 {
		at[1].x = distance[0][1]
		return at
	}
	mean, total := make([]float64, n), 0.0
	for i, row := range distance {
		for _, d := range row {
			mean[i] += d * d / float64(n)
		}
		total += mean[i] / float64(n)
	}
	b := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			d := distance[i][j]
			b.SetSym(i, j, (mean[i]+mean[j]-total-d*d)/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(b, true) { // does not happen for finite numbers; a circle will do
		for i := range at {
			angle := 2 * math.Pi * float64(i) / float64(n)
			at[i] = point{math.Cos(angle), math.Sin(angle)}
		}
		return at
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	for i := range at {
		at[i] = point{
			v.At(i, n-1) * math.Sqrt(max(values[n-1], 0)),
			v.At(i, n-2) * math.Sqrt(max(values[n-2], 0)),
		}
	}
	return at
}

// layout places every node that has an edge; unit is the length of an edge,
// margin the room around a component. Components are packed in rows, large ones first. It returns the places, who has
// one, and the size of the picture.
func (g *Graph) layout(unit, margin, width float64) (at []point, drawn []bool, size point) {
	of, count := g.Components()
	members := make([][]int, count)
	for i, k := range of {
		members[k] = append(members[k], i)
	}
	slices.SortStableFunc(members, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	adj := g.neighbours()
	at, drawn = make([]point, g.n), make([]bool, g.n)
	local := make([]int, g.n)
	var corner point
	rowHeight := 0.0
	for _, m := range members {
		if len(m) < 2 {
			break
		}
		for k, i := range m {
			local[i] = k
		}
		lists := make([][]int, len(m))
		for k, i := range m {
			for _, j := range adj[i] {
				lists[k] = append(lists[k], local[j])
			}
		}
		places, box := boxed(partNodes(layoutComponent(lists), clearance/unit), unit, margin)
		if corner.x > 0 && corner.x+box.x > width {
			corner = point{0, corner.y + rowHeight}
			rowHeight = 0
		}
		for k, i := range m {
			at[i], drawn[i] = point{corner.x + places[k].x, corner.y + places[k].y}, true
		}
		corner.x += box.x
		rowHeight = max(rowHeight, box.y)
		size = point{max(size.x, corner.x), max(size.y, corner.y+rowHeight)}
	}
	return at, drawn, size
}

// clearance is the least distance between two nodes, in pixels.
const clearance = 26

// partNodes spreads a crowded component and pushes nodes apart that are nearer
// than least.
func partNodes(at []point, least float64) []point {
	crowded := 0.0 // mean lack of distance to the nearest node
	for i, p := range at {
		nearest := math.Inf(1)
		for j, q := range at {
			if i != j {
				nearest = min(nearest, p.minus(q).length())
			}
		}
		crowded += max(0, 1-nearest/least) / float64(len(at))
	}
	for i := range at {
		at[i] = point{at[i].x * (1 + 1.5*crowded), at[i].y * (1 + 1.5*crowded)}
	}
	const rounds = 100
	for range rounds {
		moved := false
		for i := range at {
			for j := range i {
				delta := at[i].minus(at[j])
				length := delta.length()
				if length >= least*(1-1e-3) {
					continue
				}
				lack := least - length
				if length < 1e-9 { // on top of each other: part them in a fixed direction
					delta, length = point{math.Cos(float64(i)), math.Sin(float64(i))}, 1
				}
				push := lack / (2 * length)
				at[i] = point{at[i].x + push*delta.x, at[i].y + push*delta.y}
				at[j] = point{at[j].x - push*delta.x, at[j].y - push*delta.y}
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	return at
}

// boxed scales places by unit and moves them into a box with a margin.
func boxed(at []point, unit, margin float64) ([]point, point) {
	low, high := at[0], at[0]
	for _, p := range at {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	for k, p := range at {
		at[k] = point{margin + unit*(p.x-low.x), margin + unit*(p.y-low.y)}
	}
	return at, point{2*margin + unit*(high.x-low.x), 2*margin + unit*(high.y-low.y)}
}

// neighbours returns the adjacency lists.
func (g *Graph) neighbours() [][]int {
	adj := make([][]int, g.n)
	for _, e := range g.edges {
		adj[e.I] = append(adj[e.I], int(e.J))
		adj[e.J] = append(adj[e.J], int(e.I))
	}
	return adj
}
