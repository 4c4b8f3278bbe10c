package model

import (
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/stream"
	"github.com/scas-admm/scas/sparse"
)

// A MethodError reports a part of a Spec that the method does not support.
type MethodError struct {
	// Setting names the setting that selects the method. It is Method, or a setting that only
	// solver.Minimize has, such as Passes. Value is the value of the setting; for Method it is the name
	// of the method.
	Setting string
	Value   any
	// Limit says what the method cannot do, such as "takes rows of equal weight alone".
	Limit string
	// Remedies are changes of which each is enough. The first one changes the part of the Spec that the
	// method does not support.
	Remedies []sparse.Remedy
	// OutOfCore says that this is a limit of fits out of core (Spec.Memory) only.
	OutOfCore bool
}

// Error names the setting, the limit of the method, and the remedies.
func (e *MethodError) Error() string { return e.whole().Error() }

// Reword returns the text of Error for the users of a program; see sparse.RemedyError.
func (e *MethodError) Reword(words func(sparse.Remedy) string) string { return e.whole().Reword(words) }

func (e *MethodError) whole() *sparse.RemedyError {
	return &sparse.RemedyError{Err: errorf("Settings.%s = %v %s", e.Setting, e.Value, e.Limit), Remedies: e.Remedies}
}

// Unwrap returns stream.ErrNotStreamed if OutOfCore is set, and nil otherwise.
func (e *MethodError) Unwrap() error {
	if e.OutOfCore {
		return stream.ErrNotStreamed
	}
	return nil
}

// methodExceptAuto returns s.Method, or nil if it is solver.Auto.
func (s *Spec) methodExceptAuto() solver.Method {
	if _, auto := s.Method.(solver.Auto); auto {
		return nil
	}
	return s.Method
}

