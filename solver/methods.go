package solver

import (
	"fmt"
	"strings"
)

// MethodInfo describes a method. It is what the command line lists and what
// reports print.
type MethodInfo struct {
	Name      Method
	Summary   string // one line
	Rate      string // what is proven
	Memory    string // floating-point numbers beside the data
	Reference string // where it was published
	Eta       string // what Settings.Eta is, and its default
	NeedsL2   bool   // it is for strongly convex problems alone, L2 > 0

	takes traits

	// prepare returns the method's own state for a run. The run's vectors, its
	// constants and, for methods that use one, its plan are ready.
	prepare func(*run) iteration
}

// traits are what a method can do with the problem and the settings.
type traits uint8

const (
	// anyProblem: not only L1 penalties with A x = y on R^p and equal sample
	// weights.
	anyProblem traits = 1 << iota
	innerSteps        // Settings.InnerSteps, the samples of a stage
	batches           // Settings.BatchSize
	noStep            // no step size: Settings.Eta is refused
	allSamples        // every step takes all samples
)

// AnyProblem reports whether the method takes every problem that is valid. The
// others take L1 penalties, y = A x, equal sample weights and X = R^p.
func (m MethodInfo) AnyProblem() bool { return m.takes&anyProblem != 0 }

// TakesInnerSteps reports whether Settings.InnerSteps may be set.
func (m MethodInfo) TakesInnerSteps() bool { return m.takes&innerSteps != 0 }

// TakesBatchSize reports whether Settings.BatchSize may be set.
func (m MethodInfo) TakesBatchSize() bool { return m.takes&batches != 0 }

// TakesEta reports whether the method has a step size.
func (m MethodInfo) TakesEta() bool { return m.takes&noStep == 0 }

// An iteration is a method at work.
type iteration interface {
	// next does one outer iteration, leaving x, y and beta in the run, and
	// reports whether the budget allowed it. It counts its cost in r.passes; a
	// method that averages keeps r.xbar and r.ybar.
	next() (more bool, err error)
}

// methods is the registry, the default first. A new method is one file with its
// iteration, and a line here.
var methods = []MethodInfo{
	{SCASK, "SCAS-ADMM with K dual updates per snapshot", "none proven; fastest in practice", "4p + 2l + n, with a graph the rotated data", "this package", "the step size; from the curvature at each snapshot", false, anyProblem | innerSteps | batches, newSCAS},
	{SCAS, "SCAS-ADMM, Algorithm 1 (general convex)", "O(1/T) in outer iterations", "4p + 2l + n, with a graph the rotated data", "Zhao, Li, Zhou", "the step size; from the curvature at each snapshot", false, anyProblem | innerSteps | batches, newSCAS},
	{SCASStrong, "SCAS-ADMM, Algorithm 2 (strongly convex)", "O(1/T) in outer iterations", "4p + 2l + n, with a graph the rotated data", "Zhao, Li, Zhou", "the step size; from the curvature at each snapshot", false, anyProblem | innerSteps | batches, newSCAS},
	{SCASL, "SCAS-ADMM with the penalty linearised per block; any graph at O(nnz) a step", "none proven", "4p + 2l + n", "this package", "the step size; from the curvature at each snapshot", false, anyProblem | innerSteps | batches, newSCAS},

	{SVRG, "SVRG-ADMM, linearised, y and beta updated with every sample; growing stages", "O(1/T) in stages; linear if strongly convex", "7p + 4l + n", "Zheng, Kwok 2016", "the step size; 2/nu_f", false, innerSteps | batches, newSVRG},
	{STOC, "STOC-ADMM: linearised loss, exact penalty", "O(1/sqrt T) in samples; O(log T/T) if strongly convex", "3p + 4l + the eigenbasis of A'A", "Ouyang, He, Tran, Gray 2013", "eta_0 of eta_0/sqrt(t), or of min(eta_0, 1/(mu t)); 16/nu_f", false, 0, newSTOC},
	{SA, "SA-ADMM: averages of stored gradients and iterates", "O(1/T) in samples", "np + n + 5p + 4l + the eigenbasis of A'A", "Zhong, Kwok 2014", "1/L; min(1000, n/2)/nu_f", false, 0, newSA},
	{SAIU, "SA-ADMM with the penalty linearised", "O(1/T) in samples", "np + n + 5p + 4l", "Zhong, Kwok 2014", "1/L; min(1000, n/2)/nu_f", false, 0, newSA},
	{SAG, "SA-ADMM about the current iterate: a scalar per sample", "none proven", "n + 4p + 4l + the eigenbasis of A'A", "after Zhong, Kwok 2014", "1/L; 1/nu_f", false, 0, newSA},
	{SAGIU, "SA-ADMM about the current iterate, the penalty linearised", "none proven", "n + 4p + 4l", "after Zhong, Kwok 2014", "1/L; 1/nu_f", false, 0, newSA},
	{OPG, "OPG-ADMM: STOC-ADMM with the penalty linearised", "O(1/sqrt T) in samples; O(log T/T) if strongly convex", "3p + 5l", "Suzuki 2013", "eta_0 of eta_0/sqrt(t), or of min(eta_0, 1/(mu t)); 16/nu_f", false, 0, newOPG},
	{RDA, "RDA-ADMM: dual averaging, the penalty linearised", "O(1/sqrt T) in samples; O(log T/T) if strongly convex", "5p + 6l", "Suzuki 2013", "eta_0 of eta_0 sqrt(t); 16/nu_f", false, 0, newRDA},
	{OADM, "online ADMM: the sample's loss exact", "O(1/sqrt T) in samples; O(log T/T) if strongly convex", "6p + 5l + the eigenbasis of A'A", "Wang, Banerjee 2012", "eta_0 of the weight max(sqrt(T)/eta_0, mu t); 64/nu_f", false, 0, newOADM},
	{OS1, "OS-ADMM, variant 1: STOC-ADMM with growing weights", "O(1/T) in samples", "4p + 5l + the eigenbasis of A'A", "Azadi, Sra 2014", "eta_0 of min(eta_0, 2/(mu (t+2))); 16/nu_f", true, 0, newOS1},
	{OS2, "OS-ADMM, variant 2: accelerated, for smooth losses", "O(1/T^2) + O(1/sqrt T) in samples", "5p + 5l + the eigenbasis of A'A", "Azadi, Sra 2014", "eta_0 of the weight sqrt(t)/eta_0; 2/nu_f", false, 0, newOS2},
	{ASVRG, "ASVRG-ADMM: SVRG-ADMM with momentum", "O(1/T^2) in stages; linear if strongly convex", "8p + 5l + n", "Liu, Shang, Cheng 2017", "the step size; 1/nu_f", false, innerSteps | batches, newASVRG},
	{AccSADMM, "Acc-SADMM: extrapolation and variance reduction", "O(1/T) in steps, non-ergodic", "9p + 9l + n", "Fang, Cheng, Lin 2017", "1/L; 4/nu_f", false, innerSteps | batches, newAccSADMM},
	{PDFP, "SVRG-PDFP: primal-dual fixed point, no penalty parameter", "O(1/T) in stages; linear if strongly convex", "8p + 4l + n", "Zhu, Zhang 2020", "the step size; 1/nu_f", false, innerSteps | batches, newPDFP},
	{SDCA, "SDCA-ADMM: dual coordinate ascent", "linear if strongly convex and smooth", "2n + 6p + 4l", "Suzuki 2014", "not used", false, noStep, newSDCA},
	{Batch, "ADMM with an exact x-step by Newton's method", "O(1/T) in iterations", "p^2 + 6p + 4l + 3n", "Boyd et al. 2011", "not used", false, noStep | allSamples, newBatch},
	{BatchLinear, "batch ADMM, one gradient an iteration, exact penalty", "O(1/T) in iterations", "5p + 4l + 2n + the eigenbasis of A'A", "linearised form of Boyd et al. 2011", "the step size; 1/nu of the mean loss", false, allSamples, newBatchLinear},
	{BatchUzawa, "batch ADMM, one gradient an iteration, the penalty linearised", "O(1/T) in iterations", "4p + 4l + 2n", "linearised form of Boyd et al. 2011", "the step size; 1/(nu + rho lambda_1), nu of the mean loss", false, allSamples, newBatchLinear},
}

