package sparse

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

const houses = `price,rooms,city,area
250.5,3,Ulm,80
310,4,Bonn,0
199,2,Ulm,-5e1
`

func mustReadCSV(t testing.TB, text string, opt *ReadOptions) *Dataset {
	t.Helper()
	d, err := readAs(CSV, strings.NewReader(text), "t.csv", opt)
	sparsetest.Must(t, err)
	return d
}

func TestReadCSV(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		opt         ReadOptions
		names       string
		want        [][]float64
		labels      []float64
		labelColumn string
	}{
		{"label chosen", houses, ReadOptions{Regression: true, Table: TableOptions{Label: "price"}},
			"rooms city=Bonn city=Ulm area", [][]float64{{3, 0, 1, 80}, {4, 1, 0, 0}, {2, 0, 1, -50}},
			[]float64{250.5, 310, 199}, "price chosen"},
		{"label by number, last by default", houses, ReadOptions{Regression: true},
			"price rooms city=Bonn city=Ulm", [][]float64{{250.5, 3, 0, 1}, {310, 4, 1, 0}, {199, 2, 0, 1}},
			[]float64{80, 0, -50}, "area last"},
		{
			"label named", "a,Target,b\n1,2,3\n4,5,6\n", ReadOptions{}, "a b", [][]float64{{1, 3}, {4, 6}},
			[]float64{-1, 1}, "Target named",
		},
		{"words", "a,y\n1,no\n2,yes\n3,no\n", ReadOptions{}, "a", [][]float64{{1}, {2}, {3}}, []float64{-1, 1, -1}, "y named"},
		{
			"words, positive", "a,y\n1,no\n2,yes\n", ReadOptions{PositiveName: "no"}, "a",
			[][]float64{{1}, {2}}, []float64{1, -1}, "y named",
		},
		{
			"any words", "a,y\n1,c\n2,a\n3,b\n", ReadOptions{AnyLabels: true}, "a",
			[][]float64{{1}, {2}, {3}}, []float64{2, 0, 1}, "y named",
		},
		{"categorical numbers, dropped, crlf, mark", "\ufeffid,zip,y\r\n7,01,1\r\n8,1,2\r\n", ReadOptions{
			Table: TableOptions{Categorical: []string{"zip"}, Drop: []string{"1"}},
		},
			"zip=01 zip=1", [][]float64{{1, 0}, {0, 1}}, []float64{-1, 1}, "y named"},
		{"quotes", "\"a, b\",\"c\"\"d\",y\n\"1\",\" x\ny\",0\n\n2,\"\"\"\",1", ReadOptions{},
			"a, b|c\"d= x\ny|c\"d=\"", [][]float64{{1, 1, 0}, {2, 0, 1}}, []float64{-1, 1}, "y named"},
		{"no header", "1,2,0\n3,x4,1\n", ReadOptions{Table: TableOptions{NoHeader: true, Categorical: []string{"2"}}},
			"1 2=2 2=x4", [][]float64{{1, 1, 0}, {3, 0, 1}}, []float64{-1, 1}, "3 last"},
		{
			"semicolons, blanks", "a; b ;y\n 1 ;2\t; 0\n3;4;1\n",
			ReadOptions{Table: TableOptions{Delimiter: ';'}}, "a b", [][]float64{{1, 2}, {3, 4}},
			[]float64{-1, 1}, "y named",
		},
		{"tabulators", "a\ty\n1\t0\n2\t1\n", ReadOptions{Format: TSV}, "a", [][]float64{{1}, {2}}, []float64{-1, 1}, "y named"},
		{
			"no labels", "a,b\n1,2\n", ReadOptions{AnyLabels: true, Table: TableOptions{NoLabel: true}},
			"a b", [][]float64{{1, 2}}, nil, " ",
		},
		{"mean", "a,b,c,y\n,3,u,0\n1,NA,,1\n2,nan,v,1\n0,6,n/a,0\n", ReadOptions{Table: TableOptions{Missing: MissingMean}},
			"a b c=u c=v", [][]float64{{1, 3, 1, 0}, {1, 4.5, 0, 0}, {2, 4.5, 0, 1}, {0, 6, 0, 0}},
			[]float64{-1, 1, 1, -1}, "y named"},
		{"median", "a,b,y\n,-3,0\n1,NULL,1\n2,0,1\n5,6,0\n-1,0,1\n", ReadOptions{Table: TableOptions{Missing: MissingMedian}},
			"a b", [][]float64{{1.5, -3}, {1, 0}, {2, 0}, {5, 6}, {-1, 0}}, []float64{-1, 1, 1, -1, 1}, "y named"},
		{
			"zero", "a,b,y\n,3,0\n1,,1\n", ReadOptions{Table: TableOptions{Missing: MissingZero}}, "a b",
			[][]float64{{0, 3}, {1, 0}}, []float64{-1, 1}, "y named",
		},
		{
			"missing first, then words", "a,b,y\n,3,0\nu,4,1\n",
			ReadOptions{Table: TableOptions{Missing: MissingMean}}, "a=u b", [][]float64{{0, 3}, {1, 4}},
			[]float64{-1, 1}, "y named",
		},
		{
			"missing category first, filled", "a,c,y\n1,,0\n,u,1\n3,v,0\n",
			ReadOptions{Table: TableOptions{Fill: map[string]float64{"a": 2}}}, "a c=u c=v",
			[][]float64{{1, 0, 0}, {2, 1, 0}, {3, 0, 1}}, []float64{-1, 1, -1}, "y named",
		},
		{"matched", "z,city,more,rooms,y\n9,Rome,1,3,1\n8,Ulm,,4,0\n", ReadOptions{
			Names:   []string{"rooms", "city=Bonn", "city=Ulm", "z"},
			Classes: Classes{Values: []float64{0, 1}},
		},
			"rooms city=Bonn city=Ulm z", [][]float64{{3, 0, 0, 9}, {4, 0, 1, 8}}, []float64{1, -1}, "y named"},
		{"matched, filled, without labels", "b,a\n,u\n2,\n", ReadOptions{
			Names: []string{"a=u", "a=v", "b"}, LabelsOptional: true,
			Table: TableOptions{Label: "y", Fill: map[string]float64{"b": 7}},
		},
			"a=u a=v b", [][]float64{{1, 0, 7}, {0, 0, 2}}, nil, " "},
		{"matched, missing values in the names", "c,y\nu,0\nNA,1\n,0\n\"NA\",1\n", ReadOptions{
			Names: []string{"c=", "c=NA", "c=u"}, Table: TableOptions{Missing: MissingZero},
		},
			"c= c=NA c=u", [][]float64{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, []float64{-1, 1, -1, 1}, "y named"},
		{"matched words", "a,l\n1,no\n", ReadOptions{
			Names:   []string{"a"},
			Classes: Classes{Values: []float64{0, 1}, Names: []string{"no", "yes"}},
		},
			"a", [][]float64{{1}}, []float64{-1}, "l last"},
		{
			"negative zero", "a,y\n-0,0\n1,1\n", ReadOptions{}, "a", [][]float64{{math.Copysign(0, -1)}, {1}},
			[]float64{-1, 1}, "y named",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mustReadCSV(t, tt.text, &tt.opt)
			sep := " "
			if strings.Contains(tt.names, "|") {
				sep = "|"
			}
			if got := strings.Join(d.Names, sep); got != tt.names {
				t.Errorf("names %q, want %q", got, tt.names)
			}
			if diff := cmp.Diff(tt.want, sparsetest.Dense(d.X)); diff != "" {
				t.Error(diff)
			}
			if got := d.Table.Label + " " + d.Table.Found; got != tt.labelColumn || !sameFloats(d.Labels, tt.labels) {
				t.Errorf("label %q, %v, want %q, %v", got, d.Labels, tt.labelColumn, tt.labels)
			}
			if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTableSummary(t *testing.T) {
	d := mustReadCSV(t, "z,city,more,rooms,y\n9,Rome,1,3,1\n8,Ulm,,4,0\n7,Rom,2,3,1\n",
		&ReadOptions{Names: []string{"rooms", "city=Ulm", "z"}})
	want := &TableSummary{
		Label: "y", Found: "named", Numbers: 2,
		Categorical: []Category{{Column: "city", Categories: 1, Unknown: 2, Example: "Rome"}},
		Ignored:     []string{"more"},
	}
	if diff := cmp.Diff(want, d.Table); diff != "" {
		t.Error(diff)
	}
	d = mustReadCSV(t, "a,b,c,y\n,3,u,no\n1,NA,,yes\n", &ReadOptions{Table: TableOptions{Missing: MissingMean}})
	want = &TableSummary{
		Label: "y", Found: "named", Classes: []string{"no", "yes"}, Numbers: 2,
		Categorical: []Category{{Column: "c", Categories: 1}},
		Filled:      2, Absent: 1, Missing: MissingMean, Fill: map[string]float64{"a": 1, "b": 3},
	}
	if diff := cmp.Diff(want, d.Table); diff != "" {
		t.Error(diff)
	}
	if c := (Classes{Values: []float64{0, 1}, Names: []string{"no", "yes"}}); !d.Signs || !cmp.Equal(d.Classes, c) {
		t.Errorf("%+v", d.Classes)
	}
	// The choice of the positive word does not change the numbers of the words.
	d = mustReadCSV(t, "a,y\n1,no\n2,yes\n", &ReadOptions{PositiveName: "no"})
	if c := (Classes{Values: []float64{1, 0}, Names: []string{"yes", "no"}}); !d.Signs || !cmp.Equal(d.Classes, c) {
		t.Errorf("%+v", d.Classes)
	}
	// In a categorical column, missing values before the first category count as missing categories too.
	d = mustReadCSV(t, "a,y\n,0\nu,1\n,1\n", &ReadOptions{Table: TableOptions{Missing: MissingZero}})
	want = &TableSummary{
		Label: "y", Found: "named", Categorical: []Category{{Column: "a", Categories: 1}}, Absent: 2,
		Missing: MissingZero, Fill: map[string]float64{},
	}
	if diff := cmp.Diff(want, d.Table); diff != "" {
		t.Error(diff)
	}
	// The first value of a column is a word, but its other values look like numbers.
	for _, c := range []struct {
		opt  TableOptions
		want Category
	}{
		{TableOptions{}, Category{Column: "age", Categories: 3, Numbers: 2, Line: 3, First: "old"}},
		{TableOptions{Categorical: []string{"age"}}, Category{Column: "age", Categories: 3, Numbers: 2}},
	} {
		d = mustReadCSV(t, "age,size,y\n\nold,S,1\n23,M,0\n25,S,0\n23,M,1\n", &ReadOptions{Table: c.opt})
		if diff := cmp.Diff([]Category{c.want, {Column: "size", Categories: 2}}, d.Table.Categorical); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	fillWithMean := ReadOptions{Table: TableOptions{Missing: MissingMean}}
	for _, tt := range []struct {
		name, text   string
		opt          ReadOptions
		line, column int
		want         []string
	}{
		{"empty", "", ReadOptions{}, 0, 0, []string{"the file is empty", "a header"}},
		{"blank", "\n\r\n", ReadOptions{}, 0, 0, []string{"the file is empty"}},
		{"header only", "a,b\n", ReadOptions{}, 0, 0, []string{"no line below it"}},
		{"no header", "1,2\n3,4\n", ReadOptions{}, 1, 0, []string{"nothing but numbers", "no header"}},
		{"short line", "a,y\n1,0\n2\n", ReadOptions{}, 3, 1, []string{"the number of cells is 1: expected 2"}},
		{
			"long line", "a,y\n1,0\n2,1,\n", ReadOptions{}, 3, 1,
			[]string{"the number of cells is 3: expected 2", "remove the delimiter at the end"},
		},
		{"twice", "a,a,y\n1,0,1\n", ReadOptions{}, 1, 0, []string{`two columns have the name "a"`}},
		{
			"other delimiter", "a;b;y\n1;0;1\n", ReadOptions{}, 1, 0,
			[]string{"set TableOptions.Delimiter to the delimiter of the file"},
		},
		{
			"no name", ",a,y\n0,1,1\n", ReadOptions{}, 1, 0,
			[]string{"column 1 has no name", "pandas", `set TableOptions.Drop to "1"`},
		},
		{
			"a delimiter at the end", "a,y,\n0,1,\n", ReadOptions{}, 1, 0,
			[]string{"column 3 has no name (does every line end", `set TableOptions.Drop to "3"`},
		},
		{
			"missing", "a,y\n1,0\n,1\n", ReadOptions{}, 3, 1,
			[]string{
				"column a", "a missing value: expected a value",
				`set TableOptions.Drop to "a", or set TableOptions.Missing to MissingMean`,
			},
		},
		{"missing as NA", "a,b,y\n1,2,0\n3,NA,1\n", ReadOptions{}, 3, 3, []string{`"NA"`, "column b", "a missing value"}},
		{"missing category", "a,y\nu,0\n,1\n", ReadOptions{}, 3, 1, []string{"a missing category", "of no category"}},
		{"missing label", "a,y\n1,0\n2,\n", fillWithMean, 3, 3, []string{"a missing label"}},
		{"no values", "a,b,y\n1,,0\n2,,1\n", fillWithMean, 0, 0, []string{"column b has no values"}},
		{
			"no values to fill", "a,b,y\n1,,0\n2,,1\n",
			ReadOptions{Table: TableOptions{Fill: map[string]float64{"b": 7}}}, 0, 0,
			[]string{"column b has no values", `set TableOptions.Drop to "b"`},
		},
		{
			"word among numbers", "a,y\n1,0\nx,1\n", ReadOptions{}, 3, 1,
			[]string{`"x"`, "column a", `set TableOptions.Categorical to "a" if its values are categories`},
		},
		{"infinite", "a,y\n1,0\n-inf,1\n", ReadOptions{}, 3, 1, []string{`"-inf"`, "not finite"}},
		{"infinite first", "a,y\n1e999,0\n1,1\n", ReadOptions{}, 2, 1, []string{`"1e999"`, "not finite"}},
		{
			"decimal comma", "a;y\n1,5;0\n", ReadOptions{Table: TableOptions{Delimiter: ';'}}, 2, 1,
			[]string{`"1,5"`, "decimal point"},
		},
		{"thousands", "a,y\n\"1,500.5\",0\n", ReadOptions{}, 2, 1, []string{"marks of thousands"}},
		{"quote within", "a,y\n1\"2,0\n", ReadOptions{}, 2, 2, []string{"a quote within a cell"}},
		{"behind a quote", "a,y\n\"1\"2,0\n", ReadOptions{}, 2, 4, []string{"behind a closing quote"}},
		{"not closed", "a,y\n1,0\n\"2,1\n3,1\n", ReadOptions{}, 3, 1, []string{"not closed"}},
		{"after a line break", "a,b,y\n\"x\n\ny\",1,0\nz,u,1\n", ReadOptions{}, 5, 3, []string{`"u"`, "column b"}},
		{"in a record of lines", "a,b,y\nx,1,0\n\"x\ny\",u,0\n", ReadOptions{}, 4, 4, []string{`"u"`, "column b"}},
		{
			"no such label", "a,y\n1,0\n", ReadOptions{Table: TableOptions{Label: "price"}}, 0, 0,
			[]string{`no column "price"`, "a, y", "set TableOptions.Label"},
		},
		{
			"no such category", "a,y\n1,0\n", ReadOptions{Table: TableOptions{Categorical: []string{"9"}}}, 0,
			0, []string{`no column "9"`, "set TableOptions.Categorical"},
		},
		{
			"nothing to drop", "a,y\n1,0\n", ReadOptions{Table: TableOptions{Drop: []string{"b"}}}, 0, 0,
			[]string{`no column "b"`, "set TableOptions.Drop"},
		},
		{
			"label dropped", "a,y\n1,0\n", ReadOptions{Table: TableOptions{Label: "a", Drop: []string{"a"}}},
			0, 0, []string{`"a"`, "cannot have the labels"},
		},
		{"no label", "a,b\n1,0\n", ReadOptions{Table: TableOptions{Drop: []string{"b"}}}, 0, 0, []string{"no column of labels"}},
		{"label alone", "y\n1\n", ReadOptions{Regression: true}, 0, 0, []string{"no column is a feature"}},
		{
			"commas for semicolons", "a,y\n1,0\n0,1\n", ReadOptions{Table: TableOptions{Delimiter: ';'}}, 0,
			0, []string{"no column is a feature", "set TableOptions.Delimiter to ','"},
		},
		{
			"third word", "a,y\n1,u\n1,v\n1,w\n", ReadOptions{}, 4, 3,
			[]string{`"w"`, "a third label, after u (line 2) and v (line 3)"},
		},
		{"third number", "a,y\n1,1\n1,2\n1,3\n", ReadOptions{}, 4, 3, []string{`"3"`, "a third label"}},
		{"one word", "a,y\n1,u\n1,u\n", ReadOptions{}, 0, 0, []string{"every label is u"}},
		{"positive word", "a,y\n1,u\n1,v\n", ReadOptions{PositiveName: "w"}, 0, 0, []string{"the label w", "u and v"}},
		{
			"positive number of words", "a,y\n1,no\n1,yes\n", ReadOptions{Positive: new(float64(1))}, 0, 0,
			[]string{"the label 1", "no and yes"},
		},
		{"positive word of numbers", "a,y\n1,0\n1,1\n", ReadOptions{PositiveName: "w"}, 0, 0, []string{"the label w", "0 and 1"}},
		{"word for a number", "a,y\n1,u\n", ReadOptions{Regression: true}, 2, 3, []string{`"u"`, "a finite decimal number"}},
		{"word among labels", "a,y\n1,1\n1,u\n", ReadOptions{}, 3, 3, []string{`"u"`, "as in the first line"}},
		{"infinite label", "a,y\n1,inf\n", ReadOptions{Regression: true}, 2, 3, []string{"label is not finite"}},
		{
			"unknown word", "a,y\n1,u\n",
			ReadOptions{Classes: Classes{Values: []float64{0, 1}, Names: []string{"n", "p"}}}, 2, 3,
			[]string{`"u"`, "expected n or p"},
		},
		{
			"unknown number", "a,y\n1,3\n", ReadOptions{Classes: Classes{Values: []float64{0, 1}}}, 2,
			3, []string{`"3"`, "unknown label"},
		},
		{
			"column absent", "a,y\n1,0\n", ReadOptions{Names: []string{"a", "b", "c=u"}}, 0, 0,
			[]string{`no column "b", and 1 more`, "has a, y"},
		},
		{
			"missing where nothing fills", "a,b\n1,\n",
			ReadOptions{Names: []string{"a", "b"}, LabelsOptional: true, Table: TableOptions{Fill: map[string]float64{"a": 1}}},
			2, 3, []string{"no value that would fill"},
		},
		{
			"missing after a number where nothing fills", "a,b,y\n1,2,0\n1,\"NA\",1\n",
			ReadOptions{Table: TableOptions{Fill: map[string]float64{"a": 1}}}, 3, 3,
			[]string{"column b", "no value that would fill"},
		},
		{
			"missing number first where nothing fills", "a,b,y\n1,,0\n1,3,1\n",
			ReadOptions{Table: TableOptions{Fill: map[string]float64{"a": 1}}}, 2, 0,
			[]string{"column b", "no value that would fill"},
		},
		{"name of a category", "a,a=u,y\nu,1,0\n", ReadOptions{}, 0, 0, []string{`"a=u"`, "rename"}},
		{"features", "a,y\n1,0\n2,1\n", ReadOptions{Features: 3}, 0, 0, []string{"the table has 1 features", "stated 3"}},
		{"beyond the mean", "a,y\n1e308,0\n1.7e308,1\n,1\n", fillWithMean, 0, 0, []string{"column a", "beyond float64"}},
		{
			"memory", houses, ReadOptions{Regression: true, Memory: 64}, 0, 0,
			[]string{"of memory, more than the", "set ReadOptions.Memory to a larger number"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readAs(CSV, strings.NewReader(tt.text), "t.csv", &tt.opt)
			wantParseError(t, err, tt.line, tt.column, append(tt.want, "t.csv")...)
		})
	}
	for _, o := range []TableOptions{
		{Delimiter: '"'}, {Delimiter: '1'}, {Missing: "mode"},
		{Fill: map[string]float64{"a": math.NaN()}}, {Fill: map[string]float64{"a": math.Inf(-1)}},
	} {
		_, err := readAs(CSV, strings.NewReader(houses), "t.csv", &ReadOptions{Table: o})
		sparsetest.CheckError(t, err, "sparse: TableOptions.")
	}
}

// TestCSVBlocks checks that the result does not depend on where blocks of the text end, for short
// and for long records, and that a quote that never closes is an error before it fills the memory.
func TestCSVBlocks(t *testing.T) {
	for _, size := range []int{10, blockSize/2 - 20, blockSize - 3, 3 * blockSize} {
		cellText := strings.Repeat("line\n", size/5)
		var b strings.Builder
		b.WriteString("a,b,y\n")
		for i := range 7 {
			fmt.Fprintf(&b, "%d,\"%s\",%d\n", i, cellText, i%2)
		}
		d := mustReadCSV(t, b.String(), nil)
		if d.X.rows != 7 || d.X.cols != 2 || d.Names[1] != "b="+cellText || d.Stats.Bytes != int64(b.Len()) {
			t.Errorf("%d: %d x %d, %d bytes of %d", size, d.X.rows, d.X.cols, d.Stats.Bytes, b.Len())
		}
	}
	mib := allocatedMiB(func() {
		_, err := readAs(CSV, io.MultiReader(strings.NewReader("a,y\n\""), &repeatReader{text: "1,\n"}), "t.csv", nil)
		wantParseError(t, err, 0, 0, "a line of more than 64 MiB")
	})
	if mib > 400 {
		t.Errorf("a quote that never closes takes %d MiB", mib)
	}
}

// TestOffsets checks that the offset column is neither feature nor label, in any position,
// quoted or not.
func TestOffsets(t *testing.T) {
	want := []float64{0.5, -1, 0, 2e3}
	for name, c := range map[string]struct {
		text string
		opt  ReadOptions
	}{
		"first":         {"log,a,y\n0.5,1,0\n-1,2,1\n0,3,0\n2e3,4,1\n", ReadOptions{}},
		"last":          {"a,b,log\n1,0,0.5\n2,1,-1\n3,0,0\n4,1,2e3\n", ReadOptions{}}, // b is the label column
		"quoted":        {"a,log,y\n1,\"0.5\",0\n2,-1,1\n\"3\",0,0\n4,2e3,1\n", ReadOptions{}},
		"words between": {"a,log,c,y\n1,0.5,u,0\n2,-1,v,1\n3,0,u,0\n4,2e3,w,1\n", ReadOptions{}},
		"by names":      {"z,log,a,y\n8,0.5,1,0\n8,-1,2,1\n8,0,3,0\n8,2e3,4,1\n", ReadOptions{Names: []string{"a"}}},
	} {
		c.opt.Table.Offset = "log"
		d := mustReadCSV(t, c.text, &c.opt)
		if diff := cmp.Diff(want, d.Offsets); diff != "" || slices.Contains(d.Names, "log") || d.Table.Offset != "log" {
			t.Errorf("%s: %s, %v, %+v", name, diff, d.Names, d.Table)
		}
		if diff := cmp.Diff([]float64{-1, 1, -1, 1}, d.Labels); diff != "" {
			t.Errorf("%s: labels: %s", name, diff)
		}
		if _, val := d.X.Row(2); val[0] != 3 {
			t.Errorf("%s: row 2 is %v", name, val)
		}
	}
	for text, wrong := range map[string]string{
		"log,a,y\n1,2,0\n,3,1\n":  `t.csv:3:1: column log: a missing offset`,
		"log,a,y\n1,2,0\nx,3,1\n": `t.csv:3:1: "x": column log: expected a finite decimal number, an offset`,
		"lag,a,y\n1,2,0\n1,3,1\n": `no column`,
		"a,y,log\n2,0,1e999\n":    `an offset`,
	} {
		_, err := readAs(CSV, strings.NewReader(text), "t.csv", &ReadOptions{Table: TableOptions{Offset: "log"}})
		sparsetest.CheckError(t, err, wrong)
	}
	for _, opt := range []ReadOptions{
		{Table: TableOptions{Offset: "a", Drop: []string{"a"}}}, {Table: TableOptions{Offset: "a", Categorical: []string{"a"}}},
		{Table: TableOptions{Offset: "a"}, Names: []string{"a"}}, {Table: TableOptions{Offset: "a", Label: "a"}},
	} {
		_, err := readAs(CSV, strings.NewReader("a,b,y\n1,2,0\n2,3,1\n"), "t.csv", &opt)
		sparsetest.CheckError(t, err, "cannot have the")
	}
}

func TestLikeNumbers(t *testing.T) {
	for want, columns := range map[string][][]string{
		"dates": {
			{"2024-01-31", "2024-2-1"}, {"31.12.2024", "1.1.24"}, {"12/31/99", "01/02/00"},
			{"2024-01-31 10:30", "2024-01-31T10:30:00Z"},
			{"Jan 5, 2024", "February 10, 2024"}, {"5 Mar 2024", "17-Apr-24"}, {"2024/05/06", "none", "2024/05/07"},
		},
		"amounts": {{"$3.50", "-$1,200.00"}, {"€ 7", "($5)"}, {"12 €", "7%"}, {"£1'000", "?", "£2"}},
		"": {
			{"a", "b"}, {"10.0.0.1", "10.0.0.2"}, {"1.2.3", "1.2.10"}, {"A1", "B2"}, {"may", "march"},
			{"12-34-56-78", "x"}, {"$", "%"},
		},
	} {
		for _, values := range columns {
			text := "c,y\n"
			for k, v := range values {
				text += fmt.Sprintf("%q,%d\n", v, k%2)
			}
			d := mustReadCSV(t, text, nil)
			if got := d.Table.Categorical; len(got) != 1 || got[0].Like != want || (want != "") != (got[0].First == values[0]) {
				t.Errorf("%q: %+v, want %q", values, got, want)
			}
		}
	}
}
