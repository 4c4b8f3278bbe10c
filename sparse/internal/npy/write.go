package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteHeader writes the header of an array in C order, in format version 1, padded as NumPy does it. The
// elements, in little-endian order, must follow. descr is NumPy's name of their type, such as <f8 for
// float64, <i4 for int32, or <i8 for int64.
func WriteHeader(w io.Writer, descr string, shape ...int) error {
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

// WriteStrings writes a file that contains v, as an array of one dimension and kind U. A string of more than
// 65,536 characters is an error, because Open would not read the file. Bytes that are not UTF-8 are an error,
// because the array stores characters.
func WriteStrings(w io.Writer, v []string) error {
	maxChars := 1
	for _, s := range v {
		if !utf8.ValidString(s) {
			return fmt.Errorf("the name %q is not text in UTF-8: want UTF-8, because the array stores characters", s)
		}
		maxChars = max(maxChars, utf8.RuneCountInString(s))
	}
	if maxChars > maxString {
		return fmt.Errorf("a name of %d characters: expected at most %d", maxChars, maxString)
	}
	if err := WriteHeader(w, fmt.Sprintf("<U%d", maxChars), len(v)); err != nil {
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
	if err := WriteHeader(w, fmt.Sprintf("|S%d", len(s))); err != nil {
		return err
	}
	_, err := io.WriteString(w, s)
	return err
}
