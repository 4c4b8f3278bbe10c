package solver

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// Settings tune a run of Minimize. The zero value of every field, and a nil
// *Settings, mean the default.
type Settings struct {
	// Method is the algorithm; nil means Auto{}. Package baseline has more. In JSON
	// its place is taken by the name in Stats.
	Method Method `json:"-"`
	// Name is that of the run in records and Stats; empty means that of the method.
	Name string `json:"name,omitempty"`
	// DualUpdates is K, the number of dual updates per snapshot of SCASK and SCASL,
	// also as parts of Auto; zero chooses up to 40 such that they stay cheap beside
	// the inner steps. The other methods have K = 1 and refuse more.
	DualUpdates int `json:"dual_updates"`
	// Passes is the budget in effective passes: sample gradients visited, divided by n. An
	// outer iteration of the practical schedule costs 1 + InnerSteps/n, by default 2; none
	// begins that would exceed it. Default 100, which does not count the finisher of Auto; an
	// explicit budget does: 3 a Newton step with what its Hessian takes, less is left over.
	Passes float64 `json:"passes"`
	// RelTol is the accuracy at which a run ends: a proved gap of at most RelTol times
	// the objective at x = 0, with Poisson at the best margin that is the same for all
	// samples, wherever the run started. Zero means 1e-6 for Auto, and
	// for other methods, as below zero for all, that they go on to the end of the
	// budget. A problem of which no gap can be proved (Result.DualityGap) does so, too,
	// for any RelTol: with status PassesDone or TimeDone and a nil error.
	RelTol float64 `json:"rel_tol,omitempty"`
	// TimeLimit ends a run between bounded amounts of work, before the proof; zero means no limit.
	TimeLimit time.Duration `json:"time_limit,omitempty"`
	// OuterIterations bounds the outer iterations, beside Passes; zero means no bound.
	OuterIterations int `json:"outer_iterations,omitempty"`
	// Eta is the step size η; zero derives it from the data and halves it,
	// starting again from the best iterate, if the objective stops falling. What it
	// is to the other methods, MethodInfo.Eta says; those without a step size refuse
	// other values.
	Eta float64 `json:"eta"`
	// Rho is the penalty parameter ρ of the augmented Lagrangian; zero derives it from
	// lambda, mu and the scale of the data, of each column where those differ much. At
	// most 1e100, as are the entries of A.
	Rho float64 `json:"rho"`
	// InnerSteps is M, the inner steps per outer iteration; zero means n, or the
	// schedule of the method. Methods without stages refuse other values.
	InnerSteps int `json:"inner_steps"`
	// BatchSize is the number of samples b whose mean gradient makes one inner step; M make
	// M/b steps. Zero means 1, or more where A couples so many features that a step's product
	// with A'A would outweigh its sample. Methods without batches refuse values above 1.
	BatchSize int `json:"batch_size"`
	// Schedule chooses η_t and M_t; default Practical. With Theorem, Eta and
	// InnerSteps must be zero.
	Schedule Schedule `json:"schedule"`
	// Delta is the exponent δ ≥ 1 of the Theorem schedule; default 1.1.
	Delta float64 `json:"delta"`
	// Seed selects the sequence of samples. Equal seeds give equal bits on
	// every machine; zero is a seed like any other.
	Seed uint64 `json:"seed"`
	// Float32 rounds the values of the data to float32 (relative error at most
	// 6e-8), which halves the memory they stream from. Without it they are kept
	// in fewer bytes only where that is exact.
	Float32 bool `json:"float32"`
	// NoRotation keeps SCAS-ADMM from making a copy of the data in coordinates in which
	// A'A is diagonal. It then holds 4p + 2l + n numbers beside the data, as in the
	// paper, and where A couples features every step costs a product with A'A (see
	// BatchSize). Other methods make no such copy.
	NoRotation bool `json:"no_rotation,omitempty"`
	// Unproved saves the proof at the end: DualityGap is +Inf, ties and zeros stay inexact.
	Unproved bool `json:"unproved,omitempty"`
	// Threads bounds the goroutines of a full gradient; zero means GOMAXPROCS.
	// The result does not depend on it.
	Threads int `json:"threads"`
	// Start is the initial iterate, such as that of a Result. Slices that are nil
	// mean the origin, the y that x implies, and zero. It is not modified.
	Start Iterate `json:"-"`
	// Checkpoint, if not nil, is handed the state after every outer iteration of Auto,
	// SCASK or SCASL, on the first process, and where it has one the run goes on there. As
	// many processes get the bits of a run that was not interrupted. The finisher is
	// repeated from its beginning.
	Checkpoint dist.Checkpoint `json:"-"`
	// Recorder, if not nil, is shown every RecordEvery-th outer iterate.
	// Evaluation is outside the clock that fills Point.Seconds.
	Recorder Recorder `json:"-"`
	// Logger, if not nil, is told of the beginning and the end of a run at level Info, of
	// outer iterations and halved steps at level Debug.
	Logger *slog.Logger `json:"-"`
	// RecordEvery thins the records; zero means 1.
	RecordEvery int `json:"record_every"`
}

