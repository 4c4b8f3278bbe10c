package model

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
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
	n, _ := c.data.Dims()
	const ofRow, ofFit, ofEntry = 16, 24, 12
	row := ofRow + float64(ofFit*c.fits()) + ofEntry*float64(c.data.NNZ())/float64(n)
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

// configure draws folds, or takes those of the settings, and sees that the rest of each has
// all classes, and that there is room for what is kept of it.
func (c *heldOut) configure(set *CVSettings) error {
	n, _ := c.data.Dims()
	if c.path = set.Path; set.Path.Validation != nil {
		return errOwnRows
	}
	if c.count = set.Folds; c.count == 0 {
		c.count = min(defaultFolds, n)
	}
	if c.result.Assignment = set.Assignment; set.Assignment != nil {
		var err error
		if c.count, err = checkFolds(set.Assignment, n); err != nil {
			return err
		}
	}
	if c.count < 2 || c.count > min(n, maxStreamedFolds) {
		return fmt.Errorf("model: %d folds of %d rows; give 2 to %d of data larger than memory", c.count, n, min(n, maxStreamedFolds))
	}
	c.folds = make([]uint8, n)
	for i, k := range set.Assignment {
		c.folds[i] = uint8(k)
	}
	if set.Assignment == nil {
		c.draw()
	}
	if err := c.checkHeld(); err != nil {
		return err
	}
	for _, rows := range c.rows {
		if c.by == ByAUC && c.atOnce(rows) < 1 {
			return fmt.Errorf("model: %w: the AUC of a fold is of the scores of all its rows, for which there is no room; take more folds", stream.ErrNotStreamed)
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
			order[class] = rng.Perm(c.count)
		}
		c.folds[i], order[class] = uint8(order[class][0]), order[class][1:]
	})
}

// eachLabel calls do for the class of every row, 0 for numbers.
func (c *heldOut) eachLabel(do func(i, class int)) {
	n := len(c.labels)
	for lo := 0; lo < n; lo += pieceRows {
		hi := min(lo+pieceRows, n)
		for i := lo; i < hi; i++ {
			class := 0
			switch {
			case c.values != nil:
				class, _ = slices.BinarySearch(c.values, c.labels[i])
			case c.sides == 2:
				class = classOf(c.labels[i])
			}
			do(i, class)
		}
		c.data.Release(lo, hi)
	}
}

// checkHeld counts the rows of folds and reports one that has none, or all rows of a class.
func (c *heldOut) checkHeld() error {
	c.rows = make([][]int, c.count)
	for k := range c.rows {
		c.rows[k] = make([]int, c.sides)
	}
	all := make([]int, c.sides)
	c.eachLabel(func(i, class int) {
		c.rows[c.folds[i]][class]++
		all[class]++
	})
	for k, of := range c.rows {
		if slices.Max(of) == 0 {
			return fmt.Errorf("model: fold %d of %d has no row", k, c.count)
		}
		for class, held := range of {
			if c.sides > 1 && held > 0 && held == all[class] {
				return fmt.Errorf("model: fold %d has all %d rows of a class: the models of the others need every class; give two rows or more of each, in different folds", k, held)
			}
		}
	}
	return nil
}

// A heldScore scores the models of a lambda on rows that come in pieces.
type heldScore struct {
	tally  func(x *sparse.CSR, y []float64, set *ScoreSettings) error
	scores func() (scores, error)
	own    func(t table) (float64, error) // a metric of the caller's; nil without
	sum    float64                        // of own, of rows with this weight
	weight float64
}

func (s *heldScore) add(t table, weight float64) error {
	if err := s.tally(t.x, t.y, t.set); err != nil || s.own == nil {
		return err
	}
	v, err := s.own(t)
	s.sum += float64(weight * v)
	s.weight += weight
	return err
}

func (s *heldScore) value() (scores, error) {
	out, err := s.scores()
	if err == nil && s.own != nil {
		out[byOwn] = s.sum / s.weight
	}
	return out, err
}

// scoreOne sets what scores models of two classes or of numbers.
func (c *heldOut) scoreOne(own Metric) {
	if c.sides == 2 {
		c.kept = 1
	}
	c.scorer = func(models []*Model, rows []int) *heldScore {
		m, t := models[0], &Tally{m: models[0]}
		if c.kept > 0 {
			t = m.NewTally([2]int{rows[0], rows[1]})
		}
		s := &heldScore{tally: t.Add, scores: func() (scores, error) { return c.known(t.Metrics()) }}
		if own != nil {
			s.own = func(t table) (float64, error) { return own(m, t.x, t.y, t.set) }
		}
		return s
	}
}

// scoreMany sets what scores models of several classes.
func (c *heldOut) scoreMany(own MultiMetric) {
	c.kept = len(c.values)
	c.scorer = func(models []*Model, rows []int) *heldScore {
		m := &Multi{Classes: c.values, Models: models}
		t := &MultiTally{m: m}
		if c.kept > 0 {
			t = m.NewTally(rows)
		}
		s := &heldScore{tally: t.Add, scores: func() (scores, error) { return c.known(t.Metrics()) }}
		if own != nil {
			s.own = func(t table) (float64, error) { return own(m, t.x, t.y, t.set) }
		}
		return s
	}
}

// known returns the measures that a tally found: without scores of rows there is no AUC.
func (c *heldOut) known(found interface{ scores() scores }, err error) (scores, error) {
	if err != nil {
		return nil, err
	}
	s := found.scores()
	if c.kept == 0 {
		delete(s, ByAUC)
	}
	return s, nil
}
