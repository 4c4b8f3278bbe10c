package sparse

import (
	"fmt"
	"math"
	"slices"
)

// ReadOptions says how to read a file of data. Nil and the zero value mean: index
// base found out, as many features as the largest index seen, two labels mapped
// to -1 and +1 with the larger positive, unsorted rows sorted.
type ReadOptions struct {
	// Format is the form of the file. Auto, the zero value, goes by the name.
	Format Format
	// IndexBase is AutoBase (zero), ZeroBased or OneBased. Reading an index 0
	// from a OneBased file is an error. It is about LIBSVM text alone.
	IndexBase IndexBase
	// Features is the number p of columns; 0 takes the largest index seen, or what the
	// file says. An index beyond a stated p is an error, and so is a dense table with
	// another number.
	Features int
	// IgnoreBeyond leaves out entries of columns beyond a stated number of Features. It is
	// for sparse data; a dense table has that number.
	IgnoreBeyond bool
	// Positive, if not nil, is the label that becomes +1; it must occur.
	Positive *float64
	// PositiveName is Positive for labels that are words; empty means the one that is
	// later in the order of bytes.
	PositiveName string
	// Mapping, if not zero, fixes both labels beforehand, as prediction needs:
	// any other label is an error, and a file with one of them only is fine.
	Mapping LabelMapping
	// MaxClasses is how many classes there may be; 0 and 1 mean two. Labels of more than
	// two are whole numbers or, in tables, words, each of two rows or more; they are kept
	// as they are, words as 0, 1, ..., and Dataset.Classes tells them.
	MaxClasses int
	// Classes, if not zero, fixes the labels of more than two classes beforehand, as
	// Mapping does those of two.
	Classes Classes
	// Regression keeps labels as they are.
	Regression bool
	// Counts, beside Regression, refuses labels below 0.
	Counts bool
	// AnyLabels keeps labels as they are without asking what they mean, for
	// prediction on data whose labels are unknown or irrelevant. It differs
	// from Regression in intent, and in that labels may be absent.
	AnyLabels bool
	// LabelsOptional takes data without labels for what they are.
	LabelsOptional bool
	// Strict refuses rows whose indices are not increasing; otherwise they are
	// sorted and counted. Repeated indices are always an error.
	Strict bool
	// LabelsFile, if not empty, is the path of a file of labels, one for each row, which take
	// the place of those in the data: an array in NumPy's form if the name ends in .npy, else
	// text with one number a line. LIBSVM text and tables have labels of their own and take
	// no others.
	LabelsFile string
	// Table is about tables, CSV and TSV.
	Table TableOptions
	// Names, if not nil, are those of the features wanted, in their order: a file that
	// names its features is brought into it. One that the file lacks is an error, one
	// that is not wanted is left out.
	Names []string
	// Memory bounds what the data may take, in bytes, where a file would take more; 0
	// means no bound.
	Memory int64
	// Reserve is how many bytes of Memory are not for the data: what the program takes
	// beside them.
	Reserve int64
	// Beyond takes data that are mapped (CSR.Mapped) though they are larger than Memory,
	// for who goes through them in pieces, checks these (CSR.Check) and lets go of them
	// (CSR.Release).
	Beyond bool

	targets []float64 // of LabelsFile
	stored  bool      // labels of two classes are left as a .scas file has them
}

// checked returns o, or the defaults for nil, unless something is wrong with it.
func (o *ReadOptions) checked() (*ReadOptions, error) {
	if o == nil {
		return &ReadOptions{}, nil
	}
	return o, o.check()
}

// of returns a copy of o, or of the defaults for nil, with the form of a file of that name,
// unless something is wrong with it.
func (o *ReadOptions) of(name string) (*ReadOptions, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	own := *o
	if own.Format == Auto {
		own.Format = FormatOf(name)
	}
	if own.LabelsFile != "" && slices.Contains([]Format{LIBSVM, CSV, TSV}, own.Format) {
		return nil, fmt.Errorf("sparse: ReadOptions.LabelsFile is %s, but %s is read as %v, which has labels: want no file of labels", own.LabelsFile, name, own.Format)
	}
	return &own, nil
}

func (o *ReadOptions) check() error {
	ways := 0
	for _, on := range []bool{o.Positive != nil || o.PositiveName != "", !o.Mapping.IsZero(), !o.Classes.IsZero(), o.Regression, o.AnyLabels} {
		if on {
			ways++
		}
	}
	switch {
	case o.Format != Auto && !slices.Contains(Formats(), o.Format):
		return fmt.Errorf("sparse: ReadOptions.Format is %q: want one of %v", o.Format, Formats())
	case o.IndexBase > OneBased:
		return fmt.Errorf("sparse: ReadOptions.IndexBase is %v: want AutoBase, ZeroBased or OneBased", o.IndexBase)
	case o.Features < 0 || o.Features > MaxCols:
		return fmt.Errorf("sparse: ReadOptions.Features is %d: want 0 (largest index seen) to %d", o.Features, MaxCols)
	case ways > 1:
		return fmt.Errorf("sparse: ReadOptions has more than one of Positive, Mapping, Classes, Regression, AnyLabels set: want at most one")
	case o.MaxClasses < 0:
		return fmt.Errorf("sparse: ReadOptions.MaxClasses is %d: want 0 for two, or more", o.MaxClasses)
	case o.Classes.Names != nil && len(o.Classes.Names) != len(o.Classes.Values):
		return fmt.Errorf("sparse: ReadOptions.Classes has %d names for %d values: want one for each, or none", len(o.Classes.Names), len(o.Classes.Values))
	case !slices.IsSorted(o.Classes.Values) || !slices.IsSorted(o.Classes.Names):
		return fmt.Errorf("sparse: ReadOptions.Classes is %v, %q: want labels in increasing order", o.Classes.Values, o.Classes.Names)
	case o.Positive != nil && (math.IsNaN(*o.Positive) || math.IsInf(*o.Positive, 0)):
		return fmt.Errorf("sparse: ReadOptions.Positive is %v: want a finite label", *o.Positive)
	}
	return nil
}

// allow refuses what takes more bytes than Memory.
func (o *ReadOptions) allow(name string, bytes int64, format string, args ...any) error {
	if bytes += o.Reserve; o.Memory == 0 || bytes <= o.Memory {
		return nil
	}
	return &ParseError{File: name, Msg: fmt.Sprintf("%s take %s of memory, more than the %s allowed: allow more memory",
		fmt.Sprintf(format, args...), byteCount(bytes), byteCount(o.Memory))}
}

// byteCount writes a number of bytes for people.
func byteCount(n int64) string {
	v, k := float64(n), 0
	for ; v >= 1000 && k < 4; k++ {
		v /= 1 << 10
	}
	return fmt.Sprintf("%.3g %s", v, [...]string{"bytes", "KiB", "MiB", "GiB", "TiB"}[k])
}

// entryBytes is what an entry of a matrix takes, rowBytes a row beside them, with its label.
const entryBytes, rowBytes = 4 + 8, 8 + 8
