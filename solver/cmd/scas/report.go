package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/model"
)

// A trainReport is the result of scas train.
type trainReport struct {
	Status solver.Status `json:"status"` // converged if the fits of all classes converged
	Lambda float64       `json:"lambda"`
	Start  string        `json:"start,omitempty"` // the file of --start, without the directory
	problemReport
	*columnFit               // nil if each class has a fit of its own
	Classes    []classReport `json:"classes,omitempty"`
	// On the fitted rows, counted with their weights; nil out of core, or if labels are numbers.
	Accuracy *float64 `json:"accuracy,omitempty"`
	writtenFiles

	model   *model.Model
	verbose bool
}

// A classReport describes the fit of one class against the rest.
type classReport struct {
	Class string `json:"class"`
	Rows  int    `json:"rows"`
	*columnFit
}

// A columnFit describes the fit of a column of coefficients: of the whole model, or of one class.
type columnFit struct {
	Objective number `json:"objective"`
	Loss      number `json:"mean_loss"`
	Penalty   number `json:"penalty"`         // the objective without Loss and Ridge
	Ridge     number `json:"ridge,omitempty"` // (mu/2)|x|^2
	proof
	Intercept *number      `json:"intercept"`
	NNZX      int          `json:"nnz_x"`
	Tied      int          `json:"tied_groups"` // number of groups of equal coefficients along the graph
	Run       model.FitRun `json:"run"`

	// The next three fields describe Run.Last, the last iterate before its zeros and ties were made exact.
	// They are nil if Run.Last is nil.
	UnroundedObjective *number `json:"objective_unrounded,omitempty"`
	PrimalResidual     *number `json:"primal_residual,omitempty"`
	DualResidual       *number `json:"dual_residual,omitempty"`

	// The conditions of Theorem 2 are checked only if --verbose is given.
	Theorem2        []conditionReport `json:"theorem2,omitempty"`
	Theorem2Relaxed []conditionReport `json:"theorem2_relaxed,omitempty"`
}

type writtenFiles struct {
	Model  string `json:"model,omitempty"`
	Output string `json:"output,omitempty"`
	SVG    string `json:"svg,omitempty"`
	Report string `json:"report,omitempty"`
}

// addFiles adds the names of the files to a summary. picture is the name of the line about the SVG.
func (w writtenFiles) addFiles(f *summary, picture string) {
	f.addIf(w.Model != "", "model", "written to %s", w.Model)
	f.addIf(w.Output != "", "output", "written to %s", w.Output)
	f.addIf(w.SVG != "", picture, "drawn in %s", w.SVG)
	f.addIf(w.Report != "", "report", "written to %s", w.Report)
}

func newTrainReport(problem problemReport, m *model.Model, verbose bool) *trainReport {
	r := &trainReport{
		Status: solver.Converged, Lambda: problem.fitSpec.spec.Lambda, problemReport: problem, model: m,
		verbose: verbose,
	}
	for k := range m.Columns {
		fit := newColumnFit(m, k)
		if verbose {
			fit.checkTheorem2()
		}
		if r.Status == solver.Converged {
			r.Status = fit.Status
		}
		if len(m.Columns) == 1 {
			r.columnFit = fit
		} else {
			r.Classes = append(r.Classes,
				classReport{m.Classes.Name(k), problem.fitSpec.counts.classes[k], fit})
		}
	}
	return r
}

func newColumnFit(m *model.Model, k int) *columnFit {
	column := &m.Columns[k]
	c := column.Certificate
	penalty := c.Objective - c.MeanLoss - c.Ridge
	if math.Abs(penalty) < 1e-14*c.Objective {
		penalty = 0 // only rounding errors are left
	}
	r := &columnFit{
		Objective: number(c.Objective), Loss: number(c.MeanLoss), Penalty: number(penalty),
		Ridge: number(c.Ridge), proof: newProof(&c),
		NNZX: nonZeros(column.Coefficients), Tied: len(column.Groups), Run: column.Run,
	}
	if m.HasIntercept {
		r.Intercept = (*number)(&column.Intercept)
	}
	if last := column.Run.Last; last != nil {
		r.UnroundedObjective, r.PrimalResidual, r.DualResidual = (*number)(&last.Objective),
			(*number)(&last.PrimalResidual), (*number)(&last.DualResidual)
	}
	return r
}

// methodInfo describes the method that ran.
func (c *columnFit) methodInfo() solver.MethodInfo {
	m, known := baseline.ByName(c.Run.Method)
	if !known {
		return solver.MethodInfo{}
	}
	return m.Info()
}

func (r *trainReport) warnOfNoOptimum(e *env) {
	if r.columnFit != nil && r.NoOptimum {
		e.warn("there is no optimum: %s", noOptimumReason)
	}
	for _, class := range r.Classes {
		if class.NoOptimum {
			e.warn("class %s: there is no optimum: %s", class.Class, noOptimumReason)
		}
	}
}

