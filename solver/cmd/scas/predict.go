package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

type predictCmd struct {
	Model string `short:"m" required:"" placeholder:"FILE" help:"Model written by scas train or scas cv, or by liblinear."`
	Data  string `arg:"" name:"DATA" help:"Data file as for scas train, or - for standard input."`

	Output       string `short:"o" placeholder:"FILE" help:"Write the predictions there (default: standard output)."`
	Threshold    *label `placeholder:"F" help:"Predict the positive class where the probability, or with squared-hinge loss the margin, is above F (default: 0.5, for margins 0)."`
	Metrics      bool   `help:"Compare with the labels of DATA in more ways: AUC, log loss, Brier score, precision, recall, F1 and the confusion table; for regression mean squared and absolute error and R2."`
	SVG          string `name:"svg" placeholder:"FILE" help:"Draw the ROC curve, the share of positive rows found against that of negative rows called positive."`
	JSON         bool   `name:"json" help:"Print the measures as one JSON object: on standard output with -o, else on standard error."`
	Offset       string `placeholder:"FILE" help:"A number for every row of DATA, one a line, that is added to its margin (default: the column of a table that had them in training)."`
	IgnoreLabels bool   `help:"Do not compare with the labels of DATA, whatever they are."`
	formFlags
	memoryFlags
	IndexBase string `enum:"model,0,1" default:"model" help:"Number of the first feature in DATA; model: as in the training file."`
}

// Help is shown by scas predict --help.
func (predictCmd) Help() string {
	return `Examples:

    scas predict -m a9a.json -o predictions.txt a9a.t.zst
    scas predict -m a9a.json --metrics --svg roc.svg -o predictions.txt a9a.t.zst
    scas predict -m a9a.json --threshold 0.3 a9a.t.zst
    scas predict -m a9a.json --ignore-labels new.svm | head
    scas predict -m price.json houses.csv

One line per row: the probability of the positive class (with squared-hinge loss
the margin, which is above 0 for that class) and the predicted label, as the
training file wrote it; for regression, the predicted value. If the labels of
DATA are known to the model, accuracy and mean loss follow on standard error.
A label the model does not know is an error, and so is a feature beyond the
model's.

Columns of tables are matched with the model's features by name: their order may
differ, a column that the model needs must be there, and others are left out. A
category that the model does not know counts as none, which is said on standard
error. Missing values are filled as in training. The column of the labels may be
absent. Offsets of training (scas train --help) are of the column that had them,
or of --offset.

A .scas file larger than --memory is predicted in pieces, without --metrics, --svg
and --offset.

Exit codes: 0 done, 1 cannot read or write (labels and features that the model
does not know included), 2 wrong usage, 3 a number in DATA or a prediction is not
finite, 130 interrupted (nothing is written).`
}

// A predictReport is what scas predict --json prints.
type predictReport struct {
	N        int            `json:"n"`
	Loss     *number        `json:"loss"`               // mean over the rows; null without labels
	Accuracy *float64       `json:"accuracy,omitempty"` // share of rows predicted right
	Correct  *int           `json:"correct,omitempty"`
	Metrics  *model.Metrics `json:"metrics,omitempty"` // with --metrics
}

// Run predicts.
func (c *predictCmd) Run(e *env) error {
	m, err := await(e, func() (*model.Model, error) { return readModel(c.Model, c.Memory) })
	if err != nil {
		return err
	}
	if err := c.check(m); err != nil {
		return err
	}
	var pred *predictions
	var data *sparse.Dataset
	out := outputs{
		{"-o", c.Output, func(w io.Writer) error { return pred.write(w) }},
		{"--svg", c.SVG, func(w io.Writer) error { return pred.draw(w, data) }},
	}
	if err := out.check(c.Data, c.Labels, c.Model, c.Offset); err != nil {
		return err
	}
	if data, err = e.readRowsOf(m, c); err != nil {
		return c.ofModel(m, err)
	}
	if c.Memory.beyond(data) {
		return c.beyond(e, m, data)
	}
	if pred, err = c.predict(m, data); err != nil {
		return c.explain(err)
	}
	r := predictReport{N: len(pred.value)}
	if !c.IgnoreLabels && data.Labels != nil {
		if err := r.measure(c, m, data); err != nil {
			return err
		}
	}
	if _, err = out.write(); err == nil && c.Output == "" {
		err = pred.write(e.stdout)
	}
	if err != nil {
		return err
	}
	return c.report(e, r)
}

