package main

import (
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
)

// results are what a command reports.
type results struct {
	name    string // of the command
	facts   machine.Facts
	text    strings.Builder
	samples strings.Builder // in the format of Go benchmarks
}

// base returns the path of the results in a directory, without the ending.
func (r *results) base(dir string) string {
	return filepath.Join(dir, r.name+"-"+r.facts.Slug())
}

// write writes the text into a directory and the samples into a file, each unless its path
// is empty.
func (r *results) write(dir, samples string) error {
	var files []output.File
	if dir != "" {
		files = append(files, output.File{Path: r.base(dir) + ".txt", Fill: output.Literal(r.text.String())})
	}
	goos, goarch, _ := strings.Cut(r.facts.Platform, "/")
	head := "goos: " + goos + "\ngoarch: " + goarch + "\npkg: github.com/scas-admm/scas/bench\ncpu: " + r.facts.CPU + "\n"
	return output.WriteAll(append(files, output.File{Path: samples, Fill: output.Literal(head + r.samples.String())}))
}
