package main

import (
	"fmt"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A fitSpec has the specification of fits, their data, and the memory that they need.
type fitSpec struct {
	data    *sparse.Dataset
	counts  wholeCounts
	spec    model.Spec
	demand  *demand
	exceeds bool // whether the demand exceeds --memory
}

// specify returns the specification of the fits to data. Its callers set spec.Memory, and the fields for
// flags that only one command has, such as --lambda.
func (c *fitFlags) specify(data *sparse.Dataset, counts wholeCounts, load workload) (*fitSpec, error) {
	_, p := data.X.Dims()
	out := &fitSpec{data: data, counts: counts}
	out.spec = model.Spec{
		Comm: c.ranks.solverComm(),
		Loss: c.Loss.Loss, IndexBase: int(data.Stats.IndexBase - sparse.ZeroBased),
		Balanced:    c.ClassWeights == "balanced",
		NoIntercept: !c.Intercept,
		Settings:    load.settings,
	}
	if c.Standardize != nil {
		out.spec.Standardize = model.StandardizeOff
		if *c.Standardize {
			out.spec.Standardize = model.StandardizeOn
		}
	}
	out.demand = c.demand(out, load)
	if p > exact.DenseFeatures && int64(p) > data.X.NNZ() && c.Memory.exceededBy(out.demand) {
		return nil, c.Memory.refuse(out.demand) // before a graph and bounds for p features need memory
	}
	if c.SampleWeights != "" {
		weights, err := readWeights(c.SampleWeights, counts.portion)
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
	if err := readOffsets(c.Offset, data, counts.portion); err != nil {
		return nil, err
	}
	out.spec.Offsets = data.Offsets
	if err := out.setNames(c.Names); err != nil {
		return nil, err
	}
	if err := out.setGraph(c); err != nil {
		return nil, c.withGraphAdvice(err, data)
	}
	if err := out.setPenalty(c); err != nil {
		return nil, err
	}
	out.exceeds = c.Memory.exceededBy(out.demand)
	return out, nil
}

func (s *fitSpec) featureCount() int {
	_, p := s.data.X.Dims()
	return p
}

func (s *fitSpec) outOfCore() bool { return s.spec.Memory > 0 }

// demand returns the memory that the fits of s need. The caller may still change s, because the function
// demand.inMemoryBytes reads s only when it is called.
func (c *fitFlags) demand(s *fitSpec, load workload) *demand {
	n, p := s.data.X.Dims()
	return &demand{
		work: fmt.Sprintf("fitting %s and %s of %s", plural(n, "row"), plural(p, "feature"),
			dataName(c.file)),
		data: s.data, keptBytes: c.keptBytes(s.data, load),
		obstacle: c.obstacle(s.data, load.settings.Method), featuresGiven: c.Features != 0,
		distributed: c.ranks.comm != nil,
		inMemoryBytes: func() float64 {
			fits := load.fits
			fits.Classes = len(s.data.Classes.Values)
			labelBytes := 8 * int64(n) // for the original labels; see Dataset.OriginalLabels
			need := float64(dataBytes(s.data) + labelBytes + s.spec.EstimateMemory(s.data.X, fits))
			if load.scored {
				need += scoreBytes(n, fitsOf(s.data))
			}
			return need
		},
	}
}

// bytesOfScore is the number of bytes for each row and class while a model is scored: a margin, a
// probability, and a score that the AUC sorts.
const bytesOfScore = 24

// scoreBytes returns the bytes needed to score a model on all rows at once, the confusion table included.
func scoreBytes(rows, classes int) float64 {
	k := float64(max(1, classes))
	return float64(bytesOfScore*k*float64(rows)) + float64(8*k*k)
}

// obstacle returns the reason why method cannot fit the data out of core, or nil if no reason is known
// before the fit.
func (c *fitFlags) obstacle(data *sparse.Dataset, method solver.Method) error {
	_, columns := data.X.Dims()
	if c.Intercept {
		columns++
	}
	switch {
	case method == nil && columns > exact.DenseFeatures:
		return fmt.Errorf("%w: up to %s coefficients are streamed, the intercept among them; scas train --method scas-k and scas-l take more, with --no-intercept and --no-standardize", rows.ErrNotStreamed, groupDigits(exact.DenseFeatures))
	case !data.X.Mapped() && c.ranks.comm != nil:
		return fmt.Errorf("%w: the rows of a rank must be in one .scas file, which scas convert writes, for all ranks or for each", rows.ErrNotStreamed)
	case !data.X.Mapped():
		return errNotMapped
	}
	return nil
}

// keptBytes returns the number of bytes that a command out of core keeps in memory for models, and for
// vectors with an entry for each row.
func (c *fitFlags) keptBytes(data *sparse.Dataset, load workload) int64 {
	n, p := data.X.Dims()
	bytesOfRow, modelCount := c.ranks.bytesOfRow, 0
	if c.SampleWeights != "" || c.ClassWeights != "none" {
		bytesOfRow += 16
		if load.fits.Folds > 0 { // the weights of the rows outside a fold
			bytesOfRow += 16
		}
	}
	if c.Offset != "" {
		bytesOfRow += 8
	}
	if load.fits.Folds > 0 {
		bytesOfRow += 4
		// Fitted to all rows, and to the rows outside a fold.
		modelCount = 2 * load.fits.Lambdas * fitsOf(data)
	}
	if c.ranks.comm == nil && (c.Positive != nil || c.Labels != "") {
		bytesOfRow += 8
	}
	return bytesOfRow*int64(n) + 8*int64(modelCount)*int64(min(p, exact.DenseFeatures)+1)
}

// setNames sets the names of the features, from the file at path or, if path is empty, from the data.
func (s *fitSpec) setNames(path string) error {
	if path == "" {
		s.spec.Features = s.data.Names
		return nil
	}
	if s.data.Names != nil {
		return usagef("--names is for data without names, and those of DATA are %s", firstNames(s.data.Names))
	}
	lineOf := map[string]int{}
	err := eachLine(path, func(l line) error {
		name := joinWords(l.words)
		if firstLine := lineOf[name]; firstLine != 0 {
			return l.errorAt(0, "%q is the name of line %d already: expected it once", name, firstLine)
		}
		lineOf[name] = l.number
		s.spec.Features = append(s.spec.Features, name)
		return nil
	})
	if n, p := len(s.spec.Features), s.featureCount(); err == nil && n != p {
		err = &sparse.ParseError{
			File: path,
			Msg:  fmt.Sprintf("%s: expected one for each of the %s of the data; --features says how many these are", plural(n, "name"), plural(p, "feature")),
		}
	}
	return err
}

func (s *fitSpec) setGraph(c *fitFlags) error {
	switch c.Graph {
	case "none":
		return nil
	case "chain":
		s.spec.Graph = graph.Chain(s.featureCount())
	default:
		con, err := c.readConstraint(s.data)
		if err != nil {
			return err
		}
		if con.Graph == nil {
			s.spec.A = con.A
			return c.checkMatrix()
		}
		s.spec.Graph = con.Graph
	}
	s.spec.Fusion = float64(c.Fusion)
	return nil
}

// rowsOfA returns the number of rows of the constraint matrix A. edges is the number of edges of the graph,
// or 0 if there is none.
func (s *fitSpec) rowsOfA() (rows, edges int) {
	switch {
	case s.spec.A != nil:
		rows, _ = s.spec.A.Dims()
		return rows, 0
	case s.spec.Graph != nil:
		edges = len(s.spec.Graph.Edges())
	}
	return s.featureCount() + edges, edges
}

// withGraphAdvice returns err, an error in reading the file of --graph. If --features cannot change the
// number of features of data, it replaces the advice to change --features by the advice to correct the file.
func (c *fitFlags) withGraphAdvice(err error, data *sparse.Dataset) error {
	if !c.isTable(c.file) && c.formatOf(c.file) != sparse.NPY && data.Names == nil {
		return err
	}
	return advisedError{
		err,
		func(r sparse.Remedy) (string, bool) { return "correct " + dataName(c.graphFile()), r.Field == "p" },
	}
}

// readConstraint reads the constraint matrix A from the file of --graph, and checks that A has a column for
// each feature.
func (c *fitFlags) readConstraint(data *sparse.Dataset) (con *graph.Constraint, err error) {
	_, p := data.X.Dims()
	kind, path := graph.CutKind(c.Graph)
	if path == "-" {
		con, err = graph.ReadConstraint(c.stdin, path, kind, p)
	} else {
		con, err = graph.ReadConstraintFile(c.Graph, p)
	}
	if err != nil {
		return nil, err
	}
	if rows, _ := con.A.Dims(); rows == 0 {
		return nil, fmt.Errorf("%s: A is 0 x %d; it must have at least one row", path, p)
	}
	if err := linalg.Check("A", con.A); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return con, nil
}

// checkMatrix returns an error if a flag is given that does not apply when the file of --graph is a matrix.
func (c *fitFlags) checkMatrix() error {
	flag := firstGiven([]givenFlag{
		{"--l1-ratio", c.L1Ratio != nil}, {"--penalty-factors", c.PenaltyFactors != ""},
		{"--fusion", c.Fusion != 1},
	})
	if flag == "" {
		return nil
	}
	return usagef("--graph %s is a matrix read as A itself, which takes no %s; give a list of edges, or edges:%[1]s if it is one", c.Graph, flag)
}

// setPenalty sets the penalty, the weights of --mu and --l2y, and the domain of the specification. setNames
// and setGraph must be called before.
func (s *fitSpec) setPenalty(c *fitFlags) error {
	p := s.featureCount()
	s.spec.Mu, s.spec.MuA = float64(c.Mu), float64(c.L2Y)
	if c.Domain.newSet != nil {
		s.spec.Domain = c.Domain.newSet(p)
	}
	if c.Bounds != "" {
		box, err := readBounds(c.Bounds, s.spec.Features, p)
		if err != nil {
			return err
		}
		s.spec.Domain = box
	}
	switch {
	case c.Groups != "":
		member := "feature"
		if c.Graph != "none" {
			member = "row of A"
		}
		rows, _ := s.rowsOfA()
		groups, err := readGroups(c.Groups, rows, member)
		if err != nil {
			return err
		}
		s.spec.Penalty = model.GroupLasso{Groups: groups}
	case c.L1Ratio != nil:
		s.spec.Penalty = model.ElasticNet{L1Ratio: float64(*c.L1Ratio)}
	}
	return nil
}

// coefficientName returns the name of feature j or, if there are no names, its number j + base. j counts
// from 0.
func coefficientName(features []string, base, j int) string {
	if features != nil {
		return features[j]
	}
	return fmt.Sprint(j + base)
}