func nonZeros(x []float64) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

func (r *trainReport) summary() (f summary) {
	r.addTo(&f)
	f.add("lambda", "%g", r.Lambda)
	f.addIf(r.Start != "", "start", "the model of %s", r.Start)
	if r.columnFit == nil {
		f.add("run", "%s, %s in %s, in %.3g s (reading %.3g s)",
			endWord(r.Status), r.workText(), plural(len(r.Classes), "fit"), r.Seconds, r.ReadSeconds)
		r.addAccuracy(&f)
		r.addFiles(&f, "graph")
		if r.verbose {
			f.addBlank()
			f.add("kernels", "%s", r.Level)
			r.addPeak(&f)
		}
		return f
	}
	r.addRun(&f)
	f.addBlank()
	r.addResult(&f)
	r.addFiles(&f, "graph")
	if r.verbose {
		f.addBlank()
		r.addMethod(&f)
		r.addConstants(&f)
	}
	return f
}

// workText returns a text with the Newton steps of the fits of all classes, and the passes of those fits that
// package solver made. A fit by package exact has only Newton steps, and OuterIterations is 0.
func (r *trainReport) workText() string {
	steps, passes := 0, 0.0
	for _, c := range r.Classes {
		steps += c.Run.NewtonSteps
		if c.Run.OuterIterations > 0 {
			passes += c.Run.Passes
		}
	}
	switch {
	case passes == 0:
		return r.stepText(steps)
	case steps == 0:
		return formatPasses(passes)
	}
	return formatPasses(passes) + ", " + r.stepText(steps)
}

// stepText formats a number of Newton steps. If lambda is 0 or the penalty has only squares, the text does
// not say Newton, because some steps may be passes of dual coordinate ascent.
func (r *trainReport) stepText(n int) string {
	if r.Lambda == 0 || r.L1Ratio != nil && *r.L1Ratio == 0 {
		return plural(n, "step")
	}
	return plural(n, "Newton step")
}

// endWord says how a run ended, such as "converged" or "done".
func endWord(s solver.Status) string { return strings.TrimPrefix(statusWord(s), "passes ") }

func (r *trainReport) addRun(f *summary) {
	run := &r.Run
	work := r.stepText(run.NewtonSteps)
	if run.OuterIterations > 0 { // package solver made the fit, not package exact
		outerText := plural(run.OuterIterations, "outer iteration")
		// If there are Newton steps, all of them together count as one outer iteration.
		switch earlierIterations := run.OuterIterations - 1; {
		case run.NewtonSteps == 0:
			work = outerText
		case earlierIterations > 0:
			work = plural(earlierIterations, "outer iteration") + ", then " + work
		}
		work = formatPasses(run.Passes) + ", " + work
		seedText := ""
		if run.Eta > 0 {
			seedText = fmt.Sprintf(", seed %d", run.Seed)
		}
		f.add("method", "%s%s", run.Method, seedText)
	}
	f.add("run", "%s, %s, in %.3g s (reading %.3g s)", endWord(r.Status), work, r.Seconds, r.ReadSeconds)
	f.addIf(r.unproved(), "", "%s", statusMeaning(r.Status))
	f.addIf(run.StepHalvings > 0, "", "the step size was halved %s, because the objective rose",
		plural(run.StepHalvings, "time"))
}

func (r *trainReport) addResult(f *summary) {
	iterateText := map[bool]string{true: " (average iterate)"}[r.Run.Average]
	if r.Status == solver.Diverged {
		iterateText = " (best iterate)"
	}
	f.add("objective", "%.10g%s", r.Objective, iterateText)
	f.add("loss", "%.10g", r.Loss)
	f.add("penalty", "%.10g", r.Penalty)
	f.addIf(r.Mu > 0, "mu term", "%.10g", r.Ridge)
	r.addAccuracy(f)
	if r.Intercept != nil {
		f.add("intercept", "%.10g", *r.Intercept)
	}
	f.add("non-zeros", "%s of %s coefficients", groupDigits(r.NNZX), groupDigits(r.P))
	domainText := ""
	if r.fitSpec.spec.Domain != nil {
		domainText = " that the bounds allow"
	}
	mayFall := !(isFinite(float64(r.DualityGap)) && r.Loss <= r.DualityGap) // false if all labels are equal
	f.addIf(r.NNZX == 0 && r.Lambda > 0 && mayFall && r.Status != solver.TimeDone, "",
		"a smaller --lambda lets features in%s; scas cv finds a good one", domainText)
	f.addIf(r.fitSpec.spec.Graph != nil && (r.Tied > 0 || r.PrimalResidual == nil), "tied",
		"%s of equal coefficients that are not zero", plural(r.Tied, "group"))
	switch {
	case isFinite(float64(r.DualityGap)) || r.PrimalResidual == nil:
		addGap(f, r.proof)
		isFar := r.Status == solver.PassesDone && !r.asked && float64(r.RelativeGap) > 0.01
		f.addIf(isFar, "", "more --passes bring it nearer to the optimum; leave out --method for a small gap")
	case !isFinite(float64(*r.DualResidual)):
		f.add("gap", "nothing is proved, and the dual residual is not known; the primal one is %.3g",
			*r.PrimalResidual)
	default:
		f.add("gap", "nothing is proved; judge by the residuals, primal %.3g and dual %.3g (0 at the",
			*r.PrimalResidual, *r.DualResidual)
		f.add("", "optimum): with more --passes they and the objective become smaller")
	}
}

