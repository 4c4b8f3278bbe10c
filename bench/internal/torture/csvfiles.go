package torture

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
)

// csvData is a table as ReadCSV documents its reading.
type csvData struct {
	naiveData
	names []string
}

// csvRecords cuts a text into cells, one character after the other.
func csvRecords(text string, delimiter byte) ([][]string, error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var records [][]string
	var record []string
	for len(text) > 0 {
		if record == nil {
			if rest, blank := strings.CutPrefix(strings.TrimPrefix(text, "\r"), "\n"); blank {
				text = rest
				continue
			}
		}
		cell, rest, err := csvCell(text, delimiter)
		if err != nil {
			return nil, err
		}
		record = append(record, cell)
		if rest[0] == '\n' {
			records, record = append(records, record), nil
		}
		text = rest[1:]
	}
	return records, nil
}

// csvCell reads a cell; rest begins with what ends it.
func csvCell(text string, delimiter byte) (cell, rest string, err error) {
	if text[0] != '"' {
		end := strings.IndexFunc(text, func(r rune) bool { return r == '\n' || r == rune(delimiter) })
		cell, rest = text[:end], text[end:]
		if strings.Contains(cell, `"`) {
			return "", "", refusedAt(0)
		}
		if rest[0] == '\n' {
			cell = strings.TrimSuffix(cell, "\r")
		}
		return strings.Trim(cell, " \t"), rest, nil
	}
	var b strings.Builder
	for k := 1; k < len(text); k++ {
		switch {
		case text[k] != '"':
			b.WriteByte(text[k])
		case k+1 < len(text) && text[k+1] == '"':
			b.WriteByte('"')
			k++
		default:
			rest = text[k+1:]
			if strings.HasPrefix(rest, "\r\n") {
				rest = rest[1:]
			}
			if rest == "" || rest[0] != delimiter && rest[0] != '\n' {
				return "", "", refusedAt(0)
			}
			return b.String(), rest, nil
		}
	}
	return "", "", refusedAt(0)
}

// isAbsent is of a cell without a value.
func isAbsent(cell string) bool {
	return slices.Contains([]string{"", "na", "n/a", "nan", "null"}, strings.ToLower(cell))
}

// isInfinite is of a number that is none of float64.
func isInfinite(cell string) bool {
	v, err := strconv.ParseFloat(strings.TrimLeft(cell, "+-"), 64)
	return math.IsInf(v, 0) || math.IsNaN(v) || err != nil && v != 0
}

// readNaiveCSV reads a table without missing values.
func readNaiveCSV(text string, opt sparse.ReadOptions) (*csvData, error) {
	text, err := plainText(text)
	if err != nil {
		return nil, err
	}
	records, err := csvRecords(text, opt.Table.Delimiter)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, refusedAt(0)
	}
	names, err := csvHeader(records[0], opt)
	if err != nil {
		return nil, err
	}
	if !opt.Table.NoHeader {
		records = records[1:]
	}
	if len(records) == 0 || slices.ContainsFunc(records, func(r []string) bool { return len(r) != len(names) }) {
		return nil, refusedAt(0)
	}
	label := csvLabel(names)
	d := &csvData{naiveData: naiveData{rows: make([]naiveRow, len(records))}}
	for i := range d.rows {
		d.rows[i].value = map[int64]float64{}
	}
	for c, name := range names {
		column := make([]string, len(records))
		for i, r := range records {
			if column[i] = r[c]; isAbsent(r[c]) {
				return nil, refusedAt(0)
			}
		}
		if c == label {
			err = d.takeLabels(column, opt)
		} else {
			err = d.takeColumn(name, column)
		}
		if err != nil {
			return nil, err
		}
	}
	if sorted := slices.Sorted(slices.Values(d.names)); len(slices.Compact(sorted)) != len(d.names) || d.names == nil {
		return nil, refusedAt(0)
	}
	d.cols = int64(len(d.names))
	return d, nil
}

// csvHeader returns the names of the columns.
func csvHeader(first []string, opt sparse.ReadOptions) ([]string, error) {
	if len(first) == 1 && strings.Index(first[0], ";") > 0 {
		return nil, refusedAt(0)
	}
	names, numbers := slices.Clone(first), 0
	for c := range names {
		if _, ok := number(names[c]); ok {
			numbers++
		}
		if opt.Table.NoHeader {
			names[c] = strconv.Itoa(c + 1)
		}
		if names[c] == "" || slices.Contains(names[:c], names[c]) {
			return nil, refusedAt(0)
		}
	}
	if !opt.Table.NoHeader && numbers == len(names) {
		return nil, refusedAt(0)
	}
	return names, nil
}

func csvLabel(names []string) int {
	for _, usual := range []string{"label", "target", "y"} {
		if c := slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, usual) }); c >= 0 {
			return c
		}
	}
	return len(names) - 1
}