// report prints what the predictions are worth.
func (c *predictCmd) report(e *env, r predictReport) (err error) {
	if r.Loss != nil && !isFinite(float64(*r.Loss)) {
		return notFiniteError{fmt.Errorf("the mean loss is %v: numbers of %s or coefficients of %s are too large", *r.Loss, c.Data, c.Model)}
	}
	switch {
	case !c.JSON:
		_, err = io.WriteString(e.stderr, r.table().String())
	case c.Output == "":
		err = printJSON(e.stderr, r)
	default:
		err = printJSON(e.stdout, r)
	}
	return err
}

// ofModel words what readers say of features and labels that the model does not know.
func (c *predictCmd) ofModel(m *model.Model, err error) error {
	if parse, ok := errors.AsType[*sparse.ParseError](err); ok {
		if m.Offset != "" && parse.Token == m.Offset {
			parse.Msg = strings.Replace(parse.Msg, "no such column: expected a name, or a number from 1", "no such column, which has the offsets of the model's margins: give --offset FILE if they are elsewhere", 1)
		}
		labels := "with --ignore-labels it does not matter"
		if c.isTable(c.Data) {
			labels += ", and --label names another column"
		}
		parse.Msg = strings.NewReplacer(
			"beyond the stated", "beyond the model's", "state more features", "take the model of these data",
			"unknown label: the labels are", "unknown label: "+labels+"; the model's are",
		).Replace(parse.Msg)
	}
	return err
}

// explain counts the row of a margin that is not finite from 1, and names the files.
func (c *predictCmd) explain(err error) error {
	var over *model.OverflowError
	if !errors.As(err, &over) {
		return err
	}
	return notFiniteError{fmt.Errorf("%s: row %d: its product with the coefficients of %s is %v", c.Data, over.Row+1, c.Model, over.Margin)}
}

// check refuses flags that do not belong together, or to the model.
func (c *predictCmd) check(m *model.Model) error {
	switch {
	case c.Metrics && c.IgnoreLabels:
		return usagef("--metrics compares with the labels that --ignore-labels leaves out; give one of them")
	case c.SVG != "" && (c.IgnoreLabels || !m.Classifies()):
		return usagef("--svg draws the ROC curve, which is of two classes and their labels")
	case c.Threshold != nil && !m.Classifies():
		return usagef("--threshold is for two classes; the model predicts numbers, by %s loss", m.Loss)
	case c.Threshold != nil && isLogistic(m) && (*c.Threshold < 0 || *c.Threshold > 1):
		return usagef("--threshold %v: the model gives probabilities; want one of 0 to 1", *c.Threshold)
	}
	return nil
}

func isLogistic(m *model.Model) bool { return m.Loss.String() == solver.Logistic{}.String() }

func (c *predictCmd) readOptions(m *model.Model) *sparse.ReadOptions {
	opt := m.ReadOptions()
	opt.Beyond = c.streams()
	if c.IndexBase != "model" {
		opt.IndexBase = map[string]sparse.IndexBase{"0": sparse.ZeroBased, "1": sparse.OneBased}[c.IndexBase]
	}
	if c.Offset != "" {
		opt.Table.Offset = ""
	}
	if c.IgnoreLabels {
		opt.Mapping, opt.Regression, opt.AnyLabels, opt.Table.NoLabel = sparse.LabelMapping{}, false, true, true
	}
	return opt
}

// readRowsOf reads data for a model to predict.
func (e *env) readRowsOf(m *model.Model, c *predictCmd) (*sparse.Dataset, error) {
	data, err := e.readData(c.Data, c.readOptions(m), &c.formFlags, c.Memory)
	if err == nil && c.Offset != "" {
		_, err = await(e, func() (any, error) { return nil, readOffsets(c.Offset, data) })
	}
	if err != nil {
		return nil, err
	}
	if m.Facts.Offsets && data.Offsets == nil {
		e.warn("the model was fitted with offsets, and %s has none: they count as 0; give --offset FILE", dataName(c.Data))
	}
	switch t := data.Table; {
	case data.Labels == nil && (c.Metrics || c.SVG != ""):
		return nil, usagef("--metrics and --svg compare with labels, and %s has none", dataName(c.Data))
	case m.Features != nil && data.Names == nil:
		e.warn("%s names no features: they are taken in the order of the model's, feature %d being %s", dataName(c.Data), m.IndexBase, m.Features[0])
	case t == nil:
	case m.Features == nil:
		e.warn("the model has no names: columns are taken in their order")
	case len(t.Ignored) > 0 && !(len(t.Ignored) == 1 && t.Ignored[0] == m.Target):
		e.warn("%s of %s not in the model and left out: %s", plural(len(t.Ignored), "column"), dataName(c.Data), some(t.Ignored))
	}
	return data, nil
}

