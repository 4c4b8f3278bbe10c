package main

import (
	"context"
	"io"
	"os"

	"github.com/scas-admm/scas/sparse"
)

// readData reads a LIBSVM file, "-" being standard input.
func (e *env) readData(path string, opt *sparse.ReadOptions) (*sparse.Dataset, error) {
	in, name := e.stdin, "stdin"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, path
	}
	data, err := sparse.ReadLIBSVM(contextReader{e.ctx, in}, name, opt)
	return data, e.interrupted(err, "nothing written")
}

// contextReader fails once its context has ended, even while a read from a
// terminal or a pipe is waiting. That read is then left behind: the program is
// about to end.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if f, ok := c.r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			return c.wait(p)
		}
	}
	return c.r.Read(p)
}

// wait reads into a buffer of its own, so that nobody writes to p afterwards.
func (c contextReader) wait(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buf, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := c.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	case r := <-done:
		return copy(p, buf[:r.n]), r.err
	}
}
