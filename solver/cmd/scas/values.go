package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// This file has the types of flag values. Package kong calls their methods UnmarshalText.

// parseNumber parses text as a finite number that allowed accepts. want describes these numbers, for the
// error.
func parseNumber[T ~float64](v *T, text []byte, allowed func(f float64) bool, want string) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !isFinite(f) || !allowed(f) {
		return fmt.Errorf("%q: want %s", text, want)
	}
	*v = T(f)
	return nil
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

type notNegative float64

func (v *notNegative) UnmarshalText(text []byte) error {
	return parseNumber(v, text, func(f float64) bool { return f >= 0 },
		"a finite number that is not negative")
}

type positive float64

func (v *positive) UnmarshalText(text []byte) error {
	return parseNumber(v, text, func(f float64) bool { return f > 0 }, "a finite number above 0")
}

// An auto is a finite number above 0, or 0 for the word auto.
type auto float64

func (v *auto) UnmarshalText(text []byte) error {
	*v = 0
	if string(text) == "auto" {
		return nil
	}
	return parseNumber(v, text, func(f float64) bool { return f > 0 }, "auto or a finite number above 0")
}

func (v auto) autoSuffix() string {
	if v == 0 {
		return " (auto)"
	}
	return ""
}

// A tolerance is a number between 0 and 1, 0 for the word auto, or -1 for the word none.
type tolerance float64

func (v *tolerance) UnmarshalText(text []byte) error {
	switch string(text) {
	case "auto":
		*v = 0
		return nil
	case "none":
		*v = -1
		return nil
	}
	return parseNumber(v, text, func(f float64) bool { return f > 0 && f < 1 },
		"a number between 0 and 1, auto or none")
}

// A positiveFlag is the value of --positive: a label that is a number or, in tables and .scas files, a word.
type positiveFlag struct {
	word   string
	number *float64 // nil for a word
}

func (v *positiveFlag) UnmarshalText(text []byte) error {
	v.word = string(text)
	f, err := strconv.ParseFloat(v.word, 64)
	switch {
	case v.word == "" || err == nil && !isFinite(f):
		return fmt.Errorf("%q: want a label, a finite number", text)
	case err == nil:
		v.number = &f
	}
	return nil
}

type finite float64

func (v *finite) UnmarshalText(text []byte) error {
	return parseNumber(v, text, isFinite, "a finite number")
}

type seed uint64

func (v *seed) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%q: want a whole number from 0 to %d", text, uint64(math.MaxUint64))
	}
	*v = seed(n)
	return nil
}

// A duration is a time above 0, or 0 if the flag is not given.
type duration time.Duration

func (v *duration) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if v, numberErr := strconv.ParseFloat(string(text), 64); numberErr == nil && v > 0 {
		return fmt.Errorf("%q: a time needs its unit; for seconds give %ss", text, text)
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q: want a time above 0 with its unit, such as 5s, 90s or 5m", text)
	}
	*v = duration(d)
	return nil
}

// A count is a whole number from 1 to 2^31-1, or 0 if the flag is not given.
type count int

func (v *count) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("%q: want a whole number from 1 to %d", text, math.MaxInt32)
	}
	*v = count(n)
	return nil
}

// An indexBase is the value of --index-base: the number of the first feature (0 or 1), or auto.
type indexBase struct{ sparse.IndexBase }

func (v *indexBase) UnmarshalText(text []byte) error {
	if v.IndexBase.UnmarshalText(text) != nil {
		return fmt.Errorf("%q: want auto, 0 or 1", text)
	}
	return nil
}

// A level is the value of --level: a kernel level, or nil if the flag is not given.
type level struct{ *kernels.Level }

func (v *level) UnmarshalText(text []byte) error {
	l, err := kernels.ParseLevel(string(text))
	if err != nil {
		var names []string
		for _, l := range kernels.Available() {
			names = append(names, l.String())
		}
		return fmt.Errorf("%q: want one of %s", text, strings.Join(names, ", "))
	}
	v.Level = &l
	return nil
}

// activate makes v the active kernel level. If v.Level is nil, it does nothing. restore makes the previous
// level active again.
func (v level) activate() (restore func(), err error) {
	if v.Level == nil {
		return func() {}, nil
	}
	old := kernels.Active()
	if err := kernels.Use(*v.Level); err != nil {
		return nil, usagef("--level %v: this machine has %v", *v.Level, kernels.Available())
	}
	return func() { _ = kernels.Use(old) }, nil // cannot fail, because old was in use before
}

// A lossFlag is the value of --loss, such as logistic or huber:2.
type lossFlag struct{ solver.Loss }

func (v *lossFlag) UnmarshalText(text []byte) (err error) {
	v.Loss, err = solver.ParseLoss(string(text))
	if err != nil {
		return fmt.Errorf("%q: want %s", text, term.LossUsage())
	}
	return nil
}

