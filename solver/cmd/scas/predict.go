package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
)

type predictCmd struct {
	Model string `short:"m" required:"" placeholder:"FILE" help:"Model written by scas train or scas cv, or by liblinear." group:"Predictions:"`
	Data  string `arg:"" name:"DATA" help:"Data file as for scas train, or - for standard input."`

	Output       string  `short:"o" placeholder:"FILE" help:"Write the predictions to this file (default: standard output)." group:"What is written:"`
	Threshold    *finite `placeholder:"F" help:"Predict the positive class if its probability (with squared-hinge loss, the margin) is above F (default: 0.5; for margins 0)." group:"Predictions:"`
	Metrics      bool    `help:"Also report AUC, log loss, Brier score, precision, recall, F1 and the confusion table; for numbers MSE, MAE and R2; for counts deviance and D2." group:"Predictions:"`
	SVG          string  `name:"svg" placeholder:"FILE" help:"Draw the ROC curve: the share of positive rows predicted as positive against the share of negative rows predicted as positive." group:"What is written:"`
	JSON         bool    `name:"json" help:"Print the measures as one JSON object: on standard output with -o, else on standard error." group:"What is written:"`
	Offset       string  `placeholder:"FILE" help:"File with a number for each row, one a line, that is added to its margin (default: the column of a table that had the offsets in training)." group:"Predictions:"`
	IgnoreLabels bool    `help:"Do not compare with the labels of DATA." group:"Predictions:"`
	IgnoreBeyond bool    `help:"Leave out features of DATA whose index is larger than in the model. With names, features that the model does not have are always left out." group:"Predictions:"`
	formatFlags
	memoryFlags
	IndexBase string `enum:"model,0,1" default:"model" help:"Number of the first feature in DATA, if this is LIBSVM text; model: as in the training file (default ${default})." group:"Form of DATA:"`
}

func (predictCmd) Help() string {
	return `Examples:

    scas predict -m a9a.json -o predictions.txt a9a.t.zst
    scas predict -m a9a.json --metrics --svg roc.svg -o pred.txt a9a.t.zst
    scas predict -m a9a.json --threshold 0.3 a9a.t.zst
    scas predict -m a9a.json --ignore-labels new.svm | head
    scas predict -m price.json houses.csv

The output has a line for each row. For two classes it has the probability of the
positive class and the predicted label, as the training file wrote it. For more
classes it has the probability of each class, in the order of the labels, and the
class with the largest one. With squared-hinge loss there are margins instead of
probabilities; the margin of a class is above 0 for its rows. For labels that are
numbers, the line has the predicted value; with poisson loss, the expected count.

If DATA has labels, accuracy and mean loss follow on standard error. A label that the
model does not know is an error unless --ignore-labels is given. A feature after the
last feature of the model is an error unless --ignore-beyond is given.

Columns of a table are matched with the features of the model by name, in any order.
A column that the model needs must be there; other columns are left out. A category
that the model does not know counts as no category, with a warning. Missing values
are filled as in training. The column of the labels may be absent. If the model was
trained with offsets (scas train --help-all), they are read from the same column of
the table, or from --offset.

A .scas file larger than --memory is predicted in pieces, without --svg. Its features
must then be those of the model, in the same order.

Exit codes: 0 done, 1 cannot read or write (also for labels and features that the
model does not know), 2 wrong usage, 3 a number in DATA or a prediction is not
finite, 130 interrupted (no file is written; printed predictions may not be
complete).`
}