// iterates returns the first setting that requires solver.Minimize, and its value. setting is "" if
// no setting requires it.
func (s *Spec) iterates() (setting string, value any) {
	if m := s.methodExceptAuto(); m != nil {
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

// minimizes reports whether a setting requires solver.Minimize.
func (s *Spec) minimizes() bool {
	setting, _ := s.iterates()
	return setting != ""
}

// checkMethod returns an error if the settings require a method that does not support the rest of the
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

// The remedies of MethodErrors.
var (
	noIntercept   = sparse.Remedy{Field: "Spec.NoIntercept", To: "true"}
	noStandardize = sparse.Remedy{Field: "Spec.Standardize", To: "StandardizeOff"}
	noFactors     = sparse.Remedy{Field: "Spec.PenaltyFactors", To: "nil"}
	noFusion      = sparse.Remedy{Field: "Spec.Fusion", To: "0"}
	noMuA         = sparse.Remedy{Field: "Spec.MuA", To: "0"}
	noWeights     = sparse.Remedy{Field: "Spec.SampleWeights", To: "nil"}
	noClasses     = sparse.Remedy{Field: "Spec.ClassWeights", To: "nil"}
	notBalanced   = sparse.Remedy{Field: "Spec.Balanced", To: "false"}
	noDomain      = sparse.Remedy{Field: "Spec.Domain", To: "nil"}
	noOffsets     = sparse.Remedy{Field: "Spec.Offsets", To: "nil"}
	noGroups      = sparse.Remedy{Field: "Spec.Penalty", To: "nil"}
	noAverage     = sparse.Remedy{Field: "Spec.Average", To: "false"}
	noBound       = sparse.Remedy{Field: "Settings.OuterIterations", To: "0"}
	noInnerSteps  = sparse.Remedy{Field: "Settings.InnerSteps", To: "0"}
	noBatches     = sparse.Remedy{Field: "Settings.BatchSize", To: "0"}
	noTheorem     = sparse.Remedy{Field: "Settings.Schedule", To: "practical"}
	rotation      = sparse.Remedy{Field: "Settings.NoRotation", To: "false"}
	proved        = sparse.Remedy{Field: "Settings.Unproved", To: "false"}
	noFloat32     = sparse.Remedy{Field: "Settings.Float32", To: "false"}
	useAuto       = sparse.Remedy{Field: "Settings.Method", To: "auto"}
	useStreamed   = sparse.Remedy{Field: "Settings.Method", To: "auto, scas-k or scas-l"}
	useSCASK      = sparse.Remedy{Field: "Settings.Method", To: "scas-k"}
	useSCASL      = sparse.Remedy{Field: "Settings.Method", To: "scas-l"}
)

// A need is a part of a specification that some methods do not support: given says that the
// specification has it, and taken that the method supports it.
type need struct {
	given, taken bool
	limit        string // the error text for a method that does not support this part
	remedies     []sparse.Remedy
}

// takenBy returns an error if the specification has a part that the method does not support. setting
// and value are the setting that requires the method, for the error. Limits that takenBy does not know
// are checked by solver.Minimize.
func (s *Spec) takenBy(info solver.MethodInfo, setting string, value any) error {
	_, grouped := s.Penalty.(GroupLasso)
	net := s.l1Ratio() < 1
	ridge := s.Mu > 0 || s.Graph != nil && net || s.MuA > 0 && !s.couples()
	const (
		oneRidge = "has one ridge for all coefficients, and the intercept has none"
		oneScale = "has one ridge for all coefficients, and takes no factors beside it"
		oneOfA   = "has one ridge for all rows of A, and takes no weight of the graph beside it"
		noNet    = "takes no elastic net beside a ridge of A x"
		weights  = "takes rows of equal weight alone"
		absolute = "takes the penalty |A x|₁ alone"
		features = "takes an elastic net only if it is of all coefficients"
		offsets  = "takes offsets only with the losses squared and huber"
	)
	any, strong := info.AnyProblem, info.Theorem == 2
	return firstLimit(setting, value, false, []need{
		{!s.NoIntercept && ridge, false, oneRidge, []sparse.Remedy{noIntercept}},
		{s.PenaltyFactors != nil && (ridge || s.MuA > 0), false, oneScale, []sparse.Remedy{noFactors}},
		{s.MuA > 0 && s.Graph != nil && s.fusion() != 1, false, oneOfA, []sparse.Remedy{noFusion}},
		{s.MuA > 0 && s.couples() && net, false, noNet, []sparse.Remedy{noMuA}},
		{s.SampleWeights != nil, any, weights, []sparse.Remedy{noWeights, useSCASK}},
		{s.ClassWeights != nil, any, weights, []sparse.Remedy{noClasses, useSCASK}},
		{s.Balanced, any, weights, []sparse.Remedy{notBalanced, useSCASK}},
		{s.Domain != nil, any, "does not confine coefficients", []sparse.Remedy{noDomain, useSCASK}},
		{s.Offsets != nil, any && !strong || traits(s.loss()).Residual, offsets, []sparse.Remedy{noOffsets, useSCASK}},
		{grouped, any, absolute, []sparse.Remedy{noGroups, useSCASK}},
		{s.MuA > 0 && s.couples(), any, absolute, []sparse.Remedy{noMuA, useSCASK}},
		{net && !s.NoIntercept, any, features, []sparse.Remedy{noIntercept, useSCASK}},
		{net && slices.Contains(s.PenaltyFactors, 0), any, features, []sparse.Remedy{noFactors, useSCASK}},
	})
}

// checkStreamed returns an error if the method that setting requires cannot fit the specification out
// of core.
func (s *Spec) checkStreamed(setting string, value any) error {
	switch s.methodExceptAuto().(type) {
	case nil:
		return &MethodError{setting, value, "is for data in memory, or for other methods", []sparse.Remedy{useSCASK, useSCASL}, true}
	case solver.SCASK, solver.SCASL:
	default:
		return &MethodError{setting, value, "is for data in memory", []sparse.Remedy{useStreamed}, true}
	}
	const (
		intercept = "fits no intercept out of core"
		scale     = "takes features as they are out of core"
		offsets   = "takes no offsets out of core"
		factors   = "takes an elastic net without factors out of core"
		memory    = "has settings that are only for data in memory"
	)
	return firstLimit(setting, value, true, []need{
		{!s.NoIntercept, false, intercept, []sparse.Remedy{noIntercept}},
		{s.standardizes(), false, scale, []sparse.Remedy{noStandardize}},
		{s.Offsets != nil, false, offsets, []sparse.Remedy{noOffsets}},
		{s.l1Ratio() < 1 && s.PenaltyFactors != nil, false, factors, []sparse.Remedy{noFactors}},
		{s.OuterIterations != 0, false, memory, []sparse.Remedy{noBound}},
		{s.InnerSteps != 0, false, memory, []sparse.Remedy{noInnerSteps}},
		{s.BatchSize != 0, false, memory, []sparse.Remedy{noBatches}},
		{s.Schedule == solver.Theorem, false, memory, []sparse.Remedy{noTheorem}},
		{s.NoRotation, false, memory, []sparse.Remedy{rotation}},
		{s.Unproved, false, memory, []sparse.Remedy{proved}},
		{s.Float32, false, memory, []sparse.Remedy{noFloat32}},
		{s.Average, false, memory, []sparse.Remedy{noAverage}},
	})
}

// firstLimit returns a MethodError for the first need that is given and not taken, or nil.
func firstLimit(setting string, value any, outOfCore bool, needs []need) error {
	for _, n := range needs {
		if n.given && !n.taken {
			return &MethodError{setting, value, n.limit, n.remedies, outOfCore}
		}
	}
	return nil
}
