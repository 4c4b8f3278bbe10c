package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/outer"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

type endToEndCmd struct {
	Quick    bool   `help:"Fewer repetitions."`
	Results  string `placeholder:"DIR" help:"Write the table into a directory, as end-to-end-CPU.txt."`
	Benchfmt string `placeholder:"FILE" help:"Write every measured time in Go benchmark format, for benchstat -col /level."`

	rows int // if not 0, the data are synthetic and have this number of rows; set by tests
}

// Help returns the text that bench end-to-end --help adds to the list of flags.
func (endToEndCmd) Help() string {
	return `Times one outer iteration (two effective passes) of scas and scas-k, on one
thread, for A = I and for a graph of 291 edges. The data are a9a if the environment
variable SCAS_DATA names a directory with paper/a9a.zst and
graphs/a9a_glasso_0.1.edges, and synthetic data of its shape otherwise. The step size
and the penalty parameter are fixed, so that no run spends time on their choice.`
}

func (c *endToEndCmd) Run(e *race.Env) error {
	jobs, source, err := c.jobs()
	if err != nil {
		return err
	}
	r, err := begin(e, "end-to-end", machine.Describe(e.Args), "data:    "+source)
	if err != nil {
		return err
	}
	opt := outer.Options{Reps: 15, Iterations: 8}
	if c.Quick {
		opt = outer.Options{Reps: 3, Iterations: 4}
	}
	printer := &measure.Printer{W: r, Unit: "ms", Divisor: 1e6, LastTitle: "inner loop"}
	if err := printer.WriteHead(); err != nil {
		return err
	}
	for _, j := range jobs {
		t, err := outer.Time(e.Ctx, j, opt)
		if err != nil {
			return err
		}
		if err := printer.WriteCase(t.Case, t.Series, t.Plan); err != nil {
			return err
		}
		r.benchfmt.WriteString(measure.Benchfmt(t.Case, t.Series))
	}
	return r.write(c.Results, c.Benchfmt)
}

// jobs returns jobs with the methods scas and scas-k, each with and without a graph. source describes the
// data.
func (c *endToEndCmd) jobs() (jobs []outer.Job, source string, err error) {
	var d *sparse.Dataset
	var g *graph.Graph
	if dir := os.Getenv("SCAS_DATA"); dir != "" && c.rows == 0 {
		source = "a9a and its graph, from SCAS_DATA"
		d, g, err = readA9A(dir)
	} else {
		source = "synthetic, of the shape of a9a; set SCAS_DATA for a9a itself"
		d, g, err = syntheticA9A(cmp.Or(c.rows, shape.A9A.Rows))
	}
	if err != nil {
		return nil, "", err
	}
	for _, m := range []solver.Method{solver.SCAS{}, solver.SCASK{}} {
		settings := solver.Settings{Method: m, Eta: 0.5, Rho: 1e-4}
		lasso := solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-5}}
		fused := lasso
		fused.Constraint = g.FusedLasso()
		jobs = append(jobs, outer.Job{Name: "a9a-lasso", Problem: &lasso, Settings: settings}, outer.Job{Name: "a9a-graph", Problem: &fused, Settings: settings})
	}
	return jobs, source, nil
}

func readA9A(dir string) (d *sparse.Dataset, g *graph.Graph, err error) {
	d, err = sparse.ReadFile(filepath.Join(dir, "paper", "a9a.zst"), &sparse.ReadOptions{Features: shape.A9A.Cols})
	if err != nil {
		return nil, nil, err
	}
	g, err = graph.ReadEdgesFile(filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges"), shape.A9A.Cols)
	return d, g, err
}

// syntheticA9A makes random data with as many columns as a9a and the given number of rows, and a graph of 291
// edges.
func syntheticA9A(rows int) (d *sparse.Dataset, g *graph.Graph, err error) {
	sh := shape.A9A
	sh.Rows = rows
	x, labels := sh.Build(9)
	var pairs [][2]int32
	for _, step := range []int{1, 7, 70} { // these steps give 122, 116 and 53 edges
		for i := range sh.Cols - step {
			pairs = append(pairs, [2]int32{int32(i), int32(i + step)})
		}
	}
	g, err = graph.FromPairs(sh.Cols, pairs)
	return &sparse.Dataset{X: x, Labels: labels}, g, err
}
