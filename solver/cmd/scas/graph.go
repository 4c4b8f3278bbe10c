package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/draw"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

type graphCmd struct {
	Data string `arg:"" optional:"" name:"DATA" help:"Data file as for scas train, or - for standard input; its labels do not matter."`

	Method     string   `enum:"glasso,threshold,knn,chain,recipe" default:"glasso" help:"glasso: sparse inverse of the correlation matrix. threshold: the strongest correlations. knn: each feature and the features most correlated with it. chain: neighbouring features. recipe: the graph of published codes of stochastic ADMM (default ${default})." group:"Which edges:"`
	Penalty    positive `placeholder:"F" help:"Penalty of glasso. A larger one leaves fewer edges." group:"Which edges:"`
	Edges      count    `placeholder:"K" help:"Make about K edges: glasso finds the penalty, threshold takes the K strongest pairs." group:"Which edges:"`
	Threshold  positive `placeholder:"F" help:"Smallest absolute correlation that makes an edge, for threshold." group:"Which edges:"`
	Neighbours count    `aliases:"neighbors" placeholder:"K" help:"Number of features that knn joins to each feature." group:"Which edges:"`
	Signed     bool     `help:"Give negatively correlated features an edge of negative weight, so that their coefficients are drawn to opposite values." group:"Which edges:"`
	Weighted   bool     `help:"Use the absolute correlations as weights, instead of 1." group:"Which edges:"`
	Antisym    bool     `help:"Write the matrix [G; I] of published codes instead of edges. G is p x p, with +w above and -w below the diagonal for each edge. Without --penalty and --edges it implies --method recipe." group:"What is written:"`

	Correlation string `placeholder:"FILE" help:"Read a table of correlations or covariances instead of DATA." group:"Form of DATA:"`
	dataFlags
	memoryFlags
	FreeDiagonal bool  `help:"Leave the diagonal out of the penalty of glasso, as scikit-learn does." group:"Which edges:"`
	MaxComponent count `placeholder:"N" help:"Largest number of features that glasso solves together (default ${max_component}). Time grows with its cube, memory with its square." group:"Memory and processors:"`
	Threads      count `placeholder:"N" help:"Threads (default: one per CPU). Any number gives the same graph." group:"Memory and processors:"`

	Output    string `short:"o" placeholder:"FILE" help:"Write the edges, or the matrix, for scas train --graph." group:"What is written:"`
	Precision string `placeholder:"FILE" help:"Write the sparse inverse that glasso makes, of the correlations of DATA or of the table of --correlation, as 'rows cols nnz' and entries." group:"What is written:"`
	DOT       string `name:"dot" placeholder:"FILE" help:"Write the graph in the language of Graphviz." group:"What is written:"`
	SVG       string `name:"svg" placeholder:"FILE" help:"Draw the graph." group:"What is written:"`
	JSON      bool   `name:"json" help:"Print the statistics as one JSON object." group:"What is written:"`
}

func (graphCmd) Help() string {
	return fmt.Sprintf(`Examples:

    scas graph --penalty 0.1 -o a9a.edges --features 123 a9a.zst
    scas graph --method threshold --edges 500 --signed -o top.edges train.svm
    scas graph --method knn --neighbours 3 --svg graph.svg train.svm
    scas graph --antisym -o published.mat --features 123 a9a.zst
    scas graph --penalty 0.2 --correlation cor.txt --precision theta.mat

Statistics go to standard output. --svg draws up to %d features with edges.

Exit codes: 0 done, 1 cannot read or write, 2 wrong usage, 3 a number in the input
is not finite, 4 glasso does not reach its duality gap, 130 interrupted. Files are
written only with exit code 0.`, draw.MaxNodes)
}

func (c *graphCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	var r *graphReport
	out := outputs{
		{"-o", c.Output, func(w io.Writer) error { return r.write(w) }},
		{"--precision", c.Precision, func(w io.Writer) error { return r.theta.Write(w) }},
		{"--dot", c.DOT, func(w io.Writer) error { return draw.DOT(w, r.graph, r.names) }},
		{"--svg", c.SVG, func(w io.Writer) error { return draw.SVG(w, r.graph, r.names, nil) }},
	}
	if err := out.check(c.Data, c.Labels, c.Correlation); err != nil {
		return err
	}
	start := time.Now()
	src, err := c.readSource(e)
	if err != nil {
		return err
	}
	if err := c.allowGraph(src); err != nil {
		return err
	}
	readEnd := time.Now()
	p := e.beginProgress("making the graph")
	r, err = await(e, func() (*graphReport, error) {
		defer c.Memory.limitHeap(src.demand, src.room)()
		return c.build(e, src, p)
	})
	p.end()
	if err != nil {
		return c.withComponentAdvice(err, src.limitedByMemory)
	}
	r.Seconds, r.ReadSeconds, r.Peak = time.Since(readEnd).Seconds(), readEnd.Sub(start).Seconds(),
		peakMemory()
	if drawnNodes := r.Nodes - r.Isolated; c.SVG != "" && drawnNodes > draw.MaxNodes {
		return usagef("--svg: %s have edges, more than the %d that can be drawn; use --dot, or make fewer edges", plural(drawnNodes, "feature"), draw.MaxNodes)
	}
	return out.write(e, func() error {
		r.Files = out.paths()
		return e.show(c.JSON, r)
	})
}

