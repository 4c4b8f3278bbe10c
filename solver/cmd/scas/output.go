package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// writeFile writes path whole or not at all. Links are followed; a device or a
// pipe is written to, not replaced.
func writeFile(path string, fill func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return atomicfile.Write(path, 0o644, fill)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// checkWritable finds out before a long run what writeFile would find after it.
func checkWritable(path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory; name a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".scas-*.tmp")
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) { // its path is the temporary file's
			err = cause.Err
		}
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// checkOutput is checkWritable for the value of a flag, which must not be one of
// the files that the command reads.
func checkOutput(flag, path string, inputs ...string) error {
	if path == "-" {
		return usagef("%s -: name a file; the result goes to standard output without it", flag)
	}
	for _, in := range inputs {
		if in != "" && sameFile(in, path) {
			return usagef("%s %s would replace the input %s; name another file", flag, path, in)
		}
	}
	return checkWritable(path)
}

// sameFile reports whether two paths lead to one regular file.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// number is a float64 that JSON shows as null where it has no number.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return json.Marshal(f)
	}
	return []byte("null"), nil
}

// printJSON prints one indented object.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// facts is a two-column table of ASCII names and facts; an empty name continues
// the line above, an empty fact makes an empty line.
type facts [][2]string

func (f *facts) add(name, format string, args ...any) {
	*f = append(*f, [2]string{name, fmt.Sprintf(format, args...)})
}

func (f *facts) gap() { *f = append(*f, [2]string{}) }

func (f facts) String() string {
	width := 0
	for _, line := range f {
		width = max(width, len(line[0]))
	}
	var b strings.Builder
	for _, line := range f {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-*s   %s", width, line[0], line[1])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// grouped writes n with commas: 451,592.
func grouped[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a count with its noun: 1 edge, 2 edges.
func plural[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "y") {
		return grouped(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return grouped(n) + " " + noun + "s"
}

// passCount writes passes over the data, which need not be whole.
func passCount(v float64) string {
	switch {
	case v == 1:
		return "1 pass"
	case v >= 1e4:
		return grouped(int64(math.Round(v))) + " passes"
	}
	return fmt.Sprintf("%.4g passes", v)
}

// plainNumber writes v in the shortest form that reads back to it.
func plainNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// outputs are the files a command is to write, with the flags that name them.
type outputs []struct{ flag, path string }

// check finds out before the work what writing would find after it.
func (out outputs) check(inputs ...string) error {
	for i, o := range out {
		for _, other := range out[:i] {
			if o.path == other.path && !isDevice(o.path) {
				return usagef("%s and %s name the same file, %s", other.flag, o.flag, o.path)
			}
		}
		if err := checkOutput(o.flag, o.path, inputs...); err != nil {
			return err
		}
	}
	return nil
}

// isDevice reports whether path is there and no regular file.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}
