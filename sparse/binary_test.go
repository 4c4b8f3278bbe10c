package sparse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse/internal/scasfile"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A naiveBinary holds the fields of a .scas file; see the documentation of package scasfile.
type naiveBinary struct {
	rows, cols, nnz int64
	labelling       uint32
	signs           [2]float64
	idx             []int32
	val, labels     []float64
	ptr             []int64
	meta            string
}

// readNaive decodes a .scas file without package scasfile.
func readNaive(data []byte) (f naiveBinary, err error) {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	if string(data[:8]) != "\x89SCAS\r\n\x1a" || le.Uint32(data[8:]) != 2 ||
		crc32.Checksum(data[:4092], table) != le.Uint32(data[4092:]) {
		return f, errors.New("the header")
	}
	f.rows, f.cols, f.nnz = int64(le.Uint64(data[16:])), int64(le.Uint64(data[24:])), int64(le.Uint64(data[32:]))
	f.labelling = le.Uint32(data[40:])
	f.signs = [2]float64{math.Float64frombits(le.Uint64(data[48:])), math.Float64frombits(le.Uint64(data[56:]))}
	position := 4096
	section := func(dst any, size int64) []byte {
		position = (position + 4095) / 4096 * 4096
		part := data[position : position+int(size)]
		position += int(size)
		if dst != nil {
			err = errors.Join(err, binary.Read(bytes.NewReader(part), le, dst))
		}
		return part
	}
	f.idx, f.val, f.ptr = make([]int32, f.nnz), make([]float64, f.nnz), make([]int64, f.rows+1)
	section(f.idx, 4*f.nnz)
	section(f.val, 8*f.nnz)
	section(f.ptr, 8*f.rows+8)
	if f.labelling != 0 {
		f.labels = make([]float64, f.rows)
	}
	section(f.labels, 8*int64(len(f.labels)))
	f.meta = string(section(nil, int64(le.Uint64(data[64:]))))
	section(nil, 0)
	checksums := data[position:]
	for start := 4096; start < position; start += 1 << 20 {
		if crc32.Checksum(data[start:min(start+1<<20, position)], table) != le.Uint32(checksums) {
			err = errors.Join(err, fmt.Errorf("the block at %d", start))
		}
		checksums = checksums[4:]
	}
	if len(checksums) != 4 || crc32.Checksum(data[position:len(data)-4], table) != le.Uint32(checksums) {
		err = errors.Join(err, errors.New("the checksums"))
	}
	return f, err
}

func binaryBytes(t testing.TB, d *Dataset) []byte {
	t.Helper()
	var b bytes.Buffer
	sparsetest.Must(t, Write(&b, Binary, d))
	return b.Bytes()
}

// manyRows returns random data with the labels 3 and 7. With 20,000 rows or more, the .scas file
// has several blocks.
func manyRows(t testing.TB, rows int) *Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for range rows {
		fmt.Fprintf(&text, "%d", 3+4*rng.IntN(2))
		for j := 1 + rng.IntN(20); j < 300; j += 1 + rng.IntN(60) {
			fmt.Fprintf(&text, " %d:%v", j, float32(rng.NormFloat64()))
		}
		text.WriteByte('\n')
	}
	return mustRead(t, text.String(), nil)
}

// TestBinaryLayout checks the layout of files against the documentation of package scasfile.
func TestBinaryLayout(t *testing.T) {
	for name, d := range map[string]*Dataset{"awkward": awkwardDataset(t), "many": manyRows(t, 40000)} {
		f, err := readNaive(binaryBytes(t, d))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if int(f.rows) != d.X.rows || int(f.cols) != d.X.cols || !slices.Equal(f.ptr, d.X.ptr) ||
			!slices.Equal(f.idx, d.X.idx) || !sameFloats(f.val, d.X.val) {
			t.Errorf("%s: the matrix differs", name)
		}
		if !sameFloats(f.labels, d.Labels) {
			t.Errorf("%s: the labels differ", name)
		}
		switch name {
		case "many":
			if f.labelling != 2 || f.signs != [2]float64{3, 7} || f.meta != "{}" {
				t.Errorf("labels of kind %d, %v; names %s", f.labelling, f.signs, f.meta)
			}
		default:
			if f.labelling != 1 || !strings.Contains(f.meta, `"features":["a","b,c"`) {
				t.Errorf("labels of kind %d; names %s", f.labelling, f.meta)
			}
		}
	}
}

