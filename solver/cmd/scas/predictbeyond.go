package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// beyondRows is how many rows of data larger than memory are looked at at a time: so many
// that they, and a copy, take an eighth of it, and that what is written of them does.
func (v memorySize) beyondRows(data *sparse.Dataset) int {
	const most, share = 1 << 16, 16
	n, _ := data.X.Dims()
	limit, _ := v.limit()
	row := float64(dataBytes(data))/float64(n) + float64(scoreBytes*float64(len(data.Classes.Values)))
	return max(1, min(most, int(float64(limit)/share/row)))
}

// scoring is how rows are scored.
func (c *predictCmd) scoring(data *sparse.Dataset) *model.ScoreSettings {
	return &model.ScoreSettings{Threshold: (*float64)(c.Threshold), Offsets: data.Offsets}
}

// beyond predicts rows that are mapped, and larger than memory, piece by piece. A file is
// written whole or not at all; for standard output, the rows are checked first.
func (c *predictCmd) beyond(e *env, m *model.Model, data *sparse.Dataset) error {
	if c.SVG != "" {
		return c.refuse(data, "", 0, fmt.Errorf("%w: --svg draws what is of all rows", model.ErrNotStreamed))
	}
	n, _ := data.X.Dims()
	r := &predictReport{N: n, Classes: severalClasses(m)}
	tally, err := c.tally(m, data)
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
			if r.Metrics, err = tally.Metrics(); err != nil {
				return err
			}
		}
		return c.report(e, r)
	})
	return e.interrupted(err, "nothing written")
}

// refuse says what would be enough for predicting rows, with some words about it.
func (c *predictCmd) refuse(data *sparse.Dataset, about string, kept int, why error) error {
	return c.Memory.refuse(&claim{what: "predicting " + dataName(c.Data) + about, data: data, whole: func() float64 { return 0 }, kept: 8 * int64(kept), why: why})
}

// tally returns what adds up the metrics, nil if they are not asked for; of classes it keeps
// the scores, of several those of each.
func (c *predictCmd) tally(m *model.Model, data *sparse.Dataset) (*model.Tally, error) {
	if !c.Metrics {
		return nil, nil
	}
	rows, scores, kept := countClasses(data), len(m.Columns), 0
	for _, n := range rows {
		kept += n * scores
	}
	if c.Memory.room(8*int64(kept)) == 0 {
		return nil, c.refuse(data, fmt.Sprintf(" with --metrics, which keeps %s of each row for the AUC, 8 bytes each,", plural(scores, "score")), kept, nil)
	}
	return m.NewTally(rows), nil
}

// eachPiece calls do for one piece of the rows after the other, which are checked before
// and leave memory after it.
func (v memorySize) eachPiece(e *env, data *sparse.Dataset, do func(lo, hi int) error) error {
	n, _ := data.X.Dims()
	piece := v.beyondRows(data)
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

// piece writes the predictions of some rows, and says what the model is worth on them if
// they have labels, to tally as well unless that is nil.
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
