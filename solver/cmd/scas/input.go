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

// contextReader fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
