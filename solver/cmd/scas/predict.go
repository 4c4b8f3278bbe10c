package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

type predictCmd struct {
	Model string `short:"m" required:"" placeholder:"FILE" help:"Model written by scas train."`
	Data  string `arg:"" name:"DATA" help:"LIBSVM file, plain or compressed, or - for standard input."`

	Output       string `short:"o" placeholder:"FILE" help:"Write the predictions there (default: standard output)."`
	JSON         bool   `name:"json" help:"Print the measures as one JSON object: on standard output with -o, else on standard error."`
	IgnoreLabels bool   `help:"Do not compare with the labels of DATA, whatever they are."`
	memoryFlags
	IndexBase string `enum:"model,0,1" default:"model" help:"Number of the first feature in DATA; model: as in the training file."`
}

// Help is shown by scas predict --help.
func (predictCmd) Help() string {
	return `Examples:

    scas predict -m a9a.json -o predictions.txt a9a.t.zst
    scas predict -m a9a.json --ignore-labels new.svm | head

One line per row: the probability of the positive class (with squared-hinge loss
the margin, which is above 0 for that class) and the predicted label, as the
training file wrote it; for regression, the predicted value. If the labels of DATA are known to the model, accuracy and mean loss follow on standard
error. A label the model does not know is an error, and so is a feature beyond
the model's.`
}

// A predictReport is what scas predict --json prints.
type predictReport struct {
	N        int      `json:"n"`
	Loss     *number  `json:"loss"`               // mean over the rows; null without labels
	Accuracy *float64 `json:"accuracy,omitempty"` // share of rows predicted right
	Correct  *int     `json:"correct,omitempty"`
}

// Run predicts.
func (c *predictCmd) Run(e *env) error {
	m, err := await(e, func() (*model, error) { return readModel(c.Model, c.Memory) })
	if err != nil {
		return err
	}
	var pred *predictions
	out := outputs{{"-o", c.Output, func(w io.Writer) error { return pred.write(w) }}}
	if err := out.check(c.Data, c.Model); err != nil {
		return err
	}
	data, err := e.readData(c.Data, c.readOptions(m))
	if err != nil {
		return err
	}
	pred = m.predict(data.X)
	if i := slices.IndexFunc(pred.value, func(v float64) bool { return !isFinite(v) }); i >= 0 {
		return notFiniteError{fmt.Errorf("%s: row %d: its product with the coefficients of %s is %v: the numbers are too large", c.Data, i+1, c.Model, pred.value[i])}
	}
	if _, err = out.write(); err == nil && c.Output == "" {
		err = pred.write(e.stdout)
	}
	if err != nil {
		return err
	}
	r := predictReport{N: len(pred.value)}
	if !c.IgnoreLabels {
		r.measure(m, pred, data.Labels)
	}
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

func (c *predictCmd) readOptions(m *model) *sparse.ReadOptions {
	opt := &sparse.ReadOptions{Features: m.P, IndexBase: sparse.OneBased}
	if c.IndexBase == "0" || c.IndexBase == "model" && m.IndexBase == 0 {
		opt.IndexBase = sparse.ZeroBased
	}
	switch {
	case c.IgnoreLabels:
		opt.AnyLabels = true
	case m.Labels != nil:
		opt.Mapping = *m.Labels
	default:
		opt.Regression = true
	}
	return opt
}

// predictions of a model.
type predictions struct {
	value  []float64 // margins: a_i'x
	score  []float64 // probability of the positive class, or margin; nil for regression
	labels *sparse.LabelMapping
}

func (m *model) predict(x *sparse.CSR) *predictions {
	n, _ := x.Dims()
	p := &predictions{value: make([]float64, n), labels: m.Labels}
	x.MulVec(p.value, m.Coefficients)
	if m.Labels == nil {
		return p
	}
	p.score = slices.Clone(p.value)
	if m.Loss == (solver.Logistic{}).String() {
		for i, v := range p.value {
			p.score[i] = kernels.Sigmoid(v)
		}
	}
	return p
}

// write writes one line per row.
func (p *predictions) write(w io.Writer) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, v := range p.value {
		if p.score == nil {
			line = strconv.AppendFloat(line[:0], v, 'g', -1, 64)
		} else {
			line = strconv.AppendFloat(line[:0], p.score[i], 'g', 8, 64)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, p.labels.Original(v), 'g', -1, 64)
		}
		bw.Write(append(line, '\n')) // the first error sticks until Flush
	}
	return bw.Flush()
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

// measure compares predictions with labels as the reader mapped them.
func (r *predictReport) measure(m *model, p *predictions, labels []float64) {
	loss, err := m.loss()
	if err != nil {
		panic(err) // readModel has checked it
	}
	s := measure(loss, p.value, labels)
	mean := number(s.mean())
	if r.Loss = &mean; p.score != nil {
		accuracy := s.accuracy()
		r.Correct, r.Accuracy = &s.correct, &accuracy
	}
}

func (r *predictReport) table() (f facts) {
	switch {
	case r.Accuracy != nil:
		f.add("accuracy", "%.2f %% (%s of %s)", 100**r.Accuracy, grouped(*r.Correct), grouped(r.N))
		f.add("mean loss", "%.8g", *r.Loss)
	case r.Loss != nil:
		f.add("mean loss", "%.8g over %s", *r.Loss, plural(r.N, "row"))
	}
	return f
}