// A SettingError reports a field of Settings that cannot be used.
type SettingError struct {
	Field   string // name of the field
	Value   any    // what it held
	Allowed string // what it may hold
}

// Error names the field, its value and what is allowed.
func (e *SettingError) Error() string {
	return fmt.Sprintf("solver: Settings.%s = %v; %s", e.Field, e.Value, e.Allowed)
}

// withDefaults returns a copy of s with every zero field replaced that does not
// depend on the data, or an error naming the first field that is wrong for p. The start
// has been checked.
func (s *Settings) withDefaults(p *Problem) (Settings, error) {
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
	info := c.Method.Info()
	if err := c.checkValues(); err != nil {
		return c, err
	}
	if err := c.checkMethod(info, p); err != nil {
		return c, err
	}
	if info.Planned {
		if c.InnerSteps == 0 {
			c.InnerSteps = p.team().Each(len(p.Labels))
		}
		return c, c.checkPlanned(info, p)
	}
	if checker, ok := c.Method.(Checker); ok {
		return c, checker.Check(p, &c)
	}
	return c, nil
}

// checkValues checks each setting on its own.
func (s *Settings) checkValues() error {
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	return firstBroken([]demand{
		{s.DualUpdates >= 0, "DualUpdates", s.DualUpdates, "it must be at least 1, or 0 for the default"},
		{finite(s.Passes), "Passes", s.Passes, "it must be positive and finite, or 0 for the default"},
		{!math.IsNaN(s.RelTol) && s.RelTol < 1, "RelTol", s.RelTol, "it must be below 1, or 0 for the default"},
		{s.TimeLimit >= 0, "TimeLimit", s.TimeLimit, "it must be positive, or 0 for no limit"},
		{s.OuterIterations >= 0, "OuterIterations", s.OuterIterations, "it must be positive, or 0 for no bound"},
		{finite(s.Eta), "Eta", s.Eta, "it must be positive and finite, or 0 to derive it from the data"},
		{finite(s.Rho) && s.Rho <= linalg.Largest, "Rho", s.Rho, "it must be positive, finite and at most 1e100, or 0 to derive it from the data"},
		{s.InnerSteps == 0 || s.InnerSteps >= 2, "InnerSteps", s.InnerSteps, "it must be at least 2, or 0 for the default"},
		{s.BatchSize >= 0, "BatchSize", s.BatchSize, "it must be at least 1, or 0 for the default"},
		{s.Schedule == Practical || s.Schedule == Theorem, "Schedule", s.Schedule, "choose practical or theorem"},
		{s.Delta >= 1 && finite(s.Delta), "Delta", s.Delta, "Theorem 1 needs at least 1, or 0 for the default 1.1"},
		{!s.Unproved || s.RelTol <= 0, "Unproved", s.Unproved, "a run that ends at a proved gap needs the proof; set RelTol below 0, or leave it false"},
		{s.Threads >= 0, "Threads", s.Threads, "it must be positive, or 0 for GOMAXPROCS"},
		{s.RecordEvery >= 0, "RecordEvery", s.RecordEvery, "it must be positive, or 0 for 1"},
	})
}

// A demand is a condition that a setting has to meet.
type demand struct {
	holds   bool
	field   string
	value   any
	allowed string
}

// firstBroken returns the error of the first demand that does not hold.
func firstBroken(demands []demand) error {
	for _, r := range demands {
		if !r.holds {
			return &SettingError{r.field, r.value, r.allowed}
		}
	}
	return nil
}

