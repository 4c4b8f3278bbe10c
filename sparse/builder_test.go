package sparse

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// build appends rows of two entries and returns the data set. The columns of every third row are out of
// order.
func build(t testing.TB, b *Builder, rows int, label func(i int) float64) (*Dataset, error) {
	t.Helper()
	r := newGenerator(3)
	for i := range rows {
		idx, val := []int32{int32(i % 5), 5 + int32(r.integer(4))}, []float64{r.normal(), 0}
		if i%3 == 0 {
			slices.Reverse(idx)
		}
		sparsetest.Must(t, b.Append(idx, val, label(i)))
	}
	return b.Dataset()
}

// TestBuilder checks that a Builder returns the same data from memory and from disk, and that its
// file has the bytes that WriteFile writes for these data.
func TestBuilder(t *testing.T) {
	const rows = 3000
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for name, tt := range map[string]struct {
		opt        ReadOptions
		labelCount int
	}{
		"two":        {ReadOptions{}, 2},
		"negative":   {ReadOptions{Positive: new(0.0)}, 2},
		"three":      {ReadOptions{MaxClasses: 3}, 3},
		"reversed":   {ReadOptions{Classes: Classes{Values: []float64{1, 0}}}, 2},
		"one":        {ReadOptions{Classes: Classes{Values: []float64{1, 0}}}, 1},
		"classes":    {ReadOptions{Classes: Classes{Values: []float64{0, 1, 2, 3}}}, 3},
		"regression": {ReadOptions{Regression: true}, 700},
		"counts":     {ReadOptions{Regression: true, Counts: true}, 2},
		"any":        {ReadOptions{AnyLabels: true}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			label := func(i int) float64 { return float64(i % tt.labelCount) }
			b := NewBuilder(9)
			b.Options, b.Names = tt.opt, names
			want, err := build(t, b, rows, label)
			sparsetest.Must(t, err)
			dir := t.TempDir()
			b = NewBuilder(9)
			b.Options, b.Names, b.File = tt.opt, names, filepath.Join(dir, "rows.scas")
			b.Options.Memory = 40_000
			got, err := build(t, b, rows, label)
			sparsetest.Must(t, err)
			defer got.Close()
			if !sameBits(got.X, want.X) || !sameFloats(got.Labels, want.Labels) || got.X.file == nil || want.X.file != nil {
				t.Errorf("%v labels %v, want %v", got.X.file, got.Labels[:9], want.Labels[:9])
			}
			got.Stats.Bytes = 0
			if diff := cmp.Diff([]any{want.Signs, want.Classes, want.Names, want.Stats},
				[]any{got.Signs, got.Classes, got.Names, got.Stats}); diff != "" || want.Stats.SortedRows != rows/3 {
				t.Errorf("%d rows sorted: %s", want.Stats.SortedRows, diff)
			}
			wantOnlyFiles(t, dir, "rows.scas")
			file, err := os.ReadFile(b.File)
			sparsetest.Must(t, err)
			anyBuilder := NewBuilder(9)
			anyBuilder.Options, anyBuilder.Names = ReadOptions{AnyLabels: true}, names
			d, err := build(t, anyBuilder, rows, label)
			sparsetest.Must(t, err)
			if !bytes.Equal(file, binaryBytes(t, d)) {
				t.Error("the file is not what WriteFile writes")
			}
			if err := b.Append(nil, nil, 0); err == nil {
				t.Error("a row is added after Dataset")
			}
		})
	}
}

