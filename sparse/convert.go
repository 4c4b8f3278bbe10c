package sparse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// ConvertSettings says how Convert reports its progress and how to interrupt it. It has an effect
// only if Convert works block by block. Nil and the zero value mean: no reports, no interruption.
type ConvertSettings struct {
	// Progress, if not nil, is called after each block. stage is "text" while the text is read, and
	// "file" while the new file is written. done and total count bytes of the file that is read, or
	// bytes to write.
	Progress func(stage string, done, total int64)
	// Interrupt, if not nil, is called after each block; an error ends the conversion.
	Interrupt func() error
}

// Converted describes what Convert wrote.
type Converted struct {
	Features int
	Stats    ReadStats
	// Names holds the names of the features, and Table describes the columns of a table.
	// Both are nil for other formats. Table.Fill is nil.
	Names []string
	Table *TableSummary
	// Resumed is the number of bytes of text that an earlier, interrupted call had
	// converted.
	Resumed int64
}

// Convert reads a file in any format, given by opt.Format or by its name, and writes it
// in the format for the ending of out, as WriteFile does. Labels are stored as numbers,
// whatever opt says about their meaning; labels of a table that are words are numbered in
// byte order. opt.Names has no effect.
//
// From LIBSVM text or a table (CSV, TSV) to .scas, neither file needs to fit in memory;
// then opt.Memory bounds the memory for the categories of a table and for the medians of
// its columns. Other data are read as a whole.
//
// If a conversion of LIBSVM text is killed or interrupted, its incomplete sections stay in the
// directory .OUT.parts beside the file OUT, and the next conversion of the same text with the same
// options continues there. Sections of another text, and the sections of a killed conversion of a
// table, are replaced. After any other error, such as wrong text, nothing is left.
func Convert(in, out string, opt *ReadOptions, set *ConvertSettings) (*Converted, error) {
	numbers, err := opt.forFile(in)
	if err != nil {
		return nil, err
	}
	numbers.Positive, numbers.PositiveName, numbers.Mapping, numbers.Classes = nil, "", LabelMapping{}, Classes{}
	numbers.Regression, numbers.AnyLabels, numbers.Names = false, true, nil
	if set == nil {
		set = &ConvertSettings{}
	}
	if err := writable(out); err != nil {
		return nil, err
	}
	begin := fileFormatOf(numbers.Format).convert
	if begin == nil || FormatOf(out) != Binary {
		return convertWhole(in, out, numbers)
	}
	f, err := os.Open(in)
	if err != nil {
		return nil, errorf("%w", err)
	}
	defer f.Close()
	c := &conversion{name: in, opt: numbers, set: set}
	work, err := begin(c)
	if err != nil {
		return nil, err
	}
	if err := c.open(f, out, work); err != nil {
		return nil, err
	}
	defer c.parts.close()
	done, err := c.run(f, out, work)
	if !errors.Is(err, errInterrupted) || numbers.Format != LIBSVM {
		c.parts.remove()
	}
	return done, err
}

