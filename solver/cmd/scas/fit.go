package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// This file trains through package solver/model: models with an intercept, standardised
// features, names, and whatever else package solver does not have.

// fitted reports whether package solver/model fits the model: not with a named method, nor with a
// setting of one.
func (c *trainCmd) fitted() bool {
	named, _ := c.unfitted()
	return named == "" || c.fittedBy() != ""
}

// fittedBy names the flag that asks for package solver/model; empty if none does.
func (c *trainCmd) fittedBy() (flag string) {
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"--intercept", c.Intercept != nil && *c.Intercept}, {"--standardize", c.Standardize != nil && *c.Standardize},
		{"--l1-ratio", c.L1Ratio != nil}, {"--names", c.Names != ""}, {"--penalty-factors", c.PenaltyFactors != ""},
		{"--offset", c.Offset != ""}, {"--offset-column", c.OffsetColumn != ""}, {"--fusion", c.Fusion != 1},
	} {
		if f.on {
			return f.name
		}
	}
	return ""
}

// checkFit refuses flags that package solver/model does not know.
func (c *trainCmd) checkFit() error {
	if name, remedy := c.unfitted(); name != "" {
		return usagef("%s does not go with %s: %s", c.fittedBy(), name, remedy)
	}
	return c.specFlags.check(&c.rowFlags)
}

// unfitted returns the first flag that package solver/model does not know, and what to do
// about it. With such a flag there is no intercept, and features are as they are.
func (c *trainCmd) unfitted() (name, remedy string) {
	method := "--method"
	if c.Method.Method != nil {
		method += " " + c.Method.Info().Name
	}
	for _, f := range []struct {
		name   string
		on     bool
		remedy string
	}{
		{method, c.Method.Method != nil, "use --method auto"},
		{"--tol none", c.Tol < 0, "every fit is to be proved"},
		{"--dual-updates", c.DualUpdates != 0, "Newton steps have none"},
		{"--passes", c.Passes != 0, "give --time-limit"},
		{"--eta", c.Eta != 0, "Newton steps have no step size"},
		{"--rho", c.Rho != 0, "Newton steps have none"},
		{"--inner-steps", c.InnerSteps != 0, "it is for stochastic methods"},
		{"--batch-size", c.BatchSize != 0, "it is for stochastic methods"},
		{"--schedule", c.Schedule != string(solver.Practical), "it is for stochastic methods"},
		{"--output", c.Output != "last", "there is no average of iterates"},
		{"--float32", c.Float32, "values are kept as they are"},
	} {
		if f.on {
			return f.name, f.remedy
		}
	}
	return "", ""
}

// readConstraint reads the file of --graph: whether it is a graph or a matrix decides who
// fits the model.
func (c *trainCmd) readConstraint(e *env, data *sparse.Dataset) (err error) {
	if c.Graph == "none" || c.Graph == "chain" {
		return nil
	}
	c.constraint, err = await(e, func() (*graph.Constraint, error) {
		if err := c.allowConstraint(data); err != nil {
			return nil, err
		}
		return readConstraint(c.Graph, data)
	})
	return c.ranks.team.Agreed(err)
}

// A fitReport is what scas train --json prints of models of package solver/model.
type fitReport struct {
	Status solver.Status `json:"status"` // converged if the fit of every class is
	Lambda float64       `json:"lambda"`
	problemReport
	*columnFit               // nil for more than two classes
	Classes    []classReport `json:"classes,omitempty"`  // of more than two
	Accuracy   *float64      `json:"accuracy,omitempty"` // on the rows that were fitted, of classes
	written

	model   *model.Model
	verbose bool
}

// A classReport is of the fit of one class against the rest.
type classReport struct {
	Class string `json:"class"`
	Rows  int    `json:"rows"`
	*columnFit
}

