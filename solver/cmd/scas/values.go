package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// This file has the types of flag values; kong calls UnmarshalText.

// notNegative is a finite number that is 0 or larger.
type notNegative float64

func (v *notNegative) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return fmt.Errorf("%q: want a finite number that is not negative", text)
	}
	*v = notNegative(f)
	return nil
}

// positive is a finite number above 0.
type positive float64

func (v *positive) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return fmt.Errorf("%q: want a finite number above 0", text)
	}
	*v = positive(f)
	return nil
}

// auto is a finite number above 0, or 0 for "auto".
type auto float64

func (v *auto) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*v = 0
		return nil
	}
	if (*positive)(v).UnmarshalText(text) != nil {
		return fmt.Errorf("%q: want auto or a finite number above 0", text)
	}
	return nil
}

// label is a finite number.
type label float64

func (v *label) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%q: want a label, a finite number", text)
	}
	*v = label(f)
	return nil
}

// count is a whole number above 0 that fits 32 bits; 0 stands for no flag.
type count int

func (v *count) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("%q: want a whole number from 1 to %d", text, math.MaxInt32)
	}
	*v = count(n)
	return nil
}

// indexBase is the number of the first feature.
type indexBase struct{ sparse.IndexBase }

func (v *indexBase) UnmarshalText(text []byte) error {
	for _, b := range []sparse.IndexBase{sparse.AutoBase, sparse.ZeroBased, sparse.OneBased} {
		if b.String() == string(text) {
			v.IndexBase = b
			return nil
		}
	}
	return fmt.Errorf("%q: want auto, 0 or 1", text)
}

// level is a kernel level, or nil for the one active.
type level struct{ *kernels.Level }

func (v *level) UnmarshalText(text []byte) error {
	l, err := kernels.ParseLevel(string(text))
	if err != nil {
		return fmt.Errorf("%q: want one of %v", text, kernels.Available())
	}
	v.Level = &l
	return nil
}

// use switches to the level and returns what switches back.
func (v level) use() (restore func(), err error) {
	if v.Level == nil {
		return func() {}, nil
	}
	old := kernels.Active()
	if err := kernels.Use(*v.Level); err != nil {
		return nil, usagef("--level %v: this machine has %v", *v.Level, kernels.Available())
	}
	return func() { _ = kernels.Use(old) }, nil // it was in use before
}
