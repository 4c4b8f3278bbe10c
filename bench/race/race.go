// Package race has the commands of bench that let methods run against each other: converge
// on a data set, and paper on the experiments of the paper. Methods of a caller's own take
// part through Run, in a program of the caller's own; see the example.
package race

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
)

// Commands are the commands.
type Commands struct {
	Converge Converge `cmd:"" help:"Run the methods on a data set: objective against passes and seconds."`
	Paper    Paper    `cmd:"" help:"The paper's experiments: figures, Table 1 as measured, claims with their numbers."`
}

// Env is the world as a command sees it.
type Env struct {
	Ctx            context.Context
	Args           []string // command line without the program's name
	Stdout, Stderr io.Writer
	Own            []solver.Method // that run beside those of the module
}

// Run runs the command line e.Args, such as converge --method gradient train.svm. Methods in
// e.Own are known by the names of their Info.
func Run(e *Env) error {
	for _, m := range e.Own {
		if _, taken := baseline.ByName(m.Info().Name); taken {
			return fmt.Errorf("race: the method %s comes with the module: give yours another name", m.Info().Name)
		}
	}
	var c Commands
	parser, err := kong.New(&c, kong.Name("race"), kong.Writers(e.Stdout, e.Stderr))
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(e.Args)
	if err == nil {
		err = kernels.EnvError()
	}
	if err != nil {
		return err
	}
	return parsed.Run(e)
}

// methods are those of the module and the caller's.
func (e *Env) methods() []solver.Method { return append(baseline.Methods(), e.Own...) }
