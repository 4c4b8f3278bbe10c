package main

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse/graph/draw"
)

type trainCmd struct {
	Data string `arg:"" optional:"" name:"DATA" help:"${data} Only --method list goes without it."`

	Lambda notNegative `default:"1e-4" placeholder:"F" help:"Factor of the penalty, which is added to the mean loss. A larger factor makes more coefficients zero; scas cv finds a good one (default ${default})." group:"Loss and penalty:"`

	fitFlags

	Checkpoint  string     `placeholder:"FILE" help:"File in which rank 0 stores the state after every outer iteration or class. Give it again to continue after a failure or after --time-limit, with any number of ranks. It is removed when the fit is done. One process stores no state of Newton steps, only the fitted classes if there are more than two." group:"With more than one machine:"`
	Method      methodFlag `default:"auto" placeholder:"NAME" help:"auto: Newton steps until the result is proved. Other names are methods to compare with; list explains them (default ${default})." group:"How it is solved:"`
	Tol         tolerance  `default:"auto" placeholder:"F|auto|none" help:"Training ends when the objective is proved to be within F times the objective at 0 of the optimum; auto: 1e-6 with --method auto, else none (default ${default})." group:"How it is solved:"`
	TimeLimit   duration   `placeholder:"DURATION" help:"Stop after this time, such as 90s or 5m, and keep the model found until then." group:"How it is solved:"`
	DualUpdates count      `placeholder:"K" help:"Updates of the multipliers for each full gradient, for methods that can make several (default: from the data)." group:"For the methods of --method list:"`
	Passes      auto       `default:"auto" placeholder:"N|auto" help:"Budget in passes over the data; Newton steps count too (default ${default}: 100 passes, Newton steps not counted)." group:"For the methods of --method list:"`
	Eta         auto       `default:"auto" placeholder:"F|auto" help:"Step size; --method list --verbose explains it for each method (default ${default})." group:"For the methods of --method list:"`
	Rho         auto       `default:"auto" placeholder:"F|auto" help:"Penalty parameter of the augmented Lagrangian (default ${default})." group:"For the methods of --method list:"`
	InnerSteps  count      `placeholder:"N" help:"Samples between two full gradients, for methods that let you choose (default: the number of rows, or what the method prescribes)." group:"For the methods of --method list:"`
	BatchSize   count      `placeholder:"N" help:"Samples per stochastic step (default: 1; more with a graph that makes steps expensive)." group:"For the methods of --method list:"`
	Schedule    string     `enum:"practical,theorem" default:"practical" help:"For scas and scas-strong. practical: one step size, n steps for each full gradient. theorem: the schedule of the convergence proofs (default ${default})." group:"For the methods of --method list:"`
	Start       string     `placeholder:"MODEL" help:"Begin at this model, which must have the same features and classes, for example a model of fewer rows or for another lambda. The fit needs fewer steps and finds the same optimum." group:"How it is solved:"`
	Seed        seed       `default:"0" placeholder:"N" help:"Seed of the sampling; equal seeds give equal models (default ${default})." group:"How it is solved:"`
	Float32     bool       `name:"float32" help:"Round the values of DATA to 32 bits: faster if the data do not fit into the processor's cache." group:"For the methods of --method list:"`

	Model  string `short:"o" placeholder:"FILE" help:"Write the model to this file." group:"What is written:"`
	Output string `enum:"last,average" default:"last" help:"Iterate to store: the last one, or the average of the paper's theorems. -o FILE names the file." group:"For the methods of --method list:"`
	SVG    string `name:"svg" placeholder:"FILE" help:"Draw the graph. Features with equal coefficients have one colour, features with a zero coefficient are faint." group:"What is written:"`
	pageFlags
	JSON    bool `name:"json" help:"Print the result as one JSON object." group:"What is written:"`
	Verbose bool `help:"Also show parameters, kernels and memory, and the constants of the paper's theorems." group:"What is written:"`
}

