package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file has the folds of data that are gone through in pieces, and what scores them.

// maxStreamedFolds is how many folds there may be where each row has a byte for its own.
const maxStreamedFolds = 256

// heldShare is the part of the memory that rows take that are looked at at a time to judge
// models, in the file and for those of the fold a second time; scoreShare is that which
// scores take that are kept of all rows of a fold.
const heldShare, scoreShare = 16, 2

// pieceRows is how many rows are looked at at a time.
func (c *heldOut) pieceRows() int {
	n, _ := c.x.Dims()
	const ofRow, ofFit, ofEntry = 16, 24, 12
	row := ofRow + float64(ofFit*c.problems.count()) + ofEntry*float64(c.x.NNZ())/float64(n)
	return max(1, int(float64(c.spec.Memory)/heldShare/row))
}

// atOnce is how many models the scores of so many rows leave room for at a time.
func (c *heldOut) atOnce(rows []int) int {
	bytes := 8 * c.kept
	if c.spec.SampleWeights != nil {
		bytes *= 2
	}
	all := 0
	for _, n := range rows {
		all += n
	}
	if bytes == 0 {
		return len(c.result.Lambdas)
	}
	return int(c.spec.Memory / scoreShare / int64(bytes*all))
}

// configure implements folding: it draws folds, or takes those of the settings, and sees that the rest of each has
// all classes, and that there is room for what is kept of it.
func (c *heldOut) configure(set *CVSettings) error {
	n, _ := c.x.Dims()
	if err := c.begin(set, n, min(n, maxStreamedFolds)); err != nil {
		return err
	}
	c.foldOf = make([]uint8, n)
	for i, k := range set.Assignment {
		c.foldOf[i] = uint8(k)
	}
	if set.Assignment == nil {
		c.draw()
	}
	if err := c.checkHeld(); err != nil {
		return err
	}
	for _, rows := range c.rows {
		if c.by == ByAUC && c.atOnce(rows) < 1 {
			return fmt.Errorf("model: %w: the AUC of a fold is of the scores of all its rows, for which there is no room; take more folds", ErrNotStreamed)
		}
	}
	return nil
}

// draw gives the rows folds: of each run of as many rows of a class as there are folds,
// every one has another, in random order.
func (c *heldOut) draw() {
	rng := rand.New(rand.NewPCG(c.spec.Seed, 0x5ca5))
	order := make([][]int, c.sides) // what is left of the order of each class
	c.eachLabel(func(i, class int) {
		if len(order[class]) == 0 {
			order[class] = rng.Perm(c.folds)
		}
		c.foldOf[i], order[class] = uint8(order[class][0]), order[class][1:]
	})
}

// eachLabel calls do for the class of every row, 0 for numbers.
func (c *heldOut) eachLabel(do func(i, class int)) {
	n := len(c.y)
	for lo := 0; lo < n; lo += pieceRows {
		hi := min(lo+pieceRows, n)
		for i := lo; i < hi; i++ {
			class := 0
			switch {
			case c.problems.classes != nil:
				class, _ = slices.BinarySearch(c.problems.classes, c.y[i])
			case c.sides == 2:
				class = classOf(c.y[i])
			}
			do(i, class)
		}
		c.x.Release(lo, hi)
	}
}

// checkHeld counts the rows of folds and reports one that has none, or all rows of a class.
func (c *heldOut) checkHeld() error {
	c.rows = make([][]int, c.folds)
	for k := range c.rows {
		c.rows[k] = make([]int, c.sides)
	}
	all := make([]int, c.sides)
	c.eachLabel(func(i, class int) {
		c.rows[c.foldOf[i]][class]++
		all[class]++
	})
	for k, of := range c.rows {
		if slices.Max(of) == 0 {
			return fmt.Errorf("model: fold %d of %d has no row", k, c.folds)
		}
		for class, held := range of {
			if c.sides > 1 && held > 0 && held == all[class] {
				return fmt.Errorf("model: fold %d has all %d rows of a class: the models of the others need every class; give two rows or more of each, in different folds", k, held)
			}
		}
	}
	return nil
}

// A heldScore scores a model on rows that come in pieces.
type heldScore struct {
	m      *Model
	tally  *Tally
	own    Metric  // a measure of the caller's; nil without
	sum    float64 // of own, of rows with this weight
	weight float64
}

// scorer returns what scores a model on a fold with so many rows of each class.
func (c *heldOut) scorer(m *Model, rows []int) *heldScore {
	s := &heldScore{m: m, tally: m.newTally(), own: c.own}
	if c.kept > 0 {
		s.tally = m.NewTally(rows)
	}
	return s
}

func (s *heldScore) add(t table, weight float64) error {
	if err := s.tally.Add(t.x, t.y, t.set); err != nil || s.own == nil {
		return err
	}
	v, err := s.own(s.m, t.x, t.y, t.set)
	s.sum += float64(weight * v)
	s.weight += weight
	return err
}

// value returns the measures of the model: without scores of rows there is no AUC.
func (s *heldScore) value() (scores, error) {
	found, err := s.tally.Metrics()
	if err != nil {
		return nil, err
	}
	out := found.scores()
	if s.tally.sides == nil {
		delete(out, ByAUC)
	}
	if s.own != nil {
		out[byOwn] = s.sum / s.weight
	}
	return out, nil
}
