package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/outofcore"
	"github.com/scas-admm/scas/sparse"
)

type outOfCoreCmd struct {
	Scas    string   `default:"scas" placeholder:"FILE" help:"The program to measure (default ${default})."`
	Lambda  float64  `default:"1e-5" placeholder:"F" help:"Weight of the penalty |x|_1 (default ${default})."`
	Limit   int64    `default:"1024" placeholder:"MIB" help:"Memory that training is allowed (default ${default})."`
	Times   float64  `default:"4" placeholder:"F" help:"How many times the limit the data are (default ${default})."`
	Whole   int64    `default:"20480" placeholder:"MIB" help:"Memory of the training in memory that is compared with (default ${default})."`
	Repeat  int      `default:"2" placeholder:"N" help:"Runs of each kind, in turn; the fastest counts (default ${default})."`
	Cgroup  string   `placeholder:"DIR" help:"Directory of the memory controller in which to make a control group with the limit, such as /sys/fs/cgroup/memory; page cache counts there."`
	Dir     string   `required:"" placeholder:"DIR" help:"Where to write the data, some three times as large as these; they are removed."`
	Keep    bool     `help:"Leave the .scas files there, and take those that are there."`
	Results string   `placeholder:"DIR" help:"Write the table into a directory, as outofcore-CPU.txt."`
	Data    []string `arg:"" name:"DATA" help:"LIBSVM files of two classes, plain or compressed, each with :FEATURES if these are not the largest index."`
}

// Help is shown by bench outofcore --help.
func (outOfCoreCmd) Help() string {
	return `Writes replicas of each file with noise as text until they make a .scas file of
so many times the limit, converts the text, and trains on the result in memory and
within the limit: with the file in the page cache, and read from the disk. Peaks
are the resident sets of the processes.`
}

// outOfCoreRun is what scas train --json tells.
type outOfCoreRun struct {
	Status    string  `json:"status"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"duality_gap"`
	Passes    float64 `json:"passes"`
	Seconds   float64 `json:"seconds"`
	Read      float64 `json:"read_seconds"`

	*outofcore.Run `json:"-"`
}

