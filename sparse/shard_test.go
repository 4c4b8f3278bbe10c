package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

// writeShardFiles writes files of LIBSVM text with lines of many lengths. It returns their paths and the
// text of all files.
func writeShardFiles(t *testing.T, files, lines int) (paths []string, content string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(files), uint64(lines)))
	var text strings.Builder
	dir := t.TempDir()
	for k := range files {
		start := text.Len()
		for range lines {
			fmt.Fprintf(&text, "%d", 2*rng.IntN(2)-1)
			for j := 1; j < 200; j += 1 + rng.IntN(60) {
				fmt.Fprintf(&text, " %d:%d", j, rng.IntN(100))
			}
			if rng.IntN(10) == 0 {
				text.WriteString(" # a comment\n\n")
			}
			text.WriteByte('\n')
		}
		path := filepath.Join(dir, fmt.Sprintf("%03d.svm", k))
		sparsetest.Must(t, os.WriteFile(path, []byte(text.String()[start:]), 0o666))
		paths = append(paths, path)
	}
	return paths, text.String()
}

// joinShards reads all shards of the files and joins their rows to one data set.
func joinShards(t *testing.T, paths []string, parts int, opt *ReadOptions) *Dataset {
	t.Helper()
	var data *Dataset
	for k := range parts {
		d, err := ReadShard(paths, k, parts, opt)
		if err != nil {
			t.Fatalf("part %d of %d: %v", k, parts, err)
		}
		if data == nil {
			data = d
		} else if err := data.appendRows(d); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func checkSame(t *testing.T, got, want *Dataset) {
	t.Helper()
	if diff := cmp.Diff(want.Labels, got.Labels); diff != "" {
		t.Error(diff)
	}
	if !sameBits(want.X, got.X) {
		t.Error("other rows")
	}
}

// TestShards checks that every row is in exactly one shard, wherever the text is divided.
func TestShards(t *testing.T) {
	for _, files := range []int{1, 2, 5} {
		paths, text := writeShardFiles(t, files, 40)
		want, err := readAs(LIBSVM, strings.NewReader(text), "all", &ReadOptions{AnyLabels: true})
		sparsetest.Must(t, err)
		binaryPaths := make([]string, files)
		for k, path := range paths {
			binaryPaths[k] = strings.TrimSuffix(path, ".svm") + ".scas"
			d, err := ReadFile(path, &ReadOptions{AnyLabels: true})
			sparsetest.Must(t, err)
			sparsetest.Must(t, WriteFile(binaryPaths[k], d))
		}
		for _, parts := range []int{1, 2, 3, 7, 16} {
			checkSame(t, joinShards(t, paths, parts, nil), want)
			checkSame(t, joinShards(t, binaryPaths, parts, nil), want)
		}
		for _, opt := range []*ReadOptions{
			{Positive: new(float64(1))}, {Classes: Classes{Values: []float64{1, -1}}},
			{Classes: Classes{Values: []float64{-1, 1}}}, {Regression: true},
		} { // ReadShard ignores these options
			checkSame(t, joinShards(t, paths, 2, opt), want)
			checkSame(t, joinShards(t, binaryPaths, 2, opt), want)
		}
	}
}

// TestShardsOfCompressed checks that a compressed file is in one shard, and that the error for a shard
// without rows names a remedy.
func TestShardsOfCompressed(t *testing.T) {
	paths, text := writeShardFiles(t, 4, 30)
	want, err := readAs(LIBSVM, strings.NewReader(text), "all", &ReadOptions{AnyLabels: true})
	sparsetest.Must(t, err)
	for k, path := range paths {
		content, err := os.ReadFile(path)
		sparsetest.Must(t, err)
		var b bytes.Buffer
		w, _ := zstd.NewWriter(&b)
		w.Write(content)
		w.Close()
		paths[k] = path + ".zst"
		sparsetest.Must(t, os.WriteFile(paths[k], b.Bytes(), 0o666))
	}
	checkSame(t, joinShards(t, paths, 2, nil), want)
	_, err = ReadShard(paths[:1], 1, 2, nil)
	sparsetest.CheckError(t, err, "decompress")
}

// TestShardsOfWords checks that a shard has the words of its labels. The labels must be the numbers in the
// file, or -1 and +1 if the shard is larger than memory.
func TestShardsOfWords(t *testing.T) {
	d := manyRows(t, 400)
	for i := range d.Labels {
		d.Labels[i] = max(0, d.Labels[i])
	}
	d.Signs, d.Classes = false, Classes{[]float64{0, 1}, []string{"no", "yes"}}
	path := filepath.Join(t.TempDir(), "d.scas")
	sparsetest.Must(t, WriteFile(path, d))
	for memory, wantSigns := range map[int64]bool{0: false, 1 << 10: true} {
		if memory > 0 && !mapsFiles {
			continue
		}
		part, err := ReadShard([]string{path}, 1, 2, &ReadOptions{Memory: memory, Beyond: true})
		if err != nil || part.Signs != wantSigns || cmp.Diff(part.Classes, d.Classes) != "" ||
			!slices.Equal(part.OriginalLabels(), d.Labels[200:]) {
			t.Errorf("%d bytes: %v, %v, %v", memory, part.Signs, part.Classes, err)
		}
	}
}

// TestShardErrors checks the errors of ReadShard, and their line numbers.
func TestShardErrors(t *testing.T) {
	paths, text := writeShardFiles(t, 1, 40)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	badLine := len(lines) - 1
	lines[badLine] += " 5:x"
	sparsetest.Must(t, os.WriteFile(paths[0], []byte(strings.Join(lines, "\n")), 0o666))
	_, err := ReadShard(paths, 3, 4, nil)
	parseErr, ok := errors.AsType[*ParseError](err)
	if !ok || parseErr.Line != badLine+1 || parseErr.File != paths[0] {
		t.Errorf("%v, want line %d", err, badLine+1)
	}
	if _, err := ReadShard(paths, 0, 4, nil); err != nil {
		t.Errorf("the first part: %v", err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, "a file"}, {[]string{"none"}, "no such file"}, {[]string{"x.csv"}, "scas convert"},
		{[]string{t.TempDir()}, "regular"},
	} {
		_, err := ReadShard(c.paths, 0, 2, nil)
		sparsetest.CheckError(t, err, c.want)
	}
	signsPath := filepath.Join(t.TempDir(), "signs.scas")
	sparsetest.Must(t, WriteFile(signsPath, mustRead(t, "-1 1:1\n3 1:2\n-1\n3\n", nil)))
	_, err = ReadShard([]string{signsPath}, 0, 2, &ReadOptions{Counts: true})
	sparsetest.CheckError(t, err, `"-1": a label below 0`)
	var basePaths []string // the first text has an index 0, the second has none
	for k, text := range []string{"1 0:1\n", "1 1:1\n"} {
		basePaths = append(basePaths, filepath.Join(t.TempDir(), fmt.Sprint(k, ".scas")))
		sparsetest.Must(t, WriteFile(basePaths[k], mustRead(t, text, &ReadOptions{AnyLabels: true})))
	}
	_, err = ReadShard(basePaths, 0, 1, nil)
	sparsetest.CheckError(t, err, "its features count from 1, and the features of the first file from 0")
	_, err = ReadShard(paths, 1, 1000, nil)
	sparsetest.CheckError(t, err, "fewer parts")
	_, err = ReadShard(paths, 0, 2, &ReadOptions{LabelsFile: "y.txt"})
	sparsetest.CheckError(t, err, "LabelsFile is y.txt", "want no file of labels")
}

// TestShardEdge checks the place of an index that is too large because an index 0 follows it.
func TestShardEdge(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for k, text := range []string{strings.Repeat("1 1:1\n", 30) + "1 9:1\n", "1 2:1\n1 0:1\n"} {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(k, ".svm")))
		sparsetest.Must(t, os.WriteFile(paths[k], []byte(text), 0o666))
	}
	_, err := ReadShard(paths, 1, 2, &ReadOptions{Features: 9})
	wantParseError(t, err, 31, 3, paths[0], "the index is beyond the last of 9 features, counted from 0")
}

