package sparse

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// libsvmTexts are valid texts and the data that they contain.
var libsvmTexts = []struct {
	name       string
	text       string
	opt        *ReadOptions
	want       [][]float64
	labels     []float64
	classes    Classes
	base       IndexBase
	sortedRows int // ReadStats.SortedRows: the number of rows with unsorted indices
}{
	{name: "plain", text: "+1 1:0.5 3:-2\n-1 2:1e2\n",
		want: [][]float64{{.5, 0, -2}, {0, 100, 0}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{-1, 1}}, base: OneBased},
	{name: "no final newline", text: "2 1:1\n1 2:1",
		want: [][]float64{{1, 0}, {0, 1}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{1, 2}}, base: OneBased},
	{name: "blanks, CRLF, tabs, comments", text: "\ufeff# head\r\n\r\n  1\t1:1 \t 2:2  # tail 3:9\r\n\n-1\r\n   \n#3\n1 2:5#6\r\n",
		want: [][]float64{{1, 2}, {0, 0}, {0, 5}}, labels: []float64{1, -1, 1},
		classes: Classes{Values: []float64{-1, 1}}, base: OneBased},
	{name: "zero based found", text: "1 1:1 2:2\n0 0:7 2:3\n",
		want: [][]float64{{0, 1, 2}, {7, 0, 3}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{0, 1}}, base: ZeroBased},
	{name: "zero based stated", text: "1 1:1 2:2\n0 2:3\n", opt: &ReadOptions{IndexBase: ZeroBased},
		want: [][]float64{{0, 1, 2}, {0, 0, 3}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{0, 1}}, base: ZeroBased},
	{name: "features stated", text: "1 2:1\n0\n", opt: &ReadOptions{Features: 4},
		want: [][]float64{{0, 1, 0, 0}, {0, 0, 0, 0}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{0, 1}}, base: OneBased},
	{name: "last feature, base open", text: "1 0:1 3:1\n0\n", opt: &ReadOptions{Features: 4},
		want: [][]float64{{1, 0, 0, 1}, {0, 0, 0, 0}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{0, 1}}, base: ZeroBased},
	{name: "unsorted", text: "1 3:3 1:1 2:2\n0 1:1 2:2\n0 2:9 0:8\n",
		want: [][]float64{{0, 1, 2, 3}, {0, 1, 2, 0}, {8, 0, 9, 0}}, labels: []float64{1, -1, -1},
		classes: Classes{Values: []float64{0, 1}}, base: ZeroBased, sortedRows: 2},
	{name: "positive chosen", text: "1 1:1\n2 1:2\n", opt: &ReadOptions{Positive: new(1.0)},
		want: [][]float64{{1}, {2}}, labels: []float64{1, -1}, classes: Classes{Values: []float64{2, 1}}, base: OneBased},
	{name: "positive zero", text: "0 1:1\n1 1:2\n", opt: &ReadOptions{Positive: new(0.0)},
		want: [][]float64{{1}, {2}}, labels: []float64{1, -1}, classes: Classes{Values: []float64{1, 0}}, base: OneBased},
	{name: "classes given, one label", text: "2 1:1\n2 1:2\n", opt: &ReadOptions{Classes: Classes{Values: []float64{1, 2}}},
		want: [][]float64{{1}, {2}}, labels: []float64{1, 1}, classes: Classes{Values: []float64{1, 2}}, base: OneBased},
	{name: "regression", text: "1.5 1:1\n-2e-3 1:2\n7 1:0\n", opt: &ReadOptions{Regression: true},
		want: [][]float64{{1}, {2}, {0}}, labels: []float64{1.5, -.002, 7}, base: OneBased},
	{name: "any labels", text: "0 1:1\n0 1:2\n", opt: &ReadOptions{AnyLabels: true},
		want: [][]float64{{1}, {2}}, labels: []float64{0, 0}, base: OneBased},
	{name: "odd numbers", text: "1. 01:.5 2:+5.e-1 003:1E+2\n-1 00000000004:-0\n",
		want: [][]float64{{.5, .5, 100, 0}, {0, 0, 0, math.Copysign(0, -1)}}, labels: []float64{1, -1},
		classes: Classes{Values: []float64{-1, 1}}, base: OneBased},
	{name: "no entries at all", text: "1\n-1\n",
		want: [][]float64{{}, {}}, labels: []float64{1, -1}, classes: Classes{Values: []float64{-1, 1}}, base: OneBased},
}

