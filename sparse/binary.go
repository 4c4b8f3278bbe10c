package sparse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

// readBinary reads a .scas file; package scasfile defines its format.
func readBinary(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	source, size, kind, err := seekable(r, name, scasfile.Magic, opt)
	if err != nil {
		return nil, err
	}
	wrong := func(err error) error { return &ParseError{File: name, Msg: err.Error(), Err: err} }
	f, err := scasfile.Open(source, size)
	if err != nil {
		return nil, wrong(err)
	}
	var d *Dataset
	err = f.Guard(func() (err error) {
		check := func() error { return f.Check(opt.Beyond) }
		if opt.Beyond && f.Mapped() && opt.Memory > 0 && size > opt.Memory {
			check = f.CheckMeta
		} else if err := opt.allow(name, size, "%d rows", f.Rows); err != nil {
			return err
		}
		if err := check(); err != nil {
			return wrong(err)
		}
		d, err = newBinaryData(f, name, opt)
		return err
	})
	if errors.Is(err, scasfile.ErrChanged) {
		err = wrong(err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	d.Stats.Compression, d.Stats.Bytes = kind, size
	return d, nil
}

// binaryMeta is the content of the section meta of a .scas file, which is JSON.
type binaryMeta struct {
	Features []string `json:"features,omitempty"`
	Negative string   `json:"negative_name,omitempty"` // the word for −1; empty if labels are numbers
	Positive string   `json:"positive_name,omitempty"` // the word for +1
}

// newBinaryData returns the data of an open file.
func newBinaryData(f *scasfile.File, name string, opt *ReadOptions) (*Dataset, error) {
	var meta binaryMeta
	if err := json.Unmarshal(f.Meta, &meta); err != nil {
		return nil, &ParseError{File: name, Msg: "the names of the features: " + err.Error(), Err: err}
	}
	switch {
	case f.Cols > MaxCols:
		return nil, &ParseError{File: name, Msg: fmt.Sprintf("%d columns: expected at most %d", f.Cols, MaxCols)}
	case f.Rows == 0:
		return nil, &ParseError{File: name, Msg: "the file has no samples"}
	case meta.Features != nil && int64(len(meta.Features)) != f.Cols:
		return nil, &ParseError{File: name, Msg: fmt.Sprintf("%d names for %d columns: expected one for every column", len(meta.Features), f.Cols)}
	}
	x := &CSR{rows: int(f.Rows), cols: int(f.Cols), ptr: f.Ptr, idx: f.Idx, val: f.Val, file: &mapping{f, name, 0}}
	if opt.Names == nil || meta.Features == nil {
		wide, err := withFeatures(name, x, opt)
		if err != nil {
			return nil, err
		}
		x = wide
	}
	d := &Dataset{X: x}
	if err := d.setNames(name, meta.Features); err != nil {
		return nil, err
	}
	d.Stats = ReadStats{Rows: x.rows, NNZ: x.NNZ(), IndexBase: ZeroBased + IndexBase(f.IndexBase)}
	fileMapping := LabelMapping{f.Negative, f.Positive, meta.Negative, meta.Positive}
	if err := d.binaryLabels(f, name, fileMapping, opt); err != nil {
		return nil, err
	}
	return d, d.arrange(name, opt.Names)
}

// binaryLabels sets the labels of d. fileMapping is the mapping of the labels in the file. If opt asks for
// the values that the file stores, the labels are a view of the file, and otherwise a copy.
func (d *Dataset) binaryLabels(f *scasfile.File, name string, fileMapping LabelMapping, opt *ReadOptions) error {
	numbers := opt.numericLabels()
	switch {
	case opt.stored && f.Header.Labels == scasfile.Signs:
		d.Labels, d.Mapping = f.Labels, fileMapping
		return nil
	case opt.targets != nil || f.Labels == nil:
		return d.setLabels(name, nil, opt)
	case f.Header.Labels != scasfile.Signs && numbers && !opt.Counts:
		d.Labels = f.Labels
		return nil
	case f.Header.Labels != scasfile.Signs:
		return d.binaryNumbers(f, name, opt)
	case numbers && !opt.Counts && fileMapping == LabelMapping{Negative: -1, Positive: 1}:
		d.Labels = f.Labels
		return nil
	}
	if fileMapping.named() && opt.listsWords() {
		if err := fileMapping.renumber(f.Labels, name, opt); err != nil {
			return err
		}
	}
	pair := !numbers && opt.Classes.IsZero() && !opt.Counts // setLabels checks counts
	if pair && fileMapping.chosen(opt) {
		d.Labels, d.Mapping = f.Labels, fileMapping
		return nil
	}
	swapped := LabelMapping{fileMapping.Positive, fileMapping.Negative, fileMapping.PositiveName, fileMapping.NegativeName}
	if pair && swapped.chosen(opt) {
		d.Mapping, d.Labels = swapped, make([]float64, len(f.Labels))
		for i, b := range f.Labels {
			d.Labels[i] = -b
		}
		return nil
	}
	file := Dataset{Labels: f.Labels, Mapping: fileMapping}
	return d.setLabels(name, file.OriginalLabels(), opt)
}

// binaryNumbers sets the labels of d from a file that stores them as numbers. opt must ask for counts or
// for classes. Labels that are not classes, and labels of more than two classes, stay a view of the file.
func (d *Dataset) binaryNumbers(f *scasfile.File, name string, opt *ReadOptions) error {
	d.Labels = f.Labels
	c := labelCollector{name: name, opt: opt, labels: f.Labels}
	err := d.eachLabels(func(lo int, part []float64) error {
		if err := f.CheckLabels(lo, lo+len(part)); err != nil {
			return &ParseError{File: name, Msg: err.Error(), Err: err}
		}
		for i, v := range part {
			if _, err := c.see(v, lo+i+1, 0); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil || opt.numericLabels():
		return err
	case opt.Classes.IsZero() && len(c.kinds.all) <= 2:
		return d.setLabels(name, f.Labels, opt)
	}
	return c.settle(d)
}

// renumber sets the numbers of the words in m to the numbers that opt gives to these words. labels are −1
// and +1. A label whose word opt does not list is an error.
func (m *LabelMapping) renumber(labels []float64, name string, opt *ReadOptions) error {
	for _, class := range []struct {
		sign   float64
		number *float64
	}{{-1, &m.Negative}, {1, &m.Positive}} {
		word := m.Name(class.sign)
		if v, listed := opt.wordNumber(word); listed {
			*class.number = v
		} else if i := slices.Index(labels, class.sign); i >= 0 {
			return &ParseError{File: name, Line: i + 1, Token: word, Msg: opt.unknownLabel(true), Remedies: []Remedy{ignoreLabels}}
		}
	}
	return nil
}

// chosen reports whether opt asks for the mapping m.
func (m LabelMapping) chosen(opt *ReadOptions) bool {
	switch {
	case !opt.Mapping.IsZero():
		return m == opt.Mapping
	case opt.Positive != nil && !m.named():
		return m.Positive == *opt.Positive
	case opt.PositiveName != "":
		return m.PositiveName == opt.PositiveName
	case m.named():
		return m.PositiveName > m.NegativeName
	}
	return m.Positive > m.Negative
}
