package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// mustConvert calls Convert, and returns the bytes of the file that it has written.
func mustConvert(t *testing.T, inPath, outPath string, opt *ReadOptions) ([]byte, *Converted) {
	t.Helper()
	c, err := Convert(inPath, outPath, opt, nil)
	sparsetest.Must(t, err)
	data, err := os.ReadFile(outPath)
	sparsetest.Must(t, err)
	return data, c
}

func writeText(t *testing.T, path string, fill func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	sparsetest.Must(t, fill(&b))
	sparsetest.Must(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// TestConvert checks that a conversion block by block writes the same bytes as a conversion in
// memory.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	inPath, outPath := filepath.Join(dir, "in.svm"), filepath.Join(dir, "out.scas")
	for _, text := range []string{
		"1 1:1 3:2\n-1 2:1\n", "3 0:1 3:2\n7 2:1\n", "1 3:1 1:2\n2 2:1 # two\n\n3\n", "5 7:1\n", "\ufeff1 1:1\n0 1:2",
	} {
		for _, opt := range []*ReadOptions{nil, {Features: 9}, {IndexBase: ZeroBased}, {Regression: true, Counts: true}} {
			writeText(t, inPath, func(w io.Writer) error {
				return Compress(w, ".zst",
					func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
			})
			var o ReadOptions
			if opt != nil {
				o = *opt
			}
			o.AnyLabels, o.Regression, o.Counts = true, false, false
			d := mustRead(t, text, &o)
			got, c := mustConvert(t, inPath, outPath, opt)
			if !bytes.Equal(got, binaryBytes(t, d)) || c.Features != d.X.cols || c.Stats.NNZ != d.X.NNZ() ||
				c.Stats.Compression != "zstd" {
				t.Errorf("%q, %+v: %+v", text, opt, c)
			}
		}
	}
	wantOnlyFiles(t, dir, "in.svm", "out.scas")
}

// wantOnlyFiles fails unless a directory has exactly the listed files.
func wantOnlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	sparsetest.Must(t, err)
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(want, " ") {
		t.Errorf("files %v, want %v", have, want)
	}
}

// TestConvertResumes interrupts a conversion again and again while it reads the text, and once while it
// writes the file. The file must have the same bytes as without interruptions, and the last call must not
// read the text from its beginning.
func TestConvertResumes(t *testing.T) {
	dir := t.TempDir()
	d := manyRows(t, 25000)
	inPath, outPath := filepath.Join(dir, "in.svm.zst"), filepath.Join(dir, "out.scas")
	sparsetest.Must(t, WriteFile(inPath, d))
	want, _ := mustConvert(t, inPath, filepath.Join(dir, "other.scas"), nil)
	errStop := errors.New("stop")
	interruptions, seenStages := 0, map[string]bool{}
	var resumed int64
	for {
		callsLeft := min(interruptions, 3) // with 0, Convert stops before it has converted a row
		c, err := Convert(inPath, outPath, nil, func(stage string, done, total int64) error {
			if done > total {
				t.Errorf("%s: %d of %d", stage, done, total)
			}
			// Interrupt this stage only once. Each call of Convert writes the file from its beginning, so
			// with more interruptions it would never finish.
			if stage == "file" {
				callsLeft = 0
				if seenStages[stage] {
					callsLeft = 1
				}
			}
			seenStages[stage] = true
			callsLeft--
			if callsLeft < 0 {
				return errStop
			}
			return nil
		})
		if err == nil {
			resumed = c.Resumed
			break
		}
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		interruptions++
		if interruptions > 100 {
			t.Fatal("it does not get on")
		}
		if _, err := os.Stat(outPath); err == nil {
			t.Fatal("a file that is not whole")
		}
	}
	got, err := os.ReadFile(outPath)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes differ from %d, %v", len(got), len(want), err)
	}
	if interruptions < 3 || resumed == 0 || !seenStages["text"] || !seenStages["file"] {
		t.Errorf("interrupted %d times, resumed %d bytes, %v", interruptions, resumed, seenStages)
	}
	wantOnlyFiles(t, dir, "in.svm.zst", "other.scas", "out.scas")
}

