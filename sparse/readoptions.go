package sparse

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// ReadOptions says how to read a data file. Nil and the zero value mean: the index base is detected, the
// number of features follows from the file, the larger of two labels becomes +1 and the smaller one -1, and
// unsorted rows are sorted.
type ReadOptions struct {
	// Format is the format of the file. Auto, the zero value, means the format that the file name implies.
	Format Format
	// IndexBase is AutoBase (zero), ZeroBased or OneBased. Only LIBSVM text uses it. An index 0 is an error
	// if IndexBase is OneBased.
	IndexBase IndexBase
	// Features is the number of columns. 0 means the number of columns in the file or, in LIBSVM text, the
	// smallest number that its indices allow. If Features is not 0, a larger index is an error, and so is a
	// dense table with another number of columns.
	Features int
	// IgnoreBeyond drops entries in columns after the first Features columns, instead of returning an
	// error. It applies to sparse data only, and only if Features is not 0. In LIBSVM text with an index 0,
	// features have the numbers 0 to Features − 1. The number Features is dropped there only if IndexBase is
	// ZeroBased; otherwise it is an error.
	IgnoreBeyond bool
	// Positive, if not nil, is the label that becomes +1. It must occur. If labels are words, it stands for
	// the word that is this number in decimal, unless PositiveName is set.
	Positive *float64
	// PositiveName is the label that becomes +1 if labels are words. It must occur. If PositiveName is
	// empty, the word that is later in byte order becomes +1.
	PositiveName string
	// MaxClasses is the largest number of classes; 0 and 1 mean two. Labels of more than two classes must
	// be integers or, in tables, words, each in at least two rows. Integers are stored unchanged, and words
	// as 0, 1 and so on. Dataset.Classes lists the labels.
	MaxClasses int
	// Classes, if not zero, states all labels, for example those of the training data. Another label is an
	// error, but a file need not contain all of them. Of two classes, the first becomes -1 and the second +1.
	Classes Classes
	// Regression means that labels are numbers. They are not mapped.
	Regression bool
	// Counts makes a label below 0 an error.
	Counts bool
	// AnyLabels means that labels are not mapped and may be absent.
	AnyLabels bool
	// LabelsOptional means that data without labels are accepted.
	LabelsOptional bool
	// If Strict is true, a row whose indices do not increase is an error. If Strict is false, such a row is
	// sorted, and counted in ReadStats.SortedRows. Repeated indices are always an error.
	Strict bool
	// LabelsFile, if not empty, is the path of a file with one label for each row, which replaces the
	// labels in the data. The file is an array in NumPy's format if FormatOf returns NPY for its name, else
	// text with one number a line. LIBSVM text and tables accept no LabelsFile.
	LabelsFile string
	// Table holds the options for CSV and TSV.
	Table TableOptions
	// Names, if not nil, lists the features to read, in order. It applies to files that name their
	// features. A feature that the file lacks is an error; columns that are not listed are dropped.
	Names []string
	// Memory is the largest number of bytes that the data and Reserve together may take in memory. Larger
	// data are an error. 0 means no limit.
	Memory int64
	// Reserve is the part of Memory, in bytes, that the program needs for other purposes than the data.
	Reserve int64
	// Beyond allows mapped data (CSR.Mapped) that are larger than Memory allows. The caller must check
	// (CSR.Check), process and release (CSR.Release) a part of the rows at a time.
	Beyond bool

	targets labelsOfFile // the labels in LabelsFile
	// keepSigns is for a file that stores its labels as −1 and +1, and for AnyLabels, which asks for the
	// labels for which these stand. With keepSigns, readBinary returns −1 and +1, without a copy of the
	// labels. But if the file lists more than two words, readBinary ignores keepSigns, and copies the labels
	// of all rows.
	keepSigns bool
}

// checked returns o, or the defaults if o is nil. It returns an error if an option is wrong.
func (o *ReadOptions) checked() (*ReadOptions, error) {
	if o == nil {
		return &ReadOptions{}, nil
	}
	return o, o.check()
}

