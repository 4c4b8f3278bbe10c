package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/report"
	"github.com/scas-admm/scas/bench/internal/roof"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

type kernelsCmd struct {
	Quick    bool   `help:"Smaller data and fewer repetitions: under 40 seconds."`
	Only     string `placeholder:"REGEX" help:"Only the cases whose kernel/shape matches, such as '^Inner' or 'a9a'."`
	CSV      string `name:"csv" placeholder:"FILE" help:"Also write a CSV file."`
	Benchfmt string `placeholder:"FILE" help:"Also write Go benchmark format, for benchstat -col /level."`

	scale suite.Scale // set by tests
}

// plan returns how much to measure.
func (c *kernelsCmd) plan() (suite.Scale, measure.Options, time.Duration) {
	switch {
	case c.scale == suite.Tiny:
		return suite.Tiny, measure.Options{Reps: 3, Sample: 10 * time.Microsecond}, time.Millisecond
	case c.Quick:
		return suite.Quick, measure.Options{Reps: 9, Sample: 2 * time.Millisecond}, 50 * time.Millisecond
	}
	return suite.Full, measure.Options{Reps: 25, Sample: 10 * time.Millisecond}, 300 * time.Millisecond
}

// Run measures and reports.
func (c *kernelsCmd) Run(e *env) error {
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return fmt.Errorf("--only is not a regular expression: %w", err)
	}
	facts := machine.Describe(e.args)
	scale, opt, each := c.plan()
	limits := roof.Measure(facts, each)
	head := append(facts.Lines(), limits.Lines()...)
	head = append(head, seriesLines(opt)...)
	if _, err := io.WriteString(e.stdout, strings.Join(head, "\n")+"\n\n"); err != nil {
		return err
	}
	rows, err := c.measure(e, only, scale, opt, limits)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("--only %s matches no kernel/shape, such as Margins/a9a", c.Only)
	}
	if _, err := io.WriteString(e.stdout, report.Table(rows)); err != nil {
		return err
	}
	return c.write(facts, rows)
}

func seriesLines(opt measure.Options) []string {
	lines := []string{fmt.Sprintf("samples: %d of at least %v each, implementations taking turns; levels checked bit for bit", opt.Reps, opt.Sample)}
	if !suite.HasSIMD() {
		lines = append(lines, "missing: series archsimd; build with GOEXPERIMENT=simd on amd64 to include it")
	}
	return lines
}

// measure runs the groups that match.
func (c *kernelsCmd) measure(e *env, only *regexp.Regexp, scale suite.Scale, opt measure.Options, limits roof.Roof) ([]report.Row, error) {
	var rows []report.Row
	for _, g := range suite.Groups(scale) {
		if !anyMatch(only, g.Names) {
			continue
		}
		for _, k := range g.Build() {
			if err := e.ctx.Err(); err != nil {
				return nil, err
			}
			if !only.MatchString(k.Kernel + "/" + k.Shape) {
				continue
			}
			series, err := measure.Run(k, opt)
			if err != nil {
				return nil, err
			}
			limit, bound := limits.Limit(k)
			rows = append(rows, report.Rows(k, series, limit, bound)...)
		}
	}
	return rows, nil
}

func anyMatch(re *regexp.Regexp, names []string) bool {
	for _, n := range names {
		if re.MatchString(n) {
			return true
		}
	}
	return false
}

func (c *kernelsCmd) write(f machine.Facts, rows []report.Row) error {
	if c.CSV != "" {
		if err := atomicfile.Write(c.CSV, 0o644, func(w io.Writer) error { return report.WriteCSV(w, rows) }); err != nil {
			return err
		}
	}
	if c.Benchfmt != "" {
		return atomicfile.Write(c.Benchfmt, 0o644, func(w io.Writer) error {
			return report.WriteBenchfmt(w, f.Platform, f.CPU, rows)
		})
	}
	return nil
}
