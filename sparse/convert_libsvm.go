package sparse

import (
	"errors"
	"io"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// convertLIBSVM converts LIBSVM text. It parses blocks on all processors, and can continue an earlier
// conversion.
func convertLIBSVM(c *conversion, input *decompressor) (*Converted, *binarySections, error) {
	p := newLIBSVMParser(c.name, c.opt)
	if r := c.lastRecord; r != nil {
		p.lines, p.indexRange, p.stats = r.Lines, r.indexRange, r.Stats
	}
	record := func() error {
		return c.parts.record(&partsRecord{
			Lines: p.lines, indexRange: p.indexRange, labelPair: c.twoLabels, Stats: p.stats,
		})
	}
	err := p.eachPart(input, func(part *libsvmPart) error {
		if err := c.reportText(input); err != nil {
			return errors.Join(record(), err)
		}
		if err := p.countPart(part); err != nil {
			return err
		}
		if err := c.add(part.ends, part.idx, part.val, part.labels.labels); err != nil {
			return err
		}
		if p.stats.Bytes-c.parts.recordedBytes < recordBytes {
			return nil
		}
		return record()
	})
	if err != nil {
		return nil, nil, err
	}
	cols, err := p.columns()
	if err != nil {
		return nil, nil, err
	}
	s := c.fileSections(cols, nil)
	if p.stats.IndexBase == OneBased {
		s.header.IndexBase = 1
	}
	if p.shifts() {
		s.idx = c.sectionWriter(columnsPart, func(w io.Writer, b []byte) error {
			idx := scasfile.NumbersIn[int32](b)
			for k := range idx {
				idx[k]++
			}
			return scasfile.WriteNumbers(w, idx)
		})
	}
	return &Converted{Features: cols, Stats: p.stats}, s, nil
}
