package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A predictReport is the result of scas predict.
type predictReport struct {
	// Classes has the names of the classes if the model has a column for each class. A line of predictions
	// then has a number for each class, in this order.
	Classes []string `json:"class_names,omitempty"`
	N       int      `json:"n"`
	// Mean over the rows; null unless predictions are compared with labels.
	Loss *number `json:"mean_loss"`
	// Share of rows, counted with their weights, whose class is predicted correctly.
	Accuracy    *float64 `json:"accuracy,omitempty"`
	CorrectRows *int     `json:"correct,omitempty"` // nil if the rows have weights
	Metrics     *metrics `json:"metrics,omitempty"` // nil if --metrics is not given

	weighted bool // whether the rows have weights
}

// A metrics has the metrics of a model on some rows. In JSON they are the fields of one object.
type metrics struct {
	Loss number `json:"mean_loss"`
	*model.ClassMetrics
	*numberMetrics
}

// A numberMetrics has the numbers of a model.NumberMetrics. In JSON, an infinite number is null.
type numberMetrics struct {
	MSE      number  `json:"mse"`
	MAE      number  `json:"mae"`
	R2       number  `json:"r2"`
	Deviance *number `json:"deviance,omitempty"`
	D2       *number `json:"d2,omitempty"`
}

func newNumberMetrics(n *model.NumberMetrics) *numberMetrics {
	if n == nil {
		return nil
	}
	return &numberMetrics{number(n.MSE), number(n.MAE), number(n.R2), (*number)(n.Deviance), (*number)(n.D2)}
}

// newPredictReport returns the report on predictions of m that have the metrics s. detailed says whether
// the report shows all metrics, and weighted whether the rows had weights.
func newPredictReport(m *model.Model, s *model.Metrics, detailed, weighted bool) *predictReport {
	loss := number(s.Loss)
	r := &predictReport{Classes: columnNames(m), N: s.Rows, Loss: &loss, weighted: weighted}
	if s.Classes != nil {
		r.Accuracy = &s.Classes.Accuracy
		if correctRows := int(math.Round(*r.Accuracy * float64(s.Rows))); !weighted {
			r.CorrectRows = &correctRows
		}
	}
	if detailed {
		r.Metrics = &metrics{loss, s.Classes, newNumberMetrics(s.Numbers)}
	}
	return r
}

// addRows adds the rows of data to a tally, with the weights and the threshold of set.
func addRows(t *model.Tally, data *sparse.Dataset, set *model.ScoreSettings) error {
	set.Offsets = data.Offsets
	return t.Add(data.X, data.OriginalLabels(), set)
}

// score returns the metrics of m on the fitted rows of all ranks, with the weights of --sample-weights. If
// brief is true, they have no AUC and no confusion table. All ranks must call score.
func (r *ranks) score(s *fitSpec, m *model.Model, brief bool) (*model.Metrics, error) {
	data, weights := s.data, s.spec.SampleWeights
	n, _ := data.X.Dims()
	t, windowRows := m.NewBriefTally(), max(1, 1<<22/len(m.Columns))
	if !brief {
		t = m.NewTally(countRowsByClass(data))
	}
	var err error
	for lo := 0; lo < n && err == nil; lo += windowRows {
		hi, set := min(lo+windowRows, n), &model.ScoreSettings{}
		if weights != nil {
			set.Weights = weights[lo:hi]
		}
		if weights != nil && slices.Max(set.Weights) == 0 {
			continue
		}
		var window *sparse.Dataset
		window, err = rowsOf(data, lo, hi)
		if err == nil {
			err = explainOverflow(addRows(t, window, set), s.counts.start+lo, "the model")
		}
	}
	err = r.team.CommonError(err)
	if err == nil {
		err = t.Join(r.solverComm())
	}
	if err != nil {
		return nil, err
	}
	return t.Metrics()
}

func (r *predictReport) summary() (f summary) {
	if names := r.Classes; len(names) > manyClasses {
		f.add("columns", "of the %s in the order of their labels, %s; then the one predicted",
			plural(len(names), "class"), firstNames(names))
	} else {
		f.addIf(len(names) > 0, "columns", "of the classes %s; then the one predicted",
			strings.Join(names, ", "))
	}
	switch {
	case r.Accuracy != nil:
		countText := ""
		if r.CorrectRows != nil {
			countText = fmt.Sprintf(" (%s of %s)", groupDigits(*r.CorrectRows), groupDigits(r.N))
		}
		f.add("accuracy", "%.2f %%%s", 100**r.Accuracy, countText)
		logLossText := ""
		if r.Metrics != nil && r.Metrics.ClassMetrics.LogLoss != nil {
			logLossText = " (log loss)"
		}
		f.add("mean loss", "%.8g%s", *r.Loss, logLossText)
	case r.Loss != nil && r.weighted:
		f.add("mean loss", "%.8g", *r.Loss)
	case r.Loss != nil:
		f.add("mean loss", "%.8g over %s", *r.Loss, plural(r.N, "row"))
	}
	if r.Metrics != nil {
		addMetrics(&f, r.Metrics)
	}
	return f
}

func addMetrics(f *summary, m *metrics) {
	if n := m.numberMetrics; n != nil {
		f.add("errors", "mean squared %.8g, mean absolute %.8g", n.MSE, n.MAE)
		f.add("R2", "%.8g", n.R2)
		if n.Deviance != nil {
			f.add("deviance", "mean %.8g; the part explained, D2, is %.8g", *n.Deviance, *n.D2)
		}
		return
	}
	c := m.ClassMetrics
	if c.Threshold == nil { // the model has a column for each class
		(*confusionTable)(c).addTo(f)
		return
	}
	if c.AUC != nil {
		f.add("AUC", "%.8g", *c.AUC)
	} else {
		f.add("AUC", "none: one class is absent")
	}
	if c.Brier != nil {
		f.add("Brier score", "%.8g", *c.Brier)
	}
	f.add("precision", "%.8g, recall %.8g, F1 %.8g, at the threshold %g",
		c.Precision, c.Recall, c.F1, *c.Threshold)
	t := c.Confusion
	f.add("positive", "%s found, %s missed", formatWeight(t[1][1]), formatWeight(t[1][0]))
	f.add("negative", "%s found, %s called positive", formatWeight(t[0][0]), formatWeight(t[0][1]))
}
