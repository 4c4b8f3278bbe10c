// Package race implements the commands bench converge and bench paper, which compare methods on
// data. A program of your own can call Run to compare its own methods; see the example. Read Converge
// and Paper first.
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

// Commands lists the commands for package kong.
type Commands struct {
	Converge Converge `cmd:"" help:"Run the methods on a data set: objective against passes and seconds."`
	Paper    Paper    `cmd:"" help:"The paper's experiments: figures, Table 1 as measured, claims with their numbers."`
}

// An Env holds the arguments and streams of a command, and the caller's own methods.
type Env struct {
	Ctx            context.Context
	Args           []string // the arguments, without the program's name
	Stdout, Stderr io.Writer
	Own            []solver.Method // methods to run in addition to the module's methods
}

// Run runs the command line e.Args, such as converge --method gradient train.svm. The flag --method selects
// a method of e.Own by the name in its Info, which must not be the name of a method of the module.
func Run(e *Env) error {
	for _, m := range e.Own {
		_, taken := baseline.ByName(m.Info().Name)
		if taken {
			return fmt.Errorf("race: the method %s comes with the module: give yours another name",
				m.Info().Name)
		}
	}
	var c Commands
	parser, err := kong.New(&c, kong.Name("race"), kong.Writers(e.Stdout, e.Stderr))
	if err != nil {
		return err
	}
	parsedArgs, err := parser.Parse(e.Args)
	if err == nil {
		err = kernels.EnvError()
	}
	if err != nil {
		return err
	}
	return parsedArgs.Run(e)
}
