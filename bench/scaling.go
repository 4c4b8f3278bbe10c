package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/program"
	"github.com/scas-admm/scas/bench/internal/scaling"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/solver"
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

// trainOutput has the fields of the output of scas train --json that this command reads.
type trainOutput struct {
	Gap *float64 `json:"duality_gap"` // nil if no gap is proved
}

// infoOutput has the fields of the output of scas info --json that this command reads.
type infoOutput struct {
	Data struct {
		Memory struct{ Data, Solver int64 }
	}
}

const mib = 1 << 20

func (c *scalingCmd) Run(e *race.Env) error {
	if c.Ranks < 1 || c.Repeat < 1 || len(c.Copies) == 0 || slices.Min(c.Copies) < 1 {
		return fmt.Errorf("--ranks %d, --repeat %d, --copies %v: each must be at least 1", c.Ranks, c.Repeat, c.Copies)
	}
	dir, err := os.MkdirTemp("", "scas-scaling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if c.Scas, err = program.FindOrBuild(e.Ctx, c.Scas, dir); err != nil {
		return err
	}
	r, err := begin(e, "scaling", machine.Describe(e.Args))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t\t\tread\t\tmemory\t\t\tstreamed\t\t%d ranks\t\t\t\t\t\n", c.Ranks)
	fmt.Fprintln(w, "data\trows\tMB\tMB/s\twc/scas\ts\tpeak\t/estimate\t/memory\tpeak/limit\tNewton\tmessages\tnumbers\t/one\tgap\t")
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
		if opt.Features, err = strconv.Atoi(number); err != nil {
			return "", fmt.Errorf("%s: %q is not a number of features", arg, number)
		}
	}
	text, binary := filepath.Join(dir, "data.svm"), filepath.Join(dir, "data.scas")
	rows, err := scaling.Replicate(path, text, opt, copies)
	if err != nil {
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
	training, err := c.measureTraining(e, binary)
	if err != nil {
		return "", err
	}
	ranks, ranksGap, err := c.trainOnRanks(e, binary)
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	gap := known("%.0e", max(training.gap, ranksGap))
	return fmt.Sprintf("%s\t%d\t%.0f\t%.0f\t%s\t%s\t%s\t%s\t", name, rows, size/1e6, size/1e6/readTime.Seconds(), wc, training, ranks, gap), nil
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

// A cost has the smallest processor time and the largest peak of several runs of the program.
type cost struct {
	cpu  time.Duration
	peak float64 // largest resident size in bytes, see program.Ending; NaN if the system does not report it
}

func (c *cost) include(e *program.Ending) {
	lower(&c.cpu, e.CPU)
	c.peak = max(c.peak, float64(e.Peak))
	if e.Peak == 0 {
		c.peak = math.NaN()
	}
}

// known formats a number, or returns "-" if the number is not known: NaN or infinite.
func known(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// A comparison has the costs of training in memory and out of core.
type comparison struct {
	inMemory, streamed cost
	limit              int64   // --memory of the runs out of core, in bytes; 0 if the file is too small for them
	estimate           int64   // bytes for training in memory, data included, as scas info estimates them
	gap                float64 // the largest gap of all runs; NaN if one of them proved none
}

// scas runs the program scas with the arguments, and decodes its JSON output. *result becomes the result.
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

// measureTraining measures the costs of training on the file data. It trains in memory and, if a quarter of
// the file is at least 128 MiB, in turns also out of core with the memory of this quarter.
func (c *scalingCmd) measureTraining(e *race.Env, data string) (*comparison, error) {
	info, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	scasInfo := &infoOutput{}
	if _, err := c.scas(e, scasInfo, "info", "--json", data); err != nil {
		return nil, err
	}
	t := &comparison{estimate: scasInfo.Data.Memory.Data + scasInfo.Data.Memory.Solver}
	if quarter := info.Size() / 4; quarter >= 128*mib {
		t.limit = quarter
	}
	train := func(total *cost, memory string) error {
		got := &trainOutput{}
		ending, err := c.scas(e, got, "train", "--json", "--no-intercept", "--no-standardize", "--lambda", fmt.Sprint(c.Lambda), "--memory", memory, data)
		if err == nil {
			total.include(ending)
			gap := math.NaN()
			if got.Gap != nil {
				gap = *got.Gap
			}
			t.gap = max(t.gap, gap)
		}
		return err
	}
	for range c.Repeat {
		if err := train(&t.inMemory, "80%"); err != nil {
			return nil, err
		}
		if t.limit == 0 {
			continue
		}
		if err := train(&t.streamed, fmt.Sprint(t.limit)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// String returns the comparison as columns of the table, separated by tabs.
func (t *comparison) String() string {
	streamed := "-\t-"
	if t.limit > 0 {
		streamed = fmt.Sprintf("%.2f\t%s", t.streamed.cpu.Seconds()/t.inMemory.cpu.Seconds(), known("%.2f", t.streamed.peak/float64(t.limit)))
	}
	return fmt.Sprintf("%.2f\t%s\t%s\t%s", t.inMemory.cpu.Seconds(), known("%.0f", t.inMemory.peak/mib), known("%.2f", t.inMemory.peak/float64(t.estimate)), streamed)
}

// trainOnRanks fits the data with one rank, and then with c.Ranks ranks. All ranks are goroutines of this
// process. columns is the text for the last columns of the table, and gap is the largest gap of all fits.
func (c *scalingCmd) trainOnRanks(e *race.Env, data string) (columns string, gap float64, err error) {
	d, err := sparse.ReadFile(data, nil)
	if err != nil {
		return "", 0, err
	}
	defer d.Close()
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: c.Lambda}}
	var seconds [2]float64
	var fit *scaling.Fit
	for k, ranks := range []int{1, c.Ranks} {
		parts, err := scaling.Split(p, ranks)
		if err != nil {
			return "", 0, err
		}
		for range c.Repeat {
			start := machine.CPUSeconds()
			if fit, err = scaling.Solve(e.Ctx, parts); err != nil && !errors.Is(err, solver.ErrNotConverged) {
				return "", 0, err
			}
			lower(&seconds[k], machine.CPUSeconds()-start)
			gap = max(gap, fit.DualityGap)
		}
	}
	columns = fmt.Sprintf("%d\t%d\t%d\t%.2f", fit.Stats.NewtonSteps, fit.Messages, fit.Numbers, seconds[1]/seconds[0])
	return columns, gap, nil
}
