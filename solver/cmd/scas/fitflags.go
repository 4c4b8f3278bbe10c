package main

import (
	"io"
	"runtime"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

const dataHelp = "Data file: LIBSVM text, or by its ending a table (.csv, .tsv), NumPy's .npy or .npz, Matrix Market (.mtx), or what scas convert wrote (.scas); plain or compressed (gzip, bzip2, xz, zstd), or - for standard input."

// fitFlags are the flags of all commands that fit models to DATA: train, path and cv.
type fitFlags struct {
	Loss           lossFlag    `default:"logistic" placeholder:"NAME" help:"${losses} (default ${default})." group:"Loss and penalty:"`
	Graph          string      `default:"none" placeholder:"none|chain|FILE" help:"Fused lasso: the coefficients of joined features are drawn to equal values. chain joins neighbours. FILE (or -) has an edge 'i j [weight]' a line, with features counted from 1, as scas graph writes it; or a matrix A for the penalty |A x|_1, as 'rows cols nnz' and its entries (default ${default})." group:"Structure:"`
	Fusion         positive    `default:"1" placeholder:"F" help:"Weight of the differences along the graph, relative to the penalty of the coefficients (default ${default})." group:"Structure:"`
	Groups         string      `placeholder:"FILE" help:"Group lasso: the coefficients of a group, such as all categories of a column, become zero only together. FILE has a line for each group: numbers of features from 1 (with --graph, of rows of A, edges first). Others are not penalised." group:"Structure:"`
	Mu             notNegative `default:"0" placeholder:"F" help:"Add (F/2)|x|^2 to the penalty, whatever lambda is (default ${default})." group:"Loss and penalty:"`
	L2Y            notNegative `name:"l2y" default:"0" placeholder:"F" help:"Add (F/2)|A x|^2: coefficients that --graph joins become closer, but not equal (default ${default})." group:"Structure:"`
	Domain         domainFlag  `placeholder:"SET" help:"Set that contains the coefficients: nonnegative, box:LO,HI, ball:RADIUS or simplex[:TOTAL]. The last two need --no-intercept and --no-standardize." group:"Structure:"`
	Bounds         string      `placeholder:"FILE" help:"Bounds of coefficients, in the units of DATA. FILE has a line 'feature lower upper' for each feature with bounds: its name, such as age or city=Bern (its number from 1 if features have no names), and numbers, -inf or inf." group:"Structure:"`
	Intercept      bool        `negatable:"" default:"true" help:"Fit an intercept, which is not penalised (default: yes)." group:"Intercept and features:"`
	Standardize    *bool       `negatable:"" help:"Divide features by their standard deviations for the penalty; coefficients stay on the scale of the data (default: yes, but no with a graph)." group:"Intercept and features:"`
	L1Ratio        *share      `name:"l1-ratio" placeholder:"F" help:"Elastic net: in the penalty, F |x|_1 + (1-F) |x|^2/2 replaces |x|_1. 1 is the lasso, 0 ridge regression. The differences along a graph keep their weight (default 1)." group:"Loss and penalty:"`
	Names          string      `placeholder:"FILE" help:"File with the names of the features, one a line, for data without names." group:"Intercept and features:"`
	Offset         string      `placeholder:"FILE" help:"File with a number for each row, one a line, that is added to its margin, such as the logarithm of an exposure. For tables see --offset-column." group:"Rows:"`
	PenaltyFactors string      `placeholder:"FILE" help:"File with a factor for each feature, one a line, that multiplies its penalty; 0 keeps the feature in every model. A column of words is a feature for each category, such as city=Bern." group:"Intercept and features:"`
	ClassWeights   string      `enum:"none,balanced" default:"none" help:"balanced gives both classes the same total weight. With more than two classes, it does so for each class and the rest." group:"Rows:"`
	SampleWeights  string      `placeholder:"FILE" help:"File with a weight for each row, one a line." group:"Rows:"`

	dataFlags
	memoryFlags

	Positive     *positiveFlag `placeholder:"LABEL" help:"Label of the positive class, if there are two classes (default: the larger number, or the later word)." group:"Rows:"`
	OffsetColumn string        `placeholder:"COLUMN" help:"Column with the offset of each row, see --offset. It is not a feature." group:"Tables:"`
	Strict       bool          `help:"Refuse rows of LIBSVM text or npz whose indices do not increase, instead of sorting them." group:"Form of DATA:"`
	Threads      count         `placeholder:"N" help:"Threads (default: one per CPU). Any number gives the same bits." group:"Memory and processors:"`
	Level        level         `placeholder:"L" help:"Kernel level: generic, avx2 or avx512 (default: the best one). All give the same bits." group:"Memory and processors:"`

	distFlags `group:"With more than one machine:"`

	file  string // the argument DATA
	stdin io.Reader
	ranks ranks
}

// pathFlags are the argument and the flags of the commands that fit a path: path and cv.
type pathFlags struct {
	Data string `arg:"" name:"DATA" help:"${data}"`

	fitFlags

	Lambdas   lambdasFlag `default:"100" placeholder:"N|F,F,..." help:"Number of lambdas, or the lambdas themselves, the largest first, such as 0.1,0.01 (default ${default})." group:"Which lambdas:"`
	Ratio     ratio       `placeholder:"F" help:"The smallest lambda divided by the largest. The largest is the smallest at which every penalised coefficient is zero (default: 1e-4 with more rows than features, else 1e-2)." group:"Which lambdas:"`
	Tol       ratio       `default:"1e-6" placeholder:"F" help:"A fit ends when its objective is proved to be within F times the objective at 0 of the optimum (default ${default})." group:"How it is solved:"`
	TimeLimit duration    `placeholder:"DURATION" help:"Stop after this time, such as 90s or 5m. scas path keeps the lambdas that are done; scas cv keeps nothing." group:"How it is solved:"`
	Seed      seed        `default:"0" placeholder:"N" help:"Seed of random choices, such as the folds (default ${default})." group:"How it is solved:"`
}

// read reads DATA, or this rank's shard of DATA. Before that it checks that the outputs can be written, and
// that the files of fitFlags.inputs and the files with the paths replaceableInputs exist. An output may
// replace a file in replaceableInputs, but no other input.
func (c *fitFlags) read(e *env, out outputs, replaceableInputs ...string) (*sparse.Dataset, error) {
	err := checkExist(append(c.inputs(), append(replaceableInputs, c.Labels)...))
	if err == nil && !e.skipFiles {
		err = out.check(append(c.inputs(), c.file, c.Labels)...)
	}
	err = c.ranks.team.CommonError(err)
	if err != nil {
		return nil, err
	}
	opt := &sparse.ReadOptions{
		IndexBase: c.IndexBase.IndexBase, Features: int(c.Features), Strict: c.Strict, Beyond: true,
	}
	if c.ranks.comm == nil {
		return c.readRows(e, opt)
	}
	return c.readShard(e, opt)
}

func (c *fitFlags) readRows(e *env, opt *sparse.ReadOptions) (*sparse.Dataset, error) {
	opt.Regression, opt.Counts, opt.Table = !c.Loss.classifies(), c.Loss.isCount(), c.tableOptions()
	if c.Positive != nil {
		opt.Positive, opt.PositiveName = c.Positive.number, c.Positive.word
	}
	if c.Loss.classifies() {
		opt.MaxClasses = rows.MaxClasses
	}
	opt.Table.Offset = c.OffsetColumn
	if c.OffsetColumn != "" && !c.isTable(c.file) {
		return nil, usagef("--offset-column is for tables, and %s is read as %v; give --offset FILE",
			dataName(c.file), c.formatOf(c.file))
	}
	data, err := e.readData(c.file, opt, &c.formatFlags, c.Memory)
	if err == nil && data.Stats.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted (--strict refuses them)",
			plural(data.Stats.SortedRows, "row"))
	}
	return data, err
}