// TestBuilderTemporaryFile checks that a temporary file is removed once its data are mapped, and
// that the data stay readable.
func TestBuilderTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	b := NewBuilder(9)
	b.Options = ReadOptions{Memory: 10_000, Regression: true}
	d, err := build(t, b, 1000, func(i int) float64 { return float64(i) })
	sparsetest.Must(t, err)
	wantOnlyFiles(t, dir)
	if n, p := d.X.Dims(); n != 1000 || p != 9 || d.Labels[999] != 999 || d.X.Changed(nil) != nil {
		t.Errorf("%d x %d, labels up to %v, %v", n, p, d.Labels[len(d.Labels)-1], d.X.Changed(nil))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestBuilderRefusesRows checks that an invalid row is an error with its place, is not
// added, and does not affect other rows.
func TestBuilderRefusesRows(t *testing.T) {
	b := NewBuilder(4)
	for i := range 2 {
		sparsetest.Must(t, b.Append([]int32{3, 1}, []float64{1, 2}, float64(i)))
	}
	for _, tt := range []struct {
		idx   []int32
		val   []float64
		label float64
		want  string
	}{
		{[]int32{0}, nil, 0, "sparse: row 3: 1 columns but 0 values: want as many"},
		{[]int32{0, 4}, []float64{1, 1}, 0, "sparse: row 3, position 1: column 4 is outside 0..3"},
		{[]int32{-1}, []float64{1}, 0, "column -1 is outside"},
		{[]int32{3, 1, 3}, []float64{1, 2, 3}, 0, "sparse: row 3: column 3 comes twice"},
		{[]int32{1, 1}, []float64{1, 2}, 0, "row 3, position 1: column 1 follows column 1"},
		{[]int32{2}, []float64{math.Inf(1)}, 0, "row 3, position 0 (column 2): value +Inf is not finite"},
		{[]int32{2}, []float64{1}, math.NaN(), "row 3: label NaN is not finite"},
		{[]int32{2}, []float64{1}, 7, `appended rows:3: "7": a third label, after 0 (line 1) and 1 (line 2)`},
	} {
		sparsetest.CheckError(t, b.Append(tt.idx, tt.val, tt.label), tt.want)
	}
	d, err := b.Dataset()
	if err != nil || d.X.NNZ() != 4 || !slices.Equal(d.Labels, []float64{-1, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := b.Dataset(); err == nil {
		t.Error("a second data set of one builder")
	}
}

// TestBuilderLeavesNothing checks that a builder that fails, or is closed without a call of Dataset, leaves
// no new file and does not change an existing file.
func TestBuilderLeavesNothing(t *testing.T) {
	firstClass := func(int) float64 { return 1 }
	for name, tt := range map[string]struct {
		label func(i int) float64
		opt   ReadOptions
		want  string
	}{
		"one class": {firstClass, ReadOptions{}, "every label is 1"},
		"positive": {
			func(i int) float64 { return float64(i % 2) }, ReadOptions{Positive: new(3.0)},
			"the label 3 said to be positive does not occur",
		},
		"single": {func(i int) float64 { return min(2, float64(i)) }, ReadOptions{MaxClasses: 3}, "the only row of this label"},
	} {
		dir := t.TempDir()
		for _, memory := range []int64{0, 5000} {
			b := NewBuilder(9)
			b.Options, b.File = tt.opt, filepath.Join(dir, "rows.scas")
			b.Options.Memory = memory
			sparsetest.Must(t, os.WriteFile(b.File, []byte("old"), 0o666))
			_, err := build(t, b, 500, tt.label)
			sparsetest.CheckError(t, err, tt.want)
			wantOnlyFiles(t, dir, "rows.scas")
			if old, _ := os.ReadFile(b.File); string(old) != "old" {
				t.Errorf("%s: the old file is now %d bytes", name, len(old))
			}
		}
	}
	dir := t.TempDir()
	newSpillingBuilder := func(file string) *Builder {
		b := NewBuilder(9)
		b.File, b.Options.Memory, b.Options.Regression = file, 5000, true
		return b
	}
	b := newSpillingBuilder(filepath.Join(dir, "none", "rows.scas"))
	var err error
	for i := 0; err == nil && i < 500; i++ {
		err = b.Append([]int32{1}, []float64{1}, 1)
	}
	sparsetest.CheckError(t, err, "sparse: writing rows to a file", "none")
	sparsetest.CheckError(t, b.Append([]int32{1}, []float64{1}, 1), err.Error())
	b = newSpillingBuilder(filepath.Join(dir, "taken"))
	sparsetest.Must(t, os.Mkdir(b.File, 0o777))
	_, err = build(t, b, 500, firstClass)
	sparsetest.CheckError(t, err, "taken")
	wantOnlyFiles(t, dir, "taken")
	b = newSpillingBuilder(filepath.Join(dir, "rows.scas")) // the test closes a file of this builder
	for err = nil; err == nil; {
		err = b.Append([]int32{1}, []float64{1}, 1)
		if b.file != nil {
			b.file.parts.files[valuesPart].f.Close()
		}
	}
	sparsetest.CheckError(t, err, "sparse: writing the rows of", "rows.scas", "closed")
	wantOnlyFiles(t, dir, "taken")
	b = newSpillingBuilder(filepath.Join(dir, "rows.scas")) // it is closed without a call of Dataset
	for range 500 {
		sparsetest.Must(t, b.Append([]int32{1}, []float64{1}, 1))
	}
	wantOnlyFiles(t, dir, ".rows.scas.parts", "taken")
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	wantOnlyFiles(t, dir, "taken")
}

func TestBuilderOptionsRefused(t *testing.T) {
	for want, b := range map[string]*Builder{
		"NewBuilder(-1): want 0 to":         NewBuilder(-1),
		"1 names for 2 columns":             {cols: 2, Names: []string{"a"}},
		"ReadOptions.MaxClasses is -2":      {Options: ReadOptions{MaxClasses: -2}},
		"without rows: append one at least": {},
	} {
		_, err := b.Dataset()
		sparsetest.CheckError(t, err, want)
	}
}

// TestBuilderRecords checks that records, kept in memory or on disk, give the same rows, fill
// values, offsets and names as a table with the same cells.
func TestBuilderRecords(t *testing.T) {
	names := []string{"height", "soil=clay", "soil=sand"}
	opt := ReadOptions{
		Classes: Classes{Values: []float64{0, 1}, Names: []string{"green", "ripe"}},
		Table:   TableOptions{Label: "state", Offset: "log", Fill: map[string]float64{"height": 2}},
	}
	cells := [][]string{
		{"1.5", "clay", "0.5", "green"}, {"", "sand", "-1", "ripe"}, {"3", "peat", "0", "ripe"},
		{"0", "peat", "2", "green"}, {"4", "loam", "0", "green"},
	}
	tableText := "height,soil,log,state\n"
	for _, c := range cells {
		tableText += strings.Join(c, ",") + "\n"
	}
	readOpt := opt
	readOpt.Names = names
	want, err := Read(strings.NewReader(tableText), "t.csv", &readOpt)
	sparsetest.Must(t, err)
	for _, memory := range []int64{0, 1} {
		b := &Builder{Names: names, Options: opt}
		b.Options.Memory = memory
		for _, c := range cells {
			record := map[string]any{"height": c[0], "soil": []byte(c[1]), "log": c[2], "other": 1}
			sparsetest.Must(t, b.AppendRecord(record, map[string]float64{"green": 0, "ripe": 1}[c[3]]))
		}
		err := b.AppendRecord(map[string]any{"height": "tall", "soil": "clay", "log": 0}, 1)
		sparsetest.CheckError(t, err, `sparse: row 6: column height: "tall": expected a finite number`)
		sparsetest.CheckError(t, b.AppendRecord(map[string]any{"height": 1, "log": 0}, 1),
			"sparse: row 6: the record lacks the columns of soil")
		got, err := b.Dataset()
		sparsetest.Must(t, err)
		defer got.Close()
		if !sameBits(got.X, want.X) || !sameFloats(got.Labels, want.Labels) ||
			!sameFloats(got.Offsets, want.Offsets) || (got.X.file != nil) != (memory == 1) {
			t.Errorf("%v %v, want %v %v", got.Labels, got.Offsets, want.Labels, want.Offsets)
		}
		summary := &TableSummary{
			Label: "state", Offset: "log", Numbers: 1, Fill: map[string]float64{"height": 2},
			Categorical: []Category{{Column: "soil", Categories: 2, Unknown: 3, Example: "peat"}},
		}
		if diff := cmp.Diff([]any{want.Classes, want.Names, summary}, []any{got.Classes, got.Names, got.Table}); diff != "" {
			t.Error(diff)
		}
		if want.Table.Categorical[0].Unknown != 3 || want.Table.Fill["height"] != 2 {
			t.Errorf("as a table %+v", want.Table)
		}
	}
	sparsetest.CheckError(t, NewBuilder(3).AppendRecord(nil, 0), "the features have no names")
}
