package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// The exit codes; exitCodes explains them.
const (
	exitOK           = 0
	exitIO           = 1
	exitUsage        = 2
	exitNotFinite    = 3
	exitNotConverged = 4
	exitRelaunch     = 75 // EX_TEMPFAIL of sysexits.h
	exitInterrupted  = 130
)

// exitCodes is the table of exit codes in scas --help.
const exitCodes = `Exit codes:

    0      done; a method named by scas train --method has made its passes
    1      cannot read or write; also for malformed input, missing values of
           tables (empty, NA, NaN), and work that needs more than --memory
    2      wrong usage
    3      diverged, or a number in the input is not finite
    4      not converged: what was asked for is not proved, or --time-limit came
           first; the help of each command says what it writes then
    75     a rank of --dist is lost or does not answer; give the same command
           again
    130    interrupted; no file is written`

// A usageError is an error in the flags or the arguments of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A notFiniteError is the error for a result that is NaN or infinite.
type notFiniteError struct{ error }

// explainOverflow returns err, unless err is a *model.OverflowError. Then it returns a notFiniteError that
// names the model and the row of the data, counted from 1. An OverflowError may count rows from the start of
// a window of the data; firstRow is the row, counted from 0, with which the window begins.
func explainOverflow(err error, firstRow int, modelName string) error {
	overflow, ok := errors.AsType[*model.OverflowError](err)
	if !ok {
		return err
	}
	format := "its product with the coefficients of %s is %v"
	if isFinite(overflow.Margin) {
		format = "the count that %s predicts is beyond the largest number: it is e to the power of %v"
	}
	return notFiniteError{fmt.Errorf("row %d: "+format, firstRow+overflow.Row+1, modelName, overflow.Margin)}
}

// hasError reports whether err is an E or wraps an E.
func hasError[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// exitCode returns the exit code for err, which may be nil.
func exitCode(err error) int {
	if silentErr, ok := errors.AsType[silentError](err); ok {
		return int(silentErr)
	}
	switch parseErr, malformed := errors.AsType[*sparse.ParseError](err); {
	case err == nil:
		return exitOK
	case hasError[*rows.Broken](err):
		return exitRelaunch
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case hasError[*solver.SettingError](err) && !errors.Is(err, rows.ErrNotStreamed):
		return exitUsage
	case hasError[usageError](err), hasError[*graph.ComponentError](err):
		return exitUsage
	case hasError[*solver.DivergenceError](err), hasError[notFiniteError](err), malformed &&
		parseErr.NotFinite():
		return exitNotFinite
	case errors.Is(err, glasso.ErrNotConverged), errors.Is(err, solver.ErrNotConverged):
		return exitNotConverged
	}
	return exitIO
}

// describe returns the text of err for a user of the command line.
func describe(err error) string {
	remedy := ""
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, syscall.EISDIR) {
		return pathErr.Path + " is a directory: name a file"
	} else if ok {
		remedy = absentAdvice(pathErr.Path, err)
	}
	if settingErr, ok := errors.AsType[*solver.SettingError](err); ok && settingErr.Err == nil {
		return settingWords(settingErr) // without the name of the data file
	}
	return rewordedText(err) + remedy
}

// fail writes err to stderr and returns its exit code. It writes nothing if err is nil or a silentError.
func (e *env) fail(err error) int {
	code := exitCode(err)
	if err == nil || hasError[silentError](err) {
		return code
	}
	e.log("error", describe(err))
	if code == exitRelaunch {
		e.log("error", "relaunch the command")
	}
	if code == exitUsage && !e.jsonLog {
		fmt.Fprintln(e.stderr, e.helpAdvice())
	}
	return code
}

func (e *env) warn(format string, args ...any) { e.log("warning", fmt.Sprintf(format, args...)) }

// log writes a message to stderr, after it has removed the report of progress from the terminal. An error
// of the write is ignored, because it could not be reported.
func (e *env) log(severity, msg string) {
	if e.progress != nil {
		e.progress.clearLine()
	}
	if e.jsonLog {
		_ = json.NewEncoder(e.stderr).Encode(map[string]string{"level": severity, "msg": msg})
		return
	}
	if severity == "warning" {
		msg = severity + ": " + msg
	}
	fmt.Fprintln(e.stderr, "scas: "+msg)
}

// nameData adds the name of the data to err, except to some errors that are not about the data.
func nameData(data string, err error) error {
	if err == nil || errors.Is(err, errInterrupted) || errors.Is(err, solver.ErrNotConverged) ||
		errors.Is(err, rows.ErrNotStreamed) {
		return err
	}
	return fmt.Errorf("%s: %w", dataName(data), err)
}
