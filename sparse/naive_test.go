package sparse

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// naiveLIBSVM reads LIBSVM text line by line, as LIBSVM documents it. It does not map labels to −1 and 1.
// rows has a map from column numbers to values for each row; columns are numbered from 0. If the text is not
// valid, ok is false. line is then the number of the first wrong line, from 1; it is 0 if no single line is
// wrong.
func naiveLIBSVM(text string, opt *ReadOptions) (labels []float64, rows []map[int]float64, cols, line int, ok bool) {
	var kinds []float64
	largest, hasZero := -1, false
	for k, s := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		s, _, _ = strings.Cut(s, "#")
		words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\v\f", r) })
		if len(words) == 0 {
			continue
		}
		label, isNumber := naiveDecimal(words[0])
		if !isNumber {
			return nil, nil, 0, k + 1, false
		}
		row, previous := map[int]float64{}, -1
		for _, w := range words[1:] {
			index, value, hasColon := strings.Cut(w, ":")
			j, err := strconv.ParseUint(index, 10, 64)
			v, isNumber := naiveDecimal(value)
			_, twice := row[int(j)]
			maxIndex := MaxCols
			if opt.Features > 0 {
				maxIndex = opt.Features
			}
			if opt.Features > 0 && opt.IndexBase == ZeroBased {
				maxIndex--
			}
			if !hasColon || err != nil || j > uint64(maxIndex) || !isNumber || twice ||
				opt.Strict && int(j) <= previous || opt.IndexBase == OneBased && j == 0 {
				return nil, nil, 0, k + 1, false
			}
			row[int(j)], previous = v, int(j)
			largest, hasZero = max(largest, int(j)), hasZero || j == 0
		}
		if !slices.Contains(kinds, label) {
			kinds = append(kinds, label)
		}
		if len(kinds) > 2 && !opt.Regression {
			return nil, nil, 0, k + 1, false
		}
		labels, rows = append(labels, label), append(rows, row)
	}
	base := 1
	if opt.IndexBase == ZeroBased || hasZero {
		base = 0
	}
	cols = max(0, largest+1-base)
	if len(rows) == 0 || !opt.Regression && len(kinds) != 2 || opt.Features > 0 && cols > opt.Features {
		return nil, nil, 0, 0, false
	}
	if base == 1 {
		for i, row := range rows {
			rows[i] = map[int]float64{}
			for j, v := range row {
				rows[i][j-1] = v
			}
		}
	}
	return labels, rows, max(cols, opt.Features), 0, true
}

var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// naiveDecimal returns the value of s. ok is false if s is not a finite decimal number.
func naiveDecimal(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && decimal.MatchString(s)
}

// checkLIBSVM compares d and err, the results of Read for text, with the results of naiveLIBSVM.
func checkLIBSVM(t *testing.T, text string, opt *ReadOptions, d *Dataset, err error) {
	t.Helper()
	labels, rows, cols, line, ok := naiveLIBSVM(text, opt)
	if err != nil {
		var parse *ParseError
		if ok || !errors.As(err, &parse) || line > 0 && parse.Line > 0 && parse.Line != line {
			t.Fatalf("%v; the naive reader: ok %v, line %d", err, ok, line)
		}
		return
	}
	if !ok {
		t.Fatalf("read as %v, %v; the naive reader refuses line %d", sparsetest.Dense(d.X), d.Labels, line)
	}
	if n, p := d.X.Dims(); n != len(rows) || p != cols || !sameFloats(labels, d.OriginalLabels()) {
		t.Fatalf("%d x %d, labels %v; want %d x %d, %v", n, p, d.OriginalLabels(), len(rows), cols, labels)
	}
	for i, row := range rows {
		idx, val := d.X.Row(i)
		same := len(idx) == len(row)
		for k, j := range idx {
			v, found := row[int(j)]
			same = same && found && math.Float64bits(v) == math.Float64bits(val[k])
		}
		if !same {
			t.Fatalf("row %d is %v, %v; want %v", i, idx, val, row)
		}
	}
}

// TestReaderAgreesWithNaiveReader compares Read with naiveLIBSVM, bit for bit.
func TestReaderAgreesWithNaiveReader(t *testing.T) {
	checkAgreement := func(t *testing.T, text []byte) {
		opt := &ReadOptions{Regression: true}
		checkLIBSVM(t, string(text), opt, mustRead(t, string(text), opt), nil)
	}
	for _, decimals := range []int{0, 3, 7, 8, 9, 15, 16, 17, 20, 30} {
		t.Run("decimals="+strconv.Itoa(decimals), func(t *testing.T) {
			checkAgreement(t, rcv1Text(50, decimals))
		})
	}
	for _, name := range []string{
		"small/housing_scale", "small/abalone", "small/german.numer_scale",
		"paper/rcv1v2_binary_test.libsvm.zst", "paper/a9a.t.zst",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(sparsetest.DataFile(t, name))
			sparsetest.Must(t, err)
			defer f.Close()
			input, err := decompress(f, name)
			sparsetest.Must(t, err)
			defer input.Close()
			var b bytes.Buffer
			if _, err := io.Copy(&b, input); err != nil {
				t.Fatal(err)
			}
			checkAgreement(t, b.Bytes())
		})
	}
}