func TestReadLIBSVM(t *testing.T) {
	for _, tt := range libsvmTexts {
		t.Run(tt.name, func(t *testing.T) {
			d := mustRead(t, tt.text, tt.opt)
			if diff := cmp.Diff(tt.want, sparsetest.Dense(d.X)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.labels, d.Labels); diff != "" {
				t.Error(diff)
			}
			if !cmp.Equal(d.Classes, tt.classes) || d.Signs == tt.classes.IsZero() {
				t.Errorf("classes %v, want %v", d.Classes, tt.classes)
			}
			want := ReadStats{
				Rows: len(tt.want), NNZ: d.X.NNZ(), IndexBase: tt.base, SortedRows: tt.sortedRows,
				Bytes: int64(len(tt.text)),
			}
			if diff := cmp.Diff(want, d.Stats); diff != "" {
				t.Error(diff)
			}
			if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil {
				t.Errorf("the reader built an invalid matrix: %v", err)
			}
		})
	}
}

func TestReadLIBSVMRefuses(t *testing.T) {
	tests := []struct {
		name, text   string
		opt          *ReadOptions
		line, column int
		want         []string
	}{
		{"empty", "", nil, 0, 0, []string{"f.txt: the file is empty"}},
		{"comments only", "# nothing\n\n", nil, 0, 0, []string{"no samples"}},
		{"NaN value", "1 1:1\n0 1:nan 2:3\n", nil, 2, 3, []string{`f.txt:2:3: "1:nan"`, "not finite"}},
		{"Inf value", "1 1:1\n0 1:1 2:-Inf\n", nil, 2, 7, []string{`"2:-Inf"`, "not finite"}},
		{"overflowing value", "1 1:1e400\n", nil, 1, 3, []string{`"1:1e400"`, "not finite"}},
		{"NaN label", "1 1:1\nNaN 1:1\n", nil, 2, 1, []string{`"NaN"`, "not finite"}},
		{"hexadecimal", "1 1:0x10\n", nil, 1, 3, []string{`"1:0x10"`, "decimal"}},
		{"underscore", "1 1:1_0\n", nil, 1, 3, []string{`"1:1_0"`}},
		{"words", "1 1:1\n  spam 1:1\n", nil, 2, 3, []string{`"spam"`, "expected a label"}},
		{"missing label", "1:1 2:1\n", nil, 1, 1, []string{`"1:1"`, "label is missing"}},
		{"commas", "1,2,3\n", nil, 1, 1, []string{`"1,2,3"`, "comma-separated"}},
		{"no colon", "1 1:1 2 3:1\n", nil, 1, 7, []string{`"2"`, "expected index:value"}},
		{"space after colon", "1 1: 2\n", nil, 1, 3, []string{`"1:"`, "right after the colon"}},
		{"comment as value", "1 1:#2\n", nil, 1, 3, []string{`"1:"`, "right after the colon"}},
		{"two colons", "1 1:2:3\n", nil, 1, 3, []string{`"1:2:3"`, "number after the colon"}},
		{"no index", "1 :3\n", nil, 1, 3, []string{`":3"`, "whole number"}},
		{"negative index", "1 -1:3\n", nil, 1, 3, []string{`"-1:3"`, "whole number"}},
		{"fractional index", "1 1.5:3\n", nil, 1, 3, []string{`"1.5:3"`, "whole number"}},
		{"index beyond 32 bits", "1 2147483648:3\n", nil, 1, 3, []string{"too large", "2147483647"}},
		{"index beyond 64 bits", "1 99999999999999999999999:3\n", nil, 1, 3, []string{"too large"}},
		{"index wrapping 64 bits", "1 18446744073709551617:3\n", nil, 1, 3, []string{"too large"}},
		{"qid", "1 qid:3 1:1\n", nil, 1, 3, []string{`"qid:3"`, "ranking", "remove"}},
		{"repeated", "1 1:1\n0 1:1 4:2 4:3\n", nil, 2, 11, []string{`"4:3"`, "twice"}},
		{"repeated, unsorted", "1 1:1\n0 4:2 1:1 04:3\n", nil, 2, 11, []string{`"04:3"`, "index 4 stands twice"}},
		{"repeated, zero based", "1 0:1\n0 4:2 0:1 4:3\n", nil, 2, 11, []string{`"4:3"`, "index 4 stands twice"}},
		{"repeated, strict", "1 4:2 4:1\n", &ReadOptions{Strict: true}, 1, 7, []string{`"4:1"`, "twice"}},
		{"unsorted, strict", "1 1:1 4:2 3:1\n", &ReadOptions{Strict: true}, 1, 11, []string{`"3:1"`, "index 3 after index 4"}},
		{
			"index 0 in base 1", "1 1:1\n0 1:1\n0 0:1\n", &ReadOptions{IndexBase: OneBased}, 3, 3,
			[]string{`"0:1"`, "count from 1", "IndexBase to ZeroBased"},
		},
		{"beyond p", "1 1:1 4:1 5:1\n", &ReadOptions{Features: 4}, 1, 11, []string{`"5:1"`, "4 features"}},
		{
			"beyond p, base 0", "1 3:1 4:1\n", &ReadOptions{Features: 4, IndexBase: ZeroBased}, 1, 7,
			[]string{`"4:1"`, "at most 3"},
		},
		{"beyond p, base 0 found before", "1 0:1\n0 3:1 4:1\n", &ReadOptions{Features: 4}, 2, 7, []string{`"4:1"`, "at most 3"}},
		{"beyond p, base 0 found later", "1 3:1 4:1\n0 0:1\n", &ReadOptions{Features: 4}, 1, 7, []string{`"4:1"`, "at most 3"}},
		{
			"three labels", "1 1:1\n2 1:1\n1\n# x\n 3 1:1\n", nil, 5, 2,
			[]string{`"3"`, "third label", "1 (line 1)", "2 (line 2)", "Regression"},
		},
		{"one label", "1 1:1\n1 1:1\n", nil, 0, 0, []string{"every label is 1", "two classes"}},
		{"positive absent", "1 1:1\n2 1:1\n", &ReadOptions{Positive: new(3.0)}, 0, 0, []string{"label 3", "1 and 2"}},
		{
			"unknown label", "1 1:1\n3 1:1\n", &ReadOptions{Classes: Classes{Values: []float64{1, 2}}},
			2, 1, []string{`"3"`, "unknown label", "1 or 2"},
		},
		{"noise", "\x7fELF\x02\x01\x00\x00", nil, 1, 1, []string{"not a text file"}},
		{"noise later", "1 1:1\n\x00\n", nil, 2, 1, []string{`"\x00"`, "not a text file"}},
		{"high noise", "\x93\xb1\xd2\xe5\n", nil, 1, 1, []string{`"\x93\xb1\xd2\xe5"`, "expected a label"}},
		{"UTF-16", "\xff\xfe1\x00", nil, 1, 1, []string{"UTF-16"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readAs(LIBSVM, strings.NewReader(tt.text), "f.txt", tt.opt)
			wantParseError(t, err, tt.line, tt.column, tt.want...)
		})
	}
}

