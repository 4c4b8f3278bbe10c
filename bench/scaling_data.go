package main

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// The noise of a copy. If all values of the data are 1, the share entryNoise of the entries moves to random
// columns. Otherwise valueNoise is the standard deviation of the relative change of a value; the values 0 and
// 1 do not change, because they may be indicators. The share labelNoise of the labels changes to the other
// class.
const (
	valueNoise = 0.05
	entryNoise = 0.05
	labelNoise = 0.02
)

// replicate writes several copies of the rows of the file source to the file target, as LIBSVM text. The
// labels must be of two classes. Each copy has the rows in another random order. The first copy has the values
// of source; in later copies, values and labels have random errors. If replicate is called again with equal
// arguments, it writes the same text.
func replicate(source, target string, opt *sparse.ReadOptions, copies int) error {
	d, err := sparse.ReadFile(source, opt)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := os.Create(target)
	if err != nil {
		return err
	}
	allOnes := true
	for i := range d.Labels {
		_, val := d.X.Row(i)
		allOnes = allOnes && !slices.ContainsFunc(val, func(v float64) bool { return v != 1 })
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := 0; k < copies && err == nil; k++ {
		err = writeCopy(f, d, rng, k > 0, allOnes)
	}
	return errors.Join(err, f.Close())
}

// writeCopy writes the rows of d in random order. If noisy is true, values and labels get random errors.
// allOnes says that all values of d are 1.
func writeCopy(w io.Writer, d *sparse.Dataset, rng *rand.Rand, noisy, allOnes bool) error {
	n, p := d.X.Dims()
	b := sparse.NewBuilder(p)
	defer b.Close()
	for _, i := range rng.Perm(n) {
		idx, val := d.X.Row(i)
		label := d.Labels[i]
		if noisy {
			if rng.Float64() < labelNoise {
				label = -label
			}
			idx, val = noisyRow(rng, idx, val, p, allOnes)
		}
		if err := b.Append(idx, val, d.Original(label)); err != nil {
			return err
		}
	}
	replica, err := b.Dataset()
	if err != nil {
		return err
	}
	defer replica.Close()
	return sparse.Write(w, sparse.LIBSVM, replica)
}

// noisyRow returns a copy of a row, with random errors; see the constants above. The matrix has p columns,
// and allOnes says that all its values are 1.
func noisyRow(rng *rand.Rand, idx []int32, val []float64, p int, allOnes bool) ([]int32, []float64) {
	idx, val = slices.Clone(idx), slices.Clone(val)
	if allOnes {
		for k := range idx {
			if rng.Float64() < entryNoise {
				idx[k] = int32(rng.IntN(p))
			}
		}
		slices.Sort(idx)
		idx = slices.Compact(idx)
		return idx, val[:len(idx)]
	}
	for k, v := range val {
		if v != 0 && v != 1 {
			const digits = 1e6
			val[k] = math.Round(v*(1+valueNoise*rng.NormFloat64())*digits) / digits
		}
	}
	return idx, val
}
