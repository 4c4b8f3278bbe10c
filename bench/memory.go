package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/scas-admm/scas/bench/internal/machine"
)

type memoryCmd struct {
	Scas    string   `default:"scas" placeholder:"FILE" help:"The program to measure (default ${default})."`
	Lambda  float64  `default:"1e-4" placeholder:"F" help:"Weight of the penalty |x|_1 (default ${default})."`
	Results string   `placeholder:"DIR" help:"Write the table into a directory, as memory-CPU.txt."`
	Data    []string `arg:"" name:"DATA" help:"LIBSVM files, plain or compressed, each with :FEATURES if these are not the largest index."`
}

// Help is shown by bench memory --help.
func (memoryCmd) Help() string {
	return `Trains on each file with the default method, in a process of its own, and shows
the largest amount of memory that was resident beside the size of the data and the
estimate of scas info. A file that is compressed is read while it expands.`
}

// A memoryRow is what scas tells of a file and of training on it.
type memoryRow struct {
	Data struct {
		Rows     int
		Features int
		NNZ      int64
		Memory   struct{ Data, Solver int64 }
	}
	Status      string
	Seconds     float64
	NewtonSteps int   `json:"newton_steps"`
	NonZeros    int   `json:"nnz_x"`
	Peak        int64 `json:"peak_memory"`
}

// Run measures and reports.
func (c *memoryCmd) Run(e *env) error {
	r := &results{name: "memory", facts: machine.Describe(e.args)}
	out := io.MultiWriter(e.stdout, &r.text)
	if err := begin(out, r.facts.Lines(), []string{"MiB; peak: resident at most, reading included; estimate: data and training, of scas info"}); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "data\trows\tfeatures\tentries\tnon-zeros\tstatus\tseconds\tNewton\tdata\testimate\tpeak\tpeak/data\tpeak/estimate\t")
	for _, arg := range c.Data {
		row, err := c.measure(e, arg)
		if err != nil {
			return err
		}
		const mib = 1 << 20
		m := row.Data.Memory
		data, estimate, peak := float64(m.Data)/mib, float64(m.Data+m.Solver)/mib, float64(row.Peak)/mib
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%.2f\t%d\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t\n", filepath.Base(arg), row.Data.Rows, row.Data.Features, row.Data.NNZ,
			row.NonZeros, row.Status, row.Seconds, row.NewtonSteps, data, estimate, peak, peak/data, peak/estimate)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if c.Results == "" {
		return nil
	}
	return writeAll([]output{{r.base(c.Results) + ".txt", literal(r.text.String())}})
}

// measure describes a file and trains on it.
func (c *memoryCmd) measure(e *env, arg string) (*memoryRow, error) {
	path, features, given := strings.Cut(arg, ":")
	args := []string{"--json", path}
	if given {
		args = append(args, "--features", features)
	}
	row := &memoryRow{}
	if err := c.scas(e, row, append([]string{"info"}, args...)); err != nil {
		return nil, err
	}
	return row, c.scas(e, row, append([]string{"train", "--lambda", fmt.Sprint(c.Lambda)}, args...))
}

// scas runs the program and reads what it prints. Not to converge is no failure.
func (c *memoryCmd) scas(e *env, into any, args []string) error {
	cmd := exec.CommandContext(e.ctx, c.Scas, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if len(text) == 0 && err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}