// TestBinaryMaps checks that a file is mapped, if the system can do that, and that replacing the
// file does not change mapped data.
func TestBinaryMaps(t *testing.T) {
	d := manyRows(t, 40000)
	path := filepath.Join(t.TempDir(), "d.scas")
	sparsetest.Must(t, WriteFile(path, d))
	reread, err := ReadFile(path, nil)
	sparsetest.Must(t, err)
	sparsetest.Must(t, WriteFile(path, awkwardDataset(t)))
	reread.X.Prefetch(100, 30000)
	reread.X.Release(100, 30000)
	if !sameBits(d.X, reread.X) || !sameFloats(d.Labels, reread.Labels) || !sameClasses(reread, d) ||
		reread.Stats.IndexBase != OneBased {
		t.Errorf("%+v", reread.Stats)
	}
	if reread.X.Mapped() != mapsFiles {
		t.Errorf("mapped: %v", reread.X.Mapped())
	}
	if err := reread.Close(); err != nil || reread.X.Mapped() {
		t.Error(err)
	}
	if err := d.Close(); err != nil || d.X.Mapped() {
		t.Error(err)
	}
}

// TestBinaryLabels checks that options have the same effect on labels in .scas files and in text.
func TestBinaryLabels(t *testing.T) {
	three, seven := 3.0, 7.0
	for _, text := range []string{"3 1:1\n7 2:1\n3\n", "-1 1:1\n1 2:1\n-1\n", "1\n2\n3\n", "5 1:1\n5\n"} {
		d := mustRead(t, text, &ReadOptions{AnyLabels: true})
		file := binaryBytes(t, d)
		for k, opt := range []*ReadOptions{
			nil, {AnyLabels: true}, {Regression: true}, {Positive: &three}, {Positive: &seven},
			{Classes: Classes{Values: []float64{7, 3}}},
			{Classes: Classes{Values: []float64{3, 7}}}, {Classes: Classes{Values: []float64{-1, 1}}},
			{targets: labelsOfFile{labels: []float64{1, 2, 1}[:d.X.rows]}}, {Features: 9}, {Features: 1}, {PositiveName: "yes"},
			{Counts: true}, {Counts: true, Regression: true}, {Counts: true, MaxClasses: 3}, {Counts: true, AnyLabels: true},
		} {
			want, wantErr := readAs(LIBSVM, strings.NewReader(text), "d", opt)
			if opt != nil && opt.targets.labels != nil {
				want, wantErr = d, d.setLabels("d", nil, opt)
			}
			got, err := readAs(Binary, bytes.NewReader(file), "d", opt)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%q, %d: %v, the text: %v", text, k, err, wantErr)
			} else if err == nil &&
				(!slices.Equal(got.Labels, want.Labels) || !sameClasses(got, want) || !sameBits(got.X, want.X)) {
				t.Errorf("%q, %d: %v, %v", text, k, got.Labels, got.Classes)
			}
		}
	}
	words := mustReadCSV(t, "a,ill\n1,no\n2,yes\n", &ReadOptions{AnyLabels: true})
	for positive, want := range map[string][]float64{"": {-1, 1}, "yes": {-1, 1}, "no": {1, -1}} {
		got, err := readAs(Binary, bytes.NewReader(binaryBytes(t, words)), "d", &ReadOptions{PositiveName: positive})
		if err != nil || !slices.Equal(got.Labels, want) || got.Classes.Name(int(1-want[0])/2) != "yes" ||
			!slices.Equal(got.Names, []string{"a"}) {
			t.Errorf("%q: %+v, %v", positive, got, err)
		}
	}
	// Without Signs, the file has the words in byte order, also if the negative class is the second.
	swapped := mustReadCSV(t, "a,ill\n1,no\n2,yes\n", &ReadOptions{PositiveName: "no"})
	swapped.Labels, swapped.Signs = swapped.OriginalLabels(), false
	if got, err := readAs(Binary, bytes.NewReader(binaryBytes(t, swapped)), "d", nil); err != nil ||
		!slices.Equal(got.Labels, []float64{-1, 1}) || got.Classes.Name(0) != "no" {
		t.Errorf("swapped: %+v, %v", got, err)
	}
	// Words are compared with the words in the options, whatever numbers stand for them in the file and in
	// the options.
	yes, no := Classes{[]float64{0, 1}, []string{"no", "yes"}}, Classes{[]float64{0, 1}, []string{"yes", "no"}}
	for k, c := range []struct {
		fileClasses Classes // the classes of a file with the labels −1 and +1
		opt         ReadOptions
		want        []float64
		wantErr     string
	}{
		{yes, ReadOptions{Classes: yes}, []float64{-1, 1}, ""},
		{yes, ReadOptions{Classes: no}, []float64{1, -1}, ""},
		{no, ReadOptions{Classes: yes}, []float64{1, -1}, ""},
		{no, ReadOptions{Classes: no}, []float64{-1, 1}, ""},
		{no, ReadOptions{}, []float64{1, -1}, ""},
		{yes, ReadOptions{Classes: Classes{[]float64{1, 0}, []string{"yes", "no"}}}, []float64{1, -1}, ""},
		{yes, ReadOptions{Classes: Classes{[]float64{0, 1}, []string{"maybe", "no"}}}, nil, `d:2: "yes": unknown label: expected maybe or no; `},
		{yes, ReadOptions{Classes: Classes{Values: []float64{0, 1}}}, nil, `d:1: "no": unknown label: expected 0 or 1; `},
		{yes, ReadOptions{Classes: Classes{[]float64{0, 1, 2}, []string{"maybe", "no", "yes"}}}, []float64{1, 2}, ""},
		{
			yes, ReadOptions{Classes: Classes{[]float64{0, 1, 2}, []string{"a", "b", "yes"}}}, nil,
			`d:1: "no": unknown label: expected one of a, b, yes; `,
		},
		{
			yes,
			ReadOptions{Classes: Classes{[]float64{0, 1}, []string{"maybe", "no"}}, targets: labelsOfFile{labels: []float64{1, 0}}},
			[]float64{1, -1}, "",
		},
	} {
		file := binaryBytes(t, &Dataset{X: words.X, Labels: []float64{-1, 1}, Classes: c.fileClasses, Signs: true})
		d, err := readAs(Binary, bytes.NewReader(file), "d", &c.opt)
		listed := &Dataset{Classes: c.opt.Classes, Signs: len(c.opt.Classes.Values) == 2}
		switch {
		case c.wantErr != "":
			sparsetest.CheckError(t, err, c.wantErr)
		case err != nil || !slices.Equal(d.Labels, c.want) || !c.opt.Classes.IsZero() && !sameClasses(d, listed):
			t.Errorf("words, %d: %+v, %v", k, d, err)
		}
	}
}