// check returns an error if flags contradict each other, or if a flag that the method needs is missing. It
// may change c.Method.
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
	case c.Data == "" && c.givenDataFlag() != "":
		return usagef("%s is for DATA, which is not given", c.givenDataFlag())
	}
	return nil
}

// A graphSource is the input of scas graph: data, correlations, or only a number of features.
type graphSource struct {
	name     string
	data     *sparse.Dataset   // nil if there is no DATA
	cov      *graph.Covariance // from the file of --correlation, or computed from the data
	features int
	names    []string // names of the features, or nil

	// allowGraph sets the following fields.

	demand *demand // the memory for DATA and its graph; nil if the argument DATA is not given
	room   int64   // bytes for windows of the rows if the work is out of core, 0 otherwise
	// maxComponent is the largest number of features of a component that glasso may solve. limitedByMemory is
	// true if the limit of the memory requires a smaller number than --max-component or its default.
	maxComponent    int
	limitedByMemory bool
}

func (c *graphCmd) readSource(e *env) (*graphSource, error) {
	switch {
	case c.Correlation != "":
		cov, err := await(e,
			func() (*graph.Covariance, error) { return graph.ReadCovarianceFile(c.Correlation) })
		if err != nil {
			return nil, err
		}
		p := cov.Features()
		if c.Features != 0 && int(c.Features) != p {
			return nil, usagef("--features %d: %s has %d", c.Features, c.Correlation, p)
		}
		return &graphSource{name: dataName(c.Correlation), cov: cov, features: p}, nil
	case c.Data != "":
		opt := c.anyLabelOptions()
		opt.Beyond = true
		data, err := e.readData(c.Data, opt, &c.formatFlags, c.Memory)
		if err != nil {
			return nil, err
		}
		_, p := data.X.Dims()
		return &graphSource{name: dataName(c.Data), data: data, features: p, names: data.Names}, nil
	}
	return &graphSource{name: "no data", features: int(c.Features)}, nil
}

// build makes the graph and its matrix A, and returns a report on them.
func (c *graphCmd) build(e *env, s *graphSource, p *progress) (r *graphReport, err error) {
	r = &graphReport{
		Method: c.Method, Source: s.name, Threshold: float64(c.Threshold), Neighbours: int(c.Neighbours),
		Antisym: c.Antisym, Version: version, names: s.names,
	}
	if s.data != nil {
		err = c.correlate(e, s)
		if err != nil {
			return nil, err
		}
	}
	opt := &graph.CorrelationOptions{Signed: c.Signed, Weighted: c.Weighted, Threads: int(c.Threads)}
	switch {
	case c.Method == "glasso":
		err = c.runGlasso(r, s, opt, p)
	case c.Method == "threshold" && c.Edges != 0:
		r.graph, r.Threshold, err = graph.Strongest(s.cov, int(c.Edges), opt)
	case c.Method == "threshold":
		r.graph, err = graph.Threshold(s.cov, r.Threshold, opt)
	case c.Method == "knn":
		r.graph, err = graph.KNearest(s.cov, r.Neighbours, opt)
	case c.Method == "chain":
		r.graph = graph.Chain(s.features)
	case c.Method == "recipe":
		r.graph, err = graph.PublishedRecipe(s.cov, int(c.Threads))
	}
	if err != nil {
		return nil, err
	}
	r.a = r.graph.FusedLasso()
	if c.Antisym {
		r.a, err = sparse.Stack(r.graph.Antisymmetric(), sparse.Identity(s.features))
		if err != nil {
			return nil, err
		}
	}
	r.Statistics, r.Lambda1 = r.graph.Statistics(), linalg.PowerIteration(r.a)
	r.Rows, _ = r.a.Dims()
	return r, nil
}

// correlate sets s.cov to the covariances of the data for the method recipe, and to the correlations for
// other methods. For the method chain it sets nothing.
func (c *graphCmd) correlate(e *env, s *graphSource) (err error) {
	x, eachWindow := s.data.X, c.Memory.windows(e, s.data, s.room > 0)
	switch {
	case c.Method == "chain":
		return eachWindow(func(int, int) error { return nil }) // out of core, this checks the rows
	case s.room > 0 || graph.Dense(x):
		s.cov, err = graph.CovarianceOfPieces(x, int(c.Threads), eachWindow)
	default:
		s.cov, err = graph.CovarianceOf(x)
	}
	if err == nil && c.Method != "recipe" {
		s.cov = s.cov.Correlation()
	}
	return err
}

func (c *graphCmd) runGlasso(
	r *graphReport, s *graphSource, opt *graph.CorrelationOptions, p *progress,
) (err error) {
	var res *glasso.Result
	settings := glasso.Options{
		Penalty: float64(c.Penalty), FreeDiagonal: c.FreeDiagonal,
		MaxComponent: s.maxComponent, Threads: int(c.Threads), Progress: p.componentCallback(),
	}
	if c.Edges != 0 {
		res, err = glasso.EstimateEdges(s.cov, int(c.Edges), settings)
	} else {
		res, err = glasso.Estimate(s.cov, settings)
	}
	if err == nil {
		r.graph, r.theta = res.Graph(opt), res.Theta
		r.Penalty, r.Gap, r.Objective = res.Penalty, &res.Gap, &res.Objective
	}
	return err
}
