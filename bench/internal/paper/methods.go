package paper

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/theory"
)

// A Method is the name of a method.
type Method = string

// An Output says at which point a method is evaluated: at its last iterate, or at an average of its
// iterates.
type Output string

const (
	// The last iterate; for methods with inner loops, x after the last outer iteration.
	Last    Output = "last"
	Average Output = "average" // an average of iterates; the method's proved convergence rate holds for it
)

// A Role says where a method is compared.
type Role int

const (
	Later     Role = iota // published later, or from this module
	Compared              // compared in the paper, but not in its figures
	inFigures             // in the paper's figures
)

// Traits describe a method for the experiments and their report, in addition to solver.MethodInfo.
type Traits struct {
	Method solver.Method // nil if neither this module nor Protocol.OwnMethods has the method
	Info   solver.MethodInfo
	// Outputs says which vectors claims and figures evaluate: Last, Average or both. The curve of the method
	// shows the first. Parameters are chosen for each output separately.
	Outputs []Output
	// Unit is the unit of the method's step size. The search for the step size tries multiples of Unit.
	Unit StepUnit
	// Allowed says in words which step sizes the method's theory allows. The search tries larger ones too.
	Allowed string
	// NoRho is true if the method has no penalty parameter rho.
	NoRho bool
	// TunePasses is the number of passes of a run on the samples for tuning. Batch methods make
	// tuneIterations iterations instead.
	TunePasses float64
	Counts     string // the unit of T in the proven rate of convergence, such as O(1/T)
	Role       Role
	// Series is the number of the method's colour and mark in figures.
	Series int
	// MaxFeatures is the largest number of features for which the method is run. 0 means no limit.
	MaxFeatures int
	// Linearised says in words whether this implementation linearises the term (rho/2)|A x − y|² when it
	// minimises over x.
	Linearised string
}

// Applies reports whether the method is meant for problems with the given mu.
func (t *Traits) Applies(mu float64) bool { return mu > 0 || !t.Info.NeedsL2 && t.Info.Theorem != 2 }

// Constants are the constants of a problem from which step sizes are computed.
type Constants struct {
	theory.Constants
	// NuMean is the Lipschitz constant of the gradient of the mean loss.
	NuMean  float64
	Samples float64 // number of samples of the problem
}

// A StepUnit is a unit of step sizes: 1/Inverse(c) for a problem with the constants c.
type StepUnit struct {
	Name    string // the unit as a formula, such as 1/ν_L
	Inverse func(c Constants) float64
}

var (
	nuL      = StepUnit{"1/ν_L", func(c Constants) float64 { return c.NuL }}
	nuMean   = StepUnit{"1/ν of the mean loss", func(c Constants) float64 { return c.NuMean }}
	nuFOverN = StepUnit{"n/ν_f", func(c Constants) float64 { return c.NuF / c.Samples }}
	uzawa    = StepUnit{
		"1/(ν of the mean loss + ρ λ₁)", func(c Constants) float64 { return c.NuMean + c.NuL - c.NuF },
	}
)

// nuF returns factor/ν_f as a unit of step sizes. ν_f is the Lipschitz constant of the gradient of the loss
// of one sample.
func nuF(factor float64) StepUnit {
	return StepUnit{fmt.Sprintf("%g/ν_f", factor), func(c Constants) float64 { return c.NuF / factor }}
}

var (
	lastOutput, averageOutput, bothOutputs = []Output{Last}, []Output{Average}, []Output{Last, Average}
)

const (
	samples    = "samples"
	iterations = "iterations"
	stages     = "stages"
	outer      = "outer iterations"

	anyStep      = "any η_0: steps fall as 1/√t, or 1/(μ t), by themselves"
	saStep       = "η ≤ 1/ν_f, with which a pass moves as far as one gradient step does"
	byConvention = "taken as η ≤ 1/ν_f; the constant of its paper has not been checked"
	unlisted     = "no; the paper's Table 1 lists it as linearised"
	noPenalty    = "no step solves for it: gradient steps on it"
)

