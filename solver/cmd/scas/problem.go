package main

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A problemSummary describes the problem that was solved and the size of the data.
type problemSummary struct {
	N   int   `json:"n"`
	P   int   `json:"p"`
	NNZ int64 `json:"nnz"`

	LossName     string  `json:"loss"`
	LossArgument float64 `json:"huber_delta,omitempty"` // argument of any loss; 0 if it has none

	Graph      graphSummary `json:"graph"`
	Fusion     float64      `json:"fusion,omitempty"`
	Groups     int          `json:"groups,omitempty"`
	L1Ratio    *float64     `json:"l1_ratio,omitempty"`
	GroupsFile string       `json:"groups_file,omitempty"`
	// UngroupedRows is the number of features in no group. With --graph, it is the number of rows of A in no
	// group.
	UngroupedRows int     `json:"rows_in_no_group,omitempty"`
	Mu            float64 `json:"mu,omitempty"`
	L2Y           float64 `json:"l2y,omitempty"`
	Domain        string  `json:"domain,omitempty"`
	Bounds        string  `json:"bounds,omitempty"` // name of the file of --bounds
	HasIntercept  bool    `json:"has_intercept"`
	Standardized  bool    `json:"standardized"`
	HasOffsets    bool    `json:"offsets,omitempty"`

	ClassWeights  string `json:"class_weights,omitempty"`
	SampleWeights string `json:"sample_weights,omitempty"` // name of the file of --sample-weights

	grouped bool // whether the penalty is a group lasso
}

// summarise describes the problem of s for reports. s must come from specify, which sets all its fields.
func (c *fitFlags) summarise(s *fitSpec) problemSummary {
	spec, kind := &s.spec, graph.Kind(c.Graph)
	loss := term.LossOf(spec.Loss).Traits()
	rows, edges := s.rowsOfA()
	switch {
	case spec.A != nil:
		kind = graph.Matrix
	case c.graphFile() != "":
		kind = graph.EdgeList
	}
	out := problemSummary{
		N: s.counts.total, P: s.featureCount(), NNZ: s.counts.nnz, LossName: loss.Name,
		LossArgument: loss.Argument.Value,
		Graph:        graphSummary{kind, dataName(c.graphFile()), edges, rows}, Fusion: spec.Fusion,
		Mu: spec.Mu, L2Y: spec.MuA, Domain: c.Domain.text, Bounds: dataName(c.Bounds),
		HasIntercept: !spec.NoIntercept, HasOffsets: spec.Offsets != nil,
		SampleWeights: dataName(c.SampleWeights),
	}
	if spec.Balanced {
		out.ClassWeights = c.ClassWeights
	}
	noGraph := spec.Graph == nil && spec.A == nil
	out.Standardized = spec.Standardize == model.StandardizeOn ||
		spec.Standardize == model.StandardizeAuto && noGraph
	switch penalty := spec.Penalty.(type) {
	case model.GroupLasso:
		out.grouped, out.Groups, out.GroupsFile = true, len(penalty.Groups), dataName(c.Groups)
		out.UngroupedRows = rows - len(slices.Concat(penalty.Groups...))
	case model.ElasticNet:
		out.L1Ratio = &penalty.L1Ratio
	}
	return out
}

// A problemReport is the first part of the reports of train, path and cv.
type problemReport struct {
	problemSummary
	Table *sparse.TableSummary `json:"table,omitempty"`
	rankSummary

	EmptyFeatures int     `json:"features_without_data"` // 0 if the fits are out of core
	Level         string  `json:"level"`
	Version       string  `json:"scas_version"`
	ReadSeconds   float64 `json:"read_seconds"`
	Seconds       float64 `json:"seconds"`
	// Peak memory of this process in bytes; 0 if the system does not report it.
	Peak int64 `json:"peak_memory"`

	file          string
	fitSpec       *fitSpec
	trainingStats trainingStats
}

// A graphSummary describes the constraint matrix A.
type graphSummary struct {
	Kind  graph.Kind `json:"kind"`            // none, chain, edges or matrix
	File  string     `json:"file,omitempty"`  // name of the file without the directory
	Edges int        `json:"edges,omitempty"` // number of edges of a chain or of a list
	Rows  int        `json:"a_rows"`          // number of rows of A
}

// lossText returns the name of the loss with its argument, as --loss takes it.
func (s *problemSummary) lossText() string {
	if s.LossArgument != 0 {
		return fmt.Sprintf("%s:%g", s.LossName, s.LossArgument)
	}
	return s.LossName
}

func (r *problemReport) addTo(f *summary) {
	f.add("data", "%s: %s", dataName(r.file), sizeText(r.N, r.P, r.NNZ))
	r.rankSummary.addTo(f)
	addColumns(f, r.fitSpec.data)
	f.addIf(r.EmptyFeatures > 0, "", "%s without data", plural(r.EmptyFeatures, "feature"))
	classes := r.fitSpec.data.Classes
	switch k := len(classes.Values); {
	case k == 2:
		f.add("labels", "%s", describeClasses(classes, r.fitSpec.counts.classes))
	case k > 2:
		f.add("labels", "%s, each against the rest", plural(k, "class"))
		f.addIf(classes.Names == nil, "", "if they are numbers, not classes, give --loss squared")
	}
	problemText := r.problemText()
	if r.fitSpec.spec.PenaltyFactors != nil {
		problemText += ", each feature with its penalty factor"
	}
	f.add("model", "%s loss, %s", r.lossText(), problemText)
	weightText := "both classes count the same"
	if len(classes.Values) > 2 {
		weightText = "each class counts the same as the rest"
	}
	f.addIf(r.ClassWeights != "", "weights", "%s", weightText)
	f.addIf(r.SampleWeights != "", "weights", "of %s", r.SampleWeights)
}

// problemText describes the penalty, the domain, the intercept, the scales of the features and the offsets.
func (s *problemSummary) problemText() string {
	text := "lasso"
	switch {
	case s.grouped:
		text = "group lasso"
		if s.Groups > 0 { // a model does not record its groups
			text += " with " + plural(s.Groups, "group")
		}
		switch {
		case s.UngroupedRows > 0 && s.Graph.Kind == "none":
			text += fmt.Sprintf(" and %s in none, not penalised", plural(s.UngroupedRows, "feature"))
		case s.UngroupedRows > 0:
			text += fmt.Sprintf(" and %s of A in none, not penalised", plural(s.UngroupedRows, "row"))
		}
	case s.L1Ratio != nil:
		text = fmt.Sprintf("elastic net, %g of it |x|_1", *s.L1Ratio)
	}
	switch s.Graph.Kind {
	case graph.EdgeList, "chain":
		text += fmt.Sprintf(", fused along %s", plural(s.Graph.Edges, "edge"))
	case graph.Matrix:
		text += fmt.Sprintf(" of A x, with %s", plural(s.Graph.Rows, "row"))
	}
	if s.Mu > 0 {
		text += fmt.Sprintf(", mu %g", s.Mu)
	}
	if s.L2Y > 0 {
		text += fmt.Sprintf(" and (%g/2)|A x|^2", s.L2Y)
	}
	if s.Domain != "" {
		text += ", coefficients in " + s.Domain
	}
	if s.Bounds != "" {
		text += ", coefficients in the bounds of " + s.Bounds
	}
	text += map[bool]string{true: ", an intercept", false: ", no intercept"}[s.HasIntercept]
	text += map[bool]string{true: ", standardised", false: ", not standardised"}[s.Standardized]
	if s.HasOffsets {
		text += ", offsets"
	}
	return text
}
