package main

import (
	"path/filepath"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A task is a problem, and what the report and the model tell of it.
type task struct {
	solver.Problem
	data  *sparse.Dataset
	facts problemFacts
}

// problemFacts are what the report and the model tell of a problem alike.
type problemFacts struct {
	Lambda float64    `json:"lambda"`
	Mu     float64    `json:"mu"`
	Graph  graphFacts `json:"graph"`
	Domain string     `json:"domain,omitempty"`
	penaltyFacts
	weightFacts
	N int `json:"n"`
	P int `json:"p"`
}

// graphFacts describe the constraint matrix A.
type graphFacts struct {
	Kind  string `json:"kind"`            // none, chain, edges or matrix
	File  string `json:"file,omitempty"`  // its name, without the directory
	Edges int    `json:"edges,omitempty"` // of a chain or an edge list
	Rows  int    `json:"rows"`            // of A
}

// penaltyFacts describe the penalty beside lambda; all zero for the L1 norm.
type penaltyFacts struct {
	L2Y    float64 `json:"l2y,omitempty"`
	Groups int     `json:"groups,omitempty"`      // of the group lasso
	File   string  `json:"groups_file,omitempty"` // their file, without the directory
}

// weightFacts describe the sample weights; all zero if there are none.
type weightFacts struct {
	Classes string `json:"class_weights,omitempty"`
	File    string `json:"sample_weights,omitempty"` // without the directory
}

// task builds the problem of the flags on data.
func (c *trainCmd) task(data *sparse.Dataset) (*task, error) {
	n, p := data.X.Dims()
	t := &task{data: data, facts: problemFacts{Lambda: float64(c.Lambda), Mu: float64(c.Mu), Domain: c.Domain.text, N: n, P: p}, Problem: solver.Problem{
		Data: data.X, Labels: data.Labels, Loss: c.Loss.Loss, L2: float64(c.Mu), Domain: c.Domain.in(p),
	}}
	if err := c.constrain(t, p); err != nil {
		return nil, err
	}
	if err := c.penalise(t); err != nil {
		return nil, err
	}
	return t, c.weigh(t)
}

// constrain sets A.
func (c *trainCmd) constrain(t *task, p int) error {
	t.facts.Graph = graphFacts{Kind: c.Graph, Rows: p}
	switch c.Graph {
	case "none":
		return nil
	case "chain":
		g := graph.Chain(p)
		a := g.FusedLasso()
		t.Constraint, t.facts.Graph.Edges = a, len(g.Edges())
		t.facts.Graph.Rows, _ = a.Dims()
		return nil
	}
	con, err := graph.ReadConstraintFile(c.Graph, p)
	if err != nil {
		return err
	}
	t.Constraint = con.A
	t.facts.Graph.Kind, t.facts.Graph.File = string(con.Kind), filepath.Base(c.Graph)
	t.facts.Graph.Rows, _ = con.A.Dims()
	if con.Graph != nil {
		t.facts.Graph.Edges = len(con.Graph.Edges())
	}
	return nil
}

// penalise sets g, a function of as many coordinates as A has rows.
func (c *trainCmd) penalise(t *task) error {
	lambda := float64(c.Lambda)
	switch {
	case c.Groups != "":
		groups, err := readGroups(c.Groups, t.facts.Graph.Rows)
		if err != nil {
			return err
		}
		t.Penalty = solver.GroupL2{Lambda: lambda, Groups: groups}
		t.facts.penaltyFacts = penaltyFacts{Groups: len(groups), File: filepath.Base(c.Groups)}
	case c.L2Y != 0:
		t.facts.penaltyFacts = penaltyFacts{L2Y: float64(c.L2Y)}
		t.Penalty = solver.ElasticNet{L1: lambda, L2: float64(c.L2Y)}
	default:
		t.Penalty = solver.L1{Lambda: lambda}
	}
	return nil
}

// weigh sets the sample weights.
func (c *trainCmd) weigh(t *task) (err error) {
	switch {
	case c.ClassWeights == "balanced":
		t.SampleWeights = solver.BalancedWeights(t.Labels)
		t.facts.weightFacts.Classes = c.ClassWeights
	case c.SampleWeights != "":
		t.SampleWeights, err = readWeights(c.SampleWeights, len(t.Labels))
		t.facts.weightFacts.File = filepath.Base(c.SampleWeights)
	}
	return err
}