// TestBinaryWords checks that labels that are words mean the same in a table and in the .scas file that it is
// converted to, and that no word is lost when the .scas file is written again.
func TestBinaryWords(t *testing.T) {
	fiveClasses, zero := Classes{[]float64{0, 1, 2, 3, 4}, []string{"ant", "bee", "cat", "dog", "eel"}}, 0.0
	options := []*ReadOptions{
		nil, {AnyLabels: true}, {Regression: true}, {Counts: true}, {Positive: &zero}, {PositiveName: "bee"},
		{PositiveName: "cat", MaxClasses: 3}, {MaxClasses: 3}, {MaxClasses: 9},
		{Classes: fiveClasses}, {Classes: Classes{[]float64{0, 1, 2}, []string{"ant", "bee", "eel"}}},
		{Classes: Classes{Values: []float64{0, 1, 2}}},
		{Classes: Classes{[]float64{3, 5, 7, 8}, []string{"ant", "bee", "cat", "dog"}}},
		{Classes: Classes{[]float64{0, 1}, []string{"bee", "cat"}}}, {Classes: Classes{[]float64{1, 0}, []string{"cat", "bee"}}},
		{Classes: Classes{[]float64{0, 1}, []string{"ant", "bee"}}}, {Classes: Classes{Values: []float64{0, 1}}},
	}
	for _, words := range []string{
		"bee bee", "ant ant", "cat bee cat", "bee cat", "dog ant bee ant dog bee",
		"eel cat dog bee eel cat dog bee", "cat bee dog cat bee",
	} {
		text, numbers := "a,label\n", []float64(nil)
		for i, word := range strings.Fields(words) {
			text += fmt.Sprintf("%d,%s\n", i, word)
			numbers = append(numbers, float64(slices.Index(fiveClasses.Names, word)))
		}
		file := binaryBytes(t, mustReadCSV(t, text, &ReadOptions{AnyLabels: true}))
		for k, opt := range options {
			want, wantErr := readAs(CSV, strings.NewReader(text), "d", opt)
			got, err := readAs(Binary, bytes.NewReader(file), "d", opt)
			switch {
			case (err == nil) != (wantErr == nil):
				t.Errorf("%s, %d: %v, the table: %v", words, k, err, wantErr)
			case err != nil:
			case !slices.Equal(got.Labels, want.Labels) || !sameClasses(got, want):
				t.Errorf("%s, %d: %v, %v", words, k, got.Labels, got.Classes)
			case slices.Equal(got.Labels, got.X.file.Labels) && &got.Labels[0] != &got.X.file.Labels[0]:
				t.Errorf("%s, %d: the labels are a copy", words, k)
			default:
				var table bytes.Buffer
				sparsetest.Must(t, Write(&table, CSV, got))
				if table.String() != text {
					t.Errorf("%s, %d: as a table %q", words, k, &table)
				}
				reread, err := readAs(Binary, bytes.NewReader(binaryBytes(t, got)), "d", &ReadOptions{Classes: fiveClasses})
				if err != nil || !slices.Equal(reread.Labels, numbers) {
					t.Errorf("%s, %d: written again %v, %v", words, k, reread, err)
				}
			}
		}
	}
	x := mustReadCSV(t, "a,y\n1,no\n2,yes\n", nil).X
	err := Write(io.Discard, Binary,
		&Dataset{X: x, Labels: []float64{0, 1}, Classes: Classes{[]float64{0, 1}, []string{"a", "\xe4"}}})
	sparsetest.CheckError(t, err, `the name "\xe4" is not text in UTF-8`)
	for _, format := range []Format{Binary, NPZ} {
		err = Write(io.Discard, format, &Dataset{X: x, Labels: []float64{0, 1}, Names: []string{"\xe4"}})
		sparsetest.CheckError(t, err, `the name "\xe4" is not text in UTF-8`)
	}
	err = Write(io.Discard, Binary, &Dataset{X: x, Labels: []float64{0, 5}, Classes: fiveClasses})
	sparsetest.CheckError(t, err, "row 2 has label 5: want one of the labels [0 1 2 3 4]")
}

