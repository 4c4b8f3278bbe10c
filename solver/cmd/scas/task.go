package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A task is a problem, and what the report and the model tell of it.
type task struct {
	solver.Problem
	data  *sparse.Dataset
	whole wholeFacts
	facts problemFacts
	graph *graph.Graph // of the fused lasso; nil if A is not of one
}

// problemFacts are what the report and the model tell of a problem alike. Files are
// named without their directories.
type problemFacts struct {
	Lambda float64    `json:"lambda"`
	Mu     float64    `json:"mu"`
	Graph  graphFacts `json:"graph"`
	Domain string     `json:"domain,omitempty"`

	// Beside the L1 norm and equal weights; zero for these.
	L2Y           float64 `json:"l2y,omitempty"`
	Groups        int     `json:"groups,omitempty"` // of the group lasso
	GroupsFile    string  `json:"groups_file,omitempty"`
	ClassWeights  string  `json:"class_weights,omitempty"`
	SampleWeights string  `json:"sample_weights,omitempty"` // their file

	N int `json:"n"`
	P int `json:"p"`
}

// graphFacts describe the constraint matrix A.
type graphFacts struct {
	Kind  graph.Kind `json:"kind"`            // none, chain, edges or matrix
	File  string     `json:"file,omitempty"`  // its name, without the directory
	Edges int        `json:"edges,omitempty"` // of a chain or an edge list
	Rows  int        `json:"rows"`            // of A
}

// String describes the graph for people.
func (g graphFacts) String() string {
	switch g.Kind {
	case "none":
		return "none: A = I, the plain lasso"
	case "chain":
		return fmt.Sprintf("chain of %s: A = [G; I] with %s", plural(g.Edges, "edge"), plural(g.Rows, "row"))
	case "edges":
		return fmt.Sprintf("%s, %s: A = [G; I] with %s", g.File, plural(g.Edges, "edge"), plural(g.Rows, "row"))
	}
	return fmt.Sprintf("%s, read as A itself: %s", g.File, plural(g.Rows, "row"))
}

// task builds the problem of the flags on data.
func (c *trainCmd) task(data *sparse.Dataset, whole wholeFacts) (*task, error) {
	if err := c.allowConstraint(data); err != nil {
		return nil, err
	}
	_, p := data.X.Dims()
	t := &task{
		Problem: solver.Problem{Data: data.X, Labels: data.Labels, Loss: c.Loss.Loss, L2: float64(c.Mu), Domain: c.Domain.in(p), Comm: c.ranks.joined()},
		data:    data,
		whole:   whole,
		facts:   problemFacts{Lambda: float64(c.Lambda), Mu: float64(c.Mu), Domain: c.Domain.text, N: whole.of, P: p},
	}
	for _, set := range []func(*task) error{c.constrain, c.penalise, c.weigh} {
		if err := set(t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// constrain sets A.
func (c *trainCmd) constrain(t *task) error {
	facts := &t.facts.Graph
	con := c.constraint
	if con == nil {
		con = &graph.Constraint{Kind: graph.Kind(c.Graph)}
	}
	switch c.Graph {
	case "none":
		facts.Kind, facts.Rows = con.Kind, t.facts.P
		return nil
	case "chain":
		con.Graph = graph.Chain(t.facts.P)
		con.A = con.Graph.FusedLasso()
	default:
		facts.File = filepath.Base(c.Graph)
	}
	t.Constraint, t.graph, facts.Kind = con.A, con.Graph, con.Kind
	facts.Rows, _ = con.A.Dims()
	if con.Graph != nil {
		facts.Edges = len(con.Graph.Edges())
	}
	return c.drawable(con.Graph)
}

// readConstraint reads a file of --graph, and checks that it is one for the data.
func readConstraint(path string, data *sparse.Dataset) (*graph.Constraint, error) {
	_, p := data.X.Dims()
	con, err := graph.ReadConstraintFile(path, p)
	if err != nil {
		return nil, err
	}
	probe := solver.Problem{Data: data.X, Labels: data.Labels, Loss: solver.Squared{}, Constraint: con.A} // which takes any labels
	if err := probe.Validate(); err != nil {
		return nil, fmt.Errorf("%s: A %s", path, strings.TrimPrefix(err.Error(), "solver: Problem.Constraint "))
	}
	return con, nil
}

// penalise sets g, a function of as many coordinates as A has rows.
func (c *trainCmd) penalise(t *task) error {
	lambda := float64(c.Lambda)
	switch {
	case c.Groups != "":
		of := "feature"
		if t.facts.Graph.Kind != "none" {
			of = "row of A"
		}
		groups, err := readGroups(c.Groups, t.facts.Graph.Rows, of)
		if err != nil {
			return err
		}
		t.Penalty = solver.GroupL2{Lambda: lambda, Groups: groups}
		t.facts.Groups, t.facts.GroupsFile = len(groups), filepath.Base(c.Groups)
	case c.L2Y != 0:
		t.facts.L2Y = float64(c.L2Y)
		t.Penalty = solver.ElasticNet{L1: lambda, L2: t.facts.L2Y}
	default:
		t.Penalty = solver.L1{Lambda: lambda}
	}
	return nil
}

// weigh sets the sample weights.
func (c *trainCmd) weigh(t *task) (err error) {
	switch {
	case c.ClassWeights == "balanced":
		t.Problem.SampleWeights = c.ranks.team.Balanced(t.Labels)
		t.facts.ClassWeights = c.ClassWeights
	case c.SampleWeights != "":
		t.Problem.SampleWeights, err = readWeights(c.SampleWeights, t.whole.portion)
		t.facts.SampleWeights = filepath.Base(c.SampleWeights)
	}
	return err
}