// takeLabels takes numbers or, of two classes, words.
func (d *csvData) takeLabels(column []string, opt sparse.ReadOptions) error {
	_, numeric := number(column[0])
	var kinds []float64
	var words []string
	for i, cell := range column {
		v, ok := number(cell)
		switch {
		case !ok && (numeric || opt.Regression || isInfinite(cell)), !numeric && isInfinite(cell):
			return refusedAt(0)
		case !numeric && !slices.Contains(words, cell):
			words = append(words, cell)
		}
		d.rows[i].label = v
		if numeric {
			var err error
			if kinds, err = naiveKind(kinds, v, opt); err != nil {
				return err
			}
		}
	}
	if numeric {
		return d.mapLabels(kinds, opt)
	}
	if opt.Regression || len(words) != 2 {
		return refusedAt(0)
	}
	slices.Sort(words)
	d.mapping = sparse.LabelMapping{Negative: 0, Positive: 1, NegativeName: words[0], PositiveName: words[1]}
	for i, cell := range column {
		d.rows[i].label = -1
		if cell == words[1] {
			d.rows[i].label = 1
		}
	}
	return nil
}

// takeColumn makes features of a column: one of numbers, or one for each category.
func (d *csvData) takeColumn(name string, column []string) error {
	put := func(i int, v float64) {
		if v != 0 || math.Signbit(v) {
			d.rows[i].value[int64(len(d.names))] = v
		}
	}
	if _, ok := number(column[0]); ok {
		for i, cell := range column {
			v, ok := number(cell)
			if !ok {
				return refusedAt(0)
			}
			put(i, v)
		}
		d.names = append(d.names, name)
		return nil
	}
	first := column[0]
	if isInfinite(first) || len(first) > 2 && strings.Index(first, ",") > 0 && strings.Trim(first, "+-.,0123456789") == "" {
		return refusedAt(0)
	}
	for _, value := range slices.Compact(slices.Sorted(slices.Values(column))) {
		for i, cell := range column {
			if cell == value {
				put(i, 1)
			}
		}
		d.names = append(d.names, name+"="+value)
	}
	return nil
}

// csvText is a valid table.
func csvText(rng *rand.Rand, opt sparse.ReadOptions) string {
	columns, rows := 2+rng.IntN(4), 1+rng.IntN(7)
	categorical := make([]bool, columns)
	var b strings.Builder
	line := func(cells []string) {
		for c, cell := range cells {
			if chance(rng, 6) || strings.ContainsAny(cell, "\"\n"+string(opt.Table.Delimiter)) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			} else if chance(rng, 6) && opt.Table.Delimiter != '\t' {
				cell = pick(rng, " ", "\t") + cell + pick(rng, "", " ")
			}
			if c > 0 {
				b.WriteByte(opt.Table.Delimiter)
			}
			b.WriteString(cell)
		}
		b.WriteString(pick(rng, "\n", "\n", "\r\n", "\n\n"))
	}
	cells := make([]string, columns)
	for c := range cells {
		categorical[c] = chance(rng, 3) && (c < columns-1 || !opt.Regression)
		cells[c] = pick(rng, "a", "b", "size, m", "he said \"x\"", "é", "c=1", "x", "Y", "label", "two\nlines") + strconv.Itoa(c)
		if chance(rng, 30) {
			cells[c] = pick(rng, "y", "Target", "label", "", "1")
		}
	}
	if !opt.Table.NoHeader {
		line(cells)
	}
	for range rows {
		for c := range cells {
			switch {
			case categorical[c]:
				cells[c] = pick(rng, "red", "blue", "red", "a,b", "1x")
			case c == columns-1 && !opt.Regression:
				cells[c] = pick(rng, "1", "-1", "0")
			default:
				cells[c] = numeral(rng)
			}
		}
		line(cells)
	}
	return b.String()
}

// tryCSV reads one table, damaged or not, twice.
func tryCSV(_ context.Context, seed uint64) (string, error) {
	rng := random(seed)
	opt := sparse.ReadOptions{Regression: chance(rng, 2), Table: sparse.TableOptions{Delimiter: pick(rng, byte(','), ',', ';', '\t', '|'), NoHeader: chance(rng, 5)}}
	text := damaged(rng, csvText(rng, opt))
	if chance(rng, 4) {
		text = strings.ReplaceAll(text, pick(rng, ",", "\"", "\n"), pick(rng, "\"", "\"\"", ",", "\n", ";", "\r"))
	}
	if isCompressed(text) {
		return "refused", badArchive(text, func(r *bytes.Reader) error {
			_, err := sparse.ReadCSV(r, "f", &opt)
			return err
		})
	}
	want, wantErr := readNaiveCSV(text, opt)
	got, err := sparse.ReadCSV(strings.NewReader(packed(rng, text)), "f", &opt)
	if err != nil || wantErr != nil {
		how, wrong := verdict(text, err, wantErr)
		if wrong != nil {
			wrong = fmt.Errorf("%w\noptions %+v", wrong, opt)
		}
		return how, wrong
	}
	diff := want.differs(got)
	if diff == "" && !slices.Equal(got.Names, want.names) {
		diff = fmt.Sprintf("features %q, want %q", got.Names, want.names)
	}
	return accepted(text, diff)
}
