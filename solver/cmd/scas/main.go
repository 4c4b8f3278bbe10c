// Command scas fits linear models with a sparse penalty, applies them, and makes graphs over features.
// Its default method takes proximal Newton steps and proves how far a model is from the optimum.
// `scas --help` and `scas COMMAND --help-all` describe the commands.
//
// Read app.go first: it lists the commands. Each command is a struct of flags with a method Run. scas train
// reaches the arithmetic by these calls:
//
//	trainCmd.Run (train.go)                               checks the flags
//	fitFlags.run (dist.go)                                selects kernels, and joins other ranks
//	fitFlags.begin, fitFlags.read (fitflags.go)           read DATA
//	fitFlags.specify (spec.go)                            makes a model.Spec of the flags
//	memorySize.place (policy.go)                          decides: in memory, out of core, or refused
//	model.FitData, design.fit, newFitter (solver/model)   make the problem that is solved
//	exact.New, Solver.Solve (solver/internal/exact)       compute the loss at 0, then take Newton steps
//	memorySamples, rows.Sums (exact, internal/rows)       add up over the rows
//	kernels.Margins and others (kernels)                  do the arithmetic
//
// If a setting needs a method of package solver (Spec.needsMinimize), or package exact does not solve the
// problem, design.fit calls solver.Minimize instead.
//
// # How to add a command
//
//   - a file NAME.go, as info.go: a struct of the arguments and flags, each flag with a help text and a
//     group; a method Help with examples and the exit codes; a method Run
//   - app.go: a line of addCommands; scas --help and the completion of shells follow from it
//   - testdata/NAME.txtar: a script that runs the command, also with wrong usage; the comment of
//     TestScripts says what a script can use
//   - README.md, "On the command line"
//   - hostile_test.go: the command in makeArgs, and values of its flags in flagValues
//
// Run uses these:
//
//   - to read DATA: dataFlags (format.go) and memoryFlags (memory.go) in the struct, then env.readData
//   - to print: env.print, or env.show with a flag --json; env.warn for warnings
//   - to write files: outputs (output.go); check comes before the work, write after it
//   - for a wrong flag: usagef; exitCode (errors.go) gives each error its exit code
//   - work that takes seconds ends when env.ctx ends; env.beginProgress reports its progress
//
// To test it: go test -short -run 'HelpFits|Scripts/NAME' ./solver/cmd/scas
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/scas-admm/scas/sparse/pages"
)

// heapReserve is the number of bytes of the heap that have large pages from the start.
const heapReserve = 256 << 20

func main() {
	pages.Reserve(heapReserve)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // under nohup, scas ignores SIGHUP
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // so that a second interrupt kills the process
	e := &env{
		ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		onTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	done := make(chan int, 1)
	go func() { done <- run(e, os.Args[1:]) }()
	select {
	case code := <-done:
		os.Exit(code)
	case <-ctx.Done():
	}
	// An interrupted command may wait for data from a pipe forever.
	select {
	case code := <-done:
		os.Exit(code)
	case <-time.After(5 * time.Second):
		e.log("error", errInterrupted.Error())
		os.Exit(exitInterrupted)
	}
}
