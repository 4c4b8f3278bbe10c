package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/table"
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

// begin writes the head of a report.
func begin(w io.Writer, lines ...[]string) error {
	for _, l := range lines {
		if _, err := io.WriteString(w, strings.Join(l, "\n")+"\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
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

// results are the timings of a command, and what it said of them.
type results struct {
	name  string // of the command
	facts machine.Facts
	rows  []table.Row
	text  strings.Builder
}

// files are the timings as CSV and in the benchmark format, if there is a path for
// them, and if there is a directory, both and the text in it.
func (r *results) files(csv, benchfmt, dir string) []output {
	asCSV := func(w io.Writer) error { return table.WriteCSV(w, r.rows) }
	asBenchfmt := func(w io.Writer) error { return table.WriteBenchfmt(w, r.facts.Platform, r.facts.CPU, r.rows) }
	files := []output{{csv, asCSV}, {benchfmt, asBenchfmt}}
	if dir != "" {
		base := r.base(dir)
		files = append(files, output{base + ".csv", asCSV}, output{base + ".benchfmt", asBenchfmt}, output{base + ".txt", literal(r.text.String())})
	}
	return files
}

// base is what the names of the results in a directory begin with.
func (r *results) base(dir string) string {
	return filepath.Join(dir, r.name+"-"+r.facts.Slug())
}
