// Package term has the terms of a problem: losses, penalties and sets, each one type in a
// file of its own with all its mathematics. Other packages ask a term for what they need,
// and do not ask which term it is. A new loss is a new file, an entry in losses, and its name for
// callers in package solver. The least value of a loss must be 0, as bounds take for granted.
//
// Package solver names these types for callers. A caller's own loss, penalty or set
// satisfies a small interface; LossOf, PenaltyOf and SetOf wrap it.
package term

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/kernels"
)

// An OwnLoss is a loss φ(t; b) as a caller writes it, one margin t and one label b at a
// time. It is solver.Loss, which says what its methods return.
type OwnLoss interface {
	Value(margin, label float64) float64
	Slope(margin, label float64) float64
	SecondDerivative(margin, slope, label float64) float64
	Curvature() float64
	String() string
	Validate(labels []float64) error
}

// An OwnConjugate is the convex conjugate φ* of a caller's own loss, as solver.ConjugateLoss
// has it.
type OwnConjugate interface {
	Conjugate(alpha, label float64) float64
	ConjugateDomain(label float64) (lo, hi float64)
}

// A Loss is φ(t; b) with all that the package knows of it. The slices of one call have one
// length, an entry for each sample.
//
// Curvature may be +Inf. It must be finite for SCAS-ADMM and the baselines, whose steps follow from
// it, and for the bound gap.Simple.
type Loss interface {
	OwnLoss
	// Slopes returns Σ φ and, unless slope is nil, sets slope to φ'. slope may be the same
	// slice as margin.
	Slopes(slope, margin, label []float64) (sum float64)
	// Curvatures sets dst to φ”, or with damping to φ” + damping (m − φ”). Here m is the
	// curvature of a parabola that touches φ at the margin and lies above it. If φ” has no
	// bound, no parabola does: then it lies above φ between the margin and the minimum of φ.
	// slope is what Slopes gives.
	Curvatures(dst, slope, margin, label []float64, damping Damping)
	// Fenchel returns Σ weight [φ(t) + φ*(α) − α t] as a sum of terms that are not negative
	// and lose nothing to cancellation. α is in the domain of φ*; slope is φ'(t).
	Fenchel(alpha, slope, margin, label, weight []float64) float64
	// ConjugateAt returns φ*(alpha; label), +Inf where it has no value. It has another name
	// than in OwnConjugate: a caller's type that embeds a loss of this package does not get
	// a conjugate, which would be wrong if it replaces Value.
	ConjugateAt(alpha, label float64) float64
	// SlopeRange returns the ends of the interval in which φ* is finite: φ' takes no value
	// outside. They may be infinite, and 0 lies between them.
	SlopeRange(label float64) (lo, hi float64)
	// Kernel returns the name under which the kernels know the loss; ok is false if they do
	// not know it.
	Kernel() (kind kernels.LossKind, ok bool)
	// Traits returns what other packages ask about the loss.
	Traits() Traits
}

// Damping says how much of the curvature of a parabola above the loss takes the place of φ”, as
// numbers from 0 to 1. A loss uses one of them: Flat if φ” is zero on an interval (squared hinge,
// Huber), Tail if φ” is positive and becomes small far from the minimum (logistic, Poisson).
type Damping struct {
	Flat, Tail float64
}

// Traits are what other packages ask about a loss. The zero value of each says the least.
type Traits struct {
	// Name is the loss in the command line and in model files, without its argument.
	Name string
	// Argument is the number that the loss has beside its name; zero if it has none.
	Argument Argument
	// Help explains the loss in the help of the command line; empty if the name does.
	Help string

	// Labels are those that the loss takes.
	Labels Labels
	// Probability returns the probability exp(−φ(t; +1)) of the label +1 at the margin t. It
	// is nil if exp(−φ) is no probability.
	Probability func(margin float64) float64
	// Residual reports whether φ depends on b − t alone.
	Residual bool

	// Conjugate reports whether φ* is known.
	Conjugate bool
	// Accuracy is the relative error that Value and Conjugate may have beyond rounding: zero
	// for the losses of this package.
	Accuracy float64
	// ConstantCurvature reports whether φ” is one number, ContinuousCurvature whether it
	// has no jumps.
	ConstantCurvature, ContinuousCurvature bool
	// Reach is the move of a margin up to which φ” stays of the same size, so that a quadratic
	// model is of use; zero means any move.
	Reach float64
	// Bend returns φ” where φ' is slope. As a function of slope it is concave, positive within
	// SlopeRange, and 0 at its ends if these are finite. It is nil if it is not known, or not
	// concave; then package gap treats the loss as a caller's own.
	Bend func(slope, label float64) float64
	// NeverZero reports whether φ falls for ever, and stays above zero, as b t grows.
	NeverZero bool

	// StallAdvice says what to do where a run ends because rounding decides; empty for the
	// usual advice.
	StallAdvice string
}

// An Argument is a number beside the name of a loss: DELTA in huber:DELTA.
type Argument struct {
	Name  string // as the help of the command line writes it
	Value float64
	// With returns the loss with another value, which is not zero. A value of zero is the
	// loss's default.
	With func(value float64) Loss
}

// Labels are the labels that a loss takes, and what its predictions mean.
type Labels int

const (
	Numbers Labels = iota // finite numbers; the prediction is the margin
	Classes               // −1 and +1; the prediction is the sign of the margin
	Counts                // finite numbers ≥ 0; the prediction is the rate e^margin
)

