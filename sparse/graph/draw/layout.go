package draw

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/gonum/stat/mds"

	"github.com/scas-admm/scas/sparse/graph"
)

// difference returns p - q and its length. If p and q coincide, it returns a vector of length 1,
// whose direction is the argument angle in radians, and the length 1.
func difference(p, q r2.Vec, angle float64) (delta r2.Vec, length float64) {
	delta = r2.Sub(p, q)
	length = r2.Norm(delta)
	if length < 1e-9 {
		return r2.Vec{X: math.Cos(angle), Y: math.Sin(angle)}, 1
	}
	return delta, length
}

const layoutRounds = 150

// layoutComponent returns positions of the nodes of a connected graph, given by its adjacency lists.
// The distance of the positions p_i and p_j resembles d_ij, the distance of the nodes i and j in the graph
// (see distances). layoutComponent begins with classical scaling, and then minimises
// the stress, sum (d_ij - |p_i - p_j|)^2/d_ij^2, by majorisation (Gansner, Koren and North 2004). It
// uses no random numbers.
func layoutComponent(adj [][]int) []r2.Vec {
	distance := distances(adj)
	positions := classicalScaling(distance)
	for round := range layoutRounds {
		maxMove := 0.0
		for i := range positions {
			target := leastStress(positions, distance[i], i, round)
			maxMove = max(maxMove, r2.Norm(r2.Sub(target, positions[i])))
			positions[i] = target
		}
		if maxMove < 1e-3 {
			break
		}
	}
	return positions
}

// foldPath returns positions for a component that is a path longer than width, and nil for any other
// component. The positions form rows that run to the right and to the left in turn. width is the width
// of a row, and label the width that the name of a node needs, both in units of the length of an edge.
func foldPath(adj [][]int, label, width float64) []r2.Vec {
	start, endCount := 0, 0
	for i, neighbours := range adj {
		switch len(neighbours) {
		case 1:
			endCount++
			if endCount == 1 {
				start = i
			}
		case 2:
		default:
			return nil
		}
	}
	dx, dy := 1.0, 1.0
	if label > 1 {
		dx, dy = label, 0.6
	}
	nodesPerRow := max(1, 1+int(width/dx))
	if len(adj) <= nodesPerRow || endCount != 2 {
		return nil
	}
	positions := make([]r2.Vec, len(adj))
	for k, i, previous := 0, start, -1; k < len(adj); k++ {
		row, column := k/nodesPerRow, k%nodesPerRow
		if row%2 == 1 {
			column = nodesPerRow - 1 - column
		}
		positions[i] = r2.Vec{X: dx * float64(column), Y: dy * float64(row)}
		nextNode := adj[i][0]
		if nextNode == previous {
			nextNode = adj[i][len(adj[i])-1]
		}
		i, previous = nextNode, i
	}
	return positions
}

// leastStress returns a better position of node i; all other nodes stay. The position minimises a
// quadratic function that is nowhere below the stress (see layoutComponent) and equals it at the
// present position. If two nodes coincide, round decides in which direction i moves.
func leastStress(positions []r2.Vec, distance []float64, i, round int) r2.Vec {
	var sum r2.Vec
	weight := 0.0
	for j, p := range positions {
		if i == j {
			continue
		}
		d := distance[j]
		w := 1 / (d * d)
		delta, length := difference(positions[i], p, float64(i)+float64(round))
		sum.X += float64(w * (p.X + float64(d*delta.X/length)))
		sum.Y += float64(w * (p.Y + float64(d*delta.Y/length)))
		weight += w
	}
	return r2.Vec{X: sum.X / weight, Y: sum.Y / weight}
}

// distances returns the distances between all nodes. The distance of two nodes that are not neighbours
// is the number of edges of the shortest path between them. The distance of neighbours is 0.7 plus a
// term that grows with the smaller of their numbers of edges. If this distance were 1, almost all
// distances in a dense graph would be equal, and the nodes would overlap.
func distances(adj [][]int) [][]float64 {
	distance := make([][]float64, len(adj))
	for s := range adj {
		distance[s] = hopsFrom(adj, s)
		for _, j := range adj[s] {
			degree := min(len(adj[j]), len(adj[s]))
			distance[s][j] = 0.7 + float64(0.3*math.Sqrt(float64(degree))/2)
		}
	}
	return distance
}

// hopsFrom counts the edges of the shortest path from node s to every node, by breadth-first search.
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

