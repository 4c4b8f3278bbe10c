package sparse

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
	"github.com/scas-admm/scas/sparse/pages"
)

// A table collects the rows of a CSV or TSV file. Until the end of the file, features have provisional
// numbers, which are the column indices of the entries. The provisional number of a column of numbers is
// the position of this column in the file, from 0. The categories of all columns get numbers after the last
// column.
type table struct {
	schema
	rows
	scan   *scanner
	line   int // line of the current record, from 1
	labels *tableLabels
	stats  ReadStats
	values [][]float64 // the stored numbers of each column; nil until the method median sets it
}

func readTable(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	t, err := newTable(input.name, opt)
	if err != nil {
		return nil, err
	}
	err = eachBlock(input, func(b []byte, n int, isLast bool) (int, error) {
		usedBytes, err := t.parseBlock(b, n, isLast)
		if err == nil {
			t.expect(input.textBytes.Load(), input.textSize(), opt)
			t.labels.labels = pages.Grow(t.labels.labels, cap(t.ptr)-len(t.ptr))
		}
		return usedBytes, err
	})
	if err != nil {
		return nil, err
	}
	return t.finish()
}

func newTable(name string, opt *ReadOptions) (*table, error) {
	delim, err := opt.delimiter()
	if err != nil {
		return nil, err
	}
	if m := opt.Table.Missing; !slices.Contains([]Missing{
		MissingRefuse, MissingMean, MissingMedian, MissingZero,
	}, m) {
		return nil, errorf("TableOptions.Missing is %q: want mean, median, zero or the empty string", m)
	}
	return &table{
		schema: schema{name: name, opt: opt, summary: TableSummary{Missing: opt.Table.Missing}},
		rows:   rows{ptr: make([]int64, 1, 1024)}, scan: newScanner(delim), line: 1,
		labels: &tableLabels{labelCollector: labelCollector{name: name, opt: opt}},
	}, nil
}

// parseBlock parses the complete records of b[:n] and returns their size in bytes; see eachBlock.
func (t *table) parseBlock(b []byte, n int, isLast bool) (usedBytes int, err error) {
	i := 0
	if t.line == 1 && bytes.HasPrefix(b[:n], []byte(byteOrderMark)) {
		i = len(byteOrderMark)
	}
	for i < n {
		if end, ok := t.parsePlainRecord(b, i); ok {
			t.line++
			i = end
			continue
		}
		end, wrong := t.scan.splitRecord(b, i, n)
		if end < 0 && !isLast {
			break
		}
		if end < 0 {
			wrong = &scanError{i, "a quote of this record is not closed before the end of the file"}
		}
		if wrong != nil {
			return 0, t.errorAt(b, i, wrong.position, "", wrong.msg)
		}
		if len(t.scan.cells) > 0 {
			if err := t.storeRecord(b, i); err != nil {
				return 0, err
			}
		}
		t.line += 1 + t.scan.breaks
		i = end
	}
	return i, t.opt.checkMemory(t.name, t.peakBytes()+t.categoryBytes, "the first %d lines", t.line)
}

// parsePlainRecord parses the record at b[i] if it is one line without quotes, missing values, new
// categories or errors, and returns the position after the record. Otherwise ok is false, and the method
// storeRecord must parse the record.
func (t *table) parsePlainRecord(b []byte, i int) (recordEnd int, ok bool) {
	t.reserve(len(t.columns))
	idx, val := t.idx, t.val
	var label []byte
	for c, col := range t.columns {
		end := i
		if col.kind == numberColumn || col.kind == offsetColumn {
			v, numberEnd, ok := text.FloatUntil(b, i, &t.scan.ends)
			if !ok {
				return 0, false
			}
			end = numberEnd
			switch {
			case col.kind == offsetColumn:
				t.storeOffset(col, v)
			case storable(v):
				idx, val = append(idx, col.number), append(val, v)
			}
		} else {
			for !t.scan.stop[b[end]] {
				end++
			}
			cell := t.scan.trimmedCell(b, i, end)
			id, known := col.categories[string(cell.text)]
			switch {
			case col.kind == labelColumn:
				label = cell.text
			case known:
				idx, val = append(idx, id), append(val, 1)
			case !col.kind.ignored():
				return 0, false
			}
		}
		if b[end] == '\r' && b[end+1] == '\n' {
			end++
		}
		if isLast := c == len(t.columns)-1; isLast && b[end] != '\n' || !isLast && b[end] != t.scan.delim {
			return 0, false
		}
		i = end + 1
	}
	if t.summary.Label != "" && t.labels.addCell(label, t.line) != nil || t.columns == nil {
		return 0, false
	}
	t.idx, t.val = idx, val
	t.endRow()
	return i, true
}

// errorAt returns an error about b[position] in the record that begins at b[start].
func (t *table) errorAt(b []byte, start, position int, token, msg string) *ParseError {
	prefix := b[start:position]
	return &ParseError{
		File: t.name, Line: t.line + bytes.Count(prefix, []byte{'\n'}),
		Column: len(prefix) - bytes.LastIndexByte(prefix, '\n'),
		Token:  token, Msg: msg,
	}
}

