package sparse

import (
	"fmt"
	"math"
	"slices"
)

// finish settles features, missing values and labels.
func (t *table) finish() (*Dataset, error) {
	n := len(t.ptr) - 1
	switch {
	case t.columns == nil:
		return nil, &ParseError{File: t.name, Msg: "the file is empty: expected a table, a header and a line for every sample"}
	case n == 0:
		return nil, &ParseError{File: t.name, Msg: "a header and no line below it: expected one for every sample"}
	}
	if err := t.fill(n); err != nil {
		return nil, err
	}
	to, names, err := t.order()
	if err != nil {
		return nil, err
	}
	t.renumber(to)
	d := &Dataset{X: t.matrix(len(names)), Names: names, Table: &t.facts, Stats: t.stats}
	if p := t.opt.Features; p != 0 && p != len(names) && t.opt.Names == nil {
		return nil, &ParseError{File: t.name, Msg: fmt.Sprintf("the table has %d features: expected the stated %d", len(names), p)}
	}
	d.Stats.Rows, d.Stats.NNZ, d.Stats.IndexBase = n, d.X.NNZ(), OneBased
	for _, col := range t.columns {
		if col.kind == offsetColumn {
			d.Offsets = col.offsets
		}
	}
	return d, t.labels.settle(d)
}

// fill finds what takes the place of missing numbers, for every column of them.
func (t *table) fill(n int) error {
	rule := t.opt.Table.Missing
	if rule == MissingRefuse {
		t.facts.Fill = t.opt.Table.Fill
		return nil
	}
	values := make([][]float64, len(t.columns))
	for k, j := range t.idx {
		if int(j) < len(values) && rule != MissingZero && !math.IsNaN(t.val[k]) {
			values[j] = append(values[j], t.val[k])
		}
	}
	t.facts.Fill = map[string]float64{}
	for c, col := range t.columns {
		switch {
		case col.kind == unknownColumn:
			return &ParseError{File: t.name, Msg: fmt.Sprintf("column %s has no values: leave it out", col.name)}
		case col.kind != numberColumn:
			continue
		case col.fills:
		case rule == MissingMean:
			col.fill = meanOf(values[c], n-col.missing)
		case rule == MissingMedian:
			col.fill = medianOf(values[c], n-col.missing)
		}
		if math.IsInf(col.fill, 0) {
			return &ParseError{File: t.name, Msg: fmt.Sprintf("column %s: the mean is beyond float64: expected smaller numbers", col.name)}
		}
		t.facts.Fill[col.name] = col.fill
	}
	for k, j := range t.idx {
		if math.IsNaN(t.val[k]) && t.columns[j].kind == numberColumn {
			t.val[k] = t.columns[j].fill
		}
	}
	return nil
}

// meanOf is the mean of n numbers, of which those that are not in v are 0.
func meanOf(v []float64, n int) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, n))
}

// medianOf is the median of n numbers, of which those that are not in v are 0.
func medianOf(v []float64, n int) float64 {
	if n == 0 {
		return 0
	}
	slices.Sort(v)
	below, _ := slices.BinarySearch(v, 0)
	at := func(k int) float64 {
		switch zeros := n - len(v); {
		case k < below:
			return v[k]
		case k < below+zeros:
			return 0
		default:
			return v[k-zeros]
		}
	}
	return at((n-1)/2)/2 + at(n/2)/2
}

// renumber gives entries the features that they are of, and drops those of none.
func (t *table) renumber(to []int32) {
	kept, first := 0, int64(0)
	for i := range len(t.ptr) - 1 {
		last, start := t.ptr[i+1], kept
		for k := first; k < last; k++ {
			if j := to[t.idx[k]]; j >= 0 {
				t.idx[kept], t.val[kept] = j, t.val[k]
				kept++
			}
		}
		sortRow(t.idx[start:kept], t.val[start:kept]) // those wanted may stand in another order
		first, t.ptr[i+1] = last, int64(kept)
	}
	t.idx, t.val = t.idx[:kept], t.val[:kept]
}
