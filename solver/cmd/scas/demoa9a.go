package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// The problems on a9a whose optima are known to 1e-11 from an interior-point
// method; lambda is 1e-5.
var a9aProblems = []struct {
	name    string
	edges   string // file under the data directory; empty for A = I
	optimum float64
}{
	{"A = I, the lasso", "", 0.32324138841427674},
	{"A = [G; I], 291 edges", "graphs/a9a_glasso_0.1.edges", 0.32503800528155763},
}

// demoA9A solves them.
func demoA9A(e *env, w *printer, dir string) error {
	const features, lambda, passes = 123, 1e-5, 60
	data, err := e.readData(filepath.Join(dir, "paper", "a9a.zst"), &sparse.ReadOptions{Features: features})
	if err != nil {
		return err
	}
	w.printf("\na9a: %s, lambda %g, %d passes\n\n", shape(data.X), lambda, passes)
	w.printf("                             objective   above optimum   residual   seconds\n")
	for _, c := range a9aProblems {
		prob := &solver.Problem{Data: data.X, Labels: data.Labels, Penalty: solver.L1{Lambda: lambda}}
		if c.edges != "" {
			con, err := graph.ReadConstraintFile(filepath.Join(dir, c.edges), features)
			if errors.Is(err, os.ErrNotExist) {
				w.printf("  %-24s no file %s\n", c.name, c.edges)
				continue
			}
			if err != nil {
				return err
			}
			prob.Constraint = con.A
		}
		res, err := solver.Minimize(e.ctx, prob, &solver.Settings{Passes: passes})
		if err != nil {
			return fmt.Errorf("a9a, %s: %w", c.name, err)
		}
		w.printf("  %-24s %.10f        %8.1e    %.1e   %7.2f\n", c.name,
			res.At.Objective, res.At.Objective-c.optimum, res.PrimalResidual, res.Stats.Seconds)
	}
	return nil
}
