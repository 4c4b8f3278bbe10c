package sparse

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/scas-admm/scas/sparse/atomicfile"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// WriteOptions says how to write a LIBSVM file. Nil and the zero value mean:
// indices from 1, labels as they are.
type WriteOptions struct {
	// IndexBase is ZeroBased or OneBased; AutoBase (zero) means OneBased. A
	// ZeroBased file tells its base only if column 0 has an entry: read it
	// back with ReadOptions.IndexBase set.
	IndexBase IndexBase
	// Mapping, if not zero, writes the original labels for -1 and +1.
	Mapping LabelMapping
}

// WriteLIBSVM writes one line per row of x in the form ReadLIBSVM reads.
// Numbers are written in the shortest form that reads back to the same bits,
// and stored zeros are written, so that reading gives back x and labels exactly;
// the number of columns is not in the file and must be stated to the reader. Nil
// opt means defaults.
func WriteLIBSVM(w io.Writer, x *CSR, labels []float64, opt *WriteOptions) error {
	if opt == nil {
		opt = &WriteOptions{}
	}
	if len(labels) != x.rows {
		return fmt.Errorf("sparse: %d labels for %d rows: want one per row", len(labels), x.rows)
	}
	if opt.IndexBase > OneBased {
		return fmt.Errorf("sparse: WriteOptions.IndexBase is %v: want AutoBase, ZeroBased or OneBased", opt.IndexBase)
	}
	base := int64(1)
	if opt.IndexBase == ZeroBased {
		base = 0
	}
	return text.Write(w, "sparse: writing samples", func(to *bufio.Writer) {
		var line []byte
		for i := range x.rows {
			line = strconv.AppendFloat(line[:0], opt.Mapping.Original(labels[i]), 'g', -1, 64)
			idx, val := x.Row(i)
			for k, j := range idx {
				line = strconv.AppendInt(append(line, ' '), int64(j)+base, 10)
				line = strconv.AppendFloat(append(line, ':'), val[k], 'g', -1, 64)
			}
			to.Write(append(line, '\n'))
		}
	})
}

// WriteLIBSVMFile writes the file as WriteLIBSVM does, whole or not at all.
func WriteLIBSVMFile(path string, x *CSR, labels []float64, opt *WriteOptions) error {
	return atomicfile.Write(path, 0o644, func(w io.Writer) error {
		return WriteLIBSVM(w, x, labels, opt)
	})
}
