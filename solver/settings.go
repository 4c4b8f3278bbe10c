package solver

import (
	"fmt"
	"math"
)

// A Method names an algorithm; Methods lists them.
type Method string

// The methods. The zero value stands for SCASK.
const (
	// SCASK updates y and beta DualUpdates times per snapshot: the inner loop
	// of Algorithm 1 in blocks, each followed by the dual step.
	SCASK Method = "scas-k"
	// SCAS is Algorithm 1 of the paper (general convex).
	SCAS Method = "scas"
	// SCASStrong is Algorithm 2 of the paper (strongly convex), which needs
	// X = R^p.
	SCASStrong Method = "scas-strong"
	// SCASL is Algorithm 1 with the penalty linearised at the start of each
	// block: (κ/2)|w − x|², κ = ρ λ₁, in place of (ρ/2)|A(w − x)|². Steps then
	// cost as many operations as a row has nonzeros whatever the graph.
	SCASL Method = "scas-l"

	// The methods SCAS-ADMM is compared with, for L1 penalties of A x on R^p.
	// What Eta and Rho mean to each is said by its entry in Methods.

	// SVRG is SVRG-ADMM with the penalty linearised.
	SVRG Method = "svrg"
	// STOC is STOC-ADMM.
	STOC Method = "stoc"
	// SA is SA-ADMM, with an iterate stored per sample.
	SA Method = "sa"
	// SAIU is SA-IU-ADMM: SA with the penalty linearised.
	SAIU Method = "sa-iu"
	// SAG is SA with the current iterate in place of the mean of the stored ones.
	SAG Method = "sag"
	// SAGIU is SAG with the penalty linearised.
	SAGIU Method = "sag-iu"
	// OPG is OPG-ADMM.
	OPG Method = "opg"
	// RDA is RDA-ADMM.
	RDA Method = "rda"
	// OADM is online ADMM.
	OADM Method = "oadm"
	// OS1 is the first variant of OS-ADMM; it needs L2 > 0.
	OS1 Method = "os1"
	// OS2 is the second variant of OS-ADMM.
	OS2 Method = "os2"
	// ASVRG is ASVRG-ADMM with the penalty linearised.
	ASVRG Method = "asvrg"
	// AccSADMM is Acc-SADMM.
	AccSADMM Method = "acc-sadmm"
	// PDFP is SVRG-PDFP.
	PDFP Method = "svrg-pdfp"
	// SDCA is SDCA-ADMM.
	SDCA Method = "sdca"
	// Batch is ADMM with an exact x-step.
	Batch Method = "batch"
	// BatchLinear is ADMM with a proximal gradient step for x.
	BatchLinear Method = "batch-linear"
	// BatchUzawa is ADMM with a gradient step for x.
	BatchUzawa Method = "batch-uzawa"
)

// A Schedule chooses step sizes and inner-loop lengths.
type Schedule string

// The schedules. The zero value stands for Practical.
const (
	// Practical uses one step size and InnerSteps steps throughout, as the
	// paper's experiments do.
	Practical Schedule = "practical"
	// Theorem uses the constants of the convergence proofs. SCAS: η_t =
	// 1/(C_t (t+1)^δ) and M_t = ⌈C_t (t+1)^2δ⌉ with C_t = ν_L² D² + G_t²
	// (Theorem 1; the domain must be bounded). SCASStrong: η = μ_f/(8ν_f² +
	// μ_f ν_L) and M = ⌈4/(η μ_f)⌉ (Theorem 2 with the restriction on rho
	// removed; L2 must be positive). These are far more cautious than Practical.
	Theorem Schedule = "theorem"
)