func (c *predictCmd) Run(e *env) error {
	if c.Metrics && c.IgnoreLabels {
		return usagef("--metrics compares with the labels that --ignore-labels leaves out; give one of them")
	}
	m, err := await(e, func() (*model.Model, error) {
		m, _, err := readModel(c.Model, c.Memory)
		return m, err
	})
	if err != nil {
		return err
	}
	if err := c.checkFlags(m); err != nil {
		return err
	}
	var pred *model.DataPredictions
	var data *sparse.Dataset
	write := func(w io.Writer) error { return writePredictions(w, pred) }
	out := outputs{
		{"-o", c.Output, func(w io.Writer) error { return write(w) }},
		{"--svg", c.SVG, func(w io.Writer) error { return drawROC(w, m, data) }},
	}
	if err := out.check(c.Data, c.Labels, c.Model, c.Offset); err != nil {
		return err
	}
	if err := checkExist([]string{c.Offset}); err != nil {
		return err
	}
	data, err = c.read(e, m)
	if err != nil {
		return advisedError{err, c.advice}
	}
	d := c.demand(m, data)
	outOfCore := c.Memory.exceededBy(d)
	t, err := c.tally(m, d, outOfCore)
	if err != nil {
		return err
	}
	p := e.beginProgress("predicting " + dataName(c.Data))
	defer p.end()
	eachWindow := c.Memory.windows(e, data, outOfCore)
	if outOfCore {
		write = func(w io.Writer) error { return c.writeWindows(w, m, t, data, eachWindow) }
	} else if pred, err = c.predict(m, t, data); err != nil {
		return nameData(c.Data, explainOverflow(err, 0, c.Model))
	}
	note := "nothing written"
	err = out.write(e, func() error {
		if c.Output == "" {
			// Out of core, this checks all rows before the first prediction is printed.
			if err := eachWindow(func(int, int) error { return nil }); err != nil {
				return err
			}
			note = "the printed predictions may not be complete"
			if err := write(e.stdout); err != nil {
				return err
			}
		}
		p.end()
		n, _ := data.X.Dims()
		r := &predictReport{N: n, Classes: columnNames(m)}
		if t != nil {
			s, err := t.Metrics()
			if err != nil {
				return err
			}
			r = newPredictReport(m, s, c.Metrics, false)
		}
		return c.printReport(e, r)
	})
	return e.interruptError(err, note)
}

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

// tally returns the tally of the predictions, or nil if they are not compared with labels. It adds to d the
// memory for the scores that --metrics keeps. It returns an error if the work must be done out of core, but
// cannot be.
func (c *predictCmd) tally(m *model.Model, d *demand, outOfCore bool) (*model.Tally, error) {
	var t *model.Tally
	switch {
	case c.IgnoreLabels || d.data.Labels == nil:
	case !c.Metrics:
		t = m.NewBriefTally()
	default:
		rowCounts, scoreCount := countRowsByClass(d.data), len(m.Columns)
		t = m.NewTally(rowCounts)
		for _, n := range rowCounts {
			d.keptBytes += 8 * int64(n) * int64(scoreCount)
		}
		if d.obstacle == nil && rowCounts != nil {
			d.work += fmt.Sprintf(" with --metrics, which keeps %s of each row for the AUC, 8 bytes each,",
				plural(scoreCount, "score"))
		}
	}
	_, err := c.Memory.place(d, outOfCore)
	return t, err
}

// predict returns the predictions of m for the rows of data, and adds the rows to the tally unless it is nil.
func (c *predictCmd) predict(m *model.Model, tally *model.Tally, data *sparse.Dataset) (*model.DataPredictions, error) {
	p, err := m.PredictData(data, (*float64)(c.Threshold))
	if err == nil && tally != nil {
		err = addRows(tally, data, &model.ScoreSettings{Threshold: (*float64)(c.Threshold)})
	}
	return p, err
}

