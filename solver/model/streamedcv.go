package model

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// A heldOut is a cross-validation of data that are gone through in pieces: all rows are
// fitted and then all but one fold after the other, each with all of the memory, of several
// classes one after the other. A fold is a byte of each row.
type heldOut struct {
	*crossing
	sides  int // classes, 1 for numbers
	foldOf []uint8
	rows   [][]int // of each fold and class
	kept   int     // scores of a row that are kept for the AUC of a model
}

func newHeldOut(c *crossing) *heldOut {
	h := &heldOut{crossing: c, sides: 1}
	if classifies(c.spec.loss()) {
		h.sides, h.kept = max(2, len(c.problems.classes)), c.problems.count()
	}
	return h
}

// fold implements folding.
func (c *heldOut) fold(ctx context.Context, k int) error {
	if c.by != ByAUC {
		for _, rows := range c.rows { // the AUC is to cost no further pass over the rows
			if c.atOnce(rows) < len(c.result.Lambdas) {
				c.kept = 0
			}
		}
	}
	h := held{c.foldOf, uint8(k)}
	models, err := c.without(ctx, h)
	if err != nil {
		return err
	}
	return c.judgeHeld(ctx, models, h)
}

// without returns the models of each lambda for the rows of the other folds.
func (c *heldOut) without(ctx context.Context, h held) ([]*Model, error) {
	spec := *c.one
	if spec.SampleWeights != nil || spec.ClassWeights != nil || spec.Balanced { // those of classes are of the rows that are fitted
		spec.SampleWeights = make([]float64, len(h.folds))
		for i := range spec.SampleWeights {
			switch {
			case h.folds[i] == h.fold:
			case c.one.SampleWeights == nil:
				spec.SampleWeights[i] = 1
			default:
				spec.SampleWeights[i] = c.one.SampleWeights[i]
			}
		}
	}
	parts := make([][]*Model, len(c.result.Lambdas))
	for k := range c.problems.count() {
		d, err := c.design(k, &spec, h)
		if err != nil {
			return nil, err
		}
		p, err := d.newPather(ctx, &PathSettings{Lambdas: c.result.Lambdas})
		if err != nil {
			return nil, err
		}
		for i := range parts {
			step, err := p.step(ctx, i)
			if err != nil && (step == nil || step.cut()) {
				return nil, err
			}
			parts[i] = append(parts[i], step.Model())
		}
	}
	models := make([]*Model, len(parts))
	for i, of := range parts {
		models[i] = c.join(of)
	}
	return models, nil
}

// judgeHeld sets what the models are worth on the rows of their fold.
func (c *heldOut) judgeHeld(ctx context.Context, models []*Model, h held) error {
	rows := c.rows[h.fold]
	var all []scores
	for some := range slices.Chunk(models, c.atOnce(rows)) {
		scorers := make([]*heldScore, len(some))
		for i, of := range some {
			scorers[i] = c.scorer(of, rows)
		}
		if err := c.score(ctx, scorers, h); err != nil {
			return err
		}
		for _, s := range scorers {
			found, err := s.value()
			if err != nil {
				return err
			}
			all = append(all, found)
		}
	}
	c.scores[h.fold] = all
	return nil
}

// score goes through the rows of a fold, piece by piece.
func (c *heldOut) score(ctx context.Context, scorers []*heldScore, h held) error {
	n, piece, total, told := len(h.folds), c.pieceRows(), 0.0, 0
	for lo := 0; lo < n && ctx.Err() == nil; lo += piece {
		hi := min(lo+piece, n)
		weight, err := c.scorePiece(ctx, scorers, h, lo, hi)
		c.x.Release(lo, hi)
		if err != nil {
			return err
		}
		total += weight
		done := int(float64(len(scorers)) * (float64(hi) / float64(n)))
		c.told(done - told)
		told = done
	}
	if total == 0 && ctx.Err() == nil {
		return errors.New("model: its rows have no weight")
	}
	c.weight[h.fold] = total
	return ctx.Err()
}

// scorePiece goes through the rows of a fold from lo to hi−1, and returns their weight.
func (c *heldOut) scorePiece(ctx context.Context, scorers []*heldScore, h held, lo, hi int) (weight float64, err error) {
	rows, weight := c.heldIn(h, lo, hi)
	if weight == 0 {
		return 0, nil
	}
	t, err := newTable(c.x, c.y, c.spec, rows)
	for _, s := range scorers {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = s.add(t, weight)
		}
	}
	return weight, err
}

// heldIn lists the rows of a fold from lo to hi−1, with their weight.
func (c *heldOut) heldIn(h held, lo, hi int) (rows []int, weight float64) {
	for i := lo; i < hi; i++ {
		if h.folds[i] != h.fold {
			continue
		}
		rows = append(rows, i)
		if c.spec.SampleWeights == nil {
			weight++
		} else {
			weight += c.spec.SampleWeights[i]
		}
	}
	return rows, weight
}
