package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/chart"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/shards"
	"github.com/scas-admm/scas/solver"
)

type ranksCmd struct {
	Data    string  `required:"" placeholder:"DIR" help:"Directory of the data sets, such as that of SCAS_DATA."`
	Results string  `placeholder:"DIR" help:"Write table and figure into a directory."`
	Ranks   []int   `default:"1,2,4" placeholder:"N,..." help:"Numbers of ranks to run (default ${default})."`
	Copies  int     `default:"1" placeholder:"N" help:"How often the rows of covtype are there in the runs (default ${default})."`
	Repeat  int     `default:"5" placeholder:"N" help:"Runs of each kind, in turn; the fastest counts (default ${default})."`
	Bytes   float64 `default:"1e9" placeholder:"F" help:"Bytes a second that a rank sends and receives in the predicted network (default ${default})."`
	Latency float64 `default:"1e-5" placeholder:"F" help:"Seconds of a message there (default ${default})."`
}

// Help is shown by bench ranks --help.
func (ranksCmd) Help() string {
	return `Measures what nonzeros take on one thread and what sums take under mpirun, trains on
covtype with ranks of one thread each, and shows what the model makes of the passes
and messages of each run beside the seconds it took. With the same constants, and a
network as the flags say, it predicts what 10^9 rows of 10^7 features take on 8 to
1,024 ranks. It needs Open MPI, Go, the source of the module around it, and a machine
that does nothing else; two minutes.`
}

// A rankJob is what runs do: what the flags say, or how that differs from what less says.
type rankJob struct {
	name        string
	flags, less string
}

const localLoops = "--method scas-k --tol none --passes "

var rankJobs = []rankJob{{"20 local loops", localLoops + "100", localLoops + "60"}, {"auto", "", ""}}

// work is what a run did, to the model: one pass of each local loop is of stochastic steps.
func (j rankJob) work(r shards.Ran, nonzeros float64) shards.Work {
	if j.less == "" {
		return shards.Work{Nonzeros: nonzeros, Setups: 1, Gradients: r.Passes, Messages: r.Messages, Numbers: r.Numbers}
	}
	return shards.Work{Nonzeros: nonzeros, Gradients: r.Passes - r.Outer, Steps: r.Outer, Messages: r.Messages, Numbers: r.Numbers}
}

// Run measures, compares and predicts.
func (c *ranksCmd) Run(e *env) error {
	r := &results{name: "ranks", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := begin(out, r.facts.Lines(), []string{"load:    " + load()}); err != nil {
		return err
	}
	set := shardSets[1]
	data := filepath.Join(c.Data, "paper", set.file)
	p, err := shards.Read(data, set.features)
	if err != nil {
		return err
	}
	p.Penalty = solver.L1{Lambda: set.lambda}
	costs, err := shards.Measure(e.ctx, p)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ns on one thread: a nonzero of a gradient %.2f, of one with 1e7 features %.2f, of stochastic steps %.2f, of setting up %.2f; a product of a Hessian %.3f\n",
		1e9*costs.Gradient, 1e9*costs.Wide, 1e9*costs.Step, 1e9*costs.Setup, 1e9*costs.Product)
	if err := c.compare(e, out, data, float64(p.Data.NNZ()), set.lambda, costs); err != nil {
		return err
	}
	costs.Bytes, costs.Latency = c.Bytes, c.Latency
	lines := predict(out, costs)
	if c.Results == "" {
		return nil
	}
	base := r.base(c.Results)
	return writeAll([]output{{base + ".txt", literal(r.text.String())}, {base + ".svg", func(w io.Writer) error {
		return chart.LogLog(w, "1e9 rows of 1e7 features to a proved 1e-6", "ranks", "seconds", lines)
	}}})
}

// load is how busy the machine is with other things.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not reported"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute + " in the last minute"
}

