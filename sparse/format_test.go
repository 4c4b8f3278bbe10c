package sparse

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"a.csv": CSV, "A.CSV": CSV, "a.csv.gz": CSV, "a.tsv.zst": TSV, "dir.csv/a": LIBSVM, "a.npy.xz": NPY,
		"a.npz": NPZ, "a.mtx.bz2": MatrixMarket, "a.mm": MatrixMarket,
		"a.svm": LIBSVM, "a.zst": LIBSVM, "csv": LIBSVM, "": LIBSVM, "stdin": LIBSVM, ".csv": CSV, "a.csv.gz.gz": LIBSVM,
	} {
		if got := FormatOf(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestIgnoreBeyond checks in every sparse format that IgnoreBeyond drops the columns after the
// first Features columns.
func TestIgnoreBeyond(t *testing.T) {
	d := awkwardDataset(t)
	d.Names = nil
	for _, format := range []Format{LIBSVM, NPZ, MatrixMarket, Binary} {
		path := filepath.Join(t.TempDir(), "d."+string(format))
		sparsetest.Must(t, WriteFile(path, d))
		opt := &ReadOptions{AnyLabels: true, Features: 3, IgnoreBeyond: true}
		got, err := ReadFile(path, opt)
		if err != nil {
			t.Errorf("%v: %v", format, err)
			continue
		}
		var entries []Triplet
		n, p := got.X.Dims()
		for i := range n {
			idx, val := got.X.Row(i)
			for k, j := range idx {
				entries = append(entries, Triplet{i, int(j), val[k]})
			}
		}
		if want := []Triplet{
			{0, 1, 0.1}, {1, 0, 1.0 / 3}, {3, 1, math.SmallestNonzeroFloat64}, {3, 2, 0},
		}; n != 4 || p != 3 || !slices.Equal(entries, want) {
			t.Errorf("%v: %d x %d: %v", format, n, p, entries)
		}
		opt.IgnoreBeyond = false
		if _, err := ReadFile(path, opt); err == nil {
			t.Errorf("%v: columns beyond the stated are taken", format)
		}
	}
}

// TestIgnoreBeyondWithoutFeatures checks that an index that no matrix can have is an error if IgnoreBeyond is
// set and Features is not.
func TestIgnoreBeyondWithoutFeatures(t *testing.T) {
	_, err := readAs(LIBSVM, strings.NewReader("1 1:1 3000000000:1\n"), "f", &ReadOptions{IgnoreBeyond: true})
	wantParseError(t, err, 1, 7, "the index is too large: at most 2147483647")
}

// TestIgnoreBeyondUnknownBase checks that IgnoreBeyond is not advised where it is set already: index 3 is one
// of 3 features only if indices count from 1, which is known at the end of the text.
func TestIgnoreBeyondUnknownBase(t *testing.T) {
	const text = "1 0:1 3:1\n2 1:1 7:1\n"
	opt := &ReadOptions{Features: 3, IgnoreBeyond: true}
	_, err := readAs(LIBSVM, strings.NewReader(text), "f", opt)
	wantParseError(t, err, 1, 7, "expected at most 2; set ReadOptions.IndexBase to ZeroBased")
	if strings.Contains(err.Error(), "IgnoreBeyond") {
		t.Error(err)
	}
	opt.IndexBase = ZeroBased
	d, err := readAs(LIBSVM, strings.NewReader(text), "f", opt)
	if err != nil || !sameTable([][]float64{{1, 0, 0}, {0, 1, 0}}, d.X) {
		t.Errorf("%+v, %v", d, err)
	}
}

// awkwardDataset returns a data set with numbers that lose bits if they are not written with full precision.
func awkwardDataset(t *testing.T) *Dataset {
	t.Helper()
	x, err := FromTriplets(4, 5, []Triplet{
		{0, 1, 0.1}, {0, 4, -1e-300}, {1, 0, 1.0 / 3}, {2, 3, math.MaxFloat64},
		{3, 1, math.SmallestNonzeroFloat64}, {3, 2, math.Copysign(0, -1)}, {3, 4, 123456789012345680},
	})
	sparsetest.Must(t, err)
	return &Dataset{
		X: x, Labels: []float64{0.1, -2, 1e17, math.Copysign(0, -1)},
		Names: []string{"a", "b,c", `"d"`, " e", "f=g\nh"},
	}
}

// TestWriteFile checks that data written in any format, compressed or not, are read back with the
// same bits.
func TestWriteFile(t *testing.T) {
	d := awkwardDataset(t)
	for _, format := range Formats() {
		for _, packed := range []string{"", ".gz", ".zst"} {
			path := filepath.Join(t.TempDir(), "d."+string(format)+packed)
			sparsetest.Must(t, WriteFile(path, d))
			opt := &ReadOptions{Regression: true, Features: 5}
			if format == NPY || format == MatrixMarket {
				opt.targets.labels = d.Labels
			}
			reread, err := ReadFile(path, opt)
			if err != nil {
				t.Errorf("%v%s: %v", format, packed, err)
				continue
			}
			names := d.Names
			if format == NPY || format == MatrixMarket || format == LIBSVM {
				names = nil
			}
			if !sameBits(d.X, reread.X) || !sameFloats(d.Labels, reread.Labels) || !slices.Equal(names, reread.Names) {
				t.Errorf("%v%s: %v, %v, %q", format, packed, sparsetest.Dense(reread.X), reread.Labels, reread.Names)
			}
			if want := map[string]string{"": uncompressed, ".gz": "gzip", ".zst": "zstd"}[packed]; reread.Stats.Compression != want || reread.Stats.Rows != 4 || reread.Stats.Bytes == 0 || reread.Stats.NNZ != 7 {
				t.Errorf("%v%s: %+v", format, packed, reread.Stats)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "d.csv.bz2")
	sparsetest.CheckError(t, WriteFile(path, d), "bzip2 is not written")
	fewLabels := &Dataset{X: d.X, Labels: d.Labels[:2]}
	sparsetest.CheckError(t, Write(io.Discard, LIBSVM, fewLabels), "2 labels for 4 rows")
	wrongLabel := &Dataset{X: fewLabels.X, Labels: []float64{1, -1, 2, 1}, Classes: Classes{Values: []float64{0, 1}}, Signs: true}
	sparsetest.CheckError(t, Write(io.Discard, Binary, wrongLabel), "row 3 has label 2")
	wrongLabel.Classes.Values = []float64{0, 1, 2}
	sparsetest.CheckError(t, Write(io.Discard, Binary, wrongLabel), "the values [0 1 2] and the names []: want two values")
	wrongLabel.Classes = Classes{Values: []float64{0, 1}, Names: []string{"a"}}
	sparsetest.CheckError(t, Write(io.Discard, CSV, wrongLabel), `the names ["a"]: want two values`)
	for _, format := range Formats() {
		if err := Write(failingWriter{}, format, d); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v: %v", format, err)
		}
	}
	sparsetest.CheckError(t, Write(io.Discard, Auto, d), "the format auto: want one of [libsvm csv")
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestWritesWords checks that a written table keeps the feature names, and labels that are words.
func TestWritesWords(t *testing.T) {
	const text = "a,city=Bonn,city=Ulm,ill\n1,0,1,no\n2,1,0,yes\n"
	for _, opt := range []*ReadOptions{nil, {AnyLabels: true}} {
		d := mustReadCSV(t, "a,city,ill\n1,Ulm,no\n2,Bonn,yes\n", opt)
		var b strings.Builder
		if err := Write(&b, CSV, d); err != nil || b.String() != text {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
}

// TestWritesNumberAsWord checks that a table is not written if its first label is a word that looks like a
// number: readers would expect numbers in all lines.
func TestWritesNumberAsWord(t *testing.T) {
	d := mustReadCSV(t, "x,label\n1,a\n2,7\n3,a\n", nil)
	sparsetest.Must(t, Write(io.Discard, CSV, d))
	d, err := d.SelectRows([]int{1, 0, 2})
	sparsetest.Must(t, err)
	sparsetest.CheckError(t, Write(io.Discard, CSV, d), `the first label is the word "7", which would be read as a number`)
}

// TestWritesHeader checks that the header of a written table can be read: its names differ, and not all of
// them are numbers.
func TestWritesHeader(t *testing.T) {
	for _, tt := range []struct {
		names     []string
		labels    []float64
		labelName string
		want      string
	}{
		{nil, []float64{1}, "", "x1,x2,label"},
		{[]string{"a", "label"}, []float64{1}, "", "a,label,label_"},
		{[]string{"a", "b"}, []float64{1}, "3", "a,b,3"},
		{[]string{"1", "2"}, []float64{1}, "3", "1,2,label"},
		{[]string{"1", "2"}, nil, "", "x1,x2"},
	} {
		x, err := New(1, 2, []int64{0, 1}, []int32{0}, []float64{5})
		sparsetest.Must(t, err)
		var b strings.Builder
		err = Write(&b, CSV, &Dataset{X: x, Names: tt.names, Labels: tt.labels, LabelName: tt.labelName})
		if got, _, _ := strings.Cut(b.String(), "\n"); err != nil || got != tt.want {
			t.Errorf("%v: %q, %v", tt.names, got, err)
		}
	}
}

func TestLabelsFiles(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"a.txt": {[]byte("1\n# none\n\n2 3\n"), `a.txt:4:3: "3": expected one label a line`},
		"b.txt": {[]byte("1\nnan\n"), `b.txt:2:1: "nan": expected one label a line, a finite`},
		"c.txt": {nil, "no labels"},
		"d.npy": {
			npyFile("<f8", false, "(1,)", 0, 0, 0, 0, 0, 0, 0xf0, 0x7f),
			`"+Inf": the labels, element 0 (counted from 0): not finite`,
		},
		"e.npy": {npyFile("|i1", false, "(2, 2)", 1, 2, 3, 4), "the labels: shape [2 2]: expected one dimension"},
		"f.npy": {npyFile("|S1", false, "(2,)", 1, 2), "the labels: words: expected numbers"},
		"g.npy": {nil, "the file ends within the header"},
	} {
		path := filepath.Join(dir, name)
		sparsetest.Must(t, os.WriteFile(path, tt.content, 0o644))
		_, err := readLabelsFile(path, &ReadOptions{})
		sparsetest.CheckError(t, err, tt.want)
	}
	_, err := readLabels(strings.NewReader("1\n2\n3\n4\n"), "y", &ReadOptions{Memory: 10})
	sparsetest.CheckError(t, err, "of memory")
}

// TestLabelsFileMemory checks that the memory for labels counts, and Reserve with it.
func TestLabelsFileMemory(t *testing.T) {
	text := strings.Repeat("1\n", 100_000)
	for _, tt := range []struct {
		opt  ReadOptions
		want string
	}{
		{ReadOptions{Memory: 8 * int64(len(text))}, "100001 lines of labels take"},
		{ReadOptions{Memory: 16 * int64(len(text)), Reserve: 8 * int64(len(text))}, "100001 lines of labels take"},
		{ReadOptions{Memory: 1000}, "bytes of text take"},
		{ReadOptions{Memory: 16 * int64(len(text))}, ""},
	} {
		var l labelsOfFile
		var err error
		mib := allocatedMiB(func() { l, err = readLabels(strings.NewReader(text), "y", &tt.opt) })
		if tt.want != "" {
			wantParseError(t, err, 0, 0, tt.want)
		} else if err != nil || len(l.labels) != 100_000 || mib > 4 {
			t.Errorf("%d labels, %v, %d MiB allocated", len(l.labels), err, mib)
		}
	}
}

// TestLabelsFileErrors checks that an error about a label in a file of labels names this file and the line.
func TestLabelsFileErrors(t *testing.T) {
	dir := t.TempDir()
	x := filepath.Join(dir, "d.npy")
	sparsetest.Must(t, os.WriteFile(x, npyFile("|i1", false, "(4, 1)", 1, 2, 3, 4), 0o666))
	for text, want := range map[string]string{
		"1\n2\n1\n3\n":                `y.txt:4: "3": a third label, after 1 (line 1) and 2 (line 2)`,
		"1\n# two\n2\n\n1\n3\n":       `y.txt:6: "3": a third label, after 1 (line 1) and 2 (line 3)`,
		"# none\n\n1\n1\n1 # 1\n2\n3": "d.npy: 5 labels for 4 rows",
		"\n1\n1\n1\n1\n":              "y.txt: every label is 1",
	} {
		y := filepath.Join(dir, "y.txt")
		sparsetest.Must(t, os.WriteFile(y, []byte(text), 0o666))
		_, err := ReadFile(x, &ReadOptions{LabelsFile: y})
		sparsetest.CheckError(t, err, dir, want)
	}
}

func TestReadNPYRefuses(t *testing.T) {
	ones := make([]byte, 8)
	header := func(text string) []byte {
		return append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(text)), byte(len(text) >> 8)}, text...)...)
	}
	for _, tt := range []struct {
		name string
		data []byte
		opt  ReadOptions
		want string
	}{
		{"nothing", nil, ReadOptions{}, "the file ends within the header"},
		{"text", []byte("1 1:1\n1 1:1\n"), ReadOptions{}, "no array of NumPy"},
		{"version", []byte("\x93NUMPY\x04\x00\x00\x00\x00\x00"), ReadOptions{}, "version 4"},
		{"long header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f\x00\x00\x00"), ReadOptions{}, "a header of more than"},
		{"no dictionary", header("[1, 2]"), ReadOptions{}, `the header "[1, 2]" is not of the form`},
		{"no shape", header("{'descr': '<f8', 'fortran_order': False, }"), ReadOptions{}, "is not of the form"},
		{
			"shape twice",
			header("{'shape': (1, 1), 'shape': (1, 1), 'descr': '<f8', 'fortran_order': False, }"),
			ReadOptions{}, "is not of the form",
		},
		{
			"negative shape", header("{'shape': (-1, 1), 'descr': '<f8', 'fortran_order': False, }"),
			ReadOptions{}, "is not of the form",
		},
		{"open shape", header("{'shape': (1, 1, 'descr': '<f8', 'fortran_order': False, }"), ReadOptions{}, "is not of the form"},
		{"order", header("{'shape': (1, 1), 'descr': '<f8', 'fortran_order': 1, }"), ReadOptions{}, "is not of the form"},
		{"huge", npyFile("<f8", false, "(4000000000000, 4000000000000)"), ReadOptions{}, "more than any machine holds"},
		{"wide", npyFile("<f8", false, "(1, 4000000000)"), ReadOptions{}, "at most 2147483647 rows and columns"},
		{"three dimensions", npyFile("|i1", false, "(2, 2, 2)", ones...), ReadOptions{}, "3 dimensions"},
		{"words", npyFile("|S4", false, "(1, 2)", ones...), ReadOptions{}, "expected a table of numbers"},
		{"no rows", npyFile("|i1", false, "(0, 2)"), ReadOptions{}, "a matrix without rows"},
		{"no columns", npyFile("|i1", false, "(2, 0)"), ReadOptions{}, "at least one column"},
		{"short", npyFile("|i1", false, "(3, 3)", ones...), ReadOptions{}, "the file ends after 8 of 9 elements"},
		{
			"short, column by column", npyFile("|i1", true, "(3, 3)", ones...), ReadOptions{},
			"the file ends after 8 of 9 elements",
		},
		{"long", npyFile("|i1", false, "(7, 1)", ones...), ReadOptions{}, "bytes after the last of 7 elements"},
		{
			"lying", npyFile("<f8", false, "(1000000, 1000000)", ones...), ReadOptions{},
			"the file ends after 1 of 1000000000000 elements",
		},
		{"features", npyFile("|i1", false, "(4, 2)", ones...), ReadOptions{Features: 3}, "2 columns: expected the stated 3"},
		{
			"memory", npyFile("|i1", false, "(4, 2)", 1, 1, 1, 1, 1, 1, 1, 1), ReadOptions{Memory: 100},
			"the first 4 of 4 rows take",
		},
		{
			"nan, column by column", npyFile("<f4", true, "(2, 1)", 0, 0, 0, 0, 0, 0, 0xc0, 0x7f),
			ReadOptions{}, `"NaN": the array, row 1, column 0 (counted from 0): not finite`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.AnyLabels = true
			var err error
			mib := allocatedMiB(func() { _, err = readAs(NPY, bytes.NewReader(tt.data), "a.npy", &tt.opt) })
			wantParseError(t, err, 0, 0, "a.npy: ", tt.want)
			if mib > 8 {
				t.Errorf("%d MiB allocated", mib)
			}
		})
	}
	_, err := readAs(NPY, bytes.NewReader(npyFile("|i1", false, "(4, 2)", ones...)), "a.npy", nil)
	wantParseError(t, err, 0, 0, "the file has no labels")
	// An array in Fortran order is copied, so its memory counts twice. Reserve counts once.
	for memory, want := range map[int64]string{10700: "", 10500: "the first 2 of 2 rows take"} {
		opt := &ReadOptions{AnyLabels: true, Memory: memory, Reserve: 10000}
		_, err := readAs(NPY, bytes.NewReader(npyFile("|i1", true, "(4, 2)", 1, 1, 1, 1, 1, 1, 1, 1)), "a.npy", opt)
		if want == "" {
			sparsetest.Must(t, err)
		} else {
			wantParseError(t, err, 0, 0, want)
		}
	}
}

