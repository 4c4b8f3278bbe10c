package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/stream"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A specified has the specification of fits, with the data and the memory that they need.
type specified struct {
	data       *sparse.Dataset
	whole      wholeCounts
	spec       model.Spec
	graph      graphSummary
	groups     int // number of groups of the group lasso
	groupsFile string
	domain     string  // the value of --domain
	bounds     string  // the file of --bounds, without the directory
	demand     *demand // memory that the fits need
	exceeds    bool    // whether the demand exceeds --memory
}

// specify returns the specification of the fits to data. It does not set the fields that depend on whether
// the fits are out of core.
func (c *fitFlags) specify(data *sparse.Dataset, whole wholeCounts, of fits) (*specified, error) {
	_, p := data.X.Dims()
	out := &specified{data: data, whole: whole}
	out.spec = model.Spec{
		Comm: c.ranks.joined(),
		Loss: c.Loss.Loss, IndexBase: int(data.Stats.IndexBase - sparse.ZeroBased), Balanced: c.ClassWeights == "balanced",
		NoIntercept: c.Intercept != nil && !*c.Intercept,
		Settings:    of.settings,
	}
	if c.Standardize != nil {
		out.spec.Standardize = model.StandardizeOff
		if *c.Standardize {
			out.spec.Standardize = model.StandardizeOn
		}
	}
	out.demand = c.demand(out, of)
	if p > mostStreamed && int64(p) > data.X.NNZ() && c.Memory.exceeds(out.demand) {
		return nil, c.Memory.refuse(out.demand) // before the graph and the bounds of p features need memory
	}
	if c.SampleWeights != "" {
		weights, err := readWeights(c.SampleWeights, whole.portion)
		if err != nil {
			return nil, err
		}
		out.spec.SampleWeights = weights
	}
	if c.PenaltyFactors != "" {
		factors, err := readNumbers(c.PenaltyFactors, "factor", false, p, "feature")
		if err != nil {
			return nil, err
		}
		out.spec.PenaltyFactors = factors
	}
	if err := readOffsets(c.Offset, data, whole.portion); err != nil {
		return nil, err
	}
	out.spec.Offsets = data.Offsets
	if err := out.name(c.Names, p); err != nil {
		return nil, err
	}
	if err := out.join(&c.specFlags, p); err != nil {
		return nil, err
	}
	if err := out.penalise(&c.specFlags, p); err != nil {
		return nil, err
	}
	out.exceeds = c.Memory.exceeds(out.demand)
	return out, nil
}

// features returns the number of features of the data.
func (s *specified) features() int {
	_, p := s.data.X.Dims()
	return p
}

// outOfCore reports whether the fits are out of core.
func (s *specified) outOfCore() bool { return s.spec.Memory > 0 }

// demand returns the memory that the fits of s need. The estimate reads the fields of s only when it is
// asked for, so fields may be set after this call.
func (c *fitFlags) demand(s *specified, of fits) *demand {
	n, p := s.data.X.Dims()
	return &demand{
		work: fmt.Sprintf("fitting %s and %s of %s", plural(n, "row"), plural(p, "feature"), dataName(c.file)),
		data: s.data, kept: c.keeps(s.data, of), notStreamed: c.notStreamed(s.data, of.settings.Method), stated: c.Features != 0, shared: c.ranks.comm != nil,
		inMemory: func() float64 {
			count := of.count
			count.Classes = len(s.data.Classes.Values)
			labels := 8 * int64(n) // the original labels, see Dataset.OriginalLabels
			need := float64(dataBytes(s.data) + labels + s.spec.EstimateMemory(s.data.X, count))
			if of.scored {
				need += scoreBytes(n, count.Classes)
			}
			return need
		},
	}
}

// bytesOfScore is the number of bytes for each row and class while a model is scored. They hold a margin, the
// probability of the class, and the score that the AUC sorts.
const bytesOfScore = 24

// scoreBytes returns the bytes needed to score a model on all rows at once, with the table of confusions.
func scoreBytes(rows, classes int) float64 {
	k := float64(max(1, classes))
	return float64(bytesOfScore*k*float64(rows)) + float64(8*k*k)
}