// traitsTable has the traits of the methods. The function traitsOf says what a zero field means. The order is
// the order of colours and marks in figures. Acc-SADMM is tuned over three of its stages, because a step size
// that is too large does no harm in the first stage.
var traitsTable = []Traits{
	{Method: solver.SCAS{}, Role: inFigures, Outputs: bothOutputs, Unit: nuL, TunePasses: 6, Counts: outer, Linearised: noPenalty,
		Allowed: "Theorem 1 has no bound of its own; C1 of Theorem 2 is η < 2/ν_L"},
	{Method: solver.SCASStrong{}, Role: inFigures, Outputs: bothOutputs, Unit: nuL, TunePasses: 6, Counts: outer, Linearised: "as scas",
		Allowed: "η ≤ 1/ν_L: beyond it the average of Algorithm 2 as printed has a negative weight, for which zero is taken"},
	{Method: baseline.STOC{}, Role: inFigures, Outputs: averageOutput, Allowed: anyStep, Linearised: "no"},
	{
		Method: baseline.SA{}, Role: inFigures, Outputs: bothOutputs, Unit: nuFOverN, Allowed: saStep,
		Linearised: "no",
	},
	{Method: baseline.Batch{}, Role: inFigures, Counts: iterations, Linearised: "no"},
	{
		Method: baseline.BatchLinear{}, Role: inFigures, Unit: nuMean, Allowed: "η < 2/ν of the mean loss",
		Counts: iterations, Linearised: "no",
	},
	{Method: solver.SCASK{}, Unit: nuL, TunePasses: 6, Counts: outer, Linearised: "as scas"},
	{
		Method: baseline.SAIU{}, Role: Compared, Outputs: bothOutputs, Unit: nuFOverN, Allowed: saStep,
		Linearised: "yes",
	},
	{Method: baseline.OPG{}, Role: Compared, Outputs: averageOutput, Allowed: anyStep, Linearised: "yes"},
	{Method: baseline.RDA{}, Role: Compared, Outputs: averageOutput, Allowed: anyStep, Linearised: "yes"},
	{Method: baseline.OADM{}, Role: Compared, Outputs: averageOutput, Allowed: anyStep, Linearised: "no"},
	{Method: baseline.OS1{}, Role: Compared, Outputs: averageOutput, Allowed: anyStep, Linearised: unlisted},
	{Method: baseline.OS2{}, Role: Compared, Allowed: anyStep, Linearised: unlisted},
	{
		Method: baseline.BatchCG{}, Role: Compared, Counts: iterations, Linearised: "no",
		MaxFeatures: baseline.MaxFactored,
	},
	{
		Method: baseline.BatchUzawa{}, Role: Compared, Unit: uzawa,
		Allowed: "η ≤ 1/(ν of the mean loss + ρ λ₁)", Counts: iterations, Linearised: "yes",
	},
	{Method: solver.SCASL{}, Unit: nuL, TunePasses: 6, Counts: outer, Linearised: "yes, per round"},
	{
		Method: baseline.SVRG{}, Allowed: "η < 1/(4 ν_f), batches of one sample", Counts: stages,
		Linearised: "yes",
	},
	{
		Method: baseline.SVRGRestart{}, Allowed: "η < 1/(4 ν_f), batches of one sample", Counts: stages,
		Linearised: "yes",
	},
	{Method: baseline.SAG{}, Linearised: "no"},
	{Method: baseline.SAGIU{}, Linearised: "yes"},
	{Method: baseline.ASVRG{}, Allowed: byConvention, Counts: stages, Linearised: "yes"},
	{Method: baseline.AccSADMM{}, Allowed: byConvention, TunePasses: 9.5, Linearised: "yes"},
	// The next three methods have no penalty parameter. Their Rho is the step size of the dual update; with
	// Rho = 0 they choose this step size themselves.
	{Method: baseline.PDFP{}, Allowed: byConvention, NoRho: true, Counts: stages, Linearised: "no penalty"},
	{
		Method: baseline.SVRPDHG{}, Allowed: byConvention, NoRho: true, Counts: stages,
		Linearised: "no penalty",
	},
	{
		Method: baseline.ASVRPDHG{}, Allowed: byConvention, NoRho: true, Counts: stages,
		Linearised: "no penalty",
	},
	{Method: baseline.SDCA{}, Linearised: "yes"},
}

// moduleTraits returns the traits of all methods of the module except Auto, in the order of
// baseline.Methods. Auto is left out because with it the exact solver, not ADMM, solves most problems.
var moduleTraits = sync.OnceValue(func() (traits []Traits) {
	for _, m := range baseline.Methods() {
		_, auto := m.(solver.Auto)
		if !auto {
			traits = append(traits, traitsOf(m, m.Info()))
		}
	}
	return traits
})

// traitsOf returns the traits of a method from traitsTable. Fields that are zero there, and all fields of a
// method that is not in the table, get default values.
func traitsOf(m solver.Method, info solver.MethodInfo) Traits {
	t := Traits{Series: len(traitsTable)}
	for k, entry := range traitsTable {
		if entry.Method.Info().Name == info.Name {
			t, t.Series = entry, k
		}
	}
	t.Method, t.Info = m, info
	if t.Outputs == nil {
		t.Outputs = lastOutput
	}
	if t.Unit.Inverse == nil {
		t.Unit = nuF(max(1, info.StepUnit))
	}
	t.Allowed, t.TunePasses, t.Counts = cmp.Or(t.Allowed, "none proven"), cmp.Or(t.TunePasses, 5),
		cmp.Or(t.Counts, samples)
	return t
}

// Traits returns the traits of the named method. For a name that neither the module nor pr.OwnMethods has,
// the traits have default values and a nil Method.
func (pr *Protocol) Traits(name Method) Traits {
	for _, t := range moduleTraits() {
		if t.Info.Name == name {
			return t
		}
	}
	t := traitsOf(nil, solver.MethodInfo{Name: name, TakesEta: true})
	for k, m := range pr.OwnMethods {
		if m.Info().Name == name {
			t = traitsOf(m, m.Info())
			t.Series += k
		}
	}
	return t
}

func moduleNames() (names []Method) {
	for _, t := range moduleTraits() {
		names = append(names, t.Info.Name)
	}
	return names
}
