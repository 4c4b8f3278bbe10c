package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/scas-admm/scas/sparse/atomicfile"
)

// An output is a file that a command will write. flag is the flag that gives path; path is empty if the flag
// is not given. fill writes the content; it is nil if the command writes the file in its own way.
type output struct {
	flag, path string
	fill       func(io.Writer) error
}

type outputs []output

// check returns an error if an output cannot be written, or would replace an input or another output.
func (out outputs) check(inputs ...string) error {
	for i, o := range out {
		if o.path == "" {
			continue
		}
		info, err := os.Stat(o.path)
		exists := err == nil
		special := exists && !info.Mode().IsRegular()
		twinIndex := slices.IndexFunc(out[:i],
			func(other output) bool {
				return other.path != "" && canonicalPath(other.path) == canonicalPath(o.path)
			})
		inputIndex := slices.IndexFunc(inputs, func(path string) bool {
			other, err := os.Stat(path)
			return err == nil && exists && !special && os.SameFile(info, other)
		})
		switch path := atomicfile.Followed(o.path); {
		case twinIndex >= 0 && !special:
			return usagef("%s and %s name the same file, %s", out[twinIndex].flag, o.flag, o.path)
		case o.path == "-":
			return usagef("%s -: name a file", o.flag)
		case inputIndex >= 0:
			return usagef("%s %s would replace the input %s; name another file",
				o.flag, o.path, inputs[inputIndex])
		case exists && info.IsDir():
			return fmt.Errorf("%s: is a directory; name a file", path)
		case err != nil && !errors.Is(err, fs.ErrNotExist): // for example, the name is too long
			return fmt.Errorf("cannot write %w", err)
		case !special:
			err := atomicfile.Probe(path)
			if cause, ok := errors.AsType[*fs.PathError](err); ok {
				// The error names a temporary file, not path.
				err = cause.Err
			}
			if err != nil {
				return fmt.Errorf("cannot write %s: %w%s", path, err, unwritableAdvice(path, err))
			}
		}
	}
	return nil
}

// canonicalPath returns the absolute path of a file, with links resolved. The file need not exist. If its
// directory does not exist, or cannot be read, links in it may remain.
func canonicalPath(path string) string {
	path = atomicfile.Followed(path)
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// write first writes the files, under temporary names. Then it calls show, which prints the result. At last it
// gives the files their names. If there is an error or an interrupt before that, existing files stay as they are.
// Outputs whose fill is nil are left out. If e.skipFiles is true, write does nothing.
func (out outputs) write(e *env, show func() error) error {
	if e.skipFiles {
		return nil
	}
	var prepared []*atomicfile.Prepared
	defer func() {
		for _, p := range prepared {
			p.Discard()
		}
	}()
	for _, o := range out {
		if o.path == "" || o.fill == nil {
			continue
		}
		p, err := atomicfile.Prepare(o.path, 0o666, func(w io.Writer) error {
			return o.fill(&endingWriter{e.ctx, w})
		})
		if err != nil {
			return e.interruptError(err, "nothing written")
		}
		prepared = append(prepared, p)
	}
	if err := e.checkUnchanged(nil); err != nil {
		return err
	}
	if err := show(); err != nil {
		return err
	}
	for _, p := range slices.Backward(prepared) {
		if err := p.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// An endingWriter passes on to w what is written to it. After ctx has ended, Write writes nothing and returns the
// error of ctx.
type endingWriter struct {
	ctx context.Context
	w   io.Writer
}

func (e *endingWriter) Write(b []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.w.Write(b)
}

func (out outputs) paths() (paths []string) {
	for _, o := range out {
		if o.path != "" {
			paths = append(paths, o.path)
		}
	}
	return paths
}
