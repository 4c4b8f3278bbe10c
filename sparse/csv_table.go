package sparse

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// A table collects the rows of a CSV file. Entries are numbered by their columns, those
// of categories by numbers from the number of columns on, until finish knows the order.
type table struct {
	name    string
	opt     *ReadOptions
	scan    *scanner
	begun   bool
	line    int // of the record, from 1
	columns []*tableColumn
	owner   []int // the column of each category, by its number less that of columns
	labels  *tableLabels
	facts   TableFacts
	bytes   int64 // of categories
	stats   ReadStats
	rows
}

// A tableColumn is a column of a table. Of a column without a value so far the kind is unknown.
type tableColumn struct {
	name   string
	kind   columnKind
	number int32 // of its entries, if it has numbers
	levels map[string]int32
	order  []string // its categories as they came
	// fill takes the place of missing values if fills.
	fill    float64
	fills   bool
	missing int
	unknown int // values that are no category wanted
	example string
}

type columnKind uint8

const (
	unknownColumn columnKind = iota
	numberColumn
	categoryColumn
	labelColumn
	ignoredColumn
)

func newTable(name string, opt *ReadOptions) (*table, error) {
	delim, err := opt.delimiter()
	if err != nil {
		return nil, err
	}
	if m := opt.Table.Missing; !slices.Contains([]Missing{MissingRefuse, MissingMean, MissingMedian, MissingZero}, m) {
		return nil, fmt.Errorf("sparse: TableOptions.Missing is %q: want mean, median, zero or the empty string", m)
	}
	t := &table{name: name, opt: opt, scan: newScanner(delim), line: 1, rows: rows{ptr: make([]int64, 1, 1024)}}
	t.facts.Missing = opt.Table.Missing
	t.labels = &tableLabels{labelCollector: labelCollector{name: name, opt: opt}}
	return t, nil
}

// block takes the records of b[:n] that are complete.
func (t *table) block(b []byte, n int, last bool) (used int, err error) {
	i := 0
	if !t.begun && bytes.HasPrefix(b[:n], []byte(byteOrderMark)) {
		i = len(byteOrderMark)
	}
	for i < n {
		if next, ok := t.plain(b, i); ok {
			t.line++
			i = next
			continue
		}
		next, wrong := t.scan.record(b, i, n)
		if next < 0 && !last {
			break
		}
		if next < 0 {
			wrong = &scanError{i, "a quote of this record is not closed before the end of the file"}
		}
		if wrong != nil {
			return 0, t.errorAt(b, i, wrong.at, "", wrong.msg)
		}
		if len(t.scan.cells) > 0 {
			if err := t.record(b, i); err != nil {
				return 0, err
			}
		}
		t.begun = true
		t.line += 1 + t.scan.breaks
		i = next
	}
	t.stats.Bytes += int64(i)
	return i, t.opt.allow(t.name, t.rows.bytes()+t.bytes, "the first %d lines", t.line)
}

// plain takes the record at b[i] if it is one line, without quotes and with nothing that
// is new or wrong, which is what most are; it has no effect on any other. next is the
// position after it.
func (t *table) plain(b []byte, i int) (next int, ok bool) {
	t.reserve(len(t.columns))
	idx, val := t.idx, t.val
	var label cell
	for c, col := range t.columns {
		end := i
		if col.kind == numberColumn {
			v, at, ok := text.FloatUntil(b, i, &t.scan.ends)
			if !ok {
				return 0, false
			}
			end = at
			if storable(v) {
				idx, val = append(idx, col.number), append(val, v)
			}
		} else {
			for !t.scan.stop[b[end]] {
				end++
			}
			cell := t.scan.trimmed(b, i, end)
			id, known := col.levels[string(cell.text)]
			switch {
			case col.kind == labelColumn:
				label = cell
			case known:
				idx, val = append(idx, id), append(val, 1)
			case col.kind != ignoredColumn:
				return 0, false
			}
		}
		if b[end] == '\r' && b[end+1] == '\n' {
			end++
		}
		if last := c == len(t.columns)-1; last && b[end] != '\n' || !last && b[end] != t.scan.delim {
			return 0, false
		}
		i = end + 1
	}
	if t.facts.Label != "" && t.labels.take(&label, b, t.line) != "" || t.columns == nil {
		return 0, false
	}
	t.idx, t.val = idx, val
	t.end()
	return i, true
}

// errorAt returns an error about b[at] in the record at b[start].
func (t *table) errorAt(b []byte, start, at int, token, msg string) error {
	before := b[start:at]
	return &ParseError{
		File: t.name, Line: t.line + bytes.Count(before, []byte{'\n'}), Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Token: token, Msg: msg,
	}
}

