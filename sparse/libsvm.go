package sparse

import (
	"bufio"
	"io"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/text"
)

func readLIBSVM(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	p := newLIBSVMParser(input.name, opt)
	p.textSize = input.textSize
	if err := p.eachPart(input, p.addPart); err != nil {
		return nil, err
	}
	return p.finish()
}

// writeLIBSVM writes one line per row, with indices from 1. Numbers are in the shortest form that reads
// back to the same bits. Stored zeros are written too.
func writeLIBSVM(w io.Writer, d *Dataset) error {
	x, labels := d.X, d.OriginalLabels()
	if labels == nil {
		labels = make([]float64, x.rows)
	}
	return text.Write(w, "sparse", "writing samples", func(buffer *bufio.Writer) error {
		var line []byte
		for i := range x.rows {
			line = strconv.AppendFloat(line[:0], labels[i], 'g', -1, 64)
			idx, val := x.Row(i)
			for k, j := range idx {
				line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
				line = strconv.AppendFloat(append(line, ':'), val[k], 'g', -1, 64)
			}
			buffer.Write(append(line, '\n'))
		}
		return nil
	})
}
