package race_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/scas-admm/scas/bench/race"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Gradient is a method that the solver does not have: see the example of solver.Method.
type Gradient struct{}

func (Gradient) Info() solver.MethodInfo {
	return solver.MethodInfo{Name: "gradient", Summary: "ADMM with a gradient step", TakesEta: true}
}

func (Gradient) Begin(r *solver.Run) (solver.Iteration, error) {
	if r.Stats.Eta = r.Settings.Eta; r.Stats.Eta == 0 {
		r.Stats.Eta = 1 / r.Stats.Constants.NuL
	}
	return &gradient{r, make([]float64, len(r.X)), make([]float64, len(r.Dual))}, nil
}

type gradient struct {
	r          *solver.Run
	step, rows []float64
}

func (g *gradient) Next() (bool, error) {
	r := g.r
	if !r.Affords(1) {
		return false, nil
	}
	r.Samples.Gradient(&r.Snapshot, r.X)
	r.Spend(1)
	for j, v := range r.A.Image(r.X) {
		g.rows[j] = r.Dual[j] + r.Stats.Rho*(v-r.Y[j])
	}
	r.A.MulTrans(g.step, g.rows)
	for j, z := range r.Snapshot.Gradient {
		r.X[j] -= r.Stats.Eta * (z + r.Problem.L2*r.X[j] + g.step[j])
	}
	r.DualStep()
	r.Average()
	return true, nil
}

// A method of your own runs beside methods of the module, under the same clock and budget. To run
// it in the experiments of the paper, give the argument "paper" instead of "converge". A program
// sets Args to os.Args[1:], and writes to os.Stdout and os.Stderr.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "race")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 100, Features: 15, Noise: 1, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	train, points := filepath.Join(dir, "train.svm"), filepath.Join(dir, "points.csv")
	if err := sparse.WriteFile(train, data.Dataset); err != nil {
		log.Fatal(err)
	}
	if err := race.Run(&race.Env{
		Ctx: context.Background(), Stdout: io.Discard, Stderr: os.Stderr, Own: []solver.Method{Gradient{}},
		Args: []string{"converge", "--method=gradient", "--method=scas-k", "--passes=20", "--csv=" + points, train},
	}); err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(points)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	for k, line := range lines[1:] {
		if name := line[0]; k == 0 || name != lines[k][0] {
			fmt.Println(name)
		}
	}
	// Output:
	// gradient
	// scas-k
}
