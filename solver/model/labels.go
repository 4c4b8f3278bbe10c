package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// agree checks that all processes have the same two classes in p.empty. err is the error of this process; if
// it is not nil in some process, agree returns an error in all processes.
func (p *problems) agree(err error) error {
	err = p.team.CommonError(err)
	if err != nil {
		return err
	}
	labels := p.empty.Classes.Values
	for _, label := range labels {
		if p.team.MaxNumber(label) != p.team.MinNumber(label) {
			return errorf("in this process the classes are %v and %v (positive), in another process they are different: give all processes the same Spec.Positive, and Datasets with the same labels", labels[0], labels[1])
		}
	}
	return nil
}

// twoClasses returns the negative and the positive class, in this order. labels are the different labels of
// all rows of all processes, in increasing order. If they are not exactly two, twoClasses returns an error.
func (p *problems) twoClasses(labels []float64) (c sparse.Classes, err error) {
	switch {
	case len(labels) == 1:
		return c, errorf("every label is %s; expected two classes", p.spec.labelName(labels[0]))
	case len(labels) > 2:
		return c, p.team.CommonError(p.thirdLabelError(labels))
	}
	c = p.spec.data.Classes
	listed := slices.Equal(slices.Sorted(slices.Values(c.Values)), labels) &&
		(c.Names == nil || len(c.Names) == 2)
	switch _, hasLabel := c.Find(labels[0]); {
	case p.spec.data.Signs, listed:
	case slices.Equal(labels, []float64{-1, 1}) && !hasLabel && !c.IsZero():
		return c, errorf("the labels are −1 and +1, but the Dataset has the Classes %v; set Dataset.Signs to true if −1 and +1 stand for them", c.Values)
	default:
		c = sparse.Classes{Values: labels, Names: p.spec.words(labels)}
	}
	switch positive := p.spec.Positive; {
	case positive == nil || *positive == c.Values[1]:
	case *positive == c.Values[0]:
		c = c.Reversed()
	default:
		return c, errorf("the label %v said to be positive does not occur; the labels are %v and %v",
			*positive, c.Values[0], c.Values[1])
	}
	if p.spec.streams() && (!slices.Equal(labels, []float64{-1, 1}) || p.spec.rowLabel(c.Values[1]) != 1) {
		err = p.spec.refuseMinimize("out of core, two classes must have the labels −1 and +1, and +1 is the positive class")
	}
	return c, err
}

// thirdLabelError returns an error that names the rarest of the labels, which is probably a mistake. A
// process without this label returns nil.
func (p *problems) thirdLabelError(labels []float64) error {
	counts := make([]float64, len(labels))
	for _, v := range p.y {
		if k, found := slices.BinarySearch(labels, v); found {
			counts[k]++
		}
	}
	p.team.Sum(counts)
	rarest := 0
	for k, c := range counts {
		if c <= counts[rarest] {
			rarest = k
		}
	}
	row := slices.Index(p.y, labels[rarest])
	if row < 0 {
		return nil
	}
	otherLabels := slices.Delete(slices.Clone(labels), rarest, rarest+1)
	return errorf("label %v of row %d is a third one, beside %v and %v; for more than two classes leave Spec.Positive nil, for numbers take the loss %s", labels[rarest], row, otherLabels[0], otherLabels[1], lossesForNumbers())
}

// signs returns +1 for each label of the positive class, and −1 for each other label.
func signs(y []float64, positive float64) []float64 {
	signs := pages.Make[float64](len(y))
	for i, v := range y {
		signs[i] = -1
		if v == positive {
			signs[i] = 1
		}
	}
	return signs
}

// weigh returns the products of sample weights and class weights, or nil if s has no weights. positive is the
// label of the positive class; all other labels are the negative class. positive may be nil unless s is
// Balanced. If it is not nil, and all rows of a class have the weight 0, weigh returns an error. The error
// names the class by classNames, which has the negative class first.
func (s *Spec) weigh(t *rows.Team, y []float64, positive *float64, classNames [2]string) ([]float64, error) {
	if !s.weighs() {
		return nil, nil
	}
	for label, v := range s.ClassWeights {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, errorf("Spec.ClassWeights[%v] = %v; it must be finite and not negative", label, v)
		}
	}
	classOfRow := func(i int) int {
		if y[i] == *positive {
			return 1
		}
		return 0
	}
	w := make([]float64, len(y))
	var weightOfClass [2]float64 // total weight of each class
	for i := range w {
		w[i] = weightOf(s.SampleWeights, i)
		if v, ok := s.ClassWeights[s.data.Original(y[i])]; ok {
			w[i] *= v
		}
		if positive != nil {
			weightOfClass[classOfRow(i)] += w[i]
		}
	}
	t.Sum(weightOfClass[:])
	for k, name := range classNames {
		if weightOfClass[k] == 0 && weightOfClass[1-k] > 0 {
			return nil, errorf("the rows of %s have no weight", name)
		}
	}
	var sum float64
	for i := range w {
		if s.Balanced && w[i] > 0 {
			w[i] *= (weightOfClass[0] + weightOfClass[1]) / (2 * weightOfClass[classOfRow(i)])
		}
		sum += w[i]
	}
	sum = t.Total(sum)
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, errorf("the weights of the rows sum to %v; at least one must be positive and the sum finite", sum)
	}
	return w, nil
}

// rowLabel is the inverse of Dataset.Original.
func (s *Spec) rowLabel(original float64) float64 {
	if k, ok := s.data.Classes.Find(original); ok && s.data.Signs {
		return float64(2*k - 1)
	}
	return original
}

// words returns the words that the Dataset lists for labels, or nil if one of them has none.
func (s *Spec) words(labels []float64) (words []string) {
	for _, label := range labels {
		k, ok := s.data.Classes.Find(label)
		if !ok || k >= len(s.data.Classes.Names) {
			return nil
		}
		words = append(words, s.data.Classes.Names[k])
	}
	return words
}

// labelName returns the word or number, in the data of the caller, for a label in the rows of a fit.
func (s *Spec) labelName(label float64) string {
	c := s.data.Classes
	if k, ok := s.data.ClassOf(label); ok && (c.Names == nil || k < len(c.Names)) {
		return c.Name(k)
	}
	return fmt.Sprint(label)
}
