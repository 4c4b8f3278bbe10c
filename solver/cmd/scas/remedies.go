package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// This file translates the remedies in errors of the libraries. The remedies name fields of Go types; a user
// needs flags.

// flagOf has, for the name of a field of solver.Settings, the flag that sets the field.
var flagOf = map[string]string{
	"BatchSize":   "--batch-size",
	"DualUpdates": "--dual-updates",
	"Eta":         "--eta",
	"InnerSteps":  "--inner-steps",
	"Method":      "--method",
	"Passes":      "--passes",
	"RelTol":      "--tol",
	"Rho":         "--rho",
	"Schedule":    "--schedule",
	"Threads":     "--threads",
	"TimeLimit":   "--time-limit",
}

// phrases[Field][To] is the phrase for a sparse.Remedy, without its condition If. The key "*" stands for
// every other To; %s in its phrase stands for To. A remedy with an empty phrase is left out.
var phrases = map[string]map[string]string{
	"": {
		"give a file that Save, scas train or scas cv wrote": "give a file that scas train -o FILE or " +
			"scas cv -o FILE wrote; scas predict takes it after -m",
		"leave it 0":                              "leave it out",
		"leave it 0 for GOMAXPROCS":               "leave it out to use all processors",
		"leave it 0 for no limit":                 "leave it out for no limit",
		"leave it 0 for that":                     "give auto for that",
		"leave it 0 for the default":              "leave it out for the default",
		"leave it 0 for the Newton steps of auto": "leave it out for the Newton steps of auto",
		"leave it 0 to derive it from the data":   "give auto to derive it from the data",
		"leave it unset":                          "leave it out",
	},
	"CVSettings.Folds": {
		"a larger number": "give more --folds", "a smaller number": "give fewer --folds",
	},
	"CVSettings.Measure": {"another measure": "give another --metric"},
	"Huber.Delta":        {"a larger number": "give --loss huber:DELTA with a larger DELTA"},
	"Options.Penalty": {
		"a larger number": "give a larger --penalty or fewer --edges", "*": "give --penalty %s",
	},
	"PathSettings.Lambdas": {"lambdas of your own": "list lambdas, such as --lambdas 0.1,0.03,0.01"},
	"Problem.Coupling":     {"nil": ""},
	"Problem.Domain": {
		"a Box or Ball": "give --domain box:LO,HI or ball:RADIUS",
		"nil":           "leave out --domain or --bounds",
	},
	"Problem.L2":               {"a number above 0": "give --mu above 0"},
	"Problem.Penalty":          {"a stronger one": "raise --lambda", "an L1": "leave out --groups and --l2y"},
	"Problem.SampleWeights":    {"nil": "leave out --class-weights and --sample-weights"},
	"ReadOptions.AnyLabels":    {"true": "give --ignore-labels"},
	"ReadOptions.Classes":      {"the classes of an existing model": ""},
	"ReadOptions.Counts":       {"false": "give --loss squared"},
	"ReadOptions.Features":     {"a larger number": "give --features a larger number"},
	"ReadOptions.Format":       {"CSV": "give --format csv"},
	"ReadOptions.IgnoreBeyond": {"true": ""},
	"ReadOptions.IndexBase":    {"ZeroBased": "give --index-base 0"},
	"ReadOptions.LabelsFile": {
		"a file of labels": "give --labels FILE, which has one number a line or is an npy file",
	},
	"ReadOptions.MaxClasses": {"the number of classes": ""},
	"ReadOptions.Memory":     {"a larger number": "allow more with --memory SIZE"},
	"ReadOptions.Positive":   {"nil": "leave out --positive"},
	"ReadOptions.Regression": {"false": "give --loss logistic", "true": "give --loss squared"},
	"ReadOptions.Strict":     {"false": "leave out --strict"},
	"Settings.Checkpoint":    {"nil": "leave out --checkpoint"},
	"Settings.Method": {
		"scas-k or scas-l, with NoIntercept and StandardizeOff": "give --method scas-k or scas-l with " +
			"--no-intercept and --no-standardize",
		"*": "give --method %s",
	},
	"Settings.NoProof":   {"false": ""},
	"Settings.Passes":    {"a larger number": "allow more with --passes"},
	"Settings.RelTol":    {"a larger number": "ask for less with --tol", "a number below 0": ""},
	"Settings.Rho":       {"a larger number": "give a larger --rho"},
	"Settings.TimeLimit": {"a larger number": "allow more with --time-limit"},
	"Spec.Average":       {"false": "leave out --output average"},
	"Spec.Balanced":      {"false": "leave out --class-weights"},
	"Spec.ClassWeights":  {"nil": "leave out --class-weights"},
	"Spec.Domain":        {"nil": "leave out --domain or --bounds"},
	"Spec.Lambda":        {"a larger number": "raise --lambda"},
	"Spec.Mu":            {"a number above 0": "give --mu above 0"},
	"Spec.MuA":           {"0": "leave out --l2y"},
	"Spec.NoIntercept": {
		"true": "give --no-intercept",
		"true, and Spec.Standardize to StandardizeOff": "give --no-intercept and --no-standardize",
	},
	"Spec.Offsets":        {"nil": "leave out --offset and --offset-column"},
	"Spec.Penalty":        {"nil": "leave out --groups"},
	"Spec.PenaltyFactors": {"nil": "leave out --penalty-factors"},
	"Spec.SampleWeights":  {"nil": "leave out --sample-weights"},
	"TableOptions.Categorical": {
		"names of columns": "give --categorical columns of the file",
		"*":                "declare the column with --categorical %s",
	},
	"TableOptions.Delimiter": {
		"the delimiter of the file": "name the delimiter of the file with --delimiter ';' or the like",
		"*":                         "give --delimiter %s",
	},
	"TableOptions.Drop": {
		"names of columns": "give --drop columns of the file",
		"*":                "leave the column out with --drop %s",
	},
	"TableOptions.Label": {"the column of the labels": "name the column of the labels with --label"},
	"TableOptions.Missing": {
		"MissingMean, MissingMedian or MissingZero": "allow missing values with --missing mean, median or " +
			"zero (in training)",
	},
	"TableOptions.NoHeader": {"true": "give --no-header"},
	"TableOptions.Offset": {
		"the column of the offsets": "name the column of the offsets with --offset-column",
	},
	"p": {"*": "give --features %s"}, // the argument p of readers of graphs: the number of features
}

