package model

import (
	"slices"
	"sort"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse/pages"
)

// newAUCScores returns empty scores for each column. For rows see NewTally.
func (m *Model) newAUCScores(rows []int) []classScores {
	out := make([]classScores, len(m.Columns))
	if len(rows) == len(m.Classes.Values) {
		for column := range out {
			out[column].reserve(rows, m.positiveClass(column))
		}
	}
	return out
}

// positiveClass returns the number of the class that is positive for a column.
func (m *Model) positiveClass(column int) int {
	if len(m.Columns) == 1 {
		return 1
	}
	return column
}

// addAUCScores adds scores, which have an entry for each row and each column of the model.
func (t *Tally) addAUCScores(scores []float64, classes []int, weights []float64) {
	columnCount, rows := len(t.m.Columns), make([]int, len(t.m.Classes.Values))
	for _, k := range classes {
		rows[k]++
	}
	for column := range t.aucScores {
		positive, auc := t.m.positiveClass(column), &t.aucScores[column]
		if len(auc[0].scores)+len(auc[1].scores) == 0 {
			auc.reserve(rows, positive)
		}
		for i, k := range classes {
			side := 0
			if k == positive {
				side = 1
			}
			auc[side].add(scores[i*columnCount+column], i, weights)
		}
	}
}

// auc returns the mean of the AUCs of t.aucScores. It returns nil if a class has no weight, or if
// t.aucScores is nil.
func (t *Tally) auc() *float64 {
	if t.aucScores == nil {
		return nil
	}
	sum := 0.0
	for k := range t.aucScores {
		sum += t.aucScores[k].auc(t.team)
	}
	sum /= float64(len(t.aucScores))
	if !finite(sum) {
		return nil
	}
	return &sum
}

// classScores has the scores of the negative rows and of the positive rows, in this order.
type classScores [2]weightedScores

// reserve makes room for scores. rows has the number of rows of each class.
func (s *classScores) reserve(rows []int, positive int) {
	negativeRows := -rows[positive]
	for _, n := range rows {
		negativeRows += n
	}
	s[0].scores, s[1].scores = pages.Grow(s[0].scores, negativeRows), pages.Grow(s[1].scores, rows[positive])
}

// weightedScores has the scores of some rows, and their weights; weights is nil if all are 1.
type weightedScores struct{ scores, weights []float64 }

func (r *weightedScores) add(score float64, i int, weights []float64) {
	if weights != nil {
		if r.weights == nil {
			r.weights = make([]float64, 0, cap(r.scores))
		}
		r.weights = append(r.weights, weights[i])
	}
	r.scores = append(r.scores, score)
}

func (r *weightedScores) weightOf(i int) float64 { return weightOf(r.weights, i) }

func (r *weightedScores) sort() {
	if r.weights == nil {
		slices.Sort(r.scores)
		return
	}
	sort.Sort(r)
}

// Len, Less and Swap implement sort.Interface.
func (r *weightedScores) Len() int { return len(r.scores) }

func (r *weightedScores) Less(i, j int) bool { return r.scores[i] < r.scores[j] }

func (r *weightedScores) Swap(i, j int) {
	r.scores[i], r.scores[j] = r.scores[j], r.scores[i]
	r.weights[i], r.weights[j] = r.weights[j], r.weights[i]
}

func (r *weightedScores) totalWeight() float64 { return rows.Mass(r.weights, len(r.scores)) }

// shareFrom returns the scores of the given process to all processes. weighted is true if the scores have
// weights.
func (r *weightedScores) shareFrom(team *rows.Team, process int, weighted bool) *weightedScores {
	if team.Alone() {
		return r
	}
	out := &weightedScores{scores: team.Broadcast(r.scores, process)}
	if weighted {
		out.weights = team.Broadcast(r.weights, process)
	}
	return out
}

// auc returns the area under the ROC curve: the weight of the pairs of a positive and a negative row in which
// the positive row has the larger score, divided by the weight of all pairs of a positive and a negative row.
// Pairs with equal scores count half. If a class has no weight, auc returns NaN.
func (s *classScores) auc(team *rows.Team) float64 {
	s[0].sort()
	s[1].sort()
	weighted := team.Any(s[0].weights != nil || s[1].weights != nil)
	area := 0.0
	for process := range team.Size() {
		area += s[1].weightAbove(s[0].shareFrom(team, process, weighted))
	}
	sums := [3]float64{area, s[1].totalWeight(), s[0].totalWeight()}
	team.Sum(sums[:])
	return sums[0] / sums[1] / sums[2]
}

// weightAbove compares each row of r with each row of negatives. It returns the sum of the products of their
// weights over the pairs in which the row of r has the larger score. Pairs with equal scores count half.
// r and negatives must be sorted.
func (r *weightedScores) weightAbove(negatives *weightedScores) (area float64) {
	var belowWeight, tiedWeight float64 // weights of the negatives with a score below v, and with score v
	// The scores from index tieStart to tieEnd − 1 of negatives are equal to v.
	tieStart, tieEnd := 0, 0
	for i, v := range r.scores {
		for ; tieStart < len(negatives.scores) && negatives.scores[tieStart] < v; tieStart++ {
			belowWeight += negatives.weightOf(tieStart)
		}
		if tieEnd <= tieStart {
			tieEnd, tiedWeight = tieStart, 0
		}
		for ; tieEnd < len(negatives.scores) && negatives.scores[tieEnd] == v; tieEnd++ {
			tiedWeight += negatives.weightOf(tieEnd)
		}
		area += float64(r.weightOf(i) * (belowWeight + float64(tiedWeight/2)))
	}
	return area
}
