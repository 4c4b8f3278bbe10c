package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/draw"
)

type trainCmd struct {
	Data string `arg:"" optional:"" name:"DATA" help:"${data}"`

	Lambda notNegative `default:"1e-4" placeholder:"F" help:"Weight of the penalty beside the mean loss: the larger, the fewer coefficients are not zero, and the more are tied by a graph (default ${default}); scas cv finds a good value." group:"What is fitted:"`

	specFlags `group:"What is fitted:"`
	runFlags  `group:"How it is solved:"`
	distFlags `group:"With more than one machine:"`
	rowFlags  `group:"How DATA is read:"`
	Float32   bool `name:"float32" help:"Round the values of DATA to 32 bits, for speed where they stream from memory." group:"For the methods of --method list:"`

	Model  string `short:"o" placeholder:"FILE" help:"Write the model there."`
	Output string `enum:"last,average" default:"last" help:"Which iterate the model holds: last, or the average of the paper's theorems." group:"For the methods of --method list:"`
	SVG    string `name:"svg" placeholder:"FILE" help:"Draw the graph: features of a fused group in one colour, those with a coefficient of zero faint."`
	pageFlags
	JSON    bool  `name:"json" help:"Print the result as one JSON object."`
	Verbose bool  `help:"Also show how it was done (parameters, kernels, memory), the constants of the paper's theorems, and for scas and scas-strong whether Theorem 2 applies."`
	Threads count `placeholder:"N" help:"Goroutines for the passes over the data (default: one per CPU). Any number gives the same bits."`
	Level   level `placeholder:"L" help:"Kernel level: generic, avx2 or avx512 (default: the best one). All give the same bits."`

	ranks ranks
}

// runFlags say how, and when to end.
type runFlags struct {
	Method      methodFlag `default:"auto" placeholder:"NAME" help:"auto proves its result: Newton steps, up to some thousands of coefficients that are not zero; passes of scas-k beyond, and before them where a flag asks for passes. Other names are methods to compare with; list explains them (default ${default})."`
	Tol         tolerance  `default:"auto" placeholder:"F|auto|none" help:"End when the objective is proved to be within F times the objective at 0 (with poisson loss at the best intercept alone) of the optimum; auto: 1e-6 with --method auto, none with another (default ${default})."`
	TimeLimit   duration   `placeholder:"DURATION" help:"End training after so long, such as 90s or 5m, with what there is."`
	DualUpdates count      `placeholder:"K" help:"Updates of the multipliers for each full gradient, of the methods that have many (default: from the data)." group:"For the methods of --method list:"`
	Passes      auto       `default:"auto" placeholder:"N|auto" help:"Budget, a pass being a look at every row; auto: 100, Newton steps not counted, as they are of a number given (default ${default})." group:"For the methods of --method list:"`
	Eta         auto       `default:"auto" placeholder:"F|auto" help:"Step size; --method list --verbose says what it is to each method (default ${default})." group:"For the methods of --method list:"`
	Rho         auto       `default:"auto" placeholder:"F|auto" help:"Penalty parameter of the augmented Lagrangian (default ${default})." group:"For the methods of --method list:"`
	InnerSteps  count      `placeholder:"N" help:"Samples between two full gradients, of the methods that take any (default: the number of rows, or the schedule of the method)." group:"For the methods of --method list:"`
	BatchSize   count      `placeholder:"N" help:"Samples per stochastic step (default: 1, or more where the graph makes steps dear)." group:"For the methods of --method list:"`
	Schedule    string     `enum:"practical,theorem" default:"practical" help:"practical: one step size, n steps for each full gradient; theorem: those of the convergence proofs, for scas and scas-strong." group:"For the methods of --method list:"`
	Seed        uint64     `default:"0" placeholder:"N" help:"Seed of the sampling; equal seeds give equal models (default ${default})."`
}

// Help is shown by scas train --help.
func (trainCmd) Help() string {
	return `Examples:

    scas train --lambda 1e-3 -o model.json train.svm
    scas train --no-intercept --no-standardize --lambda 1e-5 --features 123 a9a.zst
    scas train --loss squared --label price -o price.json houses.csv
    scas train --graph edges.txt --lambda 1e-3 -o fused.json train.svm
    scas train --loss squared --graph chain --passes 200 signal.svm
    scas train --class-weights balanced --domain nonnegative train.svm
    scas train --graph edges.txt --svg fused.svg --report fit.html train.svm
    scas train -o iris.json iris.csv
    scas train --method list
    zcat data.gz | scas train --json -

By default there is an intercept, and features are standardised unless there is
a graph, whatever the format of DATA, as in scas path and scas cv; --no-intercept
and --no-standardize turn that off. --method NAME, --tol none and the flags for the
methods of --method list fit no intercept and take features as they are, which the
report says; they go neither with --intercept and --standardize, nor with
--l1-ratio, --fusion, --penalty-factors, --names and offsets. Earlier versions fitted
none, either, with --mu, --l2y, --domain, a matrix A and --groups with --graph: with
--no-intercept and --no-standardize these give the models of before.

Labels are of two classes, or of more, up to 5,000: words, or whole numbers, each
in two rows or more. Of more than two each is fitted against the rest, by Newton
steps as above, in one model file.

The table or the JSON object goes to standard output, progress (where that is no
terminal every ten seconds) and warnings to standard error. A run that ends with another exit code than 0 and 4 writes no
model and leaves an existing one alone.

Exit codes: 0 done (where no gap can be proved, and with named methods without
--tol: the passes are made), 1 cannot read or write (malformed input included,
and what would take more than --memory), 2 wrong usage, 3 diverged or a number in
the input is not finite, 4 not converged (the model is written and says so; of data
larger than --memory there is none where --time-limit comes before the objective of
a point is known), 130 interrupted.`
}

