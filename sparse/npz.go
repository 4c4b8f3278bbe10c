package sparse

import (
	"archive/zip"
	"bufio"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/npy"
	"github.com/scas-admm/scas/sparse/internal/text"
)

func readNPZ(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	name := input.name
	source, size, err := input.randomAccess(opt)
	if err != nil {
		return nil, err
	}
	z := &npzReader{name: name, opt: opt, arrays: map[string]*zip.File{}}
	archive, err := zip.NewReader(source, size)
	if err != nil {
		return nil, fileErrorf(name,
			"no archive of arrays (%w): expected a file that numpy.savez or scipy.sparse.save_npz wrote", err)
	}
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	for _, f := range archive.File {
		arrayName, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if z.arrays[arrayName] != nil {
			return nil, fileErrorf(name, "two arrays have the name %q: expected one", arrayName)
		}
		z.arrays[arrayName], z.order = f, append(z.order, arrayName)
	}
	if opt.Names != nil && z.namesArray() != "" { // the file has other features too
		z.opt = new(*opt)
		z.opt.Features = 0
	}
	d, err := z.read()
	input.textBytes.Store(z.bytes)
	return d, err
}

type npzReader struct {
	name   string
	opt    *ReadOptions
	arrays map[string]*zip.File // the arrays by their names
	order  []string             // the names in the order of the file
	bytes  int64                // uncompressed length of the arrays that were read

	sortedRows int // number of rows of a sparse matrix that had to be sorted
}

// firstArrayName returns the first of the names that an array has, or "" if no array has any of them.
func (z *npzReader) firstArrayName(names ...string) string {
	for _, name := range names {
		if z.arrays[name] != nil {
			return name
		}
	}
	return ""
}

// openArray opens the named array and calls do with its content.
func (z *npzReader) openArray(name string, do func(a *arrayReader, r io.Reader) error) error {
	f := z.arrays[name]
	a := &arrayReader{name: z.name, arrayName: "array " + name, opt: z.opt}
	r, err := f.Open()
	if err != nil {
		return a.describe(err)
	}
	defer r.Close()
	z.bytes += int64(min(f.UncompressedSize64, math.MaxInt64/16))
	return do(a, r)
}

func loadArray[T any](
	z *npzReader, name string, read func(a *arrayReader, array *npy.Array) (T, error),
) (v T, err error) {
	err = z.openArray(name, func(a *arrayReader, r io.Reader) error {
		array, err := npy.Open(r)
		if err != nil {
			return a.describe(err)
		}
		v, err = read(a, array)
		return err
	})
	return v, err
}

func (z *npzReader) read() (*Dataset, error) {
	readMatrix := z.readDense
	if z.arrays["indptr"] != nil || z.arrays["format"] != nil {
		readMatrix = z.readSparse
	}
	x, err := readMatrix()
	if err != nil {
		return nil, err
	}
	names, err := z.featureNames(x.cols)
	if err != nil {
		return nil, err
	}
	var y []float64
	if labelsName := z.firstArrayName("y", "labels", "target"); labelsName != "" &&
		z.opt.targets.labels == nil {
		y, err = loadArray(z, labelsName, (*arrayReader).readFinite)
		if err != nil {
			return nil, err
		}
	}
	return newData(z.name, x, names, y, z.opt, ReadStats{IndexBase: ZeroBased, SortedRows: z.sortedRows})
}

// namesArray returns the name of the array with the names of the features, or "" if there is none.
func (z *npzReader) namesArray() string { return z.firstArrayName("names", "features") }

// featureNames returns the names of the features, or nil if the file has none. columnCount is the number of
// columns of the matrix in the file.
func (z *npzReader) featureNames(columnCount int) ([]string, error) {
	arrayName := z.namesArray()
	if arrayName == "" {
		return nil, nil
	}
	names, err := loadArray(z, arrayName, (*arrayReader).readWords)
	if err != nil {
		return nil, err
	}
	if len(names) != columnCount {
		return nil, fileErrorf(z.name, "array %s: %d names for %d columns: expected one for every column",
			arrayName, len(names), columnCount)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return nil, fileErrorf(z.name, "array %s: the name %q comes twice: expected each once",
				arrayName, name)
		}
		seen[name] = true
	}
	return names, nil
}

func (a *arrayReader) readWords(array *npy.Array) ([]string, error) {
	var words []string
	bytes := int64(0)
	for {
		block, err := array.ReadStrings(max(1, min(1024, (1<<20)/array.Size))) // at most about 1 MiB
		if err == io.EOF {
			return words, nil
		}
		for _, s := range block {
			bytes += int64(len(s)) + 32
		}
		if err == nil {
			err = a.opt.checkMemory(a.name, bytes, "the words of %s", a.arrayName)
		}
		if err != nil {
			return nil, a.describe(err)
		}
		words = append(words, block...)
	}
}