// TestConvertResumesAtEnd interrupts the writing of the file after the whole text is converted. The text does
// not end with a line feed.
func TestConvertResumesAtEnd(t *testing.T) {
	dir := t.TempDir()
	inPath, outPath := filepath.Join(dir, "in.svm"), filepath.Join(dir, "out.scas")
	text := strings.Repeat("1 1:1\n2 2:1\n", 1000) + "1 1:1 #" + strings.Repeat("x", recordBytes)
	sparsetest.Must(t, os.WriteFile(inPath, []byte(text), 0o666))
	want, _ := mustConvert(t, inPath, filepath.Join(dir, "other.scas"), nil)
	_, err := Convert(inPath, outPath, nil, func(stage string, _, _ int64) error {
		if stage == "file" {
			return io.EOF
		}
		return nil
	})
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	got, c := mustConvert(t, inPath, outPath, nil)
	if !bytes.Equal(got, want) || c.Resumed != int64(len(text)) {
		t.Errorf("%d bytes, want %d; resumed %d bytes of %d", len(got), len(want), c.Resumed, len(text))
	}
}

// TestConvertDistrusts checks that a conversion does not continue from parts that are damaged or
// that belong to another text.
func TestConvertDistrusts(t *testing.T) {
	d := manyRows(t, 20000)
	for name, spoil := range map[string]func(t *testing.T, dir, inPath string){
		"nothing":   func(*testing.T, string, string) {},
		"a bit":     func(t *testing.T, dir, _ string) { flipBit(t, filepath.Join(dir, "values"), 1000) },
		"an end":    func(t *testing.T, dir, _ string) { sparsetest.Must(t, os.Truncate(filepath.Join(dir, "labels"), 8)) },
		"a line":    func(t *testing.T, dir, _ string) { flipBit(t, filepath.Join(dir, "journal"), 30) },
		"no labels": func(t *testing.T, dir, _ string) { sparsetest.Must(t, os.Remove(filepath.Join(dir, "labels"))) },
		"text": func(t *testing.T, _, inPath string) {
			sparsetest.Must(t, os.Chtimes(inPath, time.Unix(1, 0), time.Unix(1, 0)))
		},
	} {
		dir := t.TempDir()
		inPath, outPath := filepath.Join(dir, "in.svm"), filepath.Join(dir, "out.scas")
		sparsetest.Must(t, WriteFile(inPath, d))
		calls := 0
		_, err := Convert(inPath, outPath, nil, func(string, int64, int64) error {
			calls++
			if calls > 5 {
				return io.EOF
			}
			return nil
		})
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		spoil(t, filepath.Join(dir, ".out.scas.parts"), inPath)
		got, c := mustConvert(t, inPath, outPath, nil)
		if !bytes.Equal(got, binaryBytes(t, d)) || (c.Resumed > 0) != (name == "nothing") {
			t.Errorf("%s: %+v", name, c)
		}
		wantOnlyFiles(t, dir, "in.svm", "out.scas")
	}
}

// TestConvertOtherOptions checks that a conversion does not continue from the parts of a conversion that left
// large indices out, unless it leaves them out itself.
func TestConvertOtherOptions(t *testing.T) {
	dir := t.TempDir()
	inPath, outPath := filepath.Join(dir, "in.svm"), filepath.Join(dir, "out.scas")
	sparsetest.Must(t, os.WriteFile(inPath, []byte("1 9:1\n"+strings.Repeat("1 1:1\n-1 2:1\n", 1<<17)), 0o666))
	calls := 0
	_, err := Convert(inPath, outPath, &ReadOptions{Features: 2, IgnoreBeyond: true}, func(string, int64, int64) error {
		calls++
		if calls > 3 {
			return io.EOF
		}
		return nil
	})
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	_, err = Convert(inPath, outPath, &ReadOptions{Features: 2}, nil)
	sparsetest.CheckError(t, err, "in.svm:1:3", "the index is beyond the last of 2 features")
}

func flipBit(t *testing.T, path string, position int) {
	t.Helper()
	data, err := os.ReadFile(path)
	sparsetest.Must(t, err)
	data[position] ^= 4
	sparsetest.Must(t, os.WriteFile(path, data, 0o666))
}

