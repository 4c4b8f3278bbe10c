package main

import (
	"io"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// An output is a file that a flag asks for; an empty path means that it does
// not.
type output struct {
	path string
	fill func(io.Writer) error
}

// writeAll writes the files that were asked for, each whole or not at all.
func writeAll(files []output) error {
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := atomicfile.Write(f.path, 0o644, f.fill); err != nil {
			return err
		}
	}
	return nil
}
