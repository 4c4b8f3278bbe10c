package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// A Multi is a model of several classes, one against the rest each.
type Multi struct {
	// Classes are the labels, in increasing order.
	Classes []float64
	// Names are the classes where they are words, of which Classes are the numbers; nil
	// for others. FitMulti does not know them: who has read them sets them.
	Names []string
	// Models has a model for each class, which is its positive one.
	Models []*Model
}

// FitMulti fits a model for each of the values of y, at least three, against all others:
// the positive class of each has the label 1 and the rest 0. spec.Positive,
// ClassWeights and Graph mean what they do for each fit; class weights are by the labels
// of y. Classes are fitted in parallel, but with Spec.Comm, a Checkpoint or Settings.Memory,
// where labels may be any numbers, one after the other. An error that matches
// solver.ErrNotConverged comes with the models, unless of one of them nothing is known.
func FitMulti(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (m *Multi, err error) {
	defer rows.Rescue(&err)
	if spec == nil {
		spec = &Spec{}
	}
	one, classes, err := forClasses(spec, x, y)
	if err != nil {
		return nil, err
	}
	m = &Multi{Classes: classes, Models: make([]*Model, len(classes))}
	if spec.streams() || spec.alone() == nil {
		ctx, cancel := spec.limit(ctx)
		defer cancel()
		if spec.streams() {
			err = m.fitMapped(ctx, one, x, y)
		} else {
			err = eachClass(spec, classes, spec.countFitted(len(classes), func(k int) (err error) {
				m.Models[k], err = Fit(ctx, one, x, against(y, classes[k]))
				return err
			}))
		}
	} else {
		err = m.inTurn(ctx, spec, one, x, y)
	}
	if err != nil && !errors.Is(err, solver.ErrNotConverged) || slices.Contains(m.Models, nil) {
		return nil, err
	}
	return m, err
}

// inTurn fits one class after the other, to the first error that does not match
// solver.ErrNotConverged; one is the specification of each.
func (m *Multi) inTurn(ctx context.Context, spec, one *Spec, x *sparse.CSR, y []float64) error {
	at, err := newProgress(spec)
	if err != nil {
		return err
	}
	began, own := time.Now(), *one
	own.Threads, own.Checkpoint = spec.Threads, at.checkpoint()
	return inOrder(m.Classes, spec.countFitted(len(m.Classes), func(k int) (err error) {
		if spec.TimeLimit > 0 { // when it has passed is agreed on
			own.TimeLimit = max(1, spec.TimeLimit-time.Since(began))
		}
		m.Models[k], err = at.fit(spec, k, func() (*Model, error) { return Fit(ctx, &own, x, against(y, m.Classes[k])) })
		return err
	}))
}

// countFitted returns do, which fits the class of a number, and reports each end to Fitted.
func (s *Spec) countFitted(total int, do func(k int) error) func(k int) error {
	if s.Fitted == nil {
		return do
	}
	var lock sync.Mutex
	done := 0
	return func(k int) error {
		err := do(k)
		lock.Lock()
		defer lock.Unlock()
		done++
		s.Fitted(done, total)
		return err
	}
}

func ofClass(class float64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("class %v: %w", class, err)
}

// eachClass does the same for every class, in parallel. An error that matches
// solver.ErrNotConverged ends nothing; the first other one is returned alone.
func eachClass(spec *Spec, classes []float64, do func(k int) error) error {
	ended := make([]error, len(classes))
	rows.Spread(spec.threads(), len(classes), func(k int) { ended[k] = ofClass(classes[k], do(k)) })
	for _, err := range ended {
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			return err
		}
	}
	return errors.Join(ended...)
}

// MaxClasses is the largest number of classes that FitMulti takes. Scoring keeps a table of
// MaxClasses² numbers, and the models have a coefficient of each feature for each class.
const MaxClasses = 5000

// oneOfMany are the labels of one class against the rest.
var oneOfMany = sparse.LabelMapping{Negative: 0, Positive: 1}

// against returns them.
func against(y []float64, class float64) []float64 {
	labels := make([]float64, len(y))
	for i, v := range y {
		if v == class {
			labels[i] = 1
		}
	}
	return labels
}

// forClasses returns the specification of one class against the rest, with class weights,
// which are by label, made sample weights, for one goroutine where classes are fitted in
// parallel, and without a time limit, which is that of all classes; and the classes.
func forClasses(spec *Spec, x *sparse.CSR, y []float64) (*Spec, []float64, error) {
	team, classes, err := spec.differentLabels(x, y)
	switch {
	case err != nil:
		return nil, nil, err
	case !classifies(spec.loss()):
		return nil, nil, fmt.Errorf("model: FitMulti is for classification; the %s loss is for numbers", spec.loss())
	case len(classes) < 3:
		return nil, nil, fmt.Errorf("model: %d classes; FitMulti is for at least 3, Fit for 2", len(classes))
	case len(classes) > MaxClasses:
		return nil, nil, fmt.Errorf("model: more than %d classes: are the labels numbers, for the loss squared or huber?", MaxClasses)
	case spec.Positive != nil:
		return nil, nil, errors.New("model: Spec.Positive is for two classes; leave it nil")
	}
	if err := spec.badSettings(); err != nil {
		return nil, nil, err
	}
	one := *spec
	if one.TimeLimit = 0; !spec.streams() {
		one.Threads = 1
	}
	if spec.ClassWeights == nil {
		return &one, classes, nil
	}
	plain := *spec
	plain.Balanced = false
	if spec.SampleWeights != nil && len(spec.SampleWeights) != len(y) {
		err = fmt.Errorf("model: Spec.SampleWeights has length %d; the data have %d rows", len(spec.SampleWeights), len(y))
	}
	if err = team.Agreed(err); err != nil {
		return nil, nil, err
	}
	w, err := plain.weigh(team, y, nil)
	if err != nil {
		return nil, nil, err
	}
	one.SampleWeights, one.ClassWeights = w, nil
	return &one, classes, nil
}