func (r *trainReport) addAccuracy(f *summary) {
	if r.Accuracy != nil {
		weightText := map[bool]string{true: ", by their weights"}[r.SampleWeights != ""]
		f.add("accuracy", "%.2f %% of the rows that were fitted%s", 100**r.Accuracy, weightText)
	}
}

func (r *trainReport) addPeak(f *summary) {
	f.addIf(r.Peak > 0, "memory", "%s at most, reading included", formatBytes(r.Peak))
}

func (r *trainReport) addMethod(f *summary) {
	run, storageText := &r.Run, ""
	if run.OuterIterations == 0 {
		f.add("method", "%s, seed %d", run.Method, run.Seed)
	} else if run.Eta > 0 || run.NewtonSteps == 0 {
		r.addParameters(f)
	}
	f.addIf(run.Plan != "" && run.Eta > 0, "plan", "%s: %s", run.Plan, run.PlanReason)
	if run.Storage != "" {
		storageText = ", data as " + run.Storage
	}
	f.add("kernels", "%s%s", r.Level, storageText)
	if r.PrimalResidual != nil {
		f.add("residuals", "primal %.3g, dual %.3g", *r.PrimalResidual, *r.DualResidual)
	}
	r.addPeak(f)
}

func (r *trainReport) addParameters(f *summary) {
	run, set := &r.Run, &r.fitSpec.spec.Settings
	rhoText := fmt.Sprintf("rho %.4g%s", run.Rho, auto(set.Rho).autoSuffix())
	switch {
	case run.Schedule == solver.Theorem:
		f.add("parameters", "%s schedule, now eta %.4g, %s; %s",
			run.Schedule, run.Eta, plural(run.InnerSteps, "step"), rhoText)
	case r.methodInfo().TakesEta:
		f.add("parameters", "eta %.4g%s, %s", run.Eta, auto(set.Eta).autoSuffix(), rhoText)
	default:
		f.add("parameters", "no step size, %s", rhoText)
	}
	f.addIf(run.DualUpdates > 1, "", "%d updates of the multipliers for each full gradient", run.DualUpdates)
	f.addIf(run.BatchSize > 1, "", "%d samples a step", run.BatchSize)
}

func (r *trainReport) text() string {
	if r.columnFit != nil {
		return r.summary().String()
	}
	text, shown := r.summary().String()+"\n", r.Classes
	if len(shown) > manyClasses && !r.verbose {
		text += fmt.Sprintf("The %d of %s with the largest gaps; --verbose lists all.\n",
			manyClasses, plural(len(shown), "class"))
		shown = slices.SortedStableFunc(slices.Values(shown),
			func(a, b classReport) int { return cmp.Compare(b.gap(), a.gap()) })[:manyClasses]
	}
	text += classGrid(shown).String()
	if notes := proofNotes(r.proofs(), "class"); notes != nil {
		text += "\n" + notes.String()
	}
	return text
}

func classGrid(classes []classReport) grid {
	rows := make([][]string, len(classes))
	for k, c := range classes {
		rows[k] = slices.Concat(
			[]string{
				c.Class, groupDigits(c.Rows), groupDigits(c.NNZX), fmt.Sprintf("%.8f", c.Loss),
				fmt.Sprintf("%.8f", c.Objective),
			},
			c.cells())
	}
	return grid{
		slices.Concat([]string{"class", "rows", "non-zeros", "loss", "objective"}, proofColumns), rows,
	}
}

// proofs returns the proof of the fit, or of the fit of each class.
func (r *trainReport) proofs() (out []proof) {
	if r.columnFit != nil {
		return []proof{r.proof}
	}
	for _, c := range r.Classes {
		out = append(out, c.proof)
	}
	return out
}

// page returns the HTML report on the model. err is the error that the command will return.
func (r *trainReport) page(e *env, err error) (*page, error) {
	p := r.newPage(e, "train", "class")
	p.Summary = r.summary()
	if r.columnFit == nil {
		p.Table = classGrid(r.Classes)
	}
	p.judge(r.proofs(), err)
	p.addMetrics(r.model, &r.problemReport)
	return p, p.addSections("", r.model)
}
