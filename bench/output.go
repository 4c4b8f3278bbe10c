package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/internal/table"
)

// results are the timings of a command, and what it said of them.
type results struct {
	name  string // of the command
	facts machine.Facts
	rows  []table.Row
	text  strings.Builder
}

// files are the timings as CSV and in the benchmark format, if there is a path for
// them, and if there is a directory, both and the text in it.
func (r *results) files(csv, benchfmt, dir string) []output.File {
	asCSV := func(w io.Writer) error { return table.WriteCSV(w, r.rows) }
	asBenchfmt := func(w io.Writer) error { return table.WriteBenchfmt(w, r.facts.Platform, r.facts.CPU, r.rows) }
	files := []output.File{{Path: csv, Fill: asCSV}, {Path: benchfmt, Fill: asBenchfmt}}
	if dir != "" {
		base := r.base(dir)
		files = append(files, output.File{Path: base + ".csv", Fill: asCSV}, output.File{Path: base + ".benchfmt", Fill: asBenchfmt}, output.File{Path: base + ".txt", Fill: output.Literal(r.text.String())})
	}
	return files
}

// base is what the names of the results in a directory begin with.
func (r *results) base(dir string) string {
	return filepath.Join(dir, r.name+"-"+r.facts.Slug())
}
