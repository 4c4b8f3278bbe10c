package sparse

import (
	"slices"
	"strconv"
)

// Dataset is a matrix with a row for each sample, and the labels of the rows if there are any.
type Dataset struct {
	X *CSR
	// Labels has one element per row, or is nil if there are no labels. If Signs is true, they are -1 or
	// +1. Otherwise they are the numbers of the file, or 0, 1, ... for words.
	Labels []float64
	// Offsets holds, for each row, a number to add to the margin of the row. The numbers come from
	// the column TableOptions.Offset; nil if no such column is named.
	Offsets []float64
	// Classes lists the labels of the file if they are classes, and is zero if they are numbers. With
	// ReadOptions.AnyLabels, which does not say whether labels are classes, it lists them only if they are
	// words. Classes may list labels that no row has.
	Classes Classes
	// Signs says that there are two Classes, and that Labels holds -1 for the first and +1 for the second.
	Signs bool
	// Names holds the names of the features; nil if the file has none.
	Names []string
	// LabelName is the name of the label column of the table from which the data come; empty if there is
	// none. A .scas file made from a table keeps this name.
	LabelName string
	// Table describes the columns of a table, or of the records that a Builder got; nil for other data.
	Table *TableSummary
	// Stats describes the data that were read.
	Stats ReadStats
}

// SelectRows returns a dataset whose row k is row rows[k] of d, with its label and its offset. See
// [CSR.SelectRows]. The result has no Table, and of the Stats only the IndexBase.
func (d *Dataset) SelectRows(rows []int) (*Dataset, error) {
	x, err := d.X.SelectRows(rows)
	if err != nil {
		return nil, err
	}
	pick := func(numbers []float64) (picked []float64) {
		if numbers != nil {
			picked = make([]float64, len(rows))
			for k, i := range rows {
				picked[k] = numbers[i]
			}
		}
		return picked
	}
	return &Dataset{
		X: x, Labels: pick(d.Labels), Offsets: pick(d.Offsets), Classes: d.Classes, Signs: d.Signs,
		Names: d.Names, LabelName: d.LabelName,
		Stats: ReadStats{IndexBase: d.Stats.IndexBase},
	}, nil
}

// ReadStats describes the data that were read.
type ReadStats struct {
	Rows int   `json:"rows"`
	NNZ  int64 `json:"nnz"`
	// IndexBase is the number of the first feature.
	IndexBase IndexBase `json:"index_base"`
	// SortedRows counts rows whose indices were out of order.
	SortedRows int `json:"sorted_rows"`
	// Bytes is the number of bytes that were read, after decompression.
	Bytes int64 `json:"bytes"`
	// Compression is gzip, bzip2, xz or zstd, as the first bytes of the file say; empty if the
	// file is not compressed.
	Compression string `json:"compression"`
}

// IndexBase is the number of the first feature in a LIBSVM file.
type IndexBase uint8

// The index bases. AutoBase, the zero value, means ZeroBased if index 0 occurs
// anywhere in the file, else OneBased.
const (
	AutoBase IndexBase = iota
	ZeroBased
	OneBased
)

var indexBases = [...]string{AutoBase: "auto", ZeroBased: "0", OneBased: "1"}

// String returns "auto", "0" or "1", or a text such as "IndexBase(7)" for an invalid value.
func (b IndexBase) String() string {
	if int(b) < len(indexBases) {
		return indexBases[b]
	}
	return "IndexBase(" + strconv.Itoa(int(b)) + ")"
}

// MarshalText returns the same text as String.
func (b IndexBase) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText accepts "auto", "0" and "1".
func (b *IndexBase) UnmarshalText(text []byte) error {
	base := slices.Index(indexBases[:], string(text))
	if base < 0 {
		return errorf("index base %q: want auto, 0 or 1", text)
	}
	*b = IndexBase(base)
	return nil
}

// formatFloat returns the shortest text that parses back to v.
func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
