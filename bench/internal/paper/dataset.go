// Package paper runs the experiments of Zhao, Li and Zhou, "Scalable Stochastic Alternating
// Direction Method of Multipliers", with all methods of this module except solver.Auto, and stores the
// results as records. Package report makes the page, the tables and the figures from the records. Read
// Protocol, Experiment and Records first.
package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// A Spec describes a data set of the experiments.
type Spec struct {
	Name     string
	Files    []File // possible files; the first that exists is read
	Features int
	Lambda   float64
	// MakeGraph makes the graph over the features from all samples x. GraphText says in words how.
	MakeGraph func(x *sparse.CSR) (*graph.Graph, error)
	GraphText string
}

// A File is a file with the samples of a data set.
type File struct {
	Path     string // relative to the data directory
	Origin   string // where the data come from, in words
	Original bool   // whether this is the data set of the paper, not a stand-in
}

// Specs describes the four data sets of the paper, with the lambda of the paper. Some files are stand-ins;
// see File.Original.
func Specs() []Spec {
	const a9a, covtype, rcv1 = "LIBSVM a9a, 32,561 samples", "LIBSVM covtype.binary, scaled, 581,012 samples", "LIBSVM rcv1_train.binary, 20,242 samples"
	return []Spec{
		{
			Name: "a9a", Features: 123, Lambda: 1e-5, MakeGraph: publishedGraph,
			GraphText: "published recipe, all samples",
			Files:     []File{{"paper/a9a.zst", a9a, true}, {"a9a.zst", a9a, true}, {"a9a", a9a, true}},
		},
		{
			Name: "covtype", Features: 54, Lambda: 1e-5, MakeGraph: publishedGraph,
			GraphText: "published recipe, all samples",
			Files: []File{
				{"paper/covtype.libsvm.binary.scale.zst", covtype, true},
				{"covtype.libsvm.binary.scale.bz2", covtype, true},
			},
		},
		{
			Name: "rcv1", Features: 47236, Lambda: 1e-4, MakeGraph: selection(graph.CovarianceOf, 2e-4),
			// The published recipe joins features whose covariance is above a threshold; rcv1 has no such
			// pair.
			GraphText: "sparse inverse covariance selection at penalty 0.0002, all samples (the published recipe leaves no edge)",
			Files: []File{
				{"paper/rcv1_train.binary.zst", rcv1, true}, {"rcv1_train.binary.bz2", rcv1, true},
				{"rcv1_train.binary", rcv1, true},
				{
					"paper/rcv1v2_binary_train.libsvm.zst",
					"stand-in for rcv1_train.binary: documents of RCV1-v2, same features, weights and labelling rule, as many samples, other documents",
					false,
				},
			},
		},
		{
			Name: "sido", Features: 4932, Lambda: 1e-4, MakeGraph: selection(graph.CorrelationOf, 0.7),
			GraphText: "sparse inverse covariance selection on correlations at penalty 0.7, all samples (the published recipe does not end in reasonable time)",
			Files: []File{
				{
					"paper/hivfp_train.libsvm.zst",
					"stand-in for sido: 12,678 molecules tested against HIV by 4,932 binary fingerprints",
					false,
				},
			},
		},
	}
}

// publishedGraph makes the graph by the recipe of the codes that were published with related papers.
func publishedGraph(x *sparse.CSR) (*graph.Graph, error) {
	c, err := graph.CovarianceOf(x)
	if err != nil {
		return nil, err
	}
	return graph.PublishedRecipe(c, 0)
}

// selection returns a function that makes the graph by sparse inverse covariance selection with the given
// penalty.
func selection(
	covariance func(x *sparse.CSR) (*graph.Covariance, error), penalty float64,
) func(x *sparse.CSR) (*graph.Graph, error) {
	return func(x *sparse.CSR) (*graph.Graph, error) {
		c, err := covariance(x)
		if err != nil {
			return nil, err
		}
		r, err := glasso.Estimate(c, glasso.Options{Penalty: penalty})
		if err != nil {
			return nil, err
		}
		return r.Graph(nil), nil
	}
}

// Data is a data set in memory.
type Data struct {
	Spec
	X      *sparse.CSR
	Labels []float64
	// A has the rows of graph.Graph.Antisymmetric that are not empty, and below them the rows of I.
	A       *sparse.CSR
	summary *DataSummary
}

// Find returns the first of s.Files that exists in dir.
func (s Spec) Find(dir string) (file File, err error) {
	var names []string
	for _, f := range s.Files {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path))); err == nil {
			return f, nil
		}
		names = append(names, f.Path)
	}
	return File{}, fmt.Errorf("paper: data set %s: none of %s is in %s; `make data` fetches a9a and covtype, others are taken where they are", s.Name, strings.Join(names, ", "), dir)
}

// Load reads the data set from dir and makes the graph and Data.A.
func (s Spec) Load(dir string) (*Data, error) {
	f, err := s.Find(dir)
	if err != nil {
		return nil, err
	}
	d, err := sparse.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)),
		&sparse.ReadOptions{Features: s.Features})
	if err != nil {
		return nil, err
	}
	return s.Build(d, f)
}

// Build makes the graph and Data.A for a data set that was read from f. Data.A contains the matrix
// Antisymmetric of the graph in place of the incidence matrix. The codes published with related papers do
// the same.
func (s Spec) Build(d *sparse.Dataset, f File) (*Data, error) {
	g, err := s.MakeGraph(d.X)
	if err != nil {
		return nil, fmt.Errorf("paper: graph of %s: %w", s.Name, err)
	}
	n, p := d.X.Dims()
	// nonzeroRows drops the rows of features without an edge.
	a, err := sparse.Stack(nonzeroRows(g.Antisymmetric()), sparse.Identity(p))
	if err != nil {
		return nil, err
	}
	c, err := (&solver.Problem{
		Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: s.Lambda}, Constraint: a,
	}).Constants(0)
	if err != nil {
		return nil, fmt.Errorf("paper: %s: %w", s.Name, err)
	}
	out := &Data{Spec: s, X: d.X, Labels: d.Labels, A: a}
	out.summary = &DataSummary{
		Name: s.Name, Rows: n, Features: p, NNZ: d.X.NNZ(), Lambda: s.Lambda,
		Original: f.Original, Origin: f.Origin, Edges: len(g.Edges()), Joined: s.GraphText,
		NuF: c.NuF, Lambda1: c.Lambda1, LambdaP: c.LambdaP,
	}
	out.summary.RowsOfA, _ = a.Dims()
	for _, b := range d.Labels {
		if b > 0 {
			out.summary.Positive += 1 / float64(n)
		}
	}
	return out, nil
}

// A DataSummary describes a data set in a report.
type DataSummary struct {
	Name     string  `json:"name"`
	Rows     int     `json:"rows"`
	Features int     `json:"features"`
	NNZ      int64   `json:"nnz"`
	Positive float64 `json:"positive"` // share of samples with the label +1
	Lambda   float64 `json:"lambda"`
	Original bool    `json:"original"`
	Origin   string  `json:"origin"`
	Edges    int     `json:"edges"`
	RowsOfA  int     `json:"rows_of_a"`
	Joined   string  `json:"joined"` // how the graph was made, in words
	// Fields of theory.Constants for the problem on all samples with mu = 0.
	NuF     float64 `json:"nu_f"`
	Lambda1 float64 `json:"lambda_1"`
	LambdaP float64 `json:"lambda_p"`
}
