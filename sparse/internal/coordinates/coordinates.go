// Package coordinates reads text with one entry `i j value` a line: a matrix file, a Matrix Market file or
// a list of edges.
package coordinates

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// Line is a line `i j [value]`.
type Line struct {
	// I and J are the first two tokens, a row and a column, counted from 1. I or J is 0 if its token is
	// absent or is not an integer from 1 to 2^31-1. In a dense Matrix Market file, both are 0 before
	// File.Matrix sets them, except in the line of the size.
	I, J int32
	// Value is the third token or, in a dense file, the only one. It is 1 if this token is absent, and NaN
	// if it is not a finite decimal number.
	Value float64
	// Tokens is the number of tokens in the line.
	Tokens int
	// Number is the number of the line in the file, from 1.
	Number int
}

// ErrorFunc returns an error about a place in a file. line and column count from 1; line 0 means the whole
// file, column 0 the whole line. token is empty if the error concerns no single token.
type ErrorFunc func(file string, line, column int, token, msg string) error

// File has the lines of a text. Parse does not check the numbers in the lines; Matrix does.
type File struct {
	// Name is the name of the file in errors.
	Name string
	// Lines holds the lines in order, without blank lines, comments and the first line of a Matrix Market
	// file.
	Lines []Line
	// Symmetry is general, symmetric or skew-symmetric in a Matrix Market file, and empty in any other
	// file.
	Symmetry string

	field    string  // real, integer or pattern in a Matrix Market file
	isArray  bool    // the file is a dense Matrix Market file; its lines after the size hold one value each
	mirror   float64 // 1 for a symmetric matrix, -1 for a skew-symmetric one, else 0
	text     string
	newError ErrorFunc
}

// Parse parses a text. It skips blank lines, comments that begin with '#' and, in a Matrix Market file,
// lines that begin with '%'. The function newError creates the errors; name is the name of the file in
// them. An empty file, and a Matrix Market file of an unknown kind, are errors.
func Parse(data []byte, name string, newError ErrorFunc) (*File, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, newError(name, 0, 0, "",
			"the file is empty: expected a matrix, `rows cols nnz` and lines `i j value`, or edges `i j [weight]` (a comment alone if there are none)")
	}
	c := &File{Name: name, text: string(data), newError: newError}
	for lines := text.NewLines(c.text); lines.Next(); {
		switch token := lines.Fields[0].Text; {
		case lines.Number == 1 && strings.EqualFold(token, "%%MatrixMarket"):
			if err := c.parseBanner(lines.Fields); err != nil {
				return nil, err
			}
		case c.Symmetry == "" || token[0] != '%':
			c.Lines = append(c.Lines, c.line(lines))
		}
	}
	return c, nil
}

// line returns the tokens of the current line as a Line.
func (c *File) line(lines *text.Lines) Line {
	l := Line{Value: 1, Tokens: len(lines.Fields), Number: lines.Number}
	if c.isArray && len(c.Lines) > 0 {
		l.Value = floatOrNaN(lines.Fields[0].Text)
		return l
	}
	for k, to := range []*int32{&l.I, &l.J} {
		if k == l.Tokens {
			return l
		}
		if v, ok := text.ParseInt(lines.Fields[k].Text); ok && v <= math.MaxInt32 {
			*to = int32(v)
		}
	}
	if l.Tokens > 2 {
		l.Value = floatOrNaN(lines.Fields[2].Text)
	}
	return l
}

func floatOrNaN(s string) float64 {
	v, ok := text.ParseFloat(s)
	if !ok {
		return math.NaN()
	}
	return v
}

func (c *File) parseBanner(words []text.Field) error {
	const wantBanner = "expected the line `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, or array for coordinate"
	if len(words) != 5 {
		return c.errorAt(1, words[0], wantBanner)
	}
	for k, rule := range []struct {
		allowed []string
		want    string
	}{
		{[]string{"matrix"}, wantBanner},
		{[]string{"coordinate", "array"}, "expected format coordinate or array"},
		{[]string{"real", "integer", "pattern"}, "expected field real, integer or pattern"},
		{
			[]string{"general", "symmetric", "skew-symmetric"},
			"expected symmetry general, symmetric or skew-symmetric",
		},
	} {
		if word := words[k+1]; !slices.Contains(rule.allowed, strings.ToLower(word.Text)) {
			return c.errorAt(1, word, rule.want)
		}
	}
	c.field, c.Symmetry = strings.ToLower(words[3].Text), strings.ToLower(words[4].Text)
	c.mirror = map[string]float64{"symmetric": 1, "skew-symmetric": -1}[c.Symmetry]
	c.isArray = strings.EqualFold(words[2].Text, "array")
	if c.isArray && c.field == "pattern" {
		return c.errorAt(1, words[3], "an array has values: expected field real or integer")
	}
	return nil
}

// AnnouncedEntries returns the number of entries that the header of a matrix gives. ok is false if the
// first of the Lines is no valid header.
func (c *File) AnnouncedEntries() (entries int64, ok bool) {
	size, err := c.parseHeader()
	return size[2], err == nil
}

// ErrorAt returns an error about a token of Lines[k]. The first line has k = 0, and the first token of a line
// has index 0.
func (c *File) ErrorAt(k, token int, msg string) error {
	return c.errorAt(c.Lines[k].Number, c.fields(k)[token], msg)
}

func (c *File) errorAt(line int, f text.Field, msg string) error {
	return c.newError(c.Name, line, f.Column, f.Text, msg)
}

// fields returns the tokens of Lines[k].
func (c *File) fields(k int) []text.Field {
	lines := text.NewLines(c.text)
	for lines.Number < c.Lines[k].Number {
		lines.Next()
	}
	return lines.Fields
}
