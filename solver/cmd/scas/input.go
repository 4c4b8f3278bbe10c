package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// checkExist returns an error if one of the paths names no file. An empty path is ignored.
func checkExist(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
			return &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
		}
	}
	return nil
}

// A line is a line of a text file without its comment, and the words of the line.
type line struct {
	file, text string
	number     int // number of the line in the file, from 1
	words      []string
}

// errorAt returns an error about a word of the line. word is the index of the word, from 0.
func (l line) errorAt(word int, format string, args ...any) *sparse.ParseError {
	offset := 0
	for _, w := range l.words[:word] {
		offset += strings.Index(l.text[offset:], w) + len(w)
	}
	offset += strings.Index(l.text[offset:], l.words[word])
	return &sparse.ParseError{
		File: l.file, Line: l.number, Column: offset + 1, Token: l.words[word],
		Msg: fmt.Sprintf(format, args...),
	}
}

// numberErrorAt returns an error about a word of the line that stands where a number is expected.
func (l line) numberErrorAt(word int, format string, args ...any) error {
	err := l.errorAt(word, format, args...)
	err.Number = true
	return err
}

// readTextFile returns the text of a file, which may be compressed.
func readTextFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sparse.ReadText(f, path)
}

// eachLine calls do for each line of a file, which may be compressed. It skips blank lines, and cuts off
// comments. A comment begins with '#' at the beginning of a line or after a blank.
func eachLine(path string, do func(l line) error) error {
	data, err := readTextFile(path)
	if err != nil {
		return err
	}
	number := 0
	for rawLine := range bytes.Lines(data) {
		number++
		text := withoutComment(string(rawLine))
		if words := strings.Fields(text); len(words) > 0 {
			if err := do(line{path, text, number, words}); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutComment returns a line without its comment. A '#' within a word, such as C#, begins no comment.
func withoutComment(text string) string {
	for k := range len(text) {
		if text[k] == '#' && (k == 0 || text[k-1] == ' ' || text[k-1] == '\t') {
			return text[:k]
		}
	}
	return text
}

// readNumbers reads a file with count numbers, one on each line. It refuses negative numbers unless signed
// is true. For error messages, noun says what a number is, such as weight, and item what has it, such as row.
func readNumbers(path, noun string, signed bool, count int, item string) ([]float64, error) {
	want := "a finite number"
	if !signed {
		want += " that is not negative"
	}
	numbers := make([]float64, 0, count)
	err := eachLine(path, func(l line) error {
		if len(l.words) > 1 {
			return l.errorAt(1, "expected one %s a line", noun)
		}
		v, ok := parseFinite(l.words[0])
		if !ok || v < 0 && !signed {
			return l.numberErrorAt(0, "expected one %s a line, %s", noun, want)
		}
		numbers = append(numbers, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(numbers) != count {
		return nil, &sparse.ParseError{
			File: path,
			Msg: fmt.Sprintf("%s: expected one for each of the %s of the data",
				plural(len(numbers), noun), plural(count, item)),
		}
	}
	return numbers, nil
}

// parseFinite parses word as a number. ok is false if word is not a finite decimal number.
func parseFinite(word string) (v float64, ok bool) {
	odd := strings.Trim(word, "0123456789+-.eE") != "" // ParseFloat would accept 0x1p3 and 1_0
	v, err := strconv.ParseFloat(word, 64)
	return v, !odd && err == nil && isFinite(v)
}

// readWeights reads a weight for every row of all processes, and returns the weights of the rows of this
// process.
func readWeights(path string, rows portion) ([]float64, error) {
	weights, err := readNumbers(path, "weight", false, rows.total, "row")
	if err != nil {
		return nil, err
	}
	var total float64
	for _, w := range weights {
		total += w
	}
	rankWeights := rows.cut(weights)
	switch {
	case !isFinite(total):
		return nil, &sparse.ParseError{
			File: path,
			Msg:  "the weights sum to more than a number can hold: divide all of them by the largest",
		}
	case total == 0:
		return nil, &sparse.ParseError{File: path, Msg: "every weight is 0: expected a larger one"}
	case !slices.ContainsFunc(rankWeights, func(w float64) bool { return w > 0 }):
		return nil, &sparse.ParseError{
			File: path, Line: rows.start + 1,
			Msg: fmt.Sprintf("from here on the weights of all %s that one rank has are 0: expected a larger one; shuffle the rows, or leave these out", plural(rows.count, "row")),
		}
	}
	return rankWeights, nil
}

// readOffsets reads an offset for every row of all processes, and stores the offsets of this process in
// data.
func readOffsets(path string, data *sparse.Dataset, rows portion) error {
	if path == "" {
		return nil
	}
	offsets, err := readNumbers(path, "offset", true, rows.total, "row")
	if err == nil {
		data.Offsets = rows.cut(offsets)
	}
	return err
}

// readGroups reads a file with disjoint groups, one on each line. The members of a group are numbers of
// features, or of rows of A, from 1 to count. The result has the numbers minus 1. member says in error
// messages what the numbers count: "feature" or "row of A".
func readGroups(path string, count int, member string) ([][]int, error) {
	var groups [][]int
	lineOf := make([]int, count) // for each member, the number of its line; 0 if no line has it
	err := eachLine(path, func(l line) error {
		group := make([]int, len(l.words))
		for k, word := range l.words {
			j, ok := parseIndex(word, count)
			if !ok {
				return l.errorAt(k, "expected a number in 1..%d, of a %s", count, member)
			}
			if firstLine := lineOf[j]; firstLine != 0 {
				return l.errorAt(k, "%d is in the group of line %d already: expected it once", j+1, firstLine)
			}
			lineOf[j], group[k] = l.number, j
		}
		groups = append(groups, group)
		return nil
	})
	if err == nil && groups == nil {
		err = &sparse.ParseError{File: path, Msg: "no group: expected one a line, the numbers of its members"}
	}
	return groups, err
}

// parseIndex returns j if word is the whole number j+1 and 0 <= j < count. Otherwise ok is false.
func parseIndex(word string, count int) (j int, ok bool) {
	u, err := strconv.ParseUint(word, 10, 31) // ParseUint accepts no sign
	return int(u) - 1, err == nil && u > 0 && int(u) <= count
}

// readBounds reads a file with bounds of coefficients. A line has the name of a feature, its lower bound and
// its upper bound. If names is nil, the line has the number of the feature instead of the name, counted
// from 1. A feature without a line has no bounds.
func readBounds(path string, names []string, p int) (solver.Box, error) {
	box := solver.NewBox(p, math.Inf(-1), math.Inf(1))
	featureIndex := make(map[string]int, len(names))
	for j, name := range names {
		featureIndex[joinWords(strings.Fields(name))] = j
	}
	lineOf := map[int]int{} // for each feature, the number of the line with its bounds
	err := eachLine(path, func(l line) error {
		position := len(l.words) - 2 // index of the lower bound
		if position < 1 {
			return l.errorAt(0, "expected a feature, its lower bound and its upper bound")
		}
		name := joinWords(l.words[:position])
		j, known := featureIndex[name]
		switch {
		case names == nil:
			j, known = parseIndex(name, p)
			if !known {
				return l.errorAt(0,
					"expected a number in 1..%d, of a feature, before its lower and its upper bound", p)
			}
		case !known:
			return l.errorAt(0, "no feature has the name %q: %s", name, nameAdvice(name, names))
		}
		if firstLine := lineOf[j]; firstLine != 0 {
			return l.errorAt(0, "the bounds of feature %s are in line %d already: expected them once",
				name, firstLine)
		}
		lo, okLo := parseBound(l.words[position], -1)
		hi, okHi := parseBound(l.words[position+1], 1)
		switch {
		case !okLo:
			return l.numberErrorAt(position, "expected a lower bound, a finite number or -inf")
		case !okHi:
			return l.numberErrorAt(position+1, "expected an upper bound, a finite number or inf")
		case lo > hi:
			return l.errorAt(position+1, "expected an upper bound that is not below the lower bound %s",
				l.words[position])
		}
		box.Lower[j], box.Upper[j], lineOf[j] = lo, hi, l.number
		return nil
	})
	if err == nil && len(lineOf) == 0 {
		err = &sparse.ParseError{
			File: path, Msg: "no bounds: expected a feature, its lower bound and its upper bound a line",
		}
	}
	return box, err
}

// parseBound parses word as a finite number, or as the infinity of the given sign. ok is false if word is
// neither.
func parseBound(word string, sign int) (v float64, ok bool) {
	v, ok = parseFinite(word)
	if ok {
		return v, true
	}
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && math.IsInf(v, sign)
}

// nameAdvice returns advice about a name that is not in names.
func nameAdvice(name string, names []string) string {
	if match := mostSimilar(name, names); match != "" {
		return fmt.Sprintf("did you mean %q?", match)
	}
	return "expected the name of a feature, its lower bound and its upper bound"
}

func joinWords(words []string) string { return strings.Join(words, " ") }
