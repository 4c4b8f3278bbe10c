package model

import (
	"bytes"
	"encoding/gob"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// kept reports whether the checkpoint has a state.
func (s *Spec) kept() (bool, error) {
	if s.Checkpoint == nil {
		return false, nil
	}
	b, err := s.Checkpoint.Load()
	return len(b) > 0, err
}

// A progress is the checkpoint of fits of several classes, one after the other. It is also the
// checkpoint of the present fit.
type progress struct {
	to   dist.Checkpoint // nil keeps nothing
	team *rows.Team
	made
}

// made has the results so far. A model that did not converge is not among them: it is fitted again, so
// that its error is reported.
type made struct {
	Done  map[int]Model // of classes, without their loss
	State []byte        // of the next one; nil at its beginning
}

// newProgress returns the progress that the checkpoint of a specification holds.
func newProgress(spec *Spec) (*progress, error) {
	p := &progress{to: spec.Checkpoint, team: rows.NewTeam(spec.Comm)}
	_, err := p.team.Load(p.to, &p.made)
	return p, err
}

// checkpoint returns the checkpoint of the next fit.
func (p *progress) checkpoint() dist.Checkpoint {
	if p.to == nil {
		return nil
	}
	return p
}

// Save implements dist.Checkpoint.
func (p *progress) Save(state []byte) error {
	p.State = state
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p.made); err != nil {
		return err
	}
	return p.to.Save(b.Bytes())
}

// Load implements dist.Checkpoint.
func (p *progress) Load() ([]byte, error) { return p.State, nil }

// fit returns the model of a class. It calls do unless the class is done.
func (p *progress) fit(spec *Spec, class int, do func() (*Model, error)) (*Model, error) {
	if m, there := p.Done[class]; there {
		m.Loss = spec.loss()
		return &m, nil
	}
	m, err := do()
	if err != nil || p.to == nil {
		return m, err
	}
	done := *m
	if done.Loss, p.State = nil, nil; p.Done == nil {
		p.Done = map[int]Model{}
	}
	p.Done[class] = done
	return m, p.team.Save(p.to, p.made)
}
