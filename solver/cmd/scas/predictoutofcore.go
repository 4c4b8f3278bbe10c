package main

import (
	"fmt"
	"io"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// outOfCore predicts rows window by window. It writes an output file completely or not at all. It checks all
// rows before it writes predictions to standard output.
func (c *predictCmd) outOfCore(e *env, m *model.Model, d *demand) error {
	if d.notStreamed != nil {
		return c.Memory.refuse(d)
	}
	data := d.data
	n, _ := data.X.Dims()
	r := &predictReport{N: n, Classes: m.Classes.All()}
	t, err := c.tally(m, d)
	if err != nil {
		return err
	}
	p := e.begin("predicting " + dataName(c.Data))
	defer p.end()
	predict := func(w io.Writer) error {
		return c.Memory.eachWindow(e, data, func(lo, hi int) error {
			return c.writeRows(w, m, t, data, lo, hi)
		})
	}
	err = outputs{{"-o", c.Output, predict}}.write(e, func() (err error) {
		if c.Output == "" {
			if err = c.Memory.eachWindow(e, data, func(int, int) error { return nil }); err == nil {
				err = predict(e.stdout)
			}
			if err != nil {
				return err
			}
		}
		p.end()
		if t != nil {
			s, err := t.Metrics()
			if err != nil {
				return err
			}
			r = newPredictReport(m, s, c.Metrics)
		}
		return c.report(e, r)
	})
	return e.interrupted(err, "nothing written")
}

// tally returns the tally of the predictions, or nil if they are not compared with labels. With --metrics it
// keeps the scores of all rows for the AUC. If there are several classes, each row has a score for each class.
func (c *predictCmd) tally(m *model.Model, d *demand) (*model.Tally, error) {
	switch {
	case c.IgnoreLabels || d.data.Labels == nil:
		return nil, nil
	case !c.Metrics:
		return m.NewBriefTally(), nil
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

// writeRows writes the predictions of rows lo to hi-1, and adds the rows to t unless t is nil.
func (c *predictCmd) writeRows(
	w io.Writer, m *model.Model, t *model.Tally, data *sparse.Dataset, lo, hi int,
) error {
	part, err := rowsOf(data, lo, hi)
	if err != nil {
		return err
	}
	pred, err := c.predict(m, part)
	if err != nil {
		return c.explain(ofRow(err, lo))
	}
	if t != nil {
		if err := compare(t, part, c.Threshold); err != nil {
			return err
		}
	}
	return pred.write(w)
}
