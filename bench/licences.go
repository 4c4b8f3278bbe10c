package main

import (
	"io"

	"github.com/scas-admm/scas/bench/internal/program"
	"github.com/scas-admm/scas/bench/internal/supply"
	"github.com/scas-admm/scas/bench/race"
)

type licencesCmd struct{}

// Help returns the text that bench licences --help adds to the list of flags.
func (licencesCmd) Help() string {
	return `Lists the modules linked into the program, with their versions and licences, by the
licence files in their source. The exit code is 1 if a module has no
licence, a licence that is not known, or one that is not accepted.`
}

func (licencesCmd) Run(e *race.Env) error {
	list, err := supply.Modules(e.Ctx, program.Path)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.Stdout, supply.Table(list)); err != nil {
		return err
	}
	return supply.Check(list)
}
