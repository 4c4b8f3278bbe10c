package main

import (
	"io"
	"math"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// A graphReport is the result of scas graph.
type graphReport struct {
	Method string `json:"method"`
	Source string `json:"source"` // name of the input file, or "no data"
	graph.Statistics

	Penalty   float64  `json:"penalty,omitempty"`
	Gap       *float64 `json:"gap,omitempty"`       // the duality gap, for method glasso
	Objective *float64 `json:"objective,omitempty"` // for method glasso
	// Smallest absolute correlation of an edge, for method threshold.
	Threshold  float64 `json:"threshold,omitempty"`
	Neighbours int     `json:"neighbours,omitempty"` // neighbours of each feature, for method knn

	Antisym bool    `json:"antisym"`
	Rows    int     `json:"a_rows"`   // number of rows of A
	Lambda1 float64 `json:"lambda_1"` // estimate of the largest eigenvalue of A'A, see linalg.PowerIteration

	Files       []string `json:"files,omitempty"` // paths of the written files
	Seconds     float64  `json:"seconds"`         // time for the correlations, the graph and lambda_1
	ReadSeconds float64  `json:"read_seconds"`    // time for reading, which is not in Seconds
	Peak        int64    `json:"peak_memory"`     // peak memory of the process in bytes; 0 if not known
	Version     string   `json:"scas_version"`

	graph *graph.Graph
	names []string
	theta *sparse.CSR // glasso's estimate of the inverse of the correlations, or of the --correlation table
	a     *sparse.CSR // the matrix A that scas train makes from the output
}

// write writes the edges or the matrix in the form that scas train --graph reads.
func (r *graphReport) write(w io.Writer) error {
	if r.Antisym {
		return r.a.Write(w)
	}
	return r.graph.Write(w)
}

func (r *graphReport) text() string {
	var f summary
	f.add("source", "%s", r.Source)
	switch r.Method {
	case "glasso":
		f.add("method", "sparse inverse covariance selection, penalty %.6g", r.Penalty)
		f.add("", "objective %.10g, duality gap %.2g", *r.Objective, math.Abs(*r.Gap))
	case "threshold":
		f.add("method", "absolute correlations of at least %.6g", r.Threshold)
	case "knn":
		f.add("method", "each feature with the %d most correlated with it", r.Neighbours)
	case "chain":
		f.add("method", "a chain of all features")
	case "recipe":
		f.add("method", "the recipe of published codes")
	}
	f.add("graph", "%s, %s", plural(r.Nodes, "node"), plural(r.Edges, "edge"))
	f.addIf(r.Negative > 0, "", "%s of negative weight", plural(r.Negative, "edge"))
	f.add("components", "%s, the largest of %s", groupDigits(r.Components), plural(r.Largest, "node"))
	f.add("isolated", "%s", plural(r.Isolated, "node"))
	f.add("degree", "at most %s", groupDigits(r.MaxDegree))
	rowText := "a row of G per edge"
	if r.Antisym {
		rowText = "G antisymmetric"
	}
	f.add("A = [G; I]", "%s, %s; largest eigenvalue of A'A %.6g", plural(r.Rows, "row"), rowText, r.Lambda1)
	f.add("time", "%.3g s (reading %.3g s)", r.Seconds, r.ReadSeconds)
	for _, name := range r.Files {
		f.add("", "wrote %s", name)
	}
	return f.String()
}