func TestBinaryDamage(t *testing.T) {
	file := binaryBytes(t, manyRows(t, 30000))
	dir := t.TempDir()
	read := func(name string, data []byte) error {
		path := filepath.Join(dir, name+".scas")
		sparsetest.Must(t, os.WriteFile(path, data, 0o666))
		d, err := ReadFile(path, nil)
		if err == nil {
			d.Close()
		}
		return err
	}
	rng := rand.New(rand.NewPCG(5, 6))
	places := 60
	if testing.Short() {
		places = 15
	}
	for range places {
		data, position := slices.Clone(file), rng.IntN(len(file))
		data[position] ^= 1 << rng.IntN(8)
		err := read("flipped", data)
		sparsetest.CheckError(t, err, "flipped.scas: ")
		if position >= 4096 {
			sparsetest.CheckError(t, err, "damaged: ", "convert the data again")
		}
		wantParseError(t, read("cut", file[:position]), 0, 0, "cut.scas: ")
	}
	wantParseError(t, read("long", append(slices.Clone(file), 0)), 0, 0, "more than the")
	wantParseError(t, read("empty", nil), 0, 0, "this is no .scas file")
	wantParseError(t, read("foreign", []byte("1 1:2\n")), 0, 0, "this is no .scas file")
	olderFile := slices.Clone(file)
	olderFile[8] = 1
	wantParseError(t, read("older", olderFile), 0, 0, "version 1 of the format: expected version 2, convert the data again")
	path := filepath.Join(dir, "d.txt")
	sparsetest.Must(t, os.WriteFile(path, file, 0o666))
	_, err := ReadFile(path, nil)
	sparsetest.CheckError(t, err, "d.txt: this is a .scas file")
}

