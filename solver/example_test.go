package solver_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

func ExampleProgress() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 2})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, Penalty: solver.L1{Lambda: 0.01}}
	for point, err := range solver.Progress(context.Background(), p, &solver.Settings{Method: solver.SCASK{}, Passes: 8}) {
		if err != nil {
			log.Fatal(err)
		}
		if res := point.Result; res != nil { // the last point
			fmt.Printf("%s with %d coefficients that are not zero\n", res.Status, nonzero(res.X))
			break
		}
		fmt.Printf("%g passes: %.4f\n", point.Passes, point.Last.Objective)
	}
	// Output:
	// 0 passes: 0.6931
	// 2 passes: 0.3193
	// 4 passes: 0.2922
	// 6 passes: 0.2812
	// 8 passes: 0.2788
	// passes_done with 17 coefficients that are not zero
}

func nonzero(x []float64) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

// A recorder ends the run without an error once the objective is low enough.
func ExampleErrStop() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 2})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, Penalty: solver.L1{Lambda: 0.01}}
	res, err := solver.Minimize(context.Background(), p, &solver.Settings{
		Method: solver.SCASK{},
		Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			if pt.Last.Objective < 0.3 {
				return solver.ErrStop
			}
			return nil
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %g passes\n", res.Status, res.Stats.Passes)
	// Output: stopped after 4 passes
}

// Reports can go to a log.
func ExampleSettings_report() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 2})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, Penalty: solver.L1{Lambda: 0.01}}
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	report := func(r solver.Report) {
		logger.Info("iteration", "outer", r.Outer, "passes", r.Passes, "objective", fmt.Sprintf("%.4f", r.Objective))
	}
	_, err = solver.Minimize(context.Background(), p, &solver.Settings{Method: solver.SCASK{}, Passes: 4, Report: report})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// level=INFO msg=iteration outer=1 passes=2 objective=0.6931
	// level=INFO msg=iteration outer=2 passes=4 objective=0.3193
}

func ExampleProblem_Evaluate() {
	x, err := sparse.FromDense(2, 2, []float64{1, 0, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: []float64{1, -1}, Penalty: solver.L1{Lambda: 0.5}}
	fmt.Printf("%+.4f\n", p.Evaluate([]float64{1, -1}))
	// Output: {+1.3133 +0.3133 +1.0000}
}