// classicalScaling returns points in the plane with about the given distances.
func classicalScaling(distance [][]float64) []r2.Vec {
	n := len(distance)
	positions := make([]r2.Vec, n)
	var points mat.Dense
	dims, _ := mds.TorgersonScaling(&points, nil, mat.NewSymDense(n, slices.Concat(distance...)))
	for i := range positions {
		if dims > 0 {
			positions[i].X = points.At(i, 0)
		}
		if dims > 1 {
			positions[i].Y = points.At(i, 1)
		}
	}
	return positions
}

// layout computes the position of every node that has an edge. All lengths are in pixels: unit is
// the length of an edge, margin the space around a component. Components are packed in rows of about
// the given width, large ones first. drawn[i] is true if node i has a position. size is the size of
// the picture.
func layout(g *graph.Graph, unit, margin, width float64) (positions []r2.Vec, drawn []bool, size r2.Vec) {
	numbers, count := g.Components()
	members, localNumber := make([][]int, count), make([]int, g.Nodes())
	for i, k := range numbers {
		localNumber[i] = len(members[k])
		members[k] = append(members[k], i)
	}
	slices.SortStableFunc(members, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	adj := make([][]int, g.Nodes()) // numbers of the neighbours within their component
	for _, e := range g.Edges() {
		adj[e.I] = append(adj[e.I], localNumber[e.J])
		adj[e.J] = append(adj[e.J], localNumber[e.I])
	}
	positions, drawn = make([]r2.Vec, g.Nodes()), make([]bool, g.Nodes())
	var corner r2.Vec
	rowHeight := 0.0
	for _, m := range members {
		if len(m) < 2 {
			break
		}
		lists := make([][]int, len(m))
		for k, i := range m {
			lists[k] = adj[i]
		}
		localPositions := foldPath(lists, 2*(margin-4)/unit, (width-2*margin)/unit)
		if localPositions == nil {
			localPositions = separateNodes(layoutComponent(lists), clearance/unit)
		}
		localPositions, box := fitBox(localPositions, unit, margin)
		if corner.X > 0 && corner.X+box.X > width {
			corner = r2.Vec{Y: corner.Y + rowHeight}
			rowHeight = 0
		}
		for k, i := range m {
			positions[i], drawn[i] = r2.Add(corner, localPositions[k]), true
		}
		corner.X += box.X
		rowHeight = max(rowHeight, box.Y)
		size = r2.Vec{X: max(size.X, corner.X), Y: max(size.Y, corner.Y+rowHeight)}
	}
	return positions, drawn, size
}

// clearance is the distance in pixels that separateNodes tries to keep between any two nodes.
const clearance = 26

// separateNodes enlarges a crowded component, and moves apart nodes whose distance is below minDistance.
func separateNodes(positions []r2.Vec, minDistance float64) []r2.Vec {
	shortage := 0.0 // mean over the nodes of max(0, 1 - (distance of the nearest node)/minDistance)
	for i, p := range positions {
		nearest := math.Inf(1)
		for j, q := range positions {
			if i != j {
				nearest = min(nearest, r2.Norm(r2.Sub(p, q)))
			}
		}
		shortage += max(0, 1-nearest/minDistance) / float64(len(positions))
	}
	for i := range positions {
		positions[i] = r2.Scale(1+float64(1.5*shortage), positions[i])
	}
	const rounds = 100
	for range rounds {
		if !pushApart(positions, minDistance) {
			break
		}
	}
	return positions
}

// pushApart moves two nodes apart if their distance is below minDistance, for each pair of nodes. moved
// reports whether a node moved.
func pushApart(positions []r2.Vec, minDistance float64) (moved bool) {
	for i := range positions {
		for j := range i {
			distance := r2.Norm(r2.Sub(positions[i], positions[j]))
			if distance >= minDistance*(1-1e-3) {
				continue
			}
			delta, length := difference(positions[i], positions[j], float64(i))
			push := (minDistance - distance) / (2 * length)
			positions[i] = r2.Add(positions[i], r2.Scale(push, delta))
			positions[j] = r2.Sub(positions[j], r2.Scale(push, delta))
			moved = true
		}
	}
	return moved
}

// fitBox scales the positions by unit and moves them into a box with a margin. It returns the
// positions and the size of the box.
func fitBox(positions []r2.Vec, unit, margin float64) ([]r2.Vec, r2.Vec) {
	low, high := positions[0], positions[0]
	for _, p := range positions {
		low = r2.Vec{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
		high = r2.Vec{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	for k, p := range positions {
		positions[k] = r2.Vec{X: margin + float64(unit*(p.X-low.X)), Y: margin + float64(unit*(p.Y-low.Y))}
	}
	return positions, r2.Vec{
		X: float64(2*margin) + float64(unit*(high.X-low.X)),
		Y: float64(2*margin) + float64(unit*(high.Y-low.Y)),
	}
}