func TestReadOptionsRefused(t *testing.T) {
	for _, tt := range []struct {
		opt  ReadOptions
		want string
	}{
		{ReadOptions{IndexBase: 3}, "IndexBase is IndexBase(3)"},
		{ReadOptions{Features: -1}, "Features is -1"},
		{ReadOptions{Features: MaxCols + 1}, "Features is 2147483649"},
		{ReadOptions{Regression: true, Positive: new(1.0)}, "more than one"},
		{ReadOptions{Positive: new(math.NaN())}, "Positive is NaN"},
		{ReadOptions{Format: "svm"}, `Format is "svm": want one of [libsvm csv`},
		{ReadOptions{LabelsFile: "y.txt"}, "f is read as libsvm, which has labels"},
	} {
		_, err := readAs(LIBSVM, strings.NewReader("1 1:1\n0 1:1\n"), "f", &tt.opt)
		sparsetest.CheckError(t, err, tt.want)
	}
	_, err := ReadFile(t.TempDir()+"/none", nil)
	sparsetest.CheckError(t, err, "none", "no such file")
	_, err = ReadFile(t.TempDir(), nil)
	sparsetest.CheckError(t, err, "directory")
}

// TestBlockBoundaries checks that rows do not depend on where blocks end. The text has short lines and lines
// longer than a block, and some readers return few bytes at a time.
func TestBlockBoundaries(t *testing.T) {
	var b strings.Builder
	var lengths []int
	value := 0
	for _, n := range []int{1, 3, blockSize / 9, 2, blockSize, 5, 0, blockSize / 10, blockSize / 10, blockSize / 10, 1} {
		fmt.Fprintf(&b, "%d", len(lengths)%2)
		for k := range n {
			fmt.Fprintf(&b, " %d:%d", k+1, value)
			value++
		}
		b.WriteString("\n")
		lengths = append(lengths, n)
	}
	text := b.String()
	checkRows := func(t *testing.T, r io.Reader) {
		d, err := readAs(LIBSVM, r, "long", nil)
		sparsetest.Must(t, err)
		value := 0
		for i, n := range lengths {
			idx, val := d.X.Row(i)
			if len(idx) != n {
				t.Fatalf("row %d has %d entries, want %d", i, len(idx), n)
			}
			for k := range idx {
				if int(idx[k]) != k || val[k] != float64(value) {
					t.Fatalf("row %d entry %d is %d:%v, want %d:%d", i, k, idx[k], val[k], k, value)
				}
				value++
			}
		}
	}
	t.Run("whole", func(t *testing.T) { checkRows(t, strings.NewReader(text)) })
	t.Run("half", func(t *testing.T) { checkRows(t, iotest.HalfReader(strings.NewReader(text))) })
	t.Run("byte", func(t *testing.T) { checkRows(t, iotest.OneByteReader(strings.NewReader(text))) })
	t.Run("data with EOF", func(t *testing.T) { checkRows(t, iotest.DataErrReader(strings.NewReader(text))) })
	t.Run("failing", func(t *testing.T) {
		failingReader := io.MultiReader(
			strings.NewReader(text[:len(text)/2]), iotest.ErrReader(io.ErrClosedPipe))
		_, err := readAs(LIBSVM, failingReader, "long", nil)
		sparsetest.CheckError(t, err, "reading long", io.ErrClosedPipe.Error())
	})
}

