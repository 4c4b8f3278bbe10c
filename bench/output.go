package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// An output is a file that a flag asks for; an empty path means that it does
// not.
type output struct {
	path string
	fill func(io.Writer) error
}

// literal fills a file with a text.
func literal(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// writeAll writes the files that were asked for, each whole or not at all, and
// makes their directories.
func writeAll(files []output) error {
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(f.path, 0o644, f.fill); err != nil {
			return err
		}
	}
	return nil
}