// A workload says which fits a command makes.
type workload struct {
	settings solver.Settings
	fits     model.Fits // numbers of lambdas and folds; Classes is not set, because the data determine it
	scored   bool       // true for --report, which scores the model on all rows
}

// maxUnwarnedClasses is the largest number of different labels that are taken for classes without a warning.
// Labels with more values are often years or prices.
const maxUnwarnedClasses = 100

// muchData is a number of bytes. After smaller data are read, a garbage collection frees little memory, and
// costs more time than it is worth.
const muchData = 1 << 20

// begin reads DATA and returns the first part of the report; see read for out and replaceableInputs. It also
// makes the specification of the fits, and stores it in the field fitSpec of the report.
func (c *fitFlags) begin(e *env, out outputs, load workload, replaceableInputs ...string) (problemReport, error) {
	start := time.Now()
	data, err := c.read(e, out, replaceableInputs...)
	if err != nil {
		return problemReport{}, err
	}
	counts, t := c.ranks.counts(data), c.ranks.team
	// With await, an interrupt has its effect even if specify waits for a pipe.
	s, err := await(e, func() (*fitSpec, error) { return c.specify(data, counts, load) })
	err = t.CommonError(err)
	if err != nil {
		return problemReport{}, err
	}
	s.spec.Memory, err = c.Memory.place(s.demand, t.Any(s.exceeds))
	err = t.CommonError(err)
	if err != nil {
		return problemReport{}, err
	}
	if k := len(data.Classes.Values); k > maxUnwarnedClasses && data.Classes.Names == nil {
		e.warn("the labels of %s are %s different whole numbers, each fitted as a class against the rest: if they are numbers to predict, give --loss squared", dataName(c.file), groupDigits(k))
	}
	r := problemReport{
		problemSummary: c.summarise(s), Table: data.Table, Level: kernels.Active().String(), Version: version,
		file: c.file, fitSpec: s,
	}
	if !s.outOfCore() {
		r.EmptyFeatures = c.ranks.emptyFeatures(data)
	}
	if dataBytes(data) > muchData {
		runtime.GC() // then the fits can use the memory that reading no longer needs
	}
	r.ReadSeconds = time.Since(start).Seconds()
	return r, nil
}

