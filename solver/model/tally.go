package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// A Tally computes Metrics for rows that are added in several calls or by several processes. For the AUC it
// keeps 8 bytes for each row, or 16 bytes if rows have weights. If the model has a column for each class, the
// Tally keeps as many bytes for each row and class. A Tally of NewBriefTally computes no AUC and no confusion
// table.
type Tally struct {
	m           *Model
	team        *rows.Team // the processes that called Join; nil before Join, or for one process
	rows        int
	weight      float64 // total weight of the rows so far; the means below are over these rows
	loss        float64
	brier       float64
	mse, mae    float64
	labelMoment moment // moment of the labels if they are numbers, with squared deviations
	countMoment moment // moment of the labels if they are counts, with Poisson deviances
	// With two classes, the positive class is predicted for a row if its probability exceeds threshold. For a
	// loss without probabilities, threshold is compared with the margin of the row instead.
	threshold   float64
	classTotals classTotals
	confusion   [][]float64   // the confusion table; nil without classes, and in a Tally of NewBriefTally
	aucScores   []classScores // the scores for the AUC of each column of the model; nil if no AUC is computed
}

// A classTotals has three numbers for each class k: rows[k] is the total weight of the rows of class k,
// predictions[k] that of the rows for which class k is predicted, and hits[k] that of the rows of class k for
// which class k is predicted.
type classTotals struct{ hits, rows, predictions []float64 }

// A moment has the mean of some numbers, each with a weight, and the sum of the weights. deviation is the
// weighted sum of the numbers' deviations from the mean. The deviation of a count is its Poisson deviance,
// the deviation of another number its squared difference.
type moment struct{ weight, mean, deviation float64 }

func square(v, center float64) float64 { return float64((v - center) * (v - center)) }

// NewTally returns an empty Tally. If the number of rows of each class is known in advance, rows can have
// these numbers, so that memory for all scores is allocated at once; nil means that they are not known. Of
// two classes, the negative class comes first.
func (m *Model) NewTally(rows []int) *Tally {
	t := m.NewBriefTally()
	classes := len(m.Classes.Values)
	if classes > 0 {
		t.aucScores = m.newAUCScores(rows)
	}
	for range classes {
		t.confusion = append(t.confusion, make([]float64, classes))
	}
	return t
}

// NewBriefTally returns an empty Tally whose metrics have no AUC and no confusion table.
func (m *Model) NewBriefTally() *Tally {
	t := &Tally{m: m}
	if classes := len(m.Classes.Values); classes > 0 {
		t.classTotals = classTotals{
			make([]float64, classes), make([]float64, classes), make([]float64, classes),
		}
	}
	if m.givesProbability() {
		t.threshold = 0.5
	}
	return t
}

// Add adds the rows of x. See Score for the arguments. Either all calls or no call must have weights, and the
// threshold must be the same in all calls. If Add returns an error, t does not change.
func (t *Tally) Add(x *sparse.CSR, y []float64, set *ScoreSettings) error {
	if set == nil {
		set = &ScoreSettings{}
	}
	classes, err := t.m.checkScored(x, y, set)
	if err != nil {
		return err
	}
	margins, err := t.m.Margins(nil, x)
	if err == nil {
		err = t.m.addOffsets(margins, set.Offsets)
	}
	var predicted []float64 // the predicted numbers; nil for classes
	if err == nil && classes == nil {
		predicted = slices.Clone(margins)
		err = t.m.toPredictions(predicted, set.Weights)
	}
	if err != nil {
		return err
	}
	if set.Threshold != nil {
		t.threshold = *set.Threshold
	}
	weight := rows.Mass(set.Weights, len(y))
	t.weight += weight
	t.rows += len(y)
	// updateMean updates *target, which is a mean over all rows so far. value(i) is the value for row i of x.
	updateMean := func(target *float64, value func(i int) float64) {
		*target += float64(weight / t.weight * (mean(set.Weights, len(y), value) - *target))
	}
	if classes == nil {
		t.addNumbers(margins, predicted, y, set, updateMean)
	} else {
		t.addClasses(margins, classes, set, updateMean)
	}
	return nil
}

