package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// shapeFlags are of the models of package solver/model, whatever command fits them.
type shapeFlags struct {
	Intercept   *bool  `negatable:"" help:"Fit a constant beside the coefficients, neither penalised nor in the graph (default: scas path and cv do; train does for tables)."`
	Standardize *bool  `negatable:"" help:"Penalise features on the scale of their standard deviations; the coefficients remain those of the data as given (default: scas path and cv do without a graph, and so does train for tables)."`
	L1Ratio     *share `name:"l1-ratio" placeholder:"F" help:"The elastic net: F |x|_1 + (1-F)/2 |x|^2, 1 being the lasso and 0 ridge regression."`
	Names       string `placeholder:"FILE" help:"Names of the features, one a line, for the model and what is printed."`
	// PenaltyFactors are of the features.
	PenaltyFactors string `placeholder:"FILE" help:"What the penalty of each feature is multiplied by, one number a line: 0 for features that are to be in the model whatever lambda is."`
}

// share is a number of 0 to 1.
type share float64

func (v *share) UnmarshalText(text []byte) error {
	return unmarshal(v, text, func(f float64) bool { return f >= 0 && f <= 1 }, "a number from 0 to 1")
}

// specFlags say what scas path and scas cv fit.
type specFlags struct {
	Loss   lossFlag `default:"logistic" placeholder:"NAME" help:"logistic or squared-hinge, for two classes; squared or huber[:DELTA], for labels that are numbers (default ${default})."`
	Graph  string   `default:"none" placeholder:"none|chain|FILE" help:"The fused lasso: features that the graph joins tend to equal coefficients. chain: neighbours are joined. FILE: a list of edges 'i j [weight]', counted from 1, such as scas graph writes (default ${default})."`
	Fusion positive `default:"1" placeholder:"F" help:"Weight of the graph's part of the penalty beside that of the coefficients (default ${default})."`
	Groups string   `placeholder:"FILE" help:"The group lasso: features of a group are zero together. The file has a group a line, numbers of features counted from 1; a feature in none is a group of its own."`
	shapeFlags
	ClassWeights  string `enum:"none,balanced" default:"none" help:"balanced: both classes count the same, however many rows they have."`
	SampleWeights string `placeholder:"FILE" help:"A weight for every row of DATA, one number a line."`
}

// rowFlags say how DATA is read.
type rowFlags struct {
	indexFlags
	memoryFlags
	Positive *positiveFlag `placeholder:"LABEL" help:"Label of the positive class (default: the larger, of words the later in the alphabet)."`
	Strict   bool          `help:"Refuse rows whose indices are not increasing, instead of sorting them."`
}

// solveFlags say how accurately, how long and on what.
type solveFlags struct {
	Tol       ratio         `default:"1e-6" placeholder:"F" help:"Every fit ends when its objective is proved to be within F times the objective at 0 of the optimum (default ${default})."`
	TimeLimit time.Duration `placeholder:"DURATION" help:"End after so long, such as 90s or 5m: scas path with the lambdas until then, scas cv with nothing."`
	Seed      uint64        `default:"0" placeholder:"N" help:"Seed of what is drawn, such as the folds (default ${default})."`
	Threads   count         `placeholder:"N" help:"Goroutines (default: one per CPU). Any number gives the same bits."`
	Level     level         `placeholder:"L" help:"Kernel level: generic, avx2 or avx512 (default: the best one). All give the same bits."`
}

// inputs are the files that are read beside DATA.
func (c *specFlags) inputs() []string {
	g := c.Graph
	for _, prefix := range []string{"edges:", "matrix:"} {
		g = strings.TrimPrefix(g, prefix)
	}
	return []string{g, c.Groups, c.SampleWeights, c.Names, c.PenaltyFactors}
}

// check refuses flags that do not belong together.
func (c *specFlags) check(positive *positiveFlag) error {
	graph := c.Graph != "none"
	switch {
	case positive != nil && !c.Loss.classifies():
		return usagef("--positive is for two classes; --loss %s takes labels as numbers", c.Loss)
	case c.ClassWeights != "none" && !c.Loss.classifies():
		return usagef("--class-weights %s is for two classes; --loss %s takes labels as numbers", c.ClassWeights, c.Loss)
	case c.ClassWeights != "none" && c.SampleWeights != "":
		return usagef("give either --class-weights or --sample-weights")
	case c.Groups != "" && c.L1Ratio != nil:
		return usagef("give either --groups or --l1-ratio")
	case c.Groups != "" && graph:
		return usagef("give either --groups or --graph")
	case c.Groups != "" && c.PenaltyFactors != "":
		return usagef("give either --groups or --penalty-factors")
	case c.Fusion != 1 && !graph:
		return usagef("--fusion %v is the weight of a graph; give --graph as well", c.Fusion)
	case c.L1Ratio != nil && graph && (c.Intercept == nil || *c.Intercept):
		return usagef("--l1-ratio with --graph is for models without an intercept; give --no-intercept as well")
	}
	return nil
}

