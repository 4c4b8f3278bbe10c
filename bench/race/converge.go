package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/chart"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// Converge is the command converge, which compares the convergence of methods on a data set.
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

// Run runs the methods one after the other and prints a table of their objectives.
func (c *Converge) Run(e *Env) error {
	methods, err := c.methods(append(baseline.Methods(), e.Own...))
	if err != nil {
		return err
	}
	p, err := c.problem()
	if err != nil {
		return err
	}
	n, features := p.Data.Dims()
	err = output.WriteHead(e.Stdout, append(machine.Describe(e.Args).Lines,
		fmt.Sprintf("data:    %d samples, %d features, %d nonzeros", n, features, p.Data.NNZ()),
		fmt.Sprintf("problem: logistic loss, lambda %g, mu %g, graph %s", c.Lambda, c.Mu, c.Graph),
	))
	if err != nil {
		return err
	}
	var curves []*curve
	var refused error
	for _, m := range methods {
		curve, err := c.curveOf(e.Ctx, p, m)
		_, bad := errors.AsType[*solver.SettingError](err)
		if bad && len(c.Method) == 0 {
			refused = fmt.Errorf("%s: %w", m.Info().Name, err)
			fmt.Fprintln(e.Stderr, "left out:", refused)
			continue
		}
		if err != nil {
			return err
		}
		curves = append(curves, curve)
	}
	if len(curves) == 0 {
		return fmt.Errorf("no method can be run with these settings: %w", refused)
	}
	return c.report(e, curves)
}

// A curve has the points of one method's run.
type curve struct {
	method string
	points []solver.Point
	err    error // the divergence of the run, or nil
}

// curveOf runs one method and returns its curve. A run that diverges is not an error: it gives a curve with
// err set.
func (c *Converge) curveOf(ctx context.Context, p *solver.Problem, m solver.Method) (*curve, error) {
	out := &curve{method: m.Info().Name}
	_, err := solver.Minimize(ctx, p, &solver.Settings{
		Method: m, Passes: c.Passes, Eta: c.Eta, Rho: c.Rho, Seed: c.Seed, Threads: c.Threads, RelTol: -1,
		Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			out.points = append(out.points, *pt)
			return nil
		}),
	})
	_, diverged := errors.AsType[*solver.DivergenceError](err)
	if diverged {
		out.err, err = err, nil
	}
	return out, err
}

// lowestObjective returns the smallest objective of all points, at last iterates and at averages.
func lowestObjective(curves []*curve) float64 {
	lowest := math.Inf(1)
	for _, c := range curves {
		for _, p := range c.points {
			for _, v := range []float64{p.Last.Objective, p.Average.Objective} {
				if v < lowest { // false for NaN, which occurs in diverging runs
					lowest = v
				}
			}
		}
	}
	return lowest
}

func (c *Converge) report(e *Env, curves []*curve) error {
	reference, source := lowestObjective(curves), "the best objective seen"
	if c.Optimum != nil {
		reference, source = *c.Optimum, "the given optimum"
	}
	_, err := fmt.Fprintf(e.Stdout, "%s\ngaps are to %s, %.12f\n",
		table(curves, reference), source, reference)
	if err != nil {
		return err
	}
	files := []output.File{{Path: c.CSV, Text: pointsCSV(curves, reference)}}
	if c.SVG != "" {
		title := fmt.Sprintf("%s, lambda %g, mu %g, graph %s: objective minus %s",
			filepath.Base(c.Data), c.Lambda, c.Mu, filepath.Base(c.Graph), source)
		drawing, err := draw(title, curves, reference)
		if err != nil {
			return err
		}
		files = append(files, output.File{Path: c.SVG, Text: drawing})
	}
	return output.Write(files...)
}

// table returns a text table with a few points of each curve. Lines below the table describe divergences.
func table(curves []*curve, reference float64) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tpasses\tseconds\tobjective\tgap\taverage gap\t|Ax-y|\t")
	for _, c := range curves {
		name, nextPasses := c.method, 0.0
		for k, p := range c.points {
			if p.Passes < nextPasses && k < len(c.points)-1 {
				continue
			}
			nextPasses = max(2, 1.5*p.Passes)
			fmt.Fprintf(w, "%s\t%.3g\t%.4f\t%.10f\t%.2e\t%.2e\t%.1e\t\n",
				name, p.Passes, p.Seconds, p.Last.Objective, p.Last.Objective-reference,
				p.Average.Objective-reference, p.PrimalResidual)
			name = ""
		}
	}
	_ = w.Flush() // a strings.Builder returns no errors
	for _, c := range curves {
		if c.err != nil {
			fmt.Fprintf(&b, "%s: %v\n", c.method, c.err)
		}
	}
	return b.String()
}

// pointsCSV returns all points of all curves as CSV. The columns objective and gap are for the last iterate.
func pointsCSV(curves []*curve, reference float64) string {
	records := [][]string{
		{"method", "passes", "seconds", "objective", "gap", "average_objective", "primal_residual"},
	}
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range curves {
		for _, p := range c.points {
			records = append(records, []string{
				c.method, num(p.Passes), strconv.FormatFloat(p.Seconds, 'g', 6, 64),
				num(p.Last.Objective), num(p.Last.Objective - reference), num(p.Average.Objective),
				num(p.PrimalResidual),
			})
		}
	}
	return output.CSV(records)
}

// leastGap is the smallest gap that draw shows. Smaller differences of objectives may be rounding errors.
const leastGap = 1e-15

// draw returns a chart as SVG, with two curves for every method: the objective minus the reference, at the
// last iterates and at the averages.
func draw(title string, curves []*curve, reference float64) (string, error) {
	c := &chart.Chart{Title: title, X: "effective passes", Y: "gap", LogY: true, Floor: leastGap}
	for k, curve := range curves {
		last := chart.Line{Name: curve.method + ", last", Series: k}
		average := chart.Line{Name: curve.method + ", average", Series: k, Dashed: true}
		for _, p := range curve.points {
			last.X, last.Y = append(last.X, p.Passes), append(last.Y, p.Last.Objective-reference)
			average.X, average.Y = append(average.X, p.Passes),
				append(average.Y, p.Average.Objective-reference)
		}
		c.Lines = append(c.Lines, last, average)
	}
	var b strings.Builder
	err := c.WriteSVG(&b)
	return b.String(), err
}

// methods returns the candidates that the flag --method names, or all candidates without this flag.
func (c *Converge) methods(candidates []solver.Method) (chosen []solver.Method, err error) {
	if len(c.Method) == 0 {
		return candidates, nil
	}
	var names []string
	for _, m := range candidates {
		names = append(names, m.Info().Name)
	}
	for _, name := range c.Method {
		k := slices.Index(names, name)
		if k < 0 {
			return nil, fmt.Errorf("--method %s is unknown; the methods are %s",
				name, strings.Join(names, ", "))
		}
		chosen = append(chosen, candidates[k])
	}
	return chosen, nil
}

// problem reads the data and the graph, and returns the problem that the flags describe.
func (c *Converge) problem() (*solver.Problem, error) {
	data, err := sparse.ReadFile(c.Data, &sparse.ReadOptions{Features: c.Features, Positive: c.Positive})
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