// readDense reads the array X or x or, if there is neither, the first array of numbers with two dimensions.
func (z *npzReader) readDense() (x *CSR, err error) {
	arrayName := z.firstArrayName("X", "x")
	for _, name := range z.order {
		if arrayName != "" {
			break
		}
		if err := z.openArray(name, func(_ *arrayReader, r io.Reader) error {
			if candidate, err := npy.Open(r); err == nil && len(candidate.Shape) == 2 && candidate.Numeric() {
				arrayName = name
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if arrayName == "" {
		return nil, fileErrorf(z.name,
			"no matrix among the arrays %v: expected X, or those of scipy's csr: data, indices, indptr, shape, format",
			z.order)
	}
	z.bytes = 0
	err = z.openArray(arrayName, func(a *arrayReader, r io.Reader) error {
		x, err = a.readDense(r)
		return err
	})
	return x, err
}

// readSparse reads a sparse matrix that scipy.sparse.save_npz wrote in the format csr.
func (z *npzReader) readSparse() (*CSR, error) {
	for _, name := range []string{"data", "indices", "indptr", "shape"} {
		if z.arrays[name] == nil {
			return nil, fileErrorf(z.name,
				"no array %s, only %s: expected those of scipy's csr: data, indices, indptr, shape, format",
				name, strings.Join(z.order, ", "))
		}
	}
	if z.arrays["format"] != nil {
		format, err := loadArray(z, "format", (*arrayReader).readWords)
		if err != nil {
			return nil, err
		}
		if len(format) != 1 || format[0] != "csr" {
			return nil, &ParseError{
				File: z.name, Token: strings.Join(format, " "),
				Msg: "array format: expected csr (x.tocsr() makes it)",
			}
		}
	}
	shape, err := loadArray(z, "shape", intReader(1<<20))
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 0 || shape[0] > math.MaxInt32 ||
		shape[1] > math.MaxInt32 {
		return nil, fileErrorf(z.name, "array shape: %v: expected rows and columns, at most %d",
			shape, math.MaxInt32)
	}
	ptr, err := loadArray(z, "indptr", intReader(int(shape[0])+1))
	if err != nil {
		return nil, err
	}
	idx, err := loadArray(z, "indices", readIndices)
	if err != nil {
		return nil, err
	}
	val, err := loadArray(z, "data", (*arrayReader).readFinite)
	if err != nil {
		return nil, err
	}
	return z.assemble(int(shape[0]), int(shape[1]), ptr, idx, val)
}

// intReader returns a function that reads an array of integers. More than maxLen elements are an error.
func intReader(maxLen int) func(a *arrayReader, array *npy.Array) ([]int64, error) {
	return func(a *arrayReader, array *npy.Array) ([]int64, error) {
		if array.Len > int64(maxLen) {
			return nil, a.errorf("%d numbers: expected at most %d", array.Len, maxLen)
		}
		return readFlat(a, array, array.ReadInts, func(v int64) int64 { return v })
	}
}

// readIndices reads column numbers. Numbers below 0 or above math.MaxInt32 become -1.
func readIndices(a *arrayReader, array *npy.Array) ([]int32, error) {
	return readFlat(a, array, array.ReadInts, func(j int64) int32 {
		if j < 0 || j > math.MaxInt32 {
			return -1
		}
		return int32(j)
	})
}

// assemble returns the sparse matrix with the given arrays, or an error if they do not make a matrix. The values must
// be finite. If the columns of a row are not in order, assemble sorts the row, and adds 1 to z.sortedRows.
func (z *npzReader) assemble(n, p int, ptr []int64, idx []int32, val []float64) (*CSR, error) {
	if err := checkShape(n, p, ptr, len(idx), len(val)); err != nil {
		return nil, fileErrorf(z.name, "the arrays do not make a matrix: %s", pkgerr.Text(err))
	}
	for i := range n {
		row, values := idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]]
		for k, j := range row {
			if j < 0 || int(j) >= p {
				return nil, fileErrorf(z.name,
					"array indices, element %d (counted from 0), of row %d: expected a column in 0..%d",
					ptr[i]+int64(k), i, p-1)
			}
		}
		if !slices.IsSorted(row) {
			if z.opt.Strict {
				return nil, fileErrorf(z.name,
					"array indices: row %d has columns out of order: expected increasing ones", i).with(sortColumns)
			}
			z.sortedRows++
		}
		if j, twice := coordinates.SortRow(row, values); twice {
			return nil, fileErrorf(z.name,
				"array indices: row %d has column %d twice: expected each once (x.sum_duplicates() adds them up)", i, j)
		}
	}
	return &CSR{rows: n, cols: p, ptr: ptr, idx: idx, val: val}, nil
}

// writeNPZ writes the matrix as scipy.sparse.save_npz does in format csr. It adds an array y for labels and
// an array names for names of features, if the data have them.
func writeNPZ(w io.Writer, d *Dataset) error {
	return text.Write(w, "sparse", "writing arrays", func(w *bufio.Writer) error {
		z := zip.NewWriter(w)
		var err error // the first error; after it, nothing is written
		write := func(name string, fill func(io.Writer) error) {
			var array io.Writer
			if err == nil {
				array, err = z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
			}
			if err == nil {
				err = fill(array)
			}
		}
		x, labels := d.X, d.OriginalLabels()
		shape := []int64{int64(x.rows), int64(x.cols)}
		write("indices", func(w io.Writer) error { return writeNumbers(w, "<i4", x.idx) })
		write("indptr", func(w io.Writer) error { return writeNumbers(w, "<i8", x.ptr) })
		write("format", func(w io.Writer) error { return npy.WriteBytes(w, "csr") })
		write("shape", func(w io.Writer) error { return writeNumbers(w, "<i8", shape) })
		write("data", func(w io.Writer) error { return writeNumbers(w, "<f8", x.val) })
		if labels != nil {
			write("y", func(w io.Writer) error { return writeNumbers(w, "<f8", labels) })
		}
		if d.Names != nil {
			write("names", func(w io.Writer) error { return npy.WriteStrings(w, d.Names) })
		}
		if err != nil {
			return err
		}
		return z.Close()
	})
}
