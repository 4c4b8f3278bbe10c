package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// maxLabels is the largest number of different labels for which a summary counts the rows of each label.
const maxLabels = 10

type dataSummary struct {
	Name        string `json:"name"`
	Format      string `json:"format"`
	Compression string `json:"compression"`
	TextBytes   int64  `json:"text_bytes"`

	Rows       int     `json:"rows"`
	Features   int     `json:"features"`
	NNZ        int64   `json:"nnz"`
	Density    float64 `json:"density"`     // NNZ / (Rows·Features)
	IndexBase  int     `json:"index_base"`  // number of the first feature in the file, 0 or 1
	SortedRows int     `json:"sorted_rows"` // rows whose indices were out of order
	AllOnes    bool    `json:"all_ones"`    // every stored value is 1

	RowNNZ           spread `json:"row_nnz"`
	RowNorm          spread `json:"row_norm"`
	FeatureSD        spread `json:"feature_sd"` // without the constant features
	ConstantFeatures int    `json:"constant_features"`

	Table       *sparse.TableSummary `json:"table,omitempty"`
	Labels      []labelCount         `json:"labels,omitempty"`
	LabelSpread spread               `json:"label_spread"`

	Memory memoryUse `json:"memory"`

	data *sparse.Dataset
}

// A memoryUse has numbers of bytes.
type memoryUse struct {
	Data int64 `json:"data"` // the data with their labels
	// Estimate for scas train without a graph; 0 if the rows were read in windows.
	Solver int64 `json:"solver"`
	Peak   int64 `json:"peak,omitempty"` // peak of this process so far; 0 if the system does not report it
}

type spread struct {
	Min  number `json:"min"`
	Mean number `json:"mean"`
	Max  number `json:"max"`

	count int
}

type labelCount struct {
	Label float64 `json:"label"`
	Name  string  `json:"name,omitempty"` // the word, if the label is a word
	Rows  int     `json:"rows"`
}

// newDataSummary returns the summary of d. eachWindow is a result of memorySize.windows.
func newDataSummary(
	name string, format sparse.Format, d *sparse.Dataset, eachWindow func(do func(lo, hi int) error) error,
) (*dataSummary, error) {
	rows, cols := d.X.Dims()
	f := &dataSummary{
		data: d, Format: format.String(), Table: d.Table,
		Name: name, Compression: cmp.Or(d.Stats.Compression, "plain"), TextBytes: d.Stats.Bytes,
		Rows: rows, Features: cols, NNZ: d.X.NNZ(), Density: density(rows, cols, d.X.NNZ()), AllOnes: d.X.NNZ() > 0,
		IndexBase: int(d.Stats.IndexBase - sparse.ZeroBased), SortedRows: d.Stats.SortedRows,
		Memory: memoryUse{Data: dataBytes(d)},
	}
	rowsOfLabel := map[float64]int{}
	columnStats := sparse.NewColumnStats(cols)
	err := eachWindow(func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			f.addRow(d, i, rowsOfLabel)
		}
		columnStats.Add(d.X, lo, hi, nil)
		return nil
	})
	for _, l := range slices.Sorted(maps.Keys(rowsOfLabel)) {
		entry := labelCount{Label: l, Rows: rowsOfLabel[l]}
		if k, ok := d.Classes.Find(l); ok {
			entry.Name = d.Classes.Name(k)
		}
		f.Labels = append(f.Labels, entry)
	}
	if len(f.Labels) > maxLabels {
		f.Labels = nil
	}
	for _, sd := range columnStats.StdDev() {
		if sd > 0 {
			f.FeatureSD.add(sd)
		}
	}
	f.ConstantFeatures = cols - f.FeatureSD.count
	for _, s := range []*spread{&f.RowNNZ, &f.RowNorm, &f.FeatureSD, &f.LabelSpread} {
		s.setMean()
	}
	f.Memory.Peak = peakMemory()
	return f, err
}

