package sparse

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/coordinates"
)

// A Builder makes a Dataset from rows that a program has, such as rows of a database:
//
//	b := sparse.NewBuilder(cols)
//	defer b.Close()
//	for ... {
//		err := b.Append(idx, val, label)
//	}
//	d, err := b.Dataset()
//
// For values that have names, use AppendRecord instead of Append.
//
// If the rows take more memory than Options.Memory, they are written to a .scas file and the
// Dataset is a view of that file; see Binary. Set the fields before the first Append. Error
// messages number the rows from 1.
type Builder struct {
	// Options says what the labels mean and how many bytes the rows may take in memory. The
	// Builder uses Positive, MaxClasses, Classes, Regression, Counts, AnyLabels, Strict,
	// Memory and Reserve, and the fields of Table that AppendRecord uses. PositiveName must be
	// empty. Writing a file takes a few MiB, even if Memory is less.
	Options ReadOptions
	// Names holds the names of the features, or is nil. AppendRecord needs them. A Builder
	// literal with Names can be used without a call of NewBuilder.
	Names []string
	// File is the path of the .scas file, which is written only if the rows take more memory than
	// allowed. It then replaces an existing file, and stays after Dataset.Close. If File is empty,
	// a temporary file is used, and Dataset.Close frees its space.
	File string

	cols       int
	failure    error          // the error that ended the builder, or nil
	rows       rows           // the rows in memory; its ptr is nil before begin
	labels     labelCollector // counts the labels of all rows, and has the labels of the rows in memory
	sortedRows int            // number of rows whose entries were out of order
	file       *rowsFile      // nil while all rows are in memory
	records
}

// A rowsFile holds the rows of a builder that were written to disk.
type rowsFile struct {
	conversion        // its name is the path of the file
	tempDir    string // the directory of the file if it is temporary; empty for a permanent file
}

// builderName stands for the name of a file in errors about labels.
const builderName = "appended rows"

var errBuilderClosed = errorf("the Builder is closed: make a new one")

// NewBuilder returns a builder for rows with the given number of features.
func NewBuilder(cols int) *Builder { return &Builder{cols: cols} }

// Append adds a row. idx holds the columns of its entries, counted from 0, and val their values.
// Columns that are out of order are sorted, unless Options.Strict forbids it. Append copies its
// arguments.
//
// It returns an error if a column is out of range or occurs twice, if a number is not finite, or
// if Options does not allow the label. The row is then not added; other rows can still be added.
// After a failed write, no more rows can be added.
func (b *Builder) Append(idx []int32, val []float64, label float64) error {
	return b.add(idx, val, label, 0)
}

// add is Append with an offset, which it stores if Options.Table.Offset names a column.
func (b *Builder) add(idx []int32, val []float64, label, offset float64) error {
	if err := b.begin(); err != nil {
		return err
	}
	row := b.rowCount() + 1
	if len(idx) != len(val) {
		return errorf("row %d: %d columns but %d values: want as many of both", row, len(idx), len(val))
	}
	m := &b.rows
	m.reserve(len(idx))
	firstEntry := len(m.idx)
	m.idx, m.val = append(m.idx, idx...), append(m.val, val...)
	if err := b.checkRow(row, m.idx[firstEntry:], m.val[firstEntry:], label); err != nil {
		m.idx, m.val = m.idx[:firstEntry], m.val[:firstEntry]
		return err
	}
	m.endRow()
	if b.Options.Table.Offset != "" {
		b.offsets = append(b.offsets, offset)
	}
	b.failure = b.spill()
	if b.failure != nil {
		b.failure = errors.Join(b.failure, b.discard())
	}
	return b.failure
}

// begin checks the fields before the first row, and returns an error if no row can be
// added.
func (b *Builder) begin() error {
	if b.failure != nil || b.rows.ptr != nil {
		return b.failure
	}
	if b.cols == 0 {
		b.cols = len(b.Names)
	}
	switch {
	case b.cols < 0 || b.cols > MaxCols:
		return errorf("NewBuilder(%d): want 0 to %d columns", b.cols, MaxCols)
	case b.Names != nil && len(b.Names) != b.cols:
		return errorf("Builder.Names has %d names for %d columns: want one for every column, or nil",
			len(b.Names), b.cols)
	}
	if err := b.Options.check(); err != nil {
		return err
	}
	b.rows.ptr, b.labels = make([]int64, 1, 1024), labelCollector{name: builderName, opt: &b.Options}
	return nil
}

func (b *Builder) rowCount() int {
	n := len(b.rows.ptr) - 1
	if b.file != nil {
		n += int(b.file.rows)
	}
	return n
}

