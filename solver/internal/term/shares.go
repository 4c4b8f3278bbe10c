package term

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Shares sets p to the probabilities of several classes, each fitted against the rest, if their
// margins are t: those of the single fits divided by their sum, also where all of them are too
// small to be told from 0. p and t may be the same. The loss must give probabilities.
func Shares(l Loss, p, t []float64) {
	probability := l.Traits().Probability
	const least = 1e-290 // below it quotients lose digits
	most := slices.Max(t)
	if probability(most) < least {
		first := l.Value(most, 1)
		for k, v := range t {
			p[k] = kernels.ExpNeg(l.Value(v, 1) - first)
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

// Surprise returns −log of the probability that Shares gives to class k.
func Surprise(l Loss, t []float64, k int) float64 {
	most := slices.Max(t)
	own := l.Value(t[k], 1) // −log of its probability
	first := l.Value(most, 1)
	var sum float64 // of the probabilities, by that of most
	for _, v := range t {
		sum += kernels.ExpNeg(l.Value(v, 1) - first)
	}
	return own - first + kernels.Log(sum)
}