// record takes the cells of the record at b[start].
func (t *table) record(b []byte, start int) error {
	cells := t.scan.cells
	if t.columns == nil {
		if err := t.header(cells); err != nil || !t.opt.Table.NoHeader {
			return err
		}
	}
	if len(cells) != len(t.columns) {
		return t.errorAt(b, start, start, "", fmt.Sprintf("%d cells: expected %d, as in the first line", len(cells), len(t.columns)))
	}
	t.reserve(len(cells))
	for c := range cells {
		if msg := t.cell(t.columns[c], &cells[c], b); msg != "" {
			return t.errorAt(b, start, cells[c].start, string(cells[c].text), fmt.Sprintf("column %s: %s", t.columns[c].name, msg))
		}
	}
	t.end()
	return nil
}

// cell takes a cell, or says what is wrong with it.
func (t *table) cell(col *tableColumn, c *cell, b []byte) (wrong string) {
	switch col.kind {
	case ignoredColumn:
		return ""
	case labelColumn:
		return t.labels.take(c, b, t.line)
	case categoryColumn:
		if isMissing(c.text) {
			return t.absent(col)
		}
		return t.category(col, c.text)
	}
	v, ok := c.number(b)
	switch {
	case ok:
		col.kind = numberColumn
		if storable(v) {
			t.idx, t.val = append(t.idx, col.number), append(t.val, v)
		}
		return ""
	case isMissing(c.text):
		return t.absent(col)
	case isNonFinite(string(c.text)):
		return "the value is not finite: expected a finite decimal number"
	case col.kind == unknownColumn && !decimalComma(c.text):
		col.kind = categoryColumn
		return t.category(col, c.text)
	case decimalComma(c.text):
		return "a comma within a number: expected a decimal point and no marks of thousands"
	}
	return "expected a finite decimal number, as in the column's first line; declare the column categorical if its values are categories"
}

// decimalComma reports whether a text looks like a number with commas.
func decimalComma(s []byte) bool {
	return len(s) > 2 && bytes.IndexByte(s, ',') > 0 && strings.Trim(string(s), "+-.,0123456789") == ""
}

// absent takes a missing value.
func (t *table) absent(col *tableColumn) (wrong string) {
	rule := t.opt.Table.Missing
	if rule == MissingRefuse && t.opt.Table.Fill == nil {
		return "a missing value: expected one in every line; leave out the column, or have missing values filled"
	}
	t.facts.Filled++
	col.missing++
	switch {
	case col.kind == categoryColumn:
	case col.fills && storable(col.fill):
		t.idx, t.val = append(t.idx, col.number), append(t.val, col.fill)
	case !col.fills && rule == MissingRefuse:
		return "a missing value, and no value that would fill the column"
	case !col.fills && rule != MissingZero:
		t.idx, t.val = append(t.idx, col.number), append(t.val, math.NaN()) // until finish
	}
	return ""
}

// category takes a value of a categorical column.
func (t *table) category(col *tableColumn, value []byte) (wrong string) {
	id, known := col.levels[string(value)]
	switch {
	case known:
	case t.opt.Names != nil:
		col.unknown++
		if col.example == "" {
			col.example = string(value)
		}
		return ""
	case len(t.owner) > math.MaxInt32/2:
		return "more categories than a matrix has columns: leave out the column"
	default:
		id = t.newLevel(col, string(value))
	}
	t.idx, t.val = append(t.idx, id), append(t.val, 1)
	return ""
}

// newLevel adds a category.
func (t *table) newLevel(col *tableColumn, value string) int32 {
	id := int32(len(t.columns) + len(t.owner))
	t.owner = append(t.owner, int(col.number))
	if col.levels == nil {
		col.levels = map[string]int32{}
	}
	col.levels[value] = id
	col.order = append(col.order, value)
	t.bytes += int64(len(col.name)+2*len(value)) + 128
	return id
}

// header makes the columns.
func (t *table) header(cells []cell) error {
	numbers, names := 0, map[string]bool{}
	for c, cell := range cells {
		name := strconv.Itoa(c + 1)
		if _, number := text.ParseFloat(string(cell.text)); number {
			numbers++
		}
		if !t.opt.Table.NoHeader {
			name = string(cell.text)
		}
		switch {
		case names[name] && name != "":
			return &ParseError{File: t.name, Line: t.line, Token: name, Msg: "two columns of that name: expected different ones"}
		case len(cells) == 1 && bytes.IndexByte(cell.text, ';') > 0:
			return &ParseError{File: t.name, Line: t.line, Token: name, Msg: fmt.Sprintf("one column, by the delimiter %q: expected more; the delimiter seems to be another", t.scan.delim)}
		}
		names[name] = true
		t.columns = append(t.columns, &tableColumn{name: name, number: int32(c)})
	}
	if numbers == len(cells) && !t.opt.Table.NoHeader {
		return &ParseError{File: t.name, Line: t.line, Token: string(cells[0].text), Msg: "the first line has nothing but numbers: expected names of the columns; say that there is no header if so"}
	}
	return t.assign()
}

