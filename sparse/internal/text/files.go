package text

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
)

// FromFile reads a file, whose path is its name in errors.
func FromFile[T any](path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, fmt.Errorf("sparse: %w", err)
	}
	defer f.Close()
	return read(f, path)
}

// Write calls fill with a buffer of w. fill may ignore errors: the first one
// sticks to the buffer, and is returned under what was being done.
func Write(w io.Writer, doing string, fill func(*bufio.Writer)) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	fill(bw)
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// AppendCoordinate appends the line `i j value`, the value in the shortest form
// that reads back to the same bits.
func AppendCoordinate(line []byte, i, j int, value float64) []byte {
	line = append(strconv.AppendInt(line, int64(i), 10), ' ')
	line = append(strconv.AppendInt(line, int64(j), 10), ' ')
	return append(strconv.AppendFloat(line, value, 'g', -1, 64), '\n')
}
