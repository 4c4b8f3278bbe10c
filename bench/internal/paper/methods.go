package paper

import (
	"math"

	"github.com/scas-admm/scas/solver"
)

// A Method names what is run: a method of the solver, or one of the automatic runs.
type Method = solver.Method

// Info is what the solver says of a method.
type Info = solver.MethodInfo

// Traits is what experiments and their report have to know of a method beside.
type Traits = traits

// Infos describes all that is run.
func Infos() []Info { return infos() }

// TraitsOf returns the traits of a method by its name.
func TraitsOf(name Method) Traits { return traitsOf(name) }

// Applies reports whether the method is meant for the strength of convexity.
func Applies(name Method, mu float64) bool { return applies(name, mu) }

// An Output says which of a method's iterates its curve shows.
type Output string

const (
	Last    Output = "last"    // the last iterate, or last outer iterate
	Average Output = "average" // the average the method's theory speaks of
)

// traits is what the experiment has to know of a method beside what the solver
// says of it.
type traits struct {
	Output Output
	// Batch methods see all samples in every iteration: they are tuned for 100
	// iterations, and the paper counts each as one pass.
	Batch bool
	// Scale is what the multiples Steps are divided by to make a step size.
	Scale func(c solver.Constants, n int) float64
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

// lipschitz is ν_f / by: step sizes are by·{1/8 ... 8}/ν_f with ν_f the Lipschitz
// constant of every sample's gradient. by centres the grid on the method's own
// natural step.
func lipschitz(by float64) func(solver.Constants, int) float64 {
	return func(c solver.Constants, _ int) float64 { return c.NuF / by }
}

// byNuL is the constant of the augmented Lagrangian.
func byNuL(c solver.Constants, _ int) float64 { return c.NuL }

// Samples is what T counts for methods with a step per sample.
const Samples = "samples"

// automatic are runs of the solver's methods with the step size and rho that it
// chooses itself, as a user gets them, beside those tuned as the paper does.
var automatic = []struct{ name, method solver.Method }{
	{"scas-auto", solver.SCAS},
	{"scas-k-auto", solver.SCASK},
}

// methodOf returns the solver's method of a run by its name, and whether its
// parameters are automatic.
func methodOf(name solver.Method) (m solver.Method, auto bool) {
	for _, a := range automatic {
		if a.name == name {
			return a.method, true
		}
	}
	return name, false
}

// infos describes all that is run.
func infos() []solver.MethodInfo {
	all := solver.Methods()
	for _, a := range automatic {
		for _, info := range all {
			if info.Name == a.method {
				info.Name = a.name
				info.Summary += ", step size and rho automatic"
				all = append(all, info)
				break
			}
		}
	}
	return all
}

// traitsOf returns the traits of a method by its name. Methods that it does not
// know run with the common grids and are drawn at their last iterate.
func traitsOf(name solver.Method) traits {
	if m, auto := methodOf(name); auto {
		t := traitsOf(m)
		t.Group, t.NoStep, t.Order = Successors, true, [2]float64{}
		return t
	}
	t := traits{Output: Last, Scale: lipschitz(1), Own: "ν_f", Steps: stepGrid, Rhos: rhoGrid, TunePasses: 5, Counts: Samples, Group: Successors}
	infinite := math.Inf(1)
	switch name {
	case solver.Batch:
		t.Batch, t.NoStep, t.Order, t.Counts, t.Group = true, true, [2]float64{1, infinite}, "iterations", Compared
	case solver.BatchLinear, solver.BatchUzawa:
		t.Batch, t.Order, t.Counts, t.Group = true, [2]float64{1, infinite}, "iterations", Compared
	case solver.OADM:
		t.Scale, t.Own, t.Output, t.Order, t.Group = lipschitz(64), "ν_f/64", Average, [2]float64{0.5, 1}, Compared
	case solver.STOC, solver.OPG, solver.RDA:
		t.Scale, t.Own, t.Output, t.Order, t.Group = lipschitz(16), "ν_f/16", Average, [2]float64{0.5, 1}, Compared
	case "os1":
		t.Scale, t.Own, t.Output, t.Order, t.Group = lipschitz(16), "ν_f/16", Average, [2]float64{0, 1}, Compared
	case solver.OS2:
		t.Order, t.Group = [2]float64{0.5, 0.5}, Compared
	case solver.SA, solver.SAIU:
		// The proximal centre is the mean of iterates a pass old, so that steps
		// act over hundreds of samples.
		t.Scale, t.Own, t.Order, t.Group = lipschitz(100), "ν_f/100", [2]float64{1, 1}, Compared
	case solver.SCAS, solver.SCASStrong:
		t.Scale, t.Own, t.TunePasses, t.Order, t.Counts, t.Group = byNuL, "ν_L", 6, [2]float64{1, 1}, "outer iterations", Compared
	case solver.SCASK, solver.SCASL:
		t.Scale, t.Own, t.TunePasses, t.Counts = byNuL, "ν_L", 6, "outer iterations"
	case solver.SVRG:
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case solver.PDFP:
		t.Rhos = []float64{0} // it has no penalty parameter: zero is its own dual step
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case solver.ASVRG:
		t.Order, t.Counts = [2]float64{2, infinite}, "stages"
	case solver.SDCA:
		t.NoStep, t.ByLast, t.Within, t.Order = true, true, true, [2]float64{0, infinite}
	case solver.AccSADMM:
		t.Order = [2]float64{1, 1}
	}
	return t
}

// applies reports whether the method is meant for the strength of convexity.
func applies(name solver.Method, mu float64) bool {
	for _, info := range infos() {
		if info.Name == name && info.NeedsL2 {
			return mu > 0
		}
	}
	return mu > 0 || name != solver.SCASStrong
}

func registered() []Method {
	var names []Method
	for _, m := range infos() {
		names = append(names, m.Name)
	}
	return names
}
