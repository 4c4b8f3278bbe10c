package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/program"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

type scalingCmd struct {
	Scas    string   `placeholder:"FILE" help:"The program to measure (default: it is built)."`
	Lambda  float64  `default:"1e-5" placeholder:"F" help:"Weight of the penalty |x|_1 (default ${default})."`
	Copies  []int    `default:"1,4" placeholder:"N,..." help:"How many times the rows of each file are taken, with noise (default ${default})."`
	Ranks   int      `default:"4" placeholder:"N" help:"Number of ranks, one goroutine each (default ${default})."`
	Repeat  int      `default:"3" placeholder:"N" help:"Runs of each kind, in turn; the least time counts (default ${default})."`
	Results string   `placeholder:"DIR" help:"Write the table into a directory, as scaling-CPU.txt."`
	Data    []string `arg:"" name:"DATA" help:"LIBSVM files of two classes, plain or compressed, each with :FEATURES if that is not the largest index."`
}

// Help returns the text that bench scaling --help adds to the list of flags.
func (scalingCmd) Help() string {
	return `Shows how reading, training in memory, training out of core and training on ranks
grow with the data. Each file is written again with its rows taken several times, and
converted to .scas. The columns:

  read      MB of text a second on one processor, and the time of wc on the same file
            divided by the time of reading
  memory    processor seconds of scas train in memory, peak of the process in MiB, and
            the peak divided by the estimate of scas info
  streamed  the same with --memory at a quarter of the size of the .scas file: seconds
            divided by those in memory, and the peak divided by the limit; "-" where a
            quarter is less than 128 MiB, the least that training takes
  ranks     Newton steps, messages of a rank, numbers in them, and processor seconds of
            all ranks divided by those of one
  gap       the largest of the proved gaps: in memory, streamed and on ranks

Peaks are "-" where the system does not report them.
Data need about three times their size on disk, in the temporary directory.`
}

const mib = 1 << 20

