package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Tally is Score for rows that come in pieces. Of these it keeps, for the AUC, 8 bytes of
// each row where there are two classes.
type Tally struct {
	m         *Model
	threshold *float64
	sum       Metrics    // means of the rows so far
	label     moment     // of numbers
	side      [2]ranking // scores of negative and positive rows
}

// A moment is a mean and the sum of squares around it.
type moment struct{ rows, mean, square float64 }

// NewTally begins a score by the threshold of ScoreSettings; with two classes there is room
// for so many rows of the negative one and of the positive one.
func (m *Model) NewTally(threshold *float64, classes [2]int) *Tally {
	t := &Tally{m: m, threshold: threshold}
	if m.Classifies() {
		for k, rows := range classes {
			t.side[k] = make(ranking, 0, rows)
		}
	}
	return t
}

// Add takes more rows, with labels and offsets (nil for none) as for Score.
func (t *Tally) Add(x *sparse.CSR, y, offsets []float64) error {
	set, err := (&ScoreSettings{Offsets: offsets, Threshold: t.threshold}).checked(x, y)
	if err != nil {
		return err
	}
	margin, err := t.m.Margins(nil, x)
	if err != nil {
		return err
	}
	for i, o := range offsets {
		margin[i] += o
	}
	piece, err := t.m.unranked(margin, y, set)
	if err != nil {
		return err
	}
	if piece.Numbers != nil {
		t.label.add(y)
	}
	t.sum.add(piece)
	if !t.m.Classifies() {
		return nil
	}
	for i, v := range margin {
		sign, _ := t.m.Labels.Sign(y[i])
		k := classOf(sign)
		t.side[k] = append(t.side[k], v)
	}
	return nil
}

// Metrics returns the score of all rows.
func (t *Tally) Metrics() (*Metrics, error) {
	out := t.sum
	if out.Rows == 0 {
		return nil, fmt.Errorf("model: no rows to score")
	}
	if c := out.Classes; c != nil {
		c.shares()
		if auc := t.side[1].above(t.side[0]); finite(auc) {
			c.AUC = &auc
		}
	}
	if n := out.Numbers; n != nil {
		n.compare(t.label.square / t.label.rows)
	}
	return &out, nil
}

// add makes m the means over its own rows and those of a piece.
func (m *Metrics) add(piece *Metrics) {
	if m.Rows == 0 {
		*m = *piece
		return
	}
	m.Rows += piece.Rows
	part := float64(piece.Rows) / float64(m.Rows)
	blend := func(v *float64, with float64) { *v += float64(part * (with - *v)) }
	blend(&m.Loss, piece.Loss)
	if c := piece.Classes; c != nil {
		to := &m.Classes.Confusion
		to.TruePositive += c.Confusion.TruePositive
		to.FalsePositive += c.Confusion.FalsePositive
		to.TrueNegative += c.Confusion.TrueNegative
		to.FalseNegative += c.Confusion.FalseNegative
		if c.LogLoss != nil {
			blend(m.Classes.LogLoss, *c.LogLoss)
			blend(m.Classes.Brier, *c.Brier)
		}
		return
	}
	blend(&m.Numbers.MSE, piece.Numbers.MSE)
	blend(&m.Numbers.MAE, piece.Numbers.MAE)
}

// add takes more numbers.
func (m *moment) add(v []float64) {
	n, sum, square := float64(len(v)), 0.0, 0.0
	for _, u := range v {
		sum += u
	}
	mean := sum / n
	for _, u := range v {
		square += float64((u - mean) * (u - mean))
	}
	all, off := m.rows+n, mean-m.mean
	m.square += square + float64(m.rows*(n/all))*float64(off*off)
	m.mean += float64(off * (n / all))
	m.rows = all
}

// A ranking is scores of rows.
type ranking []float64

// above returns the share of pairs of one of r and one of low in which that of r is the
// larger, ties counting half; both are sorted. It is NaN where one is empty.
func (r ranking) above(low ranking) float64 {
	slices.Sort(r)
	slices.Sort(low)
	var area float64
	below, tied := 0, 0
	for _, v := range r {
		for below < len(low) && low[below] < v {
			below++
		}
		for tied = max(tied, below); tied < len(low) && low[tied] == v; {
			tied++
		}
		area += float64(below) + float64(tied-below)/2
	}
	if len(r) == 0 || len(low) == 0 {
		return math.NaN()
	}
	return area / float64(len(r)) / float64(len(low))
}
