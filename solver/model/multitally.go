package model

import "github.com/scas-admm/scas/sparse"

// A MultiTally is Multi.Score for rows that come in pieces. Of these it keeps, for the AUC, 8
// bytes of each row for each class, 16 where rows have weights.
type MultiTally struct {
	m      *Multi
	sum    *MultiMetrics // means and sums of the rows so far; nil before the first
	weight float64       // of these
	sides  []sides       // of each class, the rest being negative; nil where no AUC is wanted
}

// NewTally begins a score, with room for so many rows of each class.
func (m *Multi) NewTally(classes []int) *MultiTally {
	t, all := &MultiTally{m: m}, 0
	for _, rows := range classes {
		all += rows
	}
	for _, rows := range classes {
		t.sides = append(t.sides, newSides(all-rows, rows))
	}
	return t
}

// Add takes more rows, with labels and settings as for Score: weights are of all pieces or of
// none.
func (t *MultiTally) Add(x *sparse.CSR, y []float64, set *ScoreSettings) error {
	set, err := t.m.checked(x, y, set)
	if err != nil {
		return err
	}
	class, err := t.m.numbers(y)
	if err != nil {
		return err
	}
	margins, err := t.m.Margins(x, set.Offsets)
	if err != nil {
		return err
	}
	piece, scores := t.m.unranked(margins, class, set.Weights)
	for k := range t.sides {
		for i, v := range scores[k] {
			side := 0
			if class[i] == k {
				side = 1
			}
			t.sides[k][side].add(v, i, set)
		}
	}
	weight := set.total(len(y))
	if t.weight += weight; t.sum == nil {
		t.sum = piece
		return nil
	}
	t.sum.Rows += piece.Rows
	t.sum.Loss += float64(weight / t.weight * (piece.Loss - t.sum.Loss)) // LogLoss is the same number
	for k, row := range piece.Confusion {
		for j, w := range row {
			t.sum.Confusion[k][j] += w
		}
	}
	return nil
}

// Metrics returns the score of all rows.
func (t *MultiTally) Metrics() (*MultiMetrics, error) {
	if t.sum == nil {
		return nil, errNoRows
	}
	out, auc := *t.sum, 0.0
	out.summarise(t.m)
	for k := range t.sides {
		auc += t.sides[k].auc()
	}
	if auc /= float64(len(t.sides)); finite(auc) {
		out.AUC = &auc
	}
	return &out, nil
}