// storeRecord stores the cells of the record that begins at b[start].
func (t *table) storeRecord(b []byte, start int) error {
	cells := t.scan.cells
	if t.columns == nil {
		if err := t.createColumns(cells, t.line, t.scan.delim); err != nil || !t.opt.Table.NoHeader {
			return err
		}
	}
	if len(cells) != len(t.columns) {
		msg := fmt.Sprintf("the number of cells is %d: expected %d, as in the first line",
			len(cells), len(t.columns))
		if len(cells) == len(t.columns)+1 && len(cells[len(cells)-1].text) == 0 {
			msg += "; remove the delimiter at the end of the line"
		}
		return t.errorAt(b, start, start, "", msg)
	}
	t.reserve(len(cells))
	for c := range cells {
		if wrong := t.storeCell(t.columns[c], cells[c].text); wrong != nil {
			msg := fmt.Sprintf("column %s: %s", t.columns[c].name, wrong.Msg)
			err := t.errorAt(b, start, cells[c].start, string(cells[c].text), msg)
			err.Remedies = wrong.Remedies
			err.Number = t.columns[c].kind != categoryColumn
			if isMissing(cells[c].text) {
				err.Number, err.Err = false, ErrMissing
			}
			return err
		}
	}
	t.endRow()
	return nil
}

// cellError returns an error about a cell. table.storeRecord adds the place of the cell.
func cellError(msg string, remedies ...Remedy) *ParseError {
	return &ParseError{Msg: msg, Remedies: remedies}
}

// storeCell stores a cell. It returns what is wrong with the cell, or nil.
func (t *table) storeCell(col *tableColumn, cellText []byte) (wrong *ParseError) {
	switch col.kind {
	case droppedColumn, unusedColumn:
		return nil
	case labelColumn:
		return t.labels.addCell(cellText, t.line)
	case offsetColumn:
		return t.storeOffsetCell(col, cellText)
	case categoryColumn:
		if isMissing(cellText) {
			return t.storeMissing(col)
		}
		return t.storeCategory(col, cellText)
	}
	v, ok := text.ParseFloat(cellText)
	switch {
	case ok:
		col.kind = numberColumn
		if storable(v) {
			t.idx, t.val = append(t.idx, col.number), append(t.val, v)
		}
		return nil
	case isMissing(cellText):
		return t.storeMissing(col)
	case isNonFinite(string(cellText)):
		return cellError("the value is not finite: expected a finite decimal number")
	case col.kind == unknownColumn && !hasDecimalComma(cellText):
		col.kind, col.categoryLine = categoryColumn, t.line
		t.summary.Filled -= col.missingCount // the missing values so far are missing categories
		t.summary.Absent += col.missingCount
		return t.storeCategory(col, cellText)
	case hasDecimalComma(cellText):
		return cellError("a comma within a number: expected a decimal point and no marks of thousands")
	}
	declareRemedy := Remedy{
		Field: "TableOptions.Categorical", To: strconv.Quote(col.name), If: "its values are categories",
	}
	return cellError("expected a finite decimal number, as in the column's first line", declareRemedy)
}

// storeOffsetCell stores a cell of the offset column. It returns what is wrong with the cell, or nil.
func (t *table) storeOffsetCell(col *tableColumn, cellText []byte) (wrong *ParseError) {
	v, ok := text.ParseFloat(cellText)
	switch {
	case ok:
		t.storeOffset(col, v)
		return nil
	case isMissing(cellText):
		return cellError("a missing offset: expected an offset in every line")
	}
	return cellError("expected a finite decimal number, an offset")
}

// storeOffset stores the offset of the current row. A second call for the same row replaces the offset.
func (t *table) storeOffset(col *tableColumn, v float64) {
	col.offsets = append(col.offsets[:len(t.ptr)-1], v)
}

// hasDecimalComma reports whether a text looks like a number with commas.
func hasDecimalComma(s []byte) bool {
	return len(s) > 2 && bytes.IndexByte(s, ',') > 0 && strings.Trim(string(s), "+-.,0123456789") == ""
}

// noFill is the message for a missing value in a column of numbers for which TableOptions.Fill has no value.
const noFill = "a missing value, and no value that would fill the column"

// storeMissing stores or counts a missing value of a column. It returns an error if the options do not allow
// missing values in this column.
func (t *table) storeMissing(col *tableColumn) (wrong *ParseError) {
	rule := t.opt.Table.Missing
	refused := rule == MissingRefuse && t.opt.Table.Fill == nil
	switch {
	case refused && col.kind == categoryColumn:
		return cellError("a missing category: expected a category in every line",
			dropColumnRemedy(col.name), fillMissingRemedy("it may be of no category"))
	case refused:
		return cellError("a missing value: expected a value in every line",
			dropColumnRemedy(col.name), fillMissingRemedy(""))
	case col.kind == categoryColumn:
		t.summary.Absent++
		return nil
	}
	t.summary.Filled++
	col.missingCount++
	switch {
	case col.fillGiven && storable(col.fill):
		t.idx, t.val = append(t.idx, col.number), append(t.val, col.fill)
	case !col.fillGiven && rule == MissingRefuse && col.kind == numberColumn:
		return cellError(noFill)
	case !col.fillGiven && rule != MissingZero:
		if col.missingCount == 1 {
			col.missingLine = t.line
		}
		// NaN stands for the fill value, which is known at the end of the file, or for a missing category.
		t.idx, t.val = append(t.idx, col.number), append(t.val, math.NaN())
	}
	return nil
}

// storeCategory stores a value of a categorical column. If ReadOptions.Names lists the features, a value
// without a feature is counted, but not stored. storeCategory returns an error if there are too many
// categories.
func (t *table) storeCategory(col *tableColumn, value []byte) (wrong *ParseError) {
	id, known := col.categories[string(value)]
	switch {
	case known:
	case t.opt.Names != nil:
		col.unknownCount++
		if col.example == "" {
			col.example = string(value)
		}
		return nil
	case t.categoryCount > math.MaxInt32/2:
		return cellError("more categories than a matrix has columns", dropColumnRemedy(col.name))
	default:
		id = t.newCategory(col, string(value))
	}
	t.idx, t.val = append(t.idx, id), append(t.val, 1)
	return nil
}

// storable reports whether a number of a table becomes an entry, that is, whether it is not +0.
func storable(v float64) bool { return math.Float64bits(v) != 0 }
