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

// A progress stores the models of the classes that are fitted, and the state of the fit of the current
// class, in the checkpoint of a specification. It implements dist.Checkpoint for the current fit.
type progress struct {
	to   dist.Checkpoint // nil stores nothing
	team *rows.Team
	classResults
}

// classResults has the results so far. It does not have models that did not converge: these are fitted again,
// so that their errors are reported.
type classResults struct {
	Done  map[int]Model // the models of finished classes, without their Loss
	State []byte        // the state of the fit of the next class; nil before this fit stores one
}

// newProgress returns the progress that is stored in the checkpoint of a specification.
func newProgress(spec *Spec) (*progress, error) {
	p := &progress{to: spec.Checkpoint, team: rows.NewTeam(spec.Comm)}
	_, err := p.team.Load(p.to, &p.classResults)
	return p, err
}

// checkpoint returns the checkpoint for the fits of single classes, or nil if nothing is stored.
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
	if err := gob.NewEncoder(&b).Encode(p.classResults); err != nil {
		return err
	}
	return p.to.Save(b.Bytes())
}

// Load implements dist.Checkpoint.
func (p *progress) Load() ([]byte, error) { return p.State, nil }

// fit returns the stored model of a class. If there is none, it calls do to fit the model, and stores
// it.
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
	return m, p.team.Save(p.to, p.classResults)
}
