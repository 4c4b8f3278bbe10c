package solver

// A Method is an algorithm for Minimize, a value without state. A method written in another package
// runs like the methods of this package, with the same budget, the same recorder, and the same
// checks of the objective. A method
//
//   - says in Info which settings it takes; Minimize refuses the others;
//   - counts its passes with Run.Spend, and calls Run.Affords before an iteration that the
//     budget may not allow;
//   - calls Run.Err about every thousand samples;
//   - calls Run.Average, or writes Run.Mean, in every iteration;
//   - takes its step size from Run.StepSize; if it calls Run.WatchedSnapshot, which asks for a
//     smaller step size if the objective diverges or keeps rising, it divides an automatic step
//     size by 2^Stats.StepHalvings.
type Method interface {
	// Info describes the method.
	Info() MethodInfo
	// Begin prepares a run at r.Iterate, and returns its iteration.
	Begin(r *Run) (Iteration, error)
}

// An Iteration makes one outer iteration of a method. It updates Run.Iterate and Run.Mean. more is false
// if the budget did not allow the iteration.
type Iteration func() (more bool, err error)

// A Checker is a Method that checks the problem and the settings before any work is done. In s,
// zero fields have been replaced by their defaults, except fields whose default depends on the
// data. An error should be a *SettingError.
type Checker interface {
	Check(p *Problem, s *Settings) error
}

// MethodInfo describes a method, and says which settings and problems it takes.
type MethodInfo struct {
	Name    string `json:"name"`
	Summary string `json:"summary"` // description in one line
	Rate    string `json:"rate"`    // the proven rate of convergence
	// How many numbers the method holds; Problem.Memory estimates a whole run.
	Memory    string `json:"memory"`
	Reference string `json:"reference"` // the paper that describes the method
	Eta       string `json:"eta"`       // meaning and default of Settings.Eta

	TakesEta        bool `json:"takes_eta"`         // the method has a step size
	TakesBatchSize  bool `json:"takes_batch_size"`  // Settings.BatchSize may be above 1
	TakesInnerSteps bool `json:"takes_inner_steps"` // Settings.InnerSteps may be set
	NeedsL2         bool `json:"needs_mu"`          // only problems with L2 > 0 are accepted
	// AnyProblem is false if the method needs an L1 penalty, y = A x, equal sample weights and X = R^p.
	AnyProblem bool `json:"any_problem"`

	// StepUnit is the first step size that a search for Eta should try, in units of 1/NuF of
	// theory.Constants; zero means 1.
	StepUnit float64 `json:"-"`
	// SCASInnerLoop is true if the method runs the inner loop of SCAS-ADMM. The default of
	// Settings.InnerSteps is then the number of samples. Every outer iteration must begin with a call of
	// Run.WatchedSnapshot.
	SCASInnerLoop bool `json:"-"`
	// ManyUpdates is true if Settings.DualUpdates may be above 1. Only such methods accept several
	// processes and a Checkpoint.
	ManyUpdates bool `json:"-"`
	// Theorem is the number of the paper's theorem that covers the method, 1 or 2, or 0 if none does. The
	// Theorem schedule uses the constants of this theorem.
	Theorem int `json:"-"`
	// AllSamples is true if every step uses all samples.
	AllSamples bool `json:"-"`
	// StoredIterates is true if the method stores an iterate for each sample: n·p numbers.
	StoredIterates bool `json:"-"`
	// PaperPass is true if the paper counts each outer iteration of the method as one pass.
	PaperPass bool `json:"-"`
}

func nameOf(m Method) string { return m.Info().Name }
