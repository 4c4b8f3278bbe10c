package sparse

import (
	"errors"
	"io"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// A libsvmConversion converts LIBSVM text. It parses blocks on all processors, and can
// resume an earlier conversion.
type libsvmConversion struct {
	*conversion
	parser   *libsvmParser
	features int
}

func convertLIBSVM(c *conversion) (converter, error) {
	return &libsvmConversion{conversion: c, parser: newLIBSVMParser(c.name, c.opt)}, nil
}

func (c *libsvmConversion) read(input io.Reader, report func()) (*Converted, error) {
	if p, record := c.parser, c.lastRecord; record != nil {
		p.lines, p.indexRange, p.stats = record.Lines, record.indexRange, record.Stats
	}
	err := inParallel(input, c.name, c.parser.parseBlock, func(part *libsvmPart) error {
		report()
		return c.addBlock(part)
	})
	if err != nil {
		return nil, err
	}
	c.features, err = c.parser.columns()
	return &Converted{Features: c.features, Stats: c.parser.stats}, err
}

// addBlock adds the rows of the given block to the unfinished .scas file. If the conversion must stop, it
// records the state instead, and returns an error.
func (c *libsvmConversion) addBlock(part *libsvmPart) error {
	if err := c.checkInterrupt(); err != nil {
		return errors.Join(c.record(), err)
	}
	if err := c.parser.countPart(part); err != nil {
		return err
	}
	if err := c.add(part.ends, part.idx, part.val, part.labels.labels); err != nil {
		return err
	}
	if c.parser.stats.Bytes-c.parts.recordedBytes < recordBytes {
		return nil
	}
	return c.record()
}

func (c *libsvmConversion) record() error {
	p := c.parser
	return c.parts.record(&partsRecord{
		Lines: p.lines, indexRange: p.indexRange, labelPair: c.twoLabels, Stats: p.stats,
	})
}

func (c *libsvmConversion) sections() binarySections {
	s := c.fileSections(c.features, nil)
	if c.parser.stats.IndexBase == OneBased {
		s.header.IndexBase = 1
	}
	if c.parser.shifts() {
		s.idx = c.sectionWriter(columnsPart, func(w io.Writer, b []byte) error {
			idx := scasfile.NumbersIn[int32](b)
			for k := range idx {
				idx[k]++
			}
			return scasfile.WriteNumbers(w, idx)
		})
	}
	return s
}
