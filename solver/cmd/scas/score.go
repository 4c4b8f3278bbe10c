package main

import (
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A predictReport is the report of scas predict on its predictions. scas predict --json prints it.
type predictReport struct {
	Classes  []string `json:"class_names,omitempty"` // only if more than two; in the order of the numbers in a line of output
	N        int      `json:"n"`
	Loss     *number  `json:"mean_loss"`          // mean over the rows; null if there are no labels
	Accuracy *float64 `json:"accuracy,omitempty"` // share of rows whose class is predicted correctly
	Correct  *int     `json:"correct,omitempty"`
	Metrics  *metrics `json:"metrics,omitempty"` // nil if --metrics is not given
}

// A metrics has the metrics of a model on some rows. In JSON they are one flat object.
type metrics struct {
	Loss number `json:"mean_loss"`
	*model.ClassMetrics
	*model.NumberMetrics
}

func newMetrics(m *model.Metrics) *metrics {
	return &metrics{number(m.Loss), m.Classes, m.Numbers}
}

// A score has the total loss and the number of correct predictions of a model on some rows.
type score struct {
	rows, correct int
	loss          float64 // sum over the rows
}

func (s score) plus(t score) score {
	return score{s.rows + t.rows, s.correct + t.correct, s.loss + t.loss}
}

func (s score) mean() float64     { return s.loss / float64(s.rows) }
func (s score) accuracy() float64 { return float64(s.correct) / float64(s.rows) }

// accuracy returns the share of the rows of all ranks whose class the model predicts correctly. It returns
// nil if a margin is infinite or NaN. It predicts the rows in pieces, whose margins need at most 32 MiB.
func (r *ranks) accuracy(m *model.Model, data *sparse.Dataset) *float64 {
	n, _ := data.X.Dims()
	piece, right := max(1, 1<<22/len(m.Columns)), 0.0
	var bad error
	for lo := 0; lo < n && bad == nil; lo += piece {
		var part *sparse.Dataset
		var pred *predictions
		if part, bad = rowsOf(data, lo, min(lo+piece, n)); bad != nil {
			break
		}
		if pred, bad = (&predictCmd{}).predict(m, part); bad != nil {
			break
		}
		for i, class := range pred.classes {
			label := data.Labels[lo+i]
			if m.Classes.IsZero() && (class > 0) == (label > 0) || !m.Classes.IsZero() && m.Classes.Values[class] == label {
				right++
			}
		}
	}
	if r.team.Any(bad != nil) {
		return nil
	}
	share := r.team.Mean(right, float64(n))
	return &share
}

// rowsOf returns the rows lo to hi-1 of data, without labels. If these are all rows, it does not copy them.
func rowsOf(data *sparse.Dataset, lo, hi int) (part *sparse.Dataset, err error) {
	part = &sparse.Dataset{X: data.X, Mapping: data.Mapping, Classes: data.Classes, Offsets: data.Offsets}
	if n, _ := data.X.Dims(); hi-lo == n {
		return part, nil
	}
	rows := make([]int, hi-lo)
	for k := range rows {
		rows[k] = lo + k
	}
	if data.Offsets != nil {
		part.Offsets = data.Offsets[lo:hi]
	}
	part.X, err = data.X.SelectRows(rows)
	return part, err
}

// measure returns the score of margins. If the loss is for classes, the labels are -1 and +1.
func measure(loss solver.Loss, margin, labels []float64) score {
	s := score{rows: len(labels), loss: term.LossOf(loss).Slopes(nil, margin, labels)}
	for i, b := range labels {
		if (margin[i] > 0) == (b > 0) {
			s.correct++
		}
	}
	return s
}

// measure returns a report that compares the predictions of m with the labels of data.
func (c *predictCmd) measure(m *model.Model, data *sparse.Dataset) (*predictReport, error) {
	s, err := m.Score(data.X, data.OriginalLabels(), c.scoring(data))
	if err != nil {
		return nil, err
	}
	if len(m.Columns) == 1 {
		margins, err := margins(m, data)
		if err != nil {
			return nil, err
		}
		s.Loss = measure(m.Loss, margins, data.Labels).mean() // summed in the same way as in training
	}
	loss := number(s.Loss)
	r := &predictReport{Classes: severalClasses(m), N: s.Rows, Loss: &loss}
	if s.Classes != nil {
		correct := 0.0
		for k, row := range s.Classes.Confusion {
			correct += row[k]
		}
		whole := int(correct)
		r.Accuracy, r.Correct = &s.Classes.Accuracy, &whole
	}
	if c.Metrics {
		r.Metrics = newMetrics(s)
	}
	return r, nil
}

func (r *predictReport) table() (f summary) {
	if names := r.Classes; len(names) > manyClasses {
		f.add("columns", "of the %s in the order of their labels, %s; then the one predicted", plural(len(names), "class"), some(names))
	} else {
		f.addIf(names != nil, "columns", "of the classes %s; then the one predicted", strings.Join(names, ", "))
	}
	switch {
	case r.Accuracy != nil:
		f.add("accuracy", "%.2f %% (%s of %s)", 100**r.Accuracy, grouped(*r.Correct), grouped(r.N))
		f.add("mean loss", "%.8g", *r.Loss)
	case r.Loss != nil:
		f.add("mean loss", "%.8g over %s", *r.Loss, plural(r.N, "row"))
	}
	if r.Metrics != nil {
		addMetrics(&f, r.Metrics)
	}
	return f
}

// addMetrics adds the metrics other than accuracy and mean loss to a summary.
func addMetrics(f *summary, m *metrics) {
	if n := m.NumberMetrics; n != nil {
		f.add("errors", "mean squared %.8g, mean absolute %.8g", n.MSE, n.MAE)
		f.add("R2", "%.8g", n.R2)
		if n.Deviance != nil {
			f.add("deviance", "mean %.8g; the part explained, D2, is %.8g", *n.Deviance, *n.D2)
		}
		return
	}
	c := m.ClassMetrics
	if c.Threshold == nil { // more than two classes
		(*confusionTable)(c).addTo(f)
		return
	}
	if c.AUC != nil {
		f.add("AUC", "%.8g", *c.AUC)
	} else {
		f.add("AUC", "none: one class is absent")
	}
	if c.LogLoss != nil {
		f.add("log loss", "%.8g, Brier score %.8g", *c.LogLoss, *c.Brier)
	}
	f.add("precision", "%.8g, recall %.8g, F1 %.8g, at the threshold %g", c.Precision, c.Recall, c.F1, *c.Threshold)
	t := c.Confusion
	f.add("positive", "%s found, %s missed", grouped(int(t[1][1])), grouped(int(t[1][0])))
	f.add("negative", "%s found, %s called positive", grouped(int(t[0][0])), grouped(int(t[0][1])))
}
