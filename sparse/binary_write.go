package sparse

import (
	"encoding/json"
	"io"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
)

func writeBinary(w io.Writer, d *Dataset) error {
	x := d.X
	s := binarySections{
		header: scasfile.Header{Rows: int64(x.rows), Cols: int64(x.cols), NNZ: x.NNZ()},
		meta:   binaryMeta{Features: d.Names},
		idx:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.idx[:x.NNZ()]) },
		val:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.val[:x.NNZ()]) },
		ptr:    func(w io.Writer) error { return scasfile.WriteNumbers(w, x.ptr) },
		labels: func(io.Writer) error { return nil },
	}
	if d.Stats.IndexBase == OneBased {
		s.header.IndexBase = 1
	}
	if d.Labels != nil {
		labels := d.Labels
		var kinds labelKinds
		if d.Mapping.IsZero() {
			kinds.add(labels)
		}
		s.label(kinds, d.Mapping, d.Table)
		s.labels = func(w io.Writer) error { return kinds.write(w, labels) }
	}
	return s.write(w)
}

// binarySections holds the header of a .scas file and the functions that write its sections.
type binarySections struct {
	header                scasfile.Header
	meta                  binaryMeta
	idx, val, ptr, labels func(io.Writer) error
}

func (s *binarySections) write(w io.Writer) error {
	meta, err := json.Marshal(s.meta)
	if err != nil {
		return errorf("writing samples: %w", err)
	}
	s.header.Meta = int64(len(meta))
	out, err := scasfile.NewWriter(w, &s.header)
	sections := []func(io.Writer) error{s.idx, s.val, s.ptr, s.labels, func(w io.Writer) error { _, err := w.Write(meta); return err }}
	for _, section := range sections {
		if err == nil {
			err = section(out)
		}
		if err == nil {
			err = out.End()
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

// label sets the fields of the header and of the section meta that say how the labels are stored:
// as −1 and +1 if they have two values or m has mapped them, and otherwise as numbers. t, if not
// nil, has the words for which the labels stand.
func (s *binarySections) label(kinds labelKinds, m LabelMapping, t *TableSummary) {
	s.header.Labels = scasfile.Numbers
	if kinds.KindCount == 2 {
		m = LabelMapping{Negative: kinds.low(), Positive: kinds.high()}
		if t != nil && len(t.Classes) == 2 {
			m.NegativeName, m.PositiveName = t.Classes[0], t.Classes[1]
		}
	}
	if !m.IsZero() {
		s.header.Labels, s.header.Negative, s.header.Positive = scasfile.Signs, m.Negative, m.Positive
		s.meta.Negative, s.meta.Positive = m.NegativeName, m.PositiveName
	}
}

// labelKinds collects the first two different values of the labels.
type labelKinds struct {
	Kinds     [2]float64 `json:"kinds"`
	KindCount int        `json:"kind_count"` // number of different values; 3 if there are more than two
}

func (k *labelKinds) low() float64  { return min(k.Kinds[0], k.Kinds[1]) }
func (k *labelKinds) high() float64 { return max(k.Kinds[0], k.Kinds[1]) }

func (k *labelKinds) add(labels []float64) {
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
func (k *labelKinds) write(w io.Writer, labels []float64) error {
	if k.KindCount != 2 {
		return scasfile.WriteNumbers(w, labels)
	}
	signs := make([]float64, 0, 1<<13)
	for len(labels) > 0 {
		part := labels[:min(len(labels), cap(signs))]
		signs = signs[:0]
		for _, b := range part {
			sign := -1.0
			if b == k.high() {
				sign = 1
			}
			signs = append(signs, sign)
		}
		if err := scasfile.WriteNumbers(w, signs); err != nil {
			return err
		}
		labels = labels[len(part):]
	}
	return nil
}
