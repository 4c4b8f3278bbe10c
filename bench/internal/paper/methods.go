package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/theory"
)

// A Method names a method of the solver.
type Method = string

// A Rule says how step size and rho of a run are chosen.
type Rule string

const (
	// Sampled is the paper's: the objective on some samples of the training half.
	Sampled Rule = "samples"
	// Whole is the objective on the training half itself: what the first rule costs.
	Whole Rule = "half"
	// Automatic leaves them to the method, as a user gets it.
	Automatic Rule = "auto"
)

// Rules are all of them, in the order of the report's columns.
func Rules() []Rule { return []Rule{Sampled, Whole, Automatic} }

// An Output says which of a method's iterates its curve shows.
type Output string

const (
	Last    Output = "last"    // the last iterate, or last outer iterate
	Average Output = "average" // the average the method's theory speaks of
)

// Constants are what step sizes are made of.
type Constants struct {
	theory.Constants
	// NuMean is the Lipschitz constant of the gradient of the mean loss.
	NuMean float64
}

// Traits is what experiments and their report have to know of a method beside what
// the solver says of it.
type Traits struct {
	Output Output
	// Outputs are all that a claim or a figure judges. Parameters are chosen for each
	// by itself.
	Outputs []Output
	// Batch methods see all samples in every iteration: they are tuned for 100
	// iterations, and the paper counts each as one pass.
	Batch bool
	// Scale is what the multiples Steps are divided by to make a step size.
	Scale func(c Constants) float64
	Steps []float64
	Own   string // what Scale is, in symbols
	// Bound says up to which step size the method's own theory goes, and where the
	// grid ends. Bounded means that the grid ends there.
	Bound   string
	Bounded bool
	// Rhos are multiples of lambda.
	Rhos []float64
	// TunePasses is the budget on the samples for tuning.
	TunePasses float64
	// Order is the proven order of the objective's decrease, T^-Order, for mu =
	// 0 and for mu > 0; +Inf is linear convergence, 0 none proven. Counts says
	// what T counts.
	Order  [2]float64
	Counts string
	// Group is the figure that the method appears in.
	Group Group
	// Figured methods are those of the paper's own figures, which are run on every split.
	Figured bool
	// NoStep methods have no step size.
	NoStep bool
	// MostFeatures is how many features a problem may have for the method to be
	// another than the one it is a form of; 0 means any number.
	MostFeatures int
}

// A Group is a figure.
type Group string

const (
	Compared   Group = "paper" // methods that the paper compares
	Successors Group = "later" // methods published since, and ours
)

// Grids of multiples: of the method's own step, or of 1/ν with the end of the grid
// where the method's theory ends, just below it where it is excluded; and of lambda.
var (
	stepGrid   = []float64{1. / 64, 1. / 32, 1. / 16, 0.125, 0.25, 0.5, 1, 2, 4, 8}
	upToOne    = []float64{1. / 64, 1. / 32, 1. / 16, 0.125, 0.25, 0.5, 1}
	belowTwo   = append(slices.Clone(upToOne), 1.9)
	upToFourth = []float64{1. / 256, 1. / 128, 1. / 64, 1. / 32, 1. / 16, 0.125, 0.24}
	rhoGrid    = []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4}
)

// lipschitz makes step sizes by·Steps/ν_f, with ν_f the Lipschitz constant of every
// sample's gradient. by centres the grid on the method's own natural step.
func (t *Traits) lipschitz(by float64) {
	t.Scale = func(c Constants) float64 { return c.NuF / by }
	if t.Own = "ν_f"; by != 1 {
		t.Own = fmt.Sprintf("ν_f/%g", by)
	}
}

// within ends the grid of steps where theory does.
func (t *Traits) within(steps []float64, bound string) {
	t.Steps, t.Bound, t.Bounded = steps, bound, true
}

// byNuL makes step sizes multiples of 1/ν_L, with the constant of the augmented
// Lagrangian.
func (t *Traits) byNuL() {
	t.Scale, t.Own, t.TunePasses = func(c Constants) float64 { return c.NuL }, "ν_L", 6
	t.within(belowTwo, "η < 2/ν_L: C1 of Theorem 2, without which the snapshot's variance is not bounded")
}

// Samples is what T counts for methods with a step per sample.
const Samples = "samples"

// methods returns all that can be run.
func methods() []solver.Method {
	var all []solver.Method
	for _, m := range baseline.Methods() {
		if _, finishes := m.(solver.Auto); !finishes { // by other means than the paper's
			all = append(all, m)
		}
	}
	return all
}

// methodOf returns the method of a name, nil if it is not known.
func methodOf(name Method) solver.Method {
	for _, m := range methods() {
		if m.Info().Name == name {
			return m
		}
	}
	return nil
}

// Infos describes all methods of the solver, and those of the caller's own that are run.
func (pr Protocol) Infos() []solver.MethodInfo {
	var all []solver.MethodInfo
	for _, name := range registered() {
		all = append(all, infoOf(name))
	}
	for _, name := range pr.Methods {
		if methodOf(name) == nil {
			all = append(all, infoOf(name))
		}
	}
	return all
}

// infoOf describes the method of a name.
func infoOf(name Method) solver.MethodInfo {
	if m := methodOf(name); m != nil {
		return m.Info()
	}
	return solver.MethodInfo{Name: name, TakesEta: true}
}

