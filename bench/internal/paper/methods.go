package paper

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/theory"
)

// A Method names what is run: a method of the solver, or one of the automatic runs.
type Method = string

// An Output says which of a method's iterates its curve shows.
type Output string

const (
	Last    Output = "last"    // the last iterate, or last outer iterate
	Average Output = "average" // the average the method's theory speaks of
)

// Traits is what experiments and their report have to know of a method beside what
// the solver says of it.
type Traits struct {
	Output Output
	// Batch methods see all samples in every iteration: they are tuned for 100
	// iterations, and the paper counts each as one pass.
	Batch bool
	// Scale is what the multiples Steps are divided by to make a step size.
	Scale func(c theory.Constants, n int) float64
	Steps []float64
	Own   string // what Scale is, in symbols
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
	// NoStep methods have no step size.
	NoStep bool
	// ByLast methods are tuned by the last iterate alone: parameters for which
	// it goes astray can have the better average for a while.
	ByLast bool
	// Within methods keep to their grid: beyond it they are stable on the samples
	// for tuning, but not on the training half.
	Within bool
}

// A Group is a figure.
type Group string

const (
	Compared   Group = "paper" // methods that the paper compares
	Successors Group = "later" // methods published since, and ours
)

// steps of the published protocol: {1/8 ... 8}.
var (
	stepGrid = []float64{0.125, 0.25, 0.5, 1, 2, 4, 8}
	rhoGrid  = []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4}
)

// lipschitz makes step sizes by·{1/8 ... 8}/ν_f, with ν_f the Lipschitz constant of
// every sample's gradient. by centres the grid on the method's own natural step.
func (t *Traits) lipschitz(by float64) {
	t.Scale = func(c theory.Constants, _ int) float64 { return c.NuF / by }
	if t.Own = "ν_f"; by != 1 {
		t.Own = fmt.Sprintf("ν_f/%g", by)
	}
}

// byNuL makes step sizes {1/8 ... 8}/ν_L, with the constant of the augmented
// Lagrangian.
func (t *Traits) byNuL() {
	t.Scale, t.Own, t.TunePasses = func(c theory.Constants, _ int) float64 { return c.NuL }, "ν_L", 6
}

// Samples is what T counts for methods with a step per sample.
const Samples = "samples"

// A run is a method of the solver under the name of its records.
type run struct {
	method solver.Method
	info   solver.MethodInfo
	// auto runs have the step size and rho that the method chooses itself, as a user
	// gets them; the others are tuned as the paper does.
	auto bool
}

// runs returns all that can be run.
func runs() []run {
	var all []run
	for _, m := range baseline.Methods() {
		if _, finishes := m.(solver.Auto); !finishes { // by other means than the paper's
			all = append(all, run{method: m, info: m.Info()})
		}
	}
	for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
		info := m.Info()
		info.Name += "-auto"
		info.Summary += ", step size and rho automatic"
		all = append(all, run{m, info, true})
	}
	return all
}

// runOf returns the run of a name; one that is not known has no method.
func runOf(name Method) run {
	for _, r := range runs() {
		if r.info.Name == name {
			return r
		}
	}
	return run{info: solver.MethodInfo{Name: name, TakesEta: true}}
}

// Infos describes all that is run.
func Infos() []solver.MethodInfo {
	var all []solver.MethodInfo
	for _, r := range runs() {
		all = append(all, r.info)
	}
	return all
}

// TraitsOf returns the traits of a method by its name. Methods that it does not know
// run with the common grids and are drawn at their last iterate.
func TraitsOf(name Method) Traits {
	r := runOf(name)
	t := Traits{
		Output: Last, Steps: stepGrid, Rhos: rhoGrid, TunePasses: 5, Counts: Samples, Group: Successors,
		Batch: r.info.AllSamples, NoStep: !r.info.TakesEta,
	}
	t.lipschitz(max(1, r.info.StepUnit))
	infinite := math.Inf(1)
	switch r.method.(type) {
	case baseline.Batch, baseline.BatchLinear, baseline.BatchUzawa:
		t.Order, t.Counts, t.Group = [2]float64{1, infinite}, "iterations", Compared
	case baseline.OADM, baseline.STOC, baseline.OPG, baseline.RDA:
		t.Output, t.Order, t.Group = Average, [2]float64{0.5, 1}, Compared
	case baseline.OS1:
		t.Output, t.Order, t.Group = Average, [2]float64{0, 1}, Compared
	case baseline.OS2:
		t.Order, t.Group = [2]float64{0.5, 0.5}, Compared
	case baseline.SA, baseline.SAIU:
		// The proximal centre is the mean of iterates a pass old, so that steps
		// act over hundreds of samples.
		t.lipschitz(100)
		t.Order, t.Group = [2]float64{1, 1}, Compared
	case solver.SCAS, solver.SCASStrong:
		t.byNuL()
		t.Order, t.Counts, t.Group = [2]float64{1, 1}, "outer iterations", Compared
	case solver.SCASK, solver.SCASL:
		t.byNuL()
		t.Counts = "outer iterations"
	case baseline.SVRG:
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case baseline.PDFP:
		t.Rhos = []float64{0} // it has no penalty parameter: zero is its own dual step
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case baseline.ASVRG:
		t.Order, t.Counts = [2]float64{2, infinite}, "stages"
	case baseline.SDCA:
		t.ByLast, t.Within, t.Order = true, true, [2]float64{0, infinite}
	case baseline.AccSADMM:
		t.Order = [2]float64{1, 1}
	}
	if r.auto {
		t.Group, t.NoStep, t.Order = Successors, true, [2]float64{}
	}
	return t
}

// Applies reports whether the method is meant for the strength of convexity.
func Applies(name Method, mu float64) bool {
	info := runOf(name).info
	return mu > 0 || !info.NeedsL2 && info.Theorem != 2
}

func registered() []Method {
	var names []Method
	for _, r := range runs() {
		names = append(names, r.info.Name)
	}
	return names
}
