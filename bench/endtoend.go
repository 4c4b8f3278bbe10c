package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/bench/internal/suite"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

type endToEndCmd struct {
	Quick    bool   `help:"Fewer repetitions."`
	Results  string `placeholder:"DIR" help:"Write the table into a directory, as end-to-end-CPU.txt."`
	Benchfmt string `placeholder:"FILE" help:"Write every measured time in Go benchmark format, for benchstat -col /level."`

	// Tests set rows. If it is not 0, the data are synthetic and have this number of rows, and each run is
	// timed once.
	rows int
}

// Help returns the text that bench end-to-end --help adds to the list of flags.
func (endToEndCmd) Help() string {
	return `Times one outer iteration (two effective passes) of scas and scas-k, on one
thread, for A = I and for a graph of 291 edges. The data are a9a if the environment
variable SCAS_DATA names a directory with paper/a9a.zst and
graphs/a9a_glasso_0.1.edges, and synthetic data of its shape otherwise. The step size
and the penalty parameter are fixed, so that no run spends time on their choice.`
}

func (c *endToEndCmd) Run(e *race.Env) error {
	loops, source, err := c.loops()
	if err != nil {
		return err
	}
	r, err := begin(e, "end-to-end", machine.Describe(e.Args), "data:    "+source)
	if err != nil {
		return err
	}
	opt := measure.Options{Reps: 15}
	if c.Quick {
		opt.Reps = 3
	}
	if c.rows > 0 {
		opt.Reps = 1
	}
	printer := &measure.Printer{W: r, Unit: "ms", Divisor: 1e6, LastTitle: "inner loop"}
	if err := printer.WriteHead(); err != nil {
		return err
	}
	for _, o := range loops {
		k := o.newCase(e.Ctx)
		series, err := measure.Time(k, opt)
		if o.err != nil {
			return o.err
		}
		if err != nil {
			return err
		}
		err = printer.WriteCase(k, series,
			fmt.Sprintf("%s, dual updates: %d", o.stats.Plan, o.stats.DualUpdates))
		if err != nil {
			return err
		}
		r.benchfmt.WriteString(measure.Benchfmt(k, series))
	}
	return r.write(c.Results, c.Benchfmt)
}

// An outerLoop runs outer iterations of a problem, in the solver or in plain Go loops.
type outerLoop struct {
	name string // name of the data and the graph
	// problem has the logistic loss and a penalty solver.L1. Its Constraint is nil or a *sparse.CSR.
	problem    solver.Problem
	settings   solver.Settings // Method, Eta and Rho must be set
	iterations int             // number of outer iterations of a run

	x     []float64    // the last iterate of the last run, before small coefficients are rounded to zero
	ns    []float64    // time of each outer iteration of the last run
	stats solver.Stats // of the last run of the solver
	err   error        // the first error of the solver
}

// newCase returns the case of an outer iteration. The times of the solver are those that it reports.
func (o *outerLoop) newCase(ctx context.Context) measure.Case {
	_, p := o.problem.Data.Dims()
	o.x = make([]float64, p)
	return measure.Case{
		Kernel: "Outer-" + o.settings.Method.Info().Name, Shape: o.name, Unit: "iteration", Units: 1,
		Run: func() { o.solve(ctx) }, Naive: o.solveNaively, State: [][]float64{o.x}, Tolerance: 1e-9,
		Elapsed: func() []float64 { return o.ns },
	}
}

// solve runs the solver at the level in use.
func (o *outerLoop) solve(ctx context.Context) {
	s := o.settings
	s.Passes, s.Threads = 2*float64(o.iterations), 1
	o.ns = nil
	var lastSeconds float64
	s.Recorder = solver.RecorderFunc(func(p *solver.Point) error {
		if p.Outer > 0 {
			o.ns = append(o.ns, 1e9*(p.Seconds-lastSeconds))
		}
		lastSeconds = p.Seconds
		copy(o.x, p.X)
		return nil
	})
	result, err := solver.Minimize(ctx, &o.problem, &s)
	if result != nil {
		o.stats = result.Stats
	}
	o.err = cmp.Or(o.err, err)
}

// solveNaively runs the plain Go loops, with as many dual updates as the solver made. It does nothing after
// an error of the solver.
func (o *outerLoop) solveNaively() {
	if o.err != nil {
		return
	}
	m := naive.NewADMM(&o.problem, &o.settings, o.stats.DualUpdates)
	o.ns = nil
	for range o.iterations {
		start := time.Now()
		m.Iterate()
		o.ns = append(o.ns, float64(time.Since(start).Nanoseconds()))
	}
	copy(o.x, m.X)
}

// loops returns runs of the methods scas and scas-k, each with and without a graph. source describes the
// data.
func (c *endToEndCmd) loops() (loops []*outerLoop, source string, err error) {
	var d *sparse.Dataset
	var g *graph.Graph
	if dir := os.Getenv("SCAS_DATA"); dir != "" && c.rows == 0 {
		source = "a9a and its graph, from SCAS_DATA"
		d, g, err = readA9A(dir)
	} else {
		source = "synthetic, of the shape of a9a; set SCAS_DATA for a9a itself"
		d, g, err = syntheticA9A(cmp.Or(c.rows, suite.A9A.Rows))
	}
	if err != nil {
		return nil, "", err
	}
	for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
		settings := solver.Settings{Method: m, Eta: 0.5, Rho: 1e-4}
		lasso := solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-5}}
		fused := lasso
		fused.Constraint = g.FusedLasso()
		iterations := 8
		if c.Quick {
			iterations = 4
		}
		loops = append(loops,
			&outerLoop{name: "a9a-lasso", problem: lasso, settings: settings, iterations: iterations},
			&outerLoop{name: "a9a-graph", problem: fused, settings: settings, iterations: iterations})
	}
	return loops, source, nil
}

func readA9A(dir string) (d *sparse.Dataset, g *graph.Graph, err error) {
	d, err = sparse.ReadFile(filepath.Join(dir, "paper", "a9a.zst"),
		&sparse.ReadOptions{Features: suite.A9A.Cols})
	if err != nil {
		return nil, nil, err
	}
	g, err = graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), suite.A9A.Cols)
	return d, g, err
}

// syntheticA9A makes random data with as many columns as a9a and the given number of rows, and a graph of 291
// edges.
func syntheticA9A(rows int) (d *sparse.Dataset, g *graph.Graph, err error) {
	sh := suite.A9A
	sh.Rows = rows
	x, labels := sh.Build(9)
	var pairs [][2]int32
	for _, step := range []int{1, 7, 70} { // these steps give 122, 116 and 53 edges
		for i := range sh.Cols - step {
			pairs = append(pairs, [2]int32{int32(i), int32(i + step)})
		}
	}
	g, err = graph.FromPairs(sh.Cols, pairs)
	return &sparse.Dataset{X: x, Labels: labels}, g, err
}
