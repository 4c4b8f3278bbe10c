package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A trainReport is what scas train --json prints; the table for people shows
// the same.
type trainReport struct {
	solver.Stats
	outcome
	countFacts
	*rankFacts
	lossFacts
	problemFacts
	settingFacts
	conditions
	processFacts
	written

	origin
	model *model.Model
}

// origin is what a report was made from.
type origin struct {
	cmd   *trainCmd
	data  *sparse.Dataset
	graph *graph.Graph
	info  solver.MethodInfo
	whole wholeFacts
}

// outcome is what the run reached, of the iterate reported.
type outcome struct {
	Status    solver.Status `json:"status"`
	Objective number        `json:"objective"`
	Unrounded number        `json:"objective_unrounded"` // before zeros and ties were made exact
	Loss      number        `json:"loss"`
	Penalty   number        `json:"penalty"` // lambda |A x|_1, or what the flags make of it
	Ridge     number        `json:"ridge"`   // (mu/2)|x|^2

	PrimalResidual number `json:"primal_residual"` // null for the average: they are of the last iterate
	DualResidual   number `json:"dual_residual"`
	DualityGap     number `json:"duality_gap"`  // of the iterate reported; null where it is not known
	RelativeGap    number `json:"relative_gap"` // DualityGap as a share of Objective
	NoOptimum      bool   `json:"no_optimum,omitempty"`

	Accuracy *float64 `json:"accuracy,omitempty"` // on the rows that were fitted, of classes
}

func (o *outcome) proof() proof {
	return proof{DualityGap: o.DualityGap, RelativeGap: o.RelativeGap, NoOptimum: o.NoOptimum, Status: o.Status}
}

// countFacts count what the data have, and what came of them.
type countFacts struct {
	ReadSeconds float64              `json:"read_seconds"` // before Stats.Seconds
	NNZ         int64                `json:"nnz"`
	Table       *sparse.TableSummary `json:"table,omitempty"`
	NNZX        int                  `json:"nnz_x"`
	Empty       int                  `json:"features_without_data"`
	Ungrouped   int                  `json:"rows_in_no_group,omitempty"` // of A: the group lasso does not penalise them
}

// lossFacts name a loss.
type lossFacts struct {
	LossName   string  `json:"loss_name"`
	HuberDelta float64 `json:"huber_delta,omitempty"` // the argument of the loss, named when Huber alone had one
}

func newLossFacts(loss solver.Loss) lossFacts {
	t := term.LossOf(loss).Traits()
	return lossFacts{t.Name, t.Argument.Value}
}

func (l lossFacts) loss() string {
	if l.HuberDelta != 0 {
		return fmt.Sprintf("%s:%g", l.LossName, l.HuberDelta)
	}
	return l.LossName
}

// settingFacts are flags of the run that its Stats do not tell.
type settingFacts struct {
	Schedule string `json:"schedule"`
	Seed     uint64 `json:"seed"`
	Output   string `json:"output"`

	HasIntercept bool `json:"has_intercept"` // false, as in all of these models
	Standardized bool `json:"standardized"`
}

// written are the files that a fit wrote.
type written struct {
	Model  string `json:"model,omitempty"`
	SVG    string `json:"svg,omitempty"`
	Report string `json:"report,omitempty"`
}

func (w *written) wrote(files written) { *w = files }

// addFiles names them; picture is what SVG shows.
func (w written) addFiles(f *facts, picture string) {
	f.addIf(w.Model != "", "model", "written to %s", w.Model)
	f.addIf(w.SVG != "", picture, "drawn in %s", w.SVG)
	f.addIf(w.Report != "", "report", "written to %s", w.Report)
}

// conditions are reported with --verbose only.
type conditions struct {
	Theorem2        []conditionFacts `json:"theorem2,omitempty"`
	Theorem2Relaxed []conditionFacts `json:"theorem2_relaxed,omitempty"`
}

// processFacts are of the program that ran.
type processFacts struct {
	Level   string `json:"level"`
	Peak    int64  `json:"peak_memory"` // of this process, in bytes; 0 if the system does not tell
	Version string `json:"scas_version"`
}

