package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse/graph"
)

type modelCmd struct {
	Show    modelShowCmd    `cmd:"" help:"Show what a model is, how well it was fitted, and its largest coefficients."`
	Convert modelConvertCmd `cmd:"" help:"Convert a model to liblinear's text, or from it."`
}

type modelShowCmd struct {
	File string `arg:"" name:"FILE" help:"Model written by scas train or scas cv, or by liblinear."`
	Top  count  `default:"20" placeholder:"N" help:"Number of coefficients and groups to show, the largest first (default ${default})." group:"What is written:"`
	JSON bool   `name:"json" help:"Print one JSON object." group:"What is written:"`
	memoryFlags
}

func (modelShowCmd) Help() string {
	return `Examples:

    scas model show model.json
    scas model show --top 5 --json model.json

A group has features that a graph joins and whose coefficients are equal, up to
sign. The gap is a proved bound on how far the objective of the fit is above the
optimum, as a number and as a share of the objective.

--json prints the keys of scas train --json that a model file has, and in addition
coefficients, largest_groups and keys about the model.

Exit codes: 0 done, 1 cannot read (also for a file that is no model, or a damaged
one), 2 wrong usage, 130 interrupted.`
}

type modelConvertCmd struct {
	In  string `arg:"" name:"IN" help:"Model written by scas train or scas cv, or by liblinear."`
	Out string `arg:"" name:"OUT" help:"File to write."`
	To  string `enum:"auto,liblinear,scas" default:"auto" help:"Form to write: liblinear or scas (default auto: the other form)." group:"What is written:"`
	memoryFlags
}

func (modelConvertCmd) Help() string {
	return `Examples:

    scas model convert model.json model.liblinear
    scas model convert model.liblinear model.json

With a converted model, liblinear-predict makes the same predictions. The form of
liblinear has only coefficients, intercept, loss and labels; the labels must be whole
numbers. Groups, names, the certificate and the description of the run are left out.

Exit codes: 0 done, 1 cannot read or write (also for a model that the other form
cannot hold), 2 wrong usage, 130 interrupted (nothing is written).`
}

// A modelReport describes a model.
type modelReport struct {
	Model    string `json:"model"`
	Positive string `json:"positive_class,omitempty"` // empty unless there are two classes
	Negative string `json:"negative_class,omitempty"`
	problemSummary
	PenaltyName string        `json:"penalty_name,omitempty"`
	Weighted    bool          `json:"weighted,omitempty"` // whether the rows had weights
	Lambda      float64       `json:"lambda"`
	IndexBase   int           `json:"index_base"`
	Table       *modelColumns `json:"table,omitempty"`
	// nil if the model has a column for each class; Classes then has the columns
	*columnReport
	Classes []modelClass `json:"classes,omitempty"`

	named bool // whether the features have names
}

// A modelColumns describes the columns that a model expects in tables.
type modelColumns struct {
	Label  string `json:"label,omitempty"`
	Offset string `json:"offset,omitempty"`
	// The numbers that replace missing values, by the name of the column. If Fill is nil, a missing value is
	// an error. If it is not nil, missing categories are allowed too.
	Fill map[string]float64 `json:"fill,omitzero"`
}

// A columnReport describes a column of coefficients.
type columnReport struct {
	*columnFit
	FeatureCount int                 `json:"-"`
	Coefficients []coefficientReport `json:"coefficients"` // only the largest ones
	// Only the groups with the largest coefficients.
	LargestGroups []groupReport `json:"largest_groups,omitempty"`
}

// Zeros returns the number of coefficients that are zero.
func (r *columnReport) Zeros() int { return r.FeatureCount - r.NNZX }

type modelClass struct {
	Class string `json:"class"`
	*columnReport
}

type coefficientReport struct {
	Feature     string  `json:"feature"`
	Coefficient float64 `json:"coefficient"`
}

type groupReport struct {
	Features    []string `json:"features"`
	Coefficient float64  `json:"coefficient"` // coefficient of the first feature
}

// newModelReport returns a report on a model. For each column it lists the largest coefficients and the
// largest groups, at most top of each, in decreasing order.
func newModelReport(file string, m *model.Model, top int) *modelReport {
	r := &modelReport{
		Model: dataName(file), problemSummary: problemOf(m), PenaltyName: m.Summary.Penalty,
		Weighted: m.Summary.Weighted,
		Lambda:   m.Summary.Lambda, IndexBase: m.IndexBase, named: m.Features != nil,
	}
	if m.LabelColumn != "" || m.OffsetColumn != "" || m.Fill != nil {
		r.Table = &modelColumns{m.LabelColumn, m.OffsetColumn, m.Fill}
	}
	if len(m.Columns) == 1 {
		r.columnReport = newColumnReport(m, 0, top)
		if m.Classifies() {
			r.Positive, r.Negative = m.Classes.Name(1), m.Classes.Name(0)
		}
	}
	for k, class := range columnNames(m) {
		r.Classes = append(r.Classes, modelClass{class, newColumnReport(m, k, top)})
	}
	return r
}

