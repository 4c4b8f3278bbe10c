package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/solver"
)

// methodFacts are what scas train --method list --json prints for each method.
type methodFacts struct {
	Name      solver.Method `json:"name"`
	Summary   string        `json:"summary"`
	Rate      string        `json:"rate"`
	Memory    string        `json:"memory"`
	Reference string        `json:"reference"`
}

// printMethods explains each method in one line.
func printMethods(e *env, asJSON bool) error {
	var all []methodFacts
	for _, m := range solver.Methods() {
		all = append(all, methodFacts{m.Name, m.Summary, m.Rate, m.Memory, m.Reference})
	}
	if asJSON {
		return printJSON(e.stdout, all)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "method\tmemory\tproven rate\twhat it is\n")
	for _, m := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s (%s)\n", m.Name, m.Memory, m.Rate, m.Summary, m.Reference)
	}
	w.Flush() // to memory: it cannot fail
	fmt.Fprintf(&b, "\nMemory in numbers of 8 bytes beside the data: n rows, p features, l rows of A.\nThe first is the default.\n")
	return e.print(&b)
}