// checkScored returns an error if Score does not accept x, y and set. Otherwise it returns the class of each
// row, see classesOf. It does not use the columns of m.
func (m *Model) checkScored(x *sparse.CSR, y []float64, set *ScoreSettings) ([]int, error) {
	if err := cmp.Or(set.check(x, y), m.checkThreshold(set.Threshold)); err != nil {
		return nil, err
	}
	return m.classesOf(y)
}

func (m *Model) classesOf(y []float64) ([]int, error) {
	if !m.Classifies() {
		return nil, nil
	}
	classes := pages.Make[int](len(y))
	for i, v := range y {
		k, known := m.Classes.Find(v)
		if !known {
			return nil, errorf("label %v of row %d is none of the classes of the model, %s",
				v, i, m.classList())
		}
		classes[i] = k
	}
	return classes, nil
}

func (m *Model) classList() string {
	const listLength = 5
	switch values := m.Classes.Values; {
	case len(values) == 2:
		return fmt.Sprintf("%v and %v", values[0], values[1])
	case len(values) > listLength:
		return fmt.Sprintf("%v and %d more", values[:listLength], len(values)-listLength)
	default:
		return fmt.Sprint(values)
	}
}

func (t *Tally) addNumbers(
	margins, predicted, y []float64, set *ScoreSettings,
	updateMean func(target *float64, value func(i int) float64),
) {
	loss := t.m.loss()
	updateMean(&t.loss, func(i int) float64 { return loss.Value(margins[i], y[i]) })
	updateMean(&t.mse, func(i int) float64 { return square(y[i], predicted[i]) })
	updateMean(&t.mae, func(i int) float64 { return math.Abs(y[i] - predicted[i]) })
	t.labelMoment.add(y, set.Weights, square)
	if t.m.predictsCounts() {
		t.countMoment.add(y, set.Weights, deviance)
	}
}

func (t *Tally) addClasses(
	margins []float64, classes []int, set *ScoreSettings,
	updateMean func(target *float64, value func(i int) float64),
) {
	m, loss, columnCount := t.m, t.m.loss(), len(t.m.Columns)
	rowMargins := func(i int) []float64 { return margins[i*columnCount : (i+1)*columnCount] }
	hasProbabilities := m.givesProbability()
	updateMean(&t.loss, func(i int) float64 {
		switch {
		case columnCount == 1:
			return loss.Value(margins[i], float64(2*classes[i]-1))
		case hasProbabilities:
			return term.ClassLogLoss(loss, rowMargins(i), classes[i])
		}
		return meanClassLoss(loss, rowMargins(i), classes[i])
	})
	if columnCount == 1 { // the AUC is of the margins, because large margins have the same probability
		t.addAUCScores(margins, classes, set.Weights)
	}
	predictedClasses, _ := m.toScores(margins, set.Threshold) // only predictions of numbers have errors
	if columnCount > 1 {
		t.addAUCScores(margins, classes, set.Weights)
	} else if hasProbabilities {
		updateMean(&t.brier, func(i int) float64 { return square(margins[i], float64(classes[i])) })
	}
	for i, k := range classes {
		t.countRow(k, predictedClasses[i], weightOf(set.Weights, i))
	}
}

func (t *Tally) countRow(k, predictedClass int, weight float64) {
	t.classTotals.rows[k] += weight
	t.classTotals.predictions[predictedClass] += weight
	if k == predictedClass {
		t.classTotals.hits[k] += weight
	}
	if t.confusion != nil {
		t.confusion[k][predictedClass] += weight
	}
}

// meanClassLoss returns the loss of a row of class k whose margin for class j is t[j]: the mean over all j of
// the loss of class j against all other classes.
func meanClassLoss(loss term.Loss, t []float64, k int) (sum float64) {
	for j, v := range t {
		sign := -1.0
		if j == k {
			sign = 1
		}
		sum += loss.Value(v, sign)
	}
	return sum / float64(len(t))
}

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// Join adds the rows that the other processes of comm have added to their tallies. All processes must call
// Join together, and then Metrics together, which returns the same metrics to all. A process without rows
// need not call Add.
func (t *Tally) Join(comm dist.Comm) (err error) {
	defer rows.Rescue(&err)
	t.join(rows.NewTeam(comm))
	return nil
}