// Run trains.
func (c *trainCmd) Run(e *env) error {
	if c.Method.list {
		return printMethods(e, c.JSON, c.Verbose)
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.Dist != "none" {
		return c.together(e)
	}
	return c.train(e)
}

// train trains, with the other ranks if there are some.
func (c *trainCmd) train(e *env) error {
	restore, err := c.Level.use()
	if err != nil {
		return err
	}
	defer restore()
	var r fitResult
	out := outputs{
		{"-o", c.Model, func(w io.Writer) error { return r.encode(w) }},
		{"--svg", c.SVG, func(w io.Writer) error { return r.draw(w) }},
		c.output(func() (*page, error) { return r.page(e, err) }),
	}
	if err := c.ranks.team.Agreed(out.check(c.inputs()...)); err != nil {
		return err
	}
	start := time.Now()
	data, err := c.read(e)
	if err == nil {
		err = c.readConstraint(e, data)
	}
	if err != nil {
		return err
	}
	fit := c.minimize
	if !data.Classes.IsZero() || c.fitted() {
		fit = c.fit
	}
	if r, err = fit(e, data, start); r == nil {
		return err
	}
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		return cmp.Or(err, e.show(c.JSON, r))
	}
	failed := out.write(e, func() error {
		r.wrote(written{c.Model, c.SVG, c.Report})
		return e.show(c.JSON, r)
	})
	if failed != nil {
		return failed
	}
	c.forget(e)
	return err
}

// A fitResult is a report of a fit that knows the model.
type fitResult interface {
	text() string
	encode(io.Writer) error // the model
	draw(io.Writer) error   // its graph
	page(e *env, err error) (*page, error)
	wrote(written)
}

// minimize trains through package solver. Without a result there is an error.
func (c *trainCmd) minimize(e *env, data *sparse.Dataset, start time.Time) (fitResult, error) {
	settings := c.settings()
	whole := c.ranks.whole(data)
	t, err := await(e, func() (*task, error) { return c.task(data, whole) }) // it reads files
	if err == nil {
		settings.Checkpoint, err = c.checkpoint(data, t.facts, t.whole.nnz)
	}
	if err = c.ranks.team.Agreed(err); err != nil {
		return nil, err
	}
	solve, err := c.allowTraining(t, settings)
	if err = c.ranks.team.Agreed(err); err != nil {
		return nil, err
	}
	readSeconds := time.Since(start).Seconds()
	e.warnOfMemory(settings.Method, &t.Problem)
	p := e.begin("training")
	then := c.ranks.tally()
	res, err := solve(e.ctx, &t.Problem, settings, p)
	told := c.ranks.told(then)
	p.end()
	if err != nil {
		other, _ := c.unfitted() // what --standardize does not go with
		err = ofScales(err, data, c.Memory.beyond(data) || c.ranks.pieces, other == "")
	}
	if err := e.interrupted(err, "no model written"); res == nil || c.ranks.team.Any(err != nil && e.ctx.Err() != nil) {
		return nil, err
	}
	if res.Status == solver.TimeDone && !isFinite(res.At.Objective) { // of data larger than memory
		return nil, fmt.Errorf("%w: the time limit came before the objective of a point was known; no model is written; allow more with --time-limit", solver.ErrNotConverged)
	}
	if err == nil && res.Status == solver.TimeDone {
		err = fmt.Errorf("%w: the time limit came before the end of the run; allow more with --time-limit", solver.ErrNotConverged)
	}
	r := newTrainReport(c, t, res)
	r.ReadSeconds, r.rankFacts = readSeconds, told
	e.warnOfNoOptimum(r.NoOptimum)
	return r, err
}

// check refuses flags that do not belong together.
func (c *trainCmd) check() error {
	switch {
	case c.Data == "":
		return usagef("expected \"<DATA>\", a data file or - for standard input")
	case c.Positive != nil && !c.Loss.classifies():
		return usagef("--positive is for two classes; --loss %s takes labels as numbers", c.Loss)
	case c.ClassWeights != "none" && !c.Loss.classifies():
		return usagef("--class-weights %s is for two classes; --loss %s takes labels as numbers", c.ClassWeights, c.Loss)
	case c.ClassWeights != "none" && c.SampleWeights != "":
		return usagef("give either --class-weights or --sample-weights")
	case c.SVG != "" && c.Graph == "none":
		return usagef("--svg draws a graph; give --graph as well")
	}
	if c.fitted() {
		return c.checkFit()
	}
	return nil
}

// drawable refuses to draw what is no graph, or one of too many features.
func (c *trainCmd) drawable(g *graph.Graph) error {
	switch {
	case c.SVG == "":
		return nil
	case g == nil:
		return usagef("--svg draws a graph, and --graph %s is a matrix read as A itself", c.Graph)
	case !draw.Fits(g):
		return usagef("--svg draws graphs of at most %d features with edges, and --graph %s has more", draw.MaxNodes, c.Graph)
	}
	return nil
}

// inputs are the files that training reads.
func (c *trainCmd) inputs() []string { return append(c.specFlags.inputs(), c.Data, c.Labels) }

func (c *trainCmd) settings() *solver.Settings {
	return &solver.Settings{
		Method: c.Method.Method, RelTol: float64(c.Tol), TimeLimit: time.Duration(c.TimeLimit), DualUpdates: int(c.DualUpdates), Passes: float64(c.Passes),
		Eta: float64(c.Eta), Rho: float64(c.Rho), InnerSteps: int(c.InnerSteps), BatchSize: int(c.BatchSize),
		Schedule: solver.Schedule(c.Schedule), Seed: c.Seed, Float32: c.Float32, Threads: int(c.Threads),
	}
}