// measureFit calls do, which makes the fits of r. It stores three measurements in r: the time, the peak memory,
// and the number of messages that this rank exchanged with other ranks. The error is that of do, with advice
// about flags. stopped is true if an interrupt ended do on any rank.
func (c *fitFlags) measureFit(e *env, r *problemReport, do func() error) (stopped bool, err error) {
	start, startCPU, startTraffic := time.Now(), cpuTime(), c.ranks.traffic()
	end := c.Memory.limitHeap(r.fitSpec.demand, r.fitSpec.spec.Memory)
	err = do()
	end()
	r.rankSummary = c.ranks.summarySince(startTraffic, startCPU)
	r.Seconds, r.Peak = time.Since(start).Seconds(), peakMemory()
	err = c.Memory.refuseUnstreamed(r.fitSpec.demand,
		adviseScaling(err, r.fitSpec.data, r.Standardized || r.fitSpec.outOfCore()))
	return c.ranks.team.Any(err != nil && e.ctx.Err() != nil), err
}

func (c *pathFlags) settings() solver.Settings {
	return solver.Settings{
		RelTol: float64(c.Tol), TimeLimit: time.Duration(c.TimeLimit), Seed: uint64(c.Seed),
		Threads: int(c.Threads),
	}
}

func (c *pathFlags) pathSettings() model.PathSettings {
	return model.PathSettings{Lambdas: c.Lambdas.lambdas, Count: c.Lambdas.count, Ratio: float64(c.Ratio)}
}

// check returns an error if two flags contradict each other. svg is the value of --svg; "" means that the
// flag is not given.
func (c *pathFlags) check(svg string) error {
	lambdas := c.Lambdas.lambdas
	switch {
	case lambdas != nil && c.Ratio != 0:
		return usagef("--ratio chooses lambdas, and --lambdas lists them; leave out --ratio")
	case lambdas != nil && lambdas[0] == 0 && svg != "":
		return usagef("--svg draws lambdas on a logarithmic axis, which has no 0; give --lambdas a larger one as well")
	}
	return c.fitFlags.check()
}

// inputs returns the paths of the files that the flags name. A path is empty if its flag names no file.
func (c *fitFlags) inputs() []string {
	graphPath := c.graphFile()
	if graphPath == "-" {
		graphPath = ""
	}
	return []string{graphPath, c.Groups, c.Bounds, c.SampleWeights, c.Names, c.PenaltyFactors, c.Offset}
}

// graphFile returns the path of the file of --graph, without a prefix edges: or matrix:. It is "-" for
// standard input, and "" if --graph is none or chain.
func (c *fitFlags) graphFile() string {
	if c.Graph == "none" || c.Graph == "chain" {
		return ""
	}
	_, path := graph.CutKind(c.Graph)
	return path
}

func (c *fitFlags) check() error {
	hasGraph := c.Graph != "none"
	switch {
	case c.Label == "none":
		return usagef("--label none leaves no labels, and a fit needs them")
	case c.Offset != "" && c.OffsetColumn != "":
		return usagef("give either --offset or --offset-column")
	case c.Positive != nil && !c.Loss.classifies():
		return usagef("--positive is for two classes; --loss %s takes labels as numbers", c.Loss)
	case c.ClassWeights != "none" && !c.Loss.classifies():
		return usagef("--class-weights %s is for two classes; --loss %s takes labels as numbers",
			c.ClassWeights, c.Loss)
	case c.ClassWeights != "none" && c.SampleWeights != "":
		return usagef("give either --class-weights or --sample-weights")
	case c.Groups != "" && c.L1Ratio != nil:
		return usagef("give either --groups or --l1-ratio")
	case c.Groups != "" && c.L2Y != 0:
		return usagef("give either --groups or --l2y")
	case c.Groups != "" && c.Fusion != 1:
		return usagef("give either --groups or --fusion")
	case c.Groups != "" && c.PenaltyFactors != "":
		return usagef("give either --groups or --penalty-factors")
	case c.Bounds != "" && c.Domain.text != "":
		return usagef("give either --bounds or --domain")
	case c.Domain.joint && c.Intercept:
		return usagef("--domain %s is for models without an intercept; give --no-intercept as well",
			c.Domain.text)
	case c.Domain.joint && (c.Standardize == nil && !hasGraph || c.Standardize != nil && *c.Standardize):
		return usagef("--domain %s is for features as they are; give --no-standardize as well", c.Domain.text)
	case c.Domain.joint && c.L1Ratio != nil && c.PenaltyFactors != "":
		return usagef("--domain %s with --l1-ratio takes no --penalty-factors", c.Domain.text)
	case c.Fusion != 1 && !hasGraph:
		return usagef("--fusion %v is the weight of a graph; give --graph as well", c.Fusion)
	}
	return nil
}