// newTrainReport collects what the run found, and the model it gives.
func newTrainReport(c *trainCmd, t *task, res *solver.Result) *trainReport {
	m, _ := baseline.ByName(res.Stats.Method)
	r := &trainReport{
		Stats:      res.Stats,
		outcome:    outcome{Status: res.Status, PrimalResidual: number(res.PrimalResidual), DualResidual: number(res.DualResidual), DualityGap: number(math.NaN())},
		countFacts: countFacts{NNZ: t.whole.nnz, Table: t.data.Table, Empty: c.ranks.empty(t.data)},
		lossFacts:  newLossFacts(c.Loss.Loss), problemFacts: t.facts,
		settingFacts: settingFacts{Schedule: c.Schedule, Seed: c.Seed, Output: c.Output},
		processFacts: processFacts{Level: kernels.Active().String(), Peak: peakMemory(), Version: version},
		origin:       origin{cmd: c, data: t.data, graph: t.graph, info: m.Info(), whole: t.whole},
	}
	x, at, groups := res.X, res.At, res.Groups
	if r.ofAverage() {
		x, at = res.XAverage, res.AtAverage
		r.PrimalResidual, r.DualResidual, groups = number(math.NaN()), number(math.NaN()), nil
	}
	r.Unrounded = number(res.Unrounded)
	if r.ofAverage() {
		r.Unrounded = number(at.Objective)
	}
	r.Objective, r.Loss, r.Penalty, r.NNZX = number(at.Objective), number(at.Loss), number(at.Penalty), nonZeros(x)
	if c.Mu != 0 {
		r.Ridge = number(at.Objective - at.Loss - at.Penalty)
	}
	if isFinite(res.DualityGap) { // known at the last iterate
		r.DualityGap = number(max(0, at.Objective-res.At.Objective+res.DualityGap))
	}
	r.RelativeGap = relativeGap(r.DualityGap, r.Objective)
	r.NoOptimum = c.unattained(t, x)
	r.Rounded = r.Rounded && c.Output == "last"
	if c.Verbose {
		r.theory()
	}
	if groups := t.rows().Groups; groups != nil {
		r.Ungrouped = r.problemFacts.Graph.Rows - covered(groups)
	}
	r.model = r.newModel(t, x, at.Objective, groups)
	if r.model.Classifies() && !c.Memory.beyond(t.data) && !c.ranks.pieces { // where accuracy would take one more pass
		r.Accuracy = c.ranks.accuracy(r.model, t.data)
	}
	return r
}

// newModel makes the model of x.
func (r *trainReport) newModel(t *task, x []float64, objective float64, groups [][]int) *model.Model {
	c := r.cmd
	m := &model.Model{
		Loss: c.Loss.Loss, Labels: t.data.Mapping, Features: t.data.Names, IndexBase: int(t.data.Stats.IndexBase - sparse.ZeroBased),
		Facts: model.Facts{
			Rows: r.N, NNZ: r.NNZ, Lambda: r.Lambda, Mu: r.Mu, MuA: r.L2Y, Domain: r.Domain, GraphEdges: r.problemFacts.Graph.Edges,
			Penalty: "lasso", Balanced: r.ClassWeights != "", Weighted: r.SampleWeights != "" || r.ClassWeights != "",
		},
		Columns: []model.Column{{
			Coefficients: x, Groups: groups,
			Certificate: model.Certificate{
				Objective: objective, MeanLoss: float64(r.Loss), Gap: float64(r.DualityGap), RelTol: max(0, float64(c.Tol)), Status: r.Status, NoOptimum: r.NoOptimum,
			},
			Run: model.Run{
				Method: r.Method, Seed: c.Seed, NewtonSteps: r.NewtonSteps, Passes: r.Passes, OuterIterations: r.OuterIterations, DualUpdates: r.DualUpdates, Eta: r.Eta, Rho: r.Rho,
				InnerSteps: int(c.InnerSteps), Float32: c.Float32, Average: r.ofAverage(),
			},
		}},
	}
	switch {
	case r.problemFacts.Groups > 0:
		m.Facts.Penalty = "group-lasso"
	case r.L2Y != 0:
		m.Facts.Penalty = "elastic-net"
	}
	column := &m.Columns[0]
	if math.IsNaN(column.Certificate.Gap) {
		column.Certificate.Gap = math.Inf(1)
	}
	if r.BatchSize > 1 {
		column.Run.BatchSize = r.BatchSize
	}
	if c.Schedule != string(solver.Practical) {
		column.Run.Schedule = c.Schedule
	}
	if table := t.data.Table; table != nil {
		m.Target, m.Fill = table.Label, table.Fill
	}
	return m
}

