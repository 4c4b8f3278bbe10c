package sparse

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// Dataset is a matrix of samples (one row each) with a label per row.
type Dataset struct {
	X *CSR
	// Labels has one element per row: -1 or +1 for classification (Mapping
	// tells the original ones), the numbers of the file for regression and
	// for ReadOptions.AnyLabels, where it is nil if the file has no labels.
	Labels []float64
	// Offsets has a number for each row, of the column of a table that TableOptions.Offset
	// names, to be added to its margin; nil without.
	Offsets []float64
	// Mapping is zero unless Labels were mapped to -1 and +1.
	Mapping LabelMapping
	// Names are those of the features; nil if the file has none.
	Names []string
	// Table tells what became of the columns of a table; nil for other forms.
	Table *TableFacts
	// Stats tells how the data was read; zero for data that was not read.
	Stats ReadStats
}

// LabelMapping names the two original labels of a classification problem. The
// zero value (both equal) means labels are not mapped.
type LabelMapping struct {
	Negative float64 `json:"negative"` // becomes -1
	Positive float64 `json:"positive"` // becomes +1
	// NegativeName and PositiveName are the labels where they are words, of which a
	// table may have two; Negative is then 0 and Positive 1.
	NegativeName string `json:"negative_name,omitempty"`
	PositiveName string `json:"positive_name,omitempty"`
}

// IsZero reports whether labels are used as they are.
func (m LabelMapping) IsZero() bool { return m == LabelMapping{} }

// Sign maps an original label to -1 or +1; ok is false for any other label.
func (m LabelMapping) Sign(label float64) (sign float64, ok bool) {
	switch {
	case m.IsZero():
		return 0, false
	case label == m.Positive:
		return 1, true
	case label == m.Negative:
		return -1, true
	}
	return 0, false
}

// Original is the inverse of Sign: Positive for a sign above 0, else Negative.
// The zero mapping returns sign itself.
func (m LabelMapping) Original(sign float64) float64 {
	switch {
	case m.IsZero():
		return sign
	case sign > 0:
		return m.Positive
	}
	return m.Negative
}

// String says which label is which, for people.
func (m LabelMapping) String() string {
	if m.IsZero() {
		return "labels as they are"
	}
	return m.Name(-1) + " is -1, " + m.Name(1) + " is +1"
}

// named reports whether labels are words.
func (m LabelMapping) named() bool { return m.NegativeName != "" || m.PositiveName != "" }

// Name is Original as text, the word of labels that are words.
func (m LabelMapping) Name(sign float64) string {
	switch {
	case !m.named() || m.IsZero():
		return formatFloat(m.Original(sign))
	case sign > 0:
		return m.PositiveName
	}
	return m.NegativeName
}

// signOf is Sign for the text of a label.
func (m LabelMapping) signOf(label string) (sign float64, ok bool) {
	switch {
	case !m.named():
		v, number := text.ParseFloat(label)
		sign, ok = m.Sign(v)
		return sign, ok && number
	case label == m.PositiveName:
		return 1, true
	}
	return -1, label == m.NegativeName
}

// ReadStats tells what a reader found and decided.
type ReadStats struct {
	Rows int   `json:"rows"`
	NNZ  int64 `json:"nnz"`
	// IndexBase is the base used, ZeroBased or OneBased.
	IndexBase IndexBase `json:"index_base"`
	// SortedRows counts rows whose indices were out of order in the file.
	SortedRows int `json:"sorted_rows"`
	// Bytes counts text bytes, after decompression.
	Bytes int64 `json:"bytes"`
	// Compression is what the file's first bytes said.
	Compression Compression `json:"compression"`
}

// IndexBase is the number of the first feature in a LIBSVM file.
type IndexBase uint8

// The index bases. AutoBase, the zero value, is ZeroBased if index 0 occurs
// anywhere in the file, else OneBased.
const (
	AutoBase IndexBase = iota
	ZeroBased
	OneBased
)

var indexBases = [...]string{AutoBase: "auto", ZeroBased: "0", OneBased: "1"}

