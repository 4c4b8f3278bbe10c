package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// checkConversion checks that converting a table block by block gives the same file and summary, or the same
// error, as reading the whole table and writing it. No other files may be left.
func checkConversion(t *testing.T, dir, text string, opt ReadOptions) {
	t.Helper()
	inPath, outPath := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.scas")
	sparsetest.Must(t, os.WriteFile(inPath, []byte(text), 0o666))
	defer os.Remove(inPath)
	opt.AnyLabels, opt.Regression = true, false
	opt.Positive, opt.PositiveName, opt.Classes = nil, "", Classes{}
	var want bytes.Buffer
	d, wantErr := readAs(CSV, strings.NewReader(text), inPath, &opt)
	if wantErr == nil {
		wantErr = Write(&want, Binary, d)
	}
	c, err := Convert(inPath, outPath, &opt, nil)
	if wantErr != nil || err != nil {
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%.99q, %+v: %v, want %v", text, opt.Table, err, wantErr)
		}
		wantOnlyFiles(t, dir, "t.csv")
		return
	}
	got, err := os.ReadFile(outPath)
	sparsetest.Must(t, err)
	os.Remove(outPath)
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%.99q, %+v: %d bytes differ from the %d of the whole table", text, opt.Table, len(got), want.Len())
	}
	d.Table.Fill = nil
	if fmt.Sprintf("%+v %+v %q", *c.Table, c.Stats, c.Names) != fmt.Sprintf("%+v %+v %q", *d.Table, d.Stats, d.Names) {
		t.Errorf("%.99q, %+v: told %+v, %+v, want %+v, %+v", text, opt.Table, *c.Table, c.Stats, *d.Table, d.Stats)
	}
	wantOnlyFiles(t, dir, "t.csv")
}

var missingRules = []Missing{MissingRefuse, MissingMean, MissingMedian, MissingZero}

// TestConvertTable checks that a conversion block by block gives the same file, or the same error,
// as a conversion in memory. With -short each text has one of the options.
func TestConvertTable(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{
		houses, "a,b,y\n1,u,2\n3,v,4\n", "\ufeffa,\"b\"\"c\",y\r\n\"1\",\"u\nv\",2\r\n",
		"a,y\n1,no\n2,yes\n3,no\n", "a,y\n1,c\n2,a\n3,b\n", "a,y\n1,u\n", "a,y\n0,\xad\n", "y\n1\n", "",
		"a,y\n", "a,y\n1\n",
		"a,b,c,y\n,3,u,0\n1,NA,,1\n2,nan,v,1\n0,6,n/a,0\n", "a,y\n,1\n,0\n",
		"a,b,y\n,1,0\nu,,1\nv,3,1\n,,1\n", "a,y\n1e308,0\n1.7e308,1\n,1\n", "a,b,y\n,,0\n0,u,1\n-1,v,1\n",
		strings.Repeat("\n", 2*blockSize) + "a,y\n1,0\n,1\n", // the header is not in the first block
	} {
		for _, rule := range missingRules {
			checkConversion(t, dir, text, ReadOptions{Table: TableOptions{Missing: rule}})
		}
		for k, opt := range []ReadOptions{
			{Table: TableOptions{NoLabel: true}}, {Table: TableOptions{NoHeader: true}},
			{Table: TableOptions{Categorical: []string{"1"}}},
			{Features: 2, Table: TableOptions{Drop: []string{"a"}}}, {Table: TableOptions{Offset: "1"}},
		} {
			if testing.Short() && k != i%5 {
				continue
			}
			opt.Table.Missing = MissingMedian
			checkConversion(t, dir, text, opt)
		}
	}
}

// longTable returns a table with this number of rows. New categories occur from the first rows to the
// last. Values are missing, some of them before the first value of a column.
func longTable(rows int) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	b.WriteString("a,late,b,word,y\n")
	for i := range rows {
		lateCell, cellOrMissing := "", ""
		if i > rows/2 {
			lateCell = fmt.Sprintf("level %d", rng.IntN(2+i/100))
		}
		if rng.IntN(3) > 0 {
			cellOrMissing = fmt.Sprint(rng.NormFloat64())
		}
		fmt.Fprintf(&b, "%v,%s,%s,w%d,%s\n", rng.NormFloat64(), lateCell, cellOrMissing, rng.IntN(1+i/50),
			[]string{"no", "yes", "perhaps"}[rng.IntN(2+i/(rows-9))])
	}
	return b.String()
}

// TestConvertLongTable checks that Convert of a table of several blocks gives the same file as reading the
// whole table and writing it.
func TestConvertLongTable(t *testing.T) {
	text := longTable(20000)
	if len(text) < 3*blockSize {
		t.Fatalf("%d bytes are fewer than three blocks", len(text))
	}
	for _, rule := range missingRules[1:] {
		checkConversion(t, t.TempDir(), text, ReadOptions{Table: TableOptions{Missing: rule}})
	}
}

// TestConvertTableStops checks that an interruption at any point leaves no files. Categories or
// medians that need too much memory must be an error.
func TestConvertTableStops(t *testing.T) {
	dir := t.TempDir()
	inPath, outPath := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.scas")
	sparsetest.Must(t, os.WriteFile(inPath, []byte(longTable(25000)), 0o666))
	opt := &ReadOptions{Table: TableOptions{Missing: MissingMedian}}
	errStop := errors.New("enough")
	calls := 0
	for maxCalls := 0; ; maxCalls++ {
		calls = 0
		_, err := Convert(inPath, outPath, opt, func(string, int64, int64) error {
			calls++
			if calls > maxCalls {
				return errStop
			}
			return nil
		})
		if err == nil {
			break
		}
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		wantOnlyFiles(t, dir, "t.csv")
	}
	if calls < 10 {
		t.Errorf("asked %d times whether to go on", calls)
	}
	sparsetest.Must(t, os.Remove(outPath))
	for _, tt := range []struct {
		text   string
		memory int64
		want   string
	}{
		{longTable(30000), 225_000, "the first "},
		{
			"a,y\n" + strings.Repeat("1,0\n,1\n2,1\n", 300_000), 4_200_000,
			"the numbers of column a, for their median, take 4.58 MiB",
		},
	} {
		sparsetest.Must(t, os.WriteFile(inPath, []byte(tt.text), 0o666))
		opt.Memory = tt.memory
		_, err := Convert(inPath, outPath, opt, nil)
		wantParseError(t, err, 0, 0, tt.want, "set ReadOptions.Memory to a larger number")
		wantOnlyFiles(t, dir, "t.csv")
	}
}

func FuzzConvertTable(f *testing.F) {
	for _, s := range []string{
		houses, "a,b,c,y\n,3,u,0\n1,NA,,1\n2,nan,v,1\n0,6,n/a,0\n", "a,b,y\n,1,0\nu,,1\nv,3,1\n,,1\n",
		"a,y\n1,c\n2,a\n3,b\n",
	} {
		for k := range missingRules {
			f.Add(s, uint8(k))
		}
	}
	f.Fuzz(func(t *testing.T, text string, flags uint8) {
		opt := ReadOptions{Table: TableOptions{Missing: missingRules[flags%4], NoHeader: flags&4 != 0, NoLabel: flags&8 != 0}}
		if flags&16 != 0 {
			opt.Table.Categorical = []string{"1"}
		}
		checkConversion(t, t.TempDir(), text, opt)
	})
}