func (trainCmd) Help() string {
	return `Examples:

    scas train --lambda 1e-3 -o model.json train.svm
    scas train --no-intercept --no-standardize --lambda 1e-5 --features 123 a9a
    scas train --loss squared --label price -o price.json houses.csv
    scas train --graph edges.txt --lambda 1e-3 -o fused.json train.svm
    scas train --loss squared --graph chain --passes 200 signal.svm
    scas train --class-weights balanced --domain nonnegative train.svm
    scas train --graph edges.txt --svg fused.svg --report fit.html train.svm
    scas train -o iris.json iris.csv
    scas train --bounds signs.txt --start old.json -o new.json train.svm
    scas train --method list
    zcat data.gz | scas train --json -

By default there is an intercept, and features are standardised unless there is a
graph, as in scas path and scas cv. --no-intercept and --no-standardize turn this
off.

--method auto makes Newton steps. With a graph that has many edges at each feature,
it does so only for up to some thousands of coefficients. For more it makes passes
of scas-k. If a flag asks for passes, it makes them before the Newton steps. Other
methods do not support every problem: an error says which flag to change.

--lambda is glmnet's lambda for classes, and twice glmnet's for --loss squared.
liblinear's C is 1/(n lambda), with n rows; it neither standardises features nor
leaves the intercept out of the penalty.

--tol is relative to the objective at 0, where all coefficients are 0. With poisson
loss the intercept is not 0 there, but the best one. The penalty of --groups is the
sum over groups of sqrt(size) |x_group|_2. A list of edges stands for A = [G; I]:
G has a row x_i - x_j for each edge. Files of --graph may also be Matrix Market.
With --missing mean, median or zero, a missing category is 0 in each of its
features. --verbose says for scas and scas-strong whether Theorem 2 of the paper
applies.

Labels name two classes, or up to 5,000 classes. With more than two, labels must be
words or whole numbers, each in two rows or more. Then each class is fitted against
the rest, and one model file has all of them.

The table or the JSON object goes to standard output. Progress and warnings go to
standard error; if this is no terminal, there is a line of progress every ten
seconds. A run that ends with an exit code other than 0 and 4 writes no model, and
does not change an existing one.

Exit codes: 0 done (the result is proved, or no proof is asked for or possible and
the passes are made), 1 cannot read or write (also for malformed input, and for work
that needs more than --memory), 2 wrong usage, 3 diverged or a number in the input is
not finite, 4 not converged (the model is written and says so; for data larger than
--memory there is none if --time-limit comes before the first objective is known),
75 a rank of --dist is lost (give the same command again), 130 interrupted.`
}

func (c *trainCmd) Run(e *env) error {
	if c.Method.isList {
		return printMethods(e, c.JSON, c.Verbose)
	}
	if err := c.check(); err != nil {
		return err
	}
	return c.run(e, c.Data, c.train)
}

func (c *trainCmd) train(e *env) error {
	var r *trainReport
	var err error
	out := outputs{
		{"-o", c.Model, func(w io.Writer) error { return r.model.Write(w) }},
		{"--svg", c.SVG, func(w io.Writer) error { return drawTied(w, r.fitSpec.spec.Graph, r.model, 0) }},
		c.output(func() (*page, error) { return r.page(e, err) }),
		{"--checkpoint", c.Checkpoint, nil}, // the fit writes and removes this file
	}
	report, err := c.begin(e, out, workload{settings: c.settings(), scored: c.Report != ""},
		c.Start)
	if err == nil {
		err = c.completeSpec(e, &report)
	}
	if err != nil {
		return err
	}
	r, err = c.fit(e, report)
	if r == nil {
		return err
	}
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		_ = e.show(c.JSON, r)
		return err
	}
	writeErr := out.write(e, func() error {
		r.writtenFiles = writtenFiles{Model: c.Model, SVG: c.SVG, Report: c.Report}
		return e.show(c.JSON, r)
	})
	if writeErr != nil {
		return writeErr
	}
	timeDone := func(column model.Column) bool { return column.Certificate.Status == solver.TimeDone }
	if !slices.ContainsFunc(r.model.Columns, timeDone) { // otherwise, the fit can continue with more time
		c.removeCheckpoint(e)
	}
	return err
}

