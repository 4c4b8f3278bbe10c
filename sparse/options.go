package sparse

import (
	"fmt"
	"math"
)

// ReadOptions says how to read a LIBSVM file. Nil and the zero value mean: index
// base found out, as many features as the largest index seen, two labels mapped
// to -1 and +1 with the larger positive, unsorted rows sorted.
type ReadOptions struct {
	// IndexBase is AutoBase (zero), ZeroBased or OneBased. Reading an index 0
	// from a OneBased file is an error.
	IndexBase IndexBase
	// Features is the number p of columns; 0 takes the largest index seen. An
	// index beyond a stated p is an error.
	Features int
	// Positive, if not nil, is the label that becomes +1; it must occur.
	Positive *float64
	// Mapping, if not zero, fixes both labels beforehand, as prediction needs:
	// any other label is an error, and a file with one of them only is fine.
	Mapping LabelMapping
	// Regression keeps labels as they are.
	Regression bool
	// AnyLabels keeps labels as they are without asking what they mean, for
	// prediction on data whose labels are unknown or irrelevant. It differs
	// from Regression in intent only.
	AnyLabels bool
	// Strict refuses rows whose indices are not increasing; otherwise they are
	// sorted and counted. Repeated indices are always an error.
	Strict bool
}

func (o *ReadOptions) check() error {
	ways := 0
	for _, on := range []bool{o.Positive != nil, !o.Mapping.IsZero(), o.Regression, o.AnyLabels} {
		if on {
			ways++
		}
	}
	switch {
	case o.IndexBase > OneBased:
		return fmt.Errorf("sparse: ReadOptions.IndexBase is %v: want AutoBase, ZeroBased or OneBased", o.IndexBase)
	case o.Features < 0 || o.Features > MaxCols:
		return fmt.Errorf("sparse: ReadOptions.Features is %d: want 0 (largest index seen) to %d", o.Features, MaxCols)
	case ways > 1:
		return fmt.Errorf("sparse: ReadOptions has more than one of Positive, Mapping, Regression, AnyLabels set: want at most one")
	case o.Positive != nil && (math.IsNaN(*o.Positive) || math.IsInf(*o.Positive, 0)):
		return fmt.Errorf("sparse: ReadOptions.Positive is %v: want a finite label", *o.Positive)
	}
	return nil
}