// Settings tune a run of Minimize. The zero value of every field, and a nil
// *Settings, mean the default.
type Settings struct {
	// Method is the algorithm; default SCASK.
	Method Method `json:"method"`
	// DualUpdates is K, the number of dual updates per snapshot of SCASK and
	// SCASL; zero chooses up to 40 such that they stay cheap beside the inner
	// steps. The other methods have K = 1 and refuse other values.
	DualUpdates int `json:"dual_updates"`
	// Passes is the budget in effective passes: sample gradients visited,
	// divided by n. An outer iteration of the practical schedule costs
	// 1 + InnerSteps/n, that is 2 by default. Default 100. Iterations that
	// would exceed the budget are not begun.
	Passes float64 `json:"passes"`
	// Eta is the step size η; zero derives it from the data and halves it,
	// starting again from the best iterate, if the objective stops falling. What it
	// is to the other methods, MethodInfo.Eta says; those without a step size refuse
	// other values.
	Eta float64 `json:"eta"`
	// Rho is the penalty parameter ρ of the augmented Lagrangian; zero derives
	// it from lambda and the scale of the data.
	Rho float64 `json:"rho"`
	// InnerSteps is M, the inner steps per outer iteration; zero means n, or the
	// schedule of the method. Methods without stages refuse other values.
	InnerSteps int `json:"inner_steps"`
	// BatchSize is the number of samples b whose mean gradient makes one inner
	// step; M samples then make M/b steps. Zero means 1, or more where A couples
	// so many features that a step's product with A'A would outweigh its sample.
	// Methods without batches refuse values above 1.
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
	// Threads bounds the goroutines of a full gradient; zero means GOMAXPROCS.
	// The result does not depend on it.
	Threads int `json:"threads"`
	// Start is the initial x, of length p; nil means the origin. It is not
	// modified.
	Start []float64 `json:"-"`
	// Recorder, if not nil, is shown every RecordEvery-th outer iterate.
	// Evaluation is outside the clock that fills Point.Seconds.
	Recorder Recorder `json:"-"`
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
// depend on the data, or an error naming the first field that is wrong for p.
func (s *Settings) withDefaults(p *Problem) (Settings, error) {
	var c Settings
	if s != nil {
		c = *s
	}
	if c.Method == "" {
		c.Method = SCASK
	}
	if c.Passes == 0 {
		c.Passes = 100
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
	n, cols := p.Data.Dims()
	if c.InnerSteps == 0 && usesPlan(c.Method) {
		c.InnerSteps = n
	}
	return c, c.validate(s, p, cols)
}

// validate checks c, the settings with defaults, and orig, as they were given.
func (c *Settings) validate(orig *Settings, p *Problem, cols int) error {
	bad := func(field string, value any, allowed string) error {
		return &SettingError{field, value, allowed}
	}
	positive := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	info, known := lookupMethod(c.Method)
	switch {
	case !known:
		return bad("Method", c.Method, "choose one of "+methodNames())
	case c.DualUpdates < 0 || c.DualUpdates > c.InnerSteps && manyUpdates(c.Method):
		return bad("DualUpdates", c.DualUpdates, fmt.Sprintf("it must lie between 1 and the %d inner steps, or be 0 for the default", c.InnerSteps))
	case c.DualUpdates > 1 && !manyUpdates(c.Method):
		return bad("DualUpdates", c.DualUpdates, fmt.Sprintf("method %s takes no such number; use %s for more", c.Method, SCASK))
	case !positive(c.Passes):
		return bad("Passes", c.Passes, "it must be positive and finite, or 0 for the default")
	case !positive(c.Eta):
		return bad("Eta", c.Eta, "it must be positive and finite, or 0 to derive it from the data")
	case !positive(c.Rho):
		return bad("Rho", c.Rho, "it must be positive and finite, or 0 to derive it from the data")
	case c.InnerSteps < 2 && orig != nil && orig.InnerSteps != 0:
		return bad("InnerSteps", c.InnerSteps, "it must be at least 2, or 0 for the default")
	case c.BatchSize < 0 || c.BatchSize > 1 && c.BatchSize > c.InnerSteps/2 && usesPlan(c.Method):
		return bad("BatchSize", c.BatchSize, fmt.Sprintf("it must lie between 1 and half the %d inner steps, or be 0 for the default", c.InnerSteps))
	case c.Schedule != Practical && c.Schedule != Theorem:
		return bad("Schedule", c.Schedule, "choose practical or theorem")
	case !(c.Delta >= 1) || math.IsInf(c.Delta, 0):
		return bad("Delta", c.Delta, "Theorem 1 needs at least 1, or 0 for the default 1.1")
	case c.Threads < 0:
		return bad("Threads", c.Threads, "it must be positive, or 0 for GOMAXPROCS")
	case c.RecordEvery < 0:
		return bad("RecordEvery", c.RecordEvery, "it must be positive, or 0 for 1")
	case c.Start != nil && len(c.Start) != cols:
		return bad("Start", fmt.Sprintf("a slice of length %d", len(c.Start)), fmt.Sprintf("the problem has %d features", cols))
	}
	for j, v := range c.Start {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return bad(fmt.Sprintf("Start[%d]", j), v, "a starting point must be finite")
		}
	}
	if c.Method == SCASStrong && p.Domain != nil {
		return bad("Method", c.Method, fmt.Sprintf("Algorithm 2 is for X = R^p; with a domain use %s or %s", SCASK, SCAS))
	}
	if err := c.validateMethod(info, p); err != nil {
		return err
	}
	if c.Schedule == Theorem {
		return c.validateTheorem(orig, p)
	}
	return nil
}

// validateTheorem checks what the Theorem schedule asks of the problem.
func (c *Settings) validateTheorem(orig *Settings, p *Problem) error {
	bad := func(field string, value any, allowed string) error {
		return &SettingError{field, value, allowed}
	}
	switch {
	case c.Eta != 0:
		return bad("Eta", c.Eta, "the theorem schedule sets the step sizes; leave it 0")
	case orig.InnerSteps != 0:
		return bad("InnerSteps", orig.InnerSteps, "the theorem schedule sets the inner steps; leave it 0")
	case manyUpdates(c.Method):
		return bad("Schedule", c.Schedule, fmt.Sprintf("no theorem covers %s; use it with %s or %s", c.Method, SCAS, SCASStrong))
	case c.Method == SCAS && (p.Domain == nil || math.IsInf(p.Domain.Diameter(), 1)):
		return bad("Schedule", c.Schedule, "Theorem 1 needs a bounded domain; set Problem.Domain to a Box or Ball")
	case c.Method == SCASStrong && p.L2 == 0:
		return bad("Schedule", c.Schedule, "Theorem 2 needs strong convexity; set Problem.L2 > 0")
	}
	return nil
}