// TestEveryBlockPhase checks that short lines are read correctly, wherever a block ends within a line.
func TestEveryBlockPhase(t *testing.T) {
	lines := "1 1:0.123456 7:-3.25e-2 12345:8\n0 2:5\n"
	want := mustRead(t, lines, nil)
	for shift := range len(lines) + 1 {
		filler := "#" + strings.Repeat("x", blockSize-len(lines)+shift-2) + "\n"
		if d := mustRead(t, filler+lines, nil); !sameBits(d.X, want.X) {
			t.Fatalf("shift %d: %v, want %v", shift, sparsetest.Dense(d.X), sparsetest.Dense(want.X))
		}
	}
}

// TestFirstErrorWins checks that the earliest error is reported, although blocks are parsed in parallel.
func TestFirstErrorWins(t *testing.T) {
	const lines = 200_000                // about 14 blocks
	goodLines := make([]string, lines+1) // counted from 1
	for i := range goodLines {
		goodLines[i] = fmt.Sprintf("%d 3:%d 17:0.5", 2*(i%2)-1, i)
	}
	textWith := func(brokenLines map[int]string) string {
		text := slices.Clone(goodLines)
		for i, line := range brokenLines {
			text[i] = line
		}
		return strings.Join(text[1:], "\n")
	}
	for _, c := range []struct {
		brokenLines  map[int]string
		line, column int
		want         string
	}{
		{map[int]string{150_000: "1 3:x", 150_001: "5 3:1"}, 150_000, 3, "after the colon"},
		{map[int]string{150_000: "5 3:1", 150_001: "1 3:x"}, 150_000, 1, "a third label, after 1 (line 1) and -1 (line 2)"},
		{map[int]string{20_000: " 5 3:1", 190_000: "1 3:x"}, 20_000, 2, "a third label"},
		{map[int]string{20_000: "1 3:1 3:1", 20_001: "7", 190_000: "8"}, 20_000, 7, "stands twice"},
		{map[int]string{190_000: "1 99:1"}, 190_000, 3, "beyond the last of 20 features: expected at most 20"},
		{map[int]string{100: "1 20:1", 190_000: "1 0:1"}, 100, 3, "counted from 0"},
		{map[int]string{150_000: "1 20:1", 190_000: "1 0:1"}, 150_000, 3, "counted from 0"},
	} {
		_, err := readAs(LIBSVM, strings.NewReader(textWith(c.brokenLines)), "f", &ReadOptions{Features: 20})
		var parseErr *ParseError
		if !errors.As(err, &parseErr) || parseErr.Line != c.line || parseErr.Column != c.column ||
			!strings.Contains(parseErr.Msg, c.want) {
			t.Errorf("%v: %v, want line %d, column %d, %q", c.brokenLines, err, c.line, c.column, c.want)
		}
	}
	endlessReader := &repeatReader{text: "1 1:1\n"}
	if _, err := readAs(LIBSVM, io.MultiReader(strings.NewReader("1 1:1\n1 1:y\n"), endlessReader), "f",
		nil); err == nil || endlessReader.position > 64*blockSize {
		t.Errorf("%v after %d bytes more", err, endlessReader.position)
	}
}
