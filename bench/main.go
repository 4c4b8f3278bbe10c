// Command bench measures scas: its kernels beside plain Go and beside what the
// machine can do, its outer iterations, its convergence, and itself beside other
// solvers.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"github.com/scas-admm/scas/bench/internal/supply"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/kernels"
)

// app is the command line.
type app struct {
	Kernels  kernelsCmd  `cmd:"" help:"Time every kernel on every level beside naive Go, with the fraction of the machine's limit reached."`
	EndToEnd endToEndCmd `cmd:"" name:"end-to-end" help:"Time whole outer iterations of the solver beside naive Go."`
	race.Commands
	Peers    peersCmd    `cmd:"" help:"Time to a gap beside other solvers that are installed, or given by their command."`
	Scaling  scalingCmd  `cmd:"" help:"How reading, training in memory, out of core and on ranks grow with the data."`
	Attack   attackCmd   `cmd:"" help:"Attack the program: kills, full disks, odd command lines, bombs; count what it survived."`
	Licences licencesCmd `cmd:"" help:"List the modules linked into the program, and fail on a licence that is not known."`
}

// env is the world as a command sees it.
type env struct {
	ctx            context.Context
	args           []string // command line without the program's name
	stdout, stderr io.Writer
}

// exit carries an exit code out of kong.
type exit int

// run executes one command line. It returns kong's exit code for --help.
func run(e *env) (code int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exit:
			code = int(r)
		default:
			panic(r)
		}
	}()
	var a app
	parser, err := kong.New(&a,
		kong.Name("bench"),
		kong.Description("Benchmarks of scas."),
		kong.Vars{"program": supply.Program},
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	parsed, err := parser.Parse(e.args)
	if err == nil {
		err = kernels.EnvError()
	}
	if err != nil {
		return 2, err
	}
	if err := parsed.Run(e, &race.Env{Ctx: e.ctx, Args: e.args, Stdout: e.stdout, Stderr: e.stderr}); err != nil {
		return 1, err
	}
	return 0, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt kills
	code, err := run(&env{ctx: ctx, args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}