// addRow adds row i of data to the summary. rowsOfLabel counts the rows of each label, until there are more
// than maxLabels different labels.
func (d *dataSummary) addRow(data *sparse.Dataset, i int, rowsOfLabel map[float64]int) {
	_, val := data.X.Row(i)
	norm2 := 0.0
	for _, v := range val {
		norm2 += float64(v * v)
		d.AllOnes = d.AllOnes && v == 1
	}
	d.RowNNZ.add(float64(len(val)))
	d.RowNorm.add(math.Sqrt(norm2))
	if data.Labels == nil {
		return
	}
	label := data.Labels[i]
	d.LabelSpread.add(label)
	if len(rowsOfLabel) <= maxLabels {
		rowsOfLabel[label]++
	}
}

// Until setMean is called, s.Mean is the sum of the numbers.
func (s *spread) add(value float64) {
	v := number(value)
	if s.count == 0 {
		s.Min, s.Max = v, v
	}
	s.Min, s.Max, s.Mean, s.count = min(s.Min, v), max(s.Max, v), s.Mean+v, s.count+1
}

func (s *spread) setMean() {
	if s.count > 0 {
		s.Mean /= number(s.count)
	}
}

func (d *dataSummary) addTo(f *summary) {
	format := d.Format
	if format == sparse.LIBSVM.String() {
		format = "text"
	}
	f.add("data", "%s, %s, %s bytes of %s", d.Name, d.Compression, groupDigits(d.TextBytes), format)
	f.add("size", "%s, %s", plural(d.Rows, "row"), plural(d.Features, "feature"))
	f.add("entries", "%s, %.3g %% of the table%s",
		groupDigits(d.NNZ), 100*d.Density, map[bool]string{true: ", all equal to 1"}[d.AllOnes])
	addColumns(f, d.data)
	addWordLabels(f, d.data.Classes.Names)
	f.add("labels", "%s", d.labelsText())
	f.addIf(d.data.Names != nil, "features", "%s", firstNames(d.data.Names))
	f.addIf(d.data.Names == nil, "index base", "%d", d.IndexBase)
	f.addIf(d.SortedRows > 0, "", "%s had indices out of order", plural(d.SortedRows, "row"))
	f.add("row entries", "%g to %g, mean %.4g", d.RowNNZ.Min, d.RowNNZ.Max, d.RowNNZ.Mean)
	f.add("row norms", "%.4g to %.4g, mean %.4g", d.RowNorm.Min, d.RowNorm.Max, d.RowNorm.Mean)
	f.addIf(d.FeatureSD.Max > 0, "feature sd", "%.4g to %.4g, a ratio of %.3g",
		d.FeatureSD.Min, d.FeatureSD.Max, d.FeatureSD.Max/d.FeatureSD.Min)
	f.addIf(d.ConstantFeatures > 0, "", "%s the same in every row", plural(d.ConstantFeatures, "feature"))
	trainingText := "training reads it in pieces"
	if d.Memory.Solver > 0 {
		trainingText = fmt.Sprintf("training adds up to about %s (A = I)", formatBytes(d.Memory.Solver))
	}
	f.add("memory", "%s of data; %s", formatBytes(d.Memory.Data), trainingText)
	f.addIf(d.Memory.Peak > 0, "", "this process took %s at most", formatBytes(d.Memory.Peak))
}

func (d *dataSummary) labelsText() string {
	if d.data.Labels == nil {
		return "none"
	}
	if words := d.data.Classes.Names; d.Labels == nil && words != nil {
		return fmt.Sprintf("%s, such as %s", plural(len(words), "word"), firstNames(words))
	}
	if d.Labels == nil {
		return fmt.Sprintf("more than %d values, %.4g to %.4g, mean %.4g",
			maxLabels, d.LabelSpread.Min, d.LabelSpread.Max, d.LabelSpread.Mean)
	}
	parts := make([]string, len(d.Labels))
	for k, l := range d.Labels {
		parts[k] = fmt.Sprintf("%s (%s)", cmp.Or(l.Name, fmt.Sprint(l.Label)), groupDigits(l.Rows))
	}
	return strings.Join(parts, ", ")
}

func sizeText(n, p int, nnz int64) string {
	return fmt.Sprintf("%s, %s, %s (%.3g %%)", plural(n, "row"), plural(p, "feature"), plural(nnz, "entry"),
		100*density(n, p, nnz))
}

// density returns the share of the n·p entries that are stored.
func density(n, p int, nnz int64) float64 { return float64(nnz) / max(1, float64(n)*float64(p)) }