// Run measures and reports.
func (c *outOfCoreCmd) Run(e *env) error {
	r := &results{name: "outofcore", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	note := fmt.Sprintf("limit %d MiB, data %.3g times as large; seconds of the fastest of %d runs in turn; peak: resident set, MiB", c.Limit, c.Times, c.Repeat)
	if err := begin(out, r.facts.Lines(), []string{note}); err != nil {
		return err
	}
	for _, arg := range c.Data {
		if err := c.measure(e, out, arg); err != nil {
			return err
		}
	}
	if c.Results == "" {
		return nil
	}
	return writeAll([]output{{r.base(c.Results) + ".txt", literal(r.text.String())}})
}

// measure makes replicas of a file, and trains on them.
func (c *outOfCoreCmd) measure(e *env, out io.Writer, arg string) error {
	path, features, _ := strings.Cut(arg, ":")
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	text, data := filepath.Join(c.Dir, name+".svm"), filepath.Join(c.Dir, name+".scas")
	defer os.Remove(text)
	if !c.Keep {
		defer os.Remove(data)
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	defer limit.Close()
	if _, err := os.Stat(data); err != nil || !c.Keep {
		if err := c.make(e, out, path, text, data, features, limit); err != nil {
			return err
		}
	}
	if err := outofcore.Forget(data); err != nil {
		return err
	}
	began := time.Now()
	bytes, err := cache(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d MiB, which the disk reads at %.0f MiB/s\n\n", filepath.Base(data), bytes/mib, float64(bytes)/mib/time.Since(began).Seconds())
	return c.train(e, out, data, limit)
}

const mib = 1 << 20

// make writes the replicas of a file as text, and converts that.
func (c *outOfCoreCmd) make(e *env, out io.Writer, path, text, data, features string, limit outofcore.Limit) error {
	rows, err := c.replicate(path, text)
	if err != nil {
		return err
	}
	args := []string{"convert", text, data}
	if features != "" {
		args = append(args, "--features", features)
	}
	conversion, err := outofcore.Scas(e.ctx, c.Scas, limit, nil, args...)
	if err != nil {
		return err
	}
	info, err := os.Stat(text)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d rows, %d MiB of text, converted in %.1f s, peak %d MiB\n", filepath.Base(data), rows, info.Size()/mib, conversion.Wall.Seconds(), conversion.Peak/mib)
	return os.Remove(text) // the disk may be small
}

// replicate writes the text of the replicas, and returns their number of rows.
func (c *outOfCoreCmd) replicate(path, text string) (int, error) {
	d, err := sparse.ReadFile(path, nil)
	if err != nil {
		return 0, err
	}
	rows := outofcore.RowsFor(d, int64(c.Times*float64(c.Limit<<20)))
	f, err := os.Create(text)
	if err != nil {
		return 0, err
	}
	err = outofcore.Replicate(f, d, rows, outofcore.Noise{Values: 0.05, Entries: 0.05, Labels: 0.02}, 1)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return rows, err
}

// limit makes the control group, if there is to be one.
func (c *outOfCoreCmd) limit() (outofcore.Limit, error) {
	if c.Cgroup == "" {
		return outofcore.Limit{}, nil
	}
	return outofcore.NewLimit(c.Cgroup, c.Limit<<20)
}

// A wayOfTraining is where the file is, and what memory there is.
type wayOfTraining struct {
	name   string
	memory int64 // MiB
	limit  outofcore.Limit
	cold   bool
}

// train trains in each of the ways.
func (c *outOfCoreCmd) train(e *env, out io.Writer, data string, limit outofcore.Limit) error {
	ways := []wayOfTraining{
		{"in memory, file cached", c.Whole, outofcore.Limit{}, false},
		{"streamed, file cached", c.Limit, outofcore.Limit{}, false},
		{"in memory, from disk", c.Whole, outofcore.Limit{}, true},
		{"streamed, from disk", c.Limit, limit, true},
	}
	best := make([]*outOfCoreRun, len(ways))
	for k := range c.Repeat * len(ways) {
		k %= len(ways)
		run, err := c.once(e, data, ways[k])
		if err != nil {
			return err
		}
		peak := run.Peak
		if best[k] != nil {
			peak = max(peak, best[k].Peak)
		}
		if best[k] == nil || run.Wall < best[k].Wall {
			best[k] = run
		}
		best[k].Peak = peak
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "training\tseconds\treading\tsolving\tratio\tpasses\tpeak\tgap proved\tobjective\toff by\tstatus\t")
	for k, r := range best {
		whole := best[k&^1]
		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.4g\t%d\t%.1e\t%.12g\t%.1e\t%s\t\n", ways[k].name, r.Wall.Seconds(), r.Read, r.Seconds,
			r.Wall.Seconds()/whole.Wall.Seconds(), r.Passes, r.Peak/mib, r.Gap, r.Objective, r.Objective-best[0].Objective, r.Status)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}

// once trains once.
func (c *outOfCoreCmd) once(e *env, data string, w wayOfTraining) (*outOfCoreRun, error) {
	var err error
	if w.cold {
		err = outofcore.Forget(data)
	} else {
		_, err = cache(data)
	}
	if err != nil {
		return nil, err
	}
	run := &outOfCoreRun{}
	run.Run, err = outofcore.Scas(e.ctx, c.Scas, w.limit, run, "train", "--json", "--lambda", fmt.Sprint(c.Lambda), "--memory", fmt.Sprintf("%dMiB", w.memory), data)
	return run, err
}

// cache reads a file, so that the system has it in memory, and returns its size.
func cache(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(struct{ io.Writer }{io.Discard}, f)
}
