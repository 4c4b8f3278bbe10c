package draw

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/sparse/graph"
)

// point is a place in the plane.
type point struct{ x, y float64 }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }
func (p point) length() float64     { return math.Hypot(p.x, p.y) }

// parted returns p - q and its length; a vector of length 1 in a fixed direction
// if the two are on top of each other.
func parted(p, q point, angle float64) (delta point, length float64) {
	delta = p.minus(q)
	if length = delta.length(); length < 1e-9 {
		return point{math.Cos(angle), math.Sin(angle)}, 1
	}
	return delta, length
}

// layoutRounds is how many rounds of majorisation a component gets.
const layoutRounds = 150

// layoutComponent places the nodes of a connected graph, given by its adjacency
// lists, so that distances resemble the number of edges between nodes: classical
// scaling first, then majorisation of the stress sum (d_ij - |p_i - p_j|)^2/d_ij^2
// (Gansner, Koren and North 2004). Nothing in it is random.
func layoutComponent(adj [][]int) []point {
	distance := hops(adj)
	at := classicalScaling(distance)
	for round := range layoutRounds {
		worst := 0.0
		for i := range at {
			to := leastStress(at, distance[i], i, round)
			worst = max(worst, to.minus(at[i]).length())
			at[i] = to
		}
		if worst < 1e-3 {
			break
		}
	}
	return at
}

// leastStress returns the place of node i that the others, by their distances,
// want on average.
func leastStress(at []point, distance []float64, i, round int) point {
	var sum point
	weight := 0.0
	for j, p := range at {
		if i == j {
			continue
		}
		d := distance[j]
		w := 1 / (d * d)
		delta, length := parted(at[i], p, float64(i)+float64(round))
		sum.x += w * (p.x + d*delta.x/length)
		sum.y += w * (p.y + d*delta.y/length)
		weight += w
	}
	return point{sum.x / weight, sum.y / weight}
}

// hops returns the distances between all nodes, in edges. Neighbours of
// well-connected nodes are put a little farther away: otherwise the nodes of a
// dense graph, all two apart, pile up.
func hops(adj [][]int) [][]float64 {
	all := make([][]float64, len(adj))
	for s := range adj {
		all[s] = hopsFrom(adj, s)
		for _, j := range adj[s] {
			common := min(len(adj[j]), len(adj[s]))
			all[s][j] = 0.7 + 0.3*math.Sqrt(float64(common))/2
		}
	}
	return all
}

// hopsFrom counts the edges to every node by breadth-first search.
func hopsFrom(adj [][]int, s int) []float64 {
	d := slices.Repeat([]float64{-1}, len(adj))
	d[s] = 0
	for queue := []int{s}; len(queue) > 0; queue = queue[1:] {
		for _, j := range adj[queue[0]] {
			if d[j] < 0 {
				d[j] = d[queue[0]] + 1
				queue = append(queue, j)
			}
		}
	}
	return d
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
	if !e.Factorize(b, true) { // does not happen for finite numbers
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
// margin the room around a component. Components are packed in rows, large ones
// first. It returns the places, who has one, and the size of the picture.
func layout(g *graph.Graph, unit, margin, width float64) (at []point, drawn []bool, size point) {
	of, count := g.Components()
	members, number := make([][]int, count), make([]int, g.Nodes())
	for i, k := range of {
		number[i] = len(members[k])
		members[k] = append(members[k], i)
	}
	slices.SortStableFunc(members, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	adj := neighbours(g, number)
	at, drawn = make([]point, g.Nodes()), make([]bool, g.Nodes())
	var corner point
	rowHeight := 0.0
	for _, m := range members {
		if len(m) < 2 {
			break
		}
		lists := make([][]int, len(m))
		for k, i := range m {
			lists[k] = adj[i]
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
		if !pushApart(at, least) {
			break
		}
	}
	return at
}

// pushApart moves every two nodes that are nearer than least away from each
// other, and returns whether there were any.
func pushApart(at []point, least float64) (moved bool) {
	for i := range at {
		for j := range i {
			distance := at[i].minus(at[j]).length()
			if distance >= least*(1-1e-3) {
				continue
			}
			delta, length := parted(at[i], at[j], float64(i))
			push := (least - distance) / (2 * length)
			at[i] = point{at[i].x + push*delta.x, at[i].y + push*delta.y}
			at[j] = point{at[j].x - push*delta.x, at[j].y - push*delta.y}
			moved = true
		}
	}
	return moved
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

// neighbours returns the adjacency lists, by the nodes' numbers.
func neighbours(g *graph.Graph, number []int) [][]int {
	adj := make([][]int, g.Nodes())
	for _, e := range g.Edges() {
		adj[e.I] = append(adj[e.I], number[e.J])
		adj[e.J] = append(adj[e.J], number[e.I])
	}
	return adj
}
