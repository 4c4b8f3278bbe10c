package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// aboutLists explains both lists of methods, short and verbose.
const aboutLists = `The first is the default. The rate is the proven rate of convergence. Memory counts numbers of 8
bytes, in addition to the data: n rows, p features with data, l rows of A. Every run needs about
17p + 10l + 2n more, and a proof of the gap needs as much as auto; scas info DATA gives the sum.
`

// printMethods lists the methods. asJSON chooses JSON, and verbose a text that explains their flags. Without
// both, each method gets one line.
func printMethods(e *env, asJSON, verbose bool) error {
	var methods []solver.MethodInfo
	for _, m := range baseline.Methods() {
		methods = append(methods, m.Info())
	}
	switch {
	case asJSON:
		return printJSON(e.stdout, methods)
	case verbose:
		return e.print(methodFlagList(methods))
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "method\tmemory\tproven rate\twhat it is\n")
	for _, m := range methods {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s (%s)\n", m.Name, m.Memory, m.Rate, m.Summary, m.Reference)
	}
	w.Flush() // cannot fail, because it writes to memory
	return e.print(b.String() + "\n" + aboutLists +
		"--method list --verbose explains --eta and other flags for each method.\n")
}

func methodFlagList(methods []solver.MethodInfo) string {
	const columns = 100
	width := 0
	var names []string // methods that solve any problem
	for _, m := range methods {
		width = max(width, len(m.Name))
		if m.AnyProblem {
			names = append(names, m.Name)
		}
	}
	var f summary
	for _, m := range methods {
		name := m.Name
		for _, text := range []string{
			fmt.Sprintf("%s (%s)", m.Summary, m.Reference),
			fmt.Sprintf("rate: %s. Memory: %s", m.Rate, m.Memory),
			methodFlagText(m),
		} {
			for line := range strings.SplitSeq(wrap(text, columns-width-3, 0), "\n") {
				f.add(name, "%s", line)
				name = ""
			}
		}
	}
	f.addBlank()
	return f.String() + aboutLists + fmt.Sprintf(`
After --eta are its meaning and its default. nu_f is a bound of the curvature of a sample's loss, t
is the number of the step, lambda_1 the largest eigenvalue of A'A.

Methods other than %s take L1 penalties, rows of equal
weight and no domain.
`, strings.Join(names, ", "))
}

func methodFlagText(m solver.MethodInfo) string {
	text := "takes no --eta"
	if m.TakesEta {
		text = "--eta: " + m.Eta
	}
	var taken []string
	if m.TakesBatchSize {
		taken = append(taken, "--batch-size")
	}
	if m.TakesInnerSteps {
		taken = append(taken, "--inner-steps")
	}
	if len(taken) > 0 {
		text += ". Takes " + strings.Join(taken, ", ")
	}
	if m.NeedsL2 {
		text += ". Needs --mu above 0"
	}
	return text
}
