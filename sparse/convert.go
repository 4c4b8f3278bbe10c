package sparse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// Converted describes what Convert wrote.
type Converted struct {
	Features int
	Stats    ReadStats
	// Names holds the names of the features; nil if the file has none. Table describes the
	// columns of a table, but its Fill is nil. Table is nil for other formats.
	Names []string
	Table *TableSummary
	// Resumed is the number of bytes of text that an earlier, interrupted call had
	// converted.
	Resumed int64
}

// Convert reads the file inPath, whose format is opt.Format or follows from its name, and writes the data
// to the file outPath as WriteFile does. Labels keep their values, whatever opt says about their meaning.
// Labels of a table or a .scas file that are words are numbered in byte order. If the new file is also a
// table or a .scas file, it keeps the words. opt.Names has no effect.
//
// From LIBSVM text or a table (CSV, TSV) to .scas, neither file needs to fit in memory; then
// opt.Memory bounds the memory for the categories of a table, for the medians of its columns, and for
// its rows up to the first value of each column. All other conversions read all data into memory.
//
// Only conversions of LIBSVM text and tables to .scas call progress, if it is not nil, after each block.
// While the text is read, stage is "text", and done and total count bytes of the source file. While the new
// file is written, stage is "file", and done and total count bytes of its matrix and labels before
// compression. An error of progress ends the conversion.
//
// If a conversion of LIBSVM text to .scas is killed or ended by progress, converted rows stay in the
// directory .OUT.parts beside the file OUT, and the next conversion of the same text with the same options
// continues from them. Convert removes the directory when it has written OUT, or when it ends with any other
// error.
func Convert(
	inPath, outPath string, opt *ReadOptions, progress func(stage string, done, total int64) error,
) (*Converted, error) {
	fileOpt, err := opt.forFile(inPath)
	if err != nil {
		return nil, err
	}
	fileOpt.keepLabels()
	fileOpt.Counts, fileOpt.Names = false, nil
	if err := checkWritable(outPath); err != nil {
		return nil, err
	}
	convert := fileFormatOf(fileOpt.Format).convert
	if convert == nil || FormatOf(outPath) != Binary {
		return convertWhole(inPath, outPath, fileOpt)
	}
	f, err := os.Open(inPath)
	if err != nil {
		return nil, errorf("%w", err)
	}
	defer f.Close()
	c := &conversion{name: inPath, opt: fileOpt, progress: progress}
	if err := c.open(f, outPath); err != nil {
		return nil, err
	}
	defer c.parts.close()
	result, err := c.run(f, outPath, convert)
	if !errors.Is(err, errInterrupted) || fileOpt.Format != LIBSVM {
		c.parts.remove()
	}
	return result, err
}

// convertWhole reads all data, and then writes the output file.
func convertWhole(inPath, outPath string, opt *ReadOptions) (*Converted, error) {
	d, err := ReadFile(inPath, opt)
	if err != nil {
		return nil, err
	}
	result := &Converted{Features: d.X.cols, Stats: d.Stats, Names: d.Names, Table: d.Table}
	err = WriteFile(outPath, d)
	if d.Table != nil {
		d.Table.Fill = nil
	}
	err = errors.Join(err, d.Close())
	if err != nil {
		return nil, err
	}
	return result, nil
}

// errInterrupted is wrapped in the error of Convert if the argument progress ends the conversion.
var errInterrupted = errorf("the conversion was interrupted")

// A conversion holds the state of writing a .scas file block by block.
type conversion struct {
	name         string // name of the file in errors
	opt          *ReadOptions
	progress     func(stage string, done, total int64) error // see Convert; may be nil
	twoLabels    labelPair
	parts        *parts
	rows         int64        // number of rows in the parts
	nnz          int64        // number of entries in the parts
	lastRecord   *partsRecord // the state at which an earlier call stopped; nil if there is none
	sourceSize   int64        // size of the source file in bytes
	writtenBytes int64        // number of bytes copied from the parts to the .scas file
}

// A converter converts the text of input by calls of conversion.add. If an earlier call of Convert was
// interrupted, input is the rest of the file. The converter calls conversion.reportText for each block. It
// returns the description and the sections of all data.
type converter func(c *conversion, input *decompressor) (*Converted, *binarySections, error)

