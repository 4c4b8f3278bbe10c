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
	eta := r.StepSize(1 / r.Stats.Constants.NuL)
	step, rows := make([]float64, len(r.X)), make([]float64, len(r.Dual))
	return func() (more bool, err error) {
		if !r.Affords(1) {
			return false, nil
		}
		r.Samples.Gradient(&r.Snapshot, r.X)
		r.Spend(1)
		r.A.MulVec(rows, r.X)
		for i, v := range rows {
			rows[i] = r.Dual[i] + r.Stats.Rho*(v-r.Y[i])
		}
		r.A.MulVecTrans(step, rows)
		for j, z := range r.Snapshot.Gradient {
			r.X[j] -= eta * (z + r.Problem.L2*r.X[j] + step[j])
		}
		r.DualStep()
		r.Average()
		return true, nil
	}, nil
}

// A method of your own runs beside the methods of the module, with the same budget. To run it in the
// experiments of the paper, give the argument "paper" and its flags instead of "converge". A program sets
// Args to os.Args[1:], and writes to os.Stdout and os.Stderr.
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
