package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

// A manyModel is of several classes, each against the rest.
type manyModel struct{ *model.Multi }

func (m manyModel) head() *model.Model { return m.Models[0] }

func (m manyModel) parts() ([]string, []*model.Model) { return m.names(), m.Models }

func (m manyModel) words() []string { return m.Names }

func (m manyModel) names() []string { return sparse.Classes{Values: m.Classes, Names: m.Names}.All() }

func (m manyModel) refuses(c *predictCmd) error {
	switch {
	case c.SVG != "":
		return usagef("--svg draws the ROC curve, which is of two classes; the model has %d", len(m.Classes))
	case c.Threshold != nil:
		return usagef("--threshold is for two classes; the model has %d, and predicts the most probable", len(m.Classes))
	}
	return nil
}

// manyPredictions are those of a model of several classes.
type manyPredictions struct {
	values  [][]float64 // of each class: probabilities, or margins
	classes []int       // the number of the one predicted
	names   []string
}

func (m manyModel) predict(_ *predictCmd, data *sparse.Dataset) (predictions, error) {
	margins, err := m.Margins(data.X, data.Offsets)
	if err != nil {
		return nil, err
	}
	n, _ := data.X.Dims()
	p := &manyPredictions{values: margins, classes: make([]int, n), names: m.names()}
	row := make([]float64, len(margins))
	for i := range p.classes {
		for k := range row {
			row[k] = margins[k][i]
		}
		p.classes[i] = slices.Index(row, slices.Max(row))
		if !givesProbability(m.head()) {
			continue
		}
		m.Shares(row, row)
		for k, v := range row {
			margins[k][i] = v
		}
	}
	return p, nil
}

// write writes one line per row: a number for each class, and the one predicted.
func (p *manyPredictions) write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, class := range p.classes {
		line = line[:0]
		for _, of := range p.values {
			line = append(strconv.AppendFloat(line, of[i], 'g', 8, 64), ' ')
		}
		b.Write(append(append(line, p.names[class]...), '\n')) // the first error sticks until Flush
	}
	return b.Flush()
}

func (p *manyPredictions) draw(io.Writer, *sparse.Dataset) error {
	return errors.New("the ROC curve is of two classes")
}

// measure compares predictions with labels.
func (m manyModel) measure(c *predictCmd, data *sparse.Dataset) (*predictReport, error) {
	s, err := m.Score(data.X, data.Labels, c.scoring(data))
	if err != nil {
		return nil, err
	}
	correct := 0.0
	for k, row := range s.Confusion {
		correct += row[k]
	}
	loss, whole := number(s.Loss), int(correct)
	r := &predictReport{N: s.Rows, Loss: &loss, Accuracy: &s.Accuracy, Correct: &whole}
	if c.Metrics {
		r.Metrics = (*manyMetrics)(s)
	}
	return r, nil
}

// manyMetrics are those of several classes.
type manyMetrics model.MultiMetrics

// addTo shows what accuracy and mean loss do not.
func (m *manyMetrics) addTo(f *facts) {
	if m.AUC != nil {
		f.add("AUC", "%.8g, the mean over the classes against the rest", *m.AUC)
	} else {
		f.add("AUC", "none: a class is absent")
	}
	f.addIf(m.LogLoss != nil, "log loss", "%.8g", m.Loss)
	f.add("macro F1", "%.8g", m.MacroF1)
	if len(m.Classes) > manyClasses {
		m.addWorst(f)
		return
	}
	for _, c := range m.Classes {
		f.add("class "+c.Class, "precision %.8g, recall %.8g, F1 %.8g, %s", c.Precision, c.Recall, c.F1, plural(int(c.Rows), "row"))
	}
	for k, row := range m.Confusion {
		called := ""
		for j, count := range row {
			if count > 0 {
				called += fmt.Sprintf(", %s called %s", grouped(int(count)), m.Classes[j].Class)
			}
		}
		f.addIf(called != "", "of "+m.Classes[k].Class, "%s", called[min(2, len(called)):])
	}
}

// A manyReport is what scas model show --json prints of several classes.
type manyReport struct {
	File    string         `json:"file"`
	Classes []string       `json:"classes"`
	Models  []*modelReport `json:"models"`
}

func (m manyModel) describe(file string, top int) description {
	r := &manyReport{File: dataName(file), Classes: m.names()}
	for _, one := range m.Models {
		r.Models = append(r.Models, newModelReport(file, one, top))
	}
	return r
}

func (r *manyReport) addTo(f *facts) {
	r.addHead(f)
	for k, m := range r.Models {
		f.gap()
		f.add("class", "%s", r.Classes[k])
		m.addFit(f)
	}
}

func (r *manyReport) addHead(f *facts) {
	r.Models[0].addInput(f)
	f.add("labels", "%s, each against the rest: %s", plural(len(r.Classes), "class"), some(r.Classes))
}

// lines has one for each class.
func (r *manyReport) lines() grid {
	rows := make([][]string, len(r.Models))
	for k, m := range r.Models {
		largest := "none"
		if len(m.Coefficients) > 0 {
			largest = fmt.Sprintf("%s: %.6g", m.Coefficients[0].Feature, m.Coefficients[0].Coefficient)
		}
		rows[k] = slices.Concat([]string{r.Classes[k], grouped(m.NNZX)}, m.gaps(), []string{statusWord(m.Status), largest})
	}
	return grid{slices.Concat([]string{"class", "non-zeros"}, gapColumns, []string{"status", "largest coefficient"}), rows}
}

func (r *manyReport) text() string {
	var head facts
	r.addHead(&head)
	text := head.String()
	if len(r.Models) > manyClasses {
		t := r.lines()
		return text + "\n" + columnsOf(t.Head, t.Rows)
	}
	for k, m := range r.Models {
		var f facts
		f.add("class", "%s", r.Classes[k])
		m.addFit(&f)
		text += "\n" + f.String() + m.contents()
	}
	return text
}
