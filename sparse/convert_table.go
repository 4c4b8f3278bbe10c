package sparse

import (
	"bufio"
	"io"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// A tableConversion converts a table. It stores the entries in conversion.parts, with provisional
// numbers of features (see the type table) as columns. The features, and the numbers that replace
// missing values, are known only at the end of the text. writeColumns and writeValues insert them
// when they copy the entries to the .scas file.
type tableConversion struct {
	*conversion
	table     *table
	featureOf []int32 // featureOf[k] is the feature with the provisional number k, or -1 if there is none
	names     []string
	// droppedEntries is the number of entries without a feature. They are missing values that were stored
	// before a category showed that their column does not hold numbers.
	droppedEntries int64
	buf            []byte
}

func convertTable(c *conversion) (converter, error) {
	t, err := newTable(c.name, c.opt)
	if err != nil {
		return nil, err
	}
	return &tableConversion{conversion: c, table: t, buf: make([]byte, 1<<12)}, nil
}

func (c *tableConversion) read(input io.Reader, report func()) (*Converted, error) {
	t := c.table
	err := eachBlock(input, c.name, func(b []byte, n int, isLast bool) (usedBytes int, err error) {
		if usedBytes, err = t.parseBlock(b, n, isLast); err == nil {
			report()
			err = c.moveBlock()
		}
		return usedBytes, err
	})
	if err != nil {
		return nil, err
	}
	if c.featureOf, c.names, err = t.resolveFeatures(int(c.rows), c.median); err != nil {
		return nil, err
	}
	if l := t.labels; l.worded {
		t.summary.Classes = slices.Sorted(slices.Values(l.words))
	}
	t.summary.Fill = nil
	if err := c.countDropped(); err != nil {
		return nil, err
	}
	t.stats.NNZ = c.nnz - c.droppedEntries
	return &Converted{Features: len(c.names), Names: c.names, Table: &t.summary, Stats: t.stats}, nil
}

func (c *tableConversion) moveBlock() error {
	if err := c.checkInterrupt(); err != nil {
		return err
	}
	t := c.table
	t.joinEntries()
	t.addSums()
	for _, col := range t.columns {
		col.offsets = col.offsets[:0]
	}
	return c.moveRows(&t.rows, &t.labels.labels)
}

// median returns the median of the n values of column j that are not missing. It returns 0 if no value is
// missing, because the median is then not needed.
func (c *tableConversion) median(j, n int) (float64, error) {
	col := c.table.columns[j]
	if col.missingCount == 0 {
		return 0, nil
	}
	if err := c.opt.checkMemory(c.name, 8*int64(n), "the numbers of column %s, for their median,", col.name); err != nil {
		return 0, err
	}
	if err := c.flush(); err != nil {
		return 0, err
	}
	var values []float64
	err := c.parts.eachEntryBlock(func(idx []int32, val []float64) error {
		for k, i := range idx {
			if int(i) == j && !math.IsNaN(val[k]) {
				values = append(values, val[k])
			}
		}
		return c.checkInterrupt()
	})
	return medianOf(values, n), err
}

// countDropped sets c.droppedEntries, the number of entries without a feature. It reads the column numbers
// of the entries only if there may be such entries.
func (c *tableConversion) countDropped() error {
	mayHaveDropped := func(col *tableColumn) bool { return col.kind != numberColumn && col.missingCount > 0 }
	if !slices.ContainsFunc(c.table.columns, mayHaveDropped) {
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	return c.parts.readPart(columnsPart, func(b []byte) error {
		for _, j := range scasfile.NumbersIn[int32](b) {
			if c.featureOf[j] < 0 {
				c.droppedEntries++
			}
		}
		return c.checkInterrupt()
	})
}

func (c *tableConversion) sections() binarySections {
	s := c.fileSections(len(c.names), c.table.summary.Classes)
	s.header.NNZ -= c.droppedEntries
	s.header.IndexBase, s.meta.Features = 1, c.names
	s.idx, s.val = c.sectionWriter(columnsPart, c.writeColumns), c.writeValues
	if c.droppedEntries > 0 {
		s.ptr = c.writeRows
	}
	if l := c.table.labels; l.worded {
		positions := l.wordPositions(c.table.summary.Classes)
		s.labels = c.sectionWriter(labelsPart, func(w io.Writer, b []byte) error {
			labels := scasfile.NumbersIn[float64](b)
			for k, v := range labels {
				labels[k] = positions[int(v)]
			}
			return c.kinds.write(w, labels)
		})
	}
	return s
}

// writeColumns writes the columns of some entries to w. It replaces the provisional numbers in b (see table)
// by features, and leaves out entries without a feature.
func (c *tableConversion) writeColumns(w io.Writer, b []byte) error {
	idx, keptCount := scasfile.NumbersIn[int32](b), 0
	for _, j := range idx {
		if f := c.featureOf[j]; f >= 0 {
			idx[keptCount] = f
			keptCount++
		}
	}
	return scasfile.WriteNumbers(w, idx[:keptCount])
}

// writeValues writes the values of all entries, except of entries without a feature (see
// tableConversion.droppedEntries). It replaces missing values.
func (c *tableConversion) writeValues(w io.Writer) error {
	return c.parts.eachEntryBlock(func(idx []int32, val []float64) error {
		keptCount := 0
		for k, j := range idx {
			if c.featureOf[j] < 0 {
				continue
			}
			if val[keptCount] = val[k]; math.IsNaN(val[k]) {
				val[keptCount] = c.table.columns[j].fill
			}
			keptCount++
		}
		if err := c.countWritten(8 * len(val)); err != nil {
			return err
		}
		return scasfile.WriteNumbers(w, val[:keptCount])
	})
}

// writeRows writes the position at which the entries of each row end. It does not count entries without a
// feature (see tableConversion.droppedEntries).
func (c *tableConversion) writeRows(w io.Writer) error {
	columns := bufio.NewReader(io.NewSectionReader(c.parts.files[columnsPart].f, 0, c.parts.files[columnsPart].size))
	var start, droppedSoFar int64
	return c.sectionWriter(rowsPart, func(w io.Writer, b []byte) error {
		ends := scasfile.NumbersIn[int64](b)
		for k, end := range ends {
			count, err := c.droppedCount(columns, end-start)
			if err != nil {
				return err
			}
			start, droppedSoFar = end, droppedSoFar+count
			ends[k] -= droppedSoFar
		}
		return scasfile.WriteNumbers(w, ends)
	})(w)
}

// droppedCount reads the columns of the next n entries, and returns how many of them have no feature.
func (c *tableConversion) droppedCount(columns io.Reader, n int64) (count int64, err error) {
	for n > 0 {
		b := c.buf[:min(int64(len(c.buf)), 4*n)]
		if _, err := io.ReadFull(columns, b); err != nil {
			return count, err
		}
		for _, j := range scasfile.NumbersIn[int32](b) {
			if c.featureOf[j] < 0 {
				count++
			}
		}
		n -= int64(len(b) / 4)
	}
	return count, nil
}