// ofAverage reports whether the report is about the average of the iterates.
func (r *trainReport) ofAverage() bool { return r.Output == "average" && r.Status != solver.Diverged }

func nonZeros(x []float64) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// table begins with what was asked, then says what was found, and last, if that is asked
// for, how.
func (r *trainReport) table() (f facts) {
	r.addProblem(&f)
	r.addRun(&f)
	f.gap()
	r.addResult(&f)
	if r.cmd.Verbose {
		f.gap()
		r.addMethod(&f)
		r.addConstants(&f)
	}
	return f
}

// addProblem says what was asked.
func (r *trainReport) addProblem(f *facts) {
	c := r.cmd
	f.add("data", "%s: %s", dataName(c.Data), shapeOf(r.N, r.P, r.NNZ))
	r.rankFacts.addTo(f)
	addColumns(f, r.data)
	f.addIf(r.Empty > 0, "", "%s without data", plural(r.Empty, "feature"))
	if !r.data.Mapping.IsZero() {
		f.add("labels", "%s", labelCounts(r.data.Mapping, r.whole.classes))
	}
	domain := ""
	if r.Domain != "" {
		domain = ", coefficients in " + r.Domain
	}
	ridge := ""
	if r.Mu != 0 {
		ridge = fmt.Sprintf(", mu %g", r.Mu)
	}
	f.add("problem", "%s loss, %s, lambda %g%s%s", r.loss(), shapeWords(r.HasIntercept, r.Standardized), r.Lambda, ridge, domain)
	flag, _ := c.unfitted()
	f.addIf(flag != "" && c.Intercept == nil, "", "no intercept: %s fits none", flag)
	f.addIf(r.Groups > 0, "", "group lasso, %s, from %s", plural(r.Groups, "group"), r.GroupsFile)
	f.addIf(r.Ungrouped > 0, "", "%s in no group, not penalised", r.ungrouped())
	f.addIf(r.L2Y > 0, "", "elastic net, with (%g/2)|A x|^2 in the penalty", r.L2Y)
	addWeights(f, r.ClassWeights, r.SampleWeights)
	f.addIf(r.Graph.Kind == "none" && r.Groups > 0, "graph", "none: A = I")
	f.addIf(r.Graph.Kind != "none" || r.Groups == 0, "graph", "%s", r.Graph)
}

// ungrouped says how many features, or rows of A, are in no group.
func (r *trainReport) ungrouped() string {
	if r.Graph.Kind == "none" {
		return plural(r.Ungrouped, "feature")
	}
	return plural(r.Ungrouped, "row") + " of A"
}

// addRun says how it went.
func (r *trainReport) addRun(f *facts) {
	did, seed := plural(r.OuterIterations, "outer iteration"), ""
	if r.NewtonSteps > 0 {
		did = plural(r.NewtonSteps, "Newton step")
		if before := r.OuterIterations - 1; before > 0 { // they are one of them
			did = plural(before, "outer iteration") + ", then " + did
		}
	}
	if r.Eta > 0 {
		seed = fmt.Sprintf(", seed %d", r.Seed)
	}
	f.add("method", "%s%s", r.Method, seed)
	f.add("run", "%s, %s, %s, in %.3g s (reading %.3g s)", strings.TrimPrefix(statusWord(r.Status), "passes "), passCount(r.Passes), did, r.Seconds, r.ReadSeconds)
	f.addIf(r.StepHalvings > 0, "", "the step size was halved %s, because the objective rose", plural(r.StepHalvings, "time"))
}

