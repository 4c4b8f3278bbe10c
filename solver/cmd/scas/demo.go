package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

type demoCmd struct{}

func (demoCmd) Help() string {
	return `Trains the graph-guided fused lasso and the plain lasso on the Wisconsin
diagnostic breast cancer table, which is part of the program, and compares them.`
}

func (c *demoCmd) Run(e *env) error {
	w := bufio.NewWriter(e.stdout) // w.Flush returns the first error of a write
	err := demoWDBC(e.ctx, w)
	if err == nil {
		fmt.Fprintf(w, "\n%s", newMachineSummary().summary())
	}
	if flushErr := w.Flush(); err == nil {
		err = flushErr
	}
	return e.interruptError(err, "the demonstration is not complete")
}

func demoWDBC(ctx context.Context, w *bufio.Writer) (err error) {
	var fused, plain [demoThirds]*scoredModel
	var firstStudy *study
	for k := range demoThirds {
		s := newStudy(ctx, k)
		if k == 0 {
			firstStudy = s
			s.introduce(w)
		}
		fused[k], err = s.choose(true)
		if err != nil {
			return err
		}
		if k == 0 {
			if err := s.showConvergence(w, fused[0].Summary.Lambda); err != nil {
				return err
			}
		}
		plain[k], err = s.choose(false)
		if err != nil {
			return err
		}
	}
	showScores(w, fused[:], plain[:])
	showCoefficients(w, firstStudy.train.Names, &fused[0].Columns[0], &plain[0].Columns[0])
	return nil
}

