package model

import (
	"bytes"
	"encoding/gob"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// hasState reports whether the checkpoint of the specification has a stored state.
func (s *Spec) hasState() (bool, error) {
	if s.Checkpoint == nil {
		return false, nil
	}
	b, err := s.Checkpoint.Load()
	return len(b) > 0, err
}

// A classStore stores the models of the classes that are fitted, and the state of the fit of the current
// class, in the checkpoint of a specification. It implements dist.Checkpoint for the current fit.
type classStore struct {
	to   dist.Checkpoint
	team *rows.Team
	classResults
}

// classResults has the results of the fits so far. It does not have models that did not converge: these are
// fitted again, so that their errors are reported.
type classResults struct {
	Done  map[int]Model // the models of finished classes, without their Loss
	State []byte        // the state of the fit of the next class; nil before this fit stores one
}

// newClassStore returns the classStore of a specification, with the results that its checkpoint stores.
func newClassStore(spec *Spec) (*classStore, error) {
	c := &classStore{to: spec.Checkpoint, team: rows.NewTeam(spec.Comm)}
	_, err := c.team.Load(c.to, &c.classResults)
	return c, err
}

func (c *classStore) Save(state []byte) error {
	c.State = state
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c.classResults); err != nil {
		return err
	}
	return c.to.Save(b.Bytes())
}

func (c *classStore) Load() ([]byte, error) { return c.State, nil }

// fit returns the stored model of a class. If there is none, it calls do to fit the model, and stores
// it.
func (c *classStore) fit(spec *Spec, class int, do func() (*Model, error)) (*Model, error) {
	if m, there := c.Done[class]; there {
		m.Loss = spec.loss()
		return &m, nil
	}
	m, err := do()
	if err != nil {
		return m, err
	}
	done := *m
	if done.Loss, c.State = nil, nil; c.Done == nil {
		c.Done = map[int]Model{}
	}
	c.Done[class] = done
	return m, c.team.Save(c.to, c.classResults)
}
