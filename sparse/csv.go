package sparse

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// TableOptions says how to read a table. The zero value means: the first line is a
// header; commas separate cells (in TSV, tabs); the table has a label column; columns of
// words are categorical; missing values are errors.
type TableOptions struct {
	// Delimiter separates cells; 0 means a comma, or in TSV a tab.
	Delimiter byte
	// NoHeader says that the first line is a sample. The columns are then named by their
	// numbers, counted from 1.
	NoHeader bool
	// Label is the name of the label column, or its number counted from 1. If it is
	// empty, the label column is the column named label, target or y, in upper or lower
	// case, or else the last column that does not hold offsets.
	Label string
	// NoLabel says that no column has labels.
	NoLabel bool
	// Categorical lists columns whose values are categories even if they look like
	// numbers, by their names or their numbers counted from 1.
	Categorical []string
	// Drop lists columns to leave out, by their names or their numbers counted from 1.
	Drop []string
	// Offset is the name, or the number counted from 1, of the column of numbers that
	// becomes Dataset.Offsets; empty means none.
	Offset string
	// Missing says how missing values are replaced.
	Missing Missing
	// Fill maps the names of columns of numbers to the values that replace their missing values,
	// whatever Missing says. The values must be finite. If Fill is not nil, a missing category is
	// not an error and counts as no category.
	Fill map[string]float64
}

// Missing says how to replace the missing values of a table. Missing values are empty cells and,
// in upper or lower case, NA, N/A, NaN and NULL. By the default rule a missing category is an
// error, unless TableOptions.Fill is set. By every other rule it counts as no category: all
// features of the column are 0. A missing label or offset is always an error.
type Missing string

// The rules for missing values.
const (
	MissingRefuse Missing = ""       // the default: a missing value is an error, unless Fill replaces it
	MissingMean   Missing = "mean"   // the mean of the values in the column that are not missing
	MissingMedian Missing = "median" // the median of the values in the column that are not missing
	MissingZero   Missing = "zero"   // the number 0
)

// ErrMissing is wrapped by the errors about missing values of tables and of records.
var ErrMissing = errorf("a missing value")

// TableSummary describes the columns of a table and how they were used.
type TableSummary struct {
	// Label is the name of the label column; empty if there is none. Found says how it was found:
	// "chosen" by TableOptions.Label, "named" label, target or y, or as the "last" column.
	Label string `json:"label,omitempty"`
	Found string `json:"label_found,omitempty"`
	// Offset is the name of the column of offsets; empty if there is none.
	Offset string `json:"offset,omitempty"`
	// Classes lists labels that are words, in byte order. It is nil if ReadOptions.Classes lists the labels.
	Classes []string `json:"class_names,omitempty"`
	// Numbers is the number of columns of numbers.
	Numbers int `json:"numeric_columns"`
	// Categorical describes the columns that were replaced by a 0/1 column for each
	// category.
	Categorical []Category `json:"categorical,omitempty"`
	// Filled is the number of missing numbers that were replaced; a Builder does not count them.
	// Fill has, for every column of numbers, the value that replaces its missing values. If Missing
	// is MissingRefuse or a Builder made the summary, Fill is TableOptions.Fill, which may have only
	// some of the columns.
	Filled  int                `json:"filled,omitempty"`
	Missing Missing            `json:"missing,omitempty"`
	Fill    map[string]float64 `json:"fill,omitempty"`
	// Absent is the number of missing values in categorical columns; each counts as no category.
	Absent int `json:"absent,omitempty"`
	// Ignored lists the columns that no feature in ReadOptions.Names uses.
	Ignored []string `json:"ignored,omitempty"`
}

// A Category describes a categorical column.
type Category struct {
	Column     string `json:"column"`
	Categories int    `json:"categories"`
	// Numbers is the number of categories that look like numbers.
	Numbers int `json:"numbers,omitempty"`
	// Like is "dates" or "amounts" (such as $3.50 or 7%) if most categories look like that.
	Like string `json:"like,omitempty"`
	// First is the first value of the column, and Line is its line. Both are set only if Numbers or Like is
	// set, and the column is categorical only because First is not a number. First may be a mistake in the
	// file.
	Line  int    `json:"line,omitempty"`
	First string `json:"first,omitempty"`
	// Unknown is the number of values in the column whose category has no feature in
	// ReadOptions.Names. Example is one of these values.
	Unknown int    `json:"unknown,omitempty"`
	Example string `json:"unknown_example,omitempty"`
}

