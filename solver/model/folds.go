package model

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// drawFolds assigns each row one of k folds at random, as evenly as may be, with classes, the
// numbers of those of the rows, also within each class.
func drawFolds(k, n int, classes []int, seed uint64) []int {
	order := rand.New(rand.NewPCG(seed, 0x5ca5)).Perm(n)
	if classes != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes[a], classes[b]) })
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

// checkRest reports a fold without which the rows lack a class, given their labels and the
// numbers of their classes, from 0, nil for numbers.
func checkRest(of []int, labels []float64, classes []int) error {
	if classes == nil {
		return nil
	}
	first := map[int]int{} // row of each class
	spread := map[int]bool{}
	for i, k := range classes {
		if at, seen := first[k]; !seen {
			first[k] = i
		} else if of[i] != of[at] {
			spread[k] = true
		}
	}
	for k := range 1 + slices.Max(classes) {
		if i, seen := first[k]; seen && !spread[k] {
			return fmt.Errorf("model: no fold but %d has rows of label %v, row %d the first: the models of the others need every class; give two rows or more of each, in different folds", of[i], labels[i], i)
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

// rows returns the specification for the rows that one goroutine fits, to judge the models on other rows.
func (s *Spec) rows(rows []int) *Spec {
	part := *s
	part.SampleWeights, part.Offsets = pick(s.SampleWeights, rows), pick(s.Offsets, rows)
	part.Threads, part.unproved = 1, true
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
