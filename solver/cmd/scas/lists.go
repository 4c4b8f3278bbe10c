package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// A line of a text file, cut at the blanks.
type line struct {
	file   string
	number int // from 1
	words  []word
}

type word struct {
	text   string
	column int // of its first byte, from 1
}

func (l line) errorAt(w word, format string, args ...any) error {
	return &sparse.ParseError{File: l.file, Line: l.number, Column: w.column, Token: w.text, Msg: fmt.Sprintf(format, args...)}
}

// eachLine calls do for the lines of a file, possibly compressed, until it
// fails. Blank lines and comments from '#' on are skipped.
func eachLine(path string, do func(line) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, _, err := sparse.ReadText(f, path)
	if err != nil {
		return err
	}
	l := line{file: path}
	for text := range bytes.Lines(data) {
		l.number++
		text, _, _ := bytes.Cut(text, []byte("#"))
		l.words = l.words[:0]
		at := 0
		for field := range strings.FieldsSeq(string(text)) {
			at += bytes.Index(text[at:], []byte(field))
			l.words = append(l.words, word{field, at + 1})
			at += len(field)
		}
		if len(l.words) > 0 {
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWeights reads a weight for every row of the data, one a line.
func readWeights(path string, rows int) ([]float64, error) {
	var weights []float64
	var total float64
	err := eachLine(path, func(l line) error {
		if len(l.words) > 1 {
			return l.errorAt(l.words[1], "expected one weight a line")
		}
		w := l.words[0]
		v, err := strconv.ParseFloat(w.text, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 1) {
			return l.errorAt(w, "expected a weight, a finite number that is not negative")
		}
		weights = append(weights, v)
		total += v
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(weights) != rows:
		return nil, &sparse.ParseError{File: path, Msg: fmt.Sprintf("%s: expected one for each of the %s of the data", plural(len(weights), "weight"), plural(rows, "row"))}
	case total == 0:
		return nil, &sparse.ParseError{File: path, Msg: "every weight is 0: expected a larger one"}
	}
	return weights, nil
}

// readGroups reads disjoint groups of the numbers 1 to limit, one group a line,
// and returns them counted from 0.
func readGroups(path string, limit int) ([][]int, error) {
	var groups [][]int
	in := make([]int, limit) // line of the group each number is in
	err := eachLine(path, func(l line) error {
		group := make([]int, len(l.words))
		for k, w := range l.words {
			v, err := strconv.Atoi(w.text)
			if err != nil || v < 1 || v > limit {
				return l.errorAt(w, "expected a number in 1..%d, a row of A", limit)
			}
			if first := in[v-1]; first != 0 {
				return l.errorAt(w, "%d is in the group of line %d already: expected it once", v, first)
			}
			in[v-1], group[k] = l.number, v-1
		}
		groups = append(groups, group)
		return nil
	})
	if err == nil && len(groups) == 0 {
		err = &sparse.ParseError{File: path, Msg: "no group: expected numbers of rows of A, one group a line"}
	}
	return groups, err
}
