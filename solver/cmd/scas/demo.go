package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/scas-admm/scas/solver"
)

type demoCmd struct{}

// Help is shown by scas demo --help.
func (demoCmd) Help() string {
	return `Trains the graph-guided fused lasso and the plain lasso on the Wisconsin
diagnostic breast cancer table, which is part of the program, and compares them.
With the environment variable SCAS_DATA naming the directory of the benchmark
data it also solves a9a and shows the distance to the known optima.`
}

// Run shows what the method does.
func (c *demoCmd) Run(e *env) error {
	w := &printer{w: e.stdout}
	w.printf("%s\n", newMachineFacts().table())
	err := demoWDBC(e, w)
	if dir := os.Getenv("SCAS_DATA"); err == nil && dir != "" {
		err = demoA9A(e, w, dir)
	}
	if err == nil {
		err = w.err
	}
	return e.interrupted(err, "the demonstration is not complete")
}

// demoWDBC compares the fused with the plain lasso on the embedded table.
func demoWDBC(e *env, w *printer) error {
	t, err := readWDBC()
	if err != nil {
		return err
	}
	var studies [demoThirds]*study
	var fused, plain [demoThirds]*fit
	for k := range demoThirds {
		if studies[k], err = newStudy(e.ctx, t, k); err != nil {
			return err
		}
		if k == 0 {
			studies[0].introduce(w)
		}
		if fused[k], err = studies[k].choose(true); err != nil {
			return err
		}
		if k == 0 {
			if err := studies[0].showCurve(w, fused[0]); err != nil {
				return err
			}
		}
		if plain[k], err = studies[k].choose(false); err != nil {
			return err
		}
	}
	showScores(w, fused[:], plain[:])
	return studies[0].showCoefficients(w, fused[0].x, plain[0].x)
}

// printer keeps the first error of a series of prints.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// introduce describes the data and the graph.
func (s *study) introduce(w *printer) {
	of, count := s.graph.Components()
	sizes := make([]int, count)
	for _, c := range of {
		sizes[c]++
	}
	var groups []string
	for _, size := range sizes {
		if size > 1 {
			groups = append(groups, fmt.Sprint(size))
		}
	}
	w.printf(`Breast cancer (Wisconsin, diagnostic): %d samples, malignant or benign, with
%d measurements: mean, standard error and worst value of ten properties. Two
measurements are joined by an edge where their correlation is at least %g:
%s, which form groups of %s measurements.

The fused lasso minimises
    mean logistic loss + lambda (sum over edges |x_i - x_j| + sum |x_i|),
the plain lasso has no edges. Each gets its own lambda by %d-fold
cross-validation inside the training part; the intercept is free.

`, len(s.table.labels), len(s.table.names), demoThreshold,
		plural(len(s.graph.Edges()), "edge"), strings.Join(groups, ", "), demoFolds)
}

// showCurve shows how the objective falls to its optimum, which a run of ten
// times the passes stands for.
func (s *study) showCurve(w *printer, f *fit) error {
	tr, _, err := s.table.standardized(s.train, s.held)
	if err != nil {
		return err
	}
	long, err := solver.Minimize(s.ctx, s.problem(tr, f.lambda, true), &solver.Settings{Passes: 10 * demoPasses})
	if err != nil {
		return err
	}
	w.printf("Training, lambda %.3g, eta %.3g, rho %.3g (both automatic), %s\n\n  passes   objective     above the optimum\n",
		f.lambda, f.stats.Eta, f.stats.Rho, plural(len(s.train), "row"))
	next := 0.0
	for k, p := range f.curve {
		if p.Passes < next && k < len(f.curve)-1 {
			continue
		}
		next = max(2, 2*p.Passes)
		excess := p.Last.Objective - long.At.Objective
		w.printf("  %6.0f   %.8f    %8.1e  %s\n", p.Passes, p.Last.Objective, excess, logBar(excess))
	}
	w.printf("\n")
	return nil
}

// logBar is longer by four characters for every power of ten from 1e-9 to 1.
func logBar(v float64) string {
	const floor, perDecade, decades = 1e-9, 4, 9
	n := 0
	for bound := floor; v > bound && n < perDecade*decades; n++ {
		bound *= 1.7782794100389228 // 10^(1/4)
	}
	return strings.Repeat("#", n)
}
