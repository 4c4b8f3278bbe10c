package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/solver"
)

// methodFacts are what scas train --method list --json prints for each method.
type methodFacts struct {
	Name       solver.Method `json:"name"`
	Summary    string        `json:"summary"`
	Rate       string        `json:"rate"`
	Memory     string        `json:"memory"`
	Reference  string        `json:"reference"`
	Eta        string        `json:"eta"`               // what --eta is, and its default
	TakesEta   bool          `json:"takes_eta"`         // --eta may be given
	BatchSize  bool          `json:"takes_batch_size"`  // so may --batch-size above 1
	InnerSteps bool          `json:"takes_inner_steps"` // and --inner-steps
	NeedsMu    bool          `json:"needs_mu"`          // it needs --mu above 0
	AnyProblem bool          `json:"any_problem"`       // not only L1 penalties, equal weights and no domain
}

func newMethodFacts(m solver.MethodInfo) methodFacts {
	return methodFacts{
		Name: m.Name, Summary: m.Summary, Rate: m.Rate, Memory: m.Memory, Reference: m.Reference,
		Eta: m.Eta, TakesEta: m.TakesEta(), BatchSize: m.TakesBatchSize(), InnerSteps: m.TakesInnerSteps(),
		NeedsMu: m.NeedsL2, AnyProblem: m.AnyProblem(),
	}
}

// methodInfo returns what the solver tells of a method that it has.
func methodInfo(name solver.Method) (info solver.MethodInfo) {
	for _, m := range solver.Methods() {
		if m.Name == name {
			return m
		}
	}
	return info
}

// printMethods explains each method in a line, or, if verbose, in a few lines of at
// most 100 columns that say what the flags mean to it.
func printMethods(e *env, asJSON, verbose bool) error {
	var all []methodFacts
	for _, m := range solver.Methods() {
		all = append(all, newMethodFacts(m))
	}
	switch {
	case asJSON:
		return printJSON(e.stdout, all)
	case verbose:
		return printMethodFlags(e, all)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "method\tmemory\tproven rate\twhat it is\n")
	for _, m := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s (%s)\n", m.Name, m.Memory, m.Rate, m.Summary, m.Reference)
	}
	w.Flush() // to memory: it cannot fail
	fmt.Fprintf(&b, `
The first is the default. Memory is in numbers of 8 bytes beside the data: n rows, p features,
l rows of A. --method list --verbose says what --eta and other flags mean to each.
`)
	return e.print(&b)
}

func printMethodFlags(e *env, all []methodFacts) error {
	const columns = 100
	width := 0
	for _, m := range all {
		width = max(width, len(m.Name))
	}
	var b strings.Builder
	for _, m := range all {
		name := string(m.Name)
		for _, text := range m.lines() {
			for part := range strings.SplitSeq(wrap(text, columns-width-3, 0), "\n") {
				fmt.Fprintf(&b, "%-*s   %s\n", width, name, part)
				name = ""
			}
		}
	}
	fmt.Fprintf(&b, `
The first is the default. The rate is what is proven. Memory is in numbers of 8 bytes beside the
data: n rows, p features, l rows of A. With --eta, what it is; then its default, in terms of nu_f,
a bound of the curvature of a sample's loss. t is the number of the step, lambda_1 the largest
eigenvalue of A'A.

Methods other than %s, %s, %s and %s take L1 penalties, rows of equal weight
and no domain.
`, solver.SCASK, solver.SCAS, solver.SCASStrong, solver.SCASL)
	return e.print(&b)
}

// lines explain the method: what it is, what is proven, what the flags mean.
func (m methodFacts) lines() []string {
	flags := "takes no --eta"
	if m.TakesEta {
		flags = "--eta: " + m.Eta
	}
	var takes []string
	if m.BatchSize {
		takes = append(takes, "--batch-size")
	}
	if m.InnerSteps {
		takes = append(takes, "--inner-steps")
	}
	if len(takes) > 0 {
		flags += ". Takes " + strings.Join(takes, ", ")
	}
	if m.NeedsMu {
		flags += ". Needs --mu above 0"
	}
	return []string{
		fmt.Sprintf("%s (%s)", m.Summary, m.Reference),
		fmt.Sprintf("rate: %s. Memory: %s", m.Rate, m.Memory),
		flags,
	}
}

// storedIterates is the memory in bytes of an iterate per sample, which the
// method keeps; 0 if it keeps none.
func storedIterates(m solver.Method, n, p int) float64 {
	if m != solver.SA && m != solver.SAIU {
		return 0
	}
	return 8 * float64(n) * float64(p)
}

// warnOfMemory tells of a method that keeps more than a GiB beside the data.
func (e *env) warnOfMemory(m solver.Method, n, p int) {
	if bytes := storedIterates(m, n, p); bytes > 1<<30 {
		e.warn("method %s keeps an iterate per row, up to %.1f GiB here; %s and %s keep none", m, bytes/(1<<30), solver.SAG, solver.SAGIU)
	}
}
