package sparse

import (
	"bufio"
	"io"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/npy"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// OriginalLabels returns a copy of the labels before their mapping to -1 and +1, or nil if there are no
// labels. If the labels were words, the copy holds their numbers; see LabelMapping and Classes.
func (d *Dataset) OriginalLabels() []float64 {
	if d.Labels == nil {
		return nil
	}
	labels := make([]float64, len(d.Labels))
	for i, b := range d.Labels {
		labels[i] = d.Mapping.Original(b)
	}
	return labels
}

// readLabelsFile reads the file ReadOptions.LabelsFile. memory is ReadOptions.Memory.
func readLabelsFile(path string, memory int64) ([]float64, error) {
	return text.ReadFile(path, func(r io.Reader, name string) ([]float64, error) { return readLabels(r, name, memory) })
}

func readLabels(r io.Reader, name string, memory int64) ([]float64, error) {
	opt := &ReadOptions{Memory: memory}
	if FormatOf(name) == NPY {
		return readNPYLabels(r, name, opt)
	}
	data, err := ReadText(r, name)
	if err != nil {
		return nil, err
	}
	if err := opt.checkMemory(name, 3*int64(len(data)), "%d bytes of labels", len(data)); err != nil {
		return nil, err
	}
	var labels []float64
	for lines := text.NewLines(string(data)); lines.Next(); {
		v, ok := text.ParseFloat(lines.Fields[0].Text)
		wrongField := 0
		if len(lines.Fields) > 1 {
			wrongField, ok = 1, false
		}
		if !ok {
			f := lines.Fields[wrongField]
			return nil, &ParseError{File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Msg: "expected one label a line, a finite decimal number"}
		}
		labels = append(labels, v)
	}
	if labels == nil {
		return nil, &ParseError{File: name, Msg: "no labels: expected one number a line"}
	}
	return labels, nil
}

// WriteLabels writes a file for ReadOptions.LabelsFile: an array in NumPy's format if format is NPY, else
// text with one number a line.
func WriteLabels(w io.Writer, format Format, labels []float64) error {
	if format != NPY {
		return text.Write(w, "sparse", "writing labels", func(buffer *bufio.Writer) {
			var line []byte
			for _, v := range labels {
				line = append(strconv.AppendFloat(line[:0], v, 'g', -1, 64), '\n')
				buffer.Write(line)
			}
		})
	}
	return text.WriteAll(w, "sparse", "writing labels", func(w io.Writer) error {
		out, err := npy.NewWriter(w, "f8", len(labels))
		if err != nil {
			return err
		}
		return out.WriteFloats(labels)
	})
}