func TestReadNPZRefuses(t *testing.T) {
	goodParts := csrParts([]byte{0, 2, 2, 3, 4}, []byte{0, 2, 1, 0}, 3, []float64{1, 2, 3, 4})
	archiveWith := func(name string, content []byte) []byte {
		parts := slices.Clone(goodParts)
		if k := slices.Index(parts, name+".npy"); k >= 0 {
			parts[k+1] = string(content)
			if content == nil {
				parts = slices.Delete(parts, k, k+2)
			}
		} else {
			parts = append(parts, name+".npy", string(content))
		}
		return zipArchive(t, zip.Store, parts...)
	}
	damagedArchive := archiveWith("y", npyFile("|i1", false, "(4,)", 1, 2, 1, 2))
	position := bytes.Index(damagedArchive, []byte("\x01\x02\x01\x02"))
	damagedArchive[position] = 2
	vectorFile := func(n string, v ...byte) []byte { return npyFile("|i1", false, n, v...) }
	for _, tt := range []struct {
		name string
		data []byte
		opt  ReadOptions
		want string
	}{
		{"no archive", []byte("PK nonsense"), ReadOptions{}, "no archive of arrays"},
		{"empty", zipArchive(t, zip.Store), ReadOptions{}, "no matrix among the arrays []"},
		{
			"no matrix", zipArchive(t, zip.Store, "y.npy", string(vectorFile("(4,)", 1, 2, 3, 4))),
			ReadOptions{}, "no matrix among the arrays [y]",
		},
		{
			"twice", zipArchive(t, zip.Store, append(slices.Clone(goodParts), goodParts[0], goodParts[1])...),
			ReadOptions{}, `two arrays have the name "indices"`,
		},
		{"no data", archiveWith("data", nil), ReadOptions{}, `no array data`},
		{
			"columns", archiveWith("format", npyFile("|S3", false, "()", 'c', 's', 'c')), ReadOptions{},
			`"csc": array format: expected csr`,
		},
		{"shape", archiveWith("shape", vectorFile("(3,)", 1, 2, 3)), ReadOptions{}, "array shape: [1 2 3]"},
		{"negative shape", archiveWith("shape", vectorFile("(2,)", 4, 0xff)), ReadOptions{},
			"array shape: [4 -1]"},
		{
			"float indices", archiveWith("indices", npyFile("<f4", false, "(1,)", 0, 0, 0, 0)), ReadOptions{},
			`array indices: elements of type "<f4": expected whole numbers`,
		},
		{
			"column", archiveWith("indices", vectorFile("(4,)", 0, 3, 1, 0)), ReadOptions{},
			"array indices, element 1 (counted from 0), of row 0: expected a column in 0..2",
		},
		{"negative column", archiveWith("indices", vectorFile("(4,)", 0, 0xff, 1, 0)), ReadOptions{}, "array indices, element 1"},
		{"column twice", archiveWith("indices", vectorFile("(4,)", 2, 2, 1, 0)), ReadOptions{}, "row 0 has column 2 twice"},
		{
			"out of order", archiveWith("indices", vectorFile("(4,)", 2, 0, 1, 0)), ReadOptions{Strict: true},
			"row 0 has columns out of order",
		},
		{"indptr falls", archiveWith("indptr", vectorFile("(5,)", 0, 3, 2, 3, 4)), ReadOptions{}, "row pointer 2 is 2, below"},
		{"indptr short", archiveWith("indptr", vectorFile("(4,)", 0, 3, 3, 4)), ReadOptions{}, "4 row pointers for 4 rows"},
		{
			"indptr long", archiveWith("indptr", vectorFile("(6,)", 0, 3, 3, 4, 4, 4)), ReadOptions{},
			"6 numbers: expected at most 5",
		},
		{
			"nan",
			archiveWith("data", npyFile("<f4", false, "(4,)", 0, 0, 0, 0, 0, 0, 0xc0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0)),
			ReadOptions{}, `"NaN": array data, element 1`,
		},
		{
			"fewer data", archiveWith("data", npyFile("<f4", false, "(1,)", 0, 0, 0, 0)), ReadOptions{},
			"4 column indices but 1 values",
		},
		{"labels", archiveWith("y", vectorFile("(3,)", 1, 2, 1)), ReadOptions{}, "3 labels for 4 rows"},
		{"checksum", damagedArchive, ReadOptions{}, "array y: zip: checksum error"},
		{
			"names", archiveWith("names", npyFile("|S1", false, "(2,)", 'a', 'b')), ReadOptions{},
			"array names: 2 names for 3 columns",
		},
		{
			"names without characters", archiveWith("names", npyFile("<U0", false, "(3,)")), ReadOptions{},
			`array names: elements of type "<U0"`,
		},
		{
			"long names", archiveWith("names", npyFile("<U65537", false, "(3,)")), ReadOptions{},
			`array names: elements of type "<U65537": expected strings of at most 65536 characters`,
		},
		{
			"same names", archiveWith("names", npyFile("|S1", false, "(3,)", 'a', 'b', 'a')), ReadOptions{},
			`array names: the name "a" comes twice`,
		},
		{
			"absent name", archiveWith("names", npyFile("|S1", false, "(3,)", 'a', 'b', 'c')),
			ReadOptions{Names: []string{"d"}}, `no column "d"`,
		},
		{
			"features", archiveWith("y", vectorFile("(4,)", 1, 2, 1, 2)), ReadOptions{Features: 2},
			"3 columns: expected at most 2 features",
		},
		{"memory", archiveWith("y", vectorFile("(4,)", 1, 2, 1, 2)), ReadOptions{Memory: 70}, "more than 70 bytes: a stream"},
		{
			"reserve", archiveWith("y", vectorFile("(4,)", 1, 2, 1, 2)),
			ReadOptions{Memory: 1e6 + 70, Reserve: 1e6}, "more than 70 bytes: a stream",
		},
		{
			"large reserve", archiveWith("y", vectorFile("(4,)", 1, 2, 1, 2)),
			ReadOptions{Memory: 1e6, Reserve: 2e6}, "more than 0 bytes: a stream",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readAs(NPZ, bytes.NewReader(tt.data), "z.npz", &tt.opt)
			wantParseError(t, err, 0, 0, "z.npz", tt.want)
		})
	}
	d, err := readAs(NPZ, bytes.NewReader(archiveWith("names", npyFile("|S1", false, "(3,)", 'a', 'b', 'c'))),
		"z.npz", &ReadOptions{Names: []string{"c", "a"}, Features: 2})
	if err != nil || !sameTable([][]float64{{2, 1}, {0, 0}, {0, 0}, {0, 4}}, d.X) {
		t.Errorf("by names: %+v, %v", d, err)
	}
	namedArchive := archiveWith("names", npyFile("|S1", false, "(3,)", 'a', 'b', 'c'))
	unlabelledOpt := &ReadOptions{AnyLabels: true, LabelsOptional: true}
	d, err = readAs(NPZ, bytes.NewReader(namedArchive), "z.npz", unlabelledOpt)
	sparsetest.Must(t, err)
	for format, data := range map[Format][]byte{NPZ: namedArchive, Binary: binaryBytes(t, d)} {
		opt := &ReadOptions{AnyLabels: true, LabelsOptional: true, Features: 5}
		_, err := readAs(format, bytes.NewReader(data), "d", opt)
		wantParseError(t, err, 0, 0, "d", "3 features, which have names: expected the stated 5")
		opt.Features, opt.IgnoreBeyond = 2, true
		if d, err := readAs(format, bytes.NewReader(data), "d", opt); err != nil || d.X.cols != 2 ||
			!slices.Equal(d.Names, []string{"a", "b"}) {
			t.Errorf("%v: the first features: %+v, %v", format, d, err)
		}
	}
	d, err = readAs(NPZ, bytes.NewReader(archiveWith("indices", vectorFile("(4,)", 2, 0, 1, 0))), "z.npz",
		&ReadOptions{Features: 5})
	if err != nil || d.Stats.SortedRows != 1 ||
		!sameTable([][]float64{{2, 0, 1, 0, 0}, {0, 0, 0, 0, 0}, {0, 3, 0, 0, 0}, {4, 0, 0, 0, 0}}, d.X) {
		t.Errorf("wide, out of order: %+v, %v", d, err)
	}
}

