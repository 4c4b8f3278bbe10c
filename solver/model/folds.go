package model

import (
	"math"
	"math/rand/v2"
	"slices"
)

// defaultFolds is the default number of folds. If there are fewer rows, each row is a fold.
const defaultFolds = 10

// maxStreamedFolds is the largest number of folds out of core, where the fold of a row is stored in one byte.
const maxStreamedFolds = 256

// An assignment has the fold of each row of this process.
type assignment struct {
	wide  []int
	bytes []uint8 // used out of core instead of wide
}

func (a *assignment) fold(i int) int {
	if a.bytes != nil {
		return int(a.bytes[i])
	}
	return a.wide[i]
}

func (a *assignment) set(i, fold int) {
	if a.bytes != nil {
		a.bytes[i] = uint8(fold)
	} else {
		a.wide[i] = fold
	}
}

func (c *crossing) assign() error {
	set := c.set
	n, _ := c.x.Dims()
	before, total := c.team.Before([]float64{float64(n)})
	c.rowsBefore = int(before[0])
	all := int(total[0])
	given := c.team.Any(set.Assignment != nil)
	if err := c.countFolds(n, all, given); err != nil {
		return err
	}
	if c.spec.streams() {
		c.foldOf.bytes = make([]uint8, n)
	} else {
		c.foldOf.wide = make([]int, n)
	}
	if given {
		for i, k := range set.Assignment {
			c.foldOf.set(i, k)
		}
		c.result.Assignment = set.Assignment
	} else {
		c.draw()
		c.result.Assignment = c.foldOf.wide
	}
	return c.checkFolds()
}

// countFolds sets c.folds. n is the number of rows of this process, and all the number of rows of all
// processes. given is true if any process has an Assignment.
func (c *crossing) countFolds(n, all int, given bool) error {
	if all < 2 {
		return errorf("CV of one row: it holds out some rows and fits the others; give two rows or more")
	}
	most := all
	if c.spec.streams() {
		most = min(most, maxStreamedFolds)
	}
	switch c.folds = c.set.Folds; {
	case given:
		if err := c.team.Agreed(checkAssignment(c.set.Assignment, n, all)); err != nil {
			return err
		}
		c.folds = 1 + int(c.team.Most(float64(slices.Max(c.set.Assignment))))
	case c.folds == 0:
		c.folds = min(defaultFolds, all)
	}
	switch {
	case given && (c.folds < 2 || c.folds > most):
		return errorf("CVSettings.Assignment has folds 0 to %d; the number of folds must be between 2 and %d", c.folds-1, most)
	case c.folds < 2 || c.folds > most:
		return errorf("CVSettings.Folds = %d; it must be between 2 and %d, for %d rows, or 0 for %d",
			c.folds, most, all, min(defaultFolds, all))
	}
	return nil
}

func checkAssignment(assigned []int, n, all int) error {
	if len(assigned) != n {
		return errorf("CVSettings.Assignment has length %d; the data have %d rows", len(assigned), n)
	}
	for i, k := range assigned {
		if k < 0 || k >= all {
			return errorf("CVSettings.Assignment[%d] = %d; folds are numbered from 0, and there are at "+
				"most as many as rows", i, k)
		}
	}
	return nil
}

// draw draws the fold of each row. The fold does not depend on which process has the row.
//
// The rows of each class are cut into sections of c.folds rows. The rows of a section get all
// folds, in a random order. The last section of a class may have fewer rows, which get consecutive
// folds, in a random order. These folds begin after the folds of the last section of the previous
// class; after the last fold comes fold 0. So the numbers of rows of the folds differ by at most
// one, in each class and in total.
func (c *crossing) draw() {
	count := make([]float64, c.strata())
	c.eachRow(func(_, class int) { count[class]++ })
	before, total := c.team.Before(count)
	at, all, first := make([]int, len(count)), make([]int, len(count)), make([]int, len(count))
	for class := range count {
		at[class], all[class] = int(before[class]), int(total[class])
		if class > 0 {
			first[class] = (first[class-1] + all[class-1]) % c.folds
		}
	}
	var source rand.PCG
	rng := rand.New(&source)
	// For each class: the number of the current section, and the folds of the rows in this section.
	drawn, order := slices.Repeat([]int{-1}, len(count)), make([][]int, len(count))
	c.eachRow(func(i, class int) {
		section := at[class] / c.folds
		if drawn[class] != section {
			source.Seed(c.spec.Seed, (uint64(class)<<32+uint64(section))*0x9e3779b97f4a7c15+0x5ca5)
			order[class] = order[class][:0]
			for k := range min(c.folds, all[class]-section*c.folds) {
				order[class] = append(order[class], (first[class]+k)%c.folds)
			}
			rng.Shuffle(len(order[class]), func(a, b int) { o := order[class]; o[a], o[b] = o[b], o[a] })
			drawn[class] = section
		}
		c.foldOf.set(i, order[class][at[class]%c.folds])
		at[class]++
	})
}

// eachRow calls do for each row i of this process. class is the number of its class, or 0 if the
// labels are numbers.
func (c *crossing) eachRow(do func(i, class int)) {
	for lo, hi := range parts(c.x, rowsPerRelease) {
		for i := lo; i < hi; i++ {
			do(i, c.class(i))
		}
	}
}

// checkFolds counts the rows of each fold. It returns an error if a fold has no row, or if all rows
// of a class are in one fold.
func (c *crossing) checkFolds() error {
	rows, classes := make([]float64, c.folds), c.strata()
	// For each class: minus the number of its first row, minus its least fold, and its largest
	// fold. Because of the signs, the maximum over all processes is right for all three.
	bounds := slices.Repeat([]float64{math.Inf(-1)}, 3*classes)
	c.eachRow(func(i, class int) {
		k := c.foldOf.fold(i)
		rows[k]++
		at := bounds[3*class:]
		at[0] = max(at[0], -float64(c.rowsBefore+i))
		at[1], at[2] = max(at[1], -float64(k)), max(at[2], float64(k))
	})
	c.mostRows = slices.Clone(rows)
	c.team.Max(c.mostRows)
	c.team.Sum(rows)
	c.team.Max(bounds)
	for k, n := range rows {
		if n == 0 {
			return errorf("CVSettings.Assignment: fold %d of %d has no row", k, c.folds)
		}
	}
	for class, label := range c.labels {
		at := bounds[3*class:]
		if -at[1] == at[2] {
			return errorf("no fold but %v has rows of label %v, row %v the first: the models of the "+
				"others need every class; give two rows or more of each, in different folds", at[2], label, -at[0])
		}
	}
	return nil
}

func pick(v []float64, rows []int) []float64 {
	if v == nil {
		return nil
	}
	part := make([]float64, len(rows))
	for k, i := range rows {
		part[k] = v[i]
	}
	return part
}
