package sparse

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/npy"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// Format is the form of a file of data.
type Format string

// The forms. Auto, the zero value, goes by the ending of the name.
const (
	Auto         Format = ""
	LIBSVM       Format = "libsvm"
	CSV          Format = "csv"
	TSV          Format = "tsv" // CSV with tabulators
	NPY          Format = "npy"
	NPZ          Format = "npz"
	MatrixMarket Format = "mtx"
	Binary       Format = "scas" // memory-mapped, see ReadBinary
)

// Formats lists the forms, without Auto.
func Formats() []Format { return []Format{LIBSVM, CSV, TSV, NPY, NPZ, MatrixMarket, Binary} }

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
	if compressedBy(base) != "" {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	ending := Format(strings.TrimPrefix(filepath.Ext(base), "."))
	switch {
	case ending == "mm":
		return MatrixMarket
	case slices.Contains(Formats(), ending):
		return ending
	}
	return LIBSVM
}

// compressedBy returns the compression that the ending of a name tells.
func compressedBy(name string) Compression {
	return map[string]Compression{".gz": Gzip, ".bz2": Bzip2, ".xz": XZ, ".zst": Zstd}[strings.ToLower(filepath.Ext(name))]
}

// ReadFile reads a file of data of any form; see Read.
func ReadFile(path string, opt *ReadOptions) (*Dataset, error) {
	return text.FromFile(path, func(r io.Reader, name string) (*Dataset, error) { return Read(r, name, opt) })
}

// Read reads data of the form that opt or name says, possibly compressed: see ReadLIBSVM,
// ReadCSV, ReadNPY, ReadNPZ, ReadMatrixMarket and ReadBinary. name stands for the file in errors. Nil
// opt means defaults.
func Read(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	var o ReadOptions
	if opt != nil {
		o = *opt
	}
	if o.Format == Auto {
		o.Format = FormatOf(name)
	}
	switch o.Format {
	case CSV, TSV:
		return ReadCSV(r, name, &o)
	case NPY:
		return ReadNPY(r, name, &o)
	case NPZ:
		return ReadNPZ(r, name, &o)
	case MatrixMarket:
		return ReadMatrixMarket(r, name, &o)
	case Binary:
		return ReadBinary(r, name, &o)
	}
	return ReadLIBSVM(r, name, &o)
}

