package torture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// A naiveRow is a row of a LIBSVM file.
type naiveRow struct {
	label float64
	value map[int64]float64 // by the index in the file
}

// naiveData is a LIBSVM file.
type naiveData struct {
	rows    []naiveRow
	base    int64
	cols    int64
	mapping sparse.LabelMapping
}

// readNaive reads a LIBSVM file as ReadLIBSVM documents it.
func readNaive(text string, opt sparse.ReadOptions) (*naiveData, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	d := &naiveData{base: 1}
	largest, zero := int64(-1), false
	var kinds []float64
	for k, line := range strings.Split(text, "\n") {
		words := tokens(line)
		if len(words) == 0 {
			continue
		}
		row, err := readNaiveRow(words, opt)
		if err != nil {
			return nil, refusedAt(k + 1)
		}
		for j := range row.value {
			largest, zero = max(largest, j), zero || j == 0
		}
		if kinds, err = naiveKind(kinds, row.label, opt); err != nil {
			return nil, refusedAt(k + 1)
		}
		d.rows = append(d.rows, row)
	}
	if opt.IndexBase == sparse.ZeroBased || zero {
		d.base = 0
	}
	d.cols = max(0, largest+1-d.base)
	if opt.Features > 0 && d.cols > int64(opt.Features) || len(d.rows) == 0 {
		return nil, refusedAt(0)
	}
	if opt.Features > 0 {
		d.cols = int64(opt.Features)
	}
	return d, d.mapLabels(kinds, opt)
}

func readNaiveRow(words []string, opt sparse.ReadOptions) (row naiveRow, err error) {
	label, ok := number(words[0])
	if !ok {
		return row, refusedAt(0)
	}
	row = naiveRow{label, map[int64]float64{}}
	limit := int64(math.MaxInt32)
	if opt.Features > 0 {
		limit = int64(opt.Features)
		if opt.IndexBase == sparse.ZeroBased {
			limit--
		}
	}
	previous := int64(-1)
	for _, w := range words[1:] {
		index, value, colon := strings.Cut(w, ":")
		j, ok := whole(index, min(limit, math.MaxInt32))
		v, isNumber := number(value)
		_, twice := row.value[j]
		switch {
		case !colon, !ok, !isNumber, twice, opt.Strict && j <= previous, opt.IndexBase == sparse.OneBased && j == 0:
			return row, refusedAt(0)
		}
		row.value[j], previous = v, j
	}
	return row, nil
}

// naiveKind keeps the values of labels, of which classification takes two.
func naiveKind(kinds []float64, label float64, opt sparse.ReadOptions) ([]float64, error) {
	switch {
	case opt.Regression || opt.AnyLabels:
		return nil, nil
	case !opt.Mapping.IsZero():
		if label != opt.Mapping.Negative && label != opt.Mapping.Positive {
			return nil, refusedAt(0)
		}
		return nil, nil
	case !slices.Contains(kinds, label):
		kinds = append(kinds, label)
	}
	if len(kinds) > 2 {
		return nil, refusedAt(0)
	}
	return kinds, nil
}

// mapLabels makes labels -1 and 1.
func (d *naiveData) mapLabels(kinds []float64, opt sparse.ReadOptions) error {
	d.mapping = opt.Mapping
	if opt.Regression || opt.AnyLabels {
		return nil
	}
	if opt.Mapping.IsZero() {
		if len(kinds) != 2 {
			return refusedAt(0)
		}
		d.mapping = sparse.LabelMapping{Negative: min(kinds[0], kinds[1]), Positive: max(kinds[0], kinds[1])}
		if opt.Positive != nil {
			if !slices.Contains(kinds, *opt.Positive) {
				return refusedAt(0)
			}
			if *opt.Positive == d.mapping.Negative {
				d.mapping.Negative, d.mapping.Positive = d.mapping.Positive, d.mapping.Negative
			}
		}
	}
	for i := range d.rows {
		sign := -1.0
		if d.rows[i].label == d.mapping.Positive {
			sign = 1
		}
		d.rows[i].label = sign
	}
	return nil
}

// differs says where a dataset is not what the naive reader has; the empty text if
// nowhere.
func (d *naiveData) differs(got *sparse.Dataset) string {
	rows, cols := got.X.Dims()
	switch {
	case rows != len(d.rows) || int64(cols) != d.cols || len(got.Labels) != rows:
		return fmt.Sprintf("%d x %d and %d labels, want %d x %d", rows, cols, len(got.Labels), len(d.rows), d.cols)
	case got.Mapping != d.mapping:
		return fmt.Sprintf("labels %+v, want %+v", got.Mapping, d.mapping)
	}
	for i, want := range d.rows {
		idx, val := got.X.Row(i)
		if !same(got.Labels[i], want.label) || len(idx) != len(want.value) {
			return fmt.Sprintf("row %d: label %v with %d entries, want %v with %d", i, got.Labels[i], len(idx), want.label, len(want.value))
		}
		for k, j := range idx {
			v, there := want.value[int64(j)+d.base]
			if !there || !same(v, val[k]) || k > 0 && j <= idx[k-1] {
				return fmt.Sprintf("row %d: %d:%v, want %v", i, j, val[k], v)
			}
		}
	}
	return ""
}

