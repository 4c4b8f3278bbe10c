package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
)

type cvCmd struct {
	pathFlags
	Folds  count  `placeholder:"K" help:"Number of parts into which the rows are divided; each part has about the same proportions of the classes (default: 10, but at most the number of rows)." group:"How lambda is chosen:"`
	Metric string `enum:"loss,error,auc,mse" default:"loss" help:"Measure on held-out rows that chooses lambda: loss, error (share of wrong classes), auc, or mse of numbers (default ${default})." group:"How lambda is chosen:"`
	Choose string `enum:"1se,min" default:"min" help:"min: the lambda with the best mean; 1se: the largest lambda whose mean is within one standard error of the best, for a simpler model (default ${default})." group:"How lambda is chosen:"`
	Model  string `short:"o" placeholder:"FILE" help:"Write the model of the chosen lambda, fitted to all rows." group:"What is written:"`
	SVG    string `name:"svg" placeholder:"FILE" help:"Draw the metric against lambda." group:"What is written:"`
	pageFlags
	JSON    bool `name:"json" help:"Print the result as one JSON object." group:"What is written:"`
	Verbose bool `help:"Also print a line for each lambda." group:"What is written:"`
}

func (cvCmd) Help() string {
	return `Examples:

    scas cv -o model.json train.svm
    scas cv --folds 5 --metric auc --choose 1se -o model.json train.svm
    scas cv --graph edges.txt --svg curve.svg -o model.json train.svm
    scas cv --report fit.html -o model.json train.csv

Chooses lambda, the factor of the penalty, by cross-validation. For each fold, a
path (see scas path --help-all) is fitted to the rows outside the fold, and its
models are judged on the rows of the fold. There is an intercept, and features are
standardised unless there is a graph; flags change both. The model that -o writes is
fitted to all rows.

The report has the two lambdas that --choose can take. min has the best mean of the
metric. 1se is the one-standard-error rule: the largest lambda whose mean is within
one standard error of the best, for a simpler model. The report has all metrics of
the held-out rows for both, and the price of 1se: the differences between the two.
On test rows of nine data sets 1se cost up to 2.2 points of accuracy or 0.04 of R2,
and saved up to half of the coefficients. RMSE and R2 are computed from all held-out rows
together. Several classes (scas train --help-all) have the same lambda. Their AUC is
the mean of the AUC of each class against the rest; non-zeros and gap are sums over
their models.

Equal seeds give equal folds, whether the rows are in memory, in a larger file or on
ranks (--dist), and equal bits with any number of threads. A .scas file larger than
--memory is read in pieces, one fold after the other. Unless --metric is auc, there
is then an AUC only if --memory is large enough for the scores of all lambdas.

Exit codes: 0 done, 1 cannot read or write, 2 wrong usage, 3 a number in the
input is not finite, 4 some lambda is not converged on all rows (the model is
written, and says whether its own lambda is) or --time-limit came first (no model is
written), 75 a rank of --dist is lost (give the same command again), 130 interrupted
(nothing is written).`
}

// metricNames has the name in reports of each value of --metric. The values are those of model.Measure.
var metricNames = map[string]string{
	"loss": "mean loss", "error": "error rate", "auc": "AUC", "mse": "mean squared error",
}

// heldOutMetrics lists the metrics of held-out rows in the order of reports.
var heldOutMetrics = []struct {
	key, name        string
	measure          model.Measure
	value            func(mean float64) float64 // computes the metric from the mean of measure
	unit             float64                    // the table shows the metric divided by unit
	format           string                     // format of the metric
	differenceFormat string                     // format of the metric's difference between two lambdas
}{
	{"mean_loss", "mean loss", model.ByLoss, identity, 1, "%.6g", "%+.3g"},
	{
		"accuracy", "accuracy", model.ByError, func(v float64) float64 { return 1 - v }, 0.01, "%.2f %%",
		"%+.2f points",
	},
	{"auc", "AUC", model.ByAUC, identity, 1, "%.4f", "%+.4f"},
	{"rmse", "RMSE", model.ByMSE, math.Sqrt, 1, "%.6g", "%+.3g"},
	{"r2", "R2", model.ByR2, identity, 1, "%.4f", "%+.4f"},
}

func identity(v float64) float64 { return v }

// A cvReport is the result of scas cv.
type cvReport struct {
	problemReport
	Folds  int      `json:"folds"`
	Seed   uint64   `json:"seed"`
	Metric string   `json:"metric"`
	Min    cvLambda `json:"min"`
	OneSE  cvLambda `json:"one_se"`
	Choose string   `json:"choose"`
	Chosen cvLambda `json:"chosen"`
	Steps  []cvStep `json:"steps"`
	writtenFiles

	verbose bool
}

// A cvLambda is the cross-validation result of one lambda.
type cvLambda struct {
	Index   int          `json:"index"`
	Lambda  float64      `json:"lambda"`
	Mean    number       `json:"mean"`  // mean of the metric on held-out rows
	SE      number       `json:"se"`    // standard error of Mean
	NNZX    int          `json:"nnz_x"` // number of non-zero coefficients of the fit to all rows
	Metrics metricValues `json:"metrics"`
}

