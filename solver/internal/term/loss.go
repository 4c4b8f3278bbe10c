// Package term provides the terms of a problem: losses, penalties and sets, each in a file of its own. A loss
// has its derivatives and convex conjugate, a penalty its convex conjugate and proximal map, a set its
// projection and support function.
//
// Package solver has a public type with the same name and fields for each term. LossOf, PenaltyOf and SetOf
// convert it to the type of this package, and wrap a caller's own term. Read [Loss], [Penalty] and [Set]
// first.
//
// # How to add a loss
//
//   - Add a file with a type that implements Loss, as in huber.go. The infimum of the loss must be 0, because
//     bounds on the optimum rely on it.
//   - Value and Slope must have a small relative error, also where they are almost 0. Fenchel must be at least
//     0, and almost 0 at α = φ'(t). Use formulas without cancellation of digits. If the rounding of α remains
//     in Fenchel, add a tolerance to fenchel_test.go.
//   - Results must have the same bits on every processor. Use Log, ExpNeg, Sigmoid and similar functions of
//     package kernels, not math.Log or math.Tanh. Write float64(x*y) + z, not x*y + z. The same holds for
//     x/2 + z. In solver/bits_test.go, TestLibraries checks the functions, and TestFused checks the sums.
//   - Add the zero value of the type at the end of the variable losses in loss.go. This also adds the loss to
//     the command line, to model files and to most tests.
//   - Add the public type, with the same name and fields, and its methods to solver/loss.go. Add a case to
//     ParseLoss there; a test fails if the case is missing.
//   - Add φ, φ' and φ″ to the method phi in solver/internal/oracle/reference_test.go, in arithmetic with 32
//     digits. Random problems with the loss are compared with this reference.
//   - Add the loss to the comments of Problem.Labels (solver/problem.go), Spec.Loss (solver/model/spec.go),
//     ParseLoss and package model (solver/model/doc.go). If it is for classes and has no Probability, add it
//     to the help in solver/cmd/scas/predict.go.
//   - For a fused kernel, add a LossKind to package kernels, return it from the method LossKind, and extend
//     every branch on the loss in packages kernels and gen. Without one, LossKind returns false.
//   - Run go test ./solver/... without -short; with -short, TestFused and others do not run.
//
// # How to add a penalty or a set
//
//   - Add a file with a type that implements Penalty or Set, as in elastic_net.go or simplex.go.
//   - Add the zero value of the type to penaltyTypes in penalty.go, or to setTypes in set.go.
//   - Add the public type, with the same name and fields, and its methods to solver/penalty.go or
//     solver/domain.go.
//   - If the type RowPenalty cannot express the penalty, the method RowPenalty must return false. If Bounds
//     cannot express the set, Region must return nil. The exact solver then cannot use this term.
package term

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/ending"
)

// An OwnLoss is a loss φ(t; b) that a caller may write. The methods are documented at solver.Loss, which is
// the same interface.
type OwnLoss interface {
	Value(margin, label float64) float64
	Slope(margin, label float64) float64
	SecondDerivative(margin, slope, label float64) float64
	Curvature() float64
	String() string
	Validate(labels []float64) error
}

// An OwnConjugate has the methods that solver.ConjugateLoss adds to solver.Loss.
type OwnConjugate interface {
	Conjugate(alpha, label float64) float64
	ConjugateDomain(label float64) (lo, hi float64)
}

// A Loss is a loss φ(t; b) with everything that other packages need. All slices of a call have an entry for
// each sample. Curvature, an upper bound of φ″, may be +Inf.
type Loss interface {
	OwnLoss
	// Slopes returns Σ φ and, unless slope is nil, sets slope to φ'. slope and margin may be the same slice.
	Slopes(slope, margin, label []float64) (sum float64)
	// Curvatures sets dst to φ″ + damping (m − φ″), where damping is from 0 to 1. Here m is the curvature
	// of a parabola that touches φ at the margin and, if φ″ is bounded, is nowhere below φ. slope must be φ'
	// at the margins.
	Curvatures(dst, slope, margin, label []float64, damping float64)
	// Fenchel returns Σ weight [φ(t) + φ*(α) − α t] for the margins t. alpha must be in the domain of φ*.
	// The losses of this package avoid cancellation of digits where they can, so that the result is not
	// negative.
	Fenchel(alpha, margin, label, weight []float64) float64
	// Conjugate returns φ*(alpha; label), or +Inf outside the domain of φ* or if φ* is not known.
	Conjugate(alpha, label float64) float64
	// SlopeRange returns the ends of the interval on which φ* is finite, or 0, 0 if φ* is not known. The ends
	// may be infinite.
	SlopeRange(label float64) (lo, hi float64)
	// LossKind returns the kernels.LossKind; ok is false if the inner loops of package kernels do not have
	// the loss.
	LossKind() (kind kernels.LossKind, ok bool)
	Traits() Traits
}

