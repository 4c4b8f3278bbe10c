package sparse

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadLIBSVMFile reads a file; see ReadLIBSVM.
func ReadLIBSVMFile(path string, opt *ReadOptions) (*Dataset, error) {
	return text.FromFile(path, func(r io.Reader, name string) (*Dataset, error) { return ReadLIBSVM(r, name, opt) })
}

// ReadLIBSVM reads samples in LIBSVM (SVMlight) text, one per line:
//
//	label index:value index:value ... # comment
//
// possibly compressed (see Decompress). Tokens are separated by blanks; blank
// lines and comments are skipped; a line with a label only is a sample of zeros.
// Entries whose value is written as 0 are stored. Numbers get exactly the value
// strconv.ParseFloat gives. name stands for the file in errors. Nil opt means
// defaults.
//
// Text that is not of this form, numbers that are not finite, repeated indices,
// an index outside the stated base or feature count, labels that are not of
// exactly two values (unless opt says otherwise) and a file without any sample
// are errors of type *ParseError.
func ReadLIBSVM(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	return readDecompressed(r, name, opt, readLIBSVM)
}

func readLIBSVM(in io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	p := newLIBSVMParser(name, opt)
	if err := inParallel(in, name, p.block, p.take); err != nil {
		return nil, err
	}
	return p.finish()
}

// WriteLIBSVM writes one line per row of x in the form ReadLIBSVM reads, indices
// from 1. Numbers are written in the shortest form that reads back to the same bits,
// and stored zeros are written, so that reading gives back x and labels exactly;
// the number of columns is not in the file and must be stated to the reader.
func WriteLIBSVM(w io.Writer, x *CSR, labels []float64) error {
	if len(labels) != x.rows {
		return fmt.Errorf("sparse: %d labels for %d rows: want one per row", len(labels), x.rows)
	}
	return text.Write(w, "sparse: writing samples", func(to *bufio.Writer) {
		var line []byte
		for i := range x.rows {
			line = strconv.AppendFloat(line[:0], labels[i], 'g', -1, 64)
			idx, val := x.Row(i)
			for k, j := range idx {
				line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
				line = strconv.AppendFloat(append(line, ':'), val[k], 'g', -1, 64)
			}
			to.Write(append(line, '\n'))
		}
	})
}

// WriteLIBSVMFile writes the file as WriteLIBSVM does, whole or not at all.
func WriteLIBSVMFile(path string, x *CSR, labels []float64) error {
	return atomicfile.Write(path, 0o666, func(w io.Writer) error { return WriteLIBSVM(w, x, labels) })
}