// problemOf returns a summary of the problem that a model solves. A model does not record the groups of a
// group lasso, or whether the graph is a chain.
func problemOf(m *model.Model) problemSummary {
	f, loss := &m.Summary, term.LossOf(m.Loss).Traits()
	s := problemSummary{
		N: f.Rows, P: len(m.Columns[0].Coefficients), NNZ: f.NNZ, LossName: loss.Name,
		LossArgument: loss.Argument.Value,
		Fusion:       f.Fusion,
		Mu:           f.Mu, L2Y: f.MuA, Domain: f.Domain, HasIntercept: m.HasIntercept,
		Standardized: f.Standardized, HasOffsets: f.Offsets,
	}
	s.Graph = graphSummary{Kind: "none", Rows: s.P}
	switch {
	case f.GraphEdges > 0:
		s.Graph = graphSummary{Kind: graph.EdgeList, Edges: f.GraphEdges, Rows: f.GraphEdges + s.P}
	case f.ARows > 0:
		s.Graph = graphSummary{Kind: graph.Matrix, Rows: f.ARows}
	}
	s.grouped = f.Penalty == "group-lasso"
	if f.Penalty == "elastic-net" {
		s.L1Ratio = &f.L1Ratio
	}
	if f.Balanced {
		s.ClassWeights = "balanced"
	}
	return s
}

func newColumnReport(m *model.Model, k, top int) *columnReport {
	column := &m.Columns[k]
	r := &columnReport{
		columnFit: newColumnFit(m, k), FeatureCount: len(column.Coefficients),
		Coefficients: []coefficientReport{},
	}
	// A model of liblinear has no objective, and a model of scas before version 0.2 has no mean loss.
	isFitted, unknown := r.Status != "" || r.Objective != 0, number(math.NaN())
	if r.Loss == 0 && (!isFitted || r.Objective != 0) {
		r.Loss, r.Penalty = unknown, unknown
	}
	if !isFitted {
		r.Objective = unknown
	}
	name := func(j int) string { return coefficientName(m.Features, m.IndexBase, j) }
	for _, j := range largestCoefficients(column.Coefficients, nil, top) {
		r.Coefficients = append(r.Coefficients, coefficientReport{name(j), column.Coefficients[j]})
	}
	groups := largestGroups(column)
	for _, g := range groups[:min(top, len(groups))] {
		group := groupReport{Coefficient: column.Coefficients[g[0]]}
		for _, j := range g {
			group.Features = append(group.Features, name(j))
		}
		r.LargestGroups = append(r.LargestGroups, group)
	}
	return r
}

