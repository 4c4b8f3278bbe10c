package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/solver/internal/rows"
)

// defaultFolds is the default number of folds. If there are fewer rows, each row is a fold.
const defaultFolds = 10

func (c *crossValidation) assignFolds() error {
	set := c.set
	n, _ := c.x.Dims()
	rowsBefore, rowTotal := c.team.PrefixSums([]float64{float64(n)})
	c.rowsBefore = int(rowsBefore[0])
	totalRows := int(rowTotal[0])
	hasAssignment := c.team.Any(set.Assignment != nil)
	if err := c.countFolds(n, totalRows, hasAssignment); err != nil {
		return err
	}
	c.foldOf, c.result.Assignment = make([]int32, n), set.Assignment
	for i, k := range set.Assignment {
		c.foldOf[i] = int32(k)
	}
	if !hasAssignment {
		c.drawFolds()
	}
	if !hasAssignment && !c.spec.streams() {
		c.result.Assignment = make([]int, n)
		for i, k := range c.foldOf {
			c.result.Assignment[i] = int(k)
		}
	}
	return c.checkFolds()
}

// countFolds sets c.folds. n is the number of rows of this process, and totalRows the number of rows of all
// processes. hasAssignment is true if any process has an Assignment.
func (c *crossValidation) countFolds(n, totalRows int, hasAssignment bool) error {
	if totalRows < 2 {
		return errorf("CV of one row: it holds out some rows and fits the others; give two rows or more")
	}
	c.folds = c.set.Folds
	switch {
	case hasAssignment:
		if err := c.team.CommonError(checkAssignment(c.set.Assignment, n, totalRows)); err != nil {
			return err
		}
		c.folds = 1 + int(c.team.MaxNumber(float64(slices.Max(c.set.Assignment))))
	case c.folds == 0:
		c.folds = min(defaultFolds, totalRows)
	}
	switch {
	case hasAssignment && (c.folds < 2 || c.folds > totalRows):
		return errorf("CVSettings.Assignment has folds 0 to %d; the number of folds must be between 2 and %d",
			c.folds-1, totalRows)
	case c.folds < 2 || c.folds > totalRows:
		return errorf("CVSettings.Folds = %d; it must be between 2 and %d, the number of rows, or 0 for %d",
			c.folds, totalRows, min(defaultFolds, totalRows))
	}
	return nil
}

func checkAssignment(folds []int, n, totalRows int) error {
	if len(folds) != n {
		return errorf("CVSettings.Assignment has length %d; the data have %d rows", len(folds), n)
	}
	for i, k := range folds {
		if k < 0 || k >= totalRows {
			return errorf("CVSettings.Assignment[%d] = %d; folds are numbered from 0, and there are at "+
				"most as many as rows", i, k)
		}
	}
	return nil
}

// drawFolds draws the fold of each row. The fold does not depend on which process has the row.
//
// The rows of each class are cut into sections of c.folds rows. The rows of a section get all
// folds, in a random order. The last section of a class may have fewer rows, which get consecutive
// folds, in a random order. These folds begin after the folds of the last section of the previous
// class; after the last fold comes fold 0. So the numbers of rows of the folds differ by at most
// one, in each class and in total.
func (c *crossValidation) drawFolds() {
	counts := make([]float64, c.strata())
	c.eachRow(func(_, class int) { counts[class]++ })
	countsBefore, totalCounts := c.team.PrefixSums(counts)
	positions, sizes, firstFolds := make([]int, len(counts)), make([]int, len(counts)),
		make([]int, len(counts))
	for class := range counts {
		positions[class], sizes[class] = int(countsBefore[class]), int(totalCounts[class])
		if class > 0 {
			firstFolds[class] = (firstFolds[class-1] + sizes[class-1]) % c.folds
		}
	}
	var source rand.PCG
	rng := rand.New(&source)
	// For each class: the number of its current section (see drawFolds), and the folds of the section's rows.
	currentSection, sectionFolds := slices.Repeat([]int{-1}, len(counts)), make([][]int, len(counts))
	c.eachRow(func(i, class int) {
		section := positions[class] / c.folds
		if currentSection[class] != section {
			source.Seed(c.spec.Seed, (uint64(class)<<32+uint64(section))*0x9e3779b97f4a7c15+0x5ca5)
			sectionFolds[class] = sectionFolds[class][:0]
			for k := range min(c.folds, sizes[class]-section*c.folds) {
				sectionFolds[class] = append(sectionFolds[class], (firstFolds[class]+k)%c.folds)
			}
			rng.Shuffle(len(sectionFolds[class]),
				func(a, b int) { o := sectionFolds[class]; o[a], o[b] = o[b], o[a] })
			currentSection[class] = section
		}
		c.foldOf[i] = int32(sectionFolds[class][positions[class]%c.folds])
		positions[class]++
	})
}

// eachRow calls do for each row i of this process. class is the number of its class, or 0 if the
// labels are numbers.
func (c *crossValidation) eachRow(do func(i, class int)) {
	for lo, hi := range rows.Parts(c.x, rows.PartRows) {
		for i := lo; i < hi; i++ {
			do(i, c.classOfRow(i))
		}
	}
}

// checkFolds counts the rows of each fold. It returns an error if a fold has no row, or if all rows
// of a class are in one fold.
func (c *crossValidation) checkFolds() error {
	foldRows, strata := make([]float64, c.folds), c.strata()
	// For each class: minus the number of its first row, minus its least fold, and its largest
	// fold. Because of the signs, the maximum over all processes is right for all three.
	bounds := slices.Repeat([]float64{math.Inf(-1)}, 3*strata)
	c.eachRow(func(i, class int) {
		k := int(c.foldOf[i])
		foldRows[k]++
		classBounds := bounds[3*class:]
		classBounds[0] = max(classBounds[0], -float64(c.rowsBefore+i))
		classBounds[1], classBounds[2] = max(classBounds[1], -float64(k)), max(classBounds[2], float64(k))
	})
	c.mostRows = int(c.team.MaxNumber(slices.Max(foldRows)))
	c.team.Sum(foldRows)
	c.team.Max(bounds)
	for k, n := range foldRows {
		if n == 0 {
			return errorf("CVSettings.Assignment: fold %d of %d has no row", k, c.folds)
		}
	}
	for class := range c.empty.Classes.Values {
		classBounds := bounds[3*class:]
		if -classBounds[1] == classBounds[2] {
			return errorf("no fold but %v has rows of label %s, row %v the first: the models of the "+
				"others need every class; give two rows or more of each, in different folds",
				classBounds[2], c.empty.Classes.Name(class), -classBounds[0])
		}
	}
	return nil
}

func pick(v []float64, rows []int) []float64 {
	if v == nil {
		return nil
	}
	values := make([]float64, len(rows))
	for k, i := range rows {
		values[k] = v[i]
	}
	return values
}
