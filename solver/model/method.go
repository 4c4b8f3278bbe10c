package model

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A MethodError reports a part of a Spec that its method does not take.
type MethodError struct {
	// Setting names the setting that asks for the method: Method, or another one if solver.Auto is to
	// make passes, such as Passes. Value is what the setting holds, the name in case of Method.
	Setting string
	Value   any
	// Limit is what the method does not do, such as "takes rows of equal weight alone".
	Limit string
	// Field names the field of Spec or Settings that is to be changed, for example NoIntercept.
	Field string
	// OutOfCore says that only Memory is in the way. The error then wraps ErrNotStreamed.
	OutOfCore bool
}

// Error names the setting, the limit of the method, and the field.
func (e *MethodError) Error() string {
	return fmt.Sprintf("model: Settings.%s = %v %s: %s %s", e.Setting, e.Value, e.Limit, changes[e.Field], e.Field)
}

// Unwrap returns ErrNotStreamed, or nil.
func (e *MethodError) Unwrap() error {
	if e.OutOfCore {
		return ErrNotStreamed
	}
	return nil
}

// changes has the words before a field in a MethodError. A field that is not here is to be left out.
var changes = map[string]string{"NoIntercept": "set", "Standardize": "turn off", "Mu": "set", "Method": "set"}

// named returns the method that is asked for by name, nil for Auto.
func (s *Spec) named() solver.Method {
	if _, auto := s.Method.(solver.Auto); auto {
		return nil
	}
	return s.Method
}

// iterates returns the first setting that asks for solver.Minimize, and its value; "" if none does.
func (s *Spec) iterates() (setting string, value any) {
	if m := s.named(); m != nil {
		return "Method", m.Info().Name
	}
	for _, f := range []struct {
		name  string
		value any
		set   bool
	}{
		{"RelTol", s.RelTol, s.RelTol < 0},
		{"Passes", s.Passes, s.Passes != 0},
		{"DualUpdates", s.DualUpdates, s.DualUpdates != 0},
		{"OuterIterations", s.OuterIterations, s.OuterIterations != 0},
		{"Eta", s.Eta, s.Eta != 0},
		{"Rho", s.Rho, s.Rho != 0},
		{"InnerSteps", s.InnerSteps, s.InnerSteps != 0},
		{"BatchSize", s.BatchSize, s.BatchSize != 0},
		{"Schedule", s.Schedule, s.Schedule == solver.Theorem},
		{"NoRotation", s.NoRotation, s.NoRotation},
		{"Unproved", s.Unproved, s.Unproved},
		{"Float32", s.Float32, s.Float32},
		{"Average", s.Average, s.Average},
		{"Checkpoint", "set", s.Checkpoint != nil && !s.streams() && !rows.NewTeam(s.Comm).Alone()},
	} {
		if f.set {
			return f.name, f.value
		}
	}
	return "", nil
}

// minimizes reports whether a setting asks for solver.Minimize.
func (s *Spec) minimizes() bool {
	setting, _ := s.iterates()
	return setting != ""
}

// checkMethod returns an error if the method that the settings ask for does not take the rest of the
// specification.
func (s *Spec) checkMethod() error {
	setting, value := s.iterates()
	switch {
	case setting == "":
		return nil
	case s.streams():
		return s.checkStreamed(setting, value)
	}
	method := s.Method
	if method == nil {
		method = solver.Auto{}
	}
	return s.takenBy(method.Info(), setting, value)
}

// A need is a part of a specification that not every method takes.
type need struct {
	given bool
	taken bool
	limit string
	field string
}

// takenBy returns an error if a solver.Problem of the specification is not one for the method that a
// setting asks for. What else the method requires of a Problem is checked by solver.Minimize.
func (s *Spec) takenBy(info solver.MethodInfo, setting string, value any) error {
	_, grouped := s.Penalty.(GroupLasso)
	net := s.l1Ratio() < 1
	ridge := s.Mu > 0 || s.Graph != nil && net || s.MuA > 0 && !s.couples()
	const (
		oneRidge = "has one ridge for all coefficients, and the intercept has none"
		oneScale = "has one ridge for all coefficients, and takes no factors beside it"
		weights  = "takes rows of equal weight alone"
		absolute = "takes the penalty |A x|₁ alone"
		features = "takes an elastic net only if it is of all coefficients"
	)
	return firstLimit(setting, value, false, []need{
		{!s.NoIntercept && ridge, false, oneRidge, "NoIntercept"},
		{s.PenaltyFactors != nil && (ridge || s.MuA > 0), false, oneScale, "PenaltyFactors"},
		{s.MuA > 0 && s.Graph != nil && s.fusion() != 1, false, "has one ridge for all rows of A, and takes no weight of the graph beside it", "Fusion"},
		{s.MuA > 0 && s.couples() && net, false, "takes no elastic net beside a ridge of A x", "MuA"},
		{s.SampleWeights != nil, info.AnyProblem, weights, "SampleWeights"},
		{s.ClassWeights != nil, info.AnyProblem, weights, "ClassWeights"},
		{s.Balanced, info.AnyProblem, weights, "Balanced"},
		{s.Domain != nil, info.AnyProblem, "does not confine coefficients", "Domain"},
		{s.Offsets != nil, info.AnyProblem && info.Theorem != 2 || traits(s.loss()).Residual, "takes offsets only with the losses squared and huber", "Offsets"},
		{grouped, info.AnyProblem, absolute, "Penalty"},
		{s.MuA > 0 && s.couples(), info.AnyProblem, absolute, "MuA"},
		{net && !s.NoIntercept, info.AnyProblem, features, "NoIntercept"},
		{net && slices.Contains(s.PenaltyFactors, 0), info.AnyProblem, features, "PenaltyFactors"},
	})
}

// checkStreamed is checkMethod for fits out of core.
func (s *Spec) checkStreamed(setting string, value any) error {
	switch s.named().(type) {
	case nil:
		return &MethodError{setting, value, "is for data in memory, or for the methods scas-k and scas-l", "Method", true}
	case solver.SCASK, solver.SCASL:
	default:
		return fmt.Errorf("model: %w: method %v is not streamed; auto, scas-k and scas-l are", ErrNotStreamed, value)
	}
	const (
		intercept = "fits no intercept out of core"
		scale     = "takes features as they are out of core"
		memory    = "takes it only with data in memory"
	)
	return firstLimit(setting, value, true, []need{
		{!s.NoIntercept, false, intercept, "NoIntercept"},
		{s.standardizes(), false, scale, "Standardize"},
		{s.Offsets != nil, false, "takes no offsets out of core", "Offsets"},
		{s.l1Ratio() < 1 && s.PenaltyFactors != nil, false, "takes an elastic net without factors out of core", "PenaltyFactors"},
		{s.OuterIterations != 0, false, memory, "OuterIterations"},
		{s.InnerSteps != 0, false, memory, "InnerSteps"},
		{s.BatchSize != 0, false, memory, "BatchSize"},
		{s.Schedule == solver.Theorem, false, memory, "Schedule"},
		{s.NoRotation, false, memory, "NoRotation"},
		{s.Unproved, false, memory, "Unproved"},
		{s.Float32, false, memory, "Float32"},
		{s.Average, false, memory, "Average"},
	})
}

// firstLimit returns the error for the first need that is given and not taken.
func firstLimit(setting string, value any, outOfCore bool, needs []need) error {
	for _, n := range needs {
		if n.given && !n.taken {
			return &MethodError{setting, value, n.limit, n.field, outOfCore}
		}
	}
	return nil
}
