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
	table   *table
	feature []int32 // feature[k] is the feature with the provisional number k, or -1 if there is none
	names   []string
	// dropped is the number of entries without a feature. They are missing values that were stored before a
	// category showed that their column does not hold numbers.
	dropped int64
	buf     []byte
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
	err := eachBlock(input, c.name, func(b []byte, n int, isLast bool) (used int, err error) {
		if used, err = t.block(b, n, isLast); err == nil {
			report()
			err = c.take()
		}
		return used, err
	})
	if err != nil {
		return nil, err
	}
	if c.feature, c.names, err = t.settle(int(c.rows), c.median); err != nil {
		return nil, err
	}
	if l := t.labels; l.worded {
		t.summary.Classes = slices.Sorted(slices.Values(l.words))
	}
	t.summary.Fill = nil
	if err := c.countDropped(); err != nil {
		return nil, err
	}
	t.stats.NNZ = c.nnz - c.dropped
	return &Converted{Features: len(c.names), Names: c.names, Table: &t.summary, Stats: t.stats}, nil
}

func (c *tableConversion) take() error {
	if err := c.checkInterrupt(); err != nil {
		return err
	}
	t := c.table
	t.join()
	t.addSums()
	for _, col := range t.columns {
		col.offsets = col.offsets[:0]
	}
	return c.move(&t.rows, &t.labels.labels)
}

// median returns the median of the n values of column j that are not missing. It returns 0 if no value is
// missing, because the median is then not needed.
func (c *tableConversion) median(j, n int) (float64, error) {
	col := c.table.columns[j]
	if col.missing == 0 {
		return 0, nil
	}
	if err := c.opt.allow(c.name, 8*int64(n), "the numbers of column %s, for their median,", col.name); err != nil {
		return 0, err
	}
	if err := c.flush(); err != nil {
		return 0, err
	}
	var values []float64
	err := c.parts.entries(func(idx []int32, val []float64) error {
		for k, i := range idx {
			if int(i) == j && !math.IsNaN(val[k]) {
				values = append(values, val[k])
			}
		}
		return c.checkInterrupt()
	})
	return medianOf(values, n), err
}

// countDropped sets c.dropped, the number of entries without a feature. It reads the column numbers of the
// entries only if there may be such entries.
func (c *tableConversion) countDropped() error {
	late := func(col *tableColumn) bool { return col.kind != numberColumn && col.missing > 0 }
	if !slices.ContainsFunc(c.table.columns, late) {
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	return c.parts.readPart(columnsPart, func(b []byte) error {
		for _, j := range scasfile.NumbersIn[int32](b) {
			if c.feature[j] < 0 {
				c.dropped++
			}
		}
		return c.checkInterrupt()
	})
}

func (c *tableConversion) sections() binarySections {
	s := c.binary(len(c.names), c.table.summary.Classes)
	s.header.NNZ -= c.dropped
	s.header.IndexBase, s.meta.Features = 1, c.names
	s.idx, s.val = c.section(columnsPart, c.writeColumns), c.writeValues
	if c.dropped > 0 {
		s.ptr = c.writeRows
	}
	if l := c.table.labels; l.worded {
		rank := l.rank(c.table.summary.Classes)
		s.labels = c.section(labelsPart, func(w io.Writer, b []byte) error {
			labels := scasfile.NumbersIn[float64](b)
			for k, v := range labels {
				labels[k] = rank[int(v)]
			}
			return c.kinds.write(w, labels)
		})
	}
	return s
}

// writeColumns writes the columns of some entries to w. It replaces the provisional numbers in b (see table)
// by features, and leaves out entries without a feature.
func (c *tableConversion) writeColumns(w io.Writer, b []byte) error {
	idx, count := scasfile.NumbersIn[int32](b), 0
	for _, j := range idx {
		if f := c.feature[j]; f >= 0 {
			idx[count] = f
			count++
		}
	}
	return scasfile.WriteNumbers(w, idx[:count])
}

// writeValues writes the values of all entries, except of entries without a feature (see
// tableConversion.dropped). It replaces missing values.
func (c *tableConversion) writeValues(w io.Writer) error {
	return c.parts.entries(func(idx []int32, val []float64) error {
		count := 0
		for k, j := range idx {
			if c.feature[j] < 0 {
				continue
			}
			if val[count] = val[k]; math.IsNaN(val[k]) {
				val[count] = c.table.columns[j].fill
			}
			count++
		}
		if err := c.countWritten(8 * len(val)); err != nil {
			return err
		}
		return scasfile.WriteNumbers(w, val[:count])
	})
}

// writeRows writes the position at which the entries of each row end. It does not count entries without a
// feature (see tableConversion.dropped).
func (c *tableConversion) writeRows(w io.Writer) error {
	columns := bufio.NewReader(io.NewSectionReader(c.parts.files[columnsPart].f, 0, c.parts.files[columnsPart].size))
	var start, dropped int64
	return c.section(rowsPart, func(w io.Writer, b []byte) error {
		ends := scasfile.NumbersIn[int64](b)
		for k, end := range ends {
			count, err := c.droppedCount(columns, end-start)
			if err != nil {
				return err
			}
			start, dropped = end, dropped+count
			ends[k] -= dropped
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
			if c.feature[j] < 0 {
				count++
			}
		}
		n -= int64(len(b) / 4)
	}
	return count, nil
}
