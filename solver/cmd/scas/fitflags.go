package main

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// dataHelp is the help of the argument DATA.
const dataHelp = "Data file: LIBSVM text, or by its ending a table (.csv, .tsv), NumPy's .npy or .npz, Matrix Market (.mtx), or what scas convert wrote (.scas); plain or compressed (gzip, bzip2, xz, zstd), or - for standard input."

// fitFlags are the flags of commands that fit models to DATA.
type fitFlags struct {
	Data string `arg:"" name:"DATA" help:"${data}"`

	specFlags   `group:"What is fitted:"`
	lambdaFlags `group:"Which lambdas:"`
	solveFlags  `group:"How it is solved:"`
	rowFlags    `group:"How DATA is read:"`

	ranks ranks // of scas train
}

// read reads DATA, unless out cannot be written. beyond says that the data may be larger than memory.
func (c *fitFlags) read(e *env, out outputs, beyond bool) (*sparse.Dataset, error) {
	if err := out.check(append(c.inputs(), c.Data, c.Labels)...); err != nil {
		return nil, err
	}
	return e.readRows(c.Data, &c.rowFlags, c.Loss, beyond)
}

// readRows reads the data of a fit. beyond says that they may be larger than memory.
func (e *env) readRows(path string, c *rowFlags, loss lossFlag, beyond bool) (*sparse.Dataset, error) {
	opt := &sparse.ReadOptions{
		IndexBase: c.IndexBase.IndexBase, Features: int(c.Features), Strict: c.Strict, Regression: !loss.classifies(), Counts: loss.counts(), Table: c.table(), Beyond: beyond,
	}
	if c.Positive != nil {
		opt.Positive, opt.PositiveName = c.Positive.number, c.Positive.word
	}
	if loss.classifies() {
		opt.MaxClasses = model.MaxClasses
	}
	if opt.Table.Offset = c.OffsetColumn; c.OffsetColumn != "" && !c.isTable(path) {
		return nil, usagef("--offset-column is for tables, and %s is read as %v; give --offset FILE", dataName(path), c.formatOf(path))
	}
	data, err := e.readData(path, opt, &c.formFlags, c.Memory)
	if err == nil && data.Stats.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted (--strict refuses them)", plural(data.Stats.SortedRows, "row"))
	}
	return data, err
}

// fits says how a command fits.
type fits struct {
	settings solver.Settings
	atOnce   int  // number of fits in memory at the same time
	held     bool // some rows are held out
	scored   bool // the models of several classes are scored on all rows at once
}

// hardlyClasses is the largest number of different labels that are taken for classes without a
// warning: more whole numbers may be years, or prices.
const hardlyClasses = 100

// begin specifies the fits to data that have been read since start, and returns the head of the
// report.
func (c *fitFlags) begin(e *env, data *sparse.Dataset, start time.Time, of fits) (problemReport, error) {
	whole, claim, t := c.ranks.whole(data), c.claim(data, of), c.ranks.team
	exceeds, err := await(e, func() (bool, error) { return c.Memory.exceeds(claim), nil })
	if err = t.Agreed(err); err != nil {
		return problemReport{}, err
	}
	pieces := t.Any(exceeds || c.ranks.pieces)
	s, err := await(e, func() (*specified, error) { return c.specify(data, whole, of, claim, pieces) }) // it reads files
	if err = t.Agreed(err); err != nil {
		return problemReport{}, err
	}
	if k := len(data.Classes.Values); k > hardlyClasses && data.Classes.Names == nil {
		e.warn("the labels of %s are %s different whole numbers, each fitted as a class against the rest: if they are numbers to predict, give --loss squared", dataName(c.Data), grouped(k))
	}
	r := s.report(c.Data)
	if !s.beyond() {
		r.Empty = c.ranks.empty(data)
	}
	if c.ClassWeights != "none" {
		r.ClassWeights = c.ClassWeights
	}
	if c.SampleWeights != "" {
		r.SampleWeights = filepath.Base(c.SampleWeights)
	}
	r.ReadSeconds = time.Since(start).Seconds()
	return r, nil
}