// Predicts returns the prediction of a margin, which for Classes is the margin itself. The rate
// of a margin above 708 is +Inf.
func (k Labels) Predicts(margin float64) float64 {
	switch {
	case k == Counts && margin > 708: // where exp is constant
		return math.Inf(1)
	case k == Counts:
		return exp(margin)
	}
	return margin
}

// Unit returns what tolerances are parts of, given means over the samples where all coefficients
// are 0: of the loss, the labels and the slopes. It is that loss, for Counts the loss at the best
// constant beside the offsets: at 0 the loss of large counts, or exposures, says nothing of how
// well they can be predicted.
func (k Labels) Unit(loss, label, slope float64) float64 {
	rate := label + slope
	if k != Counts || label == 0 || math.IsInf(rate, 1) {
		return loss
	}
	const least = 1e-9 // where all counts are predicted, there is a tolerance as well
	return math.Max(loss-divergence(label, rate, kernels.Log(rate)), least*loss)
}

// MarginOf returns the margin of a prediction.
func (k Labels) MarginOf(prediction float64) float64 {
	switch {
	case k == Counts && prediction == 0:
		return math.Inf(-1)
	case k == Counts:
		return kernels.Log(prediction)
	}
	return prediction
}

// validate reports the first label that does not belong to those that the named loss takes.
func (k Labels) validate(loss string, labels []float64) error {
	for i, b := range labels {
		switch {
		case k == Classes && b != 1 && b != -1:
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; %s loss needs -1 or +1", i, b, loss)
		case math.IsNaN(b) || math.IsInf(b, 0):
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; labels must be finite", i, b)
		case k == Counts && b < 0:
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; %s loss needs numbers that are not negative", i, b, loss)
		}
	}
	return nil
}

// losses lists the losses of the package in their zero values.
var losses = []Loss{Logistic{}, SquaredHinge{}, Squared{}, Huber{}, Poisson{}}

// LossOf returns l as the package knows it; nil is Logistic. A loss that embeds one of
// this package is a caller's own, as its methods may be others.
func LossOf(l OwnLoss) Loss {
	if l == nil {
		return Logistic{}
	}
	if known, ok := known(losses, l); ok {
		return known
	}
	if wrapped, ok := l.(ownLoss); ok {
		return wrapped
	}
	conjugate, _ := l.(OwnConjugate)
	return ownLoss{l, conjugate}
}

// known returns v as a T if its type is that of an element of all.
func known[T any](all []T, v any) (T, bool) {
	for _, one := range all {
		if reflect.TypeOf(one) == reflect.TypeOf(v) {
			return v.(T), true
		}
	}
	var none T
	return none, false
}

// NamedLoss returns the loss of a name, with its argument unless that is 0; ok is false if
// there is no such loss.
func NamedLoss(name string, argument float64) (l Loss, ok bool) {
	for _, l := range losses {
		t := l.Traits()
		if t.Name == name && argument != 0 && t.Argument.With != nil {
			return t.Argument.With(argument), true
		}
		if t.Name == name {
			return l, true
		}
	}
	return nil, false
}

// ParseLoss returns the loss that text names, as String writes it: with the argument, if
// there is one, behind a colon.
func ParseLoss(text string) (Loss, error) {
	name, number, has := strings.Cut(text, ":")
	argument, err := 0.0, error(nil)
	if has {
		argument, err = strconv.ParseFloat(number, 64)
	}
	l, ok := NamedLoss(name, argument)
	if !ok || err != nil || has && (l.Traits().Argument.With == nil || !(argument > 0) || math.IsInf(argument, 0)) {
		return nil, fmt.Errorf("solver: no loss %q; want %s", text, LossUsage())
	}
	return l, nil
}

// LossNames lists the names of the losses.
func LossNames() []string {
	var names []string
	for _, l := range losses {
		names = append(names, l.Traits().Name)
	}
	return names
}

// LossUsage says what ParseLoss takes.
func LossUsage() string {
	var all []string
	positive := ""
	for _, l := range losses {
		all = append(all, usage(l))
		if a := l.Traits().Argument; a.With != nil {
			positive = fmt.Sprintf(" with %s above 0", a.Name)
		}
	}
	return joined(all) + positive
}

// LossHelp lists the losses for the help of the command line, by the labels they take.
func LossHelp() string {
	var of [3][]string
	for _, l := range losses {
		t, text := l.Traits(), usage(l)
		if t.Help != "" {
			text += " (" + t.Help + ")"
		}
		of[t.Labels] = append(of[t.Labels], text)
	}
	return joined(of[Classes]) + ", for classes; " + joined(of[Numbers]) + ", for labels that are numbers; " + joined(of[Counts]) + ", for counts and other numbers >= 0"
}

// usage returns how a loss is written: its name and, in brackets, its argument.
func usage(l Loss) string {
	t := l.Traits()
	if t.Argument.With == nil {
		return t.Name
	}
	return fmt.Sprintf("%s[:%s]", t.Name, t.Argument.Name)
}

// joined returns names as in "a, b or c".
func joined(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// scalarSlopes is Loss.Slopes from Value and Slope.
func scalarSlopes(l OwnLoss, slope, margin, label []float64) (sum float64) {
	for i, t := range margin {
		sum += l.Value(t, label[i])
		if slope != nil {
			slope[i] = l.Slope(t, label[i])
		}
	}
	return sum
}