// A cvStep describes the fit of one lambda to all rows, and has the cross-validation result of this lambda.
type cvStep struct {
	stepReport
	Mean    number       `json:"mean"`
	SE      number       `json:"se"`
	Metrics metricValues `json:"metrics"`
}

// metricValues maps the keys of heldOutMetrics to the metrics of one lambda.
type metricValues map[string]number

func (h metricValues) hasFinite(key string) bool {
	v, ok := h[key]
	return ok && isFinite(float64(v))
}

// differenceText returns a text with the differences between l and base (l minus base) in each metric and in
// the number of non-zeros.
func (l cvLambda) differenceText(base cvLambda) string {
	text := ""
	for _, m := range heldOutMetrics {
		if l.Metrics.hasFinite(m.key) && base.Metrics.hasFinite(m.key) {
			difference := float64(l.Metrics[m.key] - base.Metrics[m.key])
			text += fmt.Sprintf("%s "+m.differenceFormat+", ", m.name, difference/m.unit)
		}
	}
	return text + fmt.Sprintf("non-zeros %+d", l.NNZX-base.NNZX)
}

func (r *cvReport) fill(c *cvCmd, result *model.CVResult) {
	r.Folds, r.Seed, r.Metric, r.Choose, r.verbose = len(result.Values), uint64(c.Seed), c.Metric, c.Choose,
		c.Verbose
	for k, s := range newStepReports(result.Path, r.HasIntercept) {
		values := metricValues{}
		for _, m := range heldOutMetrics {
			if scores, ok := result.Measures[m.measure]; ok {
				values[m.key] = number(m.value(scores.Mean[k]))
			}
		}
		r.Steps = append(r.Steps, cvStep{s, number(result.Mean[k]), number(result.SE[k]), values})
	}
	resultOf := func(k int) cvLambda {
		s := r.Steps[k]
		return cvLambda{k, s.Lambda, s.Mean, s.SE, s.NNZX, s.Metrics}
	}
	r.Min, r.OneSE = resultOf(result.Best), resultOf(result.OneSE)
	r.Chosen = r.OneSE
	if c.Choose == "min" {
		r.Chosen = r.Min
	}
}

func (r *cvReport) text() string {
	if !r.verbose {
		return r.summary().String()
	}
	return r.summary().String() + "\n" + r.grid().String()
}

func (r *cvReport) summary() (f summary) {
	r.addTo(&f)
	f.add("folds", "%d, seed %d; %s, in %.3g s (reading %.3g s)",
		r.Folds, r.Seed, plural(len(r.Steps), "lambda"), r.Seconds, r.ReadSeconds)
	f.addBlank()
	addLambda := func(name string, l cvLambda) {
		f.add(name, "lambda %.6g: %s %.6g, standard error %.2g, %s",
			l.Lambda, metricNames[r.Metric], l.Mean, l.SE, plural(l.NNZX, "non-zero coefficient"))
		var others []string
		for _, m := range heldOutMetrics {
			if m.name != metricNames[r.Metric] && l.Metrics.hasFinite(m.key) {
				others = append(others, fmt.Sprintf("%s "+m.format, m.name, float64(l.Metrics[m.key])/m.unit))
			}
		}
		f.addIf(others != nil, "", "%s", strings.Join(others, ", "))
	}
	addLambda("min", r.Min)
	addLambda("1se", r.OneSE)
	if r.Min.Index == r.OneSE.Index {
		f.add("price", "none: min and 1se are the same lambda")
	} else {
		f.add("price", "1se beside min: %s", r.OneSE.differenceText(r.Min))
	}
	chosenStep := r.Steps[r.Chosen.Index]
	f.add("chosen", "%s: lambda %.6g, fitted to all rows: %s",
		r.Choose, chosenStep.Lambda, statusWord(chosenStep.Status))
	f.addIf(chosenStep.Lambda > 0 && chosenStep.Lambda == r.Steps[len(r.Steps)-1].Lambda && len(r.Steps) > 1,
		"", "the last lambda of the path: a smaller one (--ratio or --lambdas) may be better")
	f.addIf(chosenStep.unproved(), "", "%s", statusMeaning(chosenStep.Status))
	addGap(&f, chosenStep.proof)
	r.addFiles(&f, "curve")
	return f
}

func (r *cvReport) grid() grid {
	rows := make([][]string, len(r.Steps))
	metricName := metricNames[r.Metric]
	head := []string{"lambda", "non-zeros", metricName, "s.e."}
	for _, m := range heldOutMetrics {
		if _, ok := r.Steps[0].Metrics[m.key]; ok && m.name != metricName {
			head = append(head, m.name)
		}
	}
	for k, s := range r.Steps {
		mark := ""
		switch k {
		case r.Min.Index:
			mark = "min"
		case r.OneSE.Index:
			mark = "1se"
		}
		rows[k] = []string{
			fmt.Sprintf("%.6g", s.Lambda), groupDigits(s.NNZX), fmt.Sprintf("%.8f", s.Mean),
			fmt.Sprintf("%.6f", s.SE),
		}
		for _, m := range heldOutMetrics {
			if v, ok := s.Metrics[m.key]; ok && m.name != metricName {
				rows[k] = append(rows[k], fmt.Sprintf(m.format, float64(v)/m.unit))
			}
		}
		rows[k] = append(rows[k], statusWord(s.Status), mark)
	}
	return grid{append(head, "status", ""), rows}
}