func (lossFlag) completions() []string { return term.LossNames() }

func (v lossFlag) classifies() bool { return term.LossOf(v.Loss).Traits().Labels == term.Classes }

func (v lossFlag) isCount() bool { return term.LossOf(v.Loss).Traits().Labels == term.Counts }

// A methodFlag is the value of --method. Method is nil for auto and for list.
type methodFlag struct {
	solver.Method
	isList bool // true for list: explain the methods instead of training
}

func (v *methodFlag) UnmarshalText(text []byte) (err error) {
	switch name := string(text); name {
	case "auto":
		*v = methodFlag{}
	case "list":
		*v = methodFlag{isList: true}
	default:
		var ok bool
		v.Method, ok = baseline.ByName(name)
		if !ok {
			err = fmt.Errorf("%q: want one of %s", text, strings.Join(v.completions(), ", "))
		}
	}
	return err
}

func (v methodFlag) name() string {
	if v.Method == nil {
		return solver.Auto{}.Info().Name
	}
	return v.Info().Name
}

// completions returns all values of --method: the word "list", and the names of the methods.
func (methodFlag) completions() []string {
	names := []string{"list"}
	for _, m := range baseline.Methods() {
		names = append(names, m.Info().Name)
	}
	return names
}

// A domainFlag is the value of --domain: a set that the coefficients must be in.
type domainFlag struct {
	text   string
	newSet func(p int) solver.Domain // makes the set for p features; newSet is nil for R^p
	joint  bool                      // whether the set constrains all coefficients together
}

func (d *domainFlag) UnmarshalText(text []byte) error {
	d.text = string(text)
	kind, arg, hasArg := strings.Cut(d.text, ":")
	size := positive(1)
	hasSize := hasArg && size.UnmarshalText([]byte(arg)) == nil
	lowText, highText, _ := strings.Cut(arg, ",")
	lo, errLo := strconv.ParseFloat(lowText, 64) // may be infinite
	hi, errHi := strconv.ParseFloat(highText, 64)
	switch {
	case kind == "box" && errLo == nil && errHi == nil && solver.NewBox(1, lo, hi).Validate(1) == nil:
		d.newSet = func(p int) solver.Domain { return solver.NewBox(p, lo, hi) }
	case kind == "ball" && hasSize:
		d.joint, d.newSet = true, func(int) solver.Domain { return solver.Ball{Radius: float64(size)} }
	case kind == "nonnegative" && !hasArg:
		d.newSet = func(int) solver.Domain { return solver.Nonnegative{} }
	case kind == "simplex" && (hasSize || !hasArg):
		d.joint, d.newSet = true, func(int) solver.Domain { return solver.Simplex{Total: float64(size)} }
	default:
		return fmt.Errorf("%q: want box:LO,HI with a finite number from LO to HI, ball:RADIUS above 0, nonnegative, or simplex[:TOTAL] with TOTAL above 0", text)
	}
	return nil
}

// completions returns an example of each kind of set.
func (domainFlag) completions() []string {
	return []string{"box:0,1", "ball:1", "nonnegative", "simplex"}
}

type share float64

func (v *share) UnmarshalText(text []byte) error {
	return parseNumber(v, text, func(f float64) bool { return f >= 0 && f <= 1 }, "a number from 0 to 1")
}

type ratio float64

func (v *ratio) UnmarshalText(text []byte) error {
	return parseNumber(v, text, func(f float64) bool { return f > 0 && f < 1 },
		"a number above 0 and below 1")
}

// A lambdasFlag is the value of --lambdas. count is the number of lambdas. lambdas has them, or is nil if
// only their number is given.
type lambdasFlag struct {
	count   int
	lambdas []float64
}

func (v *lambdasFlag) UnmarshalText(text []byte) error {
	const want = "want a whole number from 1, or lambdas from 0 such as 0.1,0.01"
	if n, err := strconv.ParseInt(string(text), 10, 32); err == nil {
		if n < 1 {
			return fmt.Errorf("%q: %s", text, want)
		}
		*v = lambdasFlag{count: int(n)}
		return nil
	}
	lastLambda, lambdas := math.Inf(1), []float64{}
	for word := range strings.SplitSeq(string(text), ",") {
		lambda, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil || !(lambda >= 0) || math.IsInf(lambda, 0):
			return fmt.Errorf("%q: %q: %s", text, word, want)
		case lambda >= lastLambda:
			return fmt.Errorf("%q: %v after %v: want the larger lambda first", text, lambda, lastLambda)
		}
		lastLambda, lambdas = lambda, append(lambdas, lambda)
	}
	*v = lambdasFlag{len(lambdas), lambdas}
	return nil
}
