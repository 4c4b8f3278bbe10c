// Package output writes the reports and files of the commands of bench.
package output

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// A File is an output file and the function that writes it. A File with an empty Path is
// not written: its flag was not given.
type File struct {
	Path string
	Fill func(io.Writer) error
}

// Literal returns a function that writes text to its argument.
func Literal(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// Begin writes the head of a report: the given groups of lines.
func Begin(w io.Writer, lines ...[]string) error {
	for _, l := range lines {
		if _, err := io.WriteString(w, strings.Join(l, "\n")+"\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// WriteAll writes the files that have a path, each completely or not at all, and makes their
// directories.
func WriteAll(files []File) error {
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(f.Path, 0o644, f.Fill); err != nil {
			return err
		}
	}
	return nil
}
