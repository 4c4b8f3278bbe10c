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

// checkValidation returns an error if the rows and labels of v cannot be scored by the models of the path. It
// accepts every v with a metric of the caller.
func (p *problems) checkValidation(v *Validation) error {
	if v == nil || v.Metric != nil {
		return nil
	}
	if _, err := p.empty.checkScored(v.X, v.Y, cmp.Or(v.Score, &ScoreSettings{})); err != nil {
		return errorf("PathSettings.Validation: %s", pkgerr.Text(err))
	}
	return nil
}

const defaultPatience = 10

// A patience decides when a path ends early. Its Validation is nil if the path has no validation.
type patience struct {
	*Validation
	measure          Measure
	best             float64 // Measure.sign times the best value of the measure so far
	lambdasSinceBest int     // number of lambdas since the best value
}

func newPatience(v *Validation, predictsClasses bool) (p *patience, err error) {
	p = &patience{Validation: v, best: math.Inf(1)}
	if v != nil {
		p.measure, err = v.Measure.check(predictsClasses, v.Metric != nil, "PathSettings.Validation.Measure")
	}
	if err == nil && p.measure == ByR2 {
		err = errorf("PathSettings.Validation.Measure = \"r2\" is for cross-validation; ByMSE chooses the same")
	}
	return p, err
}

// judge sets s.ValidationScore to the value of the measure, and counts the lambdas since the best value.
// Without validation it does nothing.
func (p *patience) judge(s *Step) error {
	if p.Validation == nil {
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
	return p.Validation != nil && p.lambdasSinceBest >= cmp.Or(p.Patience, defaultPatience)
}