// notStreamed returns the reason why a method cannot fit out of core, if it is known before the fit.
func (c *fitFlags) notStreamed(data *sparse.Dataset, method solver.Method) error {
	_, p := data.X.Dims()
	why := ""
	switch {
	case !data.X.Mapped() && c.ranks.comm != nil:
		why = "the rows of a rank must be in one .scas file, which scas convert writes, for all ranks or for each"
	case !data.X.Mapped():
		why = "they must be in a .scas file, which scas convert writes"
	case method == nil && p >= mostStreamed && (p > mostStreamed || c.Intercept == nil || *c.Intercept):
		why = fmt.Sprintf("up to %s coefficients are streamed, the intercept among them; scas train --method scas-k and scas-l take more, with --no-intercept and --no-standardize", grouped(mostStreamed))
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", stream.ErrNotStreamed, why)
}

// mostStreamed is the largest number of coefficients that Newton's method can fit out of core.
const mostStreamed = 2048

// keeps returns the bytes that out-of-core fits keep in memory. They are for weights of rows, offsets, folds
// and models, and for labels if they differ from the labels in the file.
func (c *fitFlags) keeps(data *sparse.Dataset, of fits) int64 {
	n, p := data.X.Dims()
	ofRow, models := c.ranks.ofRow, 0
	if c.SampleWeights != "" || c.ClassWeights != "none" {
		ofRow += 16
		if of.count.Folds > 0 { // the weights of the rows that are not held out
			ofRow += 16
		}
	}
	if c.Offset != "" {
		ofRow += 8
	}
	if of.count.Folds > 0 {
		ofRow++
		models = 2 * of.count.Lambdas * max(1, len(data.Classes.Values)) // the models fitted to all rows, and the models fitted without a fold
	}
	if c.ranks.comm == nil && (c.Positive != nil || c.Labels != "") {
		ofRow += 8
	}
	return ofRow*int64(n) + 8*int64(models)*int64(min(p, mostStreamed)+1)
}

// name sets the names of the features. They come from the file at path, or from the data if path is empty.
func (s *specified) name(path string, p int) error {
	if path == "" {
		s.spec.Features = s.data.Names
		return nil
	}
	lines, err := readLines(path)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for _, l := range lines {
		name := spaced(l.words)
		if first := seen[name]; first != 0 {
			return l.errorAt(0, "%q is the name of line %d already: expected it once", name, first)
		}
		seen[name] = l.number
		s.spec.Features = append(s.spec.Features, name)
	}
	if len(s.spec.Features) != p {
		return &sparse.ParseError{File: path, Msg: fmt.Sprintf("%s: expected one for each of the %s of the data; --features says how many these are", plural(len(lines), "name"), plural(p, "feature"))}
	}
	return nil
}

// join sets the graph, or the matrix A, of the specification.
func (s *specified) join(c *specFlags, p int) error {
	s.graph = graphSummary{Kind: graph.Kind(c.Graph), Rows: p}
	switch c.Graph {
	case "none":
		return nil
	case "chain":
		s.spec.Graph = graph.Chain(p)
	default:
		con, err := readConstraint(c.Graph, s.data)
		if err != nil {
			return err
		}
		s.graph.Kind, s.graph.File = con.Kind, filepath.Base(c.Graph)
		if con.Graph == nil {
			s.spec.A = con.A
			s.graph.Rows, _ = con.A.Dims()
			return c.checkMatrix()
		}
		s.spec.Graph = con.Graph
	}
	s.graph.Edges = len(s.spec.Graph.Edges())
	s.graph.Rows += s.graph.Edges
	s.spec.Fusion = float64(c.Fusion)
	return nil
}

// readConstraint reads the file of --graph and checks that A has a column for each feature.
func readConstraint(path string, data *sparse.Dataset) (*graph.Constraint, error) {
	_, p := data.X.Dims()
	con, err := graph.ReadConstraintFile(path, p)
	if err != nil {
		return nil, err
	}
	probe := solver.Problem{Data: data.X, Labels: data.Labels, Loss: solver.Squared{}, Constraint: con.A} // the squared loss accepts any labels
	if err := probe.Validate(); err != nil {
		return nil, fmt.Errorf("%s: A %s", path, strings.TrimPrefix(pkgerr.Text(err), "Problem.Constraint "))
	}
	return con, nil
}

// checkMatrix returns an error if a flag cannot be combined with a matrix A.
func (c *specFlags) checkMatrix() error {
	flag := ""
	switch {
	case c.L1Ratio != nil:
		flag = "--l1-ratio"
	case c.PenaltyFactors != "":
		flag = "--penalty-factors"
	case c.Fusion != 1:
		flag = "--fusion"
	default:
		return nil
	}
	return usagef("--graph %s is a matrix read as A itself, which takes no %s; give a list of edges, or edges:%[1]s if it is one", c.Graph, flag)
}

// penalise sets the penalty, the weights of the ridges and the domain of the specification, whose features
// have their names.
func (s *specified) penalise(c *specFlags, p int) error {
	s.spec.Mu, s.spec.MuA, s.spec.Domain, s.domain = float64(c.Mu), float64(c.L2Y), c.Domain.in(p), c.Domain.text
	if c.Bounds != "" {
		box, err := readBounds(c.Bounds, s.spec.Features, p)
		if err != nil {
			return err
		}
		s.spec.Domain, s.bounds = box, filepath.Base(c.Bounds)
	}
	switch {
	case c.Groups != "":
		of := "feature"
		if c.Graph != "none" {
			of = "row of A"
		}
		groups, err := readGroups(c.Groups, s.graph.Rows, of)
		if err != nil {
			return err
		}
		s.spec.Penalty, s.groups, s.groupsFile = model.GroupLasso{Groups: groups}, len(groups), filepath.Base(c.Groups)
	case c.L1Ratio != nil:
		s.spec.Penalty = model.ElasticNet{L1Ratio: float64(*c.L1Ratio)}
	}
	return nil
}

// A problemSummary describes the problem that was solved and the size of the data.
type problemSummary struct {
	N   int   `json:"n"`
	P   int   `json:"p"`
	NNZ int64 `json:"nnz"`
	lossName
	Graph        graphSummary `json:"graph"`
	Fusion       float64      `json:"fusion,omitempty"`
	Groups       int          `json:"groups,omitempty"`
	L1Ratio      *float64     `json:"l1_ratio,omitempty"`
	GroupsFile   string       `json:"groups_file,omitempty"`
	Ungrouped    int          `json:"rows_in_no_group,omitempty"` // rows of A; features if there is no graph
	Mu           float64      `json:"mu,omitempty"`
	L2Y          float64      `json:"l2y,omitempty"`
	Domain       string       `json:"domain,omitempty"`
	Bounds       string       `json:"bounds,omitempty"` // name of the file
	HasIntercept bool         `json:"has_intercept"`
	Standardized bool         `json:"standardized"`
	Offsets      bool         `json:"offsets,omitempty"`

	ClassWeights  string `json:"class_weights,omitempty"`
	SampleWeights string `json:"sample_weights,omitempty"` // name of the file
}

// A problemReport is the first part of the reports of train, path and cv.
type problemReport struct {
	problemSummary
	Table *sparse.TableSummary `json:"table,omitempty"`
	*rankSummary

	Empty       int     `json:"features_without_data"` // 0 if the fits are out of core
	Level       string  `json:"level"`
	Version     string  `json:"scas_version"`
	ReadSeconds float64 `json:"read_seconds"`
	Seconds     float64 `json:"seconds"`
	Peak        int64   `json:"peak_memory"` // peak memory of this process in bytes; 0 if the system does not report it

	name string
	in   *specified
}

// A graphSummary describes the constraint matrix A.
type graphSummary struct {
	Kind  graph.Kind `json:"kind"`            // none, chain, edges or matrix
	File  string     `json:"file,omitempty"`  // name of the file without the directory
	Edges int        `json:"edges,omitempty"` // edges of a chain or of a list
	Rows  int        `json:"a_rows"`          // number of rows of A
}

// A lossName names a loss.
type lossName struct {
	LossName   string  `json:"loss"`
	HuberDelta float64 `json:"huber_delta,omitempty"` // argument of any loss; named when only Huber had an argument
}

func newLossName(loss solver.Loss) lossName {
	t := term.LossOf(loss).Traits()
	return lossName{t.Name, t.Argument.Value}
}

func (l lossName) loss() string {
	if l.HuberDelta != 0 {
		return fmt.Sprintf("%s:%g", l.LossName, l.HuberDelta)
	}
	return l.LossName
}

// report returns the first part of a report. name is the name of the data file.
func (s *specified) report(name string) problemReport {
	_, p := s.data.X.Dims()
	r := problemReport{
		problemSummary: problemSummary{
			N: s.whole.total, P: p, NNZ: s.whole.nnz, lossName: newLossName(s.spec.Loss), Graph: s.graph, Fusion: s.spec.Fusion, Groups: s.groups,
			Mu: s.spec.Mu, L2Y: s.spec.MuA, Domain: s.domain, Bounds: s.bounds, HasIntercept: !s.spec.NoIntercept, Offsets: s.spec.Offsets != nil,
			Standardized: s.spec.Standardize == model.StandardizeOn || s.spec.Standardize == model.StandardizeAuto && s.spec.Graph == nil && s.spec.A == nil,
		},
		Table: s.data.Table, Level: kernels.Active().String(), Version: version, name: name, in: s,
	}
	if e, ok := s.spec.Penalty.(model.ElasticNet); ok {
		r.L1Ratio = &e.L1Ratio
	}
	if g, ok := s.spec.Penalty.(model.GroupLasso); ok {
		r.GroupsFile, r.Ungrouped = s.groupsFile, s.graph.Rows-covered(g.Groups)
	}
	return r
}

// addTo adds lines about the data and the problem to a summary.
func (r *problemReport) addTo(f *summary) {
	f.add("data", "%s: %s", dataName(r.name), shapeOf(r.N, r.P, r.NNZ))
	r.rankSummary.addTo(f)
	addColumns(f, r.in.data)
	f.addIf(r.Empty > 0, "", "%s without data", plural(r.Empty, "feature"))
	if !r.in.data.Mapping.IsZero() {
		f.add("labels", "%s", labelCounts(r.in.data.Mapping, r.in.whole.classes))
	}
	if k := len(r.in.data.Classes.Values); k > 0 {
		f.add("labels", "%s, each against the rest", plural(k, "class"))
		f.addIf(r.in.data.Classes.Names == nil, "", "if they are numbers, not classes, give --loss squared")
	}
	penalty := "lasso"
	switch {
	case r.Groups > 0:
		penalty = fmt.Sprintf("group lasso with %s", plural(r.Groups, "group"))
		switch {
		case r.Ungrouped > 0 && r.Graph.Kind == "none":
			penalty += fmt.Sprintf(" and %s in none, not penalised", plural(r.Ungrouped, "feature"))
		case r.Ungrouped > 0:
			penalty += fmt.Sprintf(" and %s of A in none, not penalised", plural(r.Ungrouped, "row"))
		}
	case r.L1Ratio != nil:
		penalty = fmt.Sprintf("elastic net, %g of it |x|_1", *r.L1Ratio)
	}
	switch {
	case r.in.spec.Graph != nil:
		penalty += fmt.Sprintf(", fused along %s", plural(r.Graph.Edges, "edge"))
	case r.in.spec.A != nil:
		penalty += fmt.Sprintf(" of A x, with %s", plural(r.Graph.Rows, "row"))
	}
	if r.Mu > 0 {
		penalty += fmt.Sprintf(", mu %g", r.Mu)
	}
	if r.L2Y > 0 {
		penalty += fmt.Sprintf(" and (%g/2)|A x|^2", r.L2Y)
	}
	if r.Domain != "" {
		penalty += ", coefficients in " + r.Domain
	}
	if r.Bounds != "" {
		penalty += ", coefficients in the bounds of " + r.Bounds
	}
	extras := shapeWords(r.HasIntercept, r.Standardized)
	if r.Offsets {
		extras += ", offsets"
	}
	if r.in.spec.PenaltyFactors != nil {
		extras += ", each feature with its penalty factor"
	}
	f.add("model", "%s loss, %s, %s", r.loss(), penalty, extras)
	addWeights(f, r.ClassWeights, r.SampleWeights)
}

// shapeWords returns a text that says whether there is an intercept and whether features are standardised.
func shapeWords(intercept, standardized bool) string {
	words := "no intercept, "
	if intercept {
		words = "an intercept, "
	}
	if standardized {
		return words + "standardised"
	}
	return words + "not standardised"
}

// addWeights adds lines about the weights of the rows, if they have weights.
func addWeights(f *summary, classes, samples string) {
	f.addIf(classes != "", "weights", "both classes count the same")
	f.addIf(samples != "", "weights", "of %s", samples)
}

// covered returns the total number of members of disjoint groups.
func covered(groups [][]int) (count int) {
	for _, g := range groups {
		count += len(g)
	}
	return count
}

// coefficientName returns the name of feature j, or its number if there are no names. j counts from 0.
func coefficientName(features []string, base, j int) string {
	if features != nil {
		return features[j]
	}
	return fmt.Sprint(j + base)
}

// ofClass rewords an error of the fits of several classes. The new text has the first error, with the name of
// the class in the data, and the number of other errors. It returns any other err unchanged.
func (s *specified) ofClass(err error) error {
	if err == nil {
		return nil
	}
	first, others, where := err, "", ""
	if all, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		first, where = all.Unwrap()[0], strings.TrimSuffix(err.Error(), all.Error()) // text before the errors, such as the lambda
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