func TestConvertErrors(t *testing.T) {
	dir := t.TempDir()
	inPath, outPath := filepath.Join(dir, "in.svm"), filepath.Join(dir, "out.scas")
	longText := strings.Repeat("1 1:1\n", 100000)
	for text, want := range map[string]string{
		longText + "1 1:x\n":     fmt.Sprintf(`%s:100001:3: "1:x": expected a finite decimal number`, inPath),
		"":                       "the file is empty",
		"a,b\n1,2\n":             "this looks like comma-separated values",
		longText + "1 1:1 1:2\n": "index 1 stands twice",
	} {
		sparsetest.Must(t, os.WriteFile(inPath, []byte(text), 0o666))
		_, err := Convert(inPath, outPath, nil, nil)
		sparsetest.CheckError(t, err, want)
		wantOnlyFiles(t, dir, "in.svm")
	}
	_, err := Convert(filepath.Join(dir, "none"), outPath, nil, nil)
	sparsetest.CheckError(t, err, "none: no such file")
	_, err = Convert(inPath, outPath, &ReadOptions{Features: -1}, nil)
	sparsetest.CheckError(t, err, "Features is -1")
	_, err = Convert(inPath, filepath.Join(dir, "none", "out.scas"), nil, nil)
	sparsetest.CheckError(t, err, "no such file or directory")
}

// TestConvertOtherFormats checks a chain of conversions through all formats. The names of the files
// determine the formats.
func TestConvertOtherFormats(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	sparsetest.Must(t, os.WriteFile(path("a.csv"), []byte("age,city,y\n1.5,Ulm,3\n0,Bonn,4\n2,Ulm,5\n"), 0o666))
	sparsetest.Must(t, os.WriteFile(path("y.txt"), []byte("3\n4\n5\n"), 0o666))
	want, err := ReadFile(path("a.csv"), &ReadOptions{AnyLabels: true})
	sparsetest.Must(t, err)
	sourceName := "a.csv"
	for _, output := range []string{"b.npz", "c.scas", "d.tsv.gz", "e.scas.zst", "f.svm", "g.npy", "h.mtx", "i.svm"} {
		opt := &ReadOptions{Regression: true, Features: 3}
		if sourceName == "g.npy" || sourceName == "h.mtx" {
			opt.LabelsFile = path("y.txt")
		}
		result, err := Convert(path(sourceName), path(output), opt, nil)
		if err != nil {
			t.Fatalf("%s to %s: %v", sourceName, output, err)
		}
		got, err := ReadFile(path(output), &ReadOptions{AnyLabels: true, Features: 3})
		if err != nil || !sameBits(got.X, want.X) || result.Features != 3 || result.Stats.NNZ != 5 {
			t.Fatalf("%s to %s: %+v, %+v, %v", sourceName, output, result, got, err)
		}
		if got.Labels != nil && !sameFloats(got.Labels, want.Labels) || got.Names != nil && !slices.Equal(got.Names, want.Names) {
			t.Errorf("%s to %s: labels %v, names %q", sourceName, output, got.Labels, got.Names)
		}
		sparsetest.Must(t, got.Close())
		sourceName = output
	}
	_, err = Convert(path("a.csv"), path("a.scas.xz"), nil, nil)
	sparsetest.CheckError(t, err, "a.scas.xz: xz is not written")
	_, err = Convert(path("a.csv"), path("a.scas"), &ReadOptions{LabelsFile: path("y.txt")}, nil)
	sparsetest.CheckError(t, err, "LabelsFile is", "a.csv is read as csv, which has labels")
	if err := os.Symlink("c.scas", path("link.csv")); err == nil { // some systems refuse links
		_, err := Convert(path("a.csv"), path("link.csv"), nil, nil)
		sparsetest.Must(t, err)
		if text, _ := os.ReadFile(path("c.scas")); !bytes.HasPrefix(text, []byte("age,")) {
			t.Errorf("not the format of the link's name: %.20q", text)
		}
		sparsetest.Must(t, os.Remove(path("link.csv")))
	}
	wantOnlyFiles(t, dir, "a.csv", "b.npz", "c.scas", "d.tsv.gz", "e.scas.zst", "f.svm", "g.npy", "h.mtx", "i.svm", "y.txt")
}
