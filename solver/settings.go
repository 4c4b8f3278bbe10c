package solver

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Settings are the settings of a run of Minimize. The zero value of every field means the default.
type Settings struct {
	// Method is the algorithm; nil means Auto{}. Package baseline has more methods. JSON leaves the
	// field out, because Stats has the name of the method.
	Method Method `json:"-"`
	// DualUpdates is K, the number of updates of y and beta for each full gradient. It applies to
	// SCASK and SCASL, and to Auto when Auto runs SCASK. Zero means a number from 1 to 40 that follows
	// from the costs of a step and an update. Other methods refuse numbers above 1.
	DualUpdates int `json:"dual_updates"`
	// Passes is the budget in effective passes: the number of computed sample gradients, divided by n.
	// An outer iteration of SCAS-ADMM with the practical schedule costs 1 + InnerSteps/n, by default 2,
	// and begins only if the budget allows it. A Newton step costs 3 passes, plus the cost of its
	// Hessian if this is known beforehand. Zero means 100, and no limit for Newton steps.
	Passes float64 `json:"passes"`
	// RelTol ends a run once the gap is proved to be at most RelTol times the mean loss at x = 0. With
	// Poisson, the mean loss of the best model that has only an intercept replaces the loss at x = 0. If
	// this number is 0, the mean loss at the point of Domain nearest to 0 replaces it. If that is 0, too,
	// RelTol ends a run only if this point is a solution.
	// Zero means 1e-6 for Auto, while other methods use up their budget. With a negative number, all
	// methods use up their budget. If no gap can be proved for a problem (see Result.DualityGap),
	// RelTol does not end its runs.
	RelTol float64 `json:"rel_tol,omitempty"`
	// TimeLimit ends a run soon after this time. The run checks the time now and then, and makes a
	// last proof after the limit. Zero means no limit.
	TimeLimit time.Duration `json:"time_limit,omitempty"`
	// OuterIterations limits the number of outer iterations, in addition to Passes; zero means no
	// limit.
	OuterIterations int `json:"outer_iterations,omitempty"`
	// Eta is the step size η. Zero means that η follows from the data, and may be halved if the objective
	// keeps rising. For methods of package baseline, MethodInfo.Eta says what Eta means. Methods
	// without a step size refuse values other than zero.
	Eta float64 `json:"eta"`
	// Rho is the penalty parameter ρ of the augmented Lagrangian, at most 1e100. Zero derives it
	// from lambda, mu and the scale of the data. If Eta is zero too and the scales of columns differ
	// much, SCASK and SCASL may give each row of A its own ρ.
	Rho float64 `json:"rho"`
	// InnerSteps is M, the number of samples that an inner loop draws; zero means n, or the method's
	// own schedule. Methods without inner loops refuse values other than zero.
	InnerSteps int `json:"inner_steps"`
	// BatchSize is the number b of samples whose mean gradient makes one inner step; an inner loop
	// has then InnerSteps/b steps. Zero means 1, or more if A couples so many features that a product
	// with A'A costs much more than the gradient of one sample. Methods that cannot use several samples
	// refuse values above 1.
	BatchSize int `json:"batch_size"`
	// Schedule chooses the step sizes and the lengths of inner loops; empty means
	// Practical. With Theorem, Eta and InnerSteps must be zero.
	Schedule Schedule `json:"schedule"`
	// Delta is the exponent δ ≥ 1 of the Theorem schedule; zero means 1.1.
	Delta float64 `json:"delta"`
	// Memory, unless zero, selects a run out of core, for mapped data (sparse.CSR.Mapped) and the methods
	// SCASK and SCASL. It is the approximate number of bytes that the run may use. Equal values of Memory
	// give equal bits of the result. Each inner loop draws from one batch of rows of the file.
	//
	// Out of core, Minimize returns an error if there are several processes, a Checkpoint or a Coupling, or
	// if the loss, the penalty or the domain is the caller's own. Besides Method and Memory, Minimize then
	// uses only the settings Passes, RelTol, TimeLimit, Threads, Start.X, Recorder, RecordEvery,
	// Report, DualUpdates, Eta, Rho and Seed. It calls Report several times in each pass. XAverage and
	// YAverage of the result are equal to X and Y. Minimize tries to prove a gap only if there are at most
	// 2,048 features, of which at most 256 have neither a penalty of their own nor a ridge.
	Memory int64 `json:"-"`
	// Seed selects the sequence of random samples. Equal seeds give equal bits on every machine;
	// zero is a seed like any other.
	Seed uint64 `json:"seed"`
	// Float32 makes stochastic steps and their full gradients read a copy of the data with values rounded
	// to float32 (relative error at most 6e-8). They then read half as many bytes of values. Newton steps,
	// proofs and the objectives of results read the values themselves. Without Float32, a copy in float32
	// is made only if it is exact.
	Float32 bool `json:"float32"`
	// NoRotation keeps SCAS-ADMM from making a copy of the data in coordinates in which A'A is
	// diagonal. This saves memory. If A couples features, a step may then cost a product with A'A (see
	// BatchSize).
	NoRotation bool `json:"no_rotation,omitempty"`
	// NoProof leaves out the proof of a run without Newton steps: DualityGap is +Inf, and ties and
	// zeros are not made exact.
	NoProof bool `json:"unproved,omitempty"`
	// Threads is the number of goroutines for work on all rows; zero means GOMAXPROCS. Results do not
	// depend on Threads.
	Threads int `json:"threads"`
	// Start is the initial iterate, for example the Iterate of a Result. A nil X or Dual means
	// zeros. The run begins at x, the projection of X onto the domain. A nil Y means the y that satisfies
	// the constraint with x, or zeros if the field B of Coupling is set. Minimize does not change Start.
	Start Iterate `json:"-"`
	// Checkpoint, if not nil, stores the state of Auto, SCASK or SCASL after outer iterations, on the
	// first process. If the Checkpoint already has a state, the run continues from this state. With the
	// same number of processes, the result has the bits of a run that was not interrupted. A resumed run
	// repeats its Newton steps. The state must be of a run with the same problem and settings. If the
	// method, the sizes of X, Y or Dual, or the objective at the best stored iterate differ, or if a stored X
	// is not in the Domain, Minimize returns an error. It may miss other differences, but DualityGap is valid
	// in any case. Newton steps keep no checkpoint. So a Checkpoint is an error if the loss allows only
	// Newton steps.
	Checkpoint dist.Checkpoint `json:"-"`
	// Recorder, if not nil, gets the start and then every RecordEvery-th outer iterate. If one process has
	// a Recorder, all need one. An error of one Recorder ends the run in all processes.
	Recorder Recorder `json:"-"`
	// Report, if not nil, is called after each outer iteration and in each Newton step. It costs almost
	// nothing, because it gets only numbers that the run has computed anyway; a Recorder also gets numbers
	// that are computed for it. Each process calls its own Report.
	Report func(Report) `json:"-"`
	// RecordEvery is the number of outer iterations between two records; zero means 1.
	RecordEvery int `json:"record_every"`
}