// Methods lists the methods, the default first.
func Methods() []MethodInfo { return append([]MethodInfo(nil), methods...) }

func lookupMethod(m Method) (MethodInfo, bool) {
	for _, info := range methods {
		if info.Name == m {
			return info, true
		}
	}
	return MethodInfo{}, false
}

// usesPlan reports whether m runs the inner loop of SCAS-ADMM, so that a plan,
// the theorem schedules, batches and inner steps mean something to it.
func usesPlan(m Method) bool {
	return m == SCASK || m == SCAS || m == SCASStrong || m == SCASL
}

// manyUpdates reports whether m may update y and beta more than once per
// snapshot.
func manyUpdates(m Method) bool { return m == SCASK || m == SCASL }

// validateMethod checks what the methods other than SCAS-ADMM ask of the problem
// and the settings.
func (c *Settings) validateMethod(info MethodInfo, p *Problem) error {
	bad := func(field string, value any, allowed string) error {
		return &SettingError{field, value, allowed}
	}
	if !info.AnyProblem() {
		reason := ""
		switch _, l1 := p.penalty().(L1); {
		case !l1:
			reason = "a penalty L1"
		case p.Coupling != nil:
			reason = "the constraint A x = y, without a Coupling"
		case p.Domain != nil:
			reason = "X = R^p, without a Domain"
		case p.SampleWeights != nil:
			reason = "equal sample weights"
		}
		if reason != "" {
			return bad("Method", c.Method, fmt.Sprintf("it is for %s; use %s", reason, SCASK))
		}
	}
	switch {
	case info.NeedsL2 && p.L2 == 0:
		return bad("Method", c.Method, "its step sizes need strong convexity; set Problem.L2 > 0")
	case !info.TakesEta() && c.Eta != 0:
		return bad("Eta", c.Eta, fmt.Sprintf("method %s has no step size; leave it 0", c.Method))
	case !info.TakesInnerSteps() && c.InnerSteps != 0:
		return bad("InnerSteps", c.InnerSteps, fmt.Sprintf("method %s has none; leave it 0", c.Method))
	case info.takes&allSamples != 0 && c.BatchSize > 1:
		return bad("BatchSize", c.BatchSize, fmt.Sprintf("every step of method %s takes all samples; leave it 0", c.Method))
	case !info.TakesBatchSize() && c.BatchSize > 1:
		return bad("BatchSize", c.BatchSize, fmt.Sprintf("method %s takes one sample at a time; leave it 0", c.Method))
	case c.Schedule == Theorem && !usesPlan(c.Method):
		return bad("Schedule", c.Schedule, fmt.Sprintf("the theorems are about %s and %s; use them or leave it %s", SCAS, SCASStrong, Practical))
	case c.Method == SA || c.Method == SAIU:
		return checkStore(p, c.Method)
	}
	return nil
}

func methodNames() string {
	names := make([]string, len(methods))
	for i, info := range methods {
		names[i] = string(info.Name)
	}
	return strings.Join(names, ", ")
}
