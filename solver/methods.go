package solver

import "strings"

// MethodInfo describes a method.
type MethodInfo struct {
	Name    Method
	Summary string // one line
	Rate    string // what is proven
	Memory  string // floating-point numbers beside the data

	iterate func(*run) error // one outer iteration
}

// methods is the registry, the default first.
var methods = []MethodInfo{
	{SCASK, "SCAS-ADMM with K dual updates per snapshot", "none proven; fastest in practice", "4p + 2l + n", (*run).scas},
	{SCAS, "SCAS-ADMM, Algorithm 1 (general convex)", "O(1/T) in outer iterations", "4p + 2l + n", (*run).scas},
	{SCASStrong, "SCAS-ADMM, Algorithm 2 (strongly convex)", "O(1/T) in outer iterations", "4p + 2l + n", (*run).scasStrong},
	{SCASL, "SCAS-ADMM with the penalty linearised per block; any graph at O(nnz) a step", "none proven", "4p + 2l + n", (*run).scas},
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
