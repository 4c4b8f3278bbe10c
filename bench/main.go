// Command bench measures scas: its kernels compared with plain Go and with the limits of the
// machine, its outer iterations, the convergence of its methods, the experiments of the paper, other
// solvers, and the growth of its costs with the data. It also attacks the program scas, and lists the
// licences of the modules in scas. Read README.md first. Each command is in a file of its own; converge and
// paper are in package race.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/kernels"
)

type app struct {
	Kernels  kernelsCmd  `cmd:"" help:"Time every kernel on every level beside naive Go, with the fraction of the machine's limit reached."`
	EndToEnd endToEndCmd `cmd:"" name:"end-to-end" help:"Time whole outer iterations of the solver beside naive Go."`
	race.Commands
	Peers    peersCmd    `cmd:"" help:"Time to a gap beside other solvers that are installed, or given by their command."`
	Scaling  scalingCmd  `cmd:"" help:"How reading, training in memory, out of core and on ranks grow with the data."`
	Attack   attackCmd   `cmd:"" help:"Attack the program: kills, full disks, changing inputs, bombs; count what it survived."`
	Licences licencesCmd `cmd:"" help:"List the modules linked into the program, and fail on a licence that is not known."`
}

// run executes a command line and returns the exit code. After the flag --help, kong exits with the code 0.
func run(e *race.Env) (code int, err error) {
	var a app
	parser, err := kong.New(&a,
		kong.Name("bench"),
		kong.Description("Benchmarks of scas."),
		kong.Writers(e.Stdout, e.Stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)
	if err != nil {
		panic(err) // cannot happen: the struct tags are valid
	}
	parsedArgs, err := parser.Parse(e.Args)
	if err == nil {
		err = kernels.EnvError()
	}
	if err != nil {
		return 2, err
	}
	if err := parsedArgs.Run(e); err != nil {
		return 1, err
	}
	return 0, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // so that a second interrupt ends the program at once
	code, err := run(&race.Env{Ctx: ctx, Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}