// A SettingError reports a field of Settings whose value cannot be used, or cannot be used for the problem.
type SettingError struct {
	Field   string // name of the field
	Value   any    // its value
	Allowed string // the allowed values, or why the value is not allowed
	// Remedies says what to do. Any one of them is enough. A remedy with an empty Field is about the
	// field of the error.
	Remedies []sparse.Remedy
	// Err is an error that this error wraps; nil if there is none.
	Err error
}

// Unwrap returns Err.
func (e *SettingError) Unwrap() error { return e.Err }

// Error names the field, its value, what is allowed and what to do.
func (e *SettingError) Error() string { return e.remedyError().Error() }

// Reword returns the text of Error for the users of a program; see sparse.RemedyError.Reword.
func (e *SettingError) Reword(words func(sparse.Remedy) string) string {
	return e.remedyError().Reword(words)
}

func (e *SettingError) remedyError() *sparse.RemedyError {
	wrong := errorf("Settings.%s = %v; %s", e.Field, e.Value, e.Allowed)
	return &sparse.RemedyError{Err: wrong, Remedies: e.Remedies}
}

var (
	leaveZero  = sparse.Remedy{To: "leave it 0"}
	useDefault = sparse.Remedy{To: "leave it 0 for the default"}
	derive     = sparse.Remedy{To: "leave it 0 to derive it from the data"}
	unlimited  = sparse.Remedy{To: "leave it 0 for no limit"}
)

func useMethod(names string) sparse.Remedy {
	return sparse.Remedy{Field: "Settings.Method", To: names}
}

var raiseL2 = sparse.Remedy{Field: "Problem.L2", To: "a number above 0"}

// filled returns a copy of s in which zero fields have their defaults, except fields whose default depends on
// the problem.
func (s *Settings) filled() Settings {
	c := *s
	if c.Method == nil {
		c.Method = Auto{}
	}
	if c.Passes == 0 {
		c.Passes = 100
	}
	if _, auto := c.Method.(Auto); auto && c.RelTol == 0 {
		c.RelTol = 1e-6
	}
	if c.Schedule == "" {
		c.Schedule = Practical
	}
	if c.Delta == 0 {
		c.Delta = 1.1
	}
	if c.RecordEvery == 0 {
		c.RecordEvery = 1
	}
	return c
}

// Validate returns an error for the first field whose value is wrong for every problem, or nil. It does not
// check Start.
func (s *Settings) Validate() error {
	c := s.filled()
	return c.checkValues()
}

