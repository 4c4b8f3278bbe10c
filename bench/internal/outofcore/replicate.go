// Package outofcore makes data that are larger than memory and measures what training on
// them takes.
package outofcore

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/sparse"
)

// Noise says how replicas differ from the data: by what part values do, and how many of
// the entries of data that are all 1, and of the labels, are others.
type Noise struct{ Values, Entries, Labels float64 }

// RowsFor returns how many rows like those of d make a .scas file of about so many bytes.
func RowsFor(d *sparse.Dataset, bytes int64) int {
	n, _ := d.X.Dims()
	return int(float64(bytes) * float64(n) / float64(16*int64(n)+12*d.X.NNZ()))
}

// Replicate writes rows of LIBSVM text: those of d over and over, in an order of its own
// each time, with noise. Equal seeds give equal text.
func Replicate(to io.Writer, d *sparse.Dataset, rows int, noise Noise, seed uint64) error {
	n, p := d.X.Dims()
	w := bufio.NewWriterSize(to, 1<<20)
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &replica{rng: rng, noise: noise, features: p, ones: true}
	for i := range n {
		_, val := d.X.Row(i)
		r.ones = r.ones && !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	}
	var order []int
	var line []byte
	for k := range rows {
		if k%n == 0 {
			order = rng.Perm(n)
		}
		i := order[k%n]
		label := d.Labels[i]
		if rng.Float64() < noise.Labels {
			label = -label
		}
		line = strconv.AppendFloat(line[:0], d.Mapping.Original(label), 'g', -1, 64)
		line = append(r.row(line, d.X, i), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

type replica struct {
	rng      *rand.Rand
	noise    Noise
	features int
	ones     bool
	columns  []int32
}

// row appends the entries of a row.
func (r *replica) row(line []byte, x *sparse.CSR, i int) []byte {
	cols, val := x.Row(i)
	if r.ones {
		return r.moved(line, cols)
	}
	for k, j := range cols {
		v := val[k]
		if v != 0 && v != 1 { // an indicator stays one
			const digits = 1e6
			v = math.Round(v*(1+r.noise.Values*r.rng.NormFloat64())*digits) / digits
		}
		line = appendEntry(line, j, v)
	}
	return line
}

// moved appends ones, some of them of other columns.
func (r *replica) moved(line []byte, cols []int32) []byte {
	r.columns = append(r.columns[:0], cols...)
	for k := range r.columns {
		if r.rng.Float64() < r.noise.Entries {
			r.columns[k] = int32(r.rng.IntN(r.features))
		}
	}
	slices.Sort(r.columns)
	for _, j := range slices.Compact(r.columns) {
		line = appendEntry(line, j, 1)
	}
	return line
}

func appendEntry(line []byte, j int32, v float64) []byte {
	line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
	return strconv.AppendFloat(append(line, ':'), v, 'g', -1, 64)
}