// checkRow sorts the entries of a row, unless Options.Strict forbids that, and adds its label. It returns an
// error if the row or the label is not valid.
func (b *Builder) checkRow(row int, idx []int32, val []float64, label float64) error {
	sorted := slices.IsSorted(idx)
	if !sorted && !b.Options.Strict {
		if j, twice := coordinates.SortRow(idx, val); twice {
			return errorf("row %d: column %d comes twice: want each column once", row, j)
		}
	}
	if err := checkRow(row, b.cols, idx, val); err != nil {
		return err
	}
	if math.IsNaN(label) || math.IsInf(label, 0) {
		return errorf("row %d: label %v is not finite", row, label)
	}
	if err := b.labels.add(label, row, 0); err != nil {
		return err
	}
	if !sorted {
		b.sortedRows++
	}
	return nil
}

// spill writes the rows to disk if they take too much memory.
func (b *Builder) spill() error {
	const flushBytes = 4 << 20 // bytes of rows to write at a time
	maxBytes := b.Options.Memory - b.Options.Reserve
	if b.file != nil {
		maxBytes = min(maxBytes, flushBytes)
	}
	if b.Options.Memory == 0 || b.rows.peakBytes() <= maxBytes {
		return nil
	}
	if b.file == nil {
		if err := b.createFile(); err != nil {
			return errorf("writing rows to a file: %w", err)
		}
	}
	return b.file.moveRows(&b.rows, &b.labels.labels)
}

func (b *Builder) createFile() error {
	f := &rowsFile{}
	if b.File != "" {
		f.name = atomicfile.Followed(b.File)
	} else {
		dir, err := os.MkdirTemp("", "scas-rows-")
		if err != nil {
			return err
		}
		f.tempDir, f.name = dir, filepath.Join(dir, "rows.scas")
	}
	var err error
	f.parts, _, err = openParts(partsDir(f.name), partsSource{})
	if err != nil {
		return errors.Join(err, f.removeTemporary())
	}
	b.file = f
	return nil
}

// Dataset returns the rows, and closes the builder. It returns an error if there are no rows, if
// Options does not allow the labels (for example because there is only one class), or if writing
// fails.
func (b *Builder) Dataset() (*Dataset, error) {
	d, err := b.dataset()
	if err == nil {
		d.Offsets, d.Table = b.offsets, b.summary()
		d.LabelName = b.Options.Table.Label
	}
	if closeErr := b.Close(); closeErr != nil && err == nil {
		return nil, errors.Join(closeErr, d.Close())
	}
	return d, err
}

func (b *Builder) dataset() (*Dataset, error) {
	if err := b.begin(); err != nil {
		return nil, err
	}
	if b.rowCount() == 0 {
		return nil, errorf("Dataset of a Builder without rows: append one at least")
	}
	if b.file != nil {
		return b.mappedDataset()
	}
	b.rows.joinEntries()
	d := &Dataset{X: b.rows.matrix(b.cols), Names: slices.Clone(b.Names)}
	d.Stats = ReadStats{Rows: d.X.rows, NNZ: d.X.NNZ(), IndexBase: ZeroBased, SortedRows: b.sortedRows}
	if err := b.labels.assignLabels(d); err != nil {
		return nil, err
	}
	return d, nil
}

// mappedDataset writes the .scas file and reads it.
func (b *Builder) mappedDataset() (*Dataset, error) {
	if _, err := b.labels.resolve(&Dataset{}); err != nil {
		return nil, err
	}
	f := b.file
	if err := f.moveRows(&b.rows, &b.labels.labels); err != nil {
		return nil, err
	}
	if err := f.flush(); err != nil {
		return nil, err
	}
	s := f.fileSections(b.cols, nil)
	s.meta.Features = b.Names
	if err := atomicfile.Write(f.name, 0o666, s.write); err != nil {
		return nil, err
	}
	opt := b.Options
	opt.Format, opt.LabelsFile, opt.Features, opt.Names = Binary, "", 0, nil
	opt.Memory, opt.Beyond = 0, true // Beyond makes ReadFile release the memory of checked rows
	d, err := ReadFile(f.name, &opt)
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.name))
	}
	d.Stats.SortedRows = b.sortedRows
	return d, nil
}

// Close frees the memory of the builder and removes its temporary files. After Dataset it has no
// effect.
func (b *Builder) Close() error {
	if b.failure == nil {
		b.failure = errBuilderClosed
	}
	return b.discard()
}

func (b *Builder) discard() error {
	f := b.file
	b.rows, b.labels, b.file, b.records = rows{}, labelCollector{}, nil, records{}
	if f == nil {
		return nil
	}
	f.parts.remove()
	return f.removeTemporary()
}

// removeTemporary removes the directory of a temporary file. A mapped file stays readable.
func (f *rowsFile) removeTemporary() error {
	if f.tempDir == "" {
		return nil
	}
	return os.RemoveAll(f.tempDir)
}