// TraitsOf returns the traits of a method by its name. Methods that it does not know
// run with the common grids and are drawn at their last iterate.
func TraitsOf(name Method) Traits {
	info := infoOf(name)
	t := Traits{
		Output: Last, Steps: stepGrid, Rhos: rhoGrid, TunePasses: 5, Counts: Samples, Group: Successors,
		Batch: info.AllSamples, NoStep: !info.TakesEta, Bound: "none proven", Figured: figured(methodOf(name)),
	}
	t.lipschitz(max(1, info.StepUnit))
	t.describe(methodOf(name))
	if t.Outputs == nil {
		t.Outputs = []Output{t.Output}
	}
	if t.NoStep {
		t.Bound = "has no step size"
	}
	return t
}

// anyStep is the bound of methods whose steps fall by themselves.
const anyStep = "any η_0: steps fall as 1/√t, or 1/(μ t), by themselves"

// byConvention is the bound where the constant of the method's own paper has not been
// checked.
const byConvention = "taken as η ≤ 1/ν_f; the constant of its paper has not been checked"

// describe fills in what differs between methods.
func (t *Traits) describe(m solver.Method) {
	infinite := math.Inf(1)
	switch m.(type) {
	case baseline.Batch:
		t.Order, t.Counts, t.Group = [2]float64{1, infinite}, "iterations", Compared
	case baseline.BatchCG:
		t.Order, t.Counts, t.Group = [2]float64{1, infinite}, "iterations", Compared
		t.MostFeatures = baseline.MaxFactored
	case baseline.BatchLinear:
		t.Order, t.Counts, t.Group = [2]float64{1, infinite}, "iterations", Compared
		t.Scale, t.Own = func(c Constants) float64 { return c.NuMean }, "ν of the mean loss"
		t.within(belowTwo, "η < 2/ν of the mean loss")
	case baseline.BatchUzawa:
		t.Order, t.Counts, t.Group = [2]float64{1, infinite}, "iterations", Compared
		t.Scale, t.Own = func(c Constants) float64 { return c.NuMean + c.NuL - c.NuF }, "(ν of the mean loss + ρ λ₁)"
		t.within(upToOne, "η ≤ 1/(ν of the mean loss + ρ λ₁)")
	case baseline.OADM, baseline.STOC, baseline.OPG, baseline.RDA:
		t.Output, t.Order, t.Group, t.Bound = Average, [2]float64{0.5, 1}, Compared, anyStep
	case baseline.OS1:
		t.Output, t.Order, t.Group, t.Bound = Average, [2]float64{0, 1}, Compared, anyStep
	case baseline.OS2:
		t.Order, t.Group, t.Bound = [2]float64{0.5, 0.5}, Compared, anyStep
	case baseline.SA, baseline.SAIU:
		// The proximal centre is the mean of iterates a pass old, so that steps
		// act over hundreds of samples.
		t.lipschitz(100)
		t.Outputs = []Output{Last, Average}
		t.Order, t.Group = [2]float64{1, 1}, Compared
		t.Bound = "η ≤ 1/ν_f, with which a pass moves as far as one gradient step does; the grid goes on to 800/ν_f, since the method's paper tunes it too: beyond theory"
	case solver.SCAS:
		t.byNuL()
		t.Outputs = []Output{Last, Average}
		t.Order, t.Counts, t.Group = [2]float64{1, 1}, "outer iterations", Compared
	case solver.SCASStrong:
		t.byNuL()
		t.Outputs = []Output{Last, Average}
		t.within(upToOne, "η ≤ 1/ν_L: beyond it the average of Algorithm 2 has a negative weight")
		t.Order, t.Counts, t.Group = [2]float64{1, 1}, "outer iterations", Compared
	case solver.SCASK, solver.SCASL:
		t.byNuL()
		t.Counts = "outer iterations"
		t.Bound = "none proven; η < 2/ν_L as for Algorithm 1"
	case baseline.SVRG, baseline.SVRGRestart:
		t.within(upToFourth, "η < 1/(4 ν_f), batches of one sample")
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case baseline.PDFP:
		t.within(upToOne, byConvention)
		t.Rhos = []float64{0} // it has no penalty parameter: zero is its own dual step
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case baseline.ASVRG:
		t.within(upToOne, byConvention)
		t.Order, t.Counts = [2]float64{2, infinite}, "stages"
	case baseline.SDCA:
		t.Order = [2]float64{0, infinite}
	case baseline.AccSADMM:
		t.within(upToOne, byConvention)
		t.Order, t.TunePasses = [2]float64{1, 1}, accPasses
	}
}

// figured reports whether a method is in the paper's own figures.
func figured(m solver.Method) bool {
	switch m.(type) {
	case solver.SCAS, solver.SCASStrong, baseline.STOC, baseline.SA, baseline.Batch, baseline.BatchLinear:
		return true
	}
	return false
}

// accPasses are three stages of Acc-SADMM: after one, steps that are too long do not
// show.
const accPasses = 9.5

// Applies reports whether the method is meant for the strength of convexity.
func Applies(name Method, mu float64) bool {
	info := infoOf(name)
	return mu > 0 || !info.NeedsL2 && info.Theorem != 2
}

func registered() []Method {
	var names []Method
	for _, m := range methods() {
		names = append(names, m.Info().Name)
	}
	return names
}
