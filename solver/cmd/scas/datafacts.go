package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// maxLabels is how many different labels still look like classes.
const maxLabels = 10

// dataFacts describe a data file.
type dataFacts struct {
	Name        string `json:"name"`
	Compression string `json:"compression"`
	TextBytes   int64  `json:"text_bytes"`

	Rows      int     `json:"rows"`
	Features  int     `json:"features"`
	NNZ       int64   `json:"nnz"`
	Density   float64 `json:"density"` // NNZ / (Rows·Features)
	IndexBase int     `json:"index_base"`
	Sorted    int     `json:"sorted_rows"` // rows whose indices were out of order
	AllOnes   bool    `json:"all_ones"`    // every stored value is 1

	RowNNZ    spread `json:"row_nnz"`
	RowNorm   spread `json:"row_norm"`
	FeatureSD spread `json:"feature_sd"` // of the features that vary
	Constant  int    `json:"constant_features"`

	Labels      []labelCount `json:"labels,omitempty"` // at most maxLabels kinds
	LabelSpread spread       `json:"label_spread"`

	Memory memoryFacts `json:"memory"`
}

type spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

type labelCount struct {
	Label float64 `json:"label"`
	Rows  int     `json:"rows"`
}

func newDataFacts(name string, d *sparse.Dataset) *dataFacts {
	rows, cols := d.X.Dims()
	f := &dataFacts{
		Name: name, Compression: d.Stats.Compression.String(), TextBytes: d.Stats.Bytes,
		Rows: rows, Features: cols, NNZ: d.X.NNZ(), Density: density(d.X),
		IndexBase: int(d.Stats.IndexBase - sparse.ZeroBased), Sorted: d.Stats.SortedRows,
		Labels: countLabels(d.Labels), LabelSpread: newSpread(d.Labels),
	}
	nnz := make([]float64, rows)
	f.AllOnes = true
	for i := range rows {
		_, val := d.X.Row(i)
		nnz[i] = float64(len(val))
		f.AllOnes = f.AllOnes && !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	}
	norms := d.X.RowNormsSq()
	for i, v := range norms {
		norms[i] = math.Sqrt(v)
	}
	var varying []float64
	for _, sd := range d.X.ColumnStats().StdDev {
		if sd > 0 {
			varying = append(varying, sd)
		}
	}
	f.Constant = cols - len(varying)
	f.RowNNZ, f.RowNorm, f.FeatureSD = newSpread(nnz), newSpread(norms), newSpread(varying)
	f.Memory = newMemoryFacts(d)
	return f
}

func newSpread(v []float64) (s spread) {
	if len(v) == 0 {
		return s
	}
	s.Min, s.Max = slices.Min(v), slices.Max(v)
	for _, x := range v {
		s.Mean += x
	}
	s.Mean /= float64(len(v))
	return s
}

// countLabels counts the rows of each label, in increasing order; nil if there
// are too many kinds.
func countLabels(labels []float64) []labelCount {
	rows := make(map[float64]int)
	for _, b := range labels {
		if rows[b]++; len(rows) > maxLabels {
			return nil
		}
	}
	var counts []labelCount
	for b, n := range rows {
		counts = append(counts, labelCount{b, n})
	}
	slices.SortFunc(counts, func(a, b labelCount) int { return cmp.Compare(a.Label, b.Label) })
	return counts
}

func (d *dataFacts) table() facts {
	var f facts
	f.add("data", "%s, %s, %s bytes of text", d.Name, d.Compression, grouped(d.TextBytes))
	f.add("size", "%s, %s", plural(d.Rows, "row"), plural(d.Features, "feature"))
	f.add("entries", "%s, %.3g %% of the table%s", grouped(d.NNZ), 100*d.Density, map[bool]string{true: ", all equal to 1"}[d.AllOnes])
	f.add("labels", "%s", d.labels())
	f.add("index base", "%d", d.IndexBase)
	if d.Sorted > 0 {
		f.add("", "%s had indices out of order", plural(d.Sorted, "row"))
	}
	f.add("row entries", "%g to %g, mean %.4g", d.RowNNZ.Min, d.RowNNZ.Max, d.RowNNZ.Mean)
	f.add("row norms", "%.4g to %.4g, mean %.4g", d.RowNorm.Min, d.RowNorm.Max, d.RowNorm.Mean)
	if d.FeatureSD.Max > 0 {
		f.add("feature sd", "%.4g to %.4g, a ratio of %.3g", d.FeatureSD.Min, d.FeatureSD.Max, d.FeatureSD.Max/d.FeatureSD.Min)
	}
	if d.Constant > 0 {
		f.add("", "%s the same in every row", plural(d.Constant, "feature"))
	}
	f.add("memory", "%s of data; training adds some %s (A = I)", byteCount(d.Memory.Data), byteCount(d.Memory.Solver))
	if d.Memory.Peak > 0 {
		f.add("", "this process took %s at most", byteCount(d.Memory.Peak))
	}
	return f
}

func (d *dataFacts) labels() string {
	if d.Labels == nil {
		return fmt.Sprintf("more than %d values, %.4g to %.4g, mean %.4g", maxLabels, d.LabelSpread.Min, d.LabelSpread.Max, d.LabelSpread.Mean)
	}
	parts := make([]string, len(d.Labels))
	for k, l := range d.Labels {
		parts[k] = fmt.Sprintf("%s (%s)", plainNumber(l.Label), grouped(l.Rows))
	}
	return strings.Join(parts, ", ")
}
