package sparse

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	d.Labels, d.Mapping, err = t.labels.result(&t.facts)
	return d, err
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

// order returns the feature that each number of entries is, -1 for none, and the names of
// the features.
func (t *table) order() (to []int32, names []string, err error) {
	to = slices.Repeat([]int32{-1}, len(t.columns)+len(t.owner))
	if t.opt.Names != nil {
		return to, t.opt.Names, t.orderAs(to, t.opt.Names)
	}
	for c, col := range t.columns {
		switch col.kind {
		case numberColumn:
			to[c] = int32(len(names))
			names = append(names, col.name)
			t.facts.Numbers++
		case categoryColumn:
			values := slices.Sorted(slices.Values(col.order))
			for _, value := range values {
				to[col.levels[value]] = int32(len(names))
				names = append(names, col.name+"="+value)
			}
			t.facts.Categorical = append(t.facts.Categorical, Category{Column: col.name, Categories: len(values)})
		}
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return nil, nil, &ParseError{File: t.name, Token: name, Msg: "a column and a category of another have that name: expected different ones; rename the column"}
		}
		seen[name] = true
	}
	if names == nil {
		return nil, nil, &ParseError{File: t.name, Msg: "no column is a feature: expected one at least beside the labels"}
	}
	return to, names, nil
}

// orderAs sets to for the features wanted.
func (t *table) orderAs(to []int32, names []string) error {
	at := make(map[string]int32, len(names))
	for j, name := range names {
		at[name] = int32(j)
	}
	for c, col := range t.columns {
		switch col.kind {
		case numberColumn:
			to[c] = at[col.name]
			t.facts.Numbers++
		case categoryColumn:
			for value, id := range col.levels {
				to[id] = at[col.name+"="+value]
			}
			t.facts.Categorical = append(t.facts.Categorical, Category{Column: col.name, Categories: len(col.levels), Unknown: col.unknown, Example: col.example})
		}
	}
	return nil
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

// tableLabels are the labels of a table: numbers or, if the first is none, words.
type tableLabels struct {
	labelCollector
	begun, worded bool
	numbers       map[string]float64 // of words, in the order in which they came
	words         []string
}

// take takes the cell of a label, or says what is wrong with it.
func (l *tableLabels) take(c *cell, b []byte, line int) (wrong string) {
	v, number := c.number(b)
	if !l.begun {
		l.begun, l.worded = true, !number
		if !l.opt.Mapping.IsZero() {
			l.worded = l.opt.Mapping.named()
		}
	}
	switch word := string(c.text); {
	case isMissing(c.text):
		return "a missing label: expected one in every line"
	case isNonFinite(word):
		return "the label is not finite: expected a finite decimal number"
	case l.worded:
		return l.takeWord(word)
	case !number:
		return "expected a finite decimal number, as in the first line of the labels"
	}
	err := l.add(v, line, 0)
	if err != nil {
		return err.(*ParseError).Msg
	}
	return ""
}

func (l *tableLabels) takeWord(word string) (wrong string) {
	v, known := l.numbers[word]
	switch o := l.opt; {
	case o.Regression:
		return "a label that is a word: expected a finite decimal number"
	case !o.Mapping.IsZero():
		sign, ok := o.Mapping.signOf(word)
		if !ok {
			return fmt.Sprintf("unknown label: the labels are %s and %s", o.Mapping.NegativeName, o.Mapping.PositiveName)
		}
		v = sign
	case !known && len(l.words) == 2 && !o.AnyLabels:
		return fmt.Sprintf("a third label, after %s and %s: expected two classes; keep two of them or merge some", l.words[0], l.words[1])
	case !known:
		if l.numbers == nil {
			l.numbers = map[string]float64{}
		}
		v = float64(len(l.words))
		l.numbers[strings.Clone(word)] = v
		l.words = append(l.words, word)
	}
	l.labels = append(l.labels, v)
	return ""
}

// result returns the labels as Dataset wants them.
func (l *tableLabels) result(facts *TableFacts) ([]float64, LabelMapping, error) {
	switch {
	case !l.begun:
		return nil, LabelMapping{}, nil
	case !l.worded || !l.opt.Mapping.IsZero():
		return l.finish()
	}
	facts.Classes = slices.Sorted(slices.Values(l.words))
	if l.opt.AnyLabels {
		rank := make([]float64, len(l.words))
		for k, word := range facts.Classes {
			rank[int(l.numbers[word])] = float64(k)
		}
		for i, v := range l.labels {
			l.labels[i] = rank[int(v)]
		}
		return l.labels, LabelMapping{}, nil
	}
	if len(l.words) == 1 {
		return nil, LabelMapping{}, &ParseError{File: l.name, Msg: fmt.Sprintf("every label is %s: expected two classes", l.words[0])}
	}
	positive := facts.Classes[1]
	if name := l.opt.PositiveName; name != "" {
		if positive = name; l.numbers[name] == 0 && l.words[0] != name {
			return nil, LabelMapping{}, &ParseError{File: l.name, Msg: fmt.Sprintf("the label %s said to be positive does not occur: the labels are %s and %s", name, facts.Classes[0], facts.Classes[1])}
		}
	}
	m := LabelMapping{Negative: 0, Positive: 1, PositiveName: positive, NegativeName: facts.Classes[0]}
	if positive == facts.Classes[0] {
		m.NegativeName = facts.Classes[1]
	}
	for i, v := range l.labels {
		l.labels[i] = -1
		if l.words[int(v)] == positive {
			l.labels[i] = 1
		}
	}
	return l.labels, m, nil
}
