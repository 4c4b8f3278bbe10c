package sparse

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// Format is the form of a file of data.
type Format string

// The forms. All of them may be compressed: by gzip, bzip2, xz or zstd when they are read, by
// gzip or zstd when they are written.
const (
	// Auto, the zero value, goes by the ending of the name; see FormatOf.
	Auto Format = ""

	// LIBSVM (SVMlight) text has one sample a line:
	//
	//	label index:value index:value ... # comment
	//
	// Tokens are separated by blanks; blank lines and comments are skipped; a line with a
	// label only is a sample of zeros. Entries whose value is written as 0 are stored.
	// Repeated indices and an index outside the stated base or feature count are errors.
	// Written indices count from 1. The number of columns is not in the file.
	LIBSVM Format = "libsvm"

	// CSV is a table with one sample a line: comma-separated values of RFC 4180, the first
	// line naming the columns. Cells may be quoted, and quoted ones hold delimiters, line
	// breaks and doubled quotes; blanks around others are no part of them. Blank lines and a
	// byte order mark are skipped.
	//
	// One column has the labels; see TableOptions. A column of numbers is a feature. A column
	// is categorical if the options say so or its first value is not a number: it becomes a
	// feature of 0 and 1 for every value, called column=value, in the order of the values as
	// text. Labels that are words are mapped as numbers are, in the order of the words. Zeros
	// are not stored, but negative ones are.
	//
	// If ReadOptions.Names is not nil, columns are matched with these names instead, wherever
	// they stand: a column called by a name is a feature, and a column c is categorical if
	// names c=value are wanted. Values that are none of them count as no category.
	//
	// Lines with more or fewer cells than the first and missing values, unless the options
	// replace them, are errors. A written table has the label in its last column; columns
	// without names are called x1, x2, ...
	CSV Format = "csv"

	// TSV is CSV with tabulators in the place of commas.
	TSV Format = "tsv"

	// NPY is a dense array of NumPy's .npy form, a row for every sample: float64, float32,
	// whole numbers or truth values, of two dimensions, in C or Fortran order. Zeros are not
	// stored, but negative ones are. Whole numbers that float64 does not have are errors.
	// Labels are those of ReadOptions.LabelsFile. It is written as float64 in C order.
	NPY Format = "npy"

	// NPZ is an archive of arrays of NumPy's .npz form, compressed or not, with a row for
	// every sample:
	//
	//   - a sparse matrix as scipy.sparse.save_npz writes it, of format csr: data, indices,
	//     indptr, shape, format; rows whose columns are out of order are sorted and counted;
	//   - or a dense one, as numpy.savez(path, X=X, y=y) does: the array X or x, or the only
	//     one of two dimensions; see NPY.
	//
	// Labels are the array y, labels or target; the array names or features has the names of
	// the features. Other arrays are left alone. It is written in the sparse form, and equal
	// data give equal bytes.
	NPZ Format = "npz"

	// MatrixMarket is coordinate text, a row of the matrix for every sample: a first line
	// `rows cols nnz`, then exactly nnz lines `i j value` with 1-based i and j, in any order.
	// Blank lines and comments from '#' on are skipped.
	//
	// Below a first line %%MatrixMarket it is a file of the Matrix Market (Boisvert, Pozo and
	// Remington 1996): formats coordinate and array, the latter a size `rows cols` and the
	// values, column by column; fields real, integer and pattern (all values 1); symmetries
	// general, symmetric and skew-symmetric, of which the file has one triangle and the
	// result both. It is written with that line, as coordinate real general.
	//
	// A repeated place, one out of range and a wrong number of lines are errors. Labels are
	// those of ReadOptions.LabelsFile.
	MatrixMarket Format = "mtx"

	// Binary is a file .scas, which WriteFile, Convert and Builder write. Where the system
	// maps files, reading maps it: X and Labels are views of the file, at the cost of a look
	// at every block, which is compared with its checksum. Of data that are larger than
	// ReadOptions.Memory and read nevertheless (ReadOptions.Beyond), CSR.Check compares the
	// blocks.
	//
	// The file must not be changed as long as the data are in use, and Dataset.Close alone
	// lets go of it. Replacing it, as scas does, leaves the data as they were. A file that is
	// truncated or differs from what was written is an error.
	//
	// Labels of two kinds are written as −1 and +1, with what they stand for; words of more
	// kinds are numbered.
	Binary Format = "scas"
)

// A form is what there is to know of a Format.
type form struct {
	name    Format
	endings []string // of files, without that of a compression
	read    func(r io.Reader, name string, opt *ReadOptions) (*Dataset, error)
	write   func(w io.Writer, d *Dataset) error
	convert func(c *conversion) (converter, error) // to Binary, block by block; nil if data are read whole
}

