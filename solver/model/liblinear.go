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
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// solverTypes are those of liblinear with one weight vector, and the loss whose margins
// they mean. Hinge loss stands as squared hinge: the classes are the same.
var solverTypes = map[string]solver.Loss{
	"L2R_LR": solver.Logistic{}, "L1R_LR": solver.Logistic{}, "L2R_LR_DUAL": solver.Logistic{},
	"L2R_L2LOSS_SVC": solver.SquaredHinge{}, "L2R_L2LOSS_SVC_DUAL": solver.SquaredHinge{},
	"L1R_L2LOSS_SVC": solver.SquaredHinge{}, "L2R_L1LOSS_SVC_DUAL": solver.SquaredHinge{},
	"L2R_L2LOSS_SVR": solver.Squared{}, "L2R_L2LOSS_SVR_DUAL": solver.Squared{}, "L2R_L1LOSS_SVR_DUAL": solver.Squared{},
}

// WriteLiblinear writes the model as liblinear does, for liblinear-predict: the class
// named first is that of positive margins, and the intercept is the weight of a last
// feature of value 1. Labels must be whole numbers, as liblinear's are. What else is in
// the model is left out.
func (m *Model) WriteLiblinear(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	var labels []float64
	if m.Classifies() {
		labels = []float64{m.Labels.Positive, m.Labels.Negative}
	}
	return writeLiblinear(w, labels, m)
}

// WriteLiblinear writes the models as liblinear does; see Model.WriteLiblinear. Classes
// that are words are written as the numbers that stand for them.
func (m *Multi) WriteLiblinear(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	return writeLiblinear(w, m.Classes, m.Models...)
}

// writeLiblinear writes models that have features and loss in common, with labels, nil
// for numbers.
func writeLiblinear(w io.Writer, labels []float64, models ...*Model) error {
	kind, intercepts := "L2R_L2LOSS_SVR", false
	switch loss := traits(models[0].loss()); {
	case loss.Labels == term.Counts:
		return fmt.Errorf("model: liblinear has no model of counts, as that of the %s loss is: its predictions would be logarithms", loss.Name)
	case loss.Name == term.Logistic{}.Traits().Name: // others have other probabilities, and the same classes as an SVC
		kind = "L1R_LR"
	case loss.Labels == term.Classes:
		kind = "L1R_L2LOSS_SVC"
	}
	for _, m := range models {
		intercepts = intercepts || m.HasIntercept
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "solver_type %s\nnr_class %d\n", kind, max(2, len(labels)))
	if labels != nil {
		b.WriteString("label")
		for _, label := range labels {
			if label != math.Trunc(label) || math.Abs(label) > math.MaxInt32 {
				return fmt.Errorf("model: label %v; those of liblinear are whole numbers", label)
			}
			fmt.Fprintf(b, " %d", int(label))
		}
		b.WriteByte('\n')
	}
	bias := -1
	if intercepts {
		bias = 1
	}
	fmt.Fprintf(b, "nr_feature %d\nbias %d\nw\n", len(models[0].Coefficients), bias)
	line := func(of func(m *Model) float64) {
		for k, m := range models {
			fmt.Fprintf(b, "%.17g%s", of(m), map[bool]string{true: "\n", false: " "}[k == len(models)-1])
		}
	}
	for j := range models[0].Coefficients {
		line(func(m *Model) float64 { return m.Coefficients[j] })
	}
	if intercepts {
		line(func(m *Model) float64 { return m.Intercept })
	}
	return b.Flush()
}

// ReadLiblinear reads a model of two classes or of regression that liblinear wrote; name
// is for its errors, which name the line. Losses that the package does not have stand as
// the one with the same predictions.
func ReadLiblinear(r io.Reader, name string) (*Model, error) {
	models, labels, err := parseLiblinear(r, name, false)
	if err != nil {
		return nil, err
	}
	m := models[0]
	if labels != nil {
		m.Labels = sparse.LabelMapping{Positive: labels[0], Negative: labels[1]}
	}
	return m, nil
}

// ReadLiblinearMulti reads a model of more classes, each against the rest, that liblinear
// wrote; see ReadLiblinear.
func ReadLiblinearMulti(r io.Reader, name string) (*Multi, error) {
	models, labels, err := parseLiblinear(r, name, true)
	if err != nil {
		return nil, err
	}
	m := &Multi{Classes: slices.Sorted(slices.Values(labels)), Models: make([]*Model, len(labels))}
	for k, one := range models {
		one.Labels = sparse.LabelMapping{Negative: 0, Positive: 1}
		at, _ := slices.BinarySearch(m.Classes, labels[k])
		m.Models[at] = one
	}
	return m, nil
}

// parseLiblinear reads models of the classes that labels names, or one of two classes or
// of numbers.
func parseLiblinear(r io.Reader, name string, many bool) (models []*Model, labels []float64, err error) {
	l := &liblinear{lines: bufio.NewScanner(r), name: name, many: many, classes: 2, bias: -1, features: -1}
	l.lines.Buffer(nil, 1<<20) // a line has a weight for each class
	if err := l.head(); err != nil {
		return nil, nil, err
	}
	models, err = l.models()
	return models, l.labels, err
}

// A liblinear is a model file being read.
type liblinear struct {
	lines    *bufio.Scanner
	name     string
	line     int
	loss     solver.Loss
	many     bool // more than two classes
	classes  int
	labels   []float64
	features int
	bias     float64
}

