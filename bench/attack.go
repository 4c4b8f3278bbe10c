package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/scas-admm/scas/bench/internal/attack"
	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/race"
)

type attackCmd struct {
	attack.Options
	Results string `placeholder:"DIR" help:"Write the table into a directory, as attack-CPU.txt."`
}

// Help returns the text that bench attack --help adds to the list of flags.
func (attackCmd) Help() string {
	var kinds strings.Builder
	for _, k := range attack.Kinds() {
		fmt.Fprintf(&kinds, "\n  %-10s%s", k.Name, k.Summary)
	}
	return `Attacks the program, and counts what it survived. A seed determines each trial. The
exit code is 1 if the program handled anything badly; each failure says how to repeat
it. A kind of attack that this machine does not support, for example for lack of
strace, is left out with a line that says so. The kinds:
` + kinds.String()
}

var errAttack = errors.New("handled badly")

func (c *attackCmd) Run(e *race.Env) error {
	if c.For <= 0 {
		return fmt.Errorf("--for %v: want a time above 0", c.For)
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