// open sets c.parts: to the parts that an earlier conversion of the file f to the file outPath left,
// or to new ones.
func (c *conversion) open(f *os.File, outPath string) error {
	info, err := f.Stat()
	if err != nil {
		return errorf("%w", err)
	}
	c.sourceSize = info.Size()
	source := partsSource{Name: filepath.Base(f.Name()), Size: info.Size(), Modified: info.ModTime().UnixNano(),
		Format: c.opt.Format, Features: c.opt.Features, Ignore: c.opt.IgnoreBeyond, Base: c.opt.IndexBase,
		Strict: c.opt.Strict}
	c.parts, c.lastRecord, err = openParts(partsDir(atomicfile.Followed(outPath)), source)
	if err != nil {
		return errorf("converting %s: %w", c.name, err)
	}
	if record := c.lastRecord; record != nil {
		c.twoLabels, c.rows, c.nnz = record.labelPair, int64(record.Stats.Rows), record.Stats.NNZ
	}
	return nil
}

func (c *conversion) run(f *os.File, outPath string, convert converter) (*Converted, error) {
	input, err := decompress(f, c.name)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	resumedBytes := int64(0)
	if c.lastRecord != nil {
		resumedBytes = c.lastRecord.Stats.Bytes
	}
	// c.lastRecord counts a line feed after the last line, even if the text ends without one: CopyN then
	// returns io.EOF.
	resumedBytes, err = io.CopyN(io.Discard, input, resumedBytes)
	if err != nil && err != io.EOF {
		return nil, errorf("reading %s: %w", c.name, err)
	}
	result, sections, err := convert(c, input)
	if err != nil {
		return nil, err
	}
	result.Stats.Compression, result.Stats.Bytes, result.Resumed = input.kind, input.textBytes.Load(),
		resumedBytes
	if err := c.flush(); err != nil {
		return nil, err
	}
	return result, writeFile(outPath, sections.write)
}

// report calls c.progress, and returns an error if the conversion must stop.
func (c *conversion) report(stage string, done, total int64) error {
	if c.progress == nil {
		return nil
	}
	if err := c.progress(stage, done, total); err != nil {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return nil
}

func (c *conversion) reportText(input *decompressor) error {
	return c.report("text", input.source.bytes.Load(), c.sourceSize)
}

// add adds rows to the parts. ends has the end of each row, as a position in idx; add overwrites ends.
func (c *conversion) add(ends []int64, idx []int32, val, labels []float64) error {
	for k := range ends {
		ends[k] += c.nnz
	}
	c.twoLabels.add(labels)
	c.rows, c.nnz = c.rows+int64(len(ends)), c.nnz+int64(len(idx))
	return c.partsError(c.parts.add(ends, idx, val, labels))
}

// moveRows adds the rows of m and their labels to the parts, and empties m and labels.
func (c *conversion) moveRows(m *rows, labels *[]float64) error {
	m.joinEntries()
	err := c.add(m.ptr[1:], m.idx, m.val, *labels)
	m.ptr, m.idx, m.val, *labels = m.ptr[:1], m.idx[:0], m.val[:0], (*labels)[:0]
	return err
}

func (c *conversion) flush() error { return c.partsError(c.parts.flush()) }

// partsError adds the name of the file to an error about the parts; nil stays nil.
func (c *conversion) partsError(err error) error {
	if err == nil {
		return nil
	}
	return errorf("writing the rows of %s: %w", c.name, err)
}

// countWritten adds n to c.writtenBytes and reports the progress.
func (c *conversion) countWritten(n int) error {
	c.writtenBytes += int64(n)
	return c.report("file", c.writtenBytes, c.parts.totalBytes())
}

// sectionWriter returns a function that writes part k of c.parts by calls of write, each with at most
// 1 MiB of the part.
func (c *conversion) sectionWriter(k int, write func(io.Writer, []byte) error) func(io.Writer) error {
	return func(w io.Writer) error {
		return c.parts.readPart(k, func(b []byte) error {
			if err := c.countWritten(len(b)); err != nil {
				return err
			}
			return write(w, b)
		})
	}
}

// fileSections returns the sections of a .scas file with cols columns, to be read from c.parts after all rows
// have been added. Labels with two values are written as −1 and +1. A label k stands for words[k], unless
// words is nil.
func (c *conversion) fileSections(cols int, words []string) *binarySections {
	s := &binarySections{
		header: scasfile.Header{Rows: c.rows, Cols: int64(cols), NNZ: c.nnz},
		idx:    c.sectionWriter(columnsPart, writeBytes),
		val:    c.sectionWriter(valuesPart, writeBytes),
		ptr:    c.sectionWriter(rowsPart, writeBytes),
		labels: c.sectionWriter(labelsPart, func(w io.Writer, b []byte) error {
			return c.twoLabels.write(w, scasfile.NumbersIn[float64](b))
		}),
	}
	if c.twoLabels.KindCount > 0 {
		s.setLabels(c.twoLabels.signs(), words)
	}
	return s
}

func writeBytes(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}
