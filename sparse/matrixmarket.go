package sparse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/text"
)

func readMatrixMarket(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	data, err := readText(input, opt)
	if err != nil {
		return nil, err
	}
	const perLine = 2 * 32 // estimated bytes of a coordinates.Line and of unused capacity
	parseBytes := 2*input.textBytes.Load() + perLine*int64(bytes.Count(data, []byte("\n")))
	if err := opt.checkMemory(input.name, parseBytes, "the %d bytes of text", len(data)); err != nil {
		return nil, err
	}
	c, err := coordinates.Parse(data, input.name, textError)
	if err != nil {
		return nil, err
	}
	size, err := c.Size()
	if err != nil {
		return nil, err
	}
	err = opt.checkMemory(input.name, 2*8*size[0]+2*entryBytes*int64(len(c.Lines)), "%d rows", size[0])
	if err != nil {
		return nil, err
	}
	m, err := c.Matrix()
	if err != nil {
		return nil, err
	}
	x := &CSR{rows: m.Rows, cols: m.Cols, ptr: m.Ptr, idx: m.Idx, val: m.Val}
	return newData(input.name, x, nil, nil, opt, ReadStats{IndexBase: OneBased})
}

func writeMatrixMarket(w io.Writer, d *Dataset) error {
	return writeMatrix(w, "%%MatrixMarket matrix coordinate real general\n", d.X)
}

// Write writes the matrix as coordinate text: the format MatrixMarket without its first line. The text is
// a line `rows cols nnz`, then a line `i j value` for each stored entry, in row order. Values are in the
// shortest form that reads back to the same bits.
func (a *CSR) Write(w io.Writer) error { return writeMatrix(w, "", a) }

func writeMatrix(w io.Writer, head string, a *CSR) error {
	return text.Write(w, "sparse", "writing a matrix", func(buffer *bufio.Writer) error {
		fmt.Fprintf(buffer, "%s%d %d %d\n", head, a.rows, a.cols, a.NNZ())
		var line []byte
		for i := range a.rows {
			idx, val := a.Row(i)
			for k, j := range idx {
				line = text.AppendCoordinate(line[:0], i+1, int(j)+1, val[k])
				buffer.Write(line)
			}
		}
		return nil
	})
}

// textError returns a *ParseError about a place in a text; see coordinates.ErrorFunc.
func textError(file string, line, column int, token, msg string) error {
	return &ParseError{File: file, Line: line, Column: column, Token: token, Number: true, Msg: msg}
}