// completeSpec sets the fields of the specification for flags that only scas train has.
func (c *trainCmd) completeSpec(e *env, report *problemReport) error {
	s := report.fitSpec
	s.spec.Lambda, s.spec.Average = float64(c.Lambda), c.Output == "average"
	err := c.checkDrawing(s)
	if err != nil {
		return err
	}
	s.spec.Start, err = await(e, func() (*model.Model, error) { return c.readStart(s) })
	err = c.ranks.team.CommonError(err)
	if err != nil {
		return err
	}
	s.spec.Checkpoint, err = c.checkpoint(report)
	return c.ranks.team.CommonError(err)
}

// fit fits the model and returns the report. It may return a report and an error, for example if the fit
// did not converge.
func (c *trainCmd) fit(e *env, report problemReport) (*trainReport, error) {
	s, task := report.fitSpec, "fitting"
	if fitsOf(s.data) > 1 {
		task = "fitting " + plural(fitsOf(s.data), "class")
	}
	var m *model.Model
	stopped, err := c.measureFit(e, &report, func() (err error) {
		p := e.beginProgress(task)
		defer p.end()
		p.setReports(s, fitCount{})
		m, err = model.FitData(e.ctx, &s.spec, s.data)
		return err
	})
	if m == nil || stopped {
		return nil, nameData(c.Data, e.interruptError(err, "no model written"))
	}
	r := newTrainReport(report, m, c.Verbose)
	r.Start = dataName(c.Start)
	r.warnOfNoOptimum(e)
	stats, statsErr := c.ranks.computeTrainingStats(s, m, &c.pageFlags)
	if statsErr == nil && stats.metrics == nil && m.Classifies() && !s.outOfCore() {
		// Out of core there is no accuracy, because it would need one more pass.
		stats.metrics, statsErr = c.ranks.score(s, m, true)
	}
	if statsErr != nil && err == nil {
		return nil, nameData(c.Data, statsErr)
	}
	r.trainingStats = stats
	if stats.metrics != nil && m.Classifies() {
		r.Accuracy = &stats.metrics.Classes.Accuracy
	}
	return r, err
}

func (c *trainCmd) check() error {
	switch {
	case c.Data == "":
		return usagef("expected \"<DATA>\", a data file or - for standard input")
	case c.Checkpoint != "" && c.graphFile() == "-":
		return usagef("--checkpoint takes no --graph -, because the run that continues reads the graph again; name a file")
	case c.SVG != "" && c.Graph == "none":
		return usagef("--svg draws a graph; give --graph as well")
	}
	return c.fitFlags.check()
}

// checkDrawing returns an error if --svg is given and cannot draw the model of s.
func (c *trainCmd) checkDrawing(s *fitSpec) error {
	g := s.spec.Graph
	switch {
	case c.SVG == "":
		return nil
	case fitsOf(s.data) > 1:
		return usagef("--svg draws one model, and several classes have one each; --report FILE has all of them")
	case g == nil:
		return usagef("--svg draws a graph, and --graph %s is a matrix read as A itself", c.Graph)
	case !draw.Fits(g):
		return usagef("--svg draws graphs of at most %d features with edges, and --graph %s has more",
			draw.MaxNodes, c.Graph)
	}
	return nil
}

func (c *trainCmd) settings() solver.Settings {
	return solver.Settings{
		Method: c.Method.Method, RelTol: float64(c.Tol), TimeLimit: time.Duration(c.TimeLimit),
		DualUpdates: int(c.DualUpdates), Passes: float64(c.Passes),
		Eta: float64(c.Eta), Rho: float64(c.Rho), InnerSteps: int(c.InnerSteps), BatchSize: int(c.BatchSize),
		Schedule: solver.Schedule(c.Schedule), Seed: uint64(c.Seed), Float32: c.Float32,
		Threads: int(c.Threads),
	}
}