func (s *study) introduce(w *bufio.Writer) {
	components, count := s.graph.Components()
	sizes := make([]int, count)
	for _, c := range components {
		sizes[c]++
	}
	sizes = slices.DeleteFunc(sizes, func(size int) bool { return size == 1 })
	fmt.Fprintf(w, `Breast cancer (Wisconsin, diagnostic): %d samples, malignant or benign, with
%d measurements: mean, standard error and worst value of ten properties. An edge
joins two measurements if their absolute correlation is at least %g:
%s, which form groups of %s measurements.

The fused lasso minimises
    mean logistic loss + lambda (sum over edges |x_i - x_j| + sum |x_i|),
the plain lasso has no edges. Each gets its own lambda by %d-fold
cross-validation inside the training part; the intercept is free.

`, len(s.train.Labels)+len(s.test.Labels), len(s.train.Names), demoThreshold,
		plural(len(s.graph.Edges()), "edge"),
		strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", ", "), demoFolds)
	w.Flush()
}

// showConvergence fits the fused lasso by SCAS-ADMM, and prints how far its objective is from the optimum.
// Newton steps compute the optimum.
func (s *study) showConvergence(w *bufio.Writer, lambda float64) error {
	var iterations []solver.Point
	record := solver.RecorderFunc(func(p *solver.Point) error {
		iterations = append(iterations, *p)
		return nil
	})
	scasFit, err := s.fit(lambda, solver.Settings{Method: solver.SCASK{}, Passes: demoPasses, Recorder: record})
	if err != nil {
		return err
	}
	newtonFit, err := s.fit(lambda, solver.Settings{RelTol: 1e-12})
	if err != nil {
		return err
	}
	fmt.Fprintf(w,
		"Training, lambda %.3g, eta %.3g, rho %.3g (both automatic), %s\n\n  passes   objective    above the optimum, relative and absolute\n",
		lambda, scasFit.Run.Eta, scasFit.Run.Rho, plural(len(s.train.Labels), "row"))
	nextPass, optimum := 0.0, newtonFit.Certificate
	for k, p := range iterations {
		if p.Passes < nextPass && k < len(iterations)-1 {
			continue
		}
		nextPass = max(2, 2*p.Passes)
		excess := p.Last.Objective - optimum.Objective
		fmt.Fprintf(w, "  %6.0f   %.8f   %8.1e  %8.1e  %s\n",
			p.Passes, p.Last.Objective, excess/p.Last.Objective, excess, logBar(excess))
	}
	fmt.Fprintf(w, "  Newton   %.8f   %8.1e  %8.1e  proved, by the dual of Newton steps\n\n",
		optimum.Objective, optimum.Gap/optimum.Objective, optimum.Gap)
	w.Flush()
	return nil
}

// logBar returns a bar of # characters: four for each power of ten between 1e-9 and v, and at most 36.
func logBar(v float64) string {
	const floor, perDecade, decades = 1e-9, 4, 9
	length := math.Ceil(perDecade * math.Log10(max(v, floor)/floor))
	return strings.Repeat("#", min(int(length), perDecade*decades))
}

func showScores(w *bufio.Writer, fused, plain []*scoredModel) {
	fmt.Fprintln(w, "On rows not trained on        fused lasso                 plain lasso")
	fmt.Fprintln(w, "                       lambda  accuracy   loss     lambda  accuracy   loss")
	writeScores := func(
		name, lambdaF, lambdaP string, statistic func(v []float64) float64, f, p *scoredModel,
	) {
		fmt.Fprintf(w, "  %-18s  %7s  %6.1f %%  %.4f    %7s  %6.1f %%  %.4f\n",
			name, lambdaF, 100*statistic(f.correct), statistic(f.losses), lambdaP, 100*statistic(p.correct),
			statistic(p.losses))
	}
	var allF, allP scoredModel
	for k, f := range fused {
		p := plain[k]
		writeScores(fmt.Sprintf("third %d (%d rows)", k+1, len(f.correct)),
			fmt.Sprintf("%.2g", f.Summary.Lambda), fmt.Sprintf("%.2g", p.Summary.Lambda), mean, f, p)
		allF.losses, allF.correct = append(allF.losses, f.losses...), append(allF.correct, f.correct...)
		allP.losses, allP.correct = append(allP.losses, p.losses...), append(allP.correct, p.correct...)
	}
	writeScores(fmt.Sprintf("all (%d rows)", len(allF.correct)), "", "", mean, &allF, &allP)
	writeScores("standard error", "", "", standardError, &allF, &allP)
	differences := make([]float64, len(allF.losses)) // of the plain lasso minus the fused lasso
	for i := range differences {
		differences[i] = allP.losses[i] - allF.losses[i]
	}
	fmt.Fprintf(w, "  The loss of the plain lasso is larger by %.2g (standard error %.2g).\n\n",
		mean(differences), standardError(differences))
}

func mean(v []float64) float64 { return stat.Mean(v, nil) }

// standardError returns the standard error of the mean of v.
func standardError(v []float64) float64 { return stat.StdErr(stat.StdDev(v, nil), float64(len(v))) }

func showCoefficients(w *bufio.Writer, names []string, fusedFit, plainFit *model.Column) {
	fused, plain := fusedFit.Coefficients, plainFit.Coefficients
	writeRow := func(mark, name string, f, p float64) {
		line := fmt.Sprintf("  %s %-26s %12s  %12s", mark, name, formatCoefficient(f), formatCoefficient(p))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprint(w,
		"Coefficients of standardised measurements, third 1 held out (positive speaks\nfor malignant)\n\n",
		"                                fused lasso   plain lasso\n")
	coefficientCount := 0
	for _, g := range groupsOf(fusedFit) {
		if fused[g[0]] == 0 {
			continue
		}
		coefficientCount++
		for k, j := range g {
			writeRow(bracket(k, len(g)), names[j], fused[j], plain[j])
		}
	}
	var zeroFeatures []string // features whose coefficients are zero in both models
	for j, name := range names {
		switch {
		case fused[j] == 0 && plain[j] == 0:
			zeroFeatures = append(zeroFeatures, name)
		case fused[j] == 0:
			writeRow(" ", name, fused[j], plain[j])
		}
	}
	writeRow(" ", "(intercept)", fusedFit.Intercept, plainFit.Intercept)
	fmt.Fprintf(w,
		"\nBrackets join coefficients that are exactly equal. Fused: %d of %d measurements\nwith %d different coefficients. Plain: %d measurements.\n",
		nonZeros(fused), len(names), coefficientCount, nonZeros(plain))
	if len(zeroFeatures) > 0 {
		fmt.Fprintf(w, "Zero in both: %s.\n",
			wrap(strings.Join(zeroFeatures, ", "), 78, len("Zero in both: ")))
	}
}

// bracket returns the character that marks line k of a group of n lines.
func bracket(k, n int) string {
	switch {
	case n == 1:
		return " "
	case k == 0:
		return "┌"
	case k == n-1:
		return "└"
	}
	return "│"
}

func formatCoefficient(v float64) string {
	if v == 0 {
		return "0     "
	}
	return fmt.Sprintf("%.4f", v)
}
