package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A number is a float64 that JSON shows as null if it is NaN or infinite.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if !isFinite(float64(v)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// A summary is a table with two columns: names, which are ASCII, and texts. A line without a name continues
// the line above. A line without a text is empty.
type summary [][2]string

func (f *summary) add(name, format string, args ...any) {
	*f = append(*f, [2]string{name, fmt.Sprintf(format, args...)})
}

func (f *summary) addIf(condition bool, name, format string, args ...any) {
	if condition {
		f.add(name, format, args...)
	}
}

func (f *summary) addBlank() { *f = append(*f, [2]string{}) }

func (f summary) String() string {
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

// A grid is a table. Head has the names of its columns.
type grid struct {
	Head []string
	Rows [][]string
}

// String returns the table as text. The cells of a column are aligned to the right.
func (t grid) String() string {
	widths := make([]int, len(t.Head))
	rows := append([][]string{t.Head}, t.Rows...)
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = max(widths[k], len(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for k, cell := range row {
			if k > 0 {
				b.WriteString("   ")
			}
			fmt.Fprintf(&b, "%*s", widths[k], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// groupDigits formats n with commas, such as 451,592.
func groupDigits[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural formats a count with its noun: 1 edge, 2 edges, 3 classes.
func plural[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "y"):
		return groupDigits(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"):
		return groupDigits(n) + " " + noun + "es"
	}
	return groupDigits(n) + " " + noun + "s"
}

// formatWeight formats the total weight of some rows, such as 15 or 2.5. Without weights, the total weight is
// the number of the rows.
func formatWeight(v float64) string {
	if v == math.Trunc(v) && v < 1e15 {
		return groupDigits(int64(v))
	}
	return fmt.Sprintf("%.6g", v)
}

// rowsOfWeight returns a text such as "1 row", "15 rows" or "2.5 rows" for the total weight of some rows.
func rowsOfWeight(v float64) string {
	if v == 1 {
		return "1 row"
	}
	return formatWeight(v) + " rows"
}

// formatPasses formats a number of passes, such as 2.5 passes.
func formatPasses(v float64) string {
	switch {
	case v == 1:
		return "1 pass"
	case v >= 1e4:
		return groupDigits(int64(math.Round(v))) + " passes"
	}
	return fmt.Sprintf("%.4g passes", v)
}

// formatBytes formats a number of bytes, such as 1.5 MiB.
func formatBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return plural(n, "byte")
	}
	v, k := float64(n)/(1<<10), 0
	for v >= 999.5 { // %.3g would round such a number to 1e+03
		v, k = v/(1<<10), k+1
	}
	return fmt.Sprintf("%.3g %ciB", v, units[k])
}

// firstNames returns a text with the names or, if there are many, with the first few and the number of
// others.
func firstNames(names []string) string {
	const maxNames = 5
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}

// wrap breaks text into lines of at most width bytes, if no word is longer. usedWidth is the number
// of bytes before text in the first line.
func wrap(text string, width, usedWidth int) string {
	var b strings.Builder
	for k, word := range strings.Fields(text) {
		switch {
		case k == 0:
		case usedWidth+1+len(word) > width:
			b.WriteByte('\n')
			usedWidth = 0
		default:
			b.WriteByte(' ')
			usedWidth++
		}
		b.WriteString(word)
		usedWidth += len(word)
	}
	return b.String()
}
