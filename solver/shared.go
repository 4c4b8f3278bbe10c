package solver

import (
	"context"

	"github.com/scas-admm/scas/solver/internal/pass"
)

// team joins the processes that have the rows; nil if this one has all of them.
func (p *Problem) team() *pass.Team {
	if p.joined == nil && p.Comm != nil {
		return pass.NewTeam(p.Comm)
	}
	return p.joined
}

// join returns p for a run, valid and with its team, with a start that is.
func (p *Problem) join(s *Settings) (*Problem, error) {
	err := p.Validate()
	if err == nil {
		err = s.Start.check(p)
	}
	if p == nil || p.Comm == nil {
		return p, err
	}
	joined, columns := *p, 0
	if p.Data != nil {
		_, columns = p.Data.Dims()
	}
	joined.joined, err = pass.Join(p.Comm, columns, err)
	return &joined, err
}

// rowsEach is the mean number of rows of a process.
func (p *Problem) rowsEach() int { return p.team().Each(len(p.Labels)) }

// Err returns the reason to stop, if there is one: the context's error. It is looked
// at between outer iterations; methods ask after every thousand samples or so. Processes
// that share the rows ask, and stop, together.
func (r *Run) Err() error {
	err, why := r.ctx.Err(), 0.0
	if err != nil {
		if why = 2; context.Cause(r.ctx) == errTime {
			why = late
		}
	}
	if r.stop = r.Problem.team().Agree(why, r.X); r.stop > 0 && err == nil {
		err = context.Canceled
	}
	return err
}

// late is Run.stop of a run whose time is up.
const late = 1

// errWithin is Err for loops over the rows of this process alone, which are not asked
// together.
func (r *Run) errWithin() error {
	if r.Problem.team().Alone() {
		return r.Err()
	}
	return nil
}