// Steepest bounds how fast Traits.LeastCurvatures may grow from an end of the interval of SlopeRange. Package
// gap uses the same bound for losses without LeastCurvatures.
const Steepest = 1e4

// Traits holds the properties of a loss.
type Traits struct {
	Name     string
	Argument Argument // the number after the name; the zero value means that there is none
	Help     string   // text for the help of the command line

	Labels LabelKind
	// Probability returns exp(−φ(t; +1)), the probability of the label +1 at the margin
	// t. It is nil if exp(−φ) is not a probability.
	Probability func(margin float64) float64
	// DependsOnResidual is true if φ depends only on b − t.
	DependsOnResidual bool

	// HasConjugate is true if φ* is known.
	HasConjugate bool
	// Accuracy is the assumed relative error of the values of φ and φ* that a caller's own loss returns. It
	// is zero for the losses of this package.
	Accuracy float64
	// ConstantCurvature is true if φ″ is known to be constant, ContinuousCurvature if it is known to be
	// continuous.
	ConstantCurvature, ContinuousCurvature bool
	// MarginReach is the change of a margin up to which φ″ changes at most by a factor of about 50. The
	// factor is e⁴ for Logistic, and e² for Poisson. Zero means that a Newton step may change margins by any
	// amount.
	MarginReach float64
	// LeastCurvatures sets dst to lower bounds of φ″ where φ' has the given values. The bound is a concave
	// function of φ'. Inside the interval of SlopeRange it is positive, and at most Steepest times the
	// distance from the nearer end. Nil means that no such function is known.
	LeastCurvatures func(dst, slope, label []float64)
	// NeverZero is true if, for some label, φ tends to 0 but remains positive. For a caller's own loss, the
	// method ownLoss.Traits guesses NeverZero from slopes.
	NeverZero bool

	// StallAdvice is for a run that rounding ends before the requested accuracy. Nil means the usual advice.
	StallAdvice *ending.Advice
}

// An Argument describes the number after the name of a loss, such as DELTA in huber:DELTA.
type Argument struct {
	Name  string  // name in the help of the command line
	Value float64 // the number of this loss; zero means the default
	// NewLoss returns the loss with the given value, which must be positive.
	NewLoss func(value float64) Loss
}

// LabelKind says which labels a loss accepts, and what its predictions mean.
type LabelKind int

const (
	Numbers LabelKind = iota // finite numbers; the prediction is the margin
	Classes                  // −1 and +1; the sign of the margin predicts the class
	Counts                   // finite numbers ≥ 0; the prediction is the rate e^margin
)

// Prediction returns the prediction for a margin: the rate for Counts, otherwise the margin itself.
func (k LabelKind) Prediction(margin float64) float64 {
	switch {
	case k == Counts && margin > 708: // kernels.Exp is constant above 708
		return math.Inf(1)
	case k == Counts:
		return kernels.Exp(margin)
	}
	return margin
}

// ToleranceUnit returns the number to which tolerances are relative. loss, label and slope are the means of
// the losses, labels and slopes of the samples at x = 0. The result is loss, except for Counts if label is
// positive and the mean rate, label + slope, is finite. Then loss may be very large, so ToleranceUnit returns
// the mean loss after the best constant is added to all margins.
func (k LabelKind) ToleranceUnit(loss, label, slope float64) float64 {
	rate := max(0, label+slope) // rounding can make the sum negative
	if k != Counts || label == 0 || math.IsInf(rate, 1) {
		return loss
	}
	const floor = 1e-9 // keeps tolerances positive if a constant other than 0 predicts all counts exactly
	return math.Max(loss-kernels.PoissonLoss(kernels.Log(rate), label), floor*loss)
}

// MarginOf returns the margin for a prediction.
func (k LabelKind) MarginOf(prediction float64) float64 {
	switch {
	case k == Counts && prediction == 0:
		return math.Inf(-1)
	case k == Counts:
		return kernels.Log(prediction)
	}
	return prediction
}

// validate returns an error for the first label that the loss with the given name does not accept.
func (k LabelKind) validate(loss string, labels []float64) error {
	for i, b := range labels {
		switch {
		case k == Classes && b != 1 && b != -1:
			return errorf("Problem.Labels[%d] = %v; %s loss needs -1 or +1", i, b, loss)
		case math.IsNaN(b) || math.IsInf(b, 0):
			return errorf("Problem.Labels[%d] = %v; labels must be finite", i, b)
		case k == Counts && b < 0:
			return errorf("Problem.Labels[%d] = %v; %s loss needs numbers that are not negative", i, b, loss)
		}
	}
	return nil
}

