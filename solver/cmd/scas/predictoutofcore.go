package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// windowRows returns the number of rows of a window. The rows of a window, their copy and their scores need
// at most an eighth of the limit. Their predictions as text need another eighth.
func (v memorySize) windowRows(data *sparse.Dataset) int {
	const most, share = 1 << 16, 16
	n, _ := data.X.Dims()
	limit, _ := v.limit()
	row := float64(dataBytes(data))/float64(n) + float64(bytesOfScore*float64(len(data.Classes.Values)))
	return max(1, min(most, int(float64(limit)/share/row)))
}

// scoring returns the settings with which model.Score compares predictions with labels.
func (c *predictCmd) scoring(data *sparse.Dataset) *model.ScoreSettings {
	return &model.ScoreSettings{Threshold: (*float64)(c.Threshold), Offsets: data.Offsets}
}

// outOfCore predicts rows window by window. It writes an output file completely or not at all. It checks all
// rows before it writes predictions to standard output.
func (c *predictCmd) outOfCore(e *env, m *model.Model, d *demand) error {
	if d.notStreamed != nil {
		return c.Memory.refuse(d)
	}
	data := d.data
	n, _ := data.X.Dims()
	r := &predictReport{N: n, Classes: severalClasses(m)}
	tally, err := c.tally(m, d)
	if err != nil {
		return err
	}
	var total score
	p := e.begin("predicting " + dataName(c.Data))
	defer p.end()
	predict := func(w io.Writer) error {
		return c.Memory.eachPiece(e, data, func(lo, hi int) error {
			s, err := c.piece(w, m, tally, data, lo, hi)
			total = total.plus(s)
			return err
		})
	}
	err = outputs{{"-o", c.Output, predict}}.write(e, func() (err error) {
		if c.Output == "" {
			if err = c.Memory.eachPiece(e, data, func(int, int) error { return nil }); err == nil {
				err = predict(e.stdout)
			}
			if err != nil {
				return err
			}
		}
		p.end()
		if total.rows > 0 {
			loss := number(total.mean())
			if r.Loss = &loss; m.Classifies() {
				accuracy := total.accuracy()
				r.Accuracy, r.Correct = &accuracy, &total.correct
			}
		}
		if tally != nil {
			all, err := tally.Metrics()
			if err != nil {
				return err
			}
			r.Metrics = newMetrics(all)
		}
		return c.report(e, r)
	})
	return e.interrupted(err, "nothing written")
}

// tally returns a tally of the metrics, or nil if --metrics is not given. The tally keeps the scores of all
// rows for the AUC. If there are several classes, each row has a score for each class.
func (c *predictCmd) tally(m *model.Model, d *demand) (*model.Tally, error) {
	if !c.Metrics {
		return nil, nil
	}
	rows, scores := countClasses(d.data), len(m.Columns)
	for _, n := range rows {
		d.kept += 8 * int64(n) * int64(scores)
	}
	d.work += fmt.Sprintf(" with --metrics, which keeps %s of each row for the AUC, 8 bytes each,", plural(scores, "score"))
	if _, err := c.Memory.place(d, true); err != nil {
		return nil, err
	}
	return m.NewTally(rows), nil
}

// eachPiece calls do for one piece of the rows after the other. It checks the rows of a piece before the
// call, and releases their memory after it.
func (v memorySize) eachPiece(e *env, data *sparse.Dataset, do func(lo, hi int) error) error {
	n, _ := data.X.Dims()
	piece := v.windowRows(data)
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		data.X.Prefetch(hi, min(hi+piece, n))
		err := data.X.Check(lo, hi)
		if err == nil {
			err = do(lo, hi)
		}
		data.X.Release(lo, hi)
		if e.progress != nil {
			e.progress.rows(hi, n)
		}
		if err == nil {
			err = e.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece writes the predictions of rows lo to hi-1. If the data have labels and the labels count, it returns
// the score of the rows. It also adds the rows to tally unless tally is nil.
func (c *predictCmd) piece(w io.Writer, m *model.Model, tally *model.Tally, data *sparse.Dataset, lo, hi int) (s score, err error) {
	part, err := rowsOf(data, lo, hi)
	if err != nil {
		return s, err
	}
	pred, err := c.predict(m, part)
	if over := (*model.OverflowError)(nil); errors.As(err, &over) {
		over.Row += lo
	}
	if err != nil {
		return s, c.explain(err)
	}
	if !c.IgnoreLabels && data.Labels != nil {
		part.Labels = data.Labels[lo:hi]
		r, err := (&predictCmd{Threshold: c.Threshold}).measure(m, part)
		if err == nil && tally != nil {
			err = tally.Add(part.X, part.OriginalLabels(), c.scoring(part))
		}
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
