package sparse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// TableOptions say how to read a table. The zero value means: a header, cells separated
// by commas (in TSV by tabulators), the label column found by its name, columns of words
// taken for categories, missing values refused.
type TableOptions struct {
	// Delimiter separates cells; 0 means a comma, or in TSV a tabulator.
	Delimiter byte
	// NoHeader says that the first line is a sample. Columns are then called by their
	// numbers, from 1.
	NoHeader bool
	// Label is the name, or the number from 1, of the column of the labels. Empty means
	// the one called label, target or y, in whatever case, else the last.
	Label string
	// NoLabel says that no column has labels.
	NoLabel bool
	// Categorical are names, or numbers from 1, of columns whose values are categories
	// even if they look like numbers.
	Categorical []string
	// Drop are names, or numbers from 1, of columns to leave out.
	Drop []string
	// Offset is the name, or the number from 1, of the column of numbers that become
	// Dataset.Offsets; empty means none.
	Offset string
	// Missing says what becomes of missing values.
	Missing Missing
	// Fill has the values that take the place of missing ones in the columns of numbers
	// that it names, whatever Missing says; a missing category is then none.
	Fill map[string]float64
}

// Missing says what becomes of the missing values of a table: empty cells and, in any
// case, NA, N/A, NaN and NULL. A missing category is refused or none, with a 0 in each of
// its columns; a missing label is always refused.
type Missing string

// The rules. MissingRefuse is the default.
const (
	MissingRefuse Missing = ""
	MissingMean   Missing = "mean"   // of the column's other values
	MissingMedian Missing = "median" // of the column's other values
	MissingZero   Missing = "zero"
)

// ErrMissing is matched by errors about a missing value of a table.
var ErrMissing = errors.New("sparse: a missing value")

// TableFacts tell what became of the columns of a table.
type TableFacts struct {
	// Label is the name of the label column; empty if there is none. Found says how it was
	// found: chosen, named or last.
	Label string `json:"label,omitempty"`
	Found string `json:"label_found,omitempty"`
	// Offset is the name of the column of the offsets.
	Offset string `json:"offset,omitempty"`
	// Classes are the labels if they are words: those of the values 0, 1, ... that stand
	// for them.
	Classes []string `json:"classes,omitempty"`
	// Numbers is how many columns are features as they are.
	Numbers int `json:"numeric_columns"`
	// Categorical are the columns that have become one of 0 and 1 for each category.
	Categorical []Category `json:"categorical,omitempty"`
	// Filled counts the missing numbers that were replaced, by the rule Missing. Fill has
	// what replaces them, of every column of numbers; nil if missing values are refused.
	Filled  int                `json:"filled,omitempty"`
	Missing Missing            `json:"missing,omitempty"`
	Fill    map[string]float64 `json:"fill,omitempty"`
	// Absent counts the missing values of Categorical, which are in no category.
	Absent int `json:"absent,omitempty"`
	// Ignored are columns that are none of the features of ReadOptions.Names.
	Ignored []string `json:"ignored,omitempty"`
}

// A Category is a column of categories.
type Category struct {
	Column     string `json:"column"`
	Categories int    `json:"categories"`
	// Numbers counts the categories that look like numbers. Like is "dates" or "amounts",
	// such as $3.50 or 7%, if most categories look like these. Where there are numbers,
	// dates or amounts, and no option said what the column is, Line is the one whose value,
	// First, did.
	Numbers int    `json:"numbers,omitempty"`
	Like    string `json:"like,omitempty"`
	Line    int    `json:"line,omitempty"`
	First   string `json:"first,omitempty"`
	// Unknown counts values that are none of the categories of ReadOptions.Names, Example
	// being one of them.
	Unknown int    `json:"unknown,omitempty"`
	Example string `json:"unknown_example,omitempty"`
}

// writeTable writes a header, and one line for every row, with the label in the last column.
// Columns without names are called x1, x2, ... Numbers are written in the shortest form that
// reads back to the same bits.
func writeTable(w io.Writer, d *Dataset, delimiter byte) error {
	return text.Write(w, "sparse: writing a table", func(to *bufio.Writer) {
		label := "label"
		if d.Table != nil && d.Table.Label != "" {
			label = d.Table.Label
		}
		var line []byte
		for j := range d.X.cols {
			line = append(appendCell(line, columnName(d.Names, j), delimiter), delimiter)
		}
		if d.Labels != nil {
			line = append(appendCell(line, label, delimiter), delimiter)
		}
		to.Write(endLine(line))
		for i := range d.X.rows {
			line = appendRow(line[:0], d.X, i, delimiter)
			if d.Labels != nil {
				line = append(d.appendLabel(line, i, delimiter), delimiter)
			}
			to.Write(endLine(line))
		}
	})
}

// endLine puts a line feed in the place of the last delimiter.
func endLine(line []byte) []byte { return append(line[:max(0, len(line)-1)], '\n') }

func columnName(names []string, j int) string {
	if names != nil {
		return names[j]
	}
	return "x" + strconv.Itoa(j+1)
}

// appendRow appends the cells of a row, each with a delimiter behind it.
func appendRow(line []byte, x *CSR, i int, delimiter byte) []byte {
	idx, val := x.Row(i)
	at := 0
	for k, j := range idx {
		for ; at < int(j); at++ {
			line = append(line, '0', delimiter)
		}
		line = append(strconv.AppendFloat(line, val[k], 'g', -1, 64), delimiter)
		at++
	}
	for ; at < x.cols; at++ {
		line = append(line, '0', delimiter)
	}
	return line
}

// appendLabel appends the label of a row as the file had it.
func (d *Dataset) appendLabel(line []byte, i int, delimiter byte) []byte {
	v := d.Labels[i]
	if d.Mapping.IsZero() && d.Table != nil && d.Table.Classes != nil {
		return appendCell(line, d.Table.Classes[int(v)], delimiter)
	}
	return appendCell(line, d.Mapping.Name(v), delimiter)
}

// appendCell appends a text, in quotes if it needs them.
func appendCell(line []byte, s string, delimiter byte) []byte {
	plain := s != "" && strings.Trim(s, " \t") == s && !strings.ContainsAny(s, "\"\n\r") && strings.IndexByte(s, delimiter) < 0
	if plain && !strings.HasPrefix(s, byteOrderMark) {
		return append(line, s...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// delimiter is the one that opt means.
func (o *ReadOptions) delimiter() (byte, error) {
	switch d := o.Table.Delimiter; {
	case d == 0 && o.Format == TSV:
		return '\t', nil
	case d == 0:
		return ',', nil
	case d == '"' || d == '\n' || d == '\r' || d >= 0x80 || strings.IndexByte("+-.0123456789eE", d) >= 0:
		return 0, fmt.Errorf("sparse: TableOptions.Delimiter is %q: want a character such as ',', ';' or a tabulator", d)
	default:
		return d, nil
	}
}

// isMissing reports whether a cell has no value.
func isMissing(cell []byte) bool {
	if len(cell) > 4 {
		return false
	}
	return len(cell) == 0 || slices.Contains([]string{"na", "n/a", "nan", "null"}, strings.ToLower(string(cell)))
}