// forms are all forms. A name with the ending of none is that of the first.
var forms = []form{
	{LIBSVM, nil, decompressed(readLIBSVM), writeLIBSVM, convertLIBSVM},
	{CSV, []string{".csv"}, decompressed(readTable), func(w io.Writer, d *Dataset) error { return writeTable(w, d, ',') }, convertTable},
	{TSV, []string{".tsv"}, decompressed(readTable), func(w io.Writer, d *Dataset) error { return writeTable(w, d, '\t') }, convertTable},
	{NPY, []string{".npy"}, decompressed(readNPY), writeNPY, nil},
	{NPZ, []string{".npz"}, readNPZ, writeNPZ, nil},
	{MatrixMarket, []string{".mtx", ".mm"}, readMatrixMarket, writeMatrixMarket, nil},
	{Binary, []string{".scas"}, readBinary, writeBinary, nil},
}

// formOf returns the form of a name, nil if there is none.
func formOf(name Format) *form {
	k := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if k < 0 {
		return nil
	}
	return &forms[k]
}

// Formats lists the forms, without Auto.
func Formats() []Format {
	names := make([]Format, len(forms))
	for k, f := range forms {
		names[k] = f.name
	}
	return names
}

// String returns what flags call the form.
func (f Format) String() string {
	if f == Auto {
		return "auto"
	}
	return string(f)
}

// FormatOf returns the form that the ending of a name tells, with that of a compressed
// file (.gz, .bz2, .xz, .zst) behind it or not: .csv, .tsv, .npy, .npz, .mtx (or .mm) and
// .scas are those forms, and any other is LIBSVM.
func FormatOf(name string) Format {
	base := strings.ToLower(filepath.Base(name))
	if compressedBy(base) != nil {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	for _, f := range forms {
		if slices.Contains(f.endings, filepath.Ext(base)) {
			return f.name
		}
	}
	return forms[0].name
}

// ReadFile reads a file of data of any form; see Read.
func ReadFile(path string, opt *ReadOptions) (*Dataset, error) {
	return text.FromFile(path, func(r io.Reader, name string) (*Dataset, error) { return Read(r, name, opt) })
}

// Read reads data of the form that opt or the ending of name says, possibly compressed.
// name stands for the file in errors. Nil opt means defaults. Numbers get exactly the value
// strconv.ParseFloat gives.
//
// Data that are not of the form, numbers that are not finite, labels that are not of
// exactly two values (unless opt says otherwise) and data without any sample are errors of
// type *ParseError.
func Read(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	o, err := opt.of(name)
	if err != nil {
		return nil, err
	}
	if o.LabelsFile != "" {
		if o.targets, err = readLabelsFile(o.LabelsFile, o.Memory); err != nil {
			return nil, err
		}
	}
	return formOf(o.Format).read(r, name, o)
}

// decompressed returns a reader of a form that notes the compression, and has read take the
// text without it.
func decompressed(read func(in io.Reader, name string, opt *ReadOptions) (*Dataset, error)) func(io.Reader, string, *ReadOptions) (*Dataset, error) {
	return func(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
		in, kind, err := decompress(r, name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		d, err := read(in, name, opt)
		if err != nil {
			return nil, err
		}
		d.Stats.Compression = kind
		return d, nil
	}
}

// WriteFile writes data to a file, whole or not at all, in the form that the ending of its
// name tells (see FormatOf), compressed if that is .gz or .zst. A symbolic link is followed.
//
// Every form reads back to the same numbers, bit for bit; but dense ones, CSV and NPY, lose
// which zeros were stored, and LIBSVM the number of columns. NPY and the Matrix Market have
// no labels; names are kept by CSV, NPZ and .scas. A data set without labels is written with
// labels of 0 as LIBSVM.
func WriteFile(path string, d *Dataset) error {
	if err := writable(path); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error { return Write(w, FormatOf(path), d) })
}

// writable refuses the name of a file with a compression that is not written.
func writable(path string) error {
	if packed := compressedBy(path); packed != nil && packed.create == nil {
		return fmt.Errorf("sparse: %s: %s is not written: take .gz or .zst", path, packed.name)
	}
	return nil
}

// writeFile writes a file, whole or not at all, compressed as the ending of its name tells.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.Write(atomicfile.Followed(path), 0o666, func(w io.Writer) error {
		return compressedBy(path).compressTo(w, write)
	})
}

// Write writes data in a form; see WriteFile.
func Write(w io.Writer, format Format, d *Dataset) error {
	f := formOf(format)
	switch {
	case f == nil:
		return fmt.Errorf("sparse: writing the form %v: want one of %v", format, Formats())
	case d.Labels != nil && len(d.Labels) != d.X.rows:
		return fmt.Errorf("sparse: %d labels for %d rows: want one per row", len(d.Labels), d.X.rows)
	}
	return f.write(w, d)
}
