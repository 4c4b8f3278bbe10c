package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/kernels"
)

// tuneFacts are the outcome of measuring the kernels on this machine.
type tuneFacts struct {
	Variable string        `json:"variable"` // environment variable that makes the choice
	Choice   string        `json:"choice"`   // its value; empty where there is none to make
	Timings  []timingFacts `json:"timings"`
}

type timingFacts struct {
	Kernel string  `json:"kernel"`
	Shape  string  `json:"shape"`
	Level  string  `json:"level"`
	Unit   string  `json:"unit"`
	Nanos  float64 `json:"ns"` // least, per unit
}

// tune measures for about a second.
func tune() *tuneFacts {
	choice, timings := kernels.Calibrate(time.Second)
	t := &tuneFacts{Variable: kernelsVariable, Choice: choice, Timings: []timingFacts{}}
	for _, v := range timings {
		t.Timings = append(t.Timings, timingFacts{v.Kernel, v.Shape, v.Level.String(), v.Unit, v.Nanos})
	}
	return t
}

// String shows a line per kernel and shape, and how to make the choice.
func (t *tuneFacts) String() string {
	if t.Choice == "" {
		return "tuning      nothing to choose: this machine has portable kernels alone\n"
	}
	var levels []string // of which Timings has one each, in turn
	for _, v := range t.Timings {
		if v.Kernel == t.Timings[0].Kernel && v.Shape == t.Timings[0].Shape {
			levels = append(levels, v.Level)
		}
	}
	winner := make(map[string]string)
	for item := range strings.SplitSeq(t.Choice, ",") {
		kernel, level, _ := strings.Cut(item, "=")
		winner[kernel] = level
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "kernel\tshape\t%s\t\twinner\n", strings.Join(levels, "\t"))
	for k := 0; k+len(levels) <= len(t.Timings); k += len(levels) {
		first := t.Timings[k]
		fmt.Fprintf(w, "%s\t%s\t", first.Kernel, first.Shape)
		for _, v := range t.Timings[k : k+len(levels)] {
			fmt.Fprintf(w, "%.3g\t", v.Nanos)
		}
		fmt.Fprintf(w, "ns per %s\t%s\n", first.Unit, winner[first.Kernel])
	}
	w.Flush() // to memory: it cannot fail
	fmt.Fprintf(&b, "\nTo have the winners:\n\n    export %s=%s\n", t.Variable, t.Choice)
	return b.String()
}
