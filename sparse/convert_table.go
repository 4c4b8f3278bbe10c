package sparse

import (
	"io"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// A tableConversion converts a table. It stores the entries in conversion.parts, with provisional
// numbers of features (see the type table) as columns. The features, and the numbers that replace
// missing values, are known only at the end of the text. They are inserted when the entries are copied to the
// .scas file.
type tableConversion struct {
	*conversion
	table *table
}

func convertTable(c *conversion, input *decompressor) (*Converted, *binarySections, error) {
	t, err := newTable(c.name, c.opt)
	if err != nil {
		return nil, nil, err
	}
	tc := &tableConversion{c, t}
	err = eachBlock(input, func(b []byte, n int, isLast bool) (int, error) {
		usedBytes, err := t.parseBlock(b, n, isLast)
		if err == nil {
			err = c.reportText(input)
		}
		isUnknown := func(col *tableColumn) bool { return col.kind == unknownColumn }
		if err != nil || slices.ContainsFunc(t.columns, isUnknown) {
			return usedBytes, err
		}
		return usedBytes, tc.moveRows()
	})
	if err == nil {
		err = tc.moveRows()
	}
	if err != nil {
		return nil, nil, err
	}
	featureOf, names, err := t.resolveFeatures(int(c.rows), tc.median)
	if err != nil {
		return nil, nil, err
	}
	labelNumber := t.labels.sortWords()
	t.summary.Classes, t.summary.Fill = t.labels.words, nil
	t.stats.NNZ = c.nnz
	s := c.fileSections(len(names), t.summary.Classes)
	s.header.IndexBase, s.meta.Features, s.meta.Label = 1, names, t.summary.Label
	s.idx = c.sectionWriter(columnsPart, func(w io.Writer, b []byte) error {
		idx := scasfile.NumbersIn[int32](b)
		for k, j := range idx {
			idx[k] = featureOf[j]
		}
		return scasfile.WriteNumbers(w, idx)
	})
	s.val = tc.writeValues
	s.labels = c.sectionWriter(labelsPart, func(w io.Writer, b []byte) error {
		labels := scasfile.NumbersIn[float64](b)
		for k, v := range labels {
			labels[k] = labelNumber(v)
		}
		return c.twoLabels.write(w, labels)
	})
	return &Converted{Features: len(names), Names: names, Table: &t.summary, Stats: t.stats}, s, nil
}

// moveRows moves the rows from memory to the parts. convertTable calls it when every column has had a
// value. Missing values before that are stored as entries, which moveRows drops if the column is categorical.
func (c *tableConversion) moveRows() error {
	t := c.table
	t.joinEntries()
	t.addSums()
	for _, col := range t.columns {
		col.offsets = col.offsets[:0]
		if col.kind == categoryColumn && col.missingCount > 0 {
			t.dropEntries(col.number)
			col.missingCount = 0
		}
	}
	return c.conversion.moveRows(&t.rows, &t.labels.labels)
}

// median returns the median of the n values of column j that are not missing. It returns 0 if no value is
// missing, because the median is then not needed.
func (c *tableConversion) median(j, n int) (float64, error) {
	col := c.table.columns[j]
	if col.missingCount == 0 {
		return 0, nil
	}
	err := c.opt.checkMemory(c.name, 8*int64(n), "the numbers of column %s, for their median,", col.name)
	if err != nil {
		return 0, err
	}
	if err := c.flush(); err != nil {
		return 0, err
	}
	var values []float64
	err = c.parts.eachEntryBlock(func(idx []int32, val []float64) error {
		for k, i := range idx {
			if int(i) == j && !math.IsNaN(val[k]) {
				values = append(values, val[k])
			}
		}
		return c.report("text", c.sourceSize, c.sourceSize)
	})
	return medianOf(values, n), err
}

// writeValues writes the values of all entries. It replaces missing values.
func (c *tableConversion) writeValues(w io.Writer) error {
	return c.parts.eachEntryBlock(func(idx []int32, val []float64) error {
		for k, j := range idx {
			if math.IsNaN(val[k]) {
				val[k] = c.table.columns[j].fill
			}
		}
		if err := c.countWritten(8 * len(val)); err != nil {
			return err
		}
		return scasfile.WriteNumbers(w, val)
	})
}