// TestRebase checks that Rebase moves the columns of a shard without an index 0 if another shard has an
// index 0.
func TestRebase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zero.svm")
	sparsetest.Must(t, os.WriteFile(path, []byte("1 0:1 3:2\n-1 1:1 4:1\n"), 0o666))
	want, err := ReadFile(path, &ReadOptions{AnyLabels: true})
	sparsetest.Must(t, err)
	firstShard, err := ReadShard([]string{path}, 0, 2, nil)
	sparsetest.Must(t, err)
	secondShard, err := ReadShard([]string{path}, 1, 2, nil)
	sparsetest.Must(t, err)
	firstShard.Rebase(true, 5)
	secondShard.Rebase(true, 5)
	sparsetest.Must(t, firstShard.appendRows(secondShard))
	checkSame(t, firstShard, want)
	if !mapsFiles {
		return
	}
	path = filepath.Join(t.TempDir(), "one.scas")
	sparsetest.Must(t, WriteFile(path, mustRead(t, "1 1:1\n", &ReadOptions{AnyLabels: true})))
	view, err := ReadShard([]string{path}, 0, 1, nil)
	sparsetest.Must(t, err)
	defer view.Close()
	defer func() {
		if recover() == nil {
			t.Error("no panic, though the columns of a view of a file cannot change")
		}
	}()
	view.Rebase(true, 5)
}
