package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/draw"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

type graphCmd struct {
	Data string `arg:"" optional:"" name:"DATA" help:"LIBSVM file, plain or compressed, or - for standard input; its labels do not matter."`

	Method     string   `enum:"glasso,threshold,knn,chain,recipe" default:"glasso" help:"glasso: sparse inverse covariance selection, of the correlations; threshold: the strongest correlations; knn: every feature with those most correlated with it; chain: neighbouring features; recipe: step by step what published codes of stochastic ADMM do (default ${default})."`
	Penalty    positive `placeholder:"F" help:"Penalty of glasso: larger ones leave fewer edges."`
	Edges      count    `placeholder:"K" help:"About so many edges: glasso finds the penalty, threshold takes the K strongest pairs."`
	Threshold  positive `placeholder:"F" help:"Least correlation of threshold, in absolute value."`
	Neighbours count    `aliases:"neighbors" placeholder:"K" help:"Features that knn joins each feature with."`
	Signed     bool     `help:"Give negatively correlated features an edge of negative weight, which draws their coefficients to opposite values."`
	Weighted   bool     `help:"Make weights as large as the correlation, instead of 1."`
	Antisym    bool     `help:"Write the matrix [G; I] with G the antisymmetric pattern, as published codes have it, instead of a list of edges. Without --penalty and --edges it also means --method recipe."`

	Correlation  string    `placeholder:"FILE" help:"Read a table of correlations or covariances instead of DATA."`
	Features     count     `placeholder:"P" help:"Number of features (default: the largest index in DATA)."`
	IndexBase    indexBase `default:"auto" placeholder:"auto|0|1" help:"Number of the first feature; auto: 0 if index 0 occurs (default ${default})."`
	FreeDiagonal bool      `help:"Leave the diagonal out of the penalty of glasso, as scikit-learn does."`
	MaxComponent count     `placeholder:"N" help:"Most features that glasso solves together (default 2000); time grows with the cube, memory with the square."`
	Threads      count     `placeholder:"N" help:"Goroutines (default: one per CPU). Any number gives the same graph."`

	Output    string `short:"o" placeholder:"FILE" help:"Write the edges there, or the matrix, for scas train --graph."`
	Precision string `placeholder:"FILE" help:"Write the inverse covariance matrix of glasso, as 'rows cols nnz' and entries."`
	DOT       string `name:"dot" placeholder:"FILE" help:"Write the graph in the language of Graphviz."`
	SVG       string `name:"svg" placeholder:"FILE" help:"Draw the graph."`
	JSON      bool   `name:"json" help:"Print the statistics as one JSON object."`
}

// Help is shown by scas graph --help.
func (graphCmd) Help() string {
	return fmt.Sprintf(`Examples:

    scas graph --penalty 0.1 -o a9a.edges --features 123 a9a.zst
    scas graph --method threshold --edges 500 --signed -o top.edges train.svm
    scas graph --method knn --neighbours 3 --svg graph.svg train.svm
    scas graph --antisym -o published.mat --features 123 a9a.zst
    scas graph --penalty 0.2 --correlation cor.txt --precision theta.mat

Statistics go to standard output. Pictures are for up to %d features with edges.

Exit codes: as of scas train, and 4 if glasso does not reach its duality gap;
nothing is written then.`, draw.MaxNodes)
}

// Run builds a graph.
func (c *graphCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	outputs := c.outputs()
	if err := outputs.check(c.Data, c.Correlation); err != nil {
		return err
	}
	start := time.Now()
	src, err := c.source(e)
	if err != nil {
		return err
	}
	readSeconds := time.Since(start).Seconds()
	start = time.Now()
	b, err := await(e, func() (*builtGraph, error) { return c.build(src) })
	if err != nil {
		return err
	}
	r := newGraphReport(c, src, b)
	r.Seconds, r.ReadSeconds = time.Since(start).Seconds(), readSeconds
	if err := c.write(outputs, b, r); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, r)
	}
	return e.print(r.table(c))
}

// check refuses flags that do not belong together and settles the method.
func (c *graphCmd) check() error {
	if c.Antisym && c.Method == "glasso" && c.Penalty == 0 && c.Edges == 0 {
		c.Method = "recipe"
	}
	for _, flag := range []struct {
		name    string
		given   bool
		methods []string
	}{
		{"--penalty", c.Penalty != 0, []string{"glasso"}},
		{"--edges", c.Edges != 0, []string{"glasso", "threshold"}},
		{"--threshold", c.Threshold != 0, []string{"threshold"}},
		{"--neighbours", c.Neighbours != 0, []string{"knn"}},
		{"--signed", c.Signed, []string{"glasso", "threshold", "knn"}},
		{"--weighted", c.Weighted, []string{"glasso", "threshold", "knn"}},
		{"--free-diagonal", c.FreeDiagonal, []string{"glasso"}},
		{"--max-component", c.MaxComponent != 0, []string{"glasso"}},
		{"--precision", c.Precision != "", []string{"glasso"}},
		{"--correlation", c.Correlation != "", []string{"glasso", "threshold", "knn", "chain"}},
	} {
		if flag.given && !slices.Contains(flag.methods, c.Method) {
			return usagef("%s is not for --method %s", flag.name, c.Method)
		}
	}
	switch {
	case c.Method == "glasso" && (c.Penalty == 0) == (c.Edges == 0):
		return usagef("--method glasso needs either --penalty F or --edges K (or --antisym alone, for the published recipe)")
	case c.Method == "threshold" && (c.Threshold == 0) == (c.Edges == 0):
		return usagef("--method threshold needs either --threshold F or --edges K")
	case c.Threshold > 1:
		return usagef("--threshold %g: a correlation is at most 1", c.Threshold)
	case c.Method == "knn" && c.Neighbours == 0:
		return usagef("--method knn needs --neighbours K")
	case c.Data != "" && c.Correlation != "":
		return usagef("give either DATA or --correlation FILE")
	case c.Data == "" && c.Correlation == "" && (c.Method != "chain" || c.Features == 0):
		return usagef("give DATA, --correlation FILE, or --method chain with --features P")
	}
	return nil
}