// withDefaults returns a copy of s in which zero fields have their defaults. Fields whose default depends on
// the data stay zero, except InnerSteps of SCAS-ADMM. It returns an error for the first field that is wrong
// for p, but does not check Start.
func (s *Settings) withDefaults(p *Problem) (Settings, error) {
	c := s.filled()
	info := c.Method.Info()
	if err := c.checkValues(); err != nil {
		return c, err
	}
	if err := c.checkMethod(info, p); err != nil {
		return c, err
	}
	if info.SCASInnerLoop {
		if c.InnerSteps == 0 || c.Memory > 0 {
			// out of core, an outer iteration draws as many samples as there are rows
			c.InnerSteps = p.team().MeanCount(len(p.Labels))
		}
		return c, c.checkInnerLoop(info, p)
	}
	if checker, ok := c.Method.(Checker); ok {
		return c, checker.Check(p, &c)
	}
	return c, nil
}

// checkValues checks each setting by itself, without the problem.
func (s *Settings) checkValues() error {
	nonnegativeFinite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	return cmp.Or(
		require(s.DualUpdates >= 0, "DualUpdates", s.DualUpdates, "it must be at least 1", useDefault),
		require(nonnegativeFinite(s.Passes), "Passes", s.Passes, "it must be positive and finite",
			useDefault),
		require(!math.IsNaN(s.RelTol) && s.RelTol < 1, "RelTol", s.RelTol, "it must be below 1", useDefault),
		require(s.Memory >= 0, "Memory", s.Memory, "it must be positive",
			sparse.Remedy{To: "leave it 0 for data that fit in memory"}),
		require(s.TimeLimit >= 0, "TimeLimit", s.TimeLimit, "it must be positive", unlimited),
		require(s.OuterIterations >= 0, "OuterIterations", s.OuterIterations, "it must be positive",
			unlimited),
		require(nonnegativeFinite(s.Eta), "Eta", s.Eta, "it must be positive and finite", derive),
		require(nonnegativeFinite(s.Rho) && s.Rho <= linalg.MaxEntry, "Rho", s.Rho,
			"it must be positive, finite and at most 1e100", derive),
		require(s.InnerSteps == 0 || s.InnerSteps >= 2, "InnerSteps", s.InnerSteps, "it must be at least 2",
			useDefault),
		require(s.BatchSize >= 0, "BatchSize", s.BatchSize, "it must be at least 1", useDefault),
		require(s.Schedule == Practical || s.Schedule == Theorem, "Schedule", s.Schedule,
			"it must be practical or theorem"),
		require(s.Delta >= 1 && nonnegativeFinite(s.Delta), "Delta", s.Delta, "Theorem 1 needs at least 1",
			useDefault),
		require(!s.NoProof || s.RelTol <= 0, "NoProof", s.NoProof,
			"a run that ends at a proved gap needs the proof",
			sparse.Remedy{Field: "Settings.RelTol", To: "a number below 0"},
			sparse.Remedy{Field: "Settings.NoProof", To: "false"}),
		require(s.Threads >= 0, "Threads", s.Threads, "it must be positive",
			sparse.Remedy{To: "leave it 0 for GOMAXPROCS"}),
		require(s.RecordEvery >= 0, "RecordEvery", s.RecordEvery, "it must be positive", useDefault),
	)
}

// require returns nil if holds is true, and otherwise a SettingError with the other arguments.
func require(holds bool, field string, value any, allowed string, remedies ...sparse.Remedy) error {
	if holds {
		return nil
	}
	return &SettingError{Field: field, Value: value, Allowed: allowed, Remedies: remedies}
}

// check returns an error if a slice has the wrong length for p, or a number that is not finite.
func (iterate Iterate) check(p *Problem) error {
	l, features := p.algebra().Dims()
	q := p.Coupling.columnCount(l)
	for _, entry := range []struct {
		name string
		v    []float64
		want int
		unit string
	}{
		{"X", iterate.X, features, "features"}, {"Y", iterate.Y, q, "coordinates of y"},
		{"Dual", iterate.Dual, l, "rows of A"},
	} {
		if entry.v != nil && len(entry.v) != entry.want {
			return &SettingError{
				Field: "Start." + entry.name, Value: fmt.Sprintf("a slice of length %d", len(entry.v)),
				Allowed: fmt.Sprintf("the problem has %d %s", entry.want, entry.unit),
			}
		}
		for j, v := range entry.v {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				field := fmt.Sprintf("Start.%s[%d]", entry.name, j)
				return &SettingError{Field: field, Value: v, Allowed: "a start must be finite"}
			}
		}
	}
	return nil
}

