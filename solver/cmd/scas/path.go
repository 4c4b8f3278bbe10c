package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

type pathCmd struct {
	pathFlags

	Output string `short:"o" placeholder:"FILE" help:"Write the coefficients that are not zero, as CSV: lambda, class if there are several, feature, coefficient, and the gap and status of the lambda." group:"What is written:"`
	SVG    string `name:"svg" placeholder:"FILE" help:"Draw the coefficients against lambda." group:"What is written:"`
	pageFlags
	JSON bool `name:"json" help:"Print the result as one JSON object." group:"What is written:"`
}

func (pathCmd) Help() string {
	return `Examples:

    scas path train.svm
    scas path --lambdas 50 --ratio 1e-3 --svg path.svg -o path.csv train.svm
    scas path --report path.html train.csv
    scas path --graph edges.txt --json train.svm
    scas path --graph matrix.txt --lambdas 0.1,0.03,0.01 train.svm

Fits a model for each of several lambdas, the largest first. Lambda is the factor of
the penalty. The first lambda is the smallest at which every penalised coefficient
is zero. --lambdas lists other lambdas; an error says if a problem has no such first lambda
and needs --lambdas. There is an intercept, and features are standardised unless
there is a graph; flags change both.

Each line of the table has a lambda, the number of coefficients that are not zero,
the mean loss on DATA, the objective (mean loss plus penalty), and the gap: a proved
bound on how far the objective is above the optimum, divided by the objective and
absolute. The last column says whether the gap meets --tol (converged), or why the
fit ended before: stalled (by rounding errors, or too many coefficients), passes
done, or time limit. scas cv chooses a lambda.

Several classes (scas train --help-all) have the same lambdas. Non-zeros, loss,
objective and gap are sums over their models. With --dist each rank has a part of
the rows, and rank 0 prints and writes.

Exit codes: 0 done, 1 cannot read or write, 2 wrong usage, 3 a number in the
input is not finite, 4 some lambda is not converged (its line says so) or
--time-limit came first (the lambdas before that are written), 75 a rank of --dist is
lost (give the same command again), 130 interrupted (nothing is written).`
}

// A pathReport is the result of scas path.
type pathReport struct {
	problemReport
	Steps []stepReport `json:"steps"`
	writtenFiles
}

// A stepReport describes the fits for one lambda: one fit, or a fit for each class.
type stepReport struct {
	Lambda float64 `json:"lambda"`
	NNZX   int     `json:"nnz_x"`
	// NaN (null in JSON) if there is no intercept or more than two classes.
	Intercept number `json:"intercept"`
	Loss      number `json:"mean_loss"`
	Objective number `json:"objective"`
	proof
}

// newStepReports returns a report for each lambda. Its loss, objective and gap are sums over the fits for
// this lambda. intercept says whether the models have an intercept.
func newStepReports(steps []*model.Step, intercept bool) []stepReport {
	out := make([]stepReport, len(steps))
	for k, s := range steps {
		first := &s.Columns[0]
		sum := stepReport{
			Lambda: s.Lambda, NNZX: s.NonZeros(), Intercept: number(math.NaN()),
			Loss: number(first.Certificate.MeanLoss), Objective: number(first.Certificate.Objective),
			proof: newProof(&first.Certificate),
		}
		if intercept && len(s.Columns) == 1 {
			sum.Intercept = number(first.Intercept)
		}
		for _, column := range s.Columns[1:] {
			c := &column.Certificate
			sum.Loss += number(c.MeanLoss)
			sum.Objective += number(c.Objective)
			sum.DualityGap += number(c.Gap)
			sum.RelativeGap = relativeGap(sum.DualityGap, sum.Objective)
			sum.NoOptimum = sum.NoOptimum || c.NoOptimum
			if sum.Status == solver.Converged {
				sum.Status = c.Status
			}
		}
		out[k] = sum
	}
	return out
}

func proofs(steps []stepReport) []proof {
	out := make([]proof, len(steps))
	for k, s := range steps {
		out[k] = s.proof
	}
	return out
}

func (r *pathReport) summary() (f summary) {
	r.addTo(&f)
	convergedCount := 0
	for _, s := range r.Steps {
		if s.Status == solver.Converged {
			convergedCount++
		}
	}
	f.add("path", "%s, %s of them converged, in %.3g s (reading %.3g s)",
		plural(len(r.Steps), "lambda"), groupDigits(convergedCount), r.Seconds, r.ReadSeconds)
	r.addFiles(&f, "curves")
	return f
}

func (r *pathReport) text() string {
	text := r.summary().String() + "\n" + r.grid().String()
	if notes := proofNotes(proofs(r.Steps), "lambda"); notes != nil {
		text += "\n" + notes.String()
	}
	return text
}

func (r *pathReport) grid() grid {
	rows := make([][]string, len(r.Steps))
	for k, s := range r.Steps {
		rows[k] = slices.Concat(
			[]string{
				fmt.Sprintf("%.6g", s.Lambda), groupDigits(s.NNZX), fmt.Sprintf("%.8f", s.Loss),
				fmt.Sprintf("%.8f", s.Objective),
			},
			s.cells())
	}
	return grid{slices.Concat([]string{"lambda", "non-zeros", "loss", "objective"}, proofColumns), rows}
}

