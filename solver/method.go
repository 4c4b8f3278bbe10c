package solver

// A Method is an algorithm for Minimize, a value without state. Methods written in
// other packages run like those of this one: under the same watch over the objective,
// the same budget and the same recorder. A method
//
//   - says in Info which settings it takes; others are refused;
//   - counts what it does with Run.Spend, and asks Run.Affords before it begins an
//     iteration that the budget may not allow;
//   - asks Run.Err within iterations that take long;
//   - calls Run.Average, or writes Run.Mean, in every iteration;
//   - with a step size that is automatic and WatchedSnapshot, divides it by two to the
//     Stats.StepHalvings.
type Method interface {
	// Info describes the method.
	Info() MethodInfo
	// Begin prepares a run at r.Iterate.
	Begin(r *Run) (Iteration, error)
}

// An Iteration is a method at work.
type Iteration interface {
	// Next does one outer iteration, leaving the iterate in Run.Iterate and the
	// mean that the method's theory speaks of in Run.Mean, and reports whether the
	// budget allowed it.
	Next() (more bool, err error)
}

// A Checker is a Method that looks at the problem and the settings before any
// work is done; the zero fields of s are filled in as far as the data are not
// needed. Errors should be *SettingError.
type Checker interface {
	Check(p *Problem, s *Settings) error
}

// A StepProposer is an Iteration that knows a step size that works: what a
// DivergenceError proposes to try.
type StepProposer interface {
	// NaturalEta returns the automatic step size at the present iterate, 0 if the
	// method has none.
	NaturalEta() float64
}

// MethodInfo describes a method to people, and what it can do to programs.
type MethodInfo struct {
	Name      string `json:"name"`
	Summary   string `json:"summary"` // one line
	Rate      string `json:"rate"`    // what is proven
	Memory    string `json:"memory"`  // the method's own numbers; Problem.Memory counts a run's
	Reference string `json:"reference"`
	Eta       string `json:"eta"` // what Settings.Eta is, and its default

	TakesEta        bool `json:"takes_eta"`         // it has a step size
	TakesBatchSize  bool `json:"takes_batch_size"`  // Settings.BatchSize above 1
	TakesInnerSteps bool `json:"takes_inner_steps"` // Settings.InnerSteps: it has stages
	NeedsL2         bool `json:"needs_mu"`          // for strongly convex problems alone
	// AnyProblem methods take every problem that is valid; the others L1 penalties,
	// y = A x, equal sample weights and X = R^p.
	AnyProblem bool `json:"any_problem"`

	// StepUnit is the centre of searches for Eta, in units of 1/ν_f; zero means 1.
	StepUnit float64 `json:"-"`
	// Planned methods run the inner loop of SCAS-ADMM: InnerSteps is n by default.
	Planned bool `json:"-"`
	// ManyUpdates methods take Settings.DualUpdates above 1.
	ManyUpdates bool `json:"-"`
	// Theorem is the theorem of the paper whose constants the Theorem schedule
	// takes, 1 or 2; 0 if none covers the method.
	Theorem int `json:"-"`
	// AllSamples methods take all samples in every step.
	AllSamples bool `json:"-"`
	// StoredIterates methods keep an iterate per sample, n·p numbers.
	StoredIterates bool `json:"-"`
	// PaperPass methods are counted by the paper with one pass per outer iteration,
	// whatever it takes.
	PaperPass bool `json:"-"`
	// Watched methods begin every outer iteration with Run.WatchedSnapshot, so that
	// nobody else need judge their iterates.
	Watched bool `json:"-"`
}

// nameOf returns the name of a method.
func nameOf(m Method) string { return m.Info().Name }