// A columnFit is what the fit of a column of coefficients has come to.
type columnFit struct {
	Objective number `json:"objective"`
	Loss      number `json:"loss"`
	Penalty   number `json:"penalty"`
	proof
	Intercept *number   `json:"intercept"`
	NNZX      int       `json:"nnz_x"`
	Tied      int       `json:"tied_groups"` // of equal coefficients, along the graph
	Run       model.Run `json:"run"`
}

func newColumnFit(m *model.Model, k int) *columnFit {
	column := &m.Columns[k]
	c := column.Certificate
	r := &columnFit{
		Objective: number(c.Objective), Loss: number(c.MeanLoss), Penalty: number(c.Objective - c.MeanLoss), proof: newProof(&c),
		NNZX: nonZeros(column.Coefficients), Tied: len(column.Groups), Run: column.Run,
	}
	if m.HasIntercept {
		v := number(column.Intercept)
		r.Intercept = &v
	}
	return r
}

// newFitReport reports a fit.
func newFitReport(head problemReport, m *model.Model) *fitReport {
	r := &fitReport{Status: solver.Converged, Lambda: head.in.spec.Lambda, problemReport: head, model: m}
	for k := range m.Columns {
		one := newColumnFit(m, k)
		if r.Status == solver.Converged {
			r.Status = one.Status
		}
		if m.Classes.IsZero() {
			r.columnFit = one
		} else {
			r.Classes = append(r.Classes, classReport{m.Classes.Name(k), head.in.whole.classes[k], one})
		}
	}
	return r
}

func (r *fitReport) table() (f facts) {
	r.addTo(&f)
	f.add("lambda", "%g", r.Lambda)
	if r.columnFit == nil {
		steps := 0
		for _, c := range r.Classes {
			steps += c.Run.NewtonSteps
		}
		f.add("run", "%s, %s in %s, in %.3g s (reading %.3g s)", statusWord(r.Status), plural(steps, "Newton step"), plural(len(r.Classes), "fit"), r.Seconds, r.ReadSeconds)
		addAccuracy(&f, r.Accuracy)
		r.addFiles(&f, "graph")
		return f
	}
	f.add("run", "%s, %s, in %.3g s (reading %.3g s)", statusWord(r.Status), plural(r.Run.NewtonSteps, "Newton step"), r.Seconds, r.ReadSeconds)
	f.addIf(r.Status != solver.Converged, "", "%s", statusMeaning(r.Status))
	f.gap()
	f.add("objective", "%.10g", r.Objective)
	f.add("loss", "%.10g", r.Loss)
	f.add("penalty", "%.10g", r.Penalty)
	addAccuracy(&f, r.Accuracy)
	if r.Intercept != nil {
		f.add("intercept", "%.10g", *r.Intercept)
	}
	addNonZeros(&f, r.Status, r.NNZX, r.P)
	f.addIf(r.in.spec.Graph != nil, "tied", "%s of equal coefficients that are not zero", plural(r.Tied, "group"))
	addGap(&f, r.proof)
	r.addFiles(&f, "graph")
	if r.verbose {
		f.gap()
		f.add("method", "%s, seed %d", r.Run.Method, r.Run.Seed)
		f.add("kernels", "%s", r.Level)
		f.addIf(r.Peak > 0, "memory", "%s at most, reading included", byteCount(r.Peak))
	}
	return f
}

// text is for people. Of several classes it has a table of a line to each class below what was
// fitted, and what its words mean.
func (r *fitReport) text() string {
	if r.columnFit != nil {
		return r.table().String()
	}
	t, text := r.lines(), r.table().String()+"\n"
	if len(t.Rows) > manyClasses && !r.verbose {
		text += fmt.Sprintf("The %d of %s with the largest gaps; --verbose lists all.\n", manyClasses, plural(len(t.Rows), "class"))
		t.Rows = r.worst(t.Rows)
	}
	text += columnsOf(t.Head, t.Rows)
	if notes := proofNotes(r.proofs(), "class"); notes != nil {
		text += "\n" + notes.String()
	}
	return text
}