// shapeFlags say what is fitted beside the penalty.
type shapeFlags struct {
	Intercept   *bool  `negatable:"" help:"Fit a constant beside the coefficients, neither penalised nor in the graph (default: yes)."`
	Standardize *bool  `negatable:"" help:"Penalise features on the scale of their standard deviations; the coefficients remain those of the data as given (default: yes without a graph, no with one)."`
	L1Ratio     *share `name:"l1-ratio" placeholder:"F" help:"The elastic net: the penalty is lambda times (F |x|_1 + (1-F)/2 |x|^2), so that 1 is the lasso and 0 ridge regression (default: 1)."`
	Names       string `placeholder:"FILE" help:"Names of the features, one a line, for the model and what is printed."`
	// Offset is a file with a number for each row.
	Offset string `placeholder:"FILE" help:"A number for every row of DATA, one a line, that is added to its margin as it is, such as the logarithm of an exposure; of tables --offset-column names a column instead."`
	// PenaltyFactors is a file with a number for each feature.
	PenaltyFactors string `placeholder:"FILE" help:"What the penalty of each feature is multiplied by, one number a line: 0 for features that are to be in the model whatever lambda is."`
}

// share is a number from 0 to 1.
type share float64

func (v *share) UnmarshalText(text []byte) error {
	return unmarshal(v, text, func(f float64) bool { return f >= 0 && f <= 1 }, "a number from 0 to 1")
}

// specFlags say what is fitted.
type specFlags struct {
	Loss   lossFlag    `default:"logistic" placeholder:"NAME" help:"${losses} (default ${default})."`
	Graph  string      `default:"none" placeholder:"none|chain|FILE" help:"The fused lasso: features that the graph joins tend to equal coefficients. chain: neighbours are joined. FILE: a list of edges 'i j [weight]', counted from 1, such as scas graph writes, for a penalty |A x|_1 with A = [G; I], G having a row x_i - x_j for each; or a matrix file 'rows cols nnz' ... read as A itself; or either as Matrix Market (default ${default})."`
	Fusion positive    `default:"1" placeholder:"F" help:"Weight of the graph's part of the penalty beside that of the coefficients (default ${default})."`
	Groups string      `placeholder:"FILE" help:"The group lasso: coefficients of a group are zero together; the penalty is the sum over groups of sqrt(size) |x_group|_2. The file has a group a line, numbers of features counted from 1 (with --graph of rows of A, those of the edges first); features in none are not penalised."`
	Mu     notNegative `default:"0" placeholder:"F" help:"Adds (F/2)|x|^2, a ridge term that lambda does not multiply (default ${default})."`
	L2Y    notNegative `name:"l2y" default:"0" placeholder:"F" help:"Adds (F/2)|A x|^2, with --graph (default ${default})."`
	Domain domainFlag  `placeholder:"SET" help:"Confine the coefficients, but not the intercept: box:LO,HI or nonnegative; or, with --no-intercept and --no-standardize, ball:RADIUS or simplex[:TOTAL]."`
	shapeFlags
	ClassWeights  string `enum:"none,balanced" default:"none" help:"balanced: both classes count the same, however many rows they have; of several, each as much as the rest."`
	SampleWeights string `placeholder:"FILE" help:"A weight for every row of DATA, one number a line."`

	constraint *graph.Constraint // what the file of Graph has, if it has been read
}

// rowFlags say how DATA is read.
type rowFlags struct {
	indexFlags
	memoryFlags
	Positive     *positiveFlag `placeholder:"LABEL" help:"Label of the positive class of two (default: the larger, of words the later in the alphabet)."`
	OffsetColumn string        `placeholder:"COLUMN" help:"Tables: the column of the offsets, see --offset; it is not a feature."`
	Strict       bool          `help:"Refuse rows whose indices are not increasing, instead of sorting them."`
}

