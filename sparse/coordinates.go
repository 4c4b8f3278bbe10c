package sparse

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// Coordinate is a line `i j [value]` of coordinate text.
type Coordinate struct {
	// I and J are the first two tokens, which count from 1; 0 stands for a token
	// that is absent or no whole number from 1 to 2^31-1.
	I, J int32
	// Value is the third token, or in a dense file the only one: 1 if there is none,
	// NaN if it is not a finite decimal number.
	Value float64
	// Tokens is how many the line has, at least 1.
	Tokens int
	// Line is the number of the line in the file, from 1.
	Line int
}

// Coordinates is text whose lines hold coordinates, with the numbers read and
// nothing judged yet: a matrix file, a Matrix Market file or a list of edges.
// Who knows what it is asks for the Matrix or goes through the Lines, and words
// what is wrong with one by ErrorAt.
type Coordinates struct {
	// Name is what the file is called in errors.
	Name string
	// Lines are the lines in the file's order, without blank ones, comments and
	// the first of a Matrix Market file.
	Lines []Coordinate
	// Symmetry is general, symmetric or skew-symmetric in a Matrix Market file;
	// empty in any other.
	Symmetry string

	field  string  // real, integer or pattern in a Matrix Market file
	array  bool    // a dense Matrix Market file, whose lines are values alone
	mirror float64 // what an entry is times in the triangle left out, or 0
	text   string
}

// ReadCoordinates reads coordinate text, possibly compressed. Blank lines and
// comments from '#' on are skipped, in a Matrix Market file lines that start with
// '%', too. name stands for the file in errors. An empty file and a Matrix Market
// file that the form MatrixMarket does not take are errors of type *ParseError; what
// else may be wrong is for who judges the Lines to find.
func ReadCoordinates(r io.Reader, name string) (*Coordinates, error) {
	c, _, err := readCoordinates(r, name, &ReadOptions{})
	return c, err
}

// readCoordinates is ReadCoordinates within the memory that opt allows.
func readCoordinates(r io.Reader, name string, opt *ReadOptions) (*Coordinates, ReadStats, error) {
	var stats ReadStats
	data, kind, err := readText(r, name, opt)
	if err != nil {
		return nil, stats, err
	}
	stats.Compression, stats.Bytes = kind, int64(len(data))
	const perLine = 2 * 24 // a Coordinate, and what a slice may have unused
	if err := opt.allow(name, 2*stats.Bytes+perLine*int64(bytes.Count(data, []byte("\n"))), "%d bytes of text, read,", len(data)); err != nil {
		return nil, stats, err
	}
	c, err := coordinatesOf(data, name)
	return c, stats, err
}

func coordinatesOf(data []byte, name string) (*Coordinates, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &ParseError{File: name, Msg: "the file is empty: expected a matrix, `rows cols nnz` and lines `i j value`, or edges `i j [weight]` (a comment alone if there are none)"}
	}
	c := &Coordinates{Name: name, text: string(data)}
	for lines := text.NewLines(c.text); lines.Next(); {
		switch first := lines.Fields[0].Text; {
		case lines.Number == 1 && strings.EqualFold(first, "%%MatrixMarket"):
			if err := c.banner(lines.Fields); err != nil {
				return nil, err
			}
		case c.Symmetry == "" || first[0] != '%':
			c.Lines = append(c.Lines, c.coordinate(lines))
		}
	}
	return c, nil
}

// coordinate reads the current line.
func (in *Coordinates) coordinate(lines *text.Lines) Coordinate {
	c := Coordinate{Value: 1, Tokens: len(lines.Fields), Line: lines.Number}
	if in.array && len(in.Lines) > 0 {
		v, ok := text.ParseFloat(lines.Fields[0].Text)
		if !ok {
			v = math.NaN()
		}
		c.Value = v
		return c
	}
	for k, to := range []*int32{&c.I, &c.J} {
		if k == c.Tokens {
			return c
		}
		if v, ok := text.ParseInt(lines.Fields[k].Text); ok && v <= math.MaxInt32 {
			*to = int32(v)
		}
	}
	if c.Tokens > 2 {
		v, ok := text.ParseFloat(lines.Fields[2].Text)
		if !ok {
			v = math.NaN()
		}
		c.Value = v
	}
	return c
}

// banner reads the first line of a Matrix Market file.
func (c *Coordinates) banner(words []text.Field) error {
	const wantBanner = "expected the line `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, or array for coordinate"
	if len(words) != 5 {
		return c.errorAt(1, words[0], wantBanner)
	}
	for k, of := range []struct {
		allowed []string
		want    string
	}{
		{[]string{"matrix"}, wantBanner},
		{[]string{"coordinate", "array"}, "expected format coordinate or array"},
		{[]string{"real", "integer", "pattern"}, "expected field real, integer or pattern"},
		{[]string{"general", "symmetric", "skew-symmetric"}, "expected symmetry general, symmetric or skew-symmetric"},
	} {
		if word := words[k+1]; !slices.Contains(of.allowed, strings.ToLower(word.Text)) {
			return c.errorAt(1, word, of.want)
		}
	}
	c.field, c.Symmetry = strings.ToLower(words[3].Text), strings.ToLower(words[4].Text)
	c.mirror = map[string]float64{"symmetric": 1, "skew-symmetric": -1}[c.Symmetry]
	if c.array = strings.EqualFold(words[2].Text, "array"); c.array && c.field == "pattern" {
		return c.errorAt(1, words[3], "an array has values: expected field real or integer")
	}
	return nil
}

// Announced returns the number of entries that the first of the Lines announces
// if it is the header of a matrix, three whole numbers.
func (c *Coordinates) Announced() (entries int64, ok bool) {
	size, err := c.header()
	return size[2], err == nil
}

// ErrorAt returns a *ParseError about a token of Lines[k], both counted from 0.
func (c *Coordinates) ErrorAt(k, token int, msg string) error {
	return c.errorAt(c.Lines[k].Line, c.fields(k)[token], msg)
}

func (c *Coordinates) errorAt(line int, f text.Field, msg string) error {
	return &ParseError{File: c.Name, Line: line, Column: f.Column, Token: f.Text, Msg: msg}
}

// fields splits Lines[k] once more, which only headers and errors need.
func (c *Coordinates) fields(k int) []text.Field {
	lines := text.NewLines(c.text)
	for lines.Number < c.Lines[k].Line {
		lines.Next()
	}
	return lines.Fields
}
