package model

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// solverTypes has a loss for each supported solver type of liblinear. The loss gives the same predictions as
// the loss of liblinear, but may be another loss: for example, squared hinge replaces the hinge loss.
var solverTypes = map[string]solver.Loss{
	"L2R_LR": solver.Logistic{}, "L1R_LR": solver.Logistic{}, "L2R_LR_DUAL": solver.Logistic{},
	"L2R_L2LOSS_SVC": solver.SquaredHinge{}, "L2R_L2LOSS_SVC_DUAL": solver.SquaredHinge{},
	"L1R_L2LOSS_SVC": solver.SquaredHinge{}, "L2R_L1LOSS_SVC_DUAL": solver.SquaredHinge{},
	"L2R_L2LOSS_SVR": solver.Squared{}, "L2R_L2LOSS_SVR_DUAL": solver.Squared{},
	"L2R_L1LOSS_SVR_DUAL": solver.Squared{},
}

// WriteLiblinear writes a model file for liblinear-predict. If there are two classes, the label of
// the positive class is first. The intercept is the weight of an additional last feature with value
// 1. Labels must be whole numbers. For classes that are words, the file has the numbers that stand
// for the words. Only the loss, the labels and the weights are written. Models of counts are an error, and
// so are two classes with a column for each.
func (m *Model) WriteLiblinear(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	solverType, labels := "L2R_L2LOSS_SVR", m.Classes.Values
	switch loss := m.loss().Traits(); {
	case loss.Labels == term.Counts:
		return errorf("liblinear has no model of counts, as that of the %s loss is: its predictions would be logarithms", loss.Name)
	case loss.Name == term.Logistic{}.Traits().Name: // liblinear gives probabilities only for logistic regression
		solverType = "L1R_LR"
	case loss.Labels == term.Classes:
		solverType = "L1R_L2LOSS_SVC"
	}
	if len(m.Columns) == 2 {
		return errorf("two classes with a column of weights for each; liblinear has one column for two classes")
	}
	if m.hasPositive() {
		labels = m.Classes.Reversed().Values
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "solver_type %s\nnr_class %d\n", solverType, max(2, len(labels)))
	if labels != nil {
		b.WriteString("label")
		for _, label := range labels {
			if label != math.Trunc(label) || math.Abs(label) > math.MaxInt32 {
				return errorf("label %v; those of liblinear are whole numbers", label)
			}
			fmt.Fprintf(b, " %d", int(label))
		}
		b.WriteByte('\n')
	}
	bias := -1
	if m.HasIntercept {
		bias = 1
	}
	fmt.Fprintf(b, "nr_feature %d\nbias %d\nw\n", m.featureCount(), bias)
	writeLine := func(value func(c *Column) float64) {
		for k := range m.Columns {
			if k > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "%.17g", value(&m.Columns[k]))
		}
		b.WriteByte('\n')
	}
	for j := range m.featureCount() {
		writeLine(func(c *Column) float64 { return c.Coefficients[j] })
	}
	if m.HasIntercept {
		writeLine(func(c *Column) float64 { return c.Intercept })
	}
	return b.Flush()
}

// ReadLiblinear reads a model file of liblinear: a regression model, a model of two classes, or a model of
// several classes, each fitted against all others. Errors contain name and the number of the line.
// If this package does not have the loss of the file, the model gets a loss with the same
// predictions.
func ReadLiblinear(r io.Reader, name string) (*Model, error) {
	l := &liblinear{lines: bufio.NewScanner(r), name: name, classes: 2, bias: -1, features: -1}
	l.lines.Buffer(nil, 1<<20) // lines may be long: a line has one weight for each class
	if err := l.readHead(); err != nil {
		return nil, err
	}
	return l.readModel()
}

// A liblinear reads a model file of liblinear.
type liblinear struct {
	lines    *bufio.Scanner
	name     string
	line     int      // the number of the current line
	keys     []string // the keys of the lines that were read
	loss     solver.Loss
	classes  int       // the number of classes; 2 in a regression model
	labels   []float64 // the labels of the classes; nil in a regression model
	features int       // −1 until the line nr_feature is read
	bias     float64   // the value of the additional last feature; negative if there is none
}

// errorf returns an error about a word of the current line, or about the whole line if word is "".
func (l *liblinear) errorf(word, format string, args ...any) error {
	return &sparse.ParseError{File: l.name, Line: l.line, Token: word, Msg: fmt.Sprintf(format, args...)}
}

// numberError returns an error about a word of the current line that stands where a number is expected.
func (l *liblinear) numberError(word, expected string) error {
	return &sparse.ParseError{File: l.name, Line: l.line, Token: word, Number: true, Msg: expected}
}

// nextWords returns the words of the next line that is not blank, or nil at the end of the file or after an
// error.
func (l *liblinear) nextWords() []string {
	for l.lines.Scan() {
		l.line++
		if words := strings.Fields(l.lines.Text()); len(words) > 0 {
			return words
		}
	}
	return nil
}