// errorf returns an error about a word of the line, or with "" about the line.
func (l *liblinear) errorf(word, format string, args ...any) error {
	return &sparse.ParseError{File: l.name, Line: l.line, Token: word, Msg: fmt.Sprintf(format, args...)}
}

// next returns the words of the next line that has any.
func (l *liblinear) next() []string {
	for l.lines.Scan() {
		l.line++
		if words := strings.Fields(l.lines.Text()); len(words) > 0 {
			return words
		}
	}
	return nil
}

// head reads up to the line w.
func (l *liblinear) head() error {
	for {
		words := l.next()
		switch {
		case words == nil && l.lines.Err() != nil:
			return l.errorf("", "%v", l.lines.Err())
		case words == nil:
			return l.errorf("", "the file ends before a line w: expected a model that liblinear wrote; fetch the file again")
		case words[0] == "w" && len(words) > 1:
			return l.errorf(words[1], "expected the weights in the lines below w")
		case words[0] == "w":
			return l.complete()
		case len(words) < 2:
			return l.errorf(words[0], "expected a value behind it; the file may be cut: fetch it again")
		}
		if err := l.field(words[0], words[1:]); err != nil {
			return err
		}
	}
}

func (l *liblinear) field(key string, values []string) (err error) {
	if key != "label" && len(values) > 1 {
		return l.errorf(values[1], "expected one value after %s", key)
	}
	switch key {
	case "solver_type":
		var ok bool
		if l.loss, ok = solverTypes[values[0]]; !ok {
			return l.errorf(values[0], "solver_type: expected one with a single weight vector, such as L1R_LR")
		}
	case "nr_class":
		l.classes, err = strconv.Atoi(values[0])
		switch {
		case !l.many && values[0] != "2":
			return l.errorf(values[0], "nr_class: expected 2")
		case l.many && (err != nil || l.classes < 3 || l.classes > MaxClasses):
			return l.errorf(values[0], "nr_class: expected 3 to %d", MaxClasses)
		}
	case "label":
		if len(values) != l.classes {
			return l.errorf("", "%d labels: expected %d", len(values), l.classes)
		}
		l.labels = nil
		for _, text := range values {
			label, ok := decimal(text)
			switch {
			case !ok:
				return l.errorf(text, "label: expected a whole number")
			case slices.Contains(l.labels, label):
				return l.errorf("", "%s labels are %v: expected different ones", map[bool]string{true: "two", false: "both"}[l.many], label)
			}
			l.labels = append(l.labels, label)
		}
	case "nr_feature":
		if l.features, err = strconv.Atoi(values[0]); err != nil || l.features < 1 || l.features > sparse.MaxCols {
			return l.errorf(values[0], "nr_feature: expected a number of features")
		}
	case "bias":
		var ok bool
		if l.bias, ok = decimal(values[0]); !ok {
			return l.errorf(values[0], "bias: expected a finite number")
		}
	default:
		return l.errorf(key, "expected solver_type, nr_class, label, nr_feature, bias or w")
	}
	return nil
}

// decimal reads a finite decimal number: strconv alone takes 0x1p3 and 1_0 as well.
func decimal(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && finite(v) && strings.Trim(text, "0123456789+-.eE") == ""
}

// complete reports what the head lacks.
func (l *liblinear) complete() error {
	switch {
	case l.loss == nil:
		return l.errorf("", "no solver_type before w: expected a model that liblinear wrote")
	case l.features < 0:
		return l.errorf("", "no nr_feature before w: expected a model that liblinear wrote")
	case classifies(l.loss) == (l.labels == nil):
		return l.errorf("", "labels are for classification: expected a line label with two of them there, and none elsewhere")
	case l.many && len(l.labels) != l.classes:
		return l.errorf("", "%d labels of %d classes: expected a line label with all of them", len(l.labels), l.classes)
	}
	return nil
}

// models reads the weights.
func (l *liblinear) models() ([]*Model, error) {
	models := []*Model{{}}
	if l.many {
		models = make([]*Model, l.classes)
	}
	for k := range models {
		models[k] = &Model{Loss: l.loss, IndexBase: 1, Certificate: Certificate{Gap: math.Inf(1)}}
	}
	want, count := l.features*len(models), 0
	if l.bias >= 0 {
		want += len(models)
	}
	for words := l.next(); words != nil; words = l.next() {
		for _, text := range words {
			v, ok := decimal(text)
			if !ok {
				return nil, l.errorf(text, "weight: expected a finite number")
			}
			m := models[count%len(models)]
			m.Coefficients = append(m.Coefficients, v)
			count++
		}
	}
	if err := l.lines.Err(); err != nil {
		return nil, l.errorf("", "%v", err)
	}
	if count != want {
		return nil, l.errorf("", "%d weights: expected %d, for nr_feature %d and bias %v; the file may be cut: fetch it again", count, want, l.features, l.bias)
	}
	for _, m := range models {
		if l.bias < 0 {
			break
		}
		m.HasIntercept, m.Intercept = true, l.bias*m.Coefficients[l.features]
		m.Coefficients = m.Coefficients[:l.features:l.features]
		if !finite(m.Intercept) {
			return nil, l.errorf("", "bias %v times the last weight is %v: expected a finite number", l.bias, m.Intercept)
		}
	}
	return models, nil
}