// writeTable writes a header and one line for every row. The last column has the labels, if d
// has labels. Columns without names are named x1, x2, ... Numbers are written in the shortest
// form that reads back to the same bits. If the labels are words, and the first of them looks like a number,
// it returns an error, because readers of the table would expect numbers in all lines.
func writeTable(w io.Writer, d *Dataset, delimiter byte) error {
	if len(d.Labels) > 0 && d.Classes.Names != nil {
		word := string(d.appendLabel(nil, 0, delimiter))
		if _, isNumber := text.ParseFloat(word); isNumber {
			return errorf("writing a table: the first label is the word %q, which would be read as a number: put a row with another label first, or write a .scas file", word)
		}
	}
	return text.Write(w, "sparse", "writing a table", func(buffer *bufio.Writer) error {
		prefix := ""
		if d.Labels == nil && allNumbers(d.Names) {
			prefix = "x" // readers refuse a header of only numbers
		}
		var line []byte
		for j := range d.X.cols {
			line = append(appendCell(line, prefix+columnName(d.Names, j), delimiter), delimiter)
		}
		if d.Labels != nil {
			line = append(appendCell(line, d.LabelColumn(), delimiter), delimiter)
		}
		buffer.Write(endLine(line))
		for i := range d.X.rows {
			line = appendRow(line[:0], d.X, i, delimiter)
			if d.Labels != nil {
				line = append(d.appendLabel(line, i, delimiter), delimiter)
			}
			buffer.Write(endLine(line))
		}
		return nil
	})
}

// LabelColumn returns the name of the label column in a table that Write makes of d: the name in the table
// that was read, or "label" if there is no such name or if all column names of that table are numbers.
// Underscores follow if a feature has the same name.
func (d *Dataset) LabelColumn() string {
	name := "label"
	if d.LabelName != "" && !(allNumbers(d.Names) && allNumbers([]string{d.LabelName})) {
		name = d.LabelName
	}
	for slices.Contains(d.Names, name) {
		name += "_"
	}
	return name
}

// allNumbers reports whether there are names and all of them are numbers.
func allNumbers(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		_, isNumber := text.ParseFloat(name)
		return !isNumber
	})
}

// endLine replaces the last delimiter of a line by a line feed.
func endLine(line []byte) []byte { return append(line[:max(0, len(line)-1)], '\n') }

func columnName(names []string, j int) string {
	if names != nil {
		return names[j]
	}
	return "x" + strconv.Itoa(j+1)
}

// appendRow appends the cells of a row, each followed by a delimiter.
func appendRow(line []byte, x *CSR, i int, delimiter byte) []byte {
	idx, val := x.Row(i)
	column := 0
	for k, j := range idx {
		for ; column < int(j); column++ {
			line = append(line, '0', delimiter)
		}
		line = append(strconv.AppendFloat(line, val[k], 'g', -1, 64), delimiter)
		column++
	}
	for ; column < x.cols; column++ {
		line = append(line, '0', delimiter)
	}
	return line
}

// appendLabel appends the label of a row as it was in the file.
func (d *Dataset) appendLabel(line []byte, i int, delimiter byte) []byte {
	v := d.Labels[i]
	if k, ok := d.ClassOf(v); ok && d.Classes.Names != nil {
		return appendCell(line, d.Classes.Names[k], delimiter)
	}
	return appendCell(line, formatFloat(d.Original(v)), delimiter)
}

// appendCell appends the text of a cell, quoted if necessary.
func appendCell(line []byte, s string, delimiter byte) []byte {
	needsNoQuotes := s != "" && strings.Trim(s, " \t") == s && !strings.ContainsAny(s, "\"\n\r") &&
		strings.IndexByte(s, delimiter) < 0
	if needsNoQuotes && !strings.HasPrefix(s, byteOrderMark) {
		return append(line, s...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

func (o *ReadOptions) delimiter() (byte, error) {
	switch d := o.Table.Delimiter; {
	case d == 0 && o.Format == TSV:
		return '\t', nil
	case d == 0:
		return ',', nil
	case d == '"' || d == '\n' || d == '\r' || d >= 0x80 || strings.IndexByte("+-.0123456789eE", d) >= 0:
		return 0, errorf("TableOptions.Delimiter is %q: want a character such as ',', ';' or a tabulator", d)
	default:
		return d, nil
	}
}

func isMissing(cell []byte) bool {
	if len(cell) > 4 {
		return false
	}
	return len(cell) == 0 ||
		slices.Contains([]string{"na", "n/a", "nan", "null"}, strings.ToLower(string(cell)))
}
