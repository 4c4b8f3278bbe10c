package sparse

import (
	"encoding/json"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

func writeBinary(w io.Writer, d *Dataset) error {
	x := d.X
	s := binarySections{
		header: scasfile.Header{Rows: int64(x.rows), Cols: int64(x.cols), NNZ: x.NNZ()},
		meta:   binaryMeta{Features: d.Names, Label: d.LabelName},
		idx:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.idx[:x.NNZ()]) },
		val:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.val[:x.NNZ()]) },
		ptr:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.ptr) },
		labels: func(io.Writer) error { return nil },
	}
	if d.Stats.IndexBase == OneBased {
		s.header.IndexBase = 1
	}
	if d.Labels != nil {
		labels, classes := d.Labels, d.Classes
		signs, words := classes.Values, classes.Names
		var kinds labelPair // the two labels to write as −1 and +1; empty if the labels are −1 and +1 already
		switch {
		case !d.Signs:
			if len(words) == 2 && !slices.IsSorted(words) { // a file has the words in byte order
				classes = classes.Reversed()
				words = classes.Names
			}
			var err error
			labels, err = classes.positions(labels)
			if err != nil {
				return err
			}
			kinds.add(labels)
			signs = kinds.signs()
		case words != nil:
			words, signs = slices.Sorted(slices.Values(words)), nil
			for _, word := range d.Classes.Names {
				signs = append(signs, float64(slices.Index(words, word)))
			}
		}
		s.setLabels(signs, words)
		s.labels = func(w io.Writer) error { return kinds.write(w, labels) }
	}
	return s.write(w)
}

// positions returns, for each label, the position of its word in c.Names. If c has no names, it returns
// labels.
func (c Classes) positions(labels []float64) ([]float64, error) {
	if c.Names == nil {
		return labels, nil
	}
	positions := make([]float64, len(labels))
	for i, label := range labels {
		k, ok := c.Find(label)
		if !ok {
			return nil, errorf("row %d has label %v: want one of the labels %v in Dataset.Classes",
				i+1, label, c.Values)
		}
		positions[i] = float64(k)
	}
	return positions, nil
}

// binarySections holds the header of a .scas file and the functions that write its sections.
type binarySections struct {
	header                scasfile.Header
	meta                  binaryMeta
	idx, val, ptr, labels func(io.Writer) error
}

func (s *binarySections) write(w io.Writer) error {
	for _, name := range slices.Concat(s.meta.Features, s.meta.Classes, []string{s.meta.Label}) {
		if !utf8.ValidString(name) { // package json would replace the wrong bytes
			return errorf("writing samples: the name %q is not text in UTF-8: want UTF-8, the encoding of .scas files", name)
		}
	}
	meta, err := json.Marshal(s.meta)
	if err != nil {
		return errorf("writing samples: %w", err)
	}
	s.header.MetaBytes = int64(len(meta))
	out, err := scasfile.NewWriter(w, &s.header)
	sections := []func(io.Writer) error{
		s.idx, s.val, s.ptr, s.labels, func(w io.Writer) error { _, err := w.Write(meta); return err },
	}
	for _, section := range sections {
		if err == nil {
			err = section(out)
		}
		if err == nil {
			err = out.EndSection()
		}
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return errorf("writing samples: %w", err)
	}
	return nil
}

// setLabels sets the fields of the header and of the section meta that say how the labels are stored: as −1
// and +1, with the two labels in signs for which they stand, or as numbers if signs is nil. If words is not
// nil, each label is a position in words, and stands for the word there.
func (s *binarySections) setLabels(signs []float64, words []string) {
	s.header.Labelling, s.meta.Classes = scasfile.Numbers, words
	if signs != nil {
		s.header.Labelling, s.header.Negative, s.header.Positive = scasfile.Signs, signs[0], signs[1]
	}
}

// labelPair collects the first two different values of the labels.
type labelPair struct {
	Kinds     [2]float64 `json:"kinds"`
	KindCount int        `json:"kind_count"` // number of different values; 3 if there are more than two
}

// signs returns the labels that are stored as −1 and +1, or nil if there are not exactly two.
func (k *labelPair) signs() []float64 {
	if k.KindCount != 2 {
		return nil
	}
	return []float64{min(k.Kinds[0], k.Kinds[1]), max(k.Kinds[0], k.Kinds[1])}
}

func (k *labelPair) add(labels []float64) {
	for _, b := range labels {
		switch {
		case k.KindCount > 2:
			return
		case k.KindCount > 0 && b == k.Kinds[0], k.KindCount > 1 && b == k.Kinds[1]:
		case k.KindCount == 2:
			k.KindCount++
		default:
			k.Kinds[k.KindCount] = b
			k.KindCount++
		}
	}
}

// write writes labels as the file stores them. If they have two values, the larger becomes +1 and the
// smaller −1.
func (k *labelPair) write(w io.Writer, labels []float64) error {
	signs := k.signs()
	if signs == nil {
		return scasfile.WriteNumbers(w, labels)
	}
	const partSize = 1 << 13
	stored := make([]float64, partSize)
	for part := range slices.Chunk(labels, partSize) {
		for i, b := range part {
			stored[i] = -1
			if b == signs[1] {
				stored[i] = 1
			}
		}
		if err := scasfile.WriteNumbers(w, stored[:len(part)]); err != nil {
			return err
		}
	}
	return nil
}
