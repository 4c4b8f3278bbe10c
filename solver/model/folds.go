package model

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// folds assigns each row one of k folds at random, as evenly as may be, with sign also
// within each class.
func folds(k, n int, sign []float64, seed uint64) []int {
	order := rand.New(rand.NewPCG(seed, 0x5ca5)).Perm(n)
	if sign != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sign[a], sign[b]) })
	}
	of := make([]int, n)
	for at, i := range order {
		of[i] = at % k
	}
	return of
}

// checkFolds reports what is wrong with folds for n rows.
func checkFolds(of []int, n int) (count int, err error) {
	if len(of) != n {
		return 0, fmt.Errorf("model: CVSettings.Assignment has length %d; the data have %d rows", len(of), n)
	}
	for i, k := range of {
		if k < 0 || k >= n {
			return 0, fmt.Errorf("model: CVSettings.Assignment[%d] = %d; folds are numbered from 0", i, k)
		}
		count = max(count, k+1)
	}
	rows := make([]int, count)
	for _, k := range of {
		rows[k]++
	}
	for k, r := range rows {
		if r == 0 {
			return 0, fmt.Errorf("model: CVSettings.Assignment: fold %d of %d has no row", k, count)
		}
	}
	if count < 2 {
		return 0, fmt.Errorf("model: CVSettings.Assignment: one fold; want at least 2")
	}
	return count, nil
}

// checkRest reports a fold without which the rows are of one class, given their labels
// and the signs of these, nil for numbers.
func checkRest(of []int, labels, sign []float64) error {
	if sign == nil {
		return nil
	}
	var first [2]int // row of each class
	one := [2]bool{true, true}
	seen := [2]bool{}
	for i, v := range sign {
		k := classOf(v)
		if !seen[k] {
			first[k], seen[k] = i, true
		}
		one[k] = one[k] && of[i] == of[first[k]]
	}
	for k, alone := range one {
		if i := first[k]; alone {
			return fmt.Errorf("model: no fold but %d has rows of label %v, row %d the first: the models of the others need both classes; give two rows or more of each, in different folds", of[i], labels[i], i)
		}
	}
	return nil
}

// split returns the rows of a fold, and the others.
func split(of []int, fold int) (in, out []int) {
	for i, k := range of {
		if k == fold {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return in, out
}

// pick returns some entries of v, nil of nil.
func pick(v []float64, rows []int) []float64 {
	if v == nil {
		return nil
	}
	part := make([]float64, len(rows))
	for k, i := range rows {
		part[k] = v[i]
	}
	return part
}

// rows returns the specification for some rows, of which one goroutine takes care.
func (s *Spec) rows(rows []int) *Spec {
	part := *s
	part.SampleWeights, part.Offsets = pick(s.SampleWeights, rows), pick(s.Offsets, rows)
	part.Threads = 1
	return &part
}

// table is data with labels and what Score takes.
type table struct {
	x   *sparse.CSR
	y   []float64
	set *ScoreSettings
}

func newTable(x *sparse.CSR, y []float64, spec *Spec, rows []int) (table, error) {
	part, err := x.SelectRows(rows)
	return table{part, pick(y, rows), &ScoreSettings{Weights: pick(spec.SampleWeights, rows), Offsets: pick(spec.Offsets, rows)}}, err
}
