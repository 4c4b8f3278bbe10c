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
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/solver/stream"
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
	case has[*model.MethodError](err) && !errors.Is(err, stream.ErrNotStreamed):
		return exitUsage
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
	remedy := ""
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.EISDIR) {
		return path.Path + " is a directory: name a file"
	} else if ok {
		remedy = absent(path.Path, err)
	}
	if setting, ok := errors.AsType[*solver.SettingError](err); ok && flagOf[setting.Field] != "" {
		return fmt.Sprintf("%s %v: %s", flagOf[setting.Field], setting.Value, leaveOut.Replace(setting.Allowed))
	}
	if limit, ok := errors.AsType[*model.MethodError](err); ok && !limit.OutOfCore {
		return limitWords(limit)
	}
	if component, ok := errors.AsType[*graph.ComponentError](err); ok {
		return fmt.Sprintf("penalty %.6g: %s or more would have to be solved together, more than %s; try --penalty %.6g, which leaves no larger component",
			component.Penalty, plural(component.Size, "feature"), grouped(component.Limit), component.Fits)
	}
	return leaveOut.Replace(withoutPackages(err, reworded(err))) + remedy
}

// withoutPackages removes the names of packages from the text of err.
func withoutPackages(err error, text string) string {
	_, begins := err.(*sparse.ParseError) // with the name of a file, which may look like that of a package
	for _, name := range strings.Fields("sparse graph glasso draw solver atomicfile kernels model stream") {
		if !begins {
			text = strings.TrimPrefix(text, name+": ")
		}
		text = strings.ReplaceAll(text, ": "+name+": ", ": ")
	}
	return text
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
