package sparse

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// An Encoder converts records whose values have names, such as JSON objects or rows of a
// database, into rows of a matrix. It follows the rules of Read for a table with the same
// ReadOptions.Names: a feature "column=category" is 1 if the record's value in that
// column is the category; every other feature is a column of numbers. TableOptions.Fill and
// TableOptions.Missing say how missing values are replaced. Many goroutines may use one Encoder.
type Encoder struct {
	position   map[string]int32    // the position of each feature in ReadOptions.Names, from 0
	plain      []string            // features without "=" in their names
	categories map[string][]string // features with one "="; the key is the text before the "="
	odd        []string            // features with more than one "="
	table      TableOptions
}

// A Record is the result of Encoder.Encode: one row of a matrix.
type Record struct {
	// Indices and Values are the entries of the row, by increasing index.
	Indices []int32
	Values  []float64
	// Offset is the value of the column TableOptions.Offset; 0 if there is no such column.
	Offset float64
	// Unknown lists the columns whose value is a category without a feature. Such a value
	// counts as no category.
	Unknown []string
}

// NewEncoder returns an encoder for the features opt.Names. The encoder uses Offset, Fill and
// Missing of opt.Table. MissingMean and MissingMedian are errors, because they need many
// records.
func NewEncoder(opt *ReadOptions) (*Encoder, error) {
	opt, err := opt.checked()
	switch {
	case err != nil:
		return nil, err
	case opt.Names == nil:
		return nil, errorf("NewEncoder: the features have no names, by which it finds them: give ReadOptions.Names")
	case opt.Table.Missing != MissingRefuse && opt.Table.Missing != MissingZero:
		return nil, errorf("NewEncoder: TableOptions.Missing is %q, which takes many records: want Fill",
			opt.Table.Missing)
	}
	e := &Encoder{
		position: make(map[string]int32, len(opt.Names)), categories: map[string][]string{}, table: opt.Table,
	}
	for j, name := range opt.Names {
		if _, twice := e.position[name]; twice {
			return nil, errorf("NewEncoder: two features are called %q: want different names", name)
		}
		e.position[name] = int32(j)
		switch column, _, found := strings.Cut(name, "="); {
		case !found:
			e.plain = append(e.plain, name)
		case strings.Count(name, "=") > 1:
			e.odd = append(e.odd, name)
		default:
			e.categories[column] = append(e.categories[column], name)
		}
	}
	return e, nil
}

// Encode converts a record. The record must contain every column that a feature needs; Encode ignores all
// other columns. A value is a number, a json.Number, a string or []byte as in a cell of a table, a bool
// (the text true or false), or nil. Blanks around a text do not count, unless the name of a category has
// the same blanks. A value is missing if it is nil, NaN or a text that the type Missing lists.
func (e *Encoder) Encode(record map[string]any) (*Record, error) {
	r, err := e.encode(record)
	if err != nil {
		return nil, errorf("%w", err)
	}
	return r, nil
}

// encode is Encode; its errors do not begin with the name of the package.
func (e *Encoder) encode(record map[string]any) (*Record, error) {
	if err := e.checkColumns(record); err != nil {
		return nil, err
	}
	r := &Record{}
	for column, value := range record {
		if err := e.storeValue(r, record, column, value); err != nil {
			return nil, fmt.Errorf("column %s: %w", column, err)
		}
	}
	coordinates.SortRow(r.Indices, r.Values)
	slices.Sort(r.Unknown)
	return r, nil
}

// checkColumns returns an error if the record lacks columns that the encoder needs.
func (e *Encoder) checkColumns(record map[string]any) error {
	var lacking []string
	require := func(name string) {
		if _, ok := record[name]; !ok {
			lacking = append(lacking, name)
		}
	}
	for _, name := range e.plain {
		require(name)
	}
	for column, names := range e.categories {
		if _, ok := record[column]; !ok || e.isFeature(column) {
			for _, name := range names { // perhaps columns of numbers with "=" in their names
				require(name)
			}
		}
	}
	for _, name := range e.odd {
		if column, _, found := splitCategory(name, record); !found || e.isFeature(column) {
			require(name)
		}
	}
	if e.table.Offset != "" {
		require(e.table.Offset)
	}
	if lacking == nil {
		return nil
	}
	slices.Sort(lacking)
	return fmt.Errorf("the record lacks the columns of %s: expected every feature by its name, null for a missing value; it has %s",
		firstNames(lacking), firstNames(slices.Sorted(maps.Keys(record))))
}

