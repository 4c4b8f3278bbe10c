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

// ConvertSettings say how to go about Convert. Nil and the zero value mean: without
// telling or asking anybody.
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
	// Resumed is how many bytes of text an earlier call that was interrupted had converted.
	Resumed int64
}

// Convert reads LIBSVM text from a file, possibly compressed, and writes the form .scas to
// another, whole or not at all. Neither need fit in memory. Labels are kept as numbers,
// whatever opt says of their meaning; opt.Memory and opt.Names have no effect.
//
// A conversion that is killed or interrupted leaves its parts in the directory .OUT.parts,
// and the next one of the same text with the same options goes on where it ended; parts
// of other texts are replaced. Anything else that goes wrong, such as text that is no
// LIBSVM text, leaves nothing.
func Convert(in, out string, opt *ReadOptions, set *ConvertSettings) (*Converted, error) {
	opt, err := opt.checked()
	if err != nil {
		return nil, err
	}
	numbers := *opt
	numbers.Positive, numbers.PositiveName, numbers.Mapping = nil, "", LabelMapping{}
	numbers.Regression, numbers.AnyLabels = false, true
	if set == nil {
		set = &ConvertSettings{}
	}
	f, err := os.Open(in)
	if err != nil {
		return nil, fmt.Errorf("sparse: %w", err)
	}
	defer f.Close()
	c := &conversion{parser: newLIBSVMParser(in, &numbers), set: set}
	if err := c.open(f, out); err != nil {
		return nil, err
	}
	defer c.parts.close()
	if err := c.run(f, out); err != nil {
		if !errors.Is(err, errInterrupted) {
			c.parts.remove()
		}
		return nil, err
	}
	c.parts.remove()
	return &Converted{Features: c.features, Stats: c.parser.stats, Resumed: c.resumed}, nil
}

// errInterrupted is matched by what ends a conversion that may go on.
var errInterrupted = errors.New("sparse: the conversion was interrupted")

// A conversion is a call of Convert.
type conversion struct {
	parser   *libsvmParser
	set      *ConvertSettings
	kinds    labelKinds
	parts    *parts
	features int
	resumed  int64 // bytes of text
	raw      int64 // bytes of the source
}

// open finds the parts of an earlier conversion, or makes new ones.
func (c *conversion) open(f *os.File, out string) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("sparse: %w", err)
	}
	c.raw = info.Size()
	source := partsSource{Name: filepath.Base(f.Name()), Size: info.Size(), Modified: info.ModTime().UnixNano(),
		Features: c.parser.opt.Features, Base: c.parser.opt.IndexBase, Strict: c.parser.opt.Strict}
	dir, base := filepath.Split(out)
	parts, last, err := openParts(filepath.Join(dir, "."+base+".parts"), source)
	if err != nil {
		return fmt.Errorf("sparse: converting %s: %w", c.parser.name, err)
	}
	c.parts = parts
	if last != nil {
		p := c.parser
		p.lines, p.max, p.zero, p.atEdge, p.stats = last.Lines, last.Max, last.Zero, last.AtEdge, last.Stats
		c.kinds, c.resumed = labelKinds{last.Kinds, last.KindCount}, last.Stats.Bytes
	}
	return nil
}

func (c *conversion) run(f *os.File, out string) error {
	source := &progressReader{r: f}
	in, kind, err := Decompress(source, c.parser.name)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.CopyN(io.Discard, in, c.resumed); err != nil {
		return fmt.Errorf("sparse: reading %s: %w", c.parser.name, err)
	}
	err = inParallel(in, c.parser.name, c.parser.block, func(part *libsvmPart) error {
		c.tell("text", source.n.Load(), c.raw)
		return c.take(part)
	})
	if err != nil {
		return err
	}
	c.parser.stats.Compression = kind
	if c.features, err = c.parser.columns(); err != nil {
		return err
	}
	if err := c.parts.flush(); err != nil {
		return err
	}
	return atomicfile.Write(out, 0o666, c.assemble)
}

func (c *conversion) tell(stage string, done, total int64) {
	if c.set.Progress != nil {
		c.set.Progress(stage, done, total)
	}
}

// take adds the next part of the text.
func (c *conversion) take(part *libsvmPart) error {
	if c.set.Interrupt != nil {
		if err := c.set.Interrupt(); err != nil {
			return errors.Join(c.record(), fmt.Errorf("%w: %w", errInterrupted, err))
		}
	}
	before := c.parser.stats.NNZ
	if err := c.parser.count(part); err != nil {
		return err
	}
	for k := range part.ends {
		part.ends[k] += before
	}
	c.kinds.add(part.labels)
	if err := c.parts.add(part); err != nil {
		return fmt.Errorf("sparse: converting %s: %w", c.parser.name, err)
	}
	if c.parser.stats.Bytes-c.parts.recorded < recordBytes {
		return nil
	}
	return c.record()
}

// record notes in the journal what was converted.
func (c *conversion) record() error {
	p := c.parser
	return c.parts.record(&partsRecord{
		Lines: p.lines, Max: p.max, Zero: p.zero, AtEdge: p.atEdge, Stats: p.stats, Kinds: c.kinds.kinds, KindCount: c.kinds.count,
	})
}

// assemble writes the file from its parts.
func (c *conversion) assemble(w io.Writer) error {
	st := c.parser.stats
	s := binarySections{header: scasfile.Header{Rows: int64(st.Rows), Cols: int64(c.features), NNZ: st.NNZ}}
	if st.IndexBase == OneBased {
		s.header.IndexBase = 1
	}
	s.label(c.kinds, LabelMapping{}, nil)
	var done int64
	part := func(k int, write func(io.Writer, []byte) error) func(io.Writer) error {
		return func(w io.Writer) error {
			return c.parts.each(k, func(b []byte) error {
				done += int64(len(b))
				c.tell("file", done, c.parts.bytes())
				if c.set.Interrupt != nil {
					if err := c.set.Interrupt(); err != nil {
						return fmt.Errorf("%w: %w", errInterrupted, err)
					}
				}
				return write(w, b)
			})
		}
	}
	asIs := func(w io.Writer, b []byte) error { _, err := w.Write(b); return err }
	s.idx, s.val, s.ptr = part(columnsPart, asIs), part(valuesPart, asIs), part(rowsPart, asIs)
	if c.parser.shifts() {
		s.idx = part(columnsPart, func(w io.Writer, b []byte) error {
			idx := scasfile.Int32s(b)
			for k := range idx {
				idx[k]++
			}
			return scasfile.WriteNumbers(w, idx)
		})
	}
	s.labels = part(labelsPart, func(w io.Writer, b []byte) error { return c.kinds.write(w, scasfile.Floats(b)) })
	return s.write(w)
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