// TestHugeSizes checks that a small file that states a huge size takes little memory, with and
// without ReadOptions.Memory.
func TestHugeSizes(t *testing.T) {
	csrArchive := func(shape, ptr string) []byte {
		parts := csrParts([]byte{0, 0, 0, 0, 0}, nil, 3, nil)
		parts[3] = string(npyFile("|u1", false, ptr, 0, 0, 0, 0, 0))
		parts[5] = string(npyFile("<i4", false, "(2,)", []byte(shape)...))
		return zipArchive(t, zip.Store, parts...)
	}
	const maxInt32, four = "\xff\xff\xff\x7f", "\x04\x00\x00\x00"
	var header bytes.Buffer
	_, err := scasfile.NewWriter(&header, &scasfile.Header{Rows: 1 << 40, Cols: 1, NNZ: 1 << 40})
	sparsetest.Must(t, err)
	files := map[Format]map[string]string{ // the error of reading each file; empty for files that are read
		LIBSVM: {"1 2147483647:1\n2 1:1\n": ""},
		CSV:    {}, // a table states no size
		TSV:    {},
		NPY: {
			string(npyFile("<f8", false, "(2147483647, 2147483647)", 1)): "more than any machine holds",
			string(npyFile("<f8", false, "(1, 2147483647)", 1)):          "the file ends after 0 of",
			string(npyFile("<f8", true, "(2147483647, 1)", 1)):           "the file ends after 0 of",
		},
		NPZ: {
			string(csrArchive(maxInt32+four, "(5,)")):          "5 row pointers for 2147483647 rows",
			string(csrArchive(maxInt32+four, "(2147483648,)")): "the file ends after 5 of 2147483648 elements",
			string(csrArchive(four+maxInt32, "(5,)")):          "",
			string(zipArchive(t, zip.Store, append(csrParts([]byte{0, 0, 0, 0, 0}, nil, 3, nil),
				"names.npy", string(npyFile("<U65536", false, "(2147483647,)")))...)): "the file ends after 0 of 2147483647 elements",
		},
		MatrixMarket: {
			"2147483647 1 2147483647\n1 1 1\n": "the file ends after 1 entries",
			"2147483647 1 1\n1 1 1\n":          "2147483647 rows for 1 entries",
			"1 2147483647 1\n1 1 1\n":          "",
		},
		Binary: {header.String(): "truncated"},
	}
	for _, format := range Formats() {
		if files[format] == nil {
			t.Errorf("%v: no file", format)
		}
		for file, want := range files[format] {
			for _, memory := range []int64{0, 1 << 20} {
				opt := &ReadOptions{Regression: true, targets: labelsOfFile{labels: []float64{1}}, Memory: memory}
				if format == LIBSVM || format == NPZ {
					opt.targets.labels = nil
				}
				var err error
				mib := allocatedMiB(func() { _, err = readAs(format, strings.NewReader(file), "huge", opt) })
				if refused := err != nil &&
					(strings.Contains(err.Error(), want) ||
						strings.Contains(err.Error(), "the 1 MiB allowed")); refused != (want != "") || mib > 4 {
					t.Errorf("%v, memory %d: %d MiB allocated, error %v; want %q", format, memory, mib, err, want)
				}
			}
		}
	}
}