// differentLabels are those of all processes, one more than there may be at most.
func (s *Spec) differentLabels(x *sparse.CSR, y []float64) (*rows.Team, []float64, error) {
	if s.streams() {
		classes, err := mappedClasses(x, y)
		team, err := rows.Join(s.Comm, x, err)
		if err != nil {
			return nil, nil, err
		}
		return team, team.Different(classes, MaxClasses+1), nil
	}
	team, err := rows.Join(s.Comm, x, checkClassified(x, y))
	if err != nil {
		return nil, nil, err
	}
	return team, team.Different(y, MaxClasses+1), nil
}

// checkClassified reports what is wrong with data and their labels.
func checkClassified(x *sparse.CSR, y []float64) error {
	if x == nil {
		return errors.New("model: the data are nil")
	}
	n, _ := x.Dims()
	return checkLabels(y, n)
}

// Name is the class of that number, from 0, as files have it.
func (m *Multi) Name(k int) string { return m.labels().Name(k) }

func (m *Multi) labels() sparse.Classes { return sparse.Classes{Values: m.Classes, Names: m.Names} }

// ReadOptions are those by which package sparse reads data for the models to predict; see
// Model.ReadOptions.
func (m *Multi) ReadOptions() *sparse.ReadOptions {
	opt := m.Models[0].ReadOptions()
	opt.Mapping, opt.Classes = sparse.LabelMapping{}, m.labels()
	return opt
}

// Probabilities sets dst, one number for each class, to their probabilities for a row,
// those of the models divided by their sum, and returns it; with room for them it
// allocates nothing. See Model.Margin for what a row is.
func (m *Multi) Probabilities(dst []float64, indices []int32, values []float64) ([]float64, error) {
	if cap(dst) < len(m.Models) {
		dst = make([]float64, len(m.Models))
	}
	dst = dst[:len(m.Models)]
	for k, one := range m.Models {
		if !one.givesProbability() {
			return nil, ErrNoProbability
		}
		t, err := one.Margin(indices, values)
		if err != nil {
			return nil, err
		}
		dst[k] = t
	}
	m.Shares(dst, dst)
	return dst, nil
}

// Shares sets p to the probabilities of the classes if the margins of the models are t: those of
// the models divided by their sum, also where all of them are too small to be told from 0. p and
// t may be the same. The loss must be one that gives probabilities.
func (m *Multi) Shares(p, t []float64) { shares(m.Models[0].loss(), p, t) }

// shares is Multi.Shares for models of a loss.
func shares(loss solver.Loss, p, t []float64) {
	probability := traits(loss).Probability
	const least = 1e-290 // beyond which quotients lose digits
	most := slices.Max(t)
	if probability(most) < least {
		first := loss.Value(most, 1)
		for k, v := range t {
			p[k] = kernels.ExpNeg(loss.Value(v, 1) - first)
		}
	} else {
		for k, v := range t {
			p[k] = probability(v)
		}
	}
	var sum float64
	for _, v := range p {
		sum += v
	}
	for k := range p {
		p[k] /= sum
	}
}

// Predict returns the label of the class with the largest margin, the first of equal
// ones.
func (m *Multi) Predict(indices []int32, values []float64) (float64, error) {
	best, most := 0, 0.0
	for k, one := range m.Models {
		t, err := one.Margin(indices, values)
		if err != nil {
			return 0, err
		}
		if k == 0 || t > most {
			best, most = k, t
		}
	}
	return m.Classes[best], nil
}

// Margins returns the margins of the rows of x, a slice for each class, with offsets, one
// for each row or nil, added to those of every class.
func (m *Multi) Margins(x *sparse.CSR, offsets []float64) ([][]float64, error) {
	margins := make([][]float64, len(m.Models))
	for k, one := range m.Models {
		t, err := one.Margins(nil, x)
		if err != nil {
			return nil, err
		}
		for i, o := range offsets {
			if t[i] += o; !finite(t[i]) {
				return nil, &OverflowError{i, t[i]}
			}
		}
		margins[k] = t
	}
	return margins, nil
}

// Accuracy returns the share of the rows of x that Predict gives their label in y.
func (m *Multi) Accuracy(x *sparse.CSR, y []float64) (float64, error) {
	s, err := m.Score(x, y, nil)
	if err != nil {
		return 0, err
	}
	return s.Accuracy, nil
}