// A specified is data and what to fit to them.
type specified struct {
	data  *sparse.Dataset
	y     []float64
	spec  model.Spec
	graph graphFacts
	// groups are of the group lasso.
	groups int
}

// specified is specify, which may wait for files, and the head of the report.
func (c *specFlags) specified(e *env, name string, data *sparse.Dataset, s solveFlags, memory memorySize, fits int) (*specified, problemReport, error) {
	out, err := await(e, func() (*specified, error) { return c.specify(name, data, s, memory, fits) })
	if err != nil {
		return nil, problemReport{}, err
	}
	return out, out.report(name), nil
}

// specify says what to fit to data of that name, of which so many fits go on at once.
func (c *specFlags) specify(name string, data *sparse.Dataset, s solveFlags, memory memorySize, fits int) (*specified, error) {
	_, p := data.X.Dims()
	out := &specified{data: data, y: data.OriginalLabels()}
	out.spec = model.Spec{
		Loss: c.Loss.Loss, IndexBase: int(data.Stats.IndexBase - sparse.ZeroBased), Balanced: c.ClassWeights == "balanced",
		NoIntercept: c.Intercept != nil && !*c.Intercept,
		Settings:    model.Settings{RelTol: float64(s.Tol), TimeLimit: s.TimeLimit, Seed: s.Seed, Threads: int(s.Threads)},
	}
	if !data.Mapping.IsZero() {
		out.spec.Positive = &data.Mapping.Positive
	}
	if c.Standardize != nil {
		out.spec.Standardize = model.StandardizeOff
		if *c.Standardize {
			out.spec.Standardize = model.StandardizeOn
		}
	}
	if err := out.allow(c, name, memory, fits); err != nil {
		return nil, err
	}
	if c.SampleWeights != "" {
		weights, err := readWeights(c.SampleWeights, len(out.y))
		if err != nil {
			return nil, err
		}
		out.spec.SampleWeights = weights
	}
	if c.PenaltyFactors != "" {
		factors, err := readNumbers(c.PenaltyFactors, "factor", p, "feature")
		if err != nil {
			return nil, err
		}
		out.spec.PenaltyFactors = factors
	}
	if err := out.name(c.Names, p); err != nil {
		return nil, err
	}
	if err := out.join(c, p); err != nil {
		return nil, err
	}
	return out, out.penalise(c, p)
}

// allow refuses fits that would not fit into memory.
func (s *specified) allow(c *specFlags, name string, memory memorySize, fits int) error {
	n, p := s.data.X.Dims()
	problem := solver.Problem{Data: s.data.X, Labels: s.data.Labels, Loss: c.Loss.Loss, Penalty: solver.L1{Lambda: 1}}
	need := float64(dataBytes(s.data) + problem.Memory(nil))
	if c.Graph != "none" {
		need += 140 * float64(p) // edges, G, I and [G; I]
	}
	return memory.allow(need*float64(fits), "fitting %s and %s of %s", plural(n, "row"), plural(p, "feature"), dataName(name))
}

// name reads the names of the features.
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
		name := strings.Join(l.words, " ")
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

// join sets the graph.
func (s *specified) join(c *specFlags, p int) error {
	s.graph = graphFacts{Kind: graph.Kind(c.Graph), Rows: p}
	switch c.Graph {
	case "none":
		return nil
	case "chain":
		s.spec.Graph = graph.Chain(p)
	default:
		con, err := graph.ReadConstraintFile(c.Graph, p)
		if err != nil {
			return err
		}
		if con.Graph == nil {
			return usagef("--graph %s is a matrix read as A itself, which is for scas train without --intercept and --standardize; give a list of edges, or edges:%[1]s if it is one", c.Graph)
		}
		s.spec.Graph, s.graph.Kind, s.graph.File = con.Graph, con.Kind, filepath.Base(c.Graph)
	}
	s.graph.Edges = len(s.spec.Graph.Edges())
	s.graph.Rows += s.graph.Edges
	s.spec.Fusion = float64(c.Fusion)
	return nil
}