// TestTextMemory checks that a text that is too long for the memory is an error, and is not cut.
func TestTextMemory(t *testing.T) {
	text := strings.Repeat("%", 1<<20)
	read := func(text string, memory int64) ([]byte, error) {
		input, err := decompress(strings.NewReader(text), "t")
		sparsetest.Must(t, err)
		return readText(input, &ReadOptions{Memory: memory})
	}
	for memory := int64(1 << 20); memory < 1<<20+9; memory++ {
		_, err := read(text, memory)
		wantParseError(t, err, 0, 0, "bytes of text take 1 MiB of memory, more than the 1 MiB allowed")
		largest := int(memory * 4 / 9)
		if data, err := read(text[:largest], memory); err != nil || len(data) != largest {
			t.Errorf("%d bytes of %d, %v", len(data), largest, err)
		}
	}
}

// A sizedReader is a reader with a method Size, which may return a wrong number.
type sizedReader struct {
	io.Reader
	size int64
}

func (r sizedReader) Size() int64 { return r.size }

// TestWrongSize checks that a wrong size of a text does not change the result of Read.
func TestWrongSize(t *testing.T) {
	for name, text := range map[string]string{
		"x.svm": strings.Repeat("1 1:2 4:5\n-1 3:7\n", 1<<15),
		"x.csv": "a,b,y\n" + strings.Repeat("2,0,1\n0,7,0\n", 1<<15),
	} {
		want, err := Read(struct{ io.Reader }{strings.NewReader(text)}, name, nil)
		sparsetest.Must(t, err)
		for _, size := range []int64{-1, 1, int64(len(text)) / 2, 10 * int64(len(text)), math.MaxInt64} {
			got, err := Read(sizedReader{strings.NewReader(text), size}, name, nil)
			if err != nil || !sameBits(got.X, want.X) || !sameFloats(got.Labels, want.Labels) {
				t.Errorf("%s with the size %d: %v, or other data", name, size, err)
			}
		}
	}
}

