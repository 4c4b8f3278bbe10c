package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// maxStreamedFolds is how many folds there may be where each row has a byte for its own.
const maxStreamedFolds = 256

// heldShare is the part of the memory that rows take that are looked at at a time to judge
// models, in the file and for those of the fold a second time.
const heldShare = 16

// heldRows is how many rows that is.
func heldRows(x *sparse.CSR, memory int64) int {
	n, _ := x.Dims()
	const ofRow, ofEntry = 16, 12
	return max(1, int(float64(memory)/heldShare/(ofRow+ofEntry*float64(x.NNZ())/float64(n))))
}

// HeldPieces is how many times CV asks the metric about a model of one of its folds, at
// most, with so much Settings.Memory.
func HeldPieces(x *sparse.CSR, memory int64) int {
	n, _ := x.Dims()
	rows := heldRows(x, memory)
	return (n + rows - 1) / rows
}

// crossStreamed is CV for data that are gone through in pieces: all rows are fitted and
// then all but one fold after the other, each with all of the memory. A fold is a byte of
// each row.
func (d *design) crossStreamed(ctx context.Context, set *CVSettings) (*CVResult, error) {
	if set == nil {
		set = &CVSettings{}
	}
	c := &crossing{spec: d.spec, data: d.x, labels: d.y, path: set.Path}
	folds, err := c.streamedFolds(d, set)
	if err != nil {
		return nil, err
	}
	metric := set.Metric
	if metric == nil {
		metric = MeanLoss
	}
	ctx, cancel := d.spec.limit(ctx)
	defer cancel()
	c.result.Path, err = FitPath(ctx, d.spec, d.x, d.y, &c.path)
	if err != nil && !errors.Is(err, solver.ErrNotConverged) || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	for _, s := range c.result.Path {
		c.result.Lambdas = append(c.result.Lambdas, s.Lambda)
	}
	c.result.Values, c.weight = make([][]float64, c.count), make([]float64, c.count)
	for k := range c.count {
		models, bad := d.without(ctx, held{folds, uint8(k)}, c.result.Lambdas)
		if bad == nil {
			bad = c.judgeHeld(ctx, models, held{folds, uint8(k)}, metric)
		}
		if bad != nil {
			return nil, fmt.Errorf("fold %d: %w", k, bad)
		}
	}
	if c.summarise(); math.IsNaN(c.result.Mean[c.result.Best]) {
		return nil, errNoMetric
	}
	return &c.result, err
}

// streamedFolds draws folds, or takes those of the settings, and sees that the rest of each
// has both classes.
func (c *crossing) streamedFolds(d *design, set *CVSettings) ([]uint8, error) {
	if set.Path.Validation != nil {
		return nil, errors.New("model: CVSettings.Path.Validation: cross-validation has its own rows to judge by; leave it nil")
	}
	if c.count = set.Folds; c.count == 0 {
		c.count = min(defaultFolds, d.n)
	}
	if c.result.Assignment = set.Assignment; set.Assignment != nil {
		var err error
		if c.count, err = checkFolds(set.Assignment, d.n); err != nil {
			return nil, err
		}
	}
	if c.count < 2 || c.count > min(d.n, maxStreamedFolds) {
		return nil, fmt.Errorf("model: %d folds of %d rows; give 2 to %d of data larger than memory", c.count, d.n, min(d.n, maxStreamedFolds))
	}
	folds := make([]uint8, d.n)
	for i, k := range set.Assignment {
		folds[i] = uint8(k)
	}
	if set.Assignment == nil {
		d.draw(folds, c.count)
	}
	return folds, d.checkHeld(folds, c.count)
}

// draw gives the rows folds: of each run of as many rows of a class as there are folds,
// every one has another, in random order.
func (d *design) draw(folds []uint8, count int) {
	rng := rand.New(rand.NewPCG(d.spec.Seed, 0x5ca5))
	var order [2][]int // what is left of the order of each class
	d.eachLabel(func(i, class int) {
		if len(order[class]) == 0 {
			order[class] = rng.Perm(count)
		}
		folds[i], order[class] = uint8(order[class][0]), order[class][1:]
	})
}

// eachLabel calls do for the class of every row, 0 for numbers.
func (d *design) eachLabel(do func(i, class int)) {
	for lo := 0; lo < d.n; lo += pieceRows {
		hi := min(lo+pieceRows, d.n)
		for i := lo; i < hi; i++ {
			class := 0
			if classifies(d.loss) {
				class = classOf(d.y[i])
			}
			do(i, class)
		}
		d.x.Release(lo, hi)
	}
}

// checkHeld reports a fold that has no row, or all rows of a class.
func (d *design) checkHeld(folds []uint8, count int) error {
	rows, all := make([][2]int, count), [2]int{}
	d.eachLabel(func(i, class int) {
		rows[folds[i]][class]++
		all[class]++
	})
	for k, of := range rows {
		if of == [2]int{} {
			return fmt.Errorf("model: fold %d of %d has no row", k, count)
		}
		for class, held := range of {
			if held > 0 && held == all[class] {
				return fmt.Errorf("model: fold %d has all %d rows of a class: the models of the others need both; give two rows or more of each, in different folds", k, held)
			}
		}
	}
	return nil
}

// without returns the models of all lambdas for the rows of the other folds.
func (d *design) without(ctx context.Context, h held, lambdas []float64) ([]*Model, error) {
	spec := *d.spec
	if d.weights != nil { // those of classes are of the rows that are fitted
		spec.SampleWeights = make([]float64, d.n)
		for i := range spec.SampleWeights {
			switch {
			case h.folds[i] == h.fold:
			case d.spec.SampleWeights == nil:
				spec.SampleWeights[i] = 1
			default:
				spec.SampleWeights[i] = d.spec.SampleWeights[i]
			}
		}
	}
	part, err := mappedDesign(&spec, d.x, d.y, d.against)
	if err != nil {
		return nil, err
	}
	part.held = h
	p, err := part.newPather(ctx, &PathSettings{Lambdas: lambdas})
	if err != nil {
		return nil, err
	}
	models := make([]*Model, len(lambdas))
	for k := range models {
		step, err := p.step(ctx, k)
		if err != nil && (step == nil || step.cut()) {
			return nil, err
		}
		models[k] = step.Model()
	}
	return models, nil
}

// judgeHeld sets what the metric says of the models on the rows of their fold.
func (c *crossing) judgeHeld(ctx context.Context, models []*Model, h held, metric Metric) error {
	values := make([]float64, len(models))
	n, total := len(h.folds), 0.0
	piece := heldRows(c.data, c.spec.Memory)
	for lo := 0; lo < n && ctx.Err() == nil; lo += piece {
		hi := min(lo+piece, n)
		rows, weight := c.heldIn(h, lo, hi)
		if weight == 0 {
			continue
		}
		t, err := newTable(c.data, c.labels, c.spec, rows)
		c.data.Release(lo, hi)
		if err != nil {
			return err
		}
		for k, m := range models {
			v, err := metric(m, t.x, t.y, t.set)
			if err != nil {
				return err
			}
			values[k] += float64(weight * v)
		}
		total += weight
	}
	if total == 0 && ctx.Err() == nil {
		return errors.New("model: its rows have no weight")
	}
	for k := range values {
		values[k] /= total
	}
	c.result.Values[h.fold], c.weight[h.fold] = values, total
	return ctx.Err()
}

// heldIn lists the rows of a fold from lo to hi−1, with their weight.
func (c *crossing) heldIn(h held, lo, hi int) (rows []int, weight float64) {
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