// convertWhole reads the whole input file into memory, and then writes the output file.
func convertWhole(in, out string, opt *ReadOptions) (*Converted, error) {
	d, err := ReadFile(in, opt)
	if err != nil {
		return nil, err
	}
	done := &Converted{Features: d.X.cols, Stats: d.Stats, Names: d.Names, Table: d.Table}
	err = WriteFile(out, d)
	if d.Table != nil {
		d.Table.Fill = nil
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	return done, nil
}

// errInterrupted matches the error of an interruption after which a conversion can be
// resumed.
var errInterrupted = errorf("the conversion was interrupted")

// A conversion is the state of one call of Convert.
type conversion struct {
	name    string
	opt     *ReadOptions
	set     *ConvertSettings
	kinds   labelKinds
	parts   *parts
	resumed int64 // bytes of text that an earlier call converted
	raw     int64 // size of the source file in bytes
	written int64 // bytes written to the .scas file
}

// A converter does the work that depends on the format of the text.
type converter interface {
	// resume restores the state of the parser from the last record.
	resume(last *partsRecord)
	// read reads the rest of the text, calls report after each block, and describes the
	// whole.
	read(in io.Reader, report func()) (*Converted, error)
	// sections returns the sections of the .scas file.
	sections() binarySections
}

// open opens the incomplete sections of an earlier conversion, or creates new ones.
func (c *conversion) open(f *os.File, out string, work converter) error {
	info, err := f.Stat()
	if err != nil {
		return errorf("%w", err)
	}
	c.raw = info.Size()
	source := partsSource{Name: filepath.Base(f.Name()), Size: info.Size(), Modified: info.ModTime().UnixNano(),
		Format: c.opt.Format, Features: c.opt.Features, Base: c.opt.IndexBase, Strict: c.opt.Strict}
	parts, last, err := openParts(partsOf(atomicfile.Followed(out)), source)
	if err != nil {
		return errorf("converting %s: %w", c.name, err)
	}
	c.parts = parts
	if last != nil {
		c.kinds, c.resumed = labelKinds{last.Kinds, last.KindCount}, last.Stats.Bytes
		work.resume(last)
	}
	return nil
}

// run reads the text and writes the file.
func (c *conversion) run(f *os.File, out string, work converter) (*Converted, error) {
	source := &progressReader{r: f}
	in, kind, err := decompress(source, c.name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if _, err := io.CopyN(io.Discard, in, c.resumed); err != nil {
		return nil, errorf("reading %s: %w", c.name, err)
	}
	done, err := work.read(in, func() { c.report("text", source.n.Load(), c.raw) })
	if err != nil {
		return nil, err
	}
	done.Stats.Compression, done.Resumed = kind, c.resumed
	if err := c.parts.flush(); err != nil {
		return nil, errorf("converting %s: %w", c.name, err)
	}
	return done, writeFile(out, func(w io.Writer) error {
		s := work.sections()
		return s.write(w)
	})
}

func (c *conversion) report(stage string, done, total int64) {
	if c.set.Progress != nil {
		c.set.Progress(stage, done, total)
	}
}

// interrupted returns an error if the conversion is to stop.
func (c *conversion) interrupted() error {
	if c.set.Interrupt == nil {
		return nil
	}
	if err := c.set.Interrupt(); err != nil {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return nil
}

// add adds rows to the parts.
func (c *conversion) add(r *rows, labels []float64) error {
	c.kinds.add(labels)
	if err := c.parts.add(r, labels); err != nil {
		return errorf("converting %s: %w", c.name, err)
	}
	return nil
}

// piece reports that b is written, and returns an error if the conversion is to stop.
func (c *conversion) piece(b []byte) error {
	c.written += int64(len(b))
	c.report("file", c.written, c.parts.bytes())
	return c.interrupted()
}

// section returns a function that writes part k of c.parts by calls of write with a part of its
// bytes.
func (c *conversion) section(k int, write func(io.Writer, []byte) error) func(io.Writer) error {
	return func(w io.Writer) error {
		return c.parts.each(k, func(b []byte) error {
			if err := c.piece(b); err != nil {
				return err
			}
			return write(w, b)
		})
	}
}

// sections returns the sections of a .scas file with this header. Their content is read from
// c.parts. Labels with two values are written as −1 and +1.
func (c *conversion) sections(header scasfile.Header) binarySections {
	s := binarySections{
		header: header,
		idx:    c.section(columnsPart, asIs), val: c.section(valuesPart, asIs), ptr: c.section(rowsPart, asIs),
		labels: c.section(labelsPart, func(w io.Writer, b []byte) error { return c.kinds.write(w, scasfile.Floats(b)) }),
	}
	s.label(c.kinds, LabelMapping{}, nil)
	return s
}

func asIs(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

// A progressReader counts the bytes that are read.
type progressReader struct {
	r io.Reader
	n atomic.Int64
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.n.Add(int64(n))
	return n, err
}