// check holds a start against the sizes of the problem.
func (it Iterate) check(p *Problem) error {
	l, features := p.algebra().Dims()
	_, q := p.Coupling.dims(l)
	for _, part := range []struct {
		name string
		v    []float64
		want int
		of   string
	}{{"X", it.X, features, "features"}, {"Y", it.Y, q, "coordinates of y"}, {"Dual", it.Dual, l, "rows of A"}} {
		if part.v != nil && len(part.v) != part.want {
			return &SettingError{"Start." + part.name, fmt.Sprintf("a slice of length %d", len(part.v)), fmt.Sprintf("the problem has %d %s", part.want, part.of)}
		}
		for j, v := range part.v {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &SettingError{fmt.Sprintf("Start.%s[%d]", part.name, j), v, "a start must be finite"}
			}
		}
	}
	return nil
}

// checkMethod checks what the method asks of the problem and the settings.
func (s *Settings) checkMethod(info MethodInfo, p *Problem) error {
	if !info.AnyProblem {
		if reason := p.lacks(); reason != "" {
			return &SettingError{"Method", info.Name, fmt.Sprintf("it is for %s; use %s", reason, nameOf(SCASK{}))}
		}
	}
	if p.unbounded() {
		if err := s.checkNewtonAlone(info, p); err != nil {
			return err
		}
	}
	theorem := s.Schedule == Theorem
	return firstBroken([]demand{
		{info.ManyUpdates || p.team().Alone() && s.Checkpoint == nil, "Method", info.Name, fmt.Sprintf("it takes all rows in one process; with Problem.Comm, or a Checkpoint, use %s, %s or %s", nameOf(Auto{}), nameOf(SCASK{}), nameOf(SCASL{}))},
		{!info.NeedsL2 || p.L2 > 0, "Method", info.Name, "its step sizes need strong convexity; set Problem.L2 > 0"},
		{info.ManyUpdates || s.DualUpdates <= 1, "DualUpdates", s.DualUpdates, fmt.Sprintf("method %s takes no such number; use %s for more", info.Name, nameOf(SCASK{}))},
		{info.TakesEta || s.Eta == 0, "Eta", s.Eta, fmt.Sprintf("method %s has no step size; leave it 0", info.Name)},
		{info.TakesInnerSteps || s.InnerSteps == 0, "InnerSteps", s.InnerSteps, fmt.Sprintf("method %s has none; leave it 0", info.Name)},
		{!info.AllSamples || s.BatchSize <= 1, "BatchSize", s.BatchSize, fmt.Sprintf("every step of method %s takes all samples; leave it 0", info.Name)},
		{info.TakesBatchSize || s.BatchSize <= 1, "BatchSize", s.BatchSize, fmt.Sprintf("method %s takes one sample at a time; leave it 0", info.Name)},
		{!theorem || info.Theorem > 0, "Schedule", s.Schedule, fmt.Sprintf("no theorem covers %s; use it with %s or %s", info.Name, nameOf(SCAS{}), nameOf(SCASStrong{}))},
		{!theorem || s.Eta == 0, "Eta", s.Eta, "the theorem schedule sets the step sizes; leave it 0"},
		{!theorem || s.InnerSteps == 0, "InnerSteps", s.InnerSteps, "the theorem schedule sets the inner steps; leave it 0"},
	})
}

// checkNewtonAlone refuses all but the Newton steps of Auto: the curvature of the loss has no
// bound.
func (s *Settings) checkNewtonAlone(info MethodInfo, p *Problem) error {
	why := fmt.Sprintf("the curvature of the %s loss has no bound, from which steps on samples follow; ", p.loss())
	leave := why + "leave it 0 for the Newton steps of " + nameOf(Auto{})
	return firstBroken([]demand{
		{info.Name == nameOf(Auto{}), "Method", info.Name, why + "use " + nameOf(Auto{})},
		{s.Eta == 0, "Eta", s.Eta, leave},
		{s.Rho == 0, "Rho", s.Rho, leave},
		{s.InnerSteps == 0, "InnerSteps", s.InnerSteps, leave},
		{s.BatchSize <= 1, "BatchSize", s.BatchSize, leave},
		{s.DualUpdates == 0, "DualUpdates", s.DualUpdates, leave},
	})
}

// lacks names what methods for the paper's main instance ask for and p does not
// have: an L1 penalty, y = A x, equal weights and X = R^p.
func (p *Problem) lacks() string {
	l, _ := p.algebra().Dims()
	_, q := p.Coupling.dims(l)
	switch {
	case term.Limits(p.penalty(), q) == nil:
		return "a penalty L1"
	case p.Coupling != nil:
		return "the constraint A x = y, without a Coupling"
	case p.Domain != nil:
		return "X = R^p, without a Domain"
	case p.SampleWeights != nil:
		return "equal sample weights"
	}
	return ""
}