// String returns "auto", "0" or "1".
func (b IndexBase) String() string {
	if int(b) < len(indexBases) {
		return indexBases[b]
	}
	return "IndexBase(" + strconv.Itoa(int(b)) + ")"
}

// MarshalText returns what String does.
func (b IndexBase) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText accepts "auto", "0" and "1", as flags and JSON files have them.
func (b *IndexBase) UnmarshalText(text []byte) error {
	base := slices.Index(indexBases[:], string(text))
	if base < 0 {
		return fmt.Errorf("sparse: index base %q: want auto, 0 or 1", text)
	}
	*b = IndexBase(base)
	return nil
}

// formatFloat writes the shortest text that parses back to v.
func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// labelCollector keeps the labels of a file and watches how many values they
// take.
type labelCollector struct {
	name   string
	opt    *ReadOptions
	labels []float64
	kinds  [2]float64 // distinct values in order of appearance
	first  [2]int     // and the lines where they were first seen
	count  int
}

func (c *labelCollector) add(label float64, line, column int) error {
	label, err := c.see(label, line, column)
	if err == nil {
		c.labels = append(c.labels, label)
	}
	return err
}

// see returns what stands for a label, unless it is one that cannot be right.
func (c *labelCollector) see(label float64, line, column int) (float64, error) {
	switch {
	case c.opt.Regression || c.opt.AnyLabels:
	case !c.opt.Mapping.IsZero():
		sign, ok := c.opt.Mapping.Sign(label)
		if !ok {
			return 0, c.errorAt(label, line, column, fmt.Sprintf("unknown label: the labels are %s and %s",
				formatFloat(c.opt.Mapping.Negative), formatFloat(c.opt.Mapping.Positive)))
		}
		label = sign
	case c.count > 0 && label == c.kinds[0], c.count > 1 && label == c.kinds[1]:
	case c.count < 2:
		c.kinds[c.count], c.first[c.count] = label, line
		c.count++
	default:
		return 0, c.errorAt(label, line, column, fmt.Sprintf(
			"a third label, after %s (line %d) and %s (line %d): expected two classes; keep two of them, merge some, or read the labels as numbers for regression",
			formatFloat(c.kinds[0]), c.first[0], formatFloat(c.kinds[1]), c.first[1]))
	}
	return label, nil
}

func (c *labelCollector) errorAt(label float64, line, column int, msg string) error {
	return &ParseError{File: c.name, Line: line, Column: column, Token: formatFloat(label), Msg: msg}
}

// finish returns the labels as Dataset wants them.
func (c *labelCollector) finish() ([]float64, LabelMapping, error) {
	if c.opt.Regression || c.opt.AnyLabels || !c.opt.Mapping.IsZero() {
		return c.labels, c.opt.Mapping, nil
	}
	if c.count == 1 {
		return nil, LabelMapping{}, &ParseError{File: c.name, Msg: fmt.Sprintf(
			"every label is %s: expected two classes (read the labels as numbers for regression, or give the mapping of an existing model)", formatFloat(c.kinds[0]))}
	}
	m := LabelMapping{Negative: min(c.kinds[0], c.kinds[1]), Positive: max(c.kinds[0], c.kinds[1])}
	if name := c.opt.PositiveName; name != "" && c.opt.Positive == nil {
		return nil, LabelMapping{}, &ParseError{File: c.name, Msg: fmt.Sprintf(
			"the label %s said to be positive does not occur: the labels are %s and %s", name, formatFloat(m.Negative), formatFloat(m.Positive))}
	}
	if pos := c.opt.Positive; pos != nil {
		switch *pos {
		case m.Positive:
		case m.Negative:
			m.Negative, m.Positive = m.Positive, m.Negative
		default:
			return nil, LabelMapping{}, &ParseError{File: c.name, Msg: fmt.Sprintf(
				"the label %s said to be positive does not occur: the labels are %s and %s", formatFloat(*pos), formatFloat(m.Negative), formatFloat(m.Positive))}
		}
	}
	for i, label := range c.labels {
		c.labels[i], _ = m.Sign(label)
	}
	return c.labels, m, nil
}