// page returns the HTML report on the path. err is the error that the command will return.
func (r *pathReport) page(e *env, steps []*model.Step, err error) (*page, error) {
	p := r.newPage(e, "path", "lambda")
	p.Summary, p.Table = r.summary(), r.grid()
	p.judge(proofs(r.Steps), err)
	lastStep := steps[len(steps)-1]
	if len(lastStep.Columns) == 1 && steps[0].Lambda > 0 {
		p.Plot, err = inlineSVG(func(w io.Writer) error { return drawPath(w, r, steps) })
		if err != nil {
			return nil, err
		}
	}
	return p, p.addSections(fmt.Sprintf("at the last lambda, %.6g", lastStep.Lambda), lastStep.Model())
}

func (c *pathCmd) Run(e *env) error {
	if err := c.check(c.SVG); err != nil {
		return err
	}
	return c.run(e, c.Data, c.fit)
}

func (c *pathCmd) fit(e *env) error {
	var r pathReport
	var steps []*model.Step
	var err error
	out := outputs{
		{"-o", c.Output, func(w io.Writer) error { return writeCoefficients(w, &r, steps) }},
		{"--svg", c.SVG, func(w io.Writer) error { return drawPath(w, &r, steps) }},
		c.output(func() (*page, error) { return r.page(e, steps, err) }),
	}
	load := workload{settings: c.settings(), fits: model.Fits{Lambdas: c.Lambdas.count}}
	r.problemReport, err = c.begin(e, out, load)
	if err != nil {
		return err
	}
	if c.SVG != "" && fitsOf(r.fitSpec.data) > 1 {
		return usagef("--svg draws the path of one model, and several classes have one each; -o FILE has all of them")
	}
	stopped, err := c.measureFit(e, &r.problemReport, func() (err error) {
		steps, err = e.fitPath(r.fitSpec, c.pathSettings())
		return err
	})
	if len(steps) == 0 || stopped {
		return nameData(c.Data, e.interruptError(err, "nothing written"))
	}
	r.Steps = newStepReports(steps, r.HasIntercept)
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		_ = e.show(c.JSON, &r)
		return err
	}
	r.trainingStats.deviations = c.ranks.deviations(r.fitSpec, &c.pageFlags)
	writeErr := out.write(e, func() error {
		r.writtenFiles = writtenFiles{Output: c.Output, SVG: c.SVG, Report: c.Report}
		return e.show(c.JSON, &r)
	})
	return cmp.Or(writeErr, err)
}

// fitPath fits a path and shows its progress. It returns the first error of a fit. An error about convergence
// also says how many lambdas failed.
func (e *env) fitPath(s *fitSpec, set model.PathSettings) (steps []*model.Step, firstErr error) {
	p := e.beginProgress("the first lambda")
	defer p.end()
	failures, firstLambda := 0, 0.0
	p.setReports(s, fitCount{"lambda", 0, set.Count})
	for step, err := range model.PathData(e.ctx, &s.spec, s.data, &set) {
		if step != nil {
			steps = append(steps, step)
		}
		if err != nil {
			failures++
		}
		if err != nil && firstErr == nil {
			firstErr = err
			if step != nil {
				firstLambda = step.Lambda
			}
		}
		if step != nil {
			p.fits = fitCount{"lambda", len(steps), set.Count}
			p.showFits(len(steps),
				fmt.Sprintf("%.4g   %s", step.Lambda, plural(step.NonZeros(), "coefficient")))
		}
	}
	if errors.Is(firstErr, solver.ErrNotConverged) && len(steps) > 0 {
		missingText := ""
		if missing := set.Count - len(steps); missing > 0 {
			missingText = fmt.Sprintf(" (and %s more, not begun)", groupDigits(missing))
		}
		firstErr = fmt.Errorf("%s of %s%s, the first %.6g: %w",
			groupDigits(failures), plural(len(steps), "lambda"), missingText, firstLambda, firstErr)
	}
	return steps, firstErr
}

// writeCoefficients writes intercepts, and the coefficients that are not zero, as CSV. A fit without an
// intercept and with only zero coefficients has one line without a feature.
func writeCoefficients(w io.Writer, r *pathReport, steps []*model.Step) error {
	out := csv.NewWriter(w)
	spec, hasClasses := &r.fitSpec.spec, fitsOf(r.fitSpec.data) > 1
	writeLine := func(class string, cells ...string) {
		if hasClasses {
			cells = append([]string{class}, cells...)
		}
		_ = out.Write(cells) // out.Error returns the first error
	}
	formatNumber := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	writeLine("class", "lambda", "feature", "coefficient", "gap", "status")
	for _, step := range steps {
		for k := range step.Columns {
			s := &step.Columns[k]
			class, gapText := "", ""
			if hasClasses {
				class = r.fitSpec.data.Classes.Name(k)
			}
			if isFinite(s.Certificate.Gap) {
				gapText = formatNumber(s.Certificate.Gap)
			}
			add := func(name, value string) {
				writeLine(class, formatNumber(step.Lambda), name, value, gapText,
					string(s.Certificate.Status))
			}
			if r.HasIntercept {
				add("(intercept)", formatNumber(s.Intercept))
			} else if len(s.Indices) == 0 {
				add("", "")
			}
			for i, j := range s.Indices {
				add(coefficientName(spec.Features, spec.IndexBase, int(j)), formatNumber(s.Values[i]))
			}
		}
	}
	out.Flush()
	return out.Error()
}