// find returns the column that a name means, or else a number from 1.
func (t *table) find(name string) (*tableColumn, error) {
	for _, col := range t.columns {
		if col.name == name {
			return col, nil
		}
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(t.columns) {
		return t.columns[k-1], nil
	}
	return nil, &ParseError{File: t.name, Token: name, Msg: "no such column: expected a name, or a number from 1; the file has " + some(t.columnNames())}
}

func (t *table) columnNames() []string {
	names := make([]string, len(t.columns))
	for c, col := range t.columns {
		names[c] = col.name
	}
	return names
}

// assign says what columns are, as far as that does not depend on their values.
func (t *table) assign() error {
	for _, part := range []struct {
		names []string
		kind  columnKind
	}{{t.opt.Table.Categorical, categoryColumn}, {t.opt.Table.Drop, ignoredColumn}} {
		for _, name := range part.names {
			col, err := t.find(name)
			if err != nil {
				return err
			}
			col.kind = part.kind
		}
	}
	if t.opt.Names != nil {
		if err := t.match(); err != nil {
			return err
		}
	}
	if err := t.findLabel(); err != nil {
		return err
	}
	for c, col := range t.columns {
		if col.name == "" && col.kind != ignoredColumn {
			return &ParseError{File: t.name, Line: t.line, Msg: fmt.Sprintf("column %d has no name (an index that pandas wrote?): leave it out, or name it", c+1)}
		}
		if v, filled := t.opt.Table.Fill[col.name]; filled {
			col.fill, col.fills = v, true
		}
	}
	return nil
}

// findLabel finds the column of the labels.
func (t *table) findLabel() error {
	o := &t.opt.Table
	if o.NoLabel {
		return nil
	}
	free := func(col *tableColumn) bool {
		return t.opt.Names == nil && col.kind != ignoredColumn || t.isIgnored(col)
	}
	choose := func(col *tableColumn, found string) error {
		col.kind = labelColumn
		t.facts.Label, t.facts.Found = col.name, found
		t.facts.Ignored = slices.DeleteFunc(t.facts.Ignored, func(name string) bool { return name == col.name })
		return nil
	}
	if o.Label != "" {
		col, err := t.find(o.Label)
		switch {
		case err != nil && t.opt.LabelsOptional:
			return nil
		case err != nil:
			return err
		case !free(col):
			return &ParseError{File: t.name, Token: col.name, Msg: "this column cannot be that of the labels: it is left out or a feature"}
		}
		return choose(col, "chosen")
	}
	for _, name := range []string{"label", "target", "y"} {
		for _, col := range t.columns {
			if strings.EqualFold(col.name, name) && free(col) {
				return choose(col, "named")
			}
		}
	}
	last := t.columns[len(t.columns)-1]
	switch {
	case free(last):
		return choose(last, "last")
	case t.opt.LabelsOptional || t.opt.AnyLabels:
		return nil
	}
	return &ParseError{File: t.name, Msg: "no column of labels: the last one is left out or a feature, and none is called label, target or y; say which it is"}
}

// isIgnored reports whether a column is none of the features wanted.
func (t *table) isIgnored(col *tableColumn) bool { return slices.Contains(t.facts.Ignored, col.name) }

// match finds the columns of the features that are wanted.
func (t *table) match() error {
	byName := map[string]*tableColumn{}
	for _, col := range t.columns {
		byName[col.name] = col
	}
	wanted := map[*tableColumn]bool{}
	var missing []string
	for _, name := range t.opt.Names {
		if col := byName[name]; col != nil && col.kind == unknownColumn {
			col.kind = numberColumn
			wanted[col] = true
		}
	}
	for _, name := range t.opt.Names {
		if col := byName[name]; col != nil && wanted[col] && col.kind == numberColumn {
			continue
		}
		col, value := categoryOf(name, byName)
		if col == nil || col.kind != unknownColumn && col.kind != categoryColumn {
			missing = append(missing, name)
			continue
		}
		wanted[col], col.kind = true, categoryColumn
		t.newLevel(col, value)
	}
	if missing != nil {
		return missingColumns(t.name, missing, t.columnNames())
	}
	for _, col := range t.columns {
		if !wanted[col] && col.kind != ignoredColumn {
			col.kind = ignoredColumn
			t.facts.Ignored = append(t.facts.Ignored, col.name)
		}
	}
	return nil
}

// categoryOf splits the name of a feature, column=value, at the last place at which what
// is before is a column; nil if there is none.
func categoryOf(name string, columns map[string]*tableColumn) (*tableColumn, string) {
	for at := len(name); ; {
		if at = strings.LastIndexByte(name[:at], '='); at < 0 {
			return nil, ""
		}
		if col := columns[name[:at]]; col != nil {
			return col, name[at+1:]
		}
	}
}