// penalise sets the penalty.
func (s *specified) penalise(c *specFlags, p int) error {
	switch {
	case c.Groups != "":
		groups, err := readGroups(c.Groups, p, "feature")
		if err != nil {
			return err
		}
		s.spec.Penalty, s.groups = model.GroupLasso{Groups: groups}, len(groups)
	case c.L1Ratio != nil:
		s.spec.Penalty = model.ElasticNet{L1Ratio: float64(*c.L1Ratio)}
	}
	return nil
}

// A problemReport is the head of the reports of fits.
type problemReport struct {
	N     int                `json:"n"`
	P     int                `json:"p"`
	NNZ   int64              `json:"nnz"`
	Table *sparse.TableFacts `json:"table,omitempty"`
	lossFacts
	Graph        graphFacts `json:"graph"`
	Fusion       float64    `json:"fusion,omitempty"`
	Groups       int        `json:"groups,omitempty"`
	L1Ratio      *float64   `json:"l1_ratio,omitempty"`
	HasIntercept bool       `json:"has_intercept"`
	Standardized bool       `json:"standardized"`
	Level        string     `json:"level"`
	Version      string     `json:"scas_version"`
	ReadSeconds  float64    `json:"read_seconds"`
	Seconds      float64    `json:"seconds"`

	name string
	in   *specified
}

// report returns the head of a report about data of that name.
func (s *specified) report(name string) problemReport {
	n, p := s.data.X.Dims()
	r := problemReport{
		N: n, P: p, NNZ: s.data.X.NNZ(), Table: s.data.Table, lossFacts: newLossFacts(lossFlag{s.spec.Loss}), Graph: s.graph, Fusion: s.spec.Fusion, Groups: s.groups,
		HasIntercept: !s.spec.NoIntercept, Level: kernels.Active().String(), Version: version, name: name, in: s,
		Standardized: s.spec.Standardize == model.StandardizeOn || s.spec.Standardize == model.StandardizeAuto && s.spec.Graph == nil,
	}
	if e, ok := s.spec.Penalty.(model.ElasticNet); ok {
		r.L1Ratio = &e.L1Ratio
	}
	return r
}

// addTo says what was fitted.
func (r *problemReport) addTo(f *facts) {
	f.add("data", "%s: %s", dataName(r.name), shape(r.in.data.X))
	addColumns(f, r.in.data)
	if !r.in.data.Mapping.IsZero() {
		f.add("labels", "%s", labelCounts(r.in.data))
	}
	penalty := "lasso"
	switch {
	case r.Groups > 0:
		penalty = fmt.Sprintf("group lasso with %s", plural(r.Groups, "group"))
		if g, ok := r.in.spec.Penalty.(model.GroupLasso); ok && r.P > covered(g.Groups) {
			penalty += fmt.Sprintf(" and %s in none, each its own", plural(r.P-covered(g.Groups), "feature"))
		}
	case r.L1Ratio != nil:
		penalty = fmt.Sprintf("elastic net, %g of it |x|_1", *r.L1Ratio)
	}
	if r.in.spec.Graph != nil {
		penalty += fmt.Sprintf(", fused along %s", plural(r.Graph.Edges, "edge"))
	}
	extras := "no intercept"
	if r.HasIntercept {
		extras = "an intercept"
	}
	if r.Standardized {
		extras += ", features on the scale of their deviations"
	}
	if r.in.spec.PenaltyFactors != nil {
		extras += ", each feature with its penalty factor"
	}
	f.add("model", "%s loss, %s, %s", r.loss(), penalty, extras)
}

// covered is the number of members of disjoint groups.
func covered(groups [][]int) (count int) {
	for _, g := range groups {
		count += len(g)
	}
	return count
}

// coefficientName is that of the feature j, counted from 0.
func coefficientName(features []string, base, j int) string {
	if features != nil {
		return features[j]
	}
	return fmt.Sprint(j + base)
}

// describe tells a model of the data what package model does not know of them.
func (s *specified) describe(m *model.Model) *model.Model {
	if !s.data.Mapping.IsZero() {
		m.Labels = s.data.Mapping // with words
	}
	if t := s.data.Table; t != nil {
		m.Target, m.Fill = t.Label, t.Fill
	}
	return m
}