// TestWrongSizeMemory checks that the limit of memory includes a copy of all entries if the stated size of a
// text is too small. The reader must then make that copy.
func TestWrongSizeMemory(t *testing.T) {
	const lines = "1 1:2 4:5\n-1 3:7\n"
	count := 2 * (blockSize - 1000) / len(lines)
	text := strings.Repeat(lines, count)                                // two blocks
	memory := int64(1.2 * float64(count) * (2*rowBytes + 3*entryBytes)) // not enough for a copy of the entries
	for _, size := range []int64{0, 1} {
		_, err := Read(sizedReader{strings.NewReader(text), size}, "x", &ReadOptions{Memory: memory})
		wantParseError(t, err, 0, 0, "lines take", "set ReadOptions.Memory to a larger number")
	}
}

// TestFormatBombs checks that data that need more than the allowed memory are refused.
func TestFormatBombs(t *testing.T) {
	const allowed, limit = 8 << 20, 40 // bytes of memory allowed, and MiB that reading may allocate in total
	ones := bytes.Repeat([]byte{1}, 10<<20)
	matrixFile := npyFile("|i1", false, "(10, 1048576)", ones...)
	vectorFile := npyFile("|i1", false, "(10485760,)", ones...)
	for name, read := range map[string]func(opt *ReadOptions) error{
		"npy": func(opt *ReadOptions) error {
			_, err := readAs(NPY, bytes.NewReader(matrixFile), "bomb", opt)
			return err
		},
		"npz": func(opt *ReadOptions) error {
			_, err := readAs(NPZ, bytes.NewReader(zipArchive(t, zip.Deflate, "X.npy", string(matrixFile))), "bomb", opt)
			return err
		},
		"csr": func(opt *ReadOptions) error {
			parts := csrParts([]byte{0, 0, 0, 0, 0}, nil, 3, nil)
			parts[1] = string(vectorFile)
			_, err := readAs(NPZ, bytes.NewReader(zipArchive(t, zip.Deflate, parts...)), "bomb", opt)
			return err
		},
		"csv": func(opt *ReadOptions) error {
			_, err := readAs(CSV, io.MultiReader(strings.NewReader("a,b,y\n"), &repeatReader{text: "1,1,1\n"}), "bomb", opt)
			return err
		},
		"categories": func(opt *ReadOptions) error { _, err := readAs(CSV, &endlessCategories{}, "bomb", opt); return err },
	} {
		var err error
		mib := allocatedMiB(func() { err = read(&ReadOptions{AnyLabels: true, Memory: allowed}) })
		wantParseError(t, err, 0, 0, "bomb", "of memory, more than the 8 MiB allowed")
		if name != "npz" && name != "csr" && mib > limit { // with npz and csr the test itself allocates more
			t.Errorf("%s: %d MiB", name, mib)
		}
	}
}

// An endlessCategories is a reader of an endless table in which every row has a new category.
type endlessCategories struct{ nextCategory int }

func (c *endlessCategories) Read(p []byte) (int, error) {
	n := 0
	for ; n+12 <= len(p); c.nextCategory++ {
		n += copy(p[n:], "k")
		for v, digits := c.nextCategory, 0; digits < 8; digits++ {
			p[n], v = byte('0'+v%10), v/10
			n++
		}
		n += copy(p[n:], ",1\n")
	}
	return n, nil
}
