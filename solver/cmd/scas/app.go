package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/faults"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

const version = model.Version

// An app has the flags that all commands have.
type app struct {
	HelpAll   helpAllFlag      `help:"Show the help of a command with all flags: those of train, path and cv are too many for --help."`
	LogFormat string           `enum:"text,json" default:"text" help:"Form of warnings and errors on stderr: text or json."`
	Version   kong.VersionFlag `help:"Print the version and exit."`
}

// addCommands adds the commands of scas to a parser. Commands whose names are not in args get no flags,
// because the flags of all commands would take half of the time in which scas starts. The command model
// always has its subcommands, for the list of commands. The command completion prints the flags of all
// commands.
func addCommands(args []string) kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, c := range []struct {
			name    string
			command any
			help    string
		}{
			{"train", new(trainCmd), "Fit a model to data."},
			{"predict", new(predictCmd), "Apply a model to data."},
			{"path", new(pathCmd), "Fit a model for each of many lambdas; --svg draws them."},
			{"cv", new(cvCmd), "Choose lambda by cross-validation, and fit the model with this lambda."},
			{"model", new(modelCmd), "Show a model, or convert it to and from liblinear's text."},
			{"convert", new(convertCmd), "Rewrite data in another form: LIBSVM, CSV, TSV, npy, npz or Matrix Market."},
			{"graph", new(graphCmd), "Make a graph over the features of data."},
			{"info", new(infoCmd), "Describe this machine, and data or a model."},
			{"demo", new(demoCmd), "Show the method on a small table of real data."},
			{"completion", new(completionCmd), "Print a script that completes commands and flags in a shell."},
		} {
			if c.name != "model" && !slices.Contains(args, c.name) && !slices.Contains(args, "completion") {
				c.command = new(struct{})
			}
			if err := kong.DynamicCommand(c.name, c.help, "", c.command).Apply(k); err != nil {
				return err
			}
		}
		return nil
	})
}

// An env holds the inputs, the outputs and the settings with which a command runs.
type env struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	onTerminal     bool // whether stderr is a terminal
	// Time between two lines of progress, or everyReport; 0 means the default.
	interval time.Duration
	progress *progress // report of the slow step that is running, or nil
	args     []string  // arguments of the command line, without the program's name
	// The command that args name, such as "model show", or "" if they name none.
	command   string
	jsonLog   bool                      // whether warnings and errors are JSON objects
	join      func() (dist.Comm, error) // connects the ranks of --dist; nil means MPI
	skipFiles bool                      // true if another rank writes the files
	matrices  *[]*sparse.CSR            // the matrices read so far; env.checkUnchanged checks their files
}

// Package kong calls a function when it has written the help or the version. This function panics with a
// helpWritten, which ends the call of kong, and run recovers.
type helpWritten struct{}

// run executes a command and returns the exit code. args is the command line without the program's name.
func run(e *env, args []string) (code int) {
	e.args = args
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))     // restores the limit, which --memory changes
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // so that run reports a mapped file that shrank
	e.matrices = new([]*sparse.CSR)
	var help bytes.Buffer // e.print reports write errors, which package kong ignores
	defer func() {
		r := recover()
		if r == (helpWritten{}) {
			code = e.fail(e.print(help.String()))
		} else if err := e.checkUnchanged(r); r != nil && err != nil {
			code = e.fail(err)
		} else if r != nil {
			panic(r)
		}
	}()
	var a app
	parser, err := kong.New(&a, addCommands(args),
		kong.Name("scas"),
		kong.Description("Fits sparse linear models, such as the lasso and the graph-guided fused lasso with logistic loss, and proves how far each is from the optimum. Begin with\n\n    scas cv -o model.json train.csv\n    scas predict -m model.json new.csv\n\n"+exitCodes),
		helpTexts(),
		kong.Help(printHelp),
		kong.Writers(&help, e.stderr),
		kong.Exit(func(int) { panic(helpWritten{}) }),
		kong.ConfigureHelp(helpOptions),
		kong.WithHyphenPrefixedParameters(true),
	)
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	command, err := parser.Parse(args)
	if parseErr, ok := errors.AsType[*kong.ParseError](err); ok {
		e.command, err = pathOf(parseErr.Context), rewordParseError(parseErr)
	} else if err == nil {
		e.command = pathOf(command)
	}
	e.jsonLog = a.LogFormat == "json" || err != nil && asksForJSON(args)
	if err == nil {
		err = cmp.Or(kernels.EnvError(), checkEmpty(command))
	}
	if err != nil {
		return e.fail(usageError{err})
	}
	return e.fail(command.Run(e))
}

// asksForJSON reports whether args have --log-format=json. Package kong sets no flag if it cannot parse args.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--log-format=json" || arg == "--log-format" && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return false
}

// checkEmpty returns an error if the value of a flag is empty. It would count as not given, for example if a
// script has a variable that is not set.
func checkEmpty(command *kong.Context) error {
	for _, f := range command.Flags() {
		if f.Set && f.Target.Kind() == reflect.String && f.Target.Len() == 0 {
			return fmt.Errorf("--%s: the value is empty; give one, or leave the flag out", f.Name)
		}
	}
	return nil
}

// helpTexts returns the texts for names such as ${formats} in the help of the flags.
func helpTexts() kong.Vars {
	var formats []string
	for _, f := range sparse.Formats() {
		formats = append(formats, f.String())
	}
	return kong.Vars{
		"version": "scas " + version, "data": dataHelp, "losses": term.LossHelp(),
		"formats":       strings.Join(formats, ", "),
		"max_component": strconv.Itoa(glasso.DefaultMaxComponent),
	}
}

func (e *env) print(text string) error {
	if _, err := io.WriteString(e.stdout, text); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

func (e *env) show(asJSON bool, r interface{ text() string }) error {
	if asJSON {
		return printJSON(e.stdout, r)
	}
	return e.print(r.text())
}

// await calls the function do and returns its results. If the context ends first, await returns
// errInterrupted at once, without waiting for do. So do must change nothing that is used after an interrupt.
func await[T any](e *env, do func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	var value T
	var failure error
	var group faults.Group
	group.Go(func() {
		defer close(done)
		value, failure = do()
	})
	select {
	case <-done:
		group.Wait()
		return value, failure
	case <-e.ctx.Done():
		return result, fmt.Errorf("%w: nothing written", errInterrupted)
	}
}

// checkUnchanged returns an error if the length of a mapped data file has changed since it was mapped.
// recovered is the value of a recovered panic, or nil; see sparse.CSR.Changed.
func (e *env) checkUnchanged(recovered any) error {
	for _, x := range *e.matrices {
		if err := x.Changed(recovered); err != nil {
			return err
		}
	}
	return nil
}

var errInterrupted = errors.New("interrupted")

// interruptError returns err unchanged if err is nil or no process was interrupted. Otherwise it returns
// errInterrupted with the text of note. If the interrupt did not cause err, the result also wraps err.
func (e *env) interruptError(err error, note string) error {
	switch {
	case err == nil, e.ctx.Err() == nil && !errors.Is(err, context.Canceled):
		return err
	case ending.IsContextError(err), errors.Is(err, solver.ErrNotConverged), errors.Is(err,
		rows.ErrElsewhere):
		return fmt.Errorf("%w: %s", errInterrupted, note)
	}
	return fmt.Errorf("%w: %s; %w", errInterrupted, note, err)
}
