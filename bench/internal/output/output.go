// Package output writes the reports and files of the commands of bench.
package output

import (
	"encoding/csv"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// A File is the path and the text of an output file. Write ignores a File with an empty Path.
type File struct{ Path, Text string }

// WriteHead writes the head of a report: lines and an empty line.
func WriteHead(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n\n")
	return err
}

// CSV returns records as CSV.
func CSV(records [][]string) string {
	var b strings.Builder
	_ = csv.NewWriter(&b).WriteAll(records) // a strings.Builder returns no errors
	return b.String()
}

// Inline returns the text of an SVG file of package chart as an element of an HTML page. label says in words
// what the drawing shows.
func Inline(svg, label string) template.HTML {
	svg = svg[strings.Index(svg, "<svg"):]
	label = template.HTMLEscapeString(label)
	// Package chart has escaped the names in svg.
	return template.HTML(strings.Replace(svg, "<svg", `<svg role="img" aria-label="`+label+`"`, 1))
}

// Write writes the files that have a path, each completely or not at all, and makes their directories.
func Write(files ...File) error {
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		fill := func(w io.Writer) error {
			_, err := io.WriteString(w, f.Text)
			return err
		}
		if err := atomicfile.Write(f.Path, 0o644, fill); err != nil {
			return err
		}
	}
	return nil
}