// lines has one for each class.
func (r *fitReport) lines() grid {
	rows := make([][]string, len(r.Classes))
	for k, c := range r.Classes {
		rows[k] = slices.Concat(
			[]string{c.Class, grouped(c.Rows), grouped(c.NNZX), fmt.Sprintf("%.8f", c.Loss), fmt.Sprintf("%.8f", c.Objective)},
			c.gaps(), []string{statusWord(c.Status)})
	}
	return grid{slices.Concat([]string{"class", "rows", "non-zeros", "loss", "objective"}, gapColumns, []string{"status"}), rows}
}

// worst are the lines of the classes with the largest gaps, those that are not proved first.
func (r *fitReport) worst(lines [][]string) [][]string {
	order := make([]int, len(lines))
	for k := range order {
		order[k] = k
	}
	gap := func(k int) float64 {
		if v := float64(r.Classes[k].DualityGap); isFinite(v) {
			return v
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gap(j), gap(i)) })
	var out [][]string
	for _, k := range order[:manyClasses] {
		out = append(out, lines[k])
	}
	return out
}

func (r *fitReport) proofs() []proof {
	out := make([]proof, len(r.Classes))
	for k, c := range r.Classes {
		out[k] = c.proof
	}
	return out
}

func (r *fitReport) encode(w io.Writer) error { return r.model.Write(w) }

func (r *fitReport) draw(w io.Writer) error { return drawTied(w, r.in.spec.Graph, r.model, 0) }

// errOneGraph refuses a picture of one model where there are several.
var errOneGraph = usagef("--svg draws one model, and several classes have one each; --report FILE has all of them")

// page explains the model; err is what the command ends with.
func (r *fitReport) page(e *env, err error) (*page, error) {
	p := e.newPage("train", r.name)
	if p.Facts = r.table(); r.columnFit != nil {
		p.judge(r.Objective, r.proof, err)
	} else {
		p.Table, p.Each = r.lines(), "class"
		p.judgeAll(r.proofs(), "class", err)
	}
	return p, errors.Join(p.measure(r.model, r.in.data, r.in.beyond()), p.show("", r.model, r.in.spec.Graph))
}

// begin says what to fit to the data through package solver/model.
func (c *trainCmd) begin(e *env, data *sparse.Dataset, start time.Time, of fits) (problemReport, error) {
	flags := fitFlags{
		Data: c.Data, specFlags: c.specFlags, rowFlags: c.rowFlags,
		solveFlags: solveFlags{Tol: ratio(c.Tol), TimeLimit: c.TimeLimit, Seed: c.Seed, Threads: c.Threads},
		ranks:      c.ranks,
	}
	head, err := flags.begin(e, data, start, of)
	if err == nil {
		head.in.spec.Lambda = float64(c.Lambda)
		err = c.drawable(head.in.spec.Graph)
	}
	if err == nil {
		facts := problemFacts{
			Lambda: float64(c.Lambda), Graph: head.Graph, Groups: head.Groups, ClassWeights: c.ClassWeights, N: head.N, P: head.P,
		}
		head.in.spec.Checkpoint, err = c.checkpoint(data, facts, head.NNZ)
	}
	return head, err
}

