package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// The exit codes; see the package comment.
const (
	exitOK           = 0
	exitIO           = 1
	exitUsage        = 2
	exitNotFinite    = 3
	exitNotConverged = 4
	exitRelaunch     = 75 // EX_TEMPFAIL of sysexits.h
	exitInterrupted  = 130
)

// exitCodes is the table of them in scas --help.
const exitCodes = `Exit codes:

    0      done; a named method (scas train --method) has made its passes
    1      cannot read or write, malformed input and missing values of tables
           (empty, NA, NaN) included, or more than --memory
    2      wrong usage
    3      diverged, or a number in the input is not finite
    4      not converged: what was asked for is not proved, or --time-limit came
           first; the help of a command says what it writes then
    75     a rank of train --dist was lost or hung; the same command goes on
    130    interrupted; nothing is written`

// usageError marks an error of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// notFiniteError marks a result that is no number.
type notFiniteError struct{ error }

// has reports whether err is, or wraps, an E.
func has[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// exitCode maps an error to the exit code.
func exitCode(err error) int {
	switch parse, malformed := errors.AsType[*sparse.ParseError](err); {
	case err == nil:
		return exitOK
	case has[silentError](err):
		silent, _ := errors.AsType[silentError](err)
		return int(silent)
	case has[*rows.Broken](err):
		return exitRelaunch
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case has[usageError](err), has[*solver.SettingError](err), has[*graph.ComponentError](err):
		return exitUsage
	case has[*solver.DivergenceError](err), has[notFiniteError](err), malformed && notFinite(parse.Token) && !errors.Is(err, sparse.ErrMissing):
		return exitNotFinite
	case errors.Is(err, glasso.ErrNotConverged), errors.Is(err, solver.ErrNotConverged):
		return exitNotConverged
	}
	return exitIO
}

// notFinite reports whether a refused token, label or index:value, is a number
// that is NaN, infinite or beyond float64.
func notFinite(token string) bool {
	number := token[strings.LastIndexByte(token, ':')+1:]
	v, err := strconv.ParseFloat(strings.TrimLeft(number, "+-"), 64) // which takes no NaN with a sign
	return !isFinite(v) || errors.Is(err, strconv.ErrRange)
}

// flagOf gives the command-line name of a field of solver.Settings.
var flagOf = map[string]string{
	"Method": "--method", "DualUpdates": "--dual-updates", "Passes": "--passes", "Eta": "--eta", "Rho": "--rho", "Threads": "--threads",
	"RelTol": "--tol", "TimeLimit": "--time-limit",
	"BatchSize": "--batch-size", "InnerSteps": "--inner-steps", "Schedule": "--schedule",
}

// inFlags words the remedies of the readers for the command line.
var inFlags = strings.NewReplacer(
	"read the labels as numbers for regression", "use --loss squared for labels that are numbers",
	"reading without Strict sorts them", "without --strict they are sorted",
	"read it with index base 0", "give --index-base 0",
	", or give the mapping of an existing model", "",
	"what scas train, scas cv or Save wrote", "what scas train -o FILE or scas cv -o FILE wrote; scas predict takes it after -m",
	"if the data has more features, state their number", "if the data has more features, state their number with --features",
	"state more features", "give --features a larger number",
	"leave out the column, or have missing values filled", "leave out the column with --drop, or have missing values filled with --missing mean, median or zero (in training)",
	"leave out the column, or have missing ones be of no category", "leave out the column with --drop, or have missing ones be of no category with --missing mean, median or zero (in training)",
	"declare the column categorical", "declare the column with --categorical",
	"read it as CSV", "give --format csv",
	"allow more memory", "allow more with --memory SIZE",
	"say that there is no header if so", "give --no-header if it has none",
	"the delimiter seems to be another", "is the delimiter another? give --delimiter ';' or the like",
	": leave out column ", ": leave it out with --drop ",
	"no values: leave it out", "no values: leave it out with --drop",
	"say which it is", "give --label COLUMN",
	"do not say which is positive", "leave out --positive",
	"; are the labels another column?", "; --label names another column",
	"are these classes, or are the labels another column?", "for classes give --loss logistic; --label names another column",
	"expected them in a file of their own, one for every row", "give --labels FILE, which has one number a line or is an npy file",
)

// leaveOut words the defaults of solver.Settings, and what the solver asks of the
// problem, for the command line.
var leaveOut = strings.NewReplacer(
	"be 0 for the default", "be left out", "0 for the default", "left out",
	"0 to derive it from the data", "auto", "0 for GOMAXPROCS", "left out",
	"leave it 0", "leave it out", "or 0 for that", "or auto for that",
	"set Problem.L2 > 0", "give --mu above 0",
	"set Problem.Domain to a Box or Ball", "give --domain box:LO,HI or ball:RADIUS",
	"take a larger Huber.Delta", "give --loss huber:DELTA with a larger DELTA",
	"allow more passes", "allow more with --passes", "allow more time", "allow more with --time-limit",
	"want a larger penalty, tolerance or MaxSteps", "a larger --penalty or fewer --edges do with less",
	"take fewer folds, or another metric", "give fewer --folds, or another --metric",
	"Spec.Balanced", "--class-weights balanced", "Spec.Checkpoint", "--checkpoint", "give PathSettings.Lambdas", "there is no path",
	"raise lambda", "raise --lambda", "or ask for less", "or ask for less with --tol",
	"raise L2 above zero", "give --mu above 0",
	"set Rho or L2 above zero", "give a larger --rho or --mu",
	"a penalty L1", "the penalty |A x|_1, without --groups and --l2y",
	"X = R^p, without a Domain", "coefficients that are not confined, without --domain",
	"larger than memory: method ", "larger than memory: --method ", "larger than memory: Settings.Checkpoint", "larger than memory: --checkpoint",
	"give them one, or the problem L2 > 0", "give them one, with --lambda above 0 and --graph, or give --mu above 0",
	"equal sample weights", "rows of equal weight, without --class-weights and --sample-weights",
)

// describe words err for a user of the command line.
func describe(err error) string {
	if parse, ok := errors.AsType[*sparse.ParseError](err); ok {
		return inFlags.Replace(withinPackages(parse.Error()))
	}
	remedy := ""
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.EISDIR) {
		return path.Path + " is a directory: name a file"
	} else if ok {
		remedy = absent(path.Path, err)
	}
	if setting, ok := errors.AsType[*solver.SettingError](err); ok && flagOf[setting.Field] != "" {
		return fmt.Sprintf("%s %v: %s", flagOf[setting.Field], setting.Value, leaveOut.Replace(setting.Allowed))
	}
	if component, ok := errors.AsType[*graph.ComponentError](err); ok {
		return fmt.Sprintf("penalty %.6g: %s or more would have to be solved together, more than %s; try --penalty %.6g, which leaves no larger component",
			component.Penalty, plural(component.Size, "feature"), grouped(component.Limit), component.Fits)
	}
	msg := err.Error()
	for _, prefix := range packages {
		msg = strings.TrimPrefix(msg, prefix)
	}
	return leaveOut.Replace(inFlags.Replace(withinPackages(msg))) + remedy
}

