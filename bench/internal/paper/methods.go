package paper

import (
	"math"

	"github.com/scas-admm/scas/solver"
)

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

// by the Lipschitz constant of every sample's gradient.
func byNuF(c solver.Constants, _ int) float64 { return c.NuF }

// by that of the augmented Lagrangian.
func byNuL(c solver.Constants, _ int) float64 { return c.NuL }

// byHundredth centres the grid on steps that act over hundreds of samples: the
// proximal centre of SA-ADMM is the mean of iterates a pass old.
func byHundredth(c solver.Constants, _ int) float64 { return c.NuF / 100 }

// traitsOf returns the traits of a method by its name. Methods that it does not
// know run with the common grids and are drawn at their last iterate.
func traitsOf(name solver.Method) traits {
	t := traits{Output: Last, Scale: byNuF, Steps: stepGrid, Rhos: rhoGrid, TunePasses: 5, Counts: "samples", Group: Successors}
	infinite := math.Inf(1)
	switch name {
	case "batch":
		t.Batch, t.NoStep, t.Order, t.Counts, t.Group = true, true, [2]float64{1, infinite}, "iterations", Compared
	case "batch-linear":
		t.Batch, t.Order, t.Counts, t.Group = true, [2]float64{1, infinite}, "iterations", Compared
	case "oadm", "stoc", "opg", "rda":
		t.Output, t.Order, t.Group = Average, [2]float64{0.5, 1}, Compared
	case "os1":
		t.Output, t.Order, t.Group = Average, [2]float64{0, 1}, Compared
	case "os2":
		t.Order, t.Group = [2]float64{0.5, 0.5}, Compared
	case "sa", "sa-iu":
		t.Scale, t.Order, t.Group = byHundredth, [2]float64{1, 1}, Compared
	case "sag":
		t.Order = [2]float64{1, 1}
	case "scas", "scas-strong":
		t.Scale, t.TunePasses, t.Order, t.Counts, t.Group = byNuL, 6, [2]float64{1, 1}, "outer iterations", Compared
	case "scas-k", "scas-l":
		t.Scale, t.TunePasses, t.Counts = byNuL, 6, "outer iterations"
	case "svrg":
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	case "asvrg":
		t.Order, t.Counts = [2]float64{2, infinite}, "stages"
	case "sdca":
		t.Order = [2]float64{0, infinite}
	case "acc-sadmm":
		t.Order, t.Counts = [2]float64{1, 1}, "stages of m"
	case "svrg-pdfp":
		t.Order, t.Counts = [2]float64{1, infinite}, "stages"
	}
	return t
}

// applies reports whether the method is meant for the strength of convexity.
func applies(name solver.Method, mu float64) bool {
	return mu > 0 || name != "scas-strong" && name != "os1"
}