// forFile returns a copy of o, or of the defaults if o is nil. If Format is Auto, it becomes the format for
// the file name. forFile returns an error if an option is wrong.
func (o *ReadOptions) forFile(name string) (*ReadOptions, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	fileOpt := *o
	if fileOpt.Format == Auto {
		fileOpt.Format = FormatOf(name)
	}
	if fileOpt.LabelsFile != "" && slices.Contains([]Format{LIBSVM, CSV, TSV}, fileOpt.Format) {
		return nil, errorf("ReadOptions.LabelsFile is %s, but %s is read as %v, which has labels: want no file of labels", fileOpt.LabelsFile, name, fileOpt.Format)
	}
	return &fileOpt, nil
}

// keepLabels sets AnyLabels, and unsets the options that exclude it.
func (o *ReadOptions) keepLabels() {
	o.Positive, o.PositiveName, o.Classes = nil, "", Classes{}
	o.Regression, o.AnyLabels = false, true
}

func (o *ReadOptions) check() error {
	classes := o.Classes
	exclusiveCount := 0 // number of these options that are set; at most one may be set
	for _, isSet := range []bool{
		o.Positive != nil || o.PositiveName != "", !classes.IsZero(), o.Regression, o.AnyLabels,
	} {
		if isSet {
			exclusiveCount++
		}
	}
	switch {
	case o.Format != Auto && !slices.Contains(Formats(), o.Format):
		return errorf("ReadOptions.Format is %q: want one of %v", o.Format, Formats())
	case o.IndexBase > OneBased:
		return errorf("ReadOptions.IndexBase is %v: want AutoBase, ZeroBased or OneBased", o.IndexBase)
	case o.Features < 0 || o.Features > MaxCols:
		return errorf("ReadOptions.Features is %d: want 0 (largest index seen) to %d", o.Features, MaxCols)
	case exclusiveCount > 1:
		return errorf("ReadOptions has more than one of Positive, Classes, Regression, AnyLabels set: want at most one")
	case o.MaxClasses < 0:
		return errorf("ReadOptions.MaxClasses is %d: want 0 for two, or more", o.MaxClasses)
	case classes.Names != nil && len(classes.Names) != len(classes.Values):
		return errorf("ReadOptions.Classes has %d names for %d values: want one for each, or none",
			len(classes.Names), len(classes.Values))
	case len(classes.Values) != 2 && !(slices.IsSorted(classes.Values) && slices.IsSorted(classes.Names)):
		return errorf("ReadOptions.Classes is %v, %q: want labels in increasing order, or two",
			classes.Values, classes.Names)
	case o.Positive != nil && (math.IsNaN(*o.Positive) || math.IsInf(*o.Positive, 0)):
		return errorf("ReadOptions.Positive is %v: want a finite label", *o.Positive)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Table.Fill)) {
		if v := o.Table.Fill[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return errorf("TableOptions.Fill is %v for column %s: want a finite number", v, name)
		}
	}
	return nil
}

// exceededBy reports whether bytes and Reserve together are more than Memory. It returns false if Memory is
// 0.
func (o *ReadOptions) exceededBy(bytes int64) bool { return o.Memory > 0 && bytes+o.Reserve > o.Memory }

// checkMemory returns an error if o.exceededBy(bytes). format and args say in the error what takes the bytes.
func (o *ReadOptions) checkMemory(name string, bytes int64, format string, args ...any) error {
	if !o.exceededBy(bytes) {
		return nil
	}
	bytes += o.Reserve
	return fileErrorf(name, "%s take %s of memory, more than the %s allowed",
		fmt.Sprintf(format, args...), formatBytes(bytes), formatBytes(o.Memory)).with(moreMemory)
}

// formatBytes formats a number of bytes, such as 1.5 MiB.
func formatBytes(n int64) string {
	v, k := float64(n), 0
	for ; v >= 1000 && k < 4; k++ {
		v /= 1 << 10
	}
	return fmt.Sprintf("%.3g %s", v, [...]string{"bytes", "KiB", "MiB", "GiB", "TiB"}[k])
}

// entryBytes is the number of bytes of a matrix entry, rowBytes the number of bytes of a row pointer and a
// label.
const entryBytes, rowBytes = 4 + 8, 8 + 8
