package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/output"
	"github.com/scas-admm/scas/bench/race"
)

// A report is the output of a command. Its Writer writes to standard output and into the field text.
type report struct {
	io.Writer
	name     string // name of the command
	machine  machine.Description
	text     strings.Builder
	benchfmt strings.Builder // times in the format of Go benchmarks
}

// begin begins the report of the named command with a description of the machine and the given lines.
func begin(e *race.Env, name string, about machine.Description, lines ...string) (*report, error) {
	r := &report{name: name, machine: about}
	r.Writer = io.MultiWriter(e.Stdout, &r.text)
	return r, output.WriteHead(r, slices.Concat(about.Lines, lines))
}

// basePath returns the path of the result files in a directory, without their endings.
func (r *report) basePath(dir string) string {
	return filepath.Join(dir, r.name+"-"+r.machine.Slug)
}

// write writes r.text to a file in the directory dir, and r.benchfmt to the file benchfmt. If dir or benchfmt
// is empty, write leaves out the file.
func (r *report) write(dir, benchfmt string) error {
	table := output.File{Text: r.text.String()}
	if dir != "" {
		table.Path = r.basePath(dir) + ".txt"
	}
	head := fmt.Sprintf("goos: %s\ngoarch: %s\npkg: github.com/scas-admm/scas/bench\ncpu: %s\n",
		runtime.GOOS, runtime.GOARCH, r.machine.CPU)
	return output.Write(table, output.File{Path: benchfmt, Text: head + r.benchfmt.String()})
}
