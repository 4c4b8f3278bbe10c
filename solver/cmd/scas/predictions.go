package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

func (c *predictCmd) checkFlags(m *model.Model) error {
	classes := len(m.Classes.Values)
	switch {
	case c.SVG != "" && classes > 0:
		return usagef("--svg draws the ROC curve, which is for two classes; the model has %d", classes)
	case c.Threshold != nil && classes > 0:
		return usagef("--threshold is for two classes; the model has %d, and predicts the most probable", classes)
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

type predictions struct {
	// values has one number for each row and each column of the model, row by row: a predicted number, a
	// probability or, if the loss has no probabilities, a margin.
	values  []float64
	classes []int    // index of the predicted class of each row; nil if the model predicts numbers
	names   []string // names of the classes; nil if the model predicts numbers
}

// margins returns the margins of a model for the rows of data, row by row. They include the offsets.
func margins(m *model.Model, data *sparse.Dataset) ([]float64, error) {
	t, err := m.Margins(nil, data.X)
	if err != nil || data.Offsets == nil {
		return t, err
	}
	valuesPerRow := len(m.Columns)
	for i := range t {
		if t[i] += data.Offsets[i/valuesPerRow]; !isFinite(t[i]) {
			return nil, &model.OverflowError{Row: i / valuesPerRow, Margin: t[i]}
		}
	}
	return t, nil
}

// predict returns the predictions of m for the rows of data, and adds the rows to the tally unless it is nil.
func (c *predictCmd) predict(m *model.Model, tally *model.Tally, data *sparse.Dataset) (*predictions, error) {
	t, err := margins(m, data)
	if err == nil && tally != nil {
		err = addRows(tally, data, c.Threshold)
	}
	if err != nil {
		return nil, err
	}
	loss, valuesPerRow := term.LossOf(m.Loss), len(m.Columns)
	if !m.Classifies() {
		for i, v := range t {
			if t[i] = loss.Traits().Labels.Prediction(v); !isFinite(t[i]) {
				return nil, &model.OverflowError{Row: i, Margin: v}
			}
		}
		return &predictions{values: t}, nil
	}
	p := &predictions{
		values: t, classes: make([]int, len(t)/valuesPerRow), names: classNames(m.Labels, m.Classes),
	}
	probability := loss.Traits().Probability
	for i := range p.classes {
		row := t[i*valuesPerRow : (i+1)*valuesPerRow]
		switch {
		case valuesPerRow > 1:
			p.classes[i] = slices.Index(row, slices.Max(row))
			if probability != nil {
				term.SetClassProbabilities(loss, row, row)
			}
			continue
		case row[0] > 0:
			p.classes[i] = 1
		}
		if probability != nil {
			row[0] = probability(row[0])
		}
		if c.Threshold != nil {
			p.classes[i] = 0
			if row[0] > float64(*c.Threshold) {
				p.classes[i] = 1
			}
		}
	}
	return p, nil
}

// write writes a line for each row: its values and, if the model predicts classes, the name of the predicted
// class.
func (p *predictions) write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	if p.classes == nil {
		for _, v := range p.values {
			line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
			b.Write(append(line, '\n')) // Flush returns the first error
		}
		return b.Flush()
	}
	for i, class := range p.classes {
		line = line[:0]
		valuesPerRow := len(p.values) / len(p.classes)
		for _, v := range p.values[i*valuesPerRow : (i+1)*valuesPerRow] {
			line = append(strconv.AppendFloat(line, v, 'g', 8, 64), ' ')
		}
		b.Write(append(append(line, p.names[class]...), '\n'))
	}
	return b.Flush()
}

func (p *predictions) draw(w io.Writer, data *sparse.Dataset) error {
	isPositive := make([]bool, len(data.Labels))
	for i, b := range data.Labels {
		isPositive[i] = b > 0
	}
	if !slices.Contains(isPositive, true) || !slices.Contains(isPositive, false) {
		return fmt.Errorf("the ROC curve needs rows of both classes, and the data have one")
	}
	return drawROC(w, p.values, isPositive)
}
