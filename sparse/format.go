package sparse

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// Format is the format of a data file.
type Format string

// The formats. A file of any format may be compressed: reading accepts gzip, bzip2, xz
// and zstd, writing produces gzip and zstd.
const (
	// Auto, the zero value, chooses the format by the ending of the name; see FormatOf.
	Auto Format = ""

	// LIBSVM (SVMlight) text has one sample a line:
	//
	//	label index:value index:value ... # comment
	//
	// Tokens are separated by blanks. Blank lines and comments are skipped. A line with
	// only a label is a sample of zeros. Entries with the value 0 are stored. Repeated
	// indices are errors, and so are indices that ReadOptions.IndexBase or Features does
	// not allow (but see ReadOptions.IgnoreBeyond). Files are written with indices from 1.
	// The number of columns is not in the file.
	LIBSVM Format = "libsvm"

	// CSV is a table with one sample a line: comma-separated values of RFC 4180; the
	// first line names the columns. Quoted cells may contain delimiters, line breaks and
	// doubled quotes. Blanks around an unquoted cell are ignored. Blank lines and a byte
	// order mark are skipped.
	//
	// One column holds the labels; see TableOptions. A column of numbers is a feature. A
	// column is categorical if the options say so or if its first value is not a number:
	// it becomes a 0/1 feature for every value, named column=value, in the byte order of
	// the values. Two labels that are words are mapped to -1 and +1 in byte order. Zeros
	// are not stored, except -0.
	//
	// If ReadOptions.Names is not nil, it decides the kinds of the columns, which may be in any
	// order. A column whose name is in Names holds numbers. A column c is categorical if Names
	// contains c=value for some value; values of c that are not in Names count as no category.
	//
	// A line with more or fewer cells than the first is an error, and so is a missing
	// value unless the options replace it. Tables are written with the label in the last
	// column; columns without names are named x1, x2, ...
	CSV Format = "csv"

	// TSV is CSV with tabs in the place of commas.
	TSV Format = "tsv"

	// NPY is a dense array in NumPy's .npy format with a row for every sample: two
	// dimensions, float64, float32, integers or booleans, in C or Fortran order. Zeros
	// are not stored, except -0. Integers that float64 cannot represent are errors.
	// ReadOptions.LabelsFile gives the labels. Arrays are written as float64 in C order.
	NPY Format = "npy"

	// NPZ is an archive of arrays in NumPy's .npz format, compressed or not, with a row
	// for every sample:
	//
	//   - a sparse matrix as scipy.sparse.save_npz writes it, in format csr: the arrays
	//     data, indices, indptr, shape and format; rows with columns out of order are
	//     sorted and counted;
	//   - or a dense matrix, as numpy.savez(path, X=X, y=y) writes it: the array X or x,
	//     or the first array of numbers with two dimensions; see NPY.
	//
	// The array y, labels or target holds the labels; the array names or features holds
	// the names of the features. Other arrays are ignored. Data are written in the sparse
	// form, and equal data give equal bytes.
	NPZ Format = "npz"

	// MatrixMarket is coordinate text; each row of the matrix is a sample. The first line
	// is `rows cols nnz`; then nnz lines `i j value` with 1-based i and j follow, in any
	// order. Blank lines are skipped, and so are comments, which begin with '#' or, in the format below, '%'.
	//
	// A file whose first line begins with %%MatrixMarket is in the Matrix Market format
	// (Boisvert, Pozo and Remington 1996). Supported are the formats coordinate and array
	// (a line `rows cols` and then the values, column by column); the fields real,
	// integer and pattern (all values 1); and the symmetries general, symmetric and
	// skew-symmetric. A symmetric or skew-symmetric file holds only the lower triangle, and
	// reading adds the upper one. Lines that begin with '%' are comments too. Data are written
	// in this format, as coordinate real general.
	//
	// A repeated position, a position out of range and a wrong number of lines are
	// errors. ReadOptions.LabelsFile gives the labels.
	MatrixMarket Format = "mtx"

	// Binary is a .scas file, which WriteFile, Convert and Builder write. If the file is not
	// compressed and the operating system can map files, reading maps the file and checks it: X and
	// Labels are views of the file, unless the options ask for other columns or labels. If
	// ReadOptions.Beyond is set and the mapped file is larger than ReadOptions.Memory, the rows are
	// not checked; the caller must use CSR.Check.
	//
	// The file must not be changed before Dataset.Close. Replacing the file by another, as
	// WriteFile does, is safe.
	//
	// Labels of two values are stored as −1 and +1, together with the values for which they stand.
	// Labels that are words are numbered, and the file keeps the words.
	Binary Format = "scas"
)

// A fileFormat describes a Format: its file endings and its functions.
type fileFormat struct {
	name    Format
	endings []string // endings of file names, without the ending of a compression
	read    func(input *decompressor, opt *ReadOptions) (*Dataset, error)
	write   func(w io.Writer, d *Dataset) error
	convert converter // converts block by block; nil if Convert reads all data
}

