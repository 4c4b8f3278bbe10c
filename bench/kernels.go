package main

import (
	"fmt"
	"regexp"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/bench/race"
)

type kernelsCmd struct {
	Quick    bool           `help:"Less data and fewer repetitions: half a minute."`
	Only     *regexp.Regexp `default:"." placeholder:"REGEX" help:"Only the cases whose kernel/data matches, such as '^Inner' or 'a9a'."`
	Results  string         `placeholder:"DIR" help:"Write the table into a directory, as kernels-CPU.txt."`
	Benchfmt string         `placeholder:"FILE" help:"Write every measured time in Go benchmark format, for benchstat -col /level."`

	scale suite.Scale // size of the data; set by tests
}

// effort returns the size of the data, the options for measuring the kernels, and the duration of each
// measurement of measure.NewRoof.
func (c *kernelsCmd) effort() (suite.Scale, measure.Options, time.Duration) {
	switch {
	case c.scale == suite.Tiny:
		return suite.Tiny, measure.Options{Reps: 3, Duration: 10 * time.Microsecond}, time.Millisecond
	case c.Quick:
		return suite.Quick, measure.Options{Reps: 5, Duration: time.Millisecond}, 20 * time.Millisecond
	}
	return suite.Full, measure.Options{Reps: 25, Duration: 10 * time.Millisecond}, 300 * time.Millisecond
}

func (c *kernelsCmd) Run(e *race.Env) error {
	scale, opt, duration := c.effort()
	found := false
	for range suite.Cases(scale, c.Only.MatchString) {
		found = true
		break
	}
	if !found { // check this before the machine is measured, which takes seconds
		return fmt.Errorf("--only %s matches no kernel/data, such as Margins/a9a", c.Only)
	}
	description := machine.Describe(e.Args)
	machineRoof := measure.NewRoof(description, duration)
	lines := append(machineRoof.Lines(),
		fmt.Sprintf("times:   the least of %d, each of at least %v, implementations taking turns; levels checked bit for bit", opt.Reps, opt.Duration))
	r, err := begin(e, "kernels", description, lines...)
	if err != nil {
		return err
	}
	printer := &measure.Printer{W: r, Unit: "ns", LastTitle: "of limit"}
	if err := printer.WriteHead(); err != nil {
		return err
	}
	for k := range suite.Cases(scale, c.Only.MatchString) {
		if err := e.Ctx.Err(); err != nil {
			return err
		}
		series, err := measure.Time(k, opt)
		if err != nil {
			return err
		}
		limit, bound := machineRoof.Limit(k)
		err = printer.WriteCase(k, series,
			fmt.Sprintf("%3.0f%% %s", 100*limit/measure.BestTime(series), bound))
		if err != nil {
			return err
		}
		r.benchfmt.WriteString(measure.Benchfmt(k, series))
	}
	return r.write(c.Results, c.Benchfmt)
}