// packages are the prefixes of errors by which packages name themselves.
var packages = []string{"sparse: ", "graph: ", "glasso: ", "draw: ", "solver: ", "atomicfile: ", "kernels: ", "model: ", "stream: "}

// withinPackages leaves them out of a message but at its beginning, where a file of such
// a name may stand.
func withinPackages(msg string) string {
	for _, prefix := range packages {
		msg = strings.ReplaceAll(msg, ": "+prefix, ": ")
	}
	return msg
}

// fail reports err, which may be nil, and returns the exit code.
func (e *env) fail(err error) int {
	code := exitCode(err)
	if err == nil || has[silentError](err) {
		return code
	}
	if e.log("error", describe(err)); code == exitRelaunch {
		e.log("error", "relaunch the command")
	}
	if code == exitUsage && !e.jsonLog {
		fmt.Fprintln(e.stderr, "Run `scas --help` for the commands, `scas COMMAND --help` for their flags.")
	}
	return code
}

func (e *env) warn(format string, args ...any) { e.log("warning", fmt.Sprintf(format, args...)) }

// log writes one line to stderr. Failing to is nothing anyone could be told.
func (e *env) log(level, msg string) {
	if e.progress != nil {
		e.progress.clear()
	}
	if e.jsonLog {
		_ = json.NewEncoder(e.stderr).Encode(map[string]string{"level": level, "msg": msg})
		return
	}
	if level == "warning" {
		msg = level + ": " + msg
	}
	fmt.Fprintln(e.stderr, "scas: "+msg)
}