// remedyWords returns the text of a remedy for a user of the command line.
func remedyWords(r sparse.Remedy) string {
	text, ok := phrase(r)
	if !ok {
		return r.String()
	}
	if text != "" && r.If != "" {
		text += " if " + r.If
	}
	return text
}

// phrase returns the text for a remedy: the entry of the map phrases for r.Field and r.To. If there is no
// such entry, the text is r.To if r.Field is empty, and otherwise the entry for r.Field and "*". ok is false
// if there is no text.
func phrase(r sparse.Remedy) (text string, ok bool) {
	text, ok = phrases[r.Field][r.To]
	if ok {
		return text, true
	}
	if r.Field == "" {
		return r.To, true
	}
	value := r.To
	if r.Field == "TableOptions.Categorical" || r.Field == "TableOptions.Drop" {
		value = escapeCommas(value)
	}
	text, ok = phrases[r.Field]["*"]
	return strings.ReplaceAll(text, "%s", value), ok
}

// rewordedText returns the text of err without names of packages, and with flags in place of names of fields.
// It also rewords the errors that err wraps.
func rewordedText(err error) string {
	text, errs := err.Error(), wrappedErrors(err)
	words := func(r sparse.Remedy) string {
		for _, wrapped := range errs {
			if advised, ok := wrapped.(advisedError); ok {
				if words, ok := advised.advice(r); ok {
					return words
				}
			}
		}
		return remedyWords(r)
	}
	for _, wrapped := range errs {
		switch wrapped := wrapped.(type) {
		case *solver.SettingError:
			text = strings.Replace(text, wrapped.Error(), settingWords(wrapped), 1)
		case *pkgerr.Error:
			text = strings.Replace(text, wrapped.Error(), pkgerr.Text(wrapped), 1)
		case interface {
			Error() string
			Reword(words func(sparse.Remedy) string) string
		}:
			text = strings.Replace(text, wrapped.Error(), wrapped.Reword(words), 1)
		}
	}
	return text
}

// An advisedError is an error whose text has special words for some remedies, such as words that name a
// column of the data. The function advice returns the special words for a remedy. If ok is false, the remedy
// has no special words, and the text has the usual ones. If ok is true and the words are empty, the text
// leaves the remedy out.
type advisedError struct {
	error
	advice func(r sparse.Remedy) (words string, ok bool)
}

func (e advisedError) Unwrap() error { return e.error }

// settingWords returns the text of e with a flag in place of the field.
func settingWords(e *solver.SettingError) string {
	tol, _ := e.Value.(float64)
	flag := fmt.Sprintf("%s %v", flagOf[e.Field], e.Value)
	switch {
	case e.Field == "RelTol" && tol < 0:
		flag = "--tol none"
	case e.Field == "Float32":
		flag = "--float32"
	case e.Field == "Average":
		flag = "--output average"
	case e.Field == "Checkpoint":
		flag = "--checkpoint with --dist"
	case flagOf[e.Field] == "":
		return e.Reword(remedyWords)
	}
	return (&sparse.RemedyError{Err: errors.New(flag + ": " + e.Allowed), Remedies: e.Remedies}).Reword(remedyWords)
}

// wrappedErrors returns err and all errors that it wraps.
func wrappedErrors(err error) []error {
	errs := []error{err}
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		if inner := wrapper.Unwrap(); inner != nil {
			errs = append(errs, wrappedErrors(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range wrapper.Unwrap() {
			errs = append(errs, wrappedErrors(inner)...)
		}
	}
	return errs
}