// addMethod says with which parameters, and by which machinery.
func (r *trainReport) addMethod(f *facts) {
	if r.Eta > 0 || r.NewtonSteps == 0 {
		r.addParameters(f)
	}
	f.addIf(r.Plan != "" && r.Eta > 0, "plan", "%s: %s", r.Plan, r.PlanReason)
	f.add("kernels", "%s, data as %s", r.Level, r.Storage)
	f.addIf(!r.ofAverage(), "residuals", "primal %.3g, dual %.3g", r.PrimalResidual, r.DualResidual)
	f.addIf(r.Peak > 0, "memory", "%s at most, reading included", byteCount(r.Peak))
}

func (r *trainReport) addParameters(f *facts) {
	eta := "no step size"
	if r.info.TakesEta {
		eta = fmt.Sprintf("eta %.4g%s", r.Eta, r.cmd.Eta.mark())
	}
	if r.Schedule == string(solver.Practical) {
		f.add("parameters", "%s, rho %.4g%s", eta, r.Rho, r.cmd.Rho.mark())
	} else {
		f.add("parameters", "%s schedule, now eta %.4g, %s; rho %.4g%s", r.Schedule, r.Eta, plural(r.InnerSteps, "step"), r.Rho, r.cmd.Rho.mark())
	}
	f.addIf(r.DualUpdates > 1, "", "%d updates of the multipliers for each full gradient", r.DualUpdates)
	f.addIf(r.BatchSize > 1, "", "%d samples a step", r.BatchSize)
}

// addResult says what was found.
func (r *trainReport) addResult(f *facts) {
	shown := map[bool]string{true: " (average iterate)"}[r.ofAverage()]
	if r.Status == solver.Diverged {
		shown = " (best iterate)"
	}
	f.add("objective", "%.10g%s", r.Objective, shown)
	f.add("loss", "%.10g", r.Loss)
	f.add("penalty", "%.10g", r.Penalty)
	f.addIf(r.Mu > 0, "mu term", "%.10g", r.Ridge)
	addAccuracy(f, r.Accuracy)
	addNonZeros(f, r.Status, r.NNZX, r.P)
	f.addIf(r.graph != nil && r.model.Columns[0].Groups != nil, "tied", "%s of equal coefficients that are not zero", plural(len(r.model.Columns[0].Groups), "group"))
	switch {
	case isFinite(float64(r.DualityGap)):
		addGap(f, r.proof())
	case r.ofAverage():
		f.add("gap", "nothing is proved")
	case math.IsNaN(float64(r.DualResidual)):
		f.add("gap", "nothing is proved, and the dual residual is not known; the primal one is %.3g", r.PrimalResidual)
	default:
		f.add("gap", "nothing is proved; judge by the residuals, primal %.3g and dual %.3g", r.PrimalResidual, r.DualResidual)
	}
	r.addFiles(f, "graph")
}

// addAccuracy tells the share of rows that are predicted right, if it is known.
func addAccuracy(f *facts, accuracy *float64) {
	if accuracy != nil {
		f.add("accuracy", "%.2f %% of the rows that were fitted", 100**accuracy)
	}
}

// addNonZeros counts the coefficients that are not zero. If there are none because the run
// ended at its time limit, a smaller --lambda is no remedy.
func addNonZeros(f *facts, status solver.Status, count, of int) {
	f.add("non-zeros", "%s of %s coefficients", grouped(count), grouped(of))
	f.addIf(count == 0 && status != solver.TimeDone, "", "a smaller --lambda lets features in; scas cv finds a good one")
}

func (r *trainReport) text() string { return r.table().String() }

func (r *trainReport) encode(w io.Writer) error { return r.model.Write(w) }

func (r *trainReport) draw(w io.Writer) error { return drawTied(w, r.graph, r.model, 0) }

// page explains the model; err is what the command ends with.
func (r *trainReport) page(e *env, err error) (*page, error) {
	p := e.newPage("train", r.cmd.Data)
	p.Facts = r.table()
	p.judge(r.Objective, r.proof(), err)
	return p, errors.Join(p.measure(r.model, r.data, r.cmd.Memory.beyond(r.data)), p.show("", r.model, r.graph))
}
