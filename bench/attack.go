package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/scas-admm/scas/bench/internal/attack"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/race"
)

type attackCmd struct {
	attack.Options
	List    bool   `help:"List the kinds of attack and exit."`
	Results string `placeholder:"DIR" help:"Write the table into a directory, as attack-CPU.txt."`
}

// Help returns the text that bench attack --help adds to the list of flags.
func (attackCmd) Help() string {
	return `Attacks the program with signals, failing system calls, full
disks, several writers, changing inputs and compressed bombs, and counts what it
survived. A seed determines each trial. The exit code is 1 if the program handled
anything badly; each failure says how to repeat it. A kind of attack that this
machine does not support, for example for lack of strace, is left out with a line
that says so.`
}

var errAttack = errors.New("handled badly")

func (c *attackCmd) Run(e *race.Env) error {
	if c.List {
		for _, k := range attack.Kinds() {
			fmt.Fprintf(e.Stdout, "%-10s  %s\n", k.Name, k.Summary)
		}
		return nil
	}
	if c.For <= 0 || c.Tries < 0 {
		return fmt.Errorf("--for %v, --tries %d: want a time above 0 and a number", c.For, c.Tries)
	}
	dir, err := os.MkdirTemp("", "scas-attack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// Some attacks run scas as another user, who must be able to enter dir.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	results, err := attack.Run(e.Ctx, c.Options, dir, func(line string) { fmt.Fprintln(e.Stderr, " ", line) })
	if err != nil && len(results) == 0 {
		return err
	}
	r, failed := begin(e, "attack", machine.Describe(e.Args))
	if failed != nil {
		return failed
	}
	if _, err := io.WriteString(r, attack.Table(results)); err != nil {
		return err
	}
	if err := r.write(c.Results, ""); err != nil {
		return err
	}
	if n := attack.CountFailures(results); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d trials were %w", n, errAttack))
	}
	return err
}
