package main

import (
	"bufio"
	"io"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

func (c *predictCmd) checkFlags(m *model.Model) error {
	classes := len(m.Columns)
	switch {
	case c.SVG != "" && classes > 1:
		return usagef("--svg draws the ROC curve, which is for two classes; the model has %d", classes)
	case c.Threshold != nil && classes > 1:
		return usagef("--threshold is for two classes; the model has %d, and predicts the most probable",
			classes)
	case c.SVG != "" && (c.IgnoreLabels || !m.Classifies()):
		return usagef("--svg draws the ROC curve, which is for two classes and needs their labels")
	case c.Threshold != nil && !m.Classifies():
		return usagef("--threshold is for two classes; the model predicts numbers, by %s loss", m.Loss)
	case c.Threshold != nil && givesProbability(m) && (*c.Threshold < 0 || *c.Threshold > 1):
		return usagef("--threshold %v: the model gives probabilities; want one of 0 to 1", *c.Threshold)
	}
	return nil
}

func givesProbability(m *model.Model) bool { return term.LossOf(m.Loss).Traits().Probability != nil }

// predict returns the predictions of m for the rows of data, and adds the rows to the tally unless it is nil.
func (c *predictCmd) predict(m *model.Model, tally *model.Tally, data *sparse.Dataset) (*model.DataPredictions, error) {
	p, err := m.PredictData(data, (*float64)(c.Threshold))
	if err == nil && tally != nil {
		err = addRows(tally, data, &model.ScoreSettings{Threshold: (*float64)(c.Threshold)})
	}
	return p, err
}

// writePredictions writes a line for each row: its scores and, if the model predicts classes, the name of the
// predicted class.
func writePredictions(w io.Writer, p *model.DataPredictions) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	if p.Classes == nil {
		for _, v := range p.Scores {
			line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
			b.Write(append(line, '\n')) // Flush returns the first error
		}
		return b.Flush()
	}
	for i, class := range p.Classes {
		line = line[:0]
		scoresPerRow := len(p.Scores) / len(p.Classes)
		for _, v := range p.Scores[i*scoresPerRow : (i+1)*scoresPerRow] {
			line = append(strconv.AppendFloat(line, v, 'g', 8, 64), ' ')
		}
		b.Write(append(append(line, p.Names[class]...), '\n'))
	}
	return b.Flush()
}

// drawPredictions draws the ROC curve of m, a model of two classes, for the rows of data. It uses margins,
// because different large margins may have the same probability.
func drawPredictions(w io.Writer, m *model.Model, data *sparse.Dataset) error {
	margins, err := m.Margins(nil, data.X)
	if err != nil {
		return err
	}
	for i, o := range data.Offsets {
		margins[i] += o
	}
	isPositive := make([]bool, len(data.Labels))
	for i, b := range data.Labels {
		isPositive[i] = b > 0
	}
	return drawROC(w, margins, isPositive)
}
