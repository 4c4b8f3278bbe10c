package sparse

import (
	"maps"
	"slices"
	"strings"
)

// records holds what AppendRecord adds to a Builder.
type records struct {
	encoder *Encoder   // nil before the first record
	offsets []float64  // one for each row, if Options.Table names a column of offsets
	unknown []Category // the columns that had categories without a feature, in the order of their names
}

// AppendRecord adds a row from values that have names. It converts them as Encoder.Encode does
// for the features in Names, and uses Offset, Fill and Missing of Options.Table. Rows that
// Append adds have the offset 0. A category without a feature counts as no category; Unknown in
// Dataset.Table.Categorical counts such values. Dataset.Table keeps Offset, Fill and Missing, and
// Options.Table.Label as the name of the labels. For errors see Encoder.Encode and Append.
func (b *Builder) AppendRecord(record map[string]any, label float64) error {
	if err := b.begin(); err != nil {
		return err
	}
	if b.Names == nil {
		return errorf("AppendRecord: the features have no names: set Builder.Names")
	}
	if b.encoder == nil {
		e, err := NewEncoder(&ReadOptions{Names: b.Names, Table: b.Options.Table})
		if err != nil {
			return err
		}
		b.encoder = e
	}
	r, err := b.encoder.encode(record)
	if err != nil {
		return errorf("row %d: %w", b.rowCount()+1, err)
	}
	if err := b.add(r.Indices, r.Values, label, r.Offset); err != nil {
		return err
	}
	for _, column := range r.Unknown {
		b.addUnknown(column, record[column])
	}
	return nil
}

// addUnknown counts a category without a feature.
func (b *Builder) addUnknown(column string, value any) {
	index, known := slices.BinarySearchFunc(b.unknown, column, func(c Category, column string) int {
		return strings.Compare(c.Column, column)
	})
	if !known {
		example, _ := textOf(value)
		c := Category{Column: column, Categories: len(b.encoder.categories[column]), Example: example}
		b.unknown = slices.Insert(b.unknown, index, c)
	}
	b.unknown[index].Unknown++
}

func (b *Builder) summary() *TableSummary {
	if b.encoder == nil {
		return nil
	}
	table := &b.Options.Table
	return &TableSummary{
		Label: table.Label, Offset: table.Offset, Numbers: len(b.encoder.plain), Categorical: b.unknown,
		Missing: table.Missing, Fill: maps.Clone(table.Fill),
	}
}