// losses lists the losses of the package, with their default arguments.
var losses = []Loss{Logistic{}, SquaredHinge{}, Squared{}, Huber{}, Poisson{}}

var lossTypes = typesOf(losses...)

// LossOf returns l as a Loss; nil means Logistic. A caller's own loss is wrapped.
func LossOf(l OwnLoss) Loss {
	if l == nil {
		return Logistic{}
	}
	if l, ok := asTerm[Loss](lossTypes, l); ok {
		return l
	}
	conjugate, _ := l.(OwnConjugate)
	return ownLoss{l, conjugate}
}

// typesOf maps the name of each term's type to the type.
func typesOf[T any](terms ...T) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, v := range terms {
		types[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	return types
}

// asTerm returns v as a T. If v is not a T but its type belongs to package solver, asTerm converts v to
// the type of the same name in this package. v may be a pointer to a value of package solver. ok is false
// for all other types, even if they embed a type of package solver, because they may replace its methods.
func asTerm[T any](types map[string]reflect.Type, v any) (t T, ok bool) {
	if t, ok := v.(T); ok {
		return t, true
	}
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	publicType := value.Type()
	if publicType.PkgPath() != "github.com/scas-admm/scas/solver" {
		return t, false
	}
	targetType, ok := types[publicType.Name()]
	if ok {
		t = value.Convert(targetType).Interface().(T)
	}
	return t, ok
}

// ParseLoss returns the loss for a text such as "huber" or "huber:1.35".
func ParseLoss(text string) (Loss, error) {
	name, number, hasNumber := strings.Cut(text, ":")
	for _, l := range losses {
		t := l.Traits()
		if t.Name != name {
			continue
		}
		if !hasNumber {
			return l, nil
		}
		argument, err := strconv.ParseFloat(number, 64)
		if err == nil && t.Argument.NewLoss != nil && argument > 0 && !math.IsInf(argument, 0) {
			return t.Argument.NewLoss(argument), nil
		}
	}
	return nil, errorf("no loss %q; want %s", text, LossUsage())
}

// Losses returns the losses of the package that accept the labels. If argument is above 0, it replaces the
// default of each loss that has an Argument. Tests use it to cover every loss.
func Losses(argument float64, labels ...float64) []Loss {
	var list []Loss
	for _, l := range losses {
		if newLoss := l.Traits().Argument.NewLoss; newLoss != nil && argument > 0 {
			l = newLoss(argument)
		}
		if l.Validate(labels) == nil {
			list = append(list, l)
		}
	}
	return list
}

func LossNames() []string {
	var names []string
	for _, l := range losses {
		names = append(names, l.Traits().Name)
	}
	return names
}

// NamesWith lists the names of the losses whose traits satisfy has, in the form "a, b or c".
func NamesWith(has func(Traits) bool) string {
	var names []string
	for _, l := range losses {
		if t := l.Traits(); has(t) {
			names = append(names, t.Name)
		}
	}
	return joinOr(names)
}

// LossUsage lists the texts that ParseLoss accepts, for error messages.
func LossUsage() string {
	var texts []string
	argumentNote := ""
	for _, l := range losses {
		texts = append(texts, usage(l))
		if a := l.Traits().Argument; a.NewLoss != nil {
			argumentNote = fmt.Sprintf(" with %s above 0", a.Name)
		}
	}
	return joinOr(texts) + argumentNote
}

// LossHelp lists the losses, grouped by the labels that they accept, for the help of the command line.
func LossHelp() string {
	var groups [3][]string
	for _, l := range losses {
		t, text := l.Traits(), usage(l)
		if t.Help != "" {
			text += " (" + t.Help + ")"
		}
		groups[t.Labels] = append(groups[t.Labels], text)
	}
	return joinOr(groups[Classes]) + ", for classes; " + joinOr(groups[Numbers]) +
		", for labels that are numbers; " + joinOr(groups[Counts]) + ", for counts and other numbers >= 0"
}

// usage returns the name of a loss, followed by the name of its argument in brackets, if it has one.
func usage(l Loss) string {
	t := l.Traits()
	if t.Argument.NewLoss == nil {
		return t.Name
	}
	return fmt.Sprintf("%s[:%s]", t.Name, t.Argument.Name)
}

// joinOr joins names in the form "a, b or c".
func joinOr(names []string) string {
	lastIndex := len(names) - 1
	if lastIndex < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:lastIndex], ", ") + " or " + names[lastIndex]
}

// scalarSlopes implements Loss.Slopes. It calls Value and Slope for each sample.
func scalarSlopes(l OwnLoss, slope, margin, label []float64) (sum float64) {
	for i, t := range margin {
		sum += l.Value(t, label[i])
		if slope != nil {
			slope[i] = l.Slope(t, label[i])
		}
	}
	return sum
}