// readDecompressed has read take what r holds, decompressed, by options that are checked,
// and notes the compression.
func readDecompressed(r io.Reader, name string, opt *ReadOptions, read func(in io.Reader, name string, opt *ReadOptions) (*Dataset, error)) (*Dataset, error) {
	opt, err := opt.checked()
	if err != nil {
		return nil, err
	}
	in, kind, err := Decompress(r, name)
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

// labelled gives a data set that has none the labels in y, nil for none, which may be
// those of opt instead.
func (d *Dataset) labelled(name string, y []float64, opt *ReadOptions) (err error) {
	n, _ := d.X.Dims()
	if opt.Targets != nil {
		y = opt.Targets
	}
	switch {
	case y == nil && (opt.AnyLabels || opt.LabelsOptional):
		return nil
	case y == nil:
		return &ParseError{File: name, Msg: "the file has no labels: expected them in a file of their own, one for every row"}
	case len(y) != n:
		return &ParseError{File: name, Msg: fmt.Sprintf("%d labels for %d rows: expected one for every row", len(y), n)}
	}
	c := labelCollector{name: name, opt: opt, labels: make([]float64, 0, n)}
	for i, v := range y {
		if err := c.add(v, i+1, 0); err != nil {
			return err
		}
	}
	return c.settle(d)
}

// widen gives x the number of columns that opt states, if any.
func widen(name string, x *CSR, opt *ReadOptions) (*CSR, error) {
	switch p := opt.Features; {
	case p == 0 || p == x.cols:
		return x, nil
	case p < x.cols && opt.IgnoreBeyond:
		return narrow(name, x, opt)
	case p < x.cols:
		return nil, &ParseError{File: name, Msg: fmt.Sprintf("%d columns: expected at most the stated %d features (or state more features)", x.cols, p)}
	default:
		wide := *x
		wide.cols = p
		return &wide, nil
	}
}

// narrow copies x without the columns beyond those that opt states.
func narrow(name string, x *CSR, opt *ReadOptions) (*CSR, error) {
	if err := opt.allow(name, rowBytes*int64(x.rows)+entryBytes*x.NNZ(), "%d rows", x.rows); err != nil {
		return nil, err
	}
	if err := x.Check(0, x.rows); err != nil {
		return nil, err
	}
	y := &CSR{rows: x.rows, cols: opt.Features, ptr: make([]int64, x.rows+1)}
	for i := range x.rows {
		idx, val := x.Row(i)
		n, _ := slices.BinarySearch(idx, int32(y.cols))
		y.idx, y.val = append(y.idx, idx[:n]...), append(y.val, val[:n]...)
		y.ptr[i+1] = int64(len(y.idx))
	}
	return y, nil
}

// arrange brings the features into the order of names, where the data name them.
func (d *Dataset) arrange(file string, names []string) error {
	if names == nil || d.Names == nil || slices.Equal(names, d.Names) {
		return nil
	}
	at := make(map[string]int, len(d.Names))
	for j, name := range d.Names {
		at[name] = j
	}
	to := slices.Repeat([]int{-1}, len(d.Names))
	var missing []string
	for k, name := range names {
		if j, there := at[name]; there {
			to[j] = k
		} else {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return missingColumns(file, missing, d.Names)
	}
	n, _ := d.X.Dims()
	var entries []Triplet
	for i := range n {
		idx, val := d.X.Row(i)
		for k, j := range idx {
			if to[j] >= 0 {
				entries = append(entries, Triplet{i, to[j], val[k]})
			}
		}
	}
	x, err := FromTriplets(n, len(names), entries)
	d.X, d.Names = x, names
	return err
}

// missingColumns reports columns that a file lacks.
func missingColumns(file string, missing, have []string) error {
	others := ""
	if n := len(missing) - 1; n > 0 {
		others = fmt.Sprintf(", and %d more are absent", n)
	}
	return &ParseError{File: file, Token: missing[0], Msg: fmt.Sprintf("no such column%s: expected every feature by its name; the file has %s", others, some(have))}
}

// some lists the first few names of many.
func some(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// WriteFile writes data to a file, whole or not at all, in the form that the ending of its
// name tells (see FormatOf), compressed if that is .gz or .zst.
//
// Every form reads back to the same numbers, bit for bit; but dense ones, CSV and NPY, lose
// which zeros were stored, and LIBSVM the number of columns. NPY and the Matrix Market have
// no labels; names are kept by CSV, NPZ and .scas. A data set without labels is written with
// labels of 0 as LIBSVM.
func WriteFile(path string, d *Dataset) error {
	format, packed := FormatOf(path), compressedBy(path)
	if packed == Bzip2 || packed == XZ {
		return fmt.Errorf("sparse: %s: %v is not written: take .gz or .zst", path, packed)
	}
	return atomicfile.Write(path, 0o666, func(w io.Writer) error {
		return compressTo(w, packed, func(w io.Writer) error { return Write(w, format, d) })
	})
}

// compressTo calls fill with a writer that compresses to w.
func compressTo(w io.Writer, kind Compression, fill func(io.Writer) error) error {
	var z io.WriteCloser
	switch kind {
	case Gzip:
		z = gzip.NewWriter(w)
	case Zstd:
		enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		z = enc
	default:
		return fill(w)
	}
	if err := fill(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

// Write writes data in a form; see WriteFile.
func Write(w io.Writer, format Format, d *Dataset) error {
	switch format {
	case CSV:
		return WriteCSV(w, d, ',')
	case TSV:
		return WriteCSV(w, d, '\t')
	case NPY:
		return WriteNPY(w, d.X)
	case NPZ:
		return WriteNPZ(w, d)
	case MatrixMarket:
		return WriteMatrixMarket(w, d.X)
	case Binary:
		return WriteBinary(w, d)
	}
	labels := d.OriginalLabels()
	if labels == nil {
		n, _ := d.X.Dims()
		labels = make([]float64, n)
	}
	return WriteLIBSVM(w, d.X, labels)
}

// OriginalLabels are the labels as numbers of the file; nil if there are none.
func (d *Dataset) OriginalLabels() []float64 {
	if d.Labels == nil {
		return nil
	}
	labels := make([]float64, len(d.Labels))
	for i, b := range d.Labels {
		labels[i] = d.Mapping.Original(b)
	}
	return labels
}

// ReadLabelsFile reads labels that stand in a file of their own: an array in NumPy's form
// if its name ends in .npy, else text with one number a line.
func ReadLabelsFile(path string, memory int64) ([]float64, error) {
	return text.FromFile(path, func(r io.Reader, name string) ([]float64, error) { return ReadLabels(r, name, memory) })
}

// ReadLabels reads labels as ReadLabelsFile does. What would take more than memory bytes,
// if that is not 0, is an error.
func ReadLabels(r io.Reader, name string, memory int64) ([]float64, error) {
	opt := &ReadOptions{Memory: memory}
	if FormatOf(name) == NPY {
		return readNPYLabels(r, name, opt)
	}
	data, _, err := ReadText(r, name)
	if err != nil {
		return nil, err
	}
	if err := opt.allow(name, 3*int64(len(data)), "%d bytes of labels", len(data)); err != nil {
		return nil, err
	}
	var labels []float64
	for lines := text.NewLines(string(data)); lines.Next(); {
		v, ok := text.ParseFloat(lines.Fields[0].Text)
		at := 0
		if len(lines.Fields) > 1 {
			at, ok = 1, false
		}
		if !ok {
			f := lines.Fields[at]
			return nil, &ParseError{File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Msg: "expected one label a line, a finite decimal number"}
		}
		labels = append(labels, v)
	}
	if labels == nil {
		return nil, &ParseError{File: name, Msg: "no labels: expected one number a line"}
	}
	return labels, nil
}

// WriteLabels writes labels that ReadLabels reads: as an array of NumPy's form if that is
// the format, else one a line.
func WriteLabels(w io.Writer, format Format, labels []float64) error {
	if format != NPY {
		return text.Write(w, "sparse: writing labels", func(to *bufio.Writer) {
			var line []byte
			for _, v := range labels {
				line = append(strconv.AppendFloat(line[:0], v, 'g', -1, 64), '\n')
				to.Write(line)
			}
		})
	}
	return text.WriteAll(w, "sparse: writing labels", func(w io.Writer) error {
		out, err := npy.NewWriter(w, "f8", len(labels))
		if err != nil {
			return err
		}
		return out.Floats(labels)
	})
}