// some lists the first few of many names.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// predictions of a model.
type predictions struct {
	value  []float64 // probability of the positive class, or margin
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

func (c *predictCmd) predict(m *model.Model, data *sparse.Dataset) (*predictions, error) {
	margins, err := margins(m, data)
	if err != nil || !m.Classifies() {
		return &predictions{value: margins}, err
	}
	p := &predictions{value: margins, labels: make([]string, len(margins))}
	label := map[bool]string{false: m.Labels.Name(-1), true: m.Labels.Name(1)}
	for i, v := range margins {
		p.labels[i] = label[v > 0]
		if isLogistic(m) {
			p.value[i] = kernels.Sigmoid(v)
		}
		if c.Threshold != nil {
			p.labels[i] = label[p.value[i]-float64(*c.Threshold) > 0]
		}
	}
	return p, nil
}

// write writes one line per row.
func (p *predictions) write(w io.Writer) error {
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
func (p *predictions) draw(w io.Writer, data *sparse.Dataset) error {
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

// A score is what a model is worth on some rows.
type score struct {
	rows, correct int
	loss          float64 // sum over the rows
}

func (s score) plus(t score) score {
	return score{s.rows + t.rows, s.correct + t.correct, s.loss + t.loss}
}

func (s score) mean() float64     { return s.loss / float64(s.rows) }
func (s score) accuracy() float64 { return float64(s.correct) / float64(s.rows) }

// measure compares the margins of a model with labels, which are -1 and +1 if the
// loss is for classes.
func measure(loss solver.Loss, margin, labels []float64) score {
	s := score{rows: len(labels), loss: loss.Slopes(nil, margin, labels)}
	for i, b := range labels {
		if (margin[i] > 0) == (b > 0) {
			s.correct++
		}
	}
	return s
}

// measure compares predictions with labels.
func (r *predictReport) measure(c *predictCmd, m *model.Model, data *sparse.Dataset) error {
	s, err := m.Score(data.X, data.OriginalLabels(), &model.ScoreSettings{Threshold: (*float64)(c.Threshold), Offsets: data.Offsets})
	if err != nil {
		return err
	}
	margins, err := margins(m, data)
	if err != nil {
		return err
	}
	s.Loss = measure(m.Loss, margins, data.Labels).mean() // by the sums of training
	loss := number(s.Loss)
	r.Loss = &loss
	if s.Classes != nil {
		correct := int(s.Classes.Confusion.TruePositive + s.Classes.Confusion.TrueNegative)
		r.Accuracy, r.Correct = &s.Classes.Accuracy, &correct
	}
	if c.Metrics {
		r.Metrics = s
	}
	return nil
}

func (r *predictReport) table() (f facts) {
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

// addMetrics shows what accuracy and mean loss do not.
func addMetrics(f *facts, m *model.Metrics) {
	if n := m.Numbers; n != nil {
		f.add("errors", "mean squared %.8g, mean absolute %.8g", n.MSE, n.MAE)
		f.add("R2", "%.8g", n.R2)
		return
	}
	c := m.Classes
	if c.AUC != nil {
		f.add("AUC", "%.8g", *c.AUC)
	} else {
		f.add("AUC", "none: one class is absent")
	}
	if c.LogLoss != nil {
		f.add("log loss", "%.8g, Brier score %.8g", *c.LogLoss, *c.Brier)
	}
	f.add("precision", "%.8g, recall %.8g, F1 %.8g, at the threshold %g", c.Precision, c.Recall, c.F1, c.Threshold)
	t := c.Confusion
	f.add("positive", "%s found, %s missed", grouped(int(t.TruePositive)), grouped(int(t.FalseNegative)))
	f.add("negative", "%s found, %s called positive", grouped(int(t.TrueNegative)), grouped(int(t.FalsePositive)))
}
