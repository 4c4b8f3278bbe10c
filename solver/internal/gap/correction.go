package gap

import (
	"math"
	"slices"
)

// A correction is the order in which Problem.Bound makes the dual residual eⱼ = 0 at the features where it
// must be 0. A step changes the multiplier of one row of A so that eⱼ = 0 at one feature of the row. It also
// changes e at the other features of the row. Later steps correct these, except at roots and where eⱼ need
// not be 0.
//
// For the edges of a graph, the steps go through a spanning tree of each component, from the leaves to the
// root, or to a feature at which eⱼ need not be 0.
type correction struct {
	steps []correctionStep
	roots []root
	// N is the matrix whose columns are the vectors n of the roots (see root). rowsOfN[j] has the non-zero
	// entries of row j of N; the index of an entry is the index of its root. rowsOfN is nil without roots.
	rowsOfN [][]sparseEntry
}

type correctionStep struct {
	row, feature int32
	entry        float64 // the entry of A at (row, feature)
	singleton    bool    // the row has no other entry
}

// A root is a feature F whose dual residual e_F must be 0, although no step makes it 0. Only a change of α,
// the samples' part of the dual point, can do this. After the steps, e_F is n'e, where e is the vector of all
// dual residuals before the steps. n is 1 at F, 0 at all other roots, and 0 where eⱼ need not be 0. A n = 0
// at the rows of A that the steps use.
type root struct {
	feature int32
	n       []sparseEntry
}

type sparseEntry struct {
	index int32
	value float64
}

// newCorrection chooses the steps and roots of a correction. relaxed[j] is true if the dual residual eⱼ need
// not be 0. largest[j] is the largest |x_ij| in column j of X. If largest[j] is 0, eⱼ does not depend on α.
// Such features are the last choice for roots.
func newCorrection(pen *Penalty, relaxed []bool, largest []float64) *correction {
	reached, stepCount := slices.Clone(relaxed), 0
	for _, done := range relaxed {
		if !done {
			stepCount++
		}
	}
	c := &correction{steps: make([]correctionStep, 0, stepCount)}
	for j, row := range pen.Singleton {
		if !reached[j] && row >= 0 {
			c.steps = append(c.steps,
				correctionStep{row: row, feature: int32(j), entry: pen.SingletonEntry[j], singleton: true})
			reached[j] = true
		}
	}
	if pen.M != nil { // an identity A has only singleton rows
		c.buildSteps(pen, reached, largest)
		slices.Reverse(c.steps) // buildSteps has added the last step of the correction first
	}
	if len(c.roots) > 0 {
		c.setRootVectors(len(relaxed), pen)
	}
	return c
}

// buildSteps adds steps to c.steps, the last step of the correction first. A feature is reached if it is a
// root, has a step, or may have a dual residual eⱼ other than 0. If only one feature of a row is not reached,
// the row gives a step for this feature. If no row gives a step, buildSteps makes a feature a root.
func (c *correction) buildSteps(pen *Penalty, reached []bool, largest []float64) {
	unreachedCount := make([]int, pen.Len()) // for each row of A: the number of features that are not reached
	var ready []int32
	for row := range unreachedCount {
		idx, _ := pen.M.Row(row)
		for _, j := range idx {
			if !reached[j] {
				unreachedCount[row]++
			}
		}
		if unreachedCount[row] == 1 {
			ready = append(ready, int32(row))
		}
	}
	add := func(j int32) {
		reached[j] = true
		rows, _ := pen.T.Row(int(j))
		for _, row := range rows {
			unreachedCount[row]--
			if unreachedCount[row] == 1 {
				ready = append(ready, row)
			}
		}
	}
	// allowEmpty is true once features with largest[j] = 0 may become roots.
	for candidate, allowEmpty := 0, false; ; {
		for len(ready) > 0 {
			row := ready[0]
			ready = ready[1:]
			if unreachedCount[row] != 1 {
				continue
			}
			idx, val := pen.M.Row(int(row))
			for k, j := range idx {
				if !reached[j] {
					c.steps = append(c.steps, correctionStep{row: row, feature: j, entry: val[k]})
					add(j)
					break
				}
			}
		}
		for candidate < len(reached) && (reached[candidate] || largest[candidate] == 0 && !allowEmpty) {
			candidate++
		}
		if candidate == len(reached) {
			if allowEmpty {
				return
			}
			candidate, allowEmpty = 0, true
			continue
		}
		c.roots = append(c.roots, root{feature: int32(candidate)})
		add(int32(candidate))
	}
}

// setRootVectors sets c.rowsOfN and the vector n of each root (see root). At the row of each step, A n = 0.
// This equation gives the entry of n at the feature of the step. The entries at the other features of the row
// are known, because setRootVectors goes from the last step to the first. p is the number of features.
func (c *correction) setRootVectors(p int, pen *Penalty) {
	c.rowsOfN = make([][]sparseEntry, p)
	for k, root := range c.roots {
		c.rowsOfN[root.feature] = []sparseEntry{{int32(k), 1}}
	}
	sum := make([]float64, len(c.roots))
	for _, s := range slices.Backward(c.steps) {
		if s.singleton {
			continue
		}
		var roots []int32
		pen.EachEntry(s.row, func(j int32, v float64) {
			for _, m := range c.rowsOfN[j] {
				if sum[m.index] == 0 {
					roots = append(roots, m.index)
				}
				sum[m.index] -= float64(float64(v*m.value) / s.entry)
			}
		})
		for _, k := range roots {
			if sum[k] != 0 {
				c.rowsOfN[s.feature] = append(c.rowsOfN[s.feature], sparseEntry{k, sum[k]})
				sum[k] = 0
			}
		}
	}
	for j, row := range c.rowsOfN {
		for _, m := range row {
			root := &c.roots[m.index]
			root.n = append(root.n, sparseEntry{int32(j), m.value})
		}
	}
}

// apply performs the steps. Each step changes a multiplier in z so that the dual residual eⱼ of one feature j
// is 0. eErr bounds the errors of e. Because of rounding, the stored multiplier differs from the multiplier
// that makes eⱼ exactly 0. apply adds a bound of this difference to zErr.
func (c *correction) apply(pen *Penalty, e, eErr, z, zErr []float64) {
	for _, s := range c.steps {
		j, a := s.feature, math.Abs(s.entry)
		change := -e[j] / s.entry
		multiplierErr := eErr[j]/a + float64(2*roundoff*math.Abs(change))
		e[j], eErr[j] = 0, 0
		z[s.row] += change
		if !s.singleton {
			pen.EachEntry(s.row, func(k int32, v float64) {
				if k != j {
					e[k] = math.FMA(v, change, e[k])
					eErr[k] += float64(multiplierErr*math.Abs(v)) + float64(2*roundoff*math.Abs(e[k]))
				}
			})
		}
		zErr[s.row] += multiplierErr + float64(2*roundoff*math.Abs(z[s.row]))
	}
}
