package text

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/kernels/pkgerr"
)

// Field is a token of a line.
type Field struct {
	Column int // position of the first byte in the line, from 1
	Text   string
}

// Lines iterates over the lines of a text that have a token. It skips comments, from '#' to the end of the
// line.
type Lines struct {
	// Number is the number of the current line, from 1.
	Number int
	// Fields holds the tokens of the current line until the next call of Next.
	Fields []Field

	rest string // the text after the current line
}

// NewLines returns a Lines positioned before the first line of s.
func NewLines(s string) *Lines { return &Lines{rest: s} }

// Next advances to the next line that has a token. It returns false if there is none.
func (l *Lines) Next() bool {
	l.Fields = l.Fields[:0]
	for len(l.Fields) == 0 && l.rest != "" {
		var line string
		line, l.rest, _ = strings.Cut(l.rest, "\n")
		line, _, _ = strings.Cut(line, "#")
		l.Number++
		for i := 0; i < len(line); i++ {
			start := i
			for i < len(line) && !separators[line[i]] {
				i++
			}
			if i > start {
				l.Fields = append(l.Fields, Field{Column: start + 1, Text: line[start:i]})
			}
		}
	}
	return len(l.Fields) > 0
}

// ParseFloat parses a finite decimal number. ok is false for any other text. It copies text of up to 47 bytes
// to the stack, so that usual numbers take no memory.
func ParseFloat[S string | []byte](s S) (v float64, ok bool) {
	var short [64]byte
	b := short[:]
	if n := len(s) + 1 + Pad; n > len(short) {
		b = make([]byte, n)
	}
	copy(b, s)
	b[len(s)] = '\n'
	v, end, ok := Float(b, 0)
	return v, ok && end == len(s)
}

// ParseInt parses 1 to 18 decimal digits. ok is false for any other string, for example if it has a sign.
func ParseInt(s string) (v int64, ok bool) {
	u, err := strconv.ParseUint(s, 10, 64)
	return int64(u), err == nil && len(s) <= 18
}

// ReadFile opens a file and returns what the function read returns for it; read receives path as name.
func ReadFile[T any](path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, pkgerr.Errorf("sparse", "%w", err)
	}
	defer f.Close()
	return read(f, path)
}

// Write writes to w through a buffer, which fill fills. It returns the error of fill or, if this is nil, the
// first error of w. The text of the error names the package pkg and the action that failed, such as "writing
// labels". fill may ignore errors of the buffer.
func Write(w io.Writer, pkg, action string, fill func(*bufio.Writer) error) error {
	buffer := bufio.NewWriterSize(w, 1<<16)
	err := fill(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err != nil {
		return pkgerr.Errorf(pkg, "%s: %w", action, err)
	}
	return nil
}

// AppendCoordinate appends the line `i j value`. The value is in the shortest form that
// reads back to the same bits.
func AppendCoordinate(line []byte, i, j int, value float64) []byte {
	line = append(strconv.AppendInt(line, int64(i), 10), ' ')
	line = append(strconv.AppendInt(line, int64(j), 10), ' ')
	return append(strconv.AppendFloat(line, value, 'g', -1, 64), '\n')
}
