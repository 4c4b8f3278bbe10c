package rows

import (
	"math"
	"slices"
)

// Different returns the different numbers of all processes in increasing order, or if
// there are more than so many the first that many; none is NaN.
func (t *Team) Different(v []float64, most int) (all []float64) {
	own := least(v, most)
	if t == nil {
		return own
	}
	for len(all) < most {
		first := math.Inf(1)
		if len(own) > 0 {
			first = own[0]
		}
		next := t.Least(first)
		if math.IsInf(next, 1) {
			break
		}
		all = append(all, next)
		if first == next {
			own = own[1:]
		}
	}
	return all
}

// least returns the first so many different numbers in increasing order.
func least(v []float64, most int) (own []float64) {
	last := math.NaN()
	for _, x := range v {
		if x == last || len(own) == most && x > own[most-1] {
			continue
		}
		last = x
		if at, there := slices.BinarySearch(own, x); !there {
			own = slices.Insert(own, at, x)[:min(len(own)+1, most)]
		}
	}
	return own
}

// Balanced returns sample weights that give two classes, labels −1 and +1, the same total,
// with mean 1.
func (t *Team) Balanced(labels []float64) []float64 {
	var rows [2]float64
	for _, b := range labels {
		rows[class(b)]++
	}
	t.Sum(rows[:])
	w := make([]float64, len(labels))
	for i, b := range labels {
		w[i] = (rows[0] + rows[1]) / (2 * rows[class(b)])
	}
	return w
}

func class(label float64) int {
	if label > 0 {
		return 1
	}
	return 0
}

// Sides count the rows whose loss rises at last as the margin goes the way of a direction, and
// those whose loss never does. Rows whose margin stays, or whose weight is 0, are neither.
type Sides [2]float64

// Add counts rows, whose margins change by along. weights may be nil.
func (s *Sides) Add(l Loss, along, labels, weights []float64) {
	for i, v := range along {
		if v == 0 || weights != nil && weights[i] == 0 {
			continue
		}
		side := 0
		if lo, hi := l.SlopeRange(labels[i]); v > 0 && hi <= 0 || v < 0 && lo >= 0 {
			side = 1
		}
		s[side]++
	}
}

// Apart reports whether the direction separates the rows: the loss of none rises, and that of
// some never does. Of two classes, it tells them apart.
func (s *Sides) Apart() bool { return s[0] == 0 && s[1] > 0 }

// Separates reports whether a direction, in which margins change by along, separates the rows
// of all processes.
func (t *Team) Separates(l Loss, along, labels, weights []float64) bool {
	var s Sides
	s.Add(l, along, labels, weights)
	t.Sum(s[:])
	return s.Apart()
}