func (c *scalingCmd) Run(e *race.Env) error {
	if c.Ranks < 1 || c.Repeat < 1 || len(c.Copies) == 0 || slices.Min(c.Copies) < 1 {
		return fmt.Errorf("--ranks %d, --repeat %d, --copies %v: each must be at least 1",
			c.Ranks, c.Repeat, c.Copies)
	}
	dir, err := os.MkdirTemp("", "scas-scaling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.Scas, err = program.FindOrBuild(e.Ctx, c.Scas, dir)
	if err != nil {
		return err
	}
	r, err := begin(e, "scaling", machine.Describe(e.Args))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t\t\tread\t\tmemory\t\t\tstreamed\t\t%d ranks\t\t\t\t\t\n", c.Ranks)
	fmt.Fprintln(w,
		"data\trows\tMB\tMB/s\twc/scas\ts\tpeak\t/estimate\t/memory\tpeak/limit\tNewton\tmessages\tnumbers\t/one\tgap\t")
	for _, arg := range c.Data {
		for _, copies := range c.Copies {
			row, err := c.measureRow(e, dir, arg, copies)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, row)
			fmt.Fprintf(e.Stderr, "%s x %d done\n", filepath.Base(arg), copies)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return r.write(c.Results, "")
}

// measureRow measures one file with the given number of copies of its rows, and returns a row of the
// table.
func (c *scalingCmd) measureRow(e *race.Env, dir, arg string, copies int) (string, error) {
	path, number, given := strings.Cut(arg, ":")
	opt := &sparse.ReadOptions{}
	if given {
		var err error
		opt.Features, err = strconv.Atoi(number)
		if err != nil {
			return "", fmt.Errorf("%s: %q is not a number of features", arg, number)
		}
	}
	text, binary := filepath.Join(dir, "data.svm"), filepath.Join(dir, "data.scas")
	if err := replicate(path, text, opt, copies); err != nil {
		return "", err
	}
	defer os.Remove(text)
	converted, err := sparse.Convert(text, binary, opt, nil)
	if err != nil {
		return "", err
	}
	defer os.Remove(binary)
	size := float64(converted.Stats.Bytes)
	readTime, wc, err := c.timeReading(e, text, opt)
	if err != nil {
		return "", err
	}
	training, gap, err := c.measureTraining(e, binary)
	if err != nil {
		return "", err
	}
	ranks, ranksGap, err := c.trainOnRanks(e, binary)
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return fmt.Sprintf("%s\t%d\t%.0f\t%.0f\t%s\t%s\t%s\t%s\t",
		name, converted.Stats.Rows, size/1e6, size/1e6/readTime.Seconds(), wc, training, ranks,
		known("%.0e", max(gap, ranksGap))), nil
}

// timeReading reads a file c.Repeat times on one processor, and returns the smallest time. wc is the smallest
// time of the command wc divided by best, as text; "-" if there is no command wc.
func (c *scalingCmd) timeReading(e *race.Env, file string, opt *sparse.ReadOptions) (best time.Duration, wc string, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, wcErr := exec.LookPath("wc")
	var wcTime time.Duration
	for range c.Repeat {
		runtime.GC()
		start := time.Now()
		d, err := sparse.ReadFile(file, opt)
		if err != nil {
			return 0, "", err
		}
		lower(&best, time.Since(start))
		if err := d.Close(); err != nil {
			return 0, "", err
		}
		if wcErr != nil {
			continue
		}
		start = time.Now()
		if err := exec.CommandContext(e.Ctx, "wc", file).Run(); err != nil {
			return 0, "", err
		}
		lower(&wcTime, time.Since(start))
	}
	if wcTime == 0 {
		return best, "-", nil
	}
	return best, fmt.Sprintf("%.2f", wcTime.Seconds()/best.Seconds()), nil
}

// lower sets *best to duration if duration is smaller, or if *best is 0, which means that there is no time
// yet.
func lower[T time.Duration | float64](best *T, duration T) {
	if *best == 0 || duration < *best {
		*best = duration
	}
}

// known formats a number, or returns "-" if the number is not known: NaN or infinite.
func known(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// scas runs the program scas with the arguments, and decodes its JSON output into *result.
func (c *scalingCmd) scas(e *race.Env, result any, args ...string) (*program.Ending, error) {
	call := program.Call{Program: c.Scas, Args: args}
	ending, err := call.Run(e.Ctx)
	if err == nil && ending.Code != 0 {
		err = fmt.Errorf("scas %s: exit code %d\n%s", strings.Join(args, " "), ending.Code, ending.Stderr)
	}
	if err != nil {
		return nil, err
	}
	return ending, json.Unmarshal([]byte(ending.Stdout), result)
}

// A cost has the smallest processor time and the largest peak of several runs of the program.
type cost struct {
	cpu  time.Duration
	peak float64 // largest resident size in bytes, see program.Ending; NaN if the system does not report it
}

// train runs scas train with the value memory of the flag --memory, and includes its costs in total. gap is
// the proved gap, or NaN if none is proved.
func (c *scalingCmd) train(e *race.Env, data, memory string, total *cost) (gap float64, err error) {
	var output struct {
		Gap *float64 `json:"duality_gap"`
	}
	ending, err := c.scas(e, &output, "train", "--json", "--no-intercept", "--no-standardize", "--lambda",
		fmt.Sprint(c.Lambda), "--memory", memory, data)
	if err != nil {
		return 0, err
	}
	lower(&total.cpu, ending.CPU)
	total.peak = max(total.peak, float64(ending.Peak))
	if ending.Peak == 0 {
		total.peak = math.NaN()
	}
	if output.Gap == nil {
		return math.NaN(), nil
	}
	return *output.Gap, nil
}

// measureTraining trains on the file data in memory. If a quarter of the file is at least 128 MiB, it also
// trains out of core, with a quarter of the file as memory limit, in turns with the runs in memory. columns
// is the text for the columns of the table. gap is the largest gap of all runs, or NaN if a run proved none.
func (c *scalingCmd) measureTraining(e *race.Env, data string) (columns string, gap float64, err error) {
	file, err := os.Stat(data)
	if err != nil {
		return "", 0, err
	}
	var info struct {
		Data struct {
			Memory struct{ Data, Solver int64 }
		}
	}
	if _, err := c.scas(e, &info, "info", "--json", data); err != nil {
		return "", 0, err
	}
	estimate, limit := info.Data.Memory.Data+info.Data.Memory.Solver, file.Size()/4
	streams := limit >= 128*mib
	var inMemory, streamed cost
	for range c.Repeat {
		oneGap, err := c.train(e, data, "80%", &inMemory)
		if err != nil {
			return "", 0, err
		}
		gap = max(gap, oneGap)
		if !streams {
			continue
		}
		oneGap, err = c.train(e, data, fmt.Sprint(limit), &streamed)
		if err != nil {
			return "", 0, err
		}
		gap = max(gap, oneGap)
	}
	columns = fmt.Sprintf("%.2f\t%s\t%s", inMemory.cpu.Seconds(), known("%.0f", inMemory.peak/mib),
		known("%.2f", inMemory.peak/float64(estimate)))
	if !streams {
		return columns + "\t-\t-", gap, nil
	}
	return columns +
		fmt.Sprintf("\t%.2f\t%s", streamed.cpu.Seconds()/inMemory.cpu.Seconds(),
			known("%.2f", streamed.peak/float64(limit))), gap, nil
}

// trainOnRanks fits the data with one rank, and then with c.Ranks ranks. All ranks are goroutines of this
// process. columns is the text for the last columns of the table, and gap is the largest gap of all fits.
func (c *scalingCmd) trainOnRanks(e *race.Env, data string) (columns string, gap float64, err error) {
	d, err := sparse.ReadFile(data, nil)
	if err != nil {
		return "", 0, err
	}
	defer d.Close()
	var seconds [2]float64
	var fit *rankFit
	for k, ranks := range []int{1, c.Ranks} {
		shards, err := split(d, ranks)
		if err != nil {
			return "", 0, err
		}
		for range c.Repeat {
			start := machine.CPUSeconds()
			fit, err = c.fitShards(e, shards)
			if err != nil && !errors.Is(err, solver.ErrNotConverged) {
				return "", 0, err
			}
			lower(&seconds[k], machine.CPUSeconds()-start)
			gap = max(gap, fit.DualityGap)
		}
	}
	columns = fmt.Sprintf("%d\t%d\t%d\t%.2f", fit.Stats.NewtonSteps, fit.messages, fit.numbers,
		seconds[1]/seconds[0])
	return columns, gap, nil
}

// split divides the rows of d at random into shards of about equal size, one for each rank. Equal arguments
// give equal shards.
func split(d *sparse.Dataset, ranks int) ([]*sparse.Dataset, error) {
	n := len(d.Labels)
	rows := rand.New(rand.NewPCG(1, uint64(ranks))).Perm(n)
	shards := make([]*sparse.Dataset, ranks)
	for k := range shards {
		var err error
		shards[k], err = d.SelectRows(rows[k*n/ranks : (k+1)*n/ranks])
		if err != nil {
			return nil, err
		}
	}
	return shards, nil
}

// A rankFit is the result of rank 0 of a fit on several ranks, with the costs of the ranks. Result is nil if
// solver.Minimize returned none.
type rankFit struct {
	*solver.Result
	messages int   // number of vectors that rank 0 exchanged with all other ranks
	numbers  int64 // sum of the lengths of these vectors
}

// fitShards fits the shards together, each on its own rank. The error is the error of rank 0.
func (c *scalingCmd) fitShards(e *race.Env, shards []*sparse.Dataset) (*rankFit, error) {
	fit := &rankFit{}
	results, errs := make([]*solver.Result, len(shards)), make([]error, len(shards))
	var wg sync.WaitGroup
	for k, comm := range dist.Local(len(shards), 0) {
		if k == 0 {
			comm.Before = func(_, length int) error {
				fit.messages++
				fit.numbers += int64(length)
				return nil
			}
		}
		p := &solver.Problem{
			Data: shards[k].X, Labels: shards[k].Labels, Penalty: solver.L1{Lambda: c.Lambda}, Comm: comm,
		}
		wg.Go(func() { results[k], errs[k] = solver.Minimize(e.Ctx, p, &solver.Settings{Threads: 1}) })
	}
	wg.Wait()
	fit.Result = results[0]
	return fit, errs[0]
}