// libsvmText is a valid file of some rows.
func libsvmText(rng *rand.Rand, classes bool) string {
	var b strings.Builder
	features, base := 1+rng.IntN(pick(rng, 3, 12, 300)), pick(rng, 0, 1, 1, 1)
	for range 1 + rng.IntN(12) {
		label := numeral(rng)
		if classes {
			label = pick(rng, "1", "-1", "+1", "1.0")
		}
		b.WriteString(label)
		for j := range features {
			if chance(rng, 2) {
				fmt.Fprintf(&b, "%s%d:%s", pick(rng, " ", " ", "\t", "  "), j+base, numeral(rng))
			}
		}
		b.WriteString(pick(rng, "\n", "\n", "\n", " \n", " # a comment\n", "\n\n"))
	}
	return b.String()
}

// readOptions draws how a file is read.
func readOptions(rng *rand.Rand) sparse.ReadOptions {
	opt := sparse.ReadOptions{Strict: chance(rng, 4), IndexBase: pick(rng, sparse.AutoBase, sparse.AutoBase, sparse.ZeroBased, sparse.OneBased)}
	if chance(rng, 3) {
		opt.Features = pick(rng, 1, 3, 12, 300, 301, 1000, math.MaxInt32)
	}
	switch rng.IntN(6) {
	case 0:
		opt.Regression = true
	case 1:
		opt.AnyLabels = true
	case 2:
		opt.Mapping = sparse.LabelMapping{Negative: -1, Positive: 1}
	case 3:
		one := pick(rng, 1.0, -1, 0)
		opt.Positive = &one
	}
	return opt
}

// tryData reads one file, damaged or not, twice.
func tryData(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	opt := readOptions(rng)
	text := damaged(rng, libsvmText(rng, !opt.Regression || chance(rng, 2)))
	if isCompressed(text) {
		return "refused", badArchive(text, func(r *bytes.Reader) error {
			_, err := sparse.ReadLIBSVM(r, "f", &opt)
			return err
		})
	}
	want, wantErr := readNaive(text, opt)
	got, err := sparse.ReadLIBSVM(strings.NewReader(packed(rng, text)), "f", &opt)
	if err == nil && wantErr == nil {
		if diff := want.differs(got); diff != "" {
			return "", fmt.Errorf("%s\noptions %+v, file %s", diff, opt, quoted(text))
		}
		return "accepted", nil
	}
	return verdict(text, err, wantErr)
}

// verdict compares two verdicts of which one at least is a refusal.
func verdict(text string, err, wantErr error) (string, error) {
	var parse *sparse.ParseError
	lines := strings.Count(text, "\n") + 1
	switch {
	case (err == nil) != (wantErr == nil):
		return "", fmt.Errorf("error %v, the naive reader has %v line %d, file %s", err, wantErr, refusedLine(wantErr), quoted(text))
	case !errors.As(err, &parse):
		return "", fmt.Errorf("error %v of type %[1]T, want a ParseError, file %s", err, quoted(text))
	case !strings.HasPrefix(err.Error(), "f:"):
		return "", fmt.Errorf("the error %v does not name the file, %s", err, quoted(text))
	case parse.Line > lines:
		return "", fmt.Errorf("the error %v is about a line beyond %d, file %s", err, lines, quoted(text))
	case parse.Line > 0 && refusedLine(wantErr) > 0 && parse.Line != refusedLine(wantErr):
		return "", fmt.Errorf("the error %v is about another line than %d, file %s", err, refusedLine(wantErr), quoted(text))
	}
	return "refused", nil
}

// quoted shows a text that may be long.
func quoted(text string) string { return strconv.Quote(head(text)) }

// isCompressed reports whether a reader takes a text for a compressed one.
func isCompressed(text string) bool {
	return slices.ContainsFunc([]string{"\x1f\x8b\x08", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"}, func(magic string) bool { return strings.HasPrefix(text, magic) })
}

// badArchive is of a text that only begins like a compressed one: an error is due.
func badArchive(text string, read func(*bytes.Reader) error) error {
	if err := read(bytes.NewReader([]byte(text))); err == nil {
		return fmt.Errorf("no error about a broken archive, %s", quoted(text))
	}
	return nil
}

// packed compresses one text in four.
func packed(rng *rand.Rand, text string) string {
	if !chance(rng, 4) {
		return text
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // to a buffer
	_ = z.Close()
	return b.String()
}