// TestBinaryHostile checks that invalid rows are errors even with correct checksums.
func TestBinaryHostile(t *testing.T) {
	type content struct {
		idx         []int32
		val, labels []float64
		ptr         []int64
		kind        scasfile.Labelling
		meta        string
	}
	for want, spoil := range map[string]func(c *content){
		"":                                    func(*content) {},
		"row 1 has column 3 after 0":          func(c *content) { c.idx[1] = 3 },
		"row 1 has column -1 after -1":        func(c *content) { c.idx[0] = -1 },
		"row 1 has column 2 after 2":          func(c *content) { c.idx[0] = 2 },
		"row 2 has a value that is not":       func(c *content) { c.val[2] = math.Inf(1) },
		"rows from entry 1 to 3":              func(c *content) { c.ptr[0] = 1 },
		"rows from entry 0 to 2":              func(c *content) { c.ptr[2] = 2 },
		"row 1 has entries from 0 to 4":       func(c *content) { c.ptr[1] = 4 },
		"row 2 has label +Inf":                func(c *content) { c.labels[1] = math.Inf(1) },
		"row 2 has label 2":                   func(c *content) { c.labels[1], c.kind = 2, scasfile.Signs },
		"the names of the features and of ":   func(c *content) { c.meta = "{" },
		"1 names for 3 columns: expected one": func(c *content) { c.meta = `{"features":["a"]}` },
		`the words "b" and "a" of labels`:     func(c *content) { c.meta = `{"classes":["b","a"]}` },
		"a list of words for the labels with": func(c *content) { c.meta = `{"classes":[]}` },
		"the label 3: expected a number that": func(c *content) { c.meta, c.kind = `{"classes":["a","b"]}`, scasfile.Signs },
	} {
		c := content{
			[]int32{0, 2, 1}, []float64{1, 2, 3}, []float64{-1, 1}, []int64{0, 2, 3}, scasfile.Numbers, "{}",
		}
		spoil(&c)
		var b bytes.Buffer
		w, err := scasfile.NewWriter(&b, &scasfile.Header{
			Rows: 2, Cols: 3, NNZ: 3, Labelling: c.kind, Negative: 3, Positive: 7, MetaBytes: int64(len(c.meta)),
		})
		for _, err := range []error{
			err, scasfile.WriteNumbers(w, c.idx), w.EndSection(), scasfile.WriteNumbers(w, c.val),
			w.EndSection(), scasfile.WriteNumbers(w, c.ptr), w.EndSection(),
			scasfile.WriteNumbers(w, c.labels), w.EndSection(),
			errorOf(w.Write([]byte(c.meta))), w.EndSection(), w.Close(),
		} {
			sparsetest.Must(t, err)
		}
		_, err = readAs(Binary, bytes.NewReader(b.Bytes()), "d", &ReadOptions{Regression: true})
		if want == "" {
			sparsetest.Must(t, err)
		} else {
			wantParseError(t, err, 0, 0, want)
		}
	}
}

func errorOf(_ int, err error) error { return err }

// TestBinaryMemory checks that data larger than ReadOptions.Memory are an error. With ReadOptions.Beyond they
// are no error, and CSR.Check must find a damaged byte.
func TestBinaryMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.scas")
	sparsetest.Must(t, WriteFile(path, manyRows(t, 30000)))
	_, err := ReadFile(path, &ReadOptions{Memory: 1 << 20})
	wantParseError(t, err, 0, 0, "30000 rows take 3.", "more than the 1 MiB allowed")
	if !mapsFiles {
		return
	}
	data, err := os.ReadFile(path)
	sparsetest.Must(t, err)
	for _, position := range []int{-1, 3 << 20} {
		if position > 0 {
			data[position] ^= 1
			sparsetest.Must(t, os.WriteFile(path, data, 0o666))
		}
		// Memory has no room for the file and Reserve together.
		d, err := ReadFile(path, &ReadOptions{Memory: 11 << 20, Reserve: 10 << 20, Beyond: true})
		if err != nil || !d.X.Mapped() {
			t.Fatal(err)
		}
		for lo := 0; lo < 30000 && err == nil; lo += 1000 {
			d.X.Prefetch(lo, lo+1000)
			err = d.X.Check(lo, lo+1000)
			d.X.Release(lo, lo+1000)
		}
		if position < 0 && err != nil {
			t.Error(err)
		} else if position > 0 {
			wantParseError(t, err, 0, 0, path, "damaged: bytes 2101248 to 3149823")
		}
	}
}

