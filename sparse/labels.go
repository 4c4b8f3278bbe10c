package sparse

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// labelsOfFile holds the labels in a file of labels. lines[i] is the line of label i, from 1. lines is nil
// for an array in NumPy's format.
type labelsOfFile struct {
	labels []float64
	lines  []int
}

// line returns the line of label i, or its number in an array, from 1.
func (l *labelsOfFile) line(i int) int {
	if l.lines != nil {
		return l.lines[i]
	}
	return i + 1
}

// readLabelsFile reads a file of labels within the memory that opt allows.
func readLabelsFile(path string, opt *ReadOptions) (labelsOfFile, error) {
	return text.ReadFile(path,
		func(r io.Reader, name string) (labelsOfFile, error) { return readLabels(r, name, opt) })
}

func readLabels(r io.Reader, name string, opt *ReadOptions) (l labelsOfFile, err error) {
	input, err := decompress(r, name)
	if err != nil {
		return l, err
	}
	defer input.Close()
	if FormatOf(name) == NPY {
		l.labels, err = readNPYLabels(input, opt)
		return l, err
	}
	data, err := readText(input, opt)
	if err != nil {
		return l, err
	}
	lineCount := bytes.Count(data, []byte("\n")) + 1
	// The text, its copy as a string, and a label and a line number for each line.
	err = opt.checkMemory(name, int64(cap(data)+len(data)+2*8*lineCount), "%d lines of labels", lineCount)
	if err != nil {
		return l, err
	}
	l.labels, l.lines = make([]float64, 0, lineCount), make([]int, 0, lineCount)
	for lines := text.NewLines(string(data)); lines.Next(); {
		v, ok := text.ParseFloat(lines.Fields[0].Text)
		wrongField := 0
		if len(lines.Fields) > 1 {
			wrongField, ok = 1, false
		}
		if !ok {
			f := lines.Fields[wrongField]
			return l, &ParseError{
				File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Number: true,
				Msg: "expected one label a line, a finite decimal number",
			}
		}
		l.labels, l.lines = append(l.labels, v), append(l.lines, lines.Number)
	}
	if len(l.labels) == 0 {
		return l, fileErrorf(name, "no labels: expected one number a line")
	}
	return l, nil
}

// WriteLabels writes a file for ReadOptions.LabelsFile: an array in NumPy's format if format is NPY, else
// text with one number a line.
func WriteLabels(w io.Writer, format Format, labels []float64) error {
	return text.Write(w, "sparse", "writing labels", func(buffer *bufio.Writer) error {
		if format == NPY {
			return writeNumbers(buffer, "<f8", labels)
		}
		var line []byte
		for _, v := range labels {
			line = append(strconv.AppendFloat(line[:0], v, 'g', -1, 64), '\n')
			buffer.Write(line)
		}
		return nil
	})
}
