package race

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/curves"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// Converge is the command converge.
type Converge struct {
	Data string `arg:"" name:"DATA" help:"LIBSVM file with two labels, plain or compressed."`

	Features int      `placeholder:"P" help:"Number of features (default: the largest index in DATA)."`
	Positive *float64 `placeholder:"L" help:"Label of the positive class (default: the larger)."`
	Lambda   float64  `default:"1e-5" placeholder:"F" help:"Weight of the penalty |A x|_1 (default ${default})."`
	Mu       float64  `default:"0" placeholder:"F" help:"Adds (mu/2)|x|^2 (default ${default})."`
	Graph    string   `default:"none" placeholder:"FILE|chain|none" help:"none: A = I; chain: neighbouring features are joined; FILE: edges 'i j [weight]' or a matrix (default ${default})."`
	Method   []string `placeholder:"NAME" help:"Method to run; repeatable (default: all that apply)."`
	Passes   float64  `default:"100" placeholder:"N" help:"Effective passes of each method (default ${default})."`
	Eta      float64  `placeholder:"F" help:"Step size (default: from the data)."`
	Rho      float64  `placeholder:"F" help:"Penalty parameter (default: from the data)."`
	Seed     uint64   `placeholder:"N" help:"Seed of the sampling."`
	Optimum  *float64 `placeholder:"F" help:"Known least objective, for the gap (default: the best seen)."`
	Threads  int      `default:"1" placeholder:"N" help:"Goroutines of a full gradient; 0 means all processors (default ${default})."`
	CSV      string   `name:"csv" placeholder:"FILE" help:"Also write all points as CSV."`
	SVG      string   `name:"svg" placeholder:"FILE" help:"Also draw the gap against passes."`
}

// Run runs the methods one after the other and reports.
func (c *Converge) Run(e *Env) error {
	methods, err := c.methods(e.methods())
	if err != nil {
		return err
	}
	p, err := c.problem()
	if err != nil {
		return err
	}
	n, features := p.Data.Dims()
	if err := output.Begin(e.Stdout, machine.Describe(e.Args).Lines(), []string{
		fmt.Sprintf("data:    %d samples, %d features, %d nonzeros", n, features, p.Data.NNZ()),
		fmt.Sprintf("problem: logistic loss, lambda %g, mu %g, graph %s", c.Lambda, c.Mu, c.Graph),
	}); err != nil {
		return err
	}
	var all []curves.Curve
	var refused error
	for _, m := range methods {
		curve, err := curves.Run(e.Ctx, p, m, solver.Settings{Passes: c.Passes, Eta: c.Eta, Rho: c.Rho, Seed: c.Seed, Threads: c.Threads})
		if bad := (*solver.SettingError)(nil); len(c.Method) == 0 && errors.As(err, &bad) {
			refused = fmt.Errorf("%s: %w", m, err)
			fmt.Fprintln(e.Stderr, "left out:", refused)
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, curve)
	}
	if len(all) == 0 {
		return fmt.Errorf("no method can be run with these settings: %w", refused)
	}
	return c.report(e, all)
}

func (c *Converge) report(e *Env, all []curves.Curve) error {
	reference, from := curves.Best(all), "the best objective seen"
	if c.Optimum != nil {
		reference, from = *c.Optimum, "the given optimum"
	}
	text := curves.Table(all, reference, 14) + fmt.Sprintf("\ngaps are to %s, %.12f\n", from, reference)
	if _, err := io.WriteString(e.Stdout, text); err != nil {
		return err
	}
	return output.WriteAll([]output.File{
		{Path: c.CSV, Fill: func(w io.Writer) error { return curves.WriteCSV(w, all, reference) }},
		{Path: c.SVG, Fill: func(w io.Writer) error {
			title := fmt.Sprintf("%s, lambda %g, mu %g, graph %s: objective minus %s", filepath.Base(c.Data), c.Lambda, c.Mu, filepath.Base(c.Graph), from)
			return chart.Gaps(w, title, "effective passes", "gap", gapLines(all, reference))
		}},
	})
}

// gapLines has the last iterate of every method and the average of the paper's
// theorems.
func gapLines(all []curves.Curve, reference float64) []chart.Line {
	var lines []chart.Line
	for i, c := range all {
		last := chart.Line{Name: c.Method + ", last", Group: i}
		average := chart.Line{Name: c.Method + ", average", Group: i, Dashed: true}
		for _, p := range c.Points {
			last.X, last.Gap = append(last.X, p.Passes), append(last.Gap, p.Objective-reference)
			average.X, average.Gap = append(average.X, p.Passes), append(average.Gap, p.Average-reference)
		}
		lines = append(lines, last, average)
	}
	return lines
}

// methods returns those of any asked for, or all that the problem admits.
func (c *Converge) methods(any []solver.Method) ([]solver.Method, error) {
	var known []string
	var all, chosen []solver.Method
	for _, m := range any {
		known = append(known, m.Info().Name)
		if !m.Info().NeedsL2 || c.Mu > 0 {
			all = append(all, m)
		}
	}
	for _, name := range c.Method {
		k := slices.Index(known, name)
		if k < 0 {
			return nil, fmt.Errorf("--method %s is unknown; the methods are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, any[k])
	}
	if chosen == nil {
		return all, nil
	}
	return chosen, nil
}

// problem reads the data and the graph.
func (c *Converge) problem() (*solver.Problem, error) {
	data, err := sparse.ReadLIBSVMFile(c.Data, &sparse.ReadOptions{Features: c.Features, Positive: c.Positive})
	if err != nil {
		return nil, err
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, L2: c.Mu, Penalty: solver.L1{Lambda: c.Lambda}}
	_, features := data.X.Dims()
	switch c.Graph {
	case "none":
	case "chain":
		p.Constraint = graph.Chain(features).FusedLasso()
	default:
		con, err := graph.ReadConstraintFile(c.Graph, features)
		if err != nil {
			return nil, err
		}
		p.Constraint = con.A
	}
	return p, nil
}