// mappingsOf returns how many parts of the memory of this process are mappings of the file.
func mappingsOf(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	return strings.Count(string(data), path+"\n")
}

// TestBinaryUnmaps checks that a file is no longer mapped if the data are a copy, and after an error.
func TestBinaryUnmaps(t *testing.T) {
	d := manyRows(t, 3000)
	for j := range d.X.cols {
		d.Names = append(d.Names, fmt.Sprint("f", j))
	}
	dir := t.TempDir()
	var paths []string
	for k := range 3 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(k, ".scas")))
		sparsetest.Must(t, WriteFile(paths[k], d))
	}
	reversedNames := slices.Clone(d.Names)
	slices.Reverse(reversedNames)
	checkUnmapped := func(name string) {
		t.Helper()
		for _, path := range paths {
			if n := mappingsOf(t, path); n > 0 {
				t.Errorf("%s: %s is mapped %d times", name, path, n)
			}
		}
	}
	whole, err := ReadFile(paths[0], &ReadOptions{AnyLabels: true})
	sparsetest.Must(t, err)
	if whole.X.Mapped() != (mappingsOf(t, paths[0]) == 1) {
		t.Error("the test does not see mappings")
	}
	copied, err := ReadFile(paths[1], &ReadOptions{AnyLabels: true, Names: reversedNames})
	sparsetest.Must(t, err)
	if copied.X.Mapped() || !sameFloats(copied.Labels, whole.Labels) {
		t.Errorf("copied: mapped %v, %d labels", copied.X.Mapped(), len(copied.Labels))
	}
	sparsetest.Must(t, whole.Close())
	checkUnmapped("other columns")
	shard, err := ReadShard(paths, 0, 1, nil)
	sparsetest.Must(t, err)
	if shard.X.rows != 9000 {
		t.Errorf("%d rows", shard.X.rows)
	}
	checkUnmapped("three files")
	d.Names[0] = "other"
	sparsetest.Must(t, WriteFile(paths[2], d))
	_, err = ReadShard(paths, 0, 1, nil)
	sparsetest.CheckError(t, err, "2.scas: the names of its features differ")
	checkUnmapped("an error")
}

// TestBinaryNamesMemory checks that the columns of a file larger than ReadOptions.Memory are put in another
// order only if the copy fits, and that the copy is not made of damaged rows.
func TestBinaryNamesMemory(t *testing.T) {
	if !mapsFiles {
		t.Skip("files are not mapped here")
	}
	d := manyRows(t, 30000)
	for j := range d.X.cols {
		d.Names = append(d.Names, fmt.Sprint("f", j))
	}
	path := filepath.Join(t.TempDir(), "d.scas")
	sparsetest.Must(t, WriteFile(path, d))
	data, err := os.ReadFile(path)
	sparsetest.Must(t, err)
	opt := &ReadOptions{Memory: 1 << 20, Beyond: true, Names: d.Names[:d.X.cols-1]}
	_, err = ReadFile(path, opt)
	wantParseError(t, err, 0, 0, "30000 rows take 3.", "more than the 1 MiB allowed")
	// The matrix and the labels fit in a little less than the file, so ReadFile leaves its rows unchecked.
	opt.Memory = int64(len(data)) - 1
	copied, err := ReadFile(path, opt)
	if err != nil || copied.X.Mapped() || copied.X.cols != d.X.cols-1 {
		t.Fatal(err)
	}
	data[4096+3] ^= 0x80 // the first column
	sparsetest.Must(t, os.WriteFile(path, data, 0o666))
	_, err = ReadFile(path, opt)
	wantParseError(t, err, 0, 0, path, "damaged: ")
}

