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

// ConvertSettings say how Convert reports and stops, where it works block by block. Nil and
// the zero value mean: without a report, to the end.
type ConvertSettings struct {
	// Progress is told what part of the work is done, of text read and of the file
	// written, both in bytes, after each block.
	Progress func(stage string, done, total int64)
	// Interrupt is asked after each block whether to go on; its error ends the conversion.
	Interrupt func() error
}

// Converted tells what Convert wrote.
type Converted struct {
	Features int
	Stats    ReadStats
	// Names are those of the features and Table what became of the columns of a table, both
	// nil of other text. Table.Fill is nil.
	Names []string
	Table *TableFacts
	// Resumed is how many bytes of text an earlier call that was interrupted had converted.
	Resumed int64
}

// Convert reads a file of any form, which opt.Format or the name tells, and writes another in
// the form that its name tells, as WriteFile does. Labels are kept as numbers, those of tables
// that are words in their order, whatever opt says of their meaning. opt.Names has no
// effect.
//
// From LIBSVM text and tables (CSV, TSV) to .scas neither file need fit in memory; opt.Memory
// then bounds what the categories of a table take, and medians of its columns. Other data are
// read whole.
//
// A conversion of LIBSVM text that is killed or interrupted leaves its parts in the directory
// .OUT.parts, and the next one of the same text with the same options goes on where it
// ended; parts of other texts are replaced, and those of a table that was being converted
// when it was killed. Anything else that goes wrong, such as text of another form, leaves
// nothing.
func Convert(in, out string, opt *ReadOptions, set *ConvertSettings) (*Converted, error) {
	numbers, err := opt.of(in)
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
	begin := formOf(numbers.Format).convert
	if begin == nil || FormatOf(out) != Binary {
		return convertWhole(in, out, numbers)
	}
	f, err := os.Open(in)
	if err != nil {
		return nil, fmt.Errorf("sparse: %w", err)
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

// convertWhole reads all of a file and writes the other.
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

// errInterrupted is matched by what ends a conversion that may go on.
var errInterrupted = errors.New("sparse: the conversion was interrupted")

// A conversion is a call of Convert.
type conversion struct {
	name    string
	opt     *ReadOptions
	set     *ConvertSettings
	kinds   labelKinds
	parts   *parts
	resumed int64 // bytes of text
	raw     int64 // bytes of the source
	written int64
}

// A converter is the work that depends on the form of the text.
type converter interface {
	// resume goes to where parts end.
	resume(last *partsRecord)
	// read takes the text from there, and tells of the whole.
	read(in io.Reader, tell func()) (*Converted, error)
	// sections are those of the file.
	sections() binarySections
}

// open finds the parts of an earlier conversion, or makes new ones.
func (c *conversion) open(f *os.File, out string, work converter) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("sparse: %w", err)
	}
	c.raw = info.Size()
	source := partsSource{Name: filepath.Base(f.Name()), Size: info.Size(), Modified: info.ModTime().UnixNano(),
		Format: c.opt.Format, Features: c.opt.Features, Base: c.opt.IndexBase, Strict: c.opt.Strict}
	parts, last, err := openParts(partsOf(atomicfile.Followed(out)), source)
	if err != nil {
		return fmt.Errorf("sparse: converting %s: %w", c.name, err)
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
		return nil, fmt.Errorf("sparse: reading %s: %w", c.name, err)
	}
	done, err := work.read(in, func() { c.tell("text", source.n.Load(), c.raw) })
	if err != nil {
		return nil, err
	}
	done.Stats.Compression, done.Resumed = kind, c.resumed
	if err := c.parts.flush(); err != nil {
		return nil, fmt.Errorf("sparse: converting %s: %w", c.name, err)
	}
	return done, writeFile(out, func(w io.Writer) error {
		s := work.sections()
		return s.write(w)
	})
}

func (c *conversion) tell(stage string, done, total int64) {
	if c.set.Progress != nil {
		c.set.Progress(stage, done, total)
	}
}

// interrupted asks whether to go on.
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
		return fmt.Errorf("sparse: converting %s: %w", c.name, err)
	}
	return nil
}

// piece is called for each piece of a part that goes into the file.
func (c *conversion) piece(b []byte) error {
	c.written += int64(len(b))
	c.tell("file", c.written, c.parts.bytes())
	return c.interrupted()
}

// section is that of a part, piece by piece.
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

// sections are those of the parts as they are.
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

// A progressReader counts what is read.
type progressReader struct {
	r io.Reader
	n atomic.Int64
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.n.Add(int64(n))
	return n, err
}
