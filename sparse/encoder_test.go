package sparse

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestEncoderReadsAsTables checks that an Encoder returns the same rows for records as Read for a table
// with the same cells.
func TestEncoderReadsAsTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	columns := []string{"age", "soil", "a=b", "code", "odd", "left out"}
	cells := [][]string{
		{"1", "2.5", "-0", "0", "", "NA"}, {"clay", "loam", "x=y", "", "null", "sand"}, {"1", "3", "NaN"},
		{"1", "2", "01", ""}, {"p", "p=q", ""}, {"z", ""},
	}
	for round := range 200 {
		opt := &ReadOptions{
			Names: []string{"code=1", "age", "soil=clay", "a=b", "soil=loam", "odd=p=q", "odd=p", "code=2", "soil=x=y"},
			Table: TableOptions{NoLabel: true, Fill: map[string]float64{"age": 7, "a=b": 0}},
		}
		if round%4 == 0 {
			opt.Table.Fill = nil
		}
		record, row := map[string]any{}, make([]string, len(columns))
		for c, name := range columns {
			row[c] = cells[c][rng.IntN(len(cells[c]))]
			record[name] = row[c]
			if c == 0 && row[c] == "2.5" {
				record[name] = json.Number(row[c])
			}
			if row[c] == "" {
				record[name] = nil
			}
		}
		want, err := Read(strings.NewReader(strings.Join(columns, ",")+"\n"+strings.Join(row, ",")+"\n"), "t.csv", opt)
		e, bad := NewEncoder(opt)
		if bad != nil {
			t.Fatal(bad)
		}
		got, encodeErr := e.Encode(record)
		if (err == nil) != (encodeErr == nil) || errors.Is(err, ErrMissing) != errors.Is(encodeErr, ErrMissing) {
			t.Fatalf("%q: %v, as a table %v", row, encodeErr, err)
		}
		if err != nil {
			continue
		}
		idx, val := want.X.Row(0)
		if !slices.Equal(got.Indices, idx) || !slices.Equal(got.Values, val) {
			t.Errorf("%q: %v %v, as a table %v %v", row, got.Indices, got.Values, idx, val)
		}
		unknownCount := 0
		for _, c := range want.Table.Categorical {
			unknownCount += c.Unknown
		}
		if len(got.Unknown) != unknownCount {
			t.Errorf("%q: unknown categories of %v, as a table %d", row, got.Unknown, unknownCount)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	e, err := NewEncoder(&ReadOptions{
		Names: []string{"age", "soil=clay"},
		Table: TableOptions{Offset: "log", Fill: map[string]float64{"age": 3}},
	})
	sparsetest.Must(t, err)
	got, err := e.Encode(map[string]any{"age": nil, "soil": "peat", "log": 0.5, "more": struct{}{}})
	if err != nil || fmt.Sprint(*got) != "{[0] [3] 0.5 [soil]}" {
		t.Errorf("%+v, %v", got, err)
	}
	for want, record := range map[string]map[string]any{
		"lacks the columns of log, soil=clay": {"age": 1},
		"column age: \"old\": expected":       {"age": "old", "soil": "clay", "log": 0},
		"column age: true: expected":          {"age": true, "soil": "clay", "log": 0},
		"column age: a value of type []int":   {"age": []int{1}, "soil": "clay", "log": 0},
		"a missing value: expected an offset": {"age": 1, "soil": "clay", "log": nil},
	} {
		_, err := e.Encode(record)
		sparsetest.CheckError(t, err, want)
		if errors.Is(err, ErrMissing) != strings.Contains(want, "a missing value") {
			t.Errorf("%v: does it wrap ErrMissing?", err)
		}
	}
	// Column a has numbers. So a=b and a=b=c are not categories of a, but columns.
	e, err = NewEncoder(&ReadOptions{Names: []string{"a", "a=b", "c", "a=b=c"}})
	sparsetest.Must(t, err)
	_, err = e.Encode(map[string]any{"a": 1, "c": 2})
	sparsetest.CheckError(t, err, "lacks the columns of a=b, a=b=c:")
	if got, err := e.Encode(map[string]any{"a": 1, "c": 2, "a=b": 3, "a=b=c": 4}); err != nil || len(got.Indices) != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	for want, opt := range map[string]*ReadOptions{
		"have no names":            nil,
		"two features are called":  {Names: []string{"a", "a"}},
		"TableOptions.Fill is NaN": {Names: []string{"a"}, Table: TableOptions{Fill: map[string]float64{"a": math.NaN()}}},
		"which takes many":         {Names: []string{"a"}, Table: TableOptions{Missing: MissingMean}},
	} {
		_, err := NewEncoder(opt)
		sparsetest.CheckError(t, err, want)
	}
}

// TestEncoderMissing checks that all forms of a missing value become 0 by the rule MissingZero.
func TestEncoderMissing(t *testing.T) {
	e, err := NewEncoder(&ReadOptions{Names: []string{"a"}, Table: TableOptions{Missing: MissingZero}})
	sparsetest.Must(t, err)
	for _, value := range []any{nil, "", "NaN", math.NaN(), float32(math.NaN()), json.Number("null")} {
		if got, err := e.Encode(map[string]any{"a": value}); err != nil || len(got.Indices) != 0 {
			t.Errorf("%v: %+v, %v", value, got, err)
		}
	}
}

// TestEncoderTexts checks which text a value has as a category or as a number.
func TestEncoderTexts(t *testing.T) {
	e, err := NewEncoder(&ReadOptions{
		Names: []string{"a", "c=0.1", "c=u", "c= v", "c=v"}, Table: TableOptions{Missing: MissingZero},
	})
	sparsetest.Must(t, err)
	for _, c := range []struct {
		a, c any
		want string
	}{
		{0, 0.1, "[1] [1] []"}, {0, float32(0.1), "[1] [1] []"}, {0, "\tu ", "[2] [1] []"},
		{0, []byte(" u"), "[2] [1] []"}, {0, "u v", "[] [] [c]"},
		{0, " v", "[3] [1] []"}, {0, "v", "[4] [1] []"}, {0, "  v", "[4] [1] []"}, {0, " NA ", "[] [] []"},
		{" 2.5\t", "", "[0] [2.5] []"}, {" NA", " ", "[] [] []"}, {json.Number("3"), nil, "[0] [3] []"},
		{float32(0.5), nil, "[0] [0.5] []"},
	} {
		r, err := e.Encode(map[string]any{"a": c.a, "c": c.c})
		if err != nil {
			t.Errorf("%q, %q: %v", c.a, c.c, err)
		} else if got := fmt.Sprint(r.Indices, r.Values, r.Unknown); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.a, c.c, got, c.want)
		}
	}
}
