package model

import (
	"crypto/sha256"
	"fmt"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
)

func (s *Spec) hasState() (bool, error) {
	if s.Checkpoint == nil {
		return false, nil
	}
	b, err := s.Checkpoint.Load()
	return len(b) > 0, err
}

// A classStore stores the columns of the finished classes and the state of the current fit in the
// checkpoint of a specification. The current fit uses the classStore as its own checkpoint. A column that
// did not converge is not stored: its class is fitted again.
type classStore struct {
	checkpoint dist.Checkpoint
	team       *rows.Team
	class      int // the number of the class that is being fitted

	// The fields below are the content of the checkpoint. Package gob skips the fields above, whose names
	// begin with small letters.
	Problem    string        // what classProblem returns for the fit that has saved the rest
	Done       map[int]Model // by class number; a model has only the Column of its class
	State      []byte        // the last state of a fit that is not done; nil if there is none
	StateClass int           // the number of the class whose fit has saved State
}

// newClassStore returns a classStore with the content of the checkpoint of p, or nil if p has no checkpoint
// or only one problem. It returns an error if the checkpoint is of a fit of other data or of another
// specification, as far as classProblem shows it.
func newClassStore(p *problems) (*classStore, error) {
	if p.spec.Checkpoint == nil || p.count() == 1 {
		return nil, nil
	}
	c, problem := &classStore{checkpoint: p.spec.Checkpoint, team: p.team}, p.classProblem()
	hasState, err := c.team.Load(c.checkpoint, c)
	if err == nil && hasState && c.Problem != problem {
		err = errorf("Settings.Checkpoint is of a fit of other data or of another Spec; give an empty one")
	}
	c.Problem = problem
	return c, err
}

// classProblem returns a hash of what a fit of classes is about: the labels and how many rows each has, the
// size of the data, the loss and the penalty. It is the same for any number of processes.
func (p *problems) classProblem() string {
	s := p.spec
	classes := p.empty.Classes
	sizes := make([]float64, len(classes.Values))
	for _, v := range p.y {
		if k, ok := classes.Find(v); ok {
			sizes[k]++
		}
	}
	p.team.Sum(sizes)
	sizes = append(sizes, float64(p.empty.Summary.Rows), float64(p.empty.Summary.NNZ))
	penalty := fmt.Sprintf("%v %v", ElasticNet{s.l1Ratio()}, s.PenaltyFactors)
	if s.grouped() {
		penalty = fmt.Sprint(s.Penalty)
	}
	sum := sha256.Sum256(fmt.Appendf(nil,
		"classes %v, sizes %v, features %d, loss %s, lambda %v, penalty %s, mu %v %v, intercept %t, scaled %t",
		classes.Values, sizes, p.features, s.loss(), s.Lambda, penalty, s.Mu, s.MuA, !s.NoIntercept,
		s.standardizes()))
	return fmt.Sprintf("%x", sum)
}

func (c *classStore) Save(state []byte) error {
	c.State, c.StateClass = state, c.class
	b, err := rows.Encode(c)
	if err != nil {
		return err
	}
	return c.checkpoint.Save(b)
}

// Load returns the state that the fit of the current class has saved, or nil if there is none.
func (c *classStore) Load() ([]byte, error) {
	if c.StateClass != c.class {
		return nil, nil
	}
	return c.State, nil
}

// fit returns the stored column of a class if spec requests no proof, or if the column was fitted with a
// positive RelTol that is at most the RelTol of spec. Otherwise fit calls do, and stores the column if do
// returns no error. A nil classStore only calls do.
func (c *classStore) fit(spec *Spec, class int, do func() (*Column, error)) (*Column, error) {
	if c == nil {
		return do()
	}
	if m, ok := c.Done[class]; ok {
		stored, wanted := m.Columns[0].Certificate.RelTol, spec.relTol() // 0: no proof was requested
		if wanted == 0 || 0 < stored && stored <= wanted {
			return &m.Columns[0], nil
		}
	}
	c.class = class
	out, err := do()
	if err != nil {
		return out, err
	}
	c.State = nil
	if c.Done == nil {
		c.Done = map[int]Model{}
	}
	c.Done[class] = Model{Columns: []Column{*out}}
	return out, c.team.Save(c.checkpoint, c)
}
