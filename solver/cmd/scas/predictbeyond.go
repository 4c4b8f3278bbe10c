package main

import (
	"errors"
	"io"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// beyondRows is how many rows of data larger than memory are predicted at a time.
const beyondRows = 1 << 16

// streams reports whether rows may be predicted piece by piece: what is asked for needs
// none of them all.
func (c *predictCmd) streams() bool { return !c.Metrics && c.SVG == "" && c.Offset == "" }

// beyond predicts rows that are mapped, and larger than memory, piece by piece. A file is
// written whole or not at all; for standard output, the rows are checked first.
func (c *predictCmd) beyond(e *env, m fittedModel, data *sparse.Dataset) error {
	n, _ := data.X.Dims()
	r := &predictReport{N: n}
	r.Classes, _ = m.parts()
	var total score
	predict := func(w io.Writer) error {
		return eachPiece(e, data, func(lo, hi int) error {
			s, err := c.piece(w, m, data, lo, hi)
			total = total.plus(s)
			return err
		})
	}
	var err error
	if c.Output != "" {
		err = writeFile(c.Output, predict)
	} else if err = eachPiece(e, data, func(int, int) error { return nil }); err == nil {
		err = predict(e.stdout)
	}
	if err != nil {
		return e.interrupted(err, "nothing written")
	}
	if total.rows > 0 {
		loss := number(total.mean())
		if r.Loss = &loss; m.head().Classifies() {
			accuracy := total.accuracy()
			r.Accuracy, r.Correct = &accuracy, &total.correct
		}
	}
	return c.report(e, r)
}

// eachPiece calls do for one piece of the rows after the other, which are checked before
// and leave memory after it.
func eachPiece(e *env, data *sparse.Dataset, do func(lo, hi int) error) error {
	n, _ := data.X.Dims()
	for lo := 0; lo < n; lo += beyondRows {
		hi := min(lo+beyondRows, n)
		data.X.Prefetch(hi, min(hi+beyondRows, n))
		err := data.X.Check(lo, hi)
		if err == nil {
			err = do(lo, hi)
		}
		data.X.Release(lo, hi)
		if err == nil {
			err = e.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece writes the predictions of some rows, and says what the model is worth on them if
// they have labels.
func (c *predictCmd) piece(w io.Writer, m fittedModel, data *sparse.Dataset, lo, hi int) (s score, err error) {
	rows := make([]int, hi-lo)
	for k := range rows {
		rows[k] = lo + k
	}
	part := &sparse.Dataset{Mapping: data.Mapping, Classes: data.Classes}
	if part.X, err = data.X.SelectRows(rows); err != nil {
		return s, err
	}
	pred, err := m.predict(c, part)
	if over := (*model.OverflowError)(nil); errors.As(err, &over) {
		over.Row += lo
	}
	if err != nil {
		return s, c.explain(err)
	}
	if !c.IgnoreLabels && data.Labels != nil {
		part.Labels = data.Labels[lo:hi]
		r, err := m.measure(c, part)
		if err != nil {
			return s, err
		}
		s = score{rows: hi - lo, loss: float64(*r.Loss) * float64(hi-lo)}
		if r.Correct != nil {
			s.correct = *r.Correct
		}
	}
	return s, pred.write(w)
}