// checkMethod returns an error if the method does not accept the problem or a setting.
func (s *Settings) checkMethod(info MethodInfo, p *Problem) error {
	if !info.AnyProblem {
		need, remedy := p.lacks()
		err := require(need == "", "Method", info.Name, "it is for "+need, remedy, useMethod(nameOf(SCASK{})))
		if err != nil {
			return err
		}
	}
	if p.unboundedCurvature() {
		if err := s.checkNewtonAlone(info, p); err != nil {
			return err
		}
	}
	theoremSchedule := s.Schedule == Theorem
	return cmp.Or(
		require(info.ManyUpdates || p.team().Alone() && s.Checkpoint == nil, "Method", info.Name,
			"it takes all rows in one process and keeps no checkpoint",
			useMethod(fmt.Sprintf("%s, %s or %s", nameOf(Auto{}), nameOf(SCASK{}), nameOf(SCASL{})))),
		require(!info.NeedsL2 || p.L2 > 0, "Method", info.Name, "its step sizes need strong convexity",
			raiseL2),
		require(info.ManyUpdates || s.DualUpdates <= 1, "DualUpdates", s.DualUpdates,
			fmt.Sprintf("method %s takes no such number", info.Name), leaveZero, useMethod(nameOf(SCASK{}))),
		require(info.TakesEta || s.Eta == 0, "Eta", s.Eta,
			fmt.Sprintf("method %s has no step size", info.Name), leaveZero),
		require(info.TakesInnerSteps || s.InnerSteps == 0, "InnerSteps", s.InnerSteps,
			fmt.Sprintf("method %s has none", info.Name), leaveZero),
		require(!info.AllSamples || s.BatchSize <= 1, "BatchSize", s.BatchSize,
			fmt.Sprintf("every step of method %s takes all samples", info.Name), leaveZero),
		require(info.TakesBatchSize || s.BatchSize <= 1, "BatchSize", s.BatchSize,
			fmt.Sprintf("method %s takes one sample at a time", info.Name), leaveZero),
		require(!theoremSchedule || info.Theorem > 0, "Schedule", s.Schedule,
			"no theorem covers method "+info.Name, useMethod(nameOf(SCAS{})+" or "+nameOf(SCASStrong{}))),
		require(!theoremSchedule || s.Eta == 0, "Eta", s.Eta, "the theorem schedule sets the step sizes",
			leaveZero),
		require(!theoremSchedule || s.InnerSteps == 0, "InnerSteps", s.InnerSteps,
			"the theorem schedule sets the inner steps", leaveZero),
	)
}

// checkNewtonAlone checks the settings for a loss whose curvature has no bound.
func (s *Settings) checkNewtonAlone(info MethodInfo, p *Problem) error {
	reason := fmt.Sprintf("the curvature of the %s loss has no bound, from which steps on samples follow",
		p.loss())
	leaveAtZero := sparse.Remedy{To: "leave it 0 for the Newton steps of auto"}
	return cmp.Or(
		require(info.Name == nameOf(Auto{}), "Method", info.Name, reason, useMethod(nameOf(Auto{}))),
		require(s.Eta == 0, "Eta", s.Eta, reason, leaveAtZero),
		require(s.Rho == 0, "Rho", s.Rho, reason, leaveAtZero),
		require(s.InnerSteps == 0, "InnerSteps", s.InnerSteps, reason, leaveAtZero),
		require(s.BatchSize <= 1, "BatchSize", s.BatchSize, reason, leaveAtZero),
		require(s.DualUpdates == 0, "DualUpdates", s.DualUpdates, reason, leaveAtZero),
		require(s.Checkpoint == nil, "Checkpoint", "set", reason+"; Newton steps keep no checkpoint",
			sparse.Remedy{Field: "Settings.Checkpoint", To: "nil"}),
	)
}

// lacks checks p for methods that need an L1 penalty, y = A x, equal sample weights and X = R^p. need is the
// first of these that p lacks, and remedy says what to do. need is "" if p lacks nothing.
func (p *Problem) lacks() (need string, remedy sparse.Remedy) {
	l, _ := p.algebra().Dims()
	q := p.Coupling.columnCount(l)
	switch {
	case term.Limits(p.penalty(), q) == nil:
		return "a penalty L1", sparse.Remedy{Field: "Problem.Penalty", To: "an L1"}
	case p.Coupling != nil:
		return "the constraint A x = y", sparse.Remedy{Field: "Problem.Coupling", To: "nil"}
	case p.Domain != nil:
		return "X = R^p", sparse.Remedy{Field: "Problem.Domain", To: "nil"}
	case p.SampleWeights != nil:
		return "equal sample weights", sparse.Remedy{Field: "Problem.SampleWeights", To: "nil"}
	}
	return "", sparse.Remedy{}
}
