package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/scas-admm/scas/bench/internal/program"
)

func beginPipes(_ context.Context, g *testbed) (trial, error) {
	if _, err := exec.LookPath("mkfifo"); err != nil {
		return nil, skip("no mkfifo")
	}
	return g.tryPipes, nil
}

// pipeLines has, for each input, the command line that reads this input from the file x. IN stands for the
// directory of the inputs.
var pipeLines = map[string][]string{
	"mid.svm":  {"train", "-o", "out", "x"},
	"edges":    {"train", "--graph", "edges:x", "-o", "out", "IN/tiny.svm"},
	"names":    {"train", "--names", "x", "-o", "out", "IN/tiny.svm"},
	"table":    {"graph", "--penalty", "0.01", "--correlation", "x", "-o", "out"},
	"mid.json": {"predict", "-m", "x", "-o", "out", "IN/mid.svm"},
}

// tryPipes feeds an input through a pipe, slowly and in pieces, or changes the file while the program reads
// it. It may cut the input short.
func (g *testbed) tryPipes(ctx context.Context, seed uint64) (string, error) {
	rng := newRNG(seed)
	name := pick(rng, "mid.svm", "mid.svm", "edges", "table", "mid.json", "names")
	args := g.expand(pipeLines[name])
	text, err := os.ReadFile(filepath.Join(g.inputDir, name))
	if err != nil {
		return "", err
	}
	if chance(rng, 2) {
		text = text[:rng.IntN(len(text)+1)]
	}
	changing := chance(rng, 3)
	plainEnding, plainOut, err := g.runFed(ctx, args, func(path string) (func(), error) {
		return func() {}, os.WriteFile(path, text, 0o644)
	})
	if err != nil {
		return "", err
	}
	if err := checkEnding(plainEnding); err != nil {
		return "", err
	}
	e, out, err := g.runFed(ctx, args, func(path string) (func(), error) {
		if changing {
			return change(rng, path, text)
		}
		return drip(rng, path, text)
	})
	if err != nil {
		return "", err
	}
	if err := checkEnding(e); err != nil {
		return "", err
	}
	switch {
	case changing && e.Code != exitOK && e.Code != exitNotConverged && len(out) > 0:
		return "", fmt.Errorf("%v: exit code %d, and an output", args, e.Code)
	case changing:
		return "changed", nil
	case e.Code != plainEnding.Code || !bytes.Equal(out, plainOut):
		return "", fmt.Errorf("%v: exit code %d through a pipe, %d from a file, outputs equal: %v; %s",
			args, e.Code, plainEnding.Code, bytes.Equal(out, plainOut), head(e.Stderr))
	}
	return "as from a file", nil
}

// runFed runs a command line in a new directory. It returns how the program ended, and the contents of the
// output file, or nil if there is no such file. Before the run, runFed calls feed with the path of the input
// file. feed must create the input file, and return a function that writes to the file or changes it. runFed
// calls the returned function while the program runs.
func (g *testbed) runFed(
	ctx context.Context, args []string, feed func(path string) (func(), error),
) (*program.Ending, []byte, error) {
	dir, err := g.tempDir("stream")
	if err != nil {
		return nil, nil, err
	}
	defer remove(dir)
	background, err := feed(filepath.Join(dir, "x"))
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	e, err := g.call(ctx, program.Call{Dir: dir, Args: args, OnStart: func(*os.Process) {
		go func() {
			defer close(done)
			background()
		}()
	}})
	if err != nil {
		return nil, nil, err
	}
	// If the program never opened the pipe, this reader lets the writer continue.
	if f, err := os.OpenFile(filepath.Join(dir, "x"), os.O_RDWR, 0); err == nil {
		defer f.Close()
	}
	<-done
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return e, out, err
}

// drip makes a pipe at path, and returns a function that writes text into it in pieces, with
// pauses.
func drip(rng *rand.Rand, path string, text []byte) (func(), error) {
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mkfifo: %w: %s", err, out)
	}
	writeSize := 1 + len(text)/300 + rng.IntN(pick(rng, 20, 4000))
	pause := time.Duration(rng.IntN(400)) * time.Microsecond
	return func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for len(text) > 0 {
			n := min(writeSize, len(text))
			if _, err := f.Write(text[:n]); err != nil {
				return
			}
			text = text[n:]
			time.Sleep(pause)
		}
	}, nil
}

// change writes text to the file path. It returns a function that waits for up to 15 ms, and then truncates,
// extends, overwrites, removes or renames this file.
func change(rng *rand.Rand, path string, text []byte) (func(), error) {
	action, pause := rng.IntN(5), time.Duration(rng.IntN(15_000))*time.Microsecond
	return func() {
		time.Sleep(pause)
		switch action { // errors are ignored: the program must cope with the file in any state
		case 0:
			_ = os.Truncate(path, int64(len(text)/2))
		case 1:
			if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
				_, _ = f.Write(text)
				f.Close()
			}
		case 2:
			_ = os.WriteFile(path, bytes.Repeat([]byte("x"), len(text)), 0o644)
		case 3:
			_ = os.Remove(path)
		case 4:
			_ = os.Rename(path, path+".moved")
		}
	}, os.WriteFile(path, text, 0o644)
}
