package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// bombPeak is the largest resident size, in bytes, that the program may reach when it reads a bomb.
const bombPeak = 200e6

// A bombAttack lets the program read bombs: small files that expand to very large ones, or whose header
// states very large sizes. All inputs of the program are tried.
type bombAttack struct {
	g   *ground
	in  string
	zip map[string]func([]byte) ([]byte, error)
}

func beginBombs(_ context.Context, g *ground) (trial, error) {
	if runtime.GOOS != "linux" {
		return nil, skip("peak memory is not known here")
	}
	in, err := g.inputs()
	if err != nil {
		return nil, err
	}
	b := &bombAttack{g: g, in: in, zip: map[string]func([]byte) ([]byte, error){"gzip": gzipped, "zstd": zstdCompressed, "xz": xzCompressed}}
	if _, err := exec.LookPath("bzip2"); err == nil {
		b.zip["bzip2"] = bzipped
	}
	return b.try, nil
}

func gzipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	return written(&b, w, text, err)
}

func zstdCompressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	return written(&b, w, text, err)
}

func xzCompressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	return written(&b, w, text, err)
}

func written(b *bytes.Buffer, w io.WriteCloser, text []byte, err error) ([]byte, error) {
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func bzipped(text []byte) ([]byte, error) {
	cmd := exec.Command("bzip2", "-9c")
	cmd.Stdin = bytes.NewReader(text)
	return cmd.Output()
}

// doors are command lines that read a bomb. X stands for the path of the bomb, IN for the directory of
// the inputs.
var doors = [][]string{
	{"train", "X"}, {"path", "X"}, {"cv", "X"}, {"info", "X"}, {"graph", "--penalty", "0.1", "X"}, {"predict", "-m", "IN/mid.json", "X"},
	{"train", "--graph", "X", "IN/tiny.svm"}, {"path", "--graph", "edges:X", "IN/tiny.svm"}, {"train", "--graph", "matrix:X", "IN/tiny.svm"},
	{"train", "--groups", "X", "IN/tiny.svm"}, {"cv", "--groups", "X", "IN/tiny.svm"}, {"train", "--sample-weights", "X", "IN/tiny.svm"},
	{"train", "--names", "X", "IN/tiny.svm"}, {"graph", "--penalty", "0.1", "--correlation", "X"},
	{"predict", "-m", "X", "IN/tiny.svm"}, {"model", "show", "X"}, {"model", "convert", "X", "out"}, {"info", "X"},
}

// units are the texts that compressed bombs repeat.
var units = []string{" ", "\n", "\t \n", "1 1:1\n-1 2:1\n", "1 1:1 ", "0", "#", "1 2\n", "1\n", "\x00", "9", "1 0 0\n", "{\"a\":", "[", "\"", "%", "1,"}

// giants are small files whose header states very large sizes.
var giants = []string{
	"1 2147483647:1\n-1 1:1\n", "1 100000000:1\n-1 1:1\n", "1 0:1 2147483647:1\n-1 1:1\n", "2147483647 2147483647 1\n1 1 1\n", "4194304 3 1\n1 1 1\n",
	"%%MatrixMarket matrix coordinate real symmetric\n2147483647 2147483647 1\n1 1 1\n", "3 3 9223372036854775807\n1 1 1\n", "2147483647\n",
	strings.Replace(midModel, `"p": 8`, `"p": 2147483647, "nonzero_features": [1,2,3,4,5,6,7,8]`, 1), strings.Replace(midModel, `"p": 8`, `"p": 1e18`, 1),
	strings.Replace(midModel, `"p": 8`, `"p": 90000000, "nonzero_features": [1,2,3,4,5,6,7,8]`, 1),
	"solver_type L1R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2147483647\nbias -1\nw\n1\n",
}

// make makes a bomb, and describes it in what.
func (b *bombAttack) make(seed uint64) (what string, text []byte, err error) {
	rng := random(seed)
	if chance(rng, 3) {
		giant := pick(rng, giants...)
		return "giant numbers", []byte(giant), nil
	}
	kinds := []string{"gzip", "zstd", "xz"}
	if b.zip["bzip2"] != nil {
		kinds = append(kinds, "bzip2")
	}
	kind, unit := pick(rng, kinds...), pick(rng, units...)
	const block = 8 << 20
	packed, err := b.zip[kind](bytes.Repeat([]byte(unit), block/len(unit)))
	if err != nil {
		return "", nil, err
	}
	head, err := b.zip[kind]([]byte(pick(rng, "", "1 1:1\n-1 2:1\n")))
	if err != nil {
		return "", nil, err
	}
	// A file in any of these formats may consist of several streams. 1024 streams of 8 MiB make 8
	// GiB.
	return fmt.Sprintf("8 GiB of %q in %s", unit, kind), append(head, bytes.Repeat(packed, 1024)...), nil
}

// try runs one of the command lines in doors with a bomb.
func (b *bombAttack) try(ctx context.Context, seed uint64) (string, error) {
	what, text, err := b.make(seed)
	if err != nil {
		return "", err
	}
	dir, err := b.g.tempDir("bomb")
	if err != nil {
		return "", err
	}
	defer remove(dir)
	bomb := filepath.Join(dir, "bomb")
	if err := os.WriteFile(bomb, text, 0o644); err != nil {
		return "", err
	}
	door := doors[seed%uint64(len(doors))]
	args := make([]string, len(door))
	for k, arg := range door {
		args[k] = strings.NewReplacer("IN", b.in, "X", bomb).Replace(arg)
	}
	args = append(args, "--memory", "100MB")
	debug.FreeOSMemory()
	// A new process inherits the peak resident size of its parent until it executes the program, so
	// this process resets its own.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return "", err
	}
	e, err := b.g.call(ctx, call{dir: dir, args: args})
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if err := e.orderly(); err != nil {
		return "", fmt.Errorf("%s, %v: %w", what, door, err)
	}
	if e.peak > bombPeak {
		return "", fmt.Errorf("%s, %v: %d MB resident, exit code %d: %s", what, door, e.peak/1e6, e.code, head(e.stderr))
	}
	return fmt.Sprintf("exit %d", e.code), nil
}
