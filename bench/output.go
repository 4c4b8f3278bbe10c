package main

import (
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
)

// results collects what a command writes into files.
type results struct {
	name     string // name of the command
	machine  machine.Description
	text     strings.Builder
	benchfmt strings.Builder // times in the format of Go benchmarks
}

// base returns the path of the result files in a directory, without their endings.
func (r *results) base(dir string) string {
	return filepath.Join(dir, r.name+"-"+r.machine.Slug())
}

// write writes the text into the directory dir, and the times into the file benchfmt. It does not write
// to an empty path.
func (r *results) write(dir, benchfmt string) error {
	var files []output.File
	if dir != "" {
		files = append(files, output.File{Path: r.base(dir) + ".txt", Fill: output.Literal(r.text.String())})
	}
	goos, goarch, _ := strings.Cut(r.machine.Platform, "/")
	head := "goos: " + goos + "\ngoarch: " + goarch + "\npkg: github.com/scas-admm/scas/bench\ncpu: " + r.machine.CPU + "\n"
	return output.WriteAll(append(files, output.File{Path: benchfmt, Fill: output.Literal(head + r.benchfmt.String())}))
}