// writeWindows predicts the rows window by window. It writes the predictions to w, and adds the rows to t
// unless t is nil.
func (c *predictCmd) writeWindows(
	w io.Writer, m *model.Model, t *model.Tally, data *sparse.Dataset,
	eachWindow func(do func(lo, hi int) error) error,
) error {
	return eachWindow(func(lo, hi int) error {
		window, err := rowsOf(data, lo, hi)
		if err != nil {
			return err
		}
		pred, err := c.predict(m, t, window)
		if err != nil {
			return nameData(c.Data, explainOverflow(err, lo, c.Model))
		}
		return writePredictions(w, pred)
	})
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

func (c *predictCmd) demand(m *model.Model, data *sparse.Dataset) *demand {
	const bytesOfRow = 64 // bytes for a margin, a prediction, a label, and copies that the metrics sort
	n, _ := data.X.Dims()
	d := &demand{
		work: "predicting " + plural(n, "row") + " of " + dataName(c.Data), data: data,
		inMemoryBytes: func() float64 {
			return float64(dataBytes(data)) + float64(bytesOfRow*float64(n)) + scoreBytes(n, len(m.Columns))
		},
	}
	switch {
	case !data.X.Mapped():
		d.obstacle = errNotMapped
	case c.SVG != "":
		d.obstacle = fmt.Errorf("%w: --svg draws a curve of all rows at once", rows.ErrNotStreamed)
	}
	return d
}

func (c *predictCmd) printReport(e *env, r *predictReport) (err error) {
	if r.Loss != nil && !isFinite(float64(*r.Loss)) {
		return notFiniteError{
			fmt.Errorf("the mean loss is %v: numbers of %s or coefficients of %s are too large",
				*r.Loss, c.Data, c.Model),
		}
	}
	switch {
	case !c.JSON:
		_, err = io.WriteString(e.stderr, r.summary().String())
	case c.Output == "":
		err = printJSON(e.stderr, r)
	default:
		err = printJSON(e.stdout, r)
	}
	return err
}

// advice returns the words for a remedy of an error in reading the data; see advisedError. ok is true for a
// remedy that changes an option which the model determines, and for a remedy for which scas predict has
// another flag.
func (c *predictCmd) advice(r sparse.Remedy) (words string, ok bool) {
	switch r.Field {
	case "ReadOptions.Features":
		return "take the model of these data", true
	case "ReadOptions.IgnoreBeyond":
		return "leave such features out with --ignore-beyond", true
	case "ReadOptions.AnyLabels", "ReadOptions.Counts", "ReadOptions.Regression":
		words = "give --ignore-labels if the labels do not matter"
		// In a table, an error with one of the other two fields also has the remedy TableOptions.Label.
		if r.Field == "ReadOptions.Counts" && c.isTable(c.Data) {
			words = "name the column of the labels with --label, or " + words
		}
		return words, true
	case "TableOptions.Drop":
		return "fill in the value", true
	case "TableOptions.Missing":
		return "take a model that scas train made from a table with --missing", true
	case "TableOptions.Offset":
		return "give --offset FILE if the offsets of the model's margins are in a file of their own", true
	}
	return "", false
}

func (c *predictCmd) readOptions(m *model.Model) *sparse.ReadOptions {
	opt := m.ReadOptions()
	opt.Beyond, opt.IgnoreBeyond = true, c.IgnoreBeyond
	switch {
	case c.IndexBase != "model":
		opt.IndexBase = map[string]sparse.IndexBase{"0": sparse.ZeroBased, "1": sparse.OneBased}[c.IndexBase]
	case c.formatOf(c.Data) != sparse.LIBSVM:
		opt.IndexBase = sparse.AutoBase
	}
	if c.Offset != "" {
		opt.Table.Offset = ""
	}
	if c.IgnoreLabels {
		opt.Classes, opt.Regression, opt.Counts = sparse.Classes{}, false, false
		opt.AnyLabels, opt.Table.NoLabel = true, true
	}
	return opt
}

// read reads the data that m will predict. It warns if the features or offsets of the data and of m do not
// match. It returns an error if the data do not have the labels that --metrics or --svg needs.
func (c *predictCmd) read(e *env, m *model.Model) (*sparse.Dataset, error) {
	data, err := e.readData(c.Data, c.readOptions(m), &c.formatFlags, c.Memory)
	if err == nil && c.Offset != "" {
		n, _ := data.X.Dims()
		_, err = await(e, func() (any, error) { return nil, readOffsets(c.Offset, data, portion{0, n, n}) })
	}
	if err != nil {
		return nil, err
	}
	if m.Summary.Offsets && data.Offsets == nil {
		e.warn("the model was fitted with offsets, and %s has none: they count as 0; give --offset FILE",
			dataName(c.Data))
	}
	switch t := data.Table; {
	case data.Labels == nil && (c.Metrics || c.SVG != ""):
		return nil, usagef("--metrics and --svg compare with labels, and %s has none", dataName(c.Data))
	case c.SVG != "" && !(slices.Contains(data.Labels, -1) && slices.Contains(data.Labels, 1)):
		return nil, fmt.Errorf("%s: the ROC curve needs rows of both classes, and the data have one",
			dataName(c.Data))
	case m.Features != nil && data.Names == nil:
		e.warn("%s has no names of features: they are matched with the model by number, so feature %d is %s",
			dataName(c.Data), m.IndexBase, m.Features[0])
	case t == nil:
	case m.Features == nil:
		e.warn("the model has no names of features: columns are matched with it by their order")
	case len(t.Ignored) > 0 && !(len(t.Ignored) == 1 && t.Ignored[0] == m.LabelColumn):
		e.warn("%s of %s not in the model and left out: %s",
			plural(len(t.Ignored), "column"), dataName(c.Data), firstNames(t.Ignored))
	}
	return data, nil
}
