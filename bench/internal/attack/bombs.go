package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/scas-admm/scas/bench/internal/program"
)

// bombPeak is the largest resident size, in bytes, that the program may reach when it reads a bomb.
const bombPeak = 200e6

func beginBombs(ctx context.Context, g *testbed) (trial, error) {
	e, err := g.call(ctx, program.Call{Args: []string{"--version"}})
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "linux" || e.Peak == 0 {
		return nil, skip("peak memory is not known here")
	}
	return g.tryBombs, nil
}

// formats returns the compressed formats that this machine can write.
func formats() []string {
	names := slices.Sorted(maps.Keys(compressors))
	if _, err := exec.LookPath("bzip2"); err == nil {
		names = append(names, "bzip2")
	}
	return names
}

var compressors = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) },
	"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
}

func compress(format string, text []byte) ([]byte, error) {
	if format == "bzip2" {
		cmd := exec.Command("bzip2", "-9c")
		cmd.Stdin = bytes.NewReader(text)
		return cmd.Output()
	}
	var b bytes.Buffer
	w, err := compressors[format](&b)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// bombLines are command lines that read the file bomb: a small file that expands to a very large one, or
// whose header states very large sizes. IN stands for the directory of the inputs.
var bombLines = [][]string{
	{"train", "bomb"}, {"path", "bomb"}, {"cv", "bomb"}, {"info", "bomb"},
	{"graph", "--penalty", "0.1", "bomb"}, {"predict", "-m", "IN/mid.json", "bomb"},
	{"train", "--graph", "bomb", "IN/tiny.svm"}, {"path", "--graph", "edges:bomb", "IN/tiny.svm"},
	{"train", "--graph", "matrix:bomb", "IN/tiny.svm"},
	{"train", "--groups", "bomb", "IN/tiny.svm"}, {"cv", "--groups", "bomb", "IN/tiny.svm"},
	{"train", "--sample-weights", "bomb", "IN/tiny.svm"},
	{"train", "--names", "bomb", "IN/tiny.svm"}, {"graph", "--penalty", "0.1", "--correlation", "bomb"},
	{"predict", "-m", "bomb", "IN/tiny.svm"}, {"model", "show", "bomb"}, {"model", "convert", "bomb", "out"},
}

var repeatedTexts = []string{
	" ", "\n", "\t \n", "1 1:1\n-1 2:1\n", "1 1:1 ", "0", "#", "1 2\n", "1\n", "\x00", "9", "1 0 0\n",
	"{\"a\":", "[", "\"", "%", "1,",
}

// giants are the contents of small files that state very large sizes or indices.
var giants = []string{
	"1 2147483647:1\n-1 1:1\n", "1 100000000:1\n-1 1:1\n", "1 0:1 2147483647:1\n-1 1:1\n",
	"2147483647 2147483647 1\n1 1 1\n", "4194304 3 1\n1 1 1\n",
	"%%MatrixMarket matrix coordinate real symmetric\n2147483647 2147483647 1\n1 1 1\n",
	"3 3 9223372036854775807\n1 1 1\n", "2147483647\n",
	strings.Replace(midModel, `"p": 8`, `"p": 2147483647, "nonzero_features": [1,2,3,4,5,6,7,8]`, 1),
	strings.Replace(midModel, `"p": 8`, `"p": 1e18`, 1),
	strings.Replace(midModel, `"p": 8`, `"p": 90000000, "nonzero_features": [1,2,3,4,5,6,7,8]`, 1),
	"solver_type L1R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2147483647\nbias -1\nw\n1\n",
}

// makeBomb makes the bomb that the seed determines. description says in words what the bomb is, and text is
// the content of its file.
func makeBomb(seed uint64) (description string, text []byte, err error) {
	rng := newRNG(seed)
	if chance(rng, 3) {
		giant := pick(rng, giants...)
		return "giant numbers", []byte(giant), nil
	}
	format, unit := pick(rng, formats()...), pick(rng, repeatedTexts...)
	const block = 8 << 20
	packedBlock, err := compress(format, bytes.Repeat([]byte(unit), block/len(unit)))
	if err != nil {
		return "", nil, err
	}
	packedPrefix, err := compress(format, []byte(pick(rng, "", "1 1:1\n-1 2:1\n")))
	if err != nil {
		return "", nil, err
	}
	// packedBlock expands to 8 MiB, and 1024 copies of it to 8 GiB. All formats allow several compressed
	// streams in a file.
	description = fmt.Sprintf("8 GiB of %q in %s", unit, format)
	return description, append(packedPrefix, bytes.Repeat(packedBlock, 1024)...), nil
}

// tryBombs lets the program read a bomb.
func (g *testbed) tryBombs(ctx context.Context, seed uint64) (string, error) {
	description, text, err := makeBomb(seed)
	if err != nil {
		return "", err
	}
	dir, err := g.tempDir("bomb")
	if err != nil {
		return "", err
	}
	defer remove(dir)
	if err := os.WriteFile(filepath.Join(dir, "bomb"), text, 0o644); err != nil {
		return "", err
	}
	line := bombLines[seed%uint64(len(bombLines))]
	e, err := g.call(ctx, program.Call{Dir: dir, Args: append(g.expand(line), "--memory", "100MB")})
	if err != nil {
		return "", fmt.Errorf("%s: %w", description, err)
	}
	if err := checkEnding(e); err != nil {
		return "", fmt.Errorf("%s, %v: %w", description, line, err)
	}
	if e.Peak > bombPeak {
		return "", fmt.Errorf("%s, %v: %d MB resident, exit code %d: %s",
			description, line, e.Peak/1e6, e.Code, head(e.Stderr))
	}
	return fmt.Sprintf("exit %d", e.Code), nil
}