// solveFlags say how accurate fits are and what they may take.
type solveFlags struct {
	Tol       ratio    `default:"1e-6" placeholder:"F" help:"Every fit ends when its objective is proved to be within F times the objective at 0 (with poisson loss at the best intercept alone) of the optimum (default ${default})."`
	TimeLimit duration `placeholder:"DURATION" help:"End after so long, such as 90s or 5m: scas path with the lambdas until then, scas cv with nothing."`
	Seed      uint64   `default:"0" placeholder:"N" help:"Seed of what is drawn, such as the folds (default ${default})."`
	Threads   count    `placeholder:"N" help:"Goroutines (default: one per CPU). Any number gives the same bits."`
	Level     level    `placeholder:"L" help:"Kernel level: generic, avx2 or avx512 (default: the best one). All give the same bits."`
}

// settings returns the settings of fits.
func (c *solveFlags) settings() solver.Settings {
	return solver.Settings{RelTol: float64(c.Tol), TimeLimit: time.Duration(c.TimeLimit), Seed: c.Seed, Threads: int(c.Threads)}
}

// lambdaFlags say which lambdas a path has.
type lambdaFlags struct {
	Lambdas count `default:"100" placeholder:"N" help:"Number of lambdas (default ${default})."`
	Ratio   ratio `placeholder:"F" help:"The last lambda over the first, which is the least that makes every coefficient zero (default: 1e-4 with more rows than features, else 1e-2)."`
}

// ratio is a number between 0 and 1.
type ratio float64

func (v *ratio) UnmarshalText(text []byte) error {
	return unmarshal(v, text, func(f float64) bool { return f > 0 && f < 1 }, "a number above 0 and below 1")
}

// path returns the settings of a path.
func (c *lambdaFlags) path() model.PathSettings {
	return model.PathSettings{Count: int(c.Lambdas), Ratio: float64(c.Ratio)}
}

// inputs are the files that are read beside DATA.
func (c *specFlags) inputs() []string {
	g := c.Graph
	for _, prefix := range []string{"edges:", "matrix:"} {
		g = strings.TrimPrefix(g, prefix)
	}
	return []string{g, c.Groups, c.SampleWeights, c.Names, c.PenaltyFactors, c.Offset}
}

// check refuses flags that do not belong together.
func (c *specFlags) check(rows *rowFlags) error {
	graph, positive := c.Graph != "none", rows.Positive
	switch {
	case c.Offset != "" && rows.OffsetColumn != "":
		return usagef("give either --offset or --offset-column")
	case positive != nil && !c.Loss.classifies():
		return usagef("--positive is for two classes; --loss %s takes labels as numbers", c.Loss)
	case c.ClassWeights != "none" && !c.Loss.classifies():
		return usagef("--class-weights %s is for two classes; --loss %s takes labels as numbers", c.ClassWeights, c.Loss)
	case c.ClassWeights != "none" && c.SampleWeights != "":
		return usagef("give either --class-weights or --sample-weights")
	case c.Groups != "" && c.L1Ratio != nil:
		return usagef("give either --groups or --l1-ratio")
	case c.Groups != "" && c.L2Y != 0:
		return usagef("give either --groups or --l2y")
	case c.Groups != "" && c.PenaltyFactors != "":
		return usagef("give either --groups or --penalty-factors")
	case c.Domain.whole && (c.Intercept == nil || *c.Intercept):
		return usagef("--domain %s is for models without an intercept; give --no-intercept as well", c.Domain.text)
	case c.Domain.whole && (c.Standardize == nil && !graph || c.Standardize != nil && *c.Standardize):
		return usagef("--domain %s is for features as they are; give --no-standardize as well", c.Domain.text)
	case c.Domain.whole && c.L1Ratio != nil && c.PenaltyFactors != "":
		return usagef("--domain %s with --l1-ratio takes no --penalty-factors", c.Domain.text)
	case c.Fusion != 1 && !graph:
		return usagef("--fusion %v is the weight of a graph; give --graph as well", c.Fusion)
	}
	return nil
}
