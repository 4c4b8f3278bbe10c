package sparse

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// readBinary reads a .scas file; package scasfile defines its format.
func readBinary(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	source, size, compressionName, err := openSeekable(r, name, scasfile.Magic, opt)
	if err != nil {
		return nil, err
	}
	parseError := func(err error) error { return &ParseError{File: name, Msg: err.Error(), Err: err} }
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
		if d, err = newBinaryData(f, name, opt); err == nil && d.X.file == nil { // the matrix is a copy
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
	d.Stats.Compression, d.Stats.Bytes = compressionName, size
	return d, nil
}

// binaryMeta is the content of the section meta of a .scas file, which is JSON.
type binaryMeta struct {
	Features []string `json:"features,omitempty"`
	Label    string   `json:"label,omitempty"`   // name of the column of the labels
	Classes  []string `json:"classes,omitempty"` // Classes[k] is the word for label k; nil if labels are numbers
}

// newBinaryData returns the data of an open file.
func newBinaryData(f *scasfile.File, name string, opt *ReadOptions) (*Dataset, error) {
	var meta binaryMeta
	if err := json.Unmarshal(f.Meta, &meta); err != nil {
		return nil, &ParseError{File: name, Msg: "the names of the features and of the labels: " + err.Error(), Err: err}
	}
	switch {
	case f.Cols > MaxCols:
		return nil, &ParseError{File: name, Msg: fmt.Sprintf("%d columns: expected at most %d", f.Cols, MaxCols)}
	case f.Rows == 0:
		return nil, &ParseError{File: name, Msg: "the file has no samples"}
	case meta.Features != nil && int64(len(meta.Features)) != f.Cols:
		return nil, &ParseError{File: name, Msg: fmt.Sprintf("%d names for %d columns: expected one for every column", len(meta.Features), f.Cols)}
	}
	if err := checkWords(f, name, meta.Classes); err != nil {
		return nil, err
	}
	d := &Dataset{
		X:         &CSR{rows: int(f.Rows), cols: int(f.Cols), ptr: f.Ptr, idx: f.Idx, val: f.Val, file: &mapping{f, name, 0}},
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
		return &ParseError{File: name, Msg: "a list of words for the labels without a word: expected one or more"}
	}
	for k := 1; k < len(words); k++ {
		if words[k-1] >= words[k] {
			return &ParseError{File: name, Msg: fmt.Sprintf("the words %q and %q of labels: expected different words in byte order", words[k-1], words[k])}
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
	return &ParseError{File: name, Line: row, Msg: fmt.Sprintf("the label %v: expected a number that stands for one of %d words", label, len(words))}
}

// binaryLabels sets the labels of d. If words is not nil, the original labels are positions in words.
// d.Labels is a view of the file if it equals the labels that the file stores, and otherwise a new slice.
func (d *Dataset) binaryLabels(f *scasfile.File, name string, words []string, opt *ReadOptions) error {
	fileData := &Dataset{X: d.X, Labels: f.Labels}
	if f.Header.Labelling == scasfile.Signs {
		fileData.Mapping = LabelMapping{Negative: f.Negative, Positive: f.Positive}
	}
	c := labelCollector{name: name, opt: opt, words: words}
	switch {
	case opt.targets.labels != nil || f.Labels == nil:
		return d.setLabels(name, nil, opt)
	case opt.Regression && words != nil:
		return &ParseError{File: name, Msg: fmt.Sprintf("labels that are words, such as %q: expected numbers", words[0]), Remedies: []Remedy{fitClasses}}
	case !opt.numericLabels():
		return d.binaryClasses(f, fileData, &c)
	}
	if opt.Counts {
		err := fileData.eachStoredLabel(f, name, func(b float64, row int) error {
			_, err := c.accept(fileData.Mapping.Original(b), row, 0)
			return err
		})
		if err != nil {
			return err
		}
	}
	c.labels = f.Labels
	if err := c.assignLabels(d); err != nil {
		return err
	}
	if d.Mapping = fileData.Mapping; words != nil && !d.Mapping.IsZero() {
		d.Mapping.NegativeName, d.Mapping.PositiveName = c.labelText(f.Negative), c.labelText(f.Positive)
	}
	if !opt.keepSigns {
		d.restoreLabels()
	}
	return nil
}

// restoreLabels restores the labels that the mapping replaced by -1 and +1.
func (d *Dataset) restoreLabels() {
	if isIdentity := d.Mapping.Negative == -1 && d.Mapping.Positive == 1; !d.Mapping.IsZero() && !isIdentity {
		d.Labels = d.OriginalLabels()
	}
	d.Mapping = LabelMapping{}
}

// eachStoredLabel checks the labels of d, and calls do for each of them. d must have the labels that the
// file f stores. row counts from 1.
func (d *Dataset) eachStoredLabel(f *scasfile.File, name string, do func(b float64, row int) error) error {
	return d.eachLabelBlock(func(lo int, labels []float64) error {
		if err := f.CheckLabels(lo, lo+len(labels)); err != nil {
			return &ParseError{File: name, Msg: err.Error(), Err: err}
		}
		for i, b := range labels {
			if err := do(b, lo+i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachDistinctLabel calls do for each different label b of d. d must have the labels and the mapping that
// the file f stores. Rows count from 1.
//
// Without a mapping, eachDistinctLabel calls do(b, row) for the first two rows with each label.
//
// With a mapping, the labels are −1 and +1, and eachDistinctLabel calls do(−1, 0) and do(1, 0). If do
// returns an error, eachDistinctLabel calls do(b, row) with the first row that has this label, and returns
// the result. If no row has the label, eachDistinctLabel ignores the error.
func (d *Dataset) eachDistinctLabel(f *scasfile.File, name string, do func(b float64, row int) error) error {
	if d.Mapping.IsZero() {
		var distinct, repeated seenLabels
		return d.eachStoredLabel(f, name, func(b float64, row int) error {
			switch {
			case repeated.contains(b):
				return nil
			case distinct.contains(b):
				repeated.add(seenLabel{label: b})
			default:
				distinct.add(seenLabel{label: b})
			}
			return do(b, row)
		})
	}
	for _, sign := range []float64{-1, 1} {
		if do(sign, 0) == nil {
			continue
		}
		if row := slices.Index(d.Labels, sign); row >= 0 {
			return do(sign, row+1)
		}
	}
	return nil
}

// binaryClasses sets the labels of d, and their mapping or classes. It is for ReadOptions that ask for
// classes. fileData has the labels and the mapping that f stores. c must have no labels yet. binaryClasses
// adds each different label to c once or twice, which is enough to find the classes.
func (d *Dataset) binaryClasses(f *scasfile.File, fileData *Dataset, c *labelCollector) error {
	var fileLabels []float64 // fileLabels[k] is the label in the file that became c.labels[k]
	err := fileData.eachDistinctLabel(f, c.name, func(b float64, row int) error {
		label := fileData.Mapping.Original(b)
		if c.words != nil {
			if err := checkPosition(label, c.name, row, c.words); err != nil {
				return err
			}
		}
		if err := c.add(label, row, 0); err != nil {
			return err
		}
		fileLabels = append(fileLabels, b)
		return nil
	})
	if err == nil {
		err = c.assignLabels(d)
	}
	if err != nil {
		return err
	}
	if slices.Equal(fileLabels, d.Labels) {
		d.Labels = f.Labels
		return nil
	}
	newLabel := map[float64]float64{}
	for k, b := range fileLabels {
		newLabel[b] = d.Labels[k]
	}
	d.Labels = make([]float64, len(f.Labels))
	return fileData.eachLabelBlock(func(lo int, labels []float64) error {
		for i, b := range labels {
			d.Labels[lo+i] = newLabel[b]
		}
		return nil
	})
}
