package term

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// SetClassProbabilities sets p to the probabilities of several classes. t has, for each class, the margin of
// a fit of this class against all other classes. It divides the probability that each fit gives by the sum of
// these probabilities. p and t may be the same slice. The Traits of l must have a Probability.
func SetClassProbabilities(l Loss, p, t []float64) {
	probability := l.Traits().Probability
	const threshold = 1e-290 // if all probabilities are smaller, their ratios come from the losses
	maxMargin := slices.Max(t)
	if probability(maxMargin) < threshold {
		minLoss := l.Value(maxMargin, 1)
		for k, v := range t {
			p[k] = kernels.ExpNeg(l.Value(v, 1) - minLoss)
		}
	} else {
		for k, v := range t {
			p[k] = probability(v)
		}
	}
	var sum float64
	for _, v := range p {
		sum += v
	}
	for k := range p {
		p[k] /= sum
	}
}

// ClassLogLoss returns −log p_k, where p_k is the probability that SetClassProbabilities gives to class k for
// the margins t.
func ClassLogLoss(l Loss, t []float64, k int) float64 {
	maxMargin := slices.Max(t)
	loss := l.Value(t[k], 1) // −log of the probability that the fit of class k gives
	minLoss := l.Value(maxMargin, 1)
	var sum float64 // sum of the probabilities that the fits give, divided by the largest of them
	for _, v := range t {
		sum += kernels.ExpNeg(l.Value(v, 1) - minLoss)
	}
	return loss - minLoss + kernels.Log(sum)
}