// A graphSource is what a graph is made from.
type graphSource struct {
	name     string
	data     *sparse.Dataset   // nil without DATA
	cov      *graph.Covariance // of the data: their correlation; nil for a chain of known length
	features int
}

func (c *graphCmd) source(e *env) (*graphSource, error) {
	s := &graphSource{name: "no data", features: int(c.Features)}
	switch {
	case c.Correlation != "":
		cov, err := graph.ReadCovarianceFile(c.Correlation)
		if err != nil {
			return nil, err
		}
		if p := cov.Features(); c.Features != 0 && int(c.Features) != p {
			return nil, usagef("--features %d: %s has %d", c.Features, c.Correlation, p)
		}
		s.name, s.cov, s.features = dataName(c.Correlation), cov, cov.Features()
	case c.Data != "":
		data, err := e.readData(c.Data, &sparse.ReadOptions{
			AnyLabels: true, Features: int(c.Features), IndexBase: c.IndexBase.IndexBase,
		})
		if err != nil {
			return nil, err
		}
		s.name, s.data = dataName(c.Data), data
		_, s.features = data.X.Dims()
	}
	return s, nil
}

// builtGraph is a graph and how it came about.
type builtGraph struct {
	*graph.Graph
	glasso    *glasso.Result // of method glasso
	threshold float64        // of method threshold
	a         *sparse.CSR    // the constraint matrix that scas train makes of the output
}

func (c *graphCmd) build(s *graphSource) (b *builtGraph, err error) {
	b = &builtGraph{threshold: float64(c.Threshold)}
	if s.data != nil && (c.Method == "glasso" || c.Method == "threshold" || c.Method == "knn") {
		if s.cov, err = graph.CorrelationOf(s.data.X); err != nil {
			return nil, err
		}
	}
	opt := &graph.CorrelationOptions{Signed: c.Signed, Weighted: c.Weighted, Threads: int(c.Threads)}
	switch c.Method {
	case "glasso":
		err = c.buildGlasso(b, s.cov, opt)
	case "threshold":
		if c.Edges != 0 {
			b.Graph, b.threshold, err = graph.Strongest(s.cov, int(c.Edges), opt)
		} else {
			b.Graph, err = graph.Threshold(s.cov, b.threshold, opt)
		}
	case "knn":
		b.Graph, err = graph.KNearest(s.cov, int(c.Neighbours), opt)
	case "chain":
		b.Graph = graph.Chain(s.features)
	case "recipe":
		b.Graph, err = graph.PublishedRecipe(s.data.X, int(c.Threads))
	}
	if err != nil {
		return nil, err
	}
	if !c.Antisym {
		b.a = b.FusedLasso()
		return b, nil
	}
	b.a, err = sparse.Stack(b.Antisymmetric(), sparse.Identity(s.features))
	return b, err
}

func (c *graphCmd) buildGlasso(b *builtGraph, cov *graph.Covariance, opt *graph.CorrelationOptions) (err error) {
	settings := glasso.Options{
		Penalty: float64(c.Penalty), FreeDiagonal: c.FreeDiagonal,
		MaxComponent: int(c.MaxComponent), Threads: int(c.Threads),
	}
	if c.Edges != 0 {
		b.glasso, err = glasso.EstimateEdges(cov, int(c.Edges), settings)
	} else {
		b.glasso, err = glasso.Estimate(cov, settings)
	}
	if err == nil {
		b.Graph = b.glasso.Graph(opt)
	}
	return err
}

// write writes all outputs, or none if the picture cannot be drawn.
func (c *graphCmd) write(out outputs, b *builtGraph, r *graphReport) error {
	if drawn := r.Nodes - r.Isolated; c.SVG != "" && drawn > draw.MaxNodes {
		return usagef("--svg: %s have edges, more than the %d that can be drawn; use --dot, or make fewer edges", plural(drawn, "feature"), draw.MaxNodes)
	}
	content := map[string]func(io.Writer) error{
		"-o":          b.Write,
		"--precision": func(w io.Writer) error { return sparse.WriteMatrix(w, b.glasso.Theta) },
		"--dot":       func(w io.Writer) error { return draw.DOT(w, b.Graph, nil) },
		"--svg":       func(w io.Writer) error { return draw.SVG(w, b.Graph, nil) },
	}
	if c.Antisym {
		content["-o"] = func(w io.Writer) error { return sparse.WriteMatrix(w, b.a) }
	}
	for _, o := range out {
		if err := writeFile(o.path, content[o.flag]); err != nil {
			return err
		}
		r.Files = append(r.Files, o.path)
	}
	return nil
}

func (c *graphCmd) outputs() (out outputs) {
	for _, o := range (outputs{{"-o", c.Output}, {"--precision", c.Precision}, {"--dot", c.DOT}, {"--svg", c.SVG}}) {
		if o.path != "" {
			out = append(out, o)
		}
	}
	return out
}