// page returns the HTML report on the chosen model. err is the error that the command will return, or nil.
func (r *cvReport) page(e *env, chosen *model.Model, err error) (*page, error) {
	p := r.newPage(e, "cv", "lambda")
	p.Summary, p.Table = r.summary(), r.grid()
	s := r.Steps[r.Chosen.Index]
	p.Summary.add("objective", "%.10g at the chosen lambda", s.Objective)
	p.judge([]proof{s.proof}, err)
	if r.Steps[0].Lambda > 0 { // otherwise there is nothing to draw
		p.Plot, err = inlineSVG(func(w io.Writer) error { return drawCVCurve(w, r) })
		if err != nil {
			return nil, err
		}
	}
	p.addMetrics(chosen, &r.problemReport)
	return p, p.addSections(fmt.Sprintf("at the chosen lambda, %.6g", s.Lambda), chosen)
}

func (c *cvCmd) check() error {
	classifies := c.Loss.classifies()
	switch {
	case c.Folds == 1:
		return usagef("--folds %d: want 2 or more", c.Folds)
	case !classifies && (c.Metric == "error" || c.Metric == "auc"):
		return usagef("--metric %s is for two classes; with --loss %s take loss or mse", c.Metric, c.Loss)
	case classifies && c.Metric == "mse":
		return usagef("--metric mse is for numbers; with --loss %s take loss, error or auc", c.Loss)
	}
	return c.pathFlags.check(c.SVG)
}

// maxFolds returns an upper bound on the number of folds.
func (c *cvCmd) maxFolds() int { return cmp.Or(int(c.Folds), 10) }

func (c *cvCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.run(e, c.Data, c.crossValidate)
}

func (c *cvCmd) crossValidate(e *env) error {
	var r cvReport
	var result *model.CVResult
	var err error
	chosenModel := func() *model.Model { return result.Path[r.Chosen.Index].Model() }
	out := outputs{
		{"-o", c.Model, func(w io.Writer) error { return chosenModel().Write(w) }},
		{"--svg", c.SVG, func(w io.Writer) error { return drawCVCurve(w, &r) }},
		c.output(func() (*page, error) { return r.page(e, chosenModel(), err) }),
	}
	load := workload{
		settings: c.settings(), fits: model.Fits{Lambdas: c.Lambdas.count, Folds: c.maxFolds()},
		scored: c.Report != "",
	}
	r.problemReport, err = c.begin(e, out, load)
	if err != nil {
		return err
	}
	if n := r.fitSpec.counts.total; int(c.Folds) > n {
		return usagef("--folds %d: the data have %s; give at most as many folds", c.Folds, plural(n, "row"))
	}
	stopped, err := c.measureFit(e, &r.problemReport, func() (err error) {
		result, err = c.computeCV(e, r.fitSpec)
		return err
	})
	if result == nil || stopped {
		err = explainOverflow(e.interruptError(err, "nothing written"), r.fitSpec.counts.start,
			"the model of the other folds")
		return nameData(c.Data, c.explain(err))
	}
	r.fill(c, result)
	r.warnOfEmptyModel(e)
	var statsErr error
	r.trainingStats, statsErr = c.ranks.computeTrainingStats(r.fitSpec, chosenModel(), &c.pageFlags)
	if statsErr != nil && err == nil {
		return nameData(c.Data, statsErr)
	}
	writeErr := out.write(e, func() error {
		r.writtenFiles = writtenFiles{Model: c.Model, SVG: c.SVG, Report: c.Report}
		return e.show(c.JSON, &r)
	})
	return cmp.Or(writeErr, err)
}

func (c *cvCmd) computeCV(e *env, s *fitSpec) (*model.CVResult, error) {
	p := e.beginProgress("the path of all rows")
	defer p.end()
	p.setReports(s, fitCount{"model", 0, min(c.maxFolds(), s.counts.total) * c.Lambdas.count})
	set := &model.CVSettings{Path: c.pathSettings(), Folds: int(c.Folds), Measure: model.Measure(c.Metric)}
	set.ModelScored = func(done, total int) {
		p.fits = fitCount{"model", done, total}
		p.showFits(done, "")
	}
	return model.CVData(e.ctx, &s.spec, s.data, set)
}

// explain rewords an error that --time-limit may have caused.
func (c *cvCmd) explain(err error) error {
	if c.TimeLimit > 0 &&
		(errors.Is(err, context.DeadlineExceeded) || errors.Is(err, solver.ErrNotConverged)) {
		return fmt.Errorf("%w: not every fold is fitted after %v; allow more with --time-limit, or ask for fewer --lambdas or --folds", solver.ErrNotConverged, time.Duration(c.TimeLimit))
	}
	return err
}
