package solver

import "strings"

// MethodInfo describes a method. It is what the command line lists and what
// reports print.
type MethodInfo struct {
	Name      Method
	Summary   string // one line
	Rate      string // what is proven
	Memory    string // floating-point numbers beside the data
	Reference string // where it was published

	// prepare returns the method's own state for a run. The run's vectors, its
	// constants and, for methods that use one, its plan are ready.
	prepare func(*run) iteration
}

// An iteration is a method at work.
type iteration interface {
	// next does one outer iteration, leaving x, y and beta in the run, and
	// reports whether the budget allowed it. It counts its cost in r.passes; a
	// method that averages keeps r.xbar and r.ybar.
	next() (done bool, err error)
}

// methods is the registry, the default first. A new method is one file with its
// iteration, and a line here.
var methods = []MethodInfo{
	{SCASK, "SCAS-ADMM with K dual updates per snapshot", "none proven; fastest in practice", "4p + 2l + n", "this package", newSCAS},
	{SCAS, "SCAS-ADMM, Algorithm 1 (general convex)", "O(1/T) in outer iterations", "4p + 2l + n", "Zhao, Li, Zhou", newSCAS},
	{SCASStrong, "SCAS-ADMM, Algorithm 2 (strongly convex)", "O(1/T) in outer iterations", "4p + 2l + n", "Zhao, Li, Zhou", newSCAS},
	{SCASL, "SCAS-ADMM with the penalty linearised per block; any graph at O(nnz) a step", "none proven", "4p + 2l + n", "this package", newSCAS},
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

func methodNames() string {
	names := make([]string, len(methods))
	for i, info := range methods {
		names[i] = string(info.Name)
	}
	return strings.Join(names, ", ")
}