// FuzzBinary checks that any bytes are either refused or read as valid data. It corrects the
// checksums, so that the fuzzer reaches the checks behind them.
func FuzzBinary(f *testing.F) {
	d := mustRead(f, "3 1:1 4:2.5\n7 2:1\n3\n", nil)
	file := binaryBytes(f, d)
	f.Add(file)
	f.Add(file[:5000])
	f.Add(binaryBytes(f, &Dataset{X: d.X, Names: []string{"a", "b", "c", "d"}}))
	f.Add(binaryBytes(f, &Dataset{X: d.X, Labels: []float64{0, 1, 0}, Classes: Classes{[]float64{0, 1}, []string{"a", "b"}}}))
	f.Add(binaryBytes(f, &Dataset{X: d.X, Labels: []float64{0, 0, 0}, Classes: Classes{[]float64{0}, []string{"a"}}}))
	binary.LittleEndian.PutUint64(file[48:], math.Float64bits(math.NaN()))
	f.Add(file)
	f.Fuzz(func(t *testing.T, data []byte) {
		le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
		if n := len(data); n >= 4096+8 {
			le.PutUint32(data[4092:], crc32.Checksum(data[:4092], table))
			le.PutUint32(data[n-8:], crc32.Checksum(data[4096:n-8], table)) // the checksum of the only block
			le.PutUint32(data[n-4:], crc32.Checksum(data[n-8:n-4], table))
		}
		d, err := readAs(Binary, bytes.NewReader(data), "d", &ReadOptions{AnyLabels: true})
		if err != nil {
			wantParseError(t, err, 0, 0, "d: ")
			return
		}
		if _, err := New(d.X.rows, d.X.cols, d.X.ptr, d.X.idx, d.X.val); err != nil ||
			d.Labels != nil && len(d.Labels) != d.X.rows {
			t.Errorf("%v; %d labels for %d rows", err, len(d.Labels), d.X.rows)
		}
		d, err = readAs(Binary, bytes.NewReader(data), "d", &ReadOptions{MaxClasses: 5, LabelsOptional: true})
		if _, ok := errors.AsType[*ParseError](err); err != nil && !ok {
			t.Error(err)
		} else if notSign := func(b float64) bool { return b != 1 && b != -1 }; err == nil &&
			d.Signs && slices.ContainsFunc(d.Labels, notSign) {
			t.Errorf("labels %v", d.Labels)
		}
	})
}

// BenchmarkMap measures the time to read data as text, and to map the same data as a .scas file
// with and without checking the rows.
func BenchmarkMap(b *testing.B) {
	d := manyRows(b, 100000)
	dir := b.TempDir()
	textPath, binaryPath := filepath.Join(dir, "d.svm"), filepath.Join(dir, "d.scas")
	if err := errors.Join(WriteFile(textPath, d), WriteFile(binaryPath, d)); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		opt        ReadOptions
	}{
		{"text", textPath, ReadOptions{}}, {"checked", binaryPath, ReadOptions{}},
		{"unchecked", binaryPath, ReadOptions{Memory: 1, Beyond: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			info, err := os.Stat(c.path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			for b.Loop() {
				d, err := ReadFile(c.path, &c.opt)
				if err != nil {
					b.Fatal(err)
				}
				d.Close()
			}
		})
	}
}

// TestBinaryClasses checks that labels stored as numbers are a view of the file, not a copy. A
// damaged label must be an error, not a new class.
func TestBinaryClasses(t *testing.T) {
	d := manyRows(t, 30000)
	for i := range d.Labels {
		d.Labels[i] = float64(i % 5)
	}
	d.Classes, d.Signs = Classes{}, false
	path := filepath.Join(t.TempDir(), "d.scas")
	sparsetest.Must(t, WriteFile(path, d))
	file, err := os.ReadFile(path)
	sparsetest.Must(t, err)
	classOptions := &ReadOptions{MaxClasses: 5, Memory: 1 << 20, Beyond: true}
	for _, opt := range []*ReadOptions{classOptions, {Classes: Classes{Values: []float64{0, 1, 2, 3, 4}}}, {Regression: true}} {
		reread, err := ReadFile(path, opt)
		sparsetest.Must(t, err)
		if !sameFloats(d.Labels, reread.Labels) || &reread.Labels[0] != &reread.X.file.Labels[0] ||
			reread.Classes.IsZero() != opt.Regression {
			t.Errorf("%+v: classes %v", opt, reread.Classes)
		}
		sparsetest.Must(t, reread.Close())
	}
	position := bytes.LastIndex(file, binary.LittleEndian.AppendUint64(nil, math.Float64bits(4)))
	file[position+7] ^= 0x80 // flips the sign of a label
	sparsetest.Must(t, os.WriteFile(path, file, 0o666))
	_, err = ReadFile(path, classOptions)
	wantParseError(t, err, 0, 0, path, "damaged: bytes")
}
