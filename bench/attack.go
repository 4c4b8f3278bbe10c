package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/torture"
)

type tortureCmd struct {
	For     time.Duration `default:"3m" placeholder:"T" help:"How long all kinds of attack take together (default ${default})."`
	Only    string        `placeholder:"KIND" help:"Only one kind of attack; --list names them."`
	Seed    uint64        `placeholder:"N" help:"Only the trial of this seed, as a failure names it."`
	First   uint64        `default:"1" placeholder:"N" help:"Seed of the first trial of each kind: another finds other things (default ${default})."`
	Tries   int           `placeholder:"N" help:"At most N times as many trials as in the short form, however long they take."`
	Scas    string        `placeholder:"FILE" help:"The program to attack (default: it is built)."`
	List    bool          `help:"Name the kinds of attack, and do nothing."`
	Results string        `placeholder:"DIR" help:"Write the table into a directory, as torture-CPU.txt."`
}

// Help is shown by bench torture --help.
func (tortureCmd) Help() string {
	return `Attacks the program and the library, in ways that follow from seeds, and prints what
survived. The exit code is 1 if anything was handled badly; each failure says how to
repeat it. Kinds that need what this machine has not, such as strace, are left out and
say so.`
}

// errTorture is the error of attacks that were handled badly.
var errTorture = errors.New("handled badly")

// Run attacks.
func (c *tortureCmd) Run(e *env) error {
	if c.List {
		for _, k := range torture.Kinds() {
			fmt.Fprintf(e.stdout, "%-10s  %s\n", k.Name, k.Summary)
		}
		return nil
	}
	if c.For <= 0 || c.Tries < 0 {
		return fmt.Errorf("--for %v, --tries %d: want a time above 0 and a number", c.For, c.Tries)
	}
	dir, err := os.MkdirTemp("", "scas-torture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // for attacks as another user
		return err
	}
	r := &results{name: "torture", facts: machine.Describe(e.args)}
	tallies, err := torture.Run(e.ctx, torture.Options{
		For: c.For, Tries: c.Tries, First: c.First, Seed: c.Seed, Only: c.Only, Scas: c.Scas, Dir: dir,
		Say: func(line string) { fmt.Fprintln(e.stderr, " ", line) },
	})
	if err != nil && len(tallies) == 0 {
		return err
	}
	if err := begin(io.MultiWriter(e.stdout, &r.text), r.facts.Lines()); err != nil {
		return err
	}
	if _, err := io.WriteString(io.MultiWriter(e.stdout, &r.text), torture.Table(tallies)); err != nil {
		return err
	}
	if c.Results != "" {
		if err := writeAll([]output{{r.base(c.Results) + ".txt", literal(r.text.String())}}); err != nil {
			return err
		}
	}
	if n := torture.Failures(tallies); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d trials were %w", n, errTorture))
	}
	return err
}
