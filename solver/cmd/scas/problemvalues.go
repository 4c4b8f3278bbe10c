package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// This file has the types of the flags that name a part of the problem or the
// method; kong calls UnmarshalText.

// lossFlag is a loss. Huber may have its Delta behind a colon.
type lossFlag struct{ solver.Loss }

func (v *lossFlag) UnmarshalText(text []byte) error {
	const want = "want logistic, squared-hinge, squared, or huber[:DELTA] with DELTA above 0"
	name, arg, hasArg := strings.Cut(string(text), ":")
	loss, err := solver.ParseLoss(name)
	if huber, ok := loss.(solver.Huber); ok && hasArg {
		hasArg = false
		err = (*positive)(&huber.Delta).UnmarshalText([]byte(arg))
		loss = huber
	}
	if err != nil || hasArg {
		return fmt.Errorf("%q: %s", text, want)
	}
	v.Loss = loss
	return nil
}

// classifies reports whether the loss is for labels of two classes.
func (v lossFlag) classifies() bool { return v.Validate([]float64{0.5}) != nil }

// huberDelta is Delta of the Huber loss, 0 for any other and for its default.
func (v lossFlag) huberDelta() float64 {
	huber, _ := v.Loss.(solver.Huber)
	return huber.Delta
}

// methodFlag is a method; without one, auto, it is the solver's default.
type methodFlag struct {
	solver.Method
	list bool // explain the methods instead
}

func (v *methodFlag) UnmarshalText(text []byte) (err error) {
	switch name := string(text); name {
	case "auto":
		*v = methodFlag{}
	case "list":
		*v = methodFlag{list: true}
	default:
		var ok bool
		if v.Method, ok = baseline.ByName(name); !ok {
			names := []string{"auto", "list"}
			for _, m := range baseline.Methods() {
				names = append(names, m.Info().Name)
			}
			err = fmt.Errorf("%q: want one of %s", text, strings.Join(names, ", "))
		}
	}
	return err
}

// domainFlag is the set the coefficients are confined to, made for p of them.
type domainFlag struct {
	text string
	make func(p int) solver.Domain // nil for R^p
}

func (d *domainFlag) UnmarshalText(text []byte) error {
	d.text = string(text)
	kind, arg, hasArg := strings.Cut(d.text, ":")
	switch kind {
	case "box":
		d.make = parseBox(arg)
	case "ball":
		var ball solver.Ball
		if (*positive)(&ball.Radius).UnmarshalText([]byte(arg)) == nil {
			d.make = func(int) solver.Domain { return ball }
		}
	case "nonnegative":
		if !hasArg {
			d.make = func(int) solver.Domain { return solver.Nonnegative{} }
		}
	case "simplex":
		simplex := solver.Simplex{Total: 1}
		if !hasArg || (*positive)(&simplex.Total).UnmarshalText([]byte(arg)) == nil {
			d.make = func(int) solver.Domain { return simplex }
		}
	}
	if d.make == nil {
		return fmt.Errorf("%q: want box:LO,HI with LO <= HI, ball:RADIUS above 0, nonnegative, or simplex[:TOTAL] with TOTAL above 0", text)
	}
	return nil
}

// parseBox reads LO,HI; nil if it is no box. Infinite bounds leave a side open.
func parseBox(arg string) func(p int) solver.Domain {
	low, high, _ := strings.Cut(arg, ",")
	lo, errLo := strconv.ParseFloat(low, 64)
	hi, errHi := strconv.ParseFloat(high, 64)
	if errLo != nil || errHi != nil || !(lo <= hi) {
		return nil
	}
	return func(p int) solver.Domain { return solver.NewBox(p, lo, hi) }
}

// in returns the set in R^p; nil stands for R^p itself.
func (d domainFlag) in(p int) solver.Domain {
	if d.make == nil {
		return nil
	}
	return d.make(p)
}
