package model

import (
	"cmp"
	"math"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/sparse"
)

// A Validation scores the models of a path on rows that were not fitted, and ends the path if the models do
// not improve.
type Validation struct {
	X       *sparse.CSR
	Y       []float64
	Score   *ScoreSettings // weights and offsets of the rows, and the threshold; nil means the defaults
	Measure Measure        // the measure; empty means ByLoss; ByR2 is an error
	Metric  Metric         // measure of the caller; nil means none. If it is set, Measure must be empty
	// Number of lambdas without a better value after which the path ends; zero means 10.
	Patience int
}

const defaultPatience = 10

// A patience decides when a path with validation ends early. A nil patience never ends a path.
type patience struct {
	*Validation
	measure          Measure
	best             float64 // Measure.sign times the best value of the measure so far
	lambdasSinceBest int     // number of lambdas since the best value
}

// newPatience returns the patience of a path with the validation v, or nil if v is nil. It returns an error if
// the measure of v does not apply to the models of the path, or if these cannot score the rows of v. With a
// metric of the caller it does not check the rows.
func (p *problems) newPatience(v *Validation) (_ *patience, err error) {
	if v == nil {
		return nil, nil
	}
	w := &patience{Validation: v, best: math.Inf(1)}
	w.measure, err = v.Measure.check(classifies(p.spec.loss()), v.Metric != nil, "PathSettings.Validation.Measure")
	switch {
	case err != nil:
		return nil, err
	case w.measure == ByR2:
		return nil, errorf("PathSettings.Validation.Measure = \"r2\" is for cross-validation; ByMSE chooses the same")
	case !p.team.Alone():
		return nil, errorf("PathSettings.Validation is for one process; leave it nil with Spec.Comm")
	case v.Metric != nil:
		return w, nil
	}
	if _, err := p.empty.checkScored(v.X, v.Y, cmp.Or(v.Score, &ScoreSettings{})); err != nil {
		return nil, errorf("PathSettings.Validation: %s", pkgerr.Text(err))
	}
	return w, nil
}

// judge sets s.ValidationScore to the value of the measure, and counts the lambdas since the best value.
// A nil patience does nothing.
func (p *patience) judge(s *Step) error {
	if p == nil {
		return nil
	}
	m := s.Model()
	if p.measure == byMetric {
		value, err := p.Metric(m, p.X, p.Y, p.Score)
		if err != nil {
			return err
		}
		s.ValidationScore = value
	} else {
		metrics, err := m.Score(p.X, p.Y, p.Score)
		if err != nil {
			return err
		}
		s.ValidationScore = metrics.scores()[p.measure]
	}
	p.lambdasSinceBest++
	if v := p.measure.sign() * s.ValidationScore; v < p.best {
		p.best, p.lambdasSinceBest = v, 0
	}
	return nil
}

func (p *patience) ended() bool {
	return p != nil && p.lambdasSinceBest >= cmp.Or(p.Patience, defaultPatience)
}
