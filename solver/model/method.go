package model

import (
	"cmp"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

func (s *Spec) methodExceptAuto() solver.Method {
	if _, isAuto := s.Method.(solver.Auto); isAuto {
		return nil
	}
	return s.Method
}

// A setting is a field of Settings or Spec, other than Method, that requires solver.Minimize if it is set.
type setting struct {
	name       string
	value      any
	set        bool
	memoryOnly bool // whether the setting is only for data in memory
}

func (s *Spec) settingsForMinimize() []setting {
	return []setting{
		{"RelTol", s.RelTol, s.RelTol < 0, false},
		{"Passes", s.Passes, s.Passes != 0, false},
		{"DualUpdates", s.DualUpdates, s.DualUpdates != 0, false},
		{"OuterIterations", s.OuterIterations, s.OuterIterations != 0, true},
		{"Eta", s.Eta, s.Eta != 0, false},
		{"Rho", s.Rho, s.Rho != 0, false},
		{"InnerSteps", s.InnerSteps, s.InnerSteps != 0, true},
		{"BatchSize", s.BatchSize, s.BatchSize != 0, true},
		{"Schedule", s.Schedule, s.Schedule == solver.Theorem, true},
		{"NoRotation", s.NoRotation, s.NoRotation, true},
		{"NoProof", s.NoProof, s.NoProof, true},
		{"Float32", s.Float32, s.Float32, true},
		{"Average", s.Average, s.Average, true},
		{"Checkpoint", "set", s.Checkpoint != nil && !s.streams() && !rows.NewTeam(s.Comm).Alone(), false},
	}
}

// firstSettingForMinimize returns the name and the value of the first setting that requires solver.Minimize.
// The name is "" if there is no such setting.
func (s *Spec) firstSettingForMinimize() (name string, value any) {
	if m := s.methodExceptAuto(); m != nil {
		return "Method", m.Info().Name
	}
	for _, f := range s.settingsForMinimize() {
		if f.set {
			return f.name, f.value
		}
	}
	return "", nil
}

// needsMinimize reports whether a setting requires solver.Minimize.
func (s *Spec) needsMinimize() bool {
	settingName, _ := s.firstSettingForMinimize()
	return settingName != ""
}

// checkMethod returns an error if a setting requires solver.Minimize, but the method does
// not support the rest of the specification. p is the number of features.
func (s *Spec) checkMethod(p int) error {
	settingName, value := s.firstSettingForMinimize()
	switch {
	case settingName == "":
		return nil
	case s.streams():
		return s.checkStreamed(settingName, value)
	}
	return s.checkParts(p, cmp.Or[solver.Method](s.Method, solver.Auto{}).Info(), settingName, value)
}

var (
	noIntercept = sparse.Remedy{Field: "Spec.NoIntercept", To: "true"}
	asTheyAre   = sparse.Remedy{Field: "Spec.NoIntercept", To: "true, and Spec.Standardize to StandardizeOff"}
	noFactors   = sparse.Remedy{Field: "Spec.PenaltyFactors", To: "nil"}
	noMuA       = sparse.Remedy{Field: "Spec.MuA", To: "0"}
	noWeights   = sparse.Remedy{Field: "Spec.SampleWeights", To: "nil"}
	noClasses   = sparse.Remedy{Field: "Spec.ClassWeights", To: "nil"}
	notBalanced = sparse.Remedy{Field: "Spec.Balanced", To: "false"}
	noDomain    = sparse.Remedy{Field: "Spec.Domain", To: "nil"}
	noOffsets   = sparse.Remedy{Field: "Spec.Offsets", To: "nil"}
	noGroups    = sparse.Remedy{Field: "Spec.Penalty", To: "nil"}
	useAuto     = sparse.Remedy{Field: "Settings.Method", To: "auto"}
	useStreamed = sparse.Remedy{
		Field: "Settings.Method", To: "scas-k or scas-l, with NoIntercept and StandardizeOff",
	}
	leaveUnset = sparse.Remedy{To: "leave it unset"} // the setting of the error
	useSCASK   = sparse.Remedy{Field: "Settings.Method", To: "scas-k"}
)

// An unsupportedPart is a part that a method does not support. present is true if the specification has the
// part.
type unsupportedPart struct {
	present  bool
	reason   string // the text for SettingError.Allowed
	remedies []sparse.Remedy
}

// checkParts returns an error if the specification for p features has a part that the method does not
// support. The error names the setting that requires the method, and the value of this setting.
func (s *Spec) checkParts(p int, info solver.MethodInfo, settingName string, value any) error {
	isElasticNet := s.l1Ratio() < 1
	// The offsets become a column of the data.
	needsOffsetColumn := s.Offsets != nil && !s.loss().Traits().DependsOnResidual
	_, isBox := s.box(p)
	hasRidge := s.Mu > 0 || s.Graph != nil && isElasticNet || s.MuA > 0 && !s.couples()
	const (
		ridgeReason      = "the method has one ridge for all coefficients, and the intercept has none"
		factorReason     = "the method has one ridge for all coefficients, and takes no elastic net with factors beside it"
		weightReason     = "the method takes rows of equal weight alone"
		confineReason    = "the method does not confine coefficients"
		penaltyReason    = "the method takes the penalty |A x|₁ alone"
		elasticNetReason = "the method takes an elastic net only if it is of all coefficients"
		domainReason     = "with this loss, the method takes offsets only with a domain that bounds each coefficient on its own"
	)
	dependsOnResidual := func(t term.Traits) bool { return t.DependsOnResidual }
	offsetReason := "the method takes offsets only with the loss " + term.NamesWith(dependsOnResidual)
	plainOnly := !info.AnyProblem                          // the method does not support every problem
	hasFreeFeature := slices.Contains(s.PenaltyFactors, 0) // a feature has no penalty
	return unsupportedError(settingName, value, nil, []unsupportedPart{
		{!s.NoIntercept && hasRidge, ridgeReason, []sparse.Remedy{noIntercept}},
		{
			isElasticNet && s.PenaltyFactors != nil && (hasRidge || s.MuA > 0), factorReason,
			[]sparse.Remedy{noFactors},
		},
		{s.SampleWeights != nil && plainOnly, weightReason, []sparse.Remedy{noWeights, useSCASK}},
		{s.ClassWeights != nil && plainOnly, weightReason, []sparse.Remedy{noClasses, useSCASK}},
		{s.Balanced && plainOnly, weightReason, []sparse.Remedy{notBalanced, useSCASK}},
		{s.Domain != nil && plainOnly, confineReason, []sparse.Remedy{noDomain, useSCASK}},
		{
			needsOffsetColumn && (plainOnly || info.Theorem == 2), offsetReason,
			[]sparse.Remedy{noOffsets, useSCASK},
		},
		{needsOffsetColumn && s.Domain != nil && !isBox, domainReason, []sparse.Remedy{noOffsets, noDomain}},
		{s.grouped() && plainOnly, penaltyReason, []sparse.Remedy{noGroups, useSCASK}},
		{s.MuA > 0 && s.couples() && plainOnly, penaltyReason, []sparse.Remedy{noMuA, useSCASK}},
		{
			isElasticNet && !s.NoIntercept && plainOnly, elasticNetReason,
			[]sparse.Remedy{noIntercept, useSCASK},
		},
		{isElasticNet && hasFreeFeature && plainOnly, elasticNetReason, []sparse.Remedy{noFactors, useSCASK}},
	})
}

// checkStreamed returns an error if solver.Minimize cannot fit the specification out of core. settingName is
// the first setting that requires solver.Minimize, and value its value.
func (s *Spec) checkStreamed(settingName string, value any) error {
	var parts []unsupportedPart
	othersSet := false // true if another setting than Method requires solver.Minimize
	for _, f := range s.settingsForMinimize() {
		othersSet = othersSet || f.set
		if f.set && f.memoryOnly {
			return unsupportedError(f.name, f.value, rows.ErrNotStreamed,
				[]unsupportedPart{{true, "it is only for data in memory", []sparse.Remedy{leaveUnset}}})
		}
	}
	const (
		methodReason    = "out of core it is only for the methods scas-k and scas-l"
		interceptReason = "out of core the method fits no intercept, and takes features as they are"
		offsetReason    = "the method takes no offsets out of core"
		factorReason    = "the method takes an elastic net without factors out of core"
	)
	switch s.methodExceptAuto().(type) {
	case nil:
		parts = append(parts,
			unsupportedPart{true, methodReason, []sparse.Remedy{{To: "leave it 0"}, useStreamed}})
	case solver.SCASK, solver.SCASL:
	default:
		remedies := []sparse.Remedy{useStreamed}
		if !othersSet {
			remedies = []sparse.Remedy{useAuto, useStreamed}
		}
		parts = append(parts, unsupportedPart{true, "the method is for data in memory", remedies})
	}
	return unsupportedError(settingName, value, rows.ErrNotStreamed, append(parts, []unsupportedPart{
		{!s.NoIntercept || s.standardizes(), interceptReason, []sparse.Remedy{asTheyAre}},
		{s.Offsets != nil, offsetReason, []sparse.Remedy{noOffsets}},
		{s.l1Ratio() < 1 && s.PenaltyFactors != nil, factorReason, []sparse.Remedy{noFactors}},
	}...))
}

// refuseMinimize returns a SettingError with the given reason if a setting requires solver.Minimize, and nil
// otherwise. It is for fits out of core that need the default method, such as cross-validation.
func (s *Spec) refuseMinimize(reason string) error {
	settingName, value := s.firstSettingForMinimize()
	remedy := leaveUnset
	if settingName == "Method" {
		remedy = useAuto
	}
	return unsupportedError(settingName, value, rows.ErrNotStreamed,
		[]unsupportedPart{{settingName != "", reason, []sparse.Remedy{remedy}}})
}

// unsupportedError returns a SettingError with the reason and the remedies of the first part that is present,
// or nil if no part is. The error wraps wrappedErr.
func unsupportedError(settingName string, value any, wrappedErr error, parts []unsupportedPart) error {
	for _, u := range parts {
		if u.present {
			return &solver.SettingError{
				Field: settingName, Value: value, Allowed: u.reason, Remedies: u.remedies, Err: wrappedErr,
			}
		}
	}
	return nil
}
