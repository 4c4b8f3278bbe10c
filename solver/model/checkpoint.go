package model

import (
	"bytes"
	"encoding/gob"

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

// A classStore stores the models of the finished classes and the state of the current fit in the
// checkpoint of a specification. The current fit uses the classStore as its own checkpoint. A model that
// did not converge is not stored: its class is fitted again.
type classStore struct {
	checkpoint dist.Checkpoint
	team       *rows.Team
	class      int // the number of the class that is being fitted

	// The fields below are the content of the checkpoint. Package gob skips the fields above, whose names
	// begin with small letters.
	Done       map[int]Model // models without Loss, by class number
	State      []byte        // the last state of a fit that is not done; nil if there is none
	StateClass int           // the number of the class whose fit has saved State
}

func newClassStore(spec *Spec) (*classStore, error) {
	c := &classStore{checkpoint: spec.Checkpoint, team: rows.NewTeam(spec.Comm)}
	_, err := c.team.Load(c.checkpoint, c)
	return c, err
}

func (c *classStore) Save(state []byte) error {
	c.State, c.StateClass = state, c.class
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return err
	}
	return c.checkpoint.Save(b.Bytes())
}

// Load returns the state that the fit of the current class has saved, or nil if there is none.
func (c *classStore) Load() ([]byte, error) {
	if c.StateClass != c.class {
		return nil, nil
	}
	return c.State, nil
}

// fit returns the stored model of a class. If there is none, fit calls do, and stores the model if do returns
// no error.
func (c *classStore) fit(spec *Spec, class int, do func() (*Model, error)) (*Model, error) {
	if m, ok := c.Done[class]; ok {
		m.Loss = spec.loss()
		return &m, nil
	}
	c.class = class
	m, err := do()
	if err != nil {
		return m, err
	}
	storedModel := *m
	if storedModel.Loss, c.State = nil, nil; c.Done == nil {
		c.Done = map[int]Model{}
	}
	c.Done[class] = storedModel
	return m, c.team.Save(c.checkpoint, c)
}
