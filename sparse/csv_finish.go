package sparse

import (
	"fmt"
	"math"
	"slices"
)

func (t *table) finish() (*Dataset, error) {
	t.joinEntries()
	t.addSums()
	featureOf, names, err := t.resolveFeatures(len(t.ptr)-1, t.median)
	if err != nil {
		return nil, err
	}
	for k, j := range t.idx {
		if math.IsNaN(t.val[k]) && t.columns[j].kind == numberColumn {
			t.val[k] = t.columns[j].fill
		}
	}
	d := &Dataset{
		X: t.matrix(len(featureOf)), Names: names, LabelName: t.summary.Label, Table: &t.summary,
		Stats: t.stats,
	}
	d.X.renumber(featureOf, len(names))
	d.Stats.NNZ = d.X.NNZ()
	for _, col := range t.columns {
		if col.kind == offsetColumn {
			d.Offsets = col.offsets
		}
	}
	l := t.labels
	if !l.begun { // the table has no labels
		return d, nil
	}
	err = l.assignLabels(d)
	if !l.opt.listsLabels() {
		d.Table.Classes = l.words
	}
	return d, err
}

// resolveFeatures computes the numbers that replace missing values, after all n rows have been parsed and
// addSums has been called for them. median(c, k) must return the median of the k values of column c that
// are not missing. names are the names of the features. featureOf[m] is the index of the feature with the
// provisional number m (see the type table), or -1 if no feature has this number.
func (t *table) resolveFeatures(n int, median func(c, n int) (float64, error)) (
	featureOf []int32, names []string, err error,
) {
	switch {
	case t.columns == nil:
		return nil, nil, fileErrorf(t.name,
			"the file is empty: expected a table, a header and a line for every sample")
	case n == 0:
		return nil, nil, fileErrorf(t.name, "a header and no line below it: expected one for every sample")
	}
	if err := t.setFills(n, median); err != nil {
		return nil, nil, err
	}
	featureOf, names, err = t.featureOrder()
	if err != nil {
		return nil, nil, err
	}
	if p := t.opt.Features; p != 0 && p != len(names) && t.opt.Names == nil {
		return nil, nil, fileErrorf(t.name, "the table has %d features: expected the stated %d",
			len(names), p)
	}
	t.stats.Rows, t.stats.IndexBase = n, OneBased
	return featureOf, names, nil
}

// setFills sets, for each column of numbers, the number that replaces its missing values. The table has n
// rows.
func (t *table) setFills(n int, median func(c, n int) (float64, error)) error {
	rule := t.opt.Table.Missing
	t.summary.Fill = map[string]float64{}
	if rule == MissingRefuse {
		t.summary.Fill = t.opt.Table.Fill
	}
	for c, col := range t.columns {
		valueCount := n - col.missingCount
		switch {
		case col.kind == unknownColumn:
			return fileErrorf(t.name, "column %s has no values", col.name).with(dropColumnRemedy(col.name))
		case col.kind == numberColumn && rule == MissingRefuse && col.missingLine > 0:
			return &ParseError{
				File: t.name, Line: col.missingLine, Msg: fmt.Sprintf("column %s: %s", col.name, noFill),
				Err: ErrMissing,
			}
		case col.kind != numberColumn, rule == MissingRefuse:
			continue
		case col.fillGiven, rule == MissingZero:
		case rule == MissingMean:
			col.fill = col.sum / float64(max(1, valueCount))
		default:
			var err error
			col.fill, err = median(c, valueCount)
			if err != nil {
				return err
			}
		}
		if math.IsInf(col.fill, 0) {
			return fileErrorf(t.name, "column %s: the mean is beyond float64: expected smaller numbers",
				col.name)
		}
		t.summary.Fill[col.name] = col.fill
	}
	return nil
}

// addSums adds the numbers of all rows in memory to the sums of their columns, if means are needed.
func (t *table) addSums() {
	if t.opt.Table.Missing != MissingMean {
		return
	}
	for k, j := range t.idx {
		if int(j) < len(t.columns) && !math.IsNaN(t.val[k]) {
			t.columns[j].sum += t.val[k]
		}
	}
}

// median returns the median of the n values of column c that are not missing. All rows must be in memory.
func (t *table) median(c, n int) (float64, error) {
	if t.values == nil {
		t.values = make([][]float64, len(t.columns))
		for k, j := range t.idx {
			if int(j) < len(t.values) && !math.IsNaN(t.val[k]) {
				t.values[j] = append(t.values[j], t.val[k])
			}
		}
	}
	return medianOf(t.values[c], n), nil
}

// medianOf returns the median of n numbers: the numbers in v, which it sorts, and n − len(v) zeros. It
// returns 0 if n is 0.
func medianOf(v []float64, n int) float64 {
	if n == 0 {
		return 0
	}
	slices.Sort(v)
	negativeCount, _ := slices.BinarySearch(v, 0)
	valueAt := func(k int) float64 {
		switch zeroCount := n - len(v); {
		case k < negativeCount:
			return v[k]
		case k < negativeCount+zeroCount:
			return 0
		default:
			return v[k-zeroCount]
		}
	}
	return float64(valueAt((n-1)/2)/2) + float64(valueAt(n/2)/2)
}
