package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// writeHeader writes a header of format version 1, padded as NumPy does it.
func writeHeader(w io.Writer, descr string, shape []int) error {
	dims := make([]string, len(shape))
	for k, n := range shape {
		dims[k] = fmt.Sprint(n)
	}
	dimList := strings.Join(dims, ", ")
	if len(shape) == 1 {
		dimList += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dimList)
	const align = 64
	unpaddedSize := len(magic) + 4 + len(text) + 1
	text += strings.Repeat(" ", (align-unpaddedSize%align)%align) + "\n"
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
	_, err := w.Write(append(head, text...))
	return err
}

// A Writer writes the elements of an array.
type Writer struct {
	w       io.Writer
	scratch []byte
}

// NewWriter writes the header of an array in C order, and returns a Writer for its elements. kind is f8 for
// float64, i4 for int32, or i8 for int64.
func NewWriter(w io.Writer, kind string, shape ...int) (*Writer, error) {
	return &Writer{w: w}, writeHeader(w, "<"+kind, shape)
}

// WriteFloats writes elements of kind f8.
func (w *Writer) WriteFloats(v []float64) error {
	return writeBlocks(w, v, func(b []byte, x float64) []byte {
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	})
}

// WriteInts writes elements of kind i8.
func (w *Writer) WriteInts(v []int64) error {
	return writeBlocks(w, v, func(b []byte, x int64) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(x))
	})
}

// WriteInt32s writes elements of kind i4.
func (w *Writer) WriteInt32s(v []int32) error {
	return writeBlocks(w, v, func(b []byte, x int32) []byte {
		return binary.LittleEndian.AppendUint32(b, uint32(x))
	})
}

func writeBlocks[T any](w *Writer, v []T, add func([]byte, T) []byte) error {
	const limit = 1 << 13
	for len(v) > 0 {
		n := min(len(v), limit)
		w.scratch = w.scratch[:0]
		for _, x := range v[:n] {
			w.scratch = add(w.scratch, x)
		}
		if _, err := w.w.Write(w.scratch); err != nil {
			return err
		}
		v = v[n:]
	}
	return nil
}

// WriteStrings writes a file that contains v, as an array of one dimension and kind U. A string of more than
// 65,536 characters is an error, because Open would not read the file.
func WriteStrings(w io.Writer, v []string) error {
	maxChars := 1
	for _, s := range v {
		maxChars = max(maxChars, utf8.RuneCountInString(s))
	}
	if maxChars > maxString {
		return fmt.Errorf("a name of %d characters: expected at most %d", maxChars, maxString)
	}
	if err := writeHeader(w, fmt.Sprintf("<U%d", maxChars), []int{len(v)}); err != nil {
		return err
	}
	for _, s := range v {
		b := make([]byte, 0, 4*maxChars)
		for _, c := range s {
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
		if _, err := w.Write(append(b, make([]byte, 4*maxChars-len(b))...)); err != nil {
			return err
		}
	}
	return nil
}

// WriteBytes writes a file that contains s, as an array without dimensions and of kind S.
func WriteBytes(w io.Writer, s string) error {
	if err := writeHeader(w, fmt.Sprintf("|S%d", len(s)), nil); err != nil {
		return err
	}
	_, err := io.WriteString(w, s)
	return err
}
