package sparse

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// readBinary reads a .scas file; package scasfile defines its format.
func readBinary(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	name := input.name
	source, size, err := input.randomAccess(opt)
	if err != nil {
		return nil, err
	}
	parseError := func(err error) error { return fileErrorf(name, "%w", err) }
	f, err := scasfile.Open(source, size)
	if err != nil {
		return nil, parseError(err)
	}
	var d *Dataset
	err = f.Guard(func() (err error) {
		check := func() error { return f.Check(opt.Beyond) }
		if opt.Beyond && f.Mapped() && opt.exceededBy(size) {
			check = f.CheckMeta
		} else if err := opt.checkMemory(name, size, "%d rows", f.Rows); err != nil {
			return err
		}
		if err := check(); err != nil {
			return parseError(err)
		}
		d, err = newBinaryData(f, name, opt)
		if err == nil && d.X.file == nil { // the matrix is a copy
			d.Labels = slices.Clone(d.Labels)
		}
		return err
	})
	if errors.Is(err, scasfile.ErrChanged) {
		err = parseError(err)
	}
	if err != nil || d.X.file == nil {
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// binaryMeta is the content of the section meta of a .scas file, which is JSON.
type binaryMeta struct {
	Features []string `json:"features,omitempty"`
	Label    string   `json:"label,omitempty"` // name of the column of the labels
	// Classes[k] is the word for label k; nil if labels are numbers.
	Classes []string `json:"classes,omitempty"`
}

// newBinaryData returns the data of an open file.
func newBinaryData(f *scasfile.File, name string, opt *ReadOptions) (*Dataset, error) {
	var meta binaryMeta
	if err := json.Unmarshal(f.Meta, &meta); err != nil {
		return nil, fileErrorf(name, "the names of the features and of the labels: %w", err)
	}
	switch {
	case f.Cols > MaxCols:
		return nil, fileErrorf(name, "%d columns: expected at most %d", f.Cols, MaxCols)
	case f.Rows == 0:
		return nil, fileErrorf(name, "the file has no samples")
	case meta.Features != nil && int64(len(meta.Features)) != f.Cols:
		return nil, fileErrorf(name, "%d names for %d columns: expected one for every column",
			len(meta.Features), f.Cols)
	}
	if err := checkWords(f, name, meta.Classes); err != nil {
		return nil, err
	}
	d := &Dataset{
		X: &CSR{
			rows: int(f.Rows), cols: int(f.Cols), ptr: f.Ptr, idx: f.Idx, val: f.Val,
			file: &mapping{f, name, 0},
		},
		LabelName: meta.Label,
		Stats:     ReadStats{IndexBase: ZeroBased + IndexBase(f.IndexBase)},
	}
	if err := d.binaryLabels(f, name, meta.Classes, opt); err != nil {
		return nil, err
	}
	return d, d.setFeatures(name, meta.Features, opt)
}

// checkWords checks that the words for which the labels of a file stand are different and in byte order. If
// the file has the labels −1 and +1, the numbers Negative and Positive of its header must be positions in
// words. words is nil if the labels are numbers.
func checkWords(f *scasfile.File, name string, words []string) error {
	switch {
	case words == nil:
		return nil
	case len(words) == 0:
		return fileErrorf(name, "a list of words for the labels without a word: expected one or more")
	}
	for k := 1; k < len(words); k++ {
		if words[k-1] >= words[k] {
			return fileErrorf(name, "the words %q and %q of labels: expected different words in byte order",
				words[k-1], words[k])
		}
	}
	if f.Header.Labelling != scasfile.Signs {
		return nil
	}
	return cmp.Or(checkPosition(f.Negative, name, 0, words), checkPosition(f.Positive, name, 0, words))
}

// checkPosition returns an error unless label is a position in words. row is the row of the label,
// or 0 if the label has none.
func checkPosition(label float64, name string, row int, words []string) error {
	if label >= 0 && label < float64(len(words)) && label == math.Trunc(label) {
		return nil
	}
	return fileErrorf(name, "the label %v: expected a number that stands for one of %d words",
		label, len(words)).at(row)
}

// binaryLabels sets the labels of d and their classes. If words is not nil, the original labels are positions
// in words. d.Labels is a view of the file if it equals the labels that the file stores, and otherwise a new
// slice.
func (d *Dataset) binaryLabels(f *scasfile.File, name string, words []string, opt *ReadOptions) error {
	switch {
	case opt.targets.labels != nil || f.Labels == nil:
		return d.setLabels(name, nil, opt)
	case opt.Regression && words != nil:
		return fileErrorf(name, "labels that are words, such as %q: expected numbers",
			words[0]).with(fitClasses)
	}
	stored := &Dataset{Labels: f.Labels} // the labels as the file stores them
	if f.Header.Labelling == scasfile.Signs {
		stored.Classes.Values, stored.Signs = []float64{f.Negative, f.Positive}, true
		if words != nil {
			stored.Classes.Names = []string{words[int(f.Negative)], words[int(f.Positive)]}
		}
	}
	c := labelCollector{name: name, opt: opt, words: words}
	if opt.Counts || !opt.numericLabels() {
		if err := c.countStored(f, stored); err != nil {
			return err
		}
	}
	value, err := c.resolve(d)
	if err != nil {
		return err
	}
	d.Labels = f.Labels
	if opt.numericLabels() {
		listsWords := words == nil || len(words) == 2 && f.Negative != f.Positive
		switch {
		case opt.keepSigns && stored.Signs && listsWords:
			d.Classes, d.Signs = stored.Classes, true
		case stored.Signs && !stored.signsAreLabels():
			d.Labels = stored.OriginalLabels()
		}
		return nil
	}
	labels := []float64{-1, 1} // the different labels that the file stores
	if !stored.Signs {
		labels = c.classes().Values
	}
	changes := func(b float64) bool {
		label := stored.Original(b)
		return c.kinds.find(label) != nil && value(label) != b // a label that is not in c.kinds has no rows
	}
	if !slices.ContainsFunc(labels, changes) {
		return nil
	}
	d.Labels = make([]float64, len(f.Labels))
	return eachStoredLabel(f, name, func(i int, b float64) error {
		d.Labels[i] = value(stored.Original(b))
		return nil
	})
}

// countStored adds the labels that a file stores to c.kinds; see labelCollector.count. If the file stores −1
// and +1, countStored adds each of the two with one row, and does not count their rows. If opt does not allow
// one of the two, countStored returns an error only if a row has this label.
func (c *labelCollector) countStored(f *scasfile.File, stored *Dataset) error {
	if !stored.Signs {
		return eachStoredLabel(f, c.name, func(i int, b float64) error {
			if c.words != nil {
				if err := checkPosition(b, c.name, i+1, c.words); err != nil {
					return err
				}
			}
			return c.count(labelKind{b, 1, i + 1, 0})
		})
	}
	for _, sign := range []float64{-1, 1} {
		kind := labelKind{label: stored.Original(sign), rows: 1}
		if c.count(kind) == nil {
			continue
		}
		if i := slices.Index(f.Labels, sign); i >= 0 {
			kind.line = i + 1
			return c.count(kind)
		}
	}
	return nil
}

// eachStoredLabel checks the labels that a file stores, and calls do for each of them with its row, counted
// from 0. It releases the memory of labels in a mapped file.
func eachStoredLabel(f *scasfile.File, name string, do func(i int, b float64) error) error {
	const maxLabels = 1 << 20 // labels to check at a time
	for lo := 0; lo < len(f.Labels); lo += maxLabels {
		hi := min(lo+maxLabels, len(f.Labels))
		if err := f.CheckLabels(lo, hi); err != nil {
			return fileErrorf(name, "%w", err)
		}
		for i, b := range f.Labels[lo:hi] {
			if err := do(lo+i, b); err != nil {
				return err
			}
		}
		f.ReleaseLabels(lo, hi)
	}
	return nil
}
