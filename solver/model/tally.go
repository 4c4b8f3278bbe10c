package model

import (
	"slices"
	"sort"

	"github.com/scas-admm/scas/sparse"
)

// A Tally is Score for rows that come in pieces. Of these it keeps, for the AUC, 8 bytes of
// each row where there are two classes, 16 where rows have weights.
type Tally struct {
	m      *Model
	sum    Metrics // means of the rows so far
	weight float64 // of these
	label  moment  // of numbers: the variance of the labels,
	counts moment  // and the deviance of counts, around their mean
	sides  *sides  // nil where no AUC is wanted
}

// A moment is a mean and a sum of what numbers leave around it.
type moment struct{ weight, mean, left float64 }

// square returns (v − center)².
func square(v, center float64) float64 { return float64((v - center) * (v - center)) }

// NewTally begins a score; with two classes there is room for so many rows of the negative
// one and of the positive one.
func (m *Model) NewTally(classes [2]int) *Tally {
	t := &Tally{m: m}
	if m.Classifies() {
		sides := newSides(classes[0], classes[1])
		t.sides = &sides
	}
	return t
}

// Add takes more rows, with labels and settings as for Score: weights are of all pieces or of
// none, and the threshold is the same.
func (t *Tally) Add(x *sparse.CSR, y []float64, set *ScoreSettings) error {
	set, err := set.checked(x, y)
	if err != nil {
		return err
	}
	margin, err := t.m.Margins(nil, x)
	if err != nil {
		return err
	}
	for i, o := range set.Offsets {
		margin[i] += o
	}
	piece, err := t.m.unranked(margin, y, set)
	if err != nil {
		return err
	}
	weight := set.total(len(y))
	if piece.Numbers != nil {
		t.label.add(y, weight, set, square)
	}
	if t.m.counts() {
		t.counts.add(y, weight, set, deviance)
	}
	t.weight += weight
	t.sum.add(piece, weight/t.weight)
	if t.sides == nil {
		return nil
	}
	for i, v := range margin {
		sign, _ := t.m.Labels.Sign(y[i])
		t.sides[classOf(sign)].add(v, i, set)
	}
	return nil
}

// total is the weight of n rows.
func (s *ScoreSettings) total(n int) float64 {
	if s.Weights == nil {
		return float64(n)
	}
	sum := 0.0
	for _, w := range s.Weights {
		sum += w
	}
	return sum
}

// Metrics returns the score of all rows.
func (t *Tally) Metrics() (*Metrics, error) {
	out := t.sum
	if out.Rows == 0 {
		return nil, errNoRows
	}
	if c := out.Classes; c != nil {
		c.shares()
	}
	if t.sides != nil {
		if auc := t.sides.auc(); finite(auc) {
			out.Classes.AUC = &auc
		}
	}
	if n := out.Numbers; n != nil {
		n.R2 = explained(n.MSE, t.label.left/t.label.weight)
	}
	if t.m.counts() {
		out.compareDeviance(t.counts.left / t.counts.weight)
	}
	return &out, nil
}

// add makes m the means over its own rows and those of a piece, which has that part of the
// weight of both.
func (m *Metrics) add(piece *Metrics, part float64) {
	if m.Rows == 0 {
		*m = *piece
		return
	}
	m.Rows += piece.Rows
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

// add takes more numbers, of that weight together. off is the square or the deviance: what a set
// leaves around another center than its mean is what it leaves around the mean and, times its
// weight, off of the mean and that center.
func (m *moment) add(v []float64, weight float64, set *ScoreSettings, off func(v, center float64) float64) {
	center := mean(set.Weights, len(v), func(i int) float64 { return v[i] })
	all := m.weight + weight
	joint := m.mean + float64((center-m.mean)*(weight/all))
	m.left += float64(weight * mean(set.Weights, len(v), func(i int) float64 { return off(v[i], center) }))
	m.left += float64(m.weight*off(m.mean, joint)) + float64(weight*off(center, joint))
	m.mean, m.weight = joint, all
}

// sides are scores of negative rows and of positive ones.
type sides [2]ranking

// newSides has room for so many rows.
func newSides(negative, positive int) sides {
	return sides{{score: make([]float64, 0, negative)}, {score: make([]float64, 0, positive)}}
}

// A ranking is scores of rows, with their weights unless all are 1.
type ranking struct{ score, weight []float64 }

// add takes the score of row i of those that set is for.
func (r *ranking) add(score float64, i int, set *ScoreSettings) {
	if set.Weights != nil {
		if r.weight == nil {
			r.weight = make([]float64, 0, cap(r.score))
		}
		r.weight = append(r.weight, set.Weights[i])
	}
	r.score = append(r.score, score)
}

func (r *ranking) of(i int) float64 {
	if r.weight == nil {
		return 1
	}
	return r.weight[i]
}

// sort sorts it in place.
func (r *ranking) sort() {
	if r.weight == nil {
		slices.Sort(r.score)
		return
	}
	sort.Sort(r)
}

// Len is of sort.Interface, like the next two.
func (r *ranking) Len() int { return len(r.score) }

func (r *ranking) Less(i, j int) bool { return r.score[i] < r.score[j] }

func (r *ranking) Swap(i, j int) {
	r.score[i], r.score[j] = r.score[j], r.score[i]
	r.weight[i], r.weight[j] = r.weight[j], r.weight[i]
}

// auc is AUC: the share, by their weights, of pairs of a positive and a negative row in which
// the positive one has the larger score, ties counting half. It is NaN where a side has no
// weight.
func (s *sides) auc() float64 {
	low, high := &s[0], &s[1]
	low.sort()
	high.sort()
	var area, positives, below, tied float64 // weights
	first, next := 0, 0                      // of low: that is not below, and behind those tied
	for i, v := range high.score {
		for ; first < len(low.score) && low.score[first] < v; first++ {
			below += low.of(first)
		}
		if next <= first {
			next, tied = first, 0
		}
		for ; next < len(low.score) && low.score[next] == v; next++ {
			tied += low.of(next)
		}
		area += float64(high.of(i) * (below + float64(tied/2)))
		positives += high.of(i)
	}
	for ; first < len(low.score); first++ {
		below += low.of(first)
	}
	return area / positives / below
}