// compare holds runs against the model.
func (c *ranksCmd) compare(e *env, out io.Writer, data string, nonzeros, lambda float64, costs shards.Costs) error {
	dir, err := os.MkdirTemp("", "scas-ranks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mpi, err := shards.NewMPI(e.ctx, dir)
	if err != nil {
		return err
	}
	rows, err := mpi.Copies(e.ctx, data, c.Copies)
	if err != nil {
		return err
	}
	of := map[int]shards.Costs{}
	for _, ranks := range c.Ranks {
		own := costs
		if ranks > 1 {
			if err := mpi.Sums(e.ctx, ranks, &own); err != nil {
				return err
			}
			fmt.Fprintf(out, "%d ranks: %.1f us a message, %.2f GB/s\n", ranks, 1e6*own.Latency, own.Bytes/1e9)
		}
		of[ranks] = own
	}
	fastest, err := c.runs(e.ctx, mpi, "--lambda", fmt.Sprint(lambda), rows)
	if err != nil {
		return err
	}
	return c.table(out, fastest, nonzeros*float64(c.Copies), of)
}

// A launch is flags on so many ranks.
type launch struct {
	flags string
	ranks int
}

// runs makes the runs in turn.
func (c *ranksCmd) runs(ctx context.Context, mpi *shards.MPI, args ...string) (map[launch]shards.Ran, error) {
	var launches []launch
	for _, job := range rankJobs {
		for _, ranks := range c.Ranks {
			launches = append(launches, launch{job.flags, ranks})
			if job.less != "" {
				launches = append(launches, launch{job.less, ranks})
			}
		}
	}
	fastest := map[launch]shards.Ran{}
	for k := range c.Repeat * len(launches) {
		l := launches[k%len(launches)]
		ran, err := mpi.Train(ctx, l.ranks, append(strings.Fields(l.flags), args...)...)
		if err != nil {
			return nil, err
		}
		if last, there := fastest[l]; there {
			ran = ran.Fastest(last)
		}
		fastest[l] = ran
	}
	return fastest, nil
}

// table shows runs beside what the model makes of them.
func (c *ranksCmd) table(out io.Writer, fastest map[launch]shards.Ran, nonzeros float64, of map[int]shards.Costs) error {
	cpus := float64(runtime.NumCPU())
	fmt.Fprintf(out, "\n%d times covtype, %.3g nonzeros, ranks of one thread on %.0f CPUs; seconds of the fastest of %d runs\n", c.Copies, nonzeros, cpus, c.Repeat)
	fmt.Fprintln(out, "computing: processor time of a rank; told: seconds in messages, with what waits for other ranks; total: where ranks outnumber CPUs they take turns")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "job\tranks\tpasses\tmessages\tnumbers\tcomputing: model\tmeasured\tratio\ttold: model\tmeasured\ttotal: model\tmeasured\tratio\t")
	for _, job := range rankJobs {
		for _, ranks := range c.Ranks {
			ran := fastest[launch{job.flags, ranks}]
			if job.less != "" {
				ran = ran.Less(fastest[launch{job.less, ranks}])
			}
			t := of[ranks].Of(job.work(ran, nonzeros), float64(ranks))
			total := t.Computing*max(1, float64(ranks)/cpus) + t.Communicating
			fmt.Fprintf(table, "%s\t%d\t%.4g\t%.0f\t%.0f\t%.3f\t%.3f\t%.2f\t%.4f\t%.4f\t%.3f\t%.3f\t%.2f\t\n", job.name, ranks, ran.Passes, ran.Messages, ran.Numbers,
				t.Computing, ran.CPU, ran.CPU/t.Computing, t.Communicating, ran.Told, total, ran.Seconds, ran.Seconds/total)
		}
	}
	return table.Flush()
}

// predict shows what a problem of 10⁹ rows takes, and returns it as lines.
func predict(out io.Writer, costs shards.Costs) []chart.Line {
	job := shards.Job{Rows: 1e9, Features: 1e7, PerRow: 100, InSet: 10, Working: 3000, Newton: 8, Path: 6}
	local := job
	local.Outer = 2
	fmt.Fprintf(out, "\n1e9 rows of 1e7 features, 100 nonzeros a row, %.0f Newton steps on 3,000 columns and %.0f on few; %.2g GB/s, %.2g us a message; seconds\n",
		job.Newton, job.Path, costs.Bytes/1e9, 1e6*costs.Latency)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "ranks\tcomputing\tcommunicating\ttotal\tpasses\twith 2 outer iterations more\t")
	lines := []chart.Line{{Name: "computing"}, {Name: "communicating", Group: 1}, {Name: "total", Group: 2}}
	for ranks := 8.0; ranks <= 1024; ranks *= 2 {
		t := costs.Predict(job, ranks)
		fmt.Fprintf(table, "%.0f\t%.3g\t%.3g\t%.3g\t%.0f\t%.3g\t\n", ranks, t.Computing, t.Communicating, t.Total(), 3*job.Newton+job.Path, costs.Predict(local, ranks).Total())
		for k, v := range []float64{t.Computing, t.Communicating, t.Total()} {
			lines[k].X, lines[k].Gap = append(lines[k].X, ranks), append(lines[k].Gap, v)
		}
	}
	table.Flush()
	return lines
}
