package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A fittedModel is what a model file has: a model of two classes or of numbers, or of
// several classes.
type fittedModel interface {
	// head is the first of its models: they have features and columns in common.
	head() *model.Model
	// parts are its models, and the classes that they are of, nil for one model.
	parts() (classes []string, models []*model.Model)
	words() []string // its labels where they are words, by the numbers that stand for them
	ReadOptions() *sparse.ReadOptions
	refuses(c *predictCmd) error // flags that are not for it
	predict(c *predictCmd, data *sparse.Dataset) (predictions, error)
	measure(c *predictCmd, data *sparse.Dataset) (*predictReport, error)
	tally(rows []int) pieceTally // with room for so many rows of each class
	describe(file string, top int) description
	Write(w io.Writer) error
	WriteLiblinear(w io.Writer) error
}

// predictions are those of a model for some rows.
type predictions interface {
	write(w io.Writer) error
	draw(w io.Writer, data *sparse.Dataset) error // the ROC curve
}

// A oneModel is of two classes or of numbers.
type oneModel struct{ *model.Model }

func (m oneModel) head() *model.Model { return m.Model }

func (m oneModel) parts() ([]string, []*model.Model) { return nil, []*model.Model{m.Model} }

func (m oneModel) words() []string {
	if l := m.Labels; l.NegativeName != "" {
		words := []string{l.NegativeName, l.PositiveName}
		if l.Positive < l.Negative {
			slices.Reverse(words)
		}
		return words
	}
	return nil
}

func (m oneModel) describe(file string, top int) description {
	return newModelReport(file, m.Model, top)
}

func (m oneModel) refuses(c *predictCmd) error {
	switch {
	case c.SVG != "" && (c.IgnoreLabels || !m.Classifies()):
		return usagef("--svg draws the ROC curve, which is of two classes and their labels")
	case c.Threshold != nil && !m.Classifies():
		return usagef("--threshold is for two classes; the model predicts numbers, by %s loss", m.Loss)
	case c.Threshold != nil && givesProbability(m.Model) && (*c.Threshold < 0 || *c.Threshold > 1):
		return usagef("--threshold %v: the model gives probabilities; want one of 0 to 1", *c.Threshold)
	}
	return nil
}

// givesProbability reports whether margins stand for probabilities.
func givesProbability(m *model.Model) bool { return term.LossOf(m.Loss).Traits().Probability != nil }

// onePredictions are those of a model of two classes or of numbers.
type onePredictions struct {
	value  []float64 // probability of the positive class, or margin; for regression the prediction
	labels []string  // nil for regression
}

// margins are those of a model for data, their offsets included.
func margins(m *model.Model, data *sparse.Dataset) ([]float64, error) {
	t, err := m.Margins(nil, data.X)
	for i := range t {
		if data.Offsets == nil {
			break
		}
		if t[i] += data.Offsets[i]; !isFinite(t[i]) {
			return nil, &model.OverflowError{Row: i, Margin: t[i]}
		}
	}
	return t, err
}

func (m oneModel) predict(c *predictCmd, data *sparse.Dataset) (predictions, error) {
	margins, err := margins(m.Model, data)
	if err != nil {
		return nil, err
	}
	if !m.Classifies() {
		of := term.LossOf(m.Loss).Traits().Labels
		for i, t := range margins {
			if margins[i] = of.Predicts(t); !isFinite(margins[i]) {
				return nil, &model.OverflowError{Row: i, Margin: t}
			}
		}
		return &onePredictions{value: margins}, nil
	}
	probability := term.LossOf(m.Loss).Traits().Probability
	p := &onePredictions{value: margins, labels: make([]string, len(margins))}
	label := map[bool]string{false: m.Labels.Name(-1), true: m.Labels.Name(1)}
	for i, v := range margins {
		p.labels[i] = label[v > 0]
		if probability != nil {
			p.value[i] = probability(v)
		}
		if c.Threshold != nil {
			p.labels[i] = label[p.value[i]-float64(*c.Threshold) > 0]
		}
	}
	return p, nil
}

// write writes one line per row.
func (p *onePredictions) write(w io.Writer) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, v := range p.value {
		if p.labels == nil {
			line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
		} else {
			line = strconv.AppendFloat(line[:0], v, 'g', 8, 64)
			line = append(append(line, ' '), p.labels[i]...)
		}
		bw.Write(append(line, '\n')) // the first error sticks until Flush
	}
	return bw.Flush()
}

// draw draws the ROC curve.
func (p *onePredictions) draw(w io.Writer, data *sparse.Dataset) error {
	auc := model.AUC(p.value, data.Labels, nil)
	if math.IsNaN(auc) {
		return fmt.Errorf("the ROC curve needs rows of both classes, and the data have one")
	}
	positive := make([]bool, len(data.Labels))
	for i, b := range data.Labels {
		positive[i] = b > 0
	}
	return drawROC(w, auc, p.value, positive)
}