// largestCoefficients returns the indices of at most count non-zero coefficients, the largest first. The size
// of a coefficient is its absolute value times the scale of its feature, or its absolute value if
// featureScales is nil.
func largestCoefficients(coefficients, featureScales []float64, count int) (order []int) {
	size := func(j int) float64 {
		v := math.Abs(coefficients[j])
		if featureScales != nil {
			v *= featureScales[j]
		}
		return v
	}
	for j, v := range coefficients {
		if v != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	return order[:min(count, len(order))]
}

// largestGroups returns the groups of features with equal coefficients, in decreasing order of the absolute
// coefficient of a group.
func largestGroups(c *model.Column) [][]int {
	size := func(g []int) float64 { return math.Abs(c.Coefficients[g[0]]) }
	groups := slices.Clone(c.Groups)
	slices.SortStableFunc(groups, func(g, h []int) int { return cmp.Compare(size(h), size(g)) })
	return groups
}

func (r *modelReport) headSummary() (f summary) {
	nameText := fmt.Sprintf("counted from %d", r.IndexBase)
	if r.named {
		nameText = "with names"
	}
	f.add("model", "%s: %s loss, %s %s", r.Model, r.lossText(), plural(r.P, "feature"), nameText)
	if t := r.Table; t != nil {
		f.addIf(t.Label != "", "target", "column %s", t.Label)
		f.addIf(t.Offset != "", "offsets", "column %s", t.Offset)
		f.addIf(t.Fill != nil, "missing", "numbers are filled in %s; a missing category is 0 in each feature",
			plural(len(t.Fill), "column"))
	}
	switch {
	case r.Positive != "":
		f.add("labels", "%s is the positive class, %s the negative", r.Positive, r.Negative)
	case r.Classes != nil:
		var classes []string
		for _, m := range r.Classes {
			classes = append(classes, m.Class)
		}
		f.add("labels", "%s, each against the rest: %s", plural(len(classes), "class"), firstNames(classes))
	}
	return f
}

// addFit describes the problem s and the fit of a column.
func (r *columnReport) addFit(f *summary, s *modelReport) {
	text := fmt.Sprintf("lambda %g", s.Lambda)
	if s.N > 0 {
		text = fmt.Sprintf("%s, %s", plural(s.N, "row"), text)
	}
	if s.PenaltyName != "" {
		text += ", " + s.problemText()
	}
	if s.Weighted {
		text += ", rows with weights"
	}
	if s.ClassWeights != "" {
		text += ", balanced classes"
	}
	f.addIf(r.Status != "", "fit", "%s", text)
	f.addIf(r.Run.Method != "", "method", "%s, seed %d", r.Run.Method, r.Run.Seed)
	if r.Status != "" {
		f.add("status", "%s, objective %.10g", statusWord(r.Status), r.Objective)
		f.addIf(r.unproved(), "", "%s", statusMeaning(r.Status))
		addGap(f, r.proof)
	}
	if r.Intercept != nil {
		f.add("intercept", "%.10g", *r.Intercept)
	} else {
		f.add("intercept", "none")
	}
	f.add("non-zeros", "%s of %s coefficients", groupDigits(r.NNZX), groupDigits(r.FeatureCount))
	f.addIf(r.Tied > 0, "groups", "%s of equal coefficients", groupDigits(r.Tied))
}

func (r *modelReport) text() string {
	head := r.headSummary()
	if r.columnReport != nil {
		r.addFit(&head, r)
		return head.String() + r.coefficientText()
	}
	text := head.String()
	if len(r.Classes) > manyClasses {
		return text + "\n" + r.grid().String()
	}
	for _, m := range r.Classes {
		var f summary
		f.add("class", "%s", m.Class)
		m.addFit(&f, r)
		text += "\n" + f.String() + m.coefficientText()
	}
	return text
}

func (r *modelReport) grid() grid {
	rows := make([][]string, len(r.Classes))
	for k, m := range r.Classes {
		largestText := "none"
		if len(m.Coefficients) > 0 {
			largestText = fmt.Sprintf("%s: %.6g", m.Coefficients[0].Feature, m.Coefficients[0].Coefficient)
		}
		rows[k] = slices.Concat([]string{m.Class, groupDigits(m.NNZX)}, m.cells(), []string{largestText})
	}
	return grid{
		slices.Concat([]string{"class", "non-zeros"}, proofColumns, []string{"largest coefficient"}), rows,
	}
}

func (r *columnReport) coefficientText() (text string) {
	if len(r.Coefficients) > 0 {
		rows := make([][]string, len(r.Coefficients))
		for k, c := range r.Coefficients {
			rows[k] = []string{c.Feature, fmt.Sprintf("%.8g", c.Coefficient)}
		}
		text += "\n" + grid{[]string{"feature", "coefficient"}, rows}.String()
	}
	if omitted := r.NNZX - len(r.Coefficients); omitted > 0 {
		text += fmt.Sprintf("and %s more\n", groupDigits(omitted))
	}
	for k, g := range r.LargestGroups {
		if k == 0 {
			text += "\n"
		}
		text += fmt.Sprintf("group of %d at %.8g: %s\n",
			len(g.Features), g.Coefficient, strings.Join(g.Features, ", "))
	}
	if omitted := r.Tied - len(r.LargestGroups); omitted > 0 && len(r.LargestGroups) > 0 {
		text += fmt.Sprintf("and %s more\n", plural(omitted, "group"))
	}
	return text
}

func (c *modelShowCmd) Run(e *env) error {
	m, _, err := readModel(c.File, c.Memory)
	if err != nil {
		return err
	}
	return e.show(c.JSON, newModelReport(c.File, m, int(c.Top)))
}

func (c *modelConvertCmd) Run(e *env) error {
	m, fromLiblinear, err := readModel(c.In, c.Memory)
	if err != nil {
		return err
	}
	format := c.To
	if format == "auto" {
		format = "liblinear"
		if fromLiblinear {
			format = "scas"
		}
	}
	fill := m.Write
	if format == "liblinear" {
		fill = m.WriteLiblinear
		if m.IndexBase == 0 {
			e.warn("liblinear counts features from 1: feature 0 of %s is 1 in %s, and must be in its data",
				c.In, c.Out)
		}
		if words := classWords(m); words != nil {
			e.warn("labels of liblinear are numbers, as they must be in its data: %s", classNumberText(words))
		}
	}
	out := outputs{{"OUT", c.Out, fill}}
	if err := out.check(c.In); err != nil {
		return err
	}
	return out.write(e, func() error {
		return e.print(fmt.Sprintf("%s written as %s: %s\n", filepath.Base(c.In), format, c.Out))
	})
}