// fileFormats lists all formats. The first is the format of files whose names have no known ending.
var fileFormats = []fileFormat{
	{LIBSVM, nil, readLIBSVM, writeLIBSVM, convertLIBSVM},
	{
		CSV, []string{".csv"}, readTable,
		func(w io.Writer, d *Dataset) error { return writeTable(w, d, ',') }, convertTable,
	},
	{
		TSV, []string{".tsv"}, readTable,
		func(w io.Writer, d *Dataset) error { return writeTable(w, d, '\t') }, convertTable,
	},
	{NPY, []string{".npy"}, readNPY, writeNPY, nil},
	{NPZ, []string{".npz"}, readNPZ, writeNPZ, nil},
	{MatrixMarket, []string{".mtx", ".mm"}, readMatrixMarket, writeMatrixMarket, nil},
	{Binary, []string{".scas"}, readBinary, writeBinary, nil},
}

// fileFormatOf returns the description of a format, or nil.
func fileFormatOf(name Format) *fileFormat {
	k := slices.IndexFunc(fileFormats, func(f fileFormat) bool { return f.name == name })
	if k < 0 {
		return nil
	}
	return &fileFormats[k]
}

// Formats lists all formats except Auto.
func Formats() []Format {
	formats := make([]Format, len(fileFormats))
	for k, f := range fileFormats {
		formats[k] = f.name
	}
	return formats
}

// String returns the name of the format, "auto" for Auto.
func (f Format) String() string {
	if f == Auto {
		return "auto"
	}
	return string(f)
}

// FormatOf returns the format for the ending of a file name: .csv, .tsv, .npy, .npz, .mtx (or
// .mm) and .scas; any other name is LIBSVM. The ending .gz, .bz2, .xz or .zst of a compressed
// file is ignored.
func FormatOf(name string) Format {
	base := strings.ToLower(filepath.Base(name))
	if compressionByEnding(base) != nil {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	for _, f := range fileFormats {
		if slices.Contains(f.endings, filepath.Ext(base)) {
			return f.name
		}
	}
	return fileFormats[0].name
}

// ReadFile reads a data file in any format; see Read.
func ReadFile(path string, opt *ReadOptions) (*Dataset, error) {
	return text.ReadFile(path, func(r io.Reader, name string) (*Dataset, error) { return Read(r, name, opt) })
}

// Read reads data, which may be compressed. Their format is opt.Format or, if that is Auto,
// the format for the ending of name. name is also the file name in errors. A nil opt means
// defaults. Numbers get exactly the value that strconv.ParseFloat returns. LIBSVM text and tables
// need less memory if r is a file, or has a method Size that returns the number of its bytes.
//
// Errors about the data have the type *ParseError. Data without samples are an error. Unless opt
// says otherwise, labels must have exactly two values.
func Read(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	o, err := opt.forFile(name)
	if err != nil {
		return nil, err
	}
	if o.LabelsFile != "" {
		o.targets, err = readLabelsFile(o.LabelsFile, o)
		if err != nil {
			return nil, err
		}
	}
	input, err := decompress(r, name)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	d, err := fileFormatOf(o.Format).read(input, o)
	if err != nil {
		return nil, err
	}
	d.Stats.Compression, d.Stats.Bytes = input.kind, input.textBytes.Load()
	return d, nil
}

// WriteFile writes data to a file in the format for the ending of its name (see FormatOf),
// compressed if the name ends in .gz or .zst. It replaces files as atomicfile.Write does.
//
// Every format reads back to the same numbers, bit for bit. All formats drop Offsets. CSV, TSV and
// NPY do not keep which zeros were stored; LIBSVM does not keep the number of columns; NPY and
// MatrixMarket drop the labels; LIBSVM, NPY and MatrixMarket drop the names of features. LIBSVM
// writes the label 0 for data without labels.
func WriteFile(path string, d *Dataset) error {
	return writeFile(path, func(w io.Writer) error { return Write(w, FormatOf(path), d) })
}

// writeFile writes a file, compressed as the ending of its name says.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.Write(path, 0o666, func(w io.Writer) error { return Compress(w, path, write) })
}

// Write writes data in a format; see WriteFile.
func Write(w io.Writer, format Format, d *Dataset) error {
	f := fileFormatOf(format)
	switch {
	case f == nil:
		return errorf("writing the format %v: want one of %v", format, Formats())
	case d.Labels != nil && len(d.Labels) != d.X.rows:
		return errorf("%d labels for %d rows: want one per row", len(d.Labels), d.X.rows)
	}
	if d.Signs {
		c := d.Classes
		if len(c.Values) != 2 || c.Names != nil && len(c.Names) != 2 {
			return errorf("Dataset.Signs is true, and Dataset.Classes lists the values %v and the names %q: want two values, and two names or none",
				c.Values, c.Names)
		}
		row := slices.IndexFunc(d.Labels, func(b float64) bool { return b != 1 && b != -1 })
		if row >= 0 {
			return errorf("row %d has label %v, but Dataset.Signs says that all labels are -1 or +1: set it to false for labels of another kind", row+1, d.Labels[row])
		}
	}
	return f.write(w, d)
}
