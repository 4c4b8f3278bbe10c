package gap

import (
	"math"
	"slices"
)

// A closing says how eⱼ = 0 is reached at the features that need it: by the multipliers of
// rows, one after the other, and for the roots by a change of α.
//
// A step changes the multiplier of its row by what closes its feature. Other features of the
// row take up the change: those of later steps, roots, and features that need not be closed.
// With edges of a graph the steps climb a tree of each component, from the leaves to a root or
// to a feature that need not be closed.
type closing struct {
	steps []closingStep
	roots []root
}

type closingStep struct {
	row, feature int32
	entry        float64
	alone        bool // the feature is all that the row has
}

// A root is a feature F that no row closes. What there is of e when all steps are done is n'e: X n
// is the column by which α moves it. A n = 0 at the rows of steps, n = 1 at the root and 0 at
// other roots and at features that need not be closed.
type root struct {
	feature int32
	n       []part
}

// A part is an entry of a sparse vector.
type part struct {
	feature int32
	value   float64
}

// newClosing finds the steps. closed reports which features need not be closed, largest is that of
// each column: a column without entries is no root, if a row can close it.
func newClosing(r *Penalty, closed []bool, largest []float64) *closing {
	grown, left := slices.Clone(closed), 0
	for _, done := range closed {
		if !done {
			left++
		}
	}
	c := &closing{steps: make([]closingStep, 0, left)}
	for j, row := range r.Singleton {
		if !grown[j] && row >= 0 {
			c.steps = append(c.steps, closingStep{row: row, feature: int32(j), entry: r.SingletonEntry[j], alone: true})
			grown[j] = true
		}
	}
	if r.M != nil {
		c.grow(r, grown, largest)
		slices.Reverse(c.steps) // the last to grow is the first to be closed
		c.vectors(len(closed), r)
	} else {
		for j, done := range grown {
			if !done {
				c.addRoot(int32(j))
				c.roots[len(c.roots)-1].n = []part{{int32(j), 1}}
			}
		}
	}
	return c
}

func (c *closing) addRoot(j int32) { c.roots = append(c.roots, root{feature: j}) }

// grow adds a step for every row that has one feature outside of what has grown, and a root
// where there is no such row.
func (c *closing) grow(r *Penalty, grown []bool, largest []float64) {
	outside := make([]int, r.Len()) // features of a row
	var ready []int32
	for row := range outside {
		idx, val := r.M.Row(row)
		for k, j := range idx {
			if val[k] != 0 && !grown[j] {
				outside[row]++
			}
		}
		if outside[row] == 1 {
			ready = append(ready, int32(row))
		}
	}
	add := func(j int32) {
		grown[j] = true
		rows, val := r.T.Row(int(j))
		for k, row := range rows {
			if val[k] == 0 {
				continue
			}
			if outside[row]--; outside[row] == 1 {
				ready = append(ready, row)
			}
		}
	}
	for next, empty := 0, false; ; {
		for len(ready) > 0 {
			row := ready[0]
			ready = ready[1:]
			if outside[row] != 1 {
				continue
			}
			idx, val := r.M.Row(int(row))
			for k, j := range idx {
				if val[k] != 0 && !grown[j] {
					c.steps = append(c.steps, closingStep{row: row, feature: j, entry: val[k]})
					add(j)
					break
				}
			}
		}
		for next < len(grown) && (grown[next] || largest[next] == 0 && !empty) {
			next++
		}
		if next == len(grown) {
			if empty {
				return
			}
			next, empty = 0, true
			continue
		}
		c.addRoot(int32(next))
		add(int32(next))
	}
}

// vectors finds the vectors n of the roots.
func (c *closing) vectors(p int, r *Penalty) {
	of := make([][]part, p) // of each feature, the roots (not features) whose n have it
	for k := range c.roots {
		c.roots[k].n = nil
		of[c.roots[k].feature] = []part{{int32(k), 1}}
	}
	sum := make([]float64, len(c.roots))
	for _, s := range slices.Backward(c.steps) {
		if s.alone {
			continue
		}
		var seen []int32
		r.each(s.row, func(j int32, v float64) {
			for _, m := range of[j] {
				if sum[m.feature] == 0 {
					seen = append(seen, m.feature)
				}
				sum[m.feature] -= float64(float64(v*m.value) / s.entry)
			}
		})
		for _, k := range seen {
			if sum[k] != 0 {
				of[s.feature] = append(of[s.feature], part{k, sum[k]})
				sum[k] = 0
			}
		}
	}
	for j, parts := range of {
		for _, m := range parts {
			root := &c.roots[m.feature]
			root.n = append(root.n, part{int32(j), m.value})
		}
	}
}

// run does the steps, given e and bounds of its errors. It changes z, and sets slack to bounds
// of how far the stored z are from those that close the features.
func (c *closing) run(r *Penalty, e, errors, z, slack []float64) {
	for _, s := range c.steps {
		j, a := s.feature, math.Abs(s.entry)
		by := -e[j] / s.entry
		off := errors[j]/a + float64(2*unit*math.Abs(by))
		e[j], errors[j] = 0, 0
		if z[s.row] += by; !s.alone {
			r.each(s.row, func(k int32, v float64) {
				if k != j {
					e[k] = math.FMA(v, by, e[k])
					errors[k] += float64(off*math.Abs(v)) + float64(2*unit*math.Abs(e[k]))
				}
			})
		}
		slack[s.row] += off + float64(2*unit*math.Abs(z[s.row]))
	}
}
