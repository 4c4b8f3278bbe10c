// Package scaling makes larger data sets from copies of the rows of a data set, with noise, and measures fits
// on ranks. Read Replicate and Solve first.
package scaling

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/sparse"
)

// The noise of a copy. valueNoise is the standard deviation of the relative change of a value; the values 0
// and 1 do not change. If all values of the data are 1, the share entryNoise of the entries moves to random
// columns. The share labelNoise of the labels changes to the other class.
const (
	valueNoise = 0.05
	entryNoise = 0.05
	labelNoise = 0.02
)

// Replicate writes the given number of copies of the rows of the file source to the file target, as LIBSVM
// text. The labels must be of two classes. Each copy has its rows in another random order. The first copy has
// the exact values; all later copies have noise. Replicate returns the number of rows written. Equal
// arguments give equal text.
func Replicate(source, target string, opt *sparse.ReadOptions, copies int) (rows int, err error) {
	d, err := sparse.ReadFile(source, opt)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	f, err := os.Create(target)
	if err != nil {
		return 0, err
	}
	rows, err = replicate(f, d, copies)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return rows, err
}

func replicate(target io.Writer, d *sparse.Dataset, copies int) (rows int, err error) {
	n, p := d.X.Dims()
	w := bufio.NewWriterSize(target, 1<<20)
	r := &rowWriter{rng: rand.New(rand.NewPCG(1, 1)), features: p, allOnes: true}
	for i := range n {
		_, val := d.X.Row(i)
		r.allOnes = r.allOnes && !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	}
	var line []byte
	for k := range copies {
		r.noisy = k > 0
		for _, i := range r.rng.Perm(n) {
			label := d.Labels[i]
			if r.noisy && r.rng.Float64() < labelNoise {
				label = -label
			}
			line = strconv.AppendFloat(line[:0], d.Mapping.Original(label), 'g', -1, 64)
			line = append(r.appendRow(line, d.X, i), '\n')
			if _, err := w.Write(line); err != nil {
				return 0, err
			}
		}
	}
	return n * copies, w.Flush()
}

// A rowWriter writes rows as LIBSVM text, with noise if noisy is set.
type rowWriter struct {
	rng          *rand.Rand
	features     int
	allOnes      bool // all values of the data are 1
	noisy        bool
	movedColumns []int32 // memory for appendMoved
}

// appendRow appends the entries of row i of x to line, with noise if r.noisy is set, and returns the result.
func (r *rowWriter) appendRow(line []byte, x *sparse.CSR, i int) []byte {
	cols, val := x.Row(i)
	if r.allOnes && r.noisy {
		return r.appendMoved(line, cols)
	}
	for k, j := range cols {
		v := val[k]
		if r.noisy && v != 0 && v != 1 { // 0 and 1 are kept, because they may be indicators
			const digits = 1e6
			v = math.Round(v*(1+valueNoise*r.rng.NormFloat64())*digits) / digits
		}
		line = appendEntry(line, j, v)
	}
	return line
}

// appendMoved appends to line a row of ones in the given columns. It moves some ones to random columns.
func (r *rowWriter) appendMoved(line []byte, cols []int32) []byte {
	r.movedColumns = append(r.movedColumns[:0], cols...)
	for k := range r.movedColumns {
		if r.rng.Float64() < entryNoise {
			r.movedColumns[k] = int32(r.rng.IntN(r.features))
		}
	}
	slices.Sort(r.movedColumns)
	for _, j := range slices.Compact(r.movedColumns) {
		line = appendEntry(line, j, 1)
	}
	return line
}

func appendEntry(line []byte, j int32, v float64) []byte {
	line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
	return strconv.AppendFloat(append(line, ':'), v, 'g', -1, 64)
}