func (t *Tally) join(team *rows.Team) {
	if team.Alone() {
		return
	}
	t.team = team
	threshold := math.Inf(-1) // a process without rows does not know the threshold
	if t.rows > 0 {
		threshold = t.threshold
	}
	t.threshold = team.MaxNumber(threshold)
	sums := []float64{float64(t.rows), t.weight}
	means := []*float64{&t.loss, &t.brier, &t.mse, &t.mae}
	for _, mean := range means {
		sums = append(sums, float64(t.weight**mean))
	}
	team.Sum(sums)
	t.rows, t.weight = int(sums[0]), sums[1]
	for k, mean := range means {
		*mean = sums[2+k] / t.weight
	}
	if !t.m.Classifies() {
		t.labelMoment.join(team, square)
		if t.m.predictsCounts() {
			t.countMoment.join(team, deviance)
		}
		return
	}
	c := &t.classTotals
	for _, counts := range append([][]float64{c.hits, c.rows, c.predictions}, t.confusion...) {
		team.Sum(counts)
	}
}

// Metrics returns the metrics of all rows that were added, or an error if no row was added.
func (t *Tally) Metrics() (_ *Metrics, err error) {
	defer rows.Rescue(&err)
	if t.rows == 0 {
		return nil, errNoRows
	}
	out := &Metrics{Rows: t.rows, Loss: t.loss}
	if !t.m.Classifies() {
		r2 := explainedShare(t.mse, t.labelMoment.deviation/t.labelMoment.weight)
		n := &NumberMetrics{MSE: t.mse, MAE: t.mae, R2: r2}
		if t.m.predictsCounts() {
			meanDeviance := 2 * t.loss
			d2 := explainedShare(meanDeviance, t.countMoment.deviation/t.countMoment.weight)
			n.Deviance, n.D2 = &meanDeviance, &d2
		}
		out.Numbers = n
		return out, nil
	}
	c := &ClassMetrics{AUC: t.auc()}
	for _, row := range t.confusion {
		c.Confusion = append(c.Confusion, slices.Clone(row))
	}
	c.summarise(t.m, &t.classTotals)
	if t.m.givesProbability() {
		loss := t.loss
		c.LogLoss = &loss
	}
	if t.m.hasPositive() {
		threshold, brier := t.threshold, t.brier
		c.Threshold = &threshold
		if t.m.givesProbability() {
			c.Brier = &brier
		}
	}
	out.Classes = c
	return out, nil
}

// add adds the numbers v with weights wᵢ to the moment; nil weights are 1. deviation returns the deviation of
// a number from a center. If mean is the weighted mean of v, deviation must satisfy for any center
//
//	Σ wᵢ deviation(vᵢ, center) = Σ wᵢ deviation(vᵢ, mean) + (Σ wᵢ) deviation(mean, center)
func (m *moment) add(v, weights []float64, deviation func(v, center float64) float64) {
	weight := rows.Mass(weights, len(v))
	center := mean(weights, len(v), func(i int) float64 { return v[i] })
	totalWeight := m.weight + weight
	jointMean := m.mean + float64((center-m.mean)*(weight/totalWeight))
	m.deviation += float64(weight * mean(weights, len(v),
		func(i int) float64 { return deviation(v[i], center) }))
	m.deviation += float64(m.weight*deviation(m.mean, jointMean)) +
		float64(weight*deviation(center, jointMean))
	m.mean, m.weight = jointMean, totalWeight
}

func (m *moment) join(team *rows.Team, deviation func(v, center float64) float64) {
	if team.Alone() {
		return
	}
	sums := [2]float64{m.weight, float64(m.weight * m.mean)}
	team.Sum(sums[:])
	jointMean := sums[1] / sums[0]
	if m.weight > 0 {
		m.deviation += float64(m.weight * deviation(m.mean, jointMean))
	}
	m.weight, m.mean, m.deviation = sums[0], jointMean, team.Total(m.deviation)
}