// readHead reads the lines before the weights, up to the line "w".
func (l *liblinear) readHead() error {
	for {
		words := l.nextWords()
		switch {
		case words == nil && l.lines.Err() != nil:
			return l.errorf("", "%v", l.lines.Err())
		case words == nil:
			return l.errorf("",
				"the file ends before a line w: expected a model that liblinear wrote; fetch the file again")
		case words[0] == "w" && len(words) > 1:
			return l.errorf(words[1], "expected the weights in the lines below w")
		case words[0] == "w":
			return l.checkHead()
		case len(words) < 2:
			return l.errorf(words[0], "expected a value behind it; the file may be cut: fetch it again")
		}
		if err := l.setField(words[0], words[1:]); err != nil {
			return err
		}
	}
}

func (l *liblinear) setField(key string, values []string) (err error) {
	switch {
	case slices.Contains(l.keys, key):
		return l.errorf(key, "expected one line %s, not two", key)
	case key != "label" && len(values) > 1:
		return l.errorf(values[1], "expected one value after %s", key)
	}
	l.keys = append(l.keys, key)
	switch key {
	case "solver_type":
		var ok bool
		l.loss, ok = solverTypes[values[0]]
		if !ok {
			return l.errorf(values[0],
				"solver_type: expected one for regression, or one that separates each class from the rest, such as L1R_LR")
		}
	case "nr_class":
		l.classes, err = strconv.Atoi(values[0])
		if err != nil || l.classes < 2 || l.classes > rows.MaxClasses {
			return l.errorf(values[0], "nr_class: expected 2 to %d", rows.MaxClasses)
		}
	case "label":
		if len(values) != l.classes {
			return l.errorf("", "%d labels: expected %d", len(values), l.classes)
		}
		for _, text := range values {
			label, ok := parseDecimal(text)
			switch {
			case !ok:
				return l.numberError(text, "label: expected a whole number")
			case slices.Contains(l.labels, label):
				return l.errorf("", "two labels are %v: expected different ones", label)
			}
			l.labels = append(l.labels, label)
		}
	case "nr_feature":
		l.features, err = strconv.Atoi(values[0])
		if err != nil || l.features < 1 || l.features > sparse.MaxCols {
			return l.errorf(values[0], "nr_feature: expected a number of features")
		}
	case "bias":
		var ok bool
		l.bias, ok = parseDecimal(values[0])
		if !ok {
			return l.numberError(values[0], "bias: expected a finite number")
		}
	default:
		return l.errorf(key, "expected solver_type, nr_class, label, nr_feature, bias or w")
	}
	return nil
}

// parseDecimal parses a finite decimal number. ok is false for other text, such as 0x1p3.
func parseDecimal(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && finite(v) && strings.Trim(text, "0123456789+-.eE") == ""
}

func (l *liblinear) checkHead() error {
	switch {
	case l.loss == nil:
		return l.errorf("", "no solver_type before w: expected a model that liblinear wrote")
	case l.features < 0:
		return l.errorf("", "no nr_feature before w: expected a model that liblinear wrote")
	case classifies(l.loss) == (l.labels == nil):
		return l.errorf("",
			"labels are for classification: expected a line label with two of them there, and none elsewhere")
	case l.classes > 2 && len(l.labels) != l.classes:
		return l.errorf("", "%d labels of %d classes: expected a line label with all of them",
			len(l.labels), l.classes)
	}
	return nil
}

func (l *liblinear) readModel() (*Model, error) {
	m := &Model{Loss: l.loss, IndexBase: 1, HasIntercept: l.bias >= 0, Columns: make([]Column, 1)}
	if l.classes > 2 {
		m.Columns = make([]Column, l.classes)
	}
	wantWeights, weightCount := l.features*len(m.Columns), 0
	if m.HasIntercept {
		wantWeights += len(m.Columns)
	}
	for words := l.nextWords(); words != nil; words = l.nextWords() {
		for _, text := range words {
			v, ok := parseDecimal(text)
			if !ok {
				return nil, l.numberError(text, "weight: expected a finite number")
			}
			c := &m.Columns[weightCount%len(m.Columns)]
			c.Coefficients = append(c.Coefficients, v)
			weightCount++
		}
	}
	if err := l.lines.Err(); err != nil {
		return nil, l.errorf("", "%v", err)
	}
	if weightCount != wantWeights {
		return nil, l.errorf("",
			"%d weights: expected %d, for nr_feature %d and bias %v; the file may be cut: fetch it again",
			weightCount, wantWeights, l.features, l.bias)
	}
	for k := range m.Columns {
		c := &m.Columns[k]
		c.Certificate.Gap = math.Inf(1)
		if !m.HasIntercept {
			continue
		}
		c.Intercept = l.bias * c.Coefficients[l.features]
		c.Coefficients = c.Coefficients[:l.features:l.features]
		if !finite(c.Intercept) {
			return nil, l.errorf("", "bias %v times the last weight is %v: expected a finite number",
				l.bias, c.Intercept)
		}
	}
	l.setLabels(m)
	return m, nil
}

// setLabels sets the classes of m, and sorts its columns by class.
func (l *liblinear) setLabels(m *Model) {
	switch {
	case l.labels == nil:
	case l.classes == 2:
		m.Classes.Values = []float64{l.labels[1], l.labels[0]}
	default:
		m.Classes.Values = slices.Sorted(slices.Values(l.labels))
		columns := make([]Column, l.classes)
		for k, label := range l.labels {
			index, _ := slices.BinarySearch(m.Classes.Values, label)
			columns[index] = m.Columns[k]
		}
		m.Columns = columns
	}
}