// isFeature reports whether a feature has the name of the column. Then the column has numbers, not
// categories.
func (e *Encoder) isFeature(column string) bool {
	_, found := e.position[column]
	return found
}

// categorical reports whether some feature may be a category of the column.
func (e *Encoder) categorical(column string) bool {
	if e.categories[column] != nil {
		return true
	}
	return slices.ContainsFunc(e.odd, func(name string) bool { return strings.HasPrefix(name, column+"=") })
}

var errNotNumber = errors.New("expected a finite number")

// storeValue stores the value of a column in r.
func (e *Encoder) storeValue(r *Record, record map[string]any, column string, value any) error {
	if column == e.table.Offset && column != "" {
		v, missing, err := numberOf(value)
		if missing {
			return fmt.Errorf("%w: expected an offset", ErrMissing)
		}
		r.Offset = v
		return err
	}
	if j, isNumber := e.position[column]; isNumber {
		v, missing, err := numberOf(value)
		fill, hasFill := e.table.Fill[column]
		switch {
		case err != nil:
			return err
		case missing && hasFill:
			v = fill
		case missing && e.table.Missing == MissingRefuse:
			return fmt.Errorf("%w, and no value that would fill the column", ErrMissing)
		}
		if storable(v) {
			r.Indices, r.Values = append(r.Indices, j), append(r.Values, v)
		}
		return nil
	}
	if !e.categorical(column) {
		return nil
	}
	category, err := textOf(value)
	if _, known := e.position[column+"="+category]; !known {
		// A known category may begin or end with blanks, from a quoted cell of a table. This category is not
		// known, so blanks around the text have no meaning.
		category = trimBlanks(category)
	}
	switch {
	case err != nil:
		return err
	case isMissing([]byte(category)) && e.table.Missing == MissingRefuse && e.table.Fill == nil:
		return fmt.Errorf("%w: expected a category", ErrMissing)
	case isMissing([]byte(category)):
		return nil
	}
	name := column + "=" + category
	j, known := e.position[name]
	ownerColumn, _, _ := splitCategory(name, record)
	if _, isNumber := record[name]; !known || isNumber || ownerColumn != column {
		r.Unknown = append(r.Unknown, column)
		return nil
	}
	r.Indices, r.Values = append(r.Indices, j), append(r.Values, 1)
	return nil
}

// numberOf returns a value of a record as a number. For a missing value it returns 0 and missing = true;
// Encode says which values are missing.
func numberOf(value any) (v float64, missing bool, err error) {
	switch n := value.(type) {
	case bool:
		return 0, false, fmt.Errorf("%v: %w", value, errNotNumber)
	case float64:
		v = n
	case float32:
		v = float64(n)
	default:
		s, err := textOf(value)
		s = trimBlanks(s)
		if err != nil || isMissing([]byte(s)) {
			return 0, err == nil, err
		}
		v, ok := text.ParseFloat(s)
		if !ok {
			err = fmt.Errorf("%q: %w", s, errNotNumber)
		}
		return v, false, err
	}
	switch {
	case math.IsNaN(v):
		return 0, true, nil
	case math.IsInf(v, 0):
		return 0, false, fmt.Errorf("%v: %w", v, errNotNumber)
	}
	return v, false, nil
}

// trimBlanks returns a text without surrounding blanks, as scanner.trimmedCell leaves them out.
func trimBlanks(s string) string { return strings.Trim(s, " \t") }

// textOf returns a value as the text of a cell.
func textOf(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte: // as package database/sql returns text
		return string(v), nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return formatFloat(v), nil
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("a value of type %T: expected a number, text, true, false or null", value)
}