// fit trains through package solver/model. Without a result there is an error.
func (c *trainCmd) fit(e *env, data *sparse.Dataset, start time.Time) (fitResult, error) {
	classes, what, of := len(data.Classes.Values), "fitting", fits{atOnce: 1}
	if classes > 0 {
		if err := c.checkSeveral(classes); err != nil {
			return nil, err
		}
		what, of = "fitting "+plural(classes, "class"), fits{atOnce: min(classes, threadsOf(c.Threads)), scored: c.Report != ""}
	}
	head, err := c.begin(e, data, start, of)
	if err != nil {
		return nil, err
	}
	s := head.in
	start = time.Now()
	defer s.collecting()()
	p := e.begin(what)
	s.spec.Tell, s.spec.Fitted = p.streamed(), p.classes
	if classes > 0 {
		s.spec.Tell = func(at stream.Progress) {
			p.showOf(float64(at.Class), float64(classes), "class %d of %d   %s", at.Class+1, classes, passes(at))
		}
	}
	then := c.ranks.tally()
	m, err := model.Fit(e.ctx, &s.spec, data.X, s.y)
	head.rankFacts = c.ranks.told(then)
	p.end()
	err = c.Memory.unstreamed(s.claim, ofScales(s.ofClass(err), data, head.Standardized || s.beyond(), true))
	if err := e.interrupted(err, "no model written"); m == nil || c.ranks.team.Any(err != nil && e.ctx.Err() != nil) {
		if classes > 0 {
			err = about(c.Data, err)
		}
		return nil, err
	}
	head.took(start)
	r := newFitReport(head, s.describe(m))
	if r.verbose = c.Verbose; r.columnFit != nil {
		e.warnOfNoOptimum(r.NoOptimum)
	}
	for _, one := range r.Classes {
		if one.NoOptimum {
			e.warn("class %s: there is no optimum: %s", one.Class, noOptimumReason)
		}
	}
	if m.Classifies() && !s.beyond() { // where accuracy would take one more pass
		r.Accuracy = c.ranks.accuracy(m, data)
	}
	return r, err
}

// checkSeveral refuses flags that are not for several classes.
func (c *trainCmd) checkSeveral(classes int) error {
	if name, remedy := c.unfitted(); name != "" {
		return usagef("labels of %s take no %s: %s", plural(classes, "class"), name, remedy)
	}
	if c.SVG != "" {
		return errOneGraph
	}
	return c.specFlags.check(&c.rowFlags)
}

// ofClass words an error of the fits of several classes: that of the first one, by the
// name that the data have for the class, with the number of the others.
func (s *specified) ofClass(err error) error {
	if err == nil {
		return nil
	}
	first, others, where := err, "", ""
	if all, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		first, where = all.Unwrap()[0], strings.TrimSuffix(err.Error(), all.Error()) // such as the lambda
		if n := len(all.Unwrap()) - 1; n > 0 {
			others = " and " + plural(n, "other")
		}
	}
	for k, v := range s.data.Classes.Values {
		if rest, found := strings.CutPrefix(first.Error(), fmt.Sprintf("class %v: ", v)); found {
			return rewordedError{err, fmt.Sprintf("%sclass %s%s: %s", where, s.data.Classes.Name(k), others, rest)}
		}
	}
	return err
}

// readRows reads the data of a fit, beyond memory if the fit goes through them in pieces.
func (e *env) readRows(path string, c *rowFlags, loss lossFlag, beyond bool) (*sparse.Dataset, error) {
	opt := &sparse.ReadOptions{
		IndexBase: c.IndexBase.IndexBase, Features: int(c.Features), Strict: c.Strict, Regression: !loss.classifies(), Counts: loss.counts(), Table: c.table(), Beyond: beyond,
	}
	if c.Positive != nil {
		opt.Positive, opt.PositiveName = c.Positive.number, c.Positive.word
	}
	if loss.classifies() {
		opt.MaxClasses = model.MaxClasses
	}
	if opt.Table.Offset = c.OffsetColumn; c.OffsetColumn != "" && !c.isTable(path) {
		return nil, usagef("--offset-column is for tables, and %s is read as %v; give --offset FILE", dataName(path), c.formatOf(path))
	}
	data, err := e.readData(path, opt, &c.formFlags, c.Memory)
	if err == nil && data.Stats.SortedRows > 0 {
		e.warn("%s had indices out of order and were sorted (--strict refuses them)", plural(data.Stats.SortedRows, "row"))
	}
	return data, err
}
