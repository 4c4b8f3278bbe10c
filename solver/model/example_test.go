package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// exampleData returns 200 rows with labels 1 and 2. Only the first three of the 10 features
// influence the labels.
func exampleData() (*sparse.CSR, []float64) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 10, Groups: 1, GroupSize: 3, Noise: 1, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	labels := make([]float64, len(d.Labels))
	for i, b := range d.Labels {
		labels[i] = 1.5 + b/2
	}
	return d.X, labels
}

// This example fits the lasso with the squared loss to five rows of three features.
func Example_lasso() {
	x, err := sparse.FromDense(5, 3, []float64{
		1, 0, 2,
		2, 1, 0,
		3, 0, 1,
		4, 1, 2,
		5, 0, 0,
	})
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{3.1, 4.9, 7.2, 9.1, 10.8}
	m, err := model.Fit(context.Background(), &model.Spec{Loss: solver.Squared{}, Lambda: 0.2}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f + x·%.3f\n", m.Columns[0].Intercept, m.Columns[0].Coefficients)
	// Output: 1.352 + x·[1.889 0.000 0.000]
}

// This example fits logistic regression with an intercept. The labels may be any two numbers.
func ExampleFit() {
	x, y := exampleData()
	m, err := model.Fit(context.Background(), &model.Spec{Lambda: 0.05}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	column := m.Columns[0] // two classes need only one column
	fmt.Printf("intercept %.2f, coefficients %.2f\n", column.Intercept, column.Coefficients)
	c := column.Certificate
	fmt.Printf("%s: the objective %.4f is proved to be within a millionth of the optimum: %t\n",
		c.Status, c.Objective, c.Gap < 1e-6)
	s, err := m.Score(x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.3f, AUC %.3f, log loss %.3f\n", s.Classes.Accuracy, *s.Classes.AUC, *s.Classes.LogLoss)
	// Output:
	// intercept -0.07, coefficients [0.94 1.00 0.87 0.00 0.00 0.00 0.00 0.00 0.00 0.05]
	// converged: the objective 0.5208 is proved to be within a millionth of the optimum: true
	// accuracy 0.855, AUC 0.943, log loss 0.378
}

// This example fits with a graph, which favours equal coefficients of the features that it joins.
func ExampleFit_graph() {
	x, y := exampleData()
	g, err := graph.FromPairs(10, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {5, 6}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Fit(context.Background(), &model.Spec{Lambda: 0.03, Graph: g}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	column := m.Columns[0]
	fmt.Printf("%.2f, tied: %v\n", column.Coefficients, column.Groups)
	// Output:
	// [1.22 1.22 1.22 0.00 0.00 0.00 0.00 0.00 0.00 0.17], tied: [[0 1 2]]
}

// This example sets an elastic net, class weights, and a feature that is not penalised.
func ExampleSpec() {
	x, y := exampleData()
	factors := make([]float64, 10)
	for j := range factors {
		factors[j] = 1
	}
	factors[9] = 0 // feature j is not penalised
	m, err := model.Fit(context.Background(), &model.Spec{
		Lambda:         0.05,
		Penalty:        model.ElasticNet{L1Ratio: 0.8},
		PenaltyFactors: factors,
		ClassWeights:   map[float64]float64{2: 1.5},
		Features:       strings.Fields("a b c d e f g h i j"),
	}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	for j, b := range m.Columns[0].Coefficients {
		if b != 0 {
			fmt.Printf("%s %.2f\n", m.Features[j], b)
		}
	}
	// Output:
	// a 0.94
	// b 0.99
	// c 0.86
	// g -0.01
	// j 0.37
}

// This example fits a path. Each lambda has its own proof.
func ExamplePath() {
	x, y := exampleData()
	for step, err := range model.Path(context.Background(), nil, x, y, &model.PathSettings{Count: 6, Ratio: 0.1}) {
		if err != nil {
			log.Fatal(err)
		}
		c := step.Columns[0].Certificate
		fmt.Printf("%.4f  %d coefficients, mean loss %.3f, %s\n", step.Lambda, step.NonZeros(), c.MeanLoss, c.Status)
	}
	// Output:
	// 0.2053  0 coefficients, mean loss 0.692, converged
	// 0.1295  3 coefficients, mean loss 0.536, converged
	// 0.0817  3 coefficients, mean loss 0.441, converged
	// 0.0516  4 coefficients, mean loss 0.382, converged
	// 0.0325  5 coefficients, mean loss 0.343, converged
	// 0.0205  7 coefficients, mean loss 0.315, converged
}

// This example ends a path when its models no longer improve on held-out rows.
func ExampleValidation() {
	x, y := exampleData()
	var trainRows, heldRows []int
	for i := range y {
		if i%4 == 0 {
			heldRows = append(heldRows, i)
		} else {
			trainRows = append(trainRows, i)
		}
	}
	pick := func(rows []int) (*sparse.CSR, []float64) {
		part, err := x.SelectRows(rows)
		if err != nil {
			log.Fatal(err)
		}
		var labels []float64
		for _, i := range rows {
			labels = append(labels, y[i])
		}
		return part, labels
	}
	a, b := pick(trainRows)
	c, d := pick(heldRows)
	var steps []*model.Step
	set := &model.PathSettings{Validation: &model.Validation{X: c, Y: d, Patience: 5}}
	for step, err := range model.Path(context.Background(), nil, a, b, set) {
		if err != nil {
			log.Fatal(err)
		}
		steps = append(steps, step)
	}
	bestModel := steps[len(steps)-6] // Path ended 5 lambdas after the best one: Patience is 5
	fmt.Printf("%d of 100 lambdas, the best %.4f with %d coefficients\n", len(steps), bestModel.Lambda, bestModel.NonZeros())
	// Output:
	// 35 of 100 lambdas, the best 0.0141 with 9 coefficients
}

// This example chooses lambda by cross-validation. It prints the best lambda, and the largest
// lambda whose loss is within one standard error of the best loss.
func ExampleCV() {
	x, y := exampleData()
	r, err := model.CV(context.Background(), &model.Spec{}, x, y, &model.CVSettings{Folds: 5})
	if err != nil {
		log.Fatal(err)
	}
	bestModel, simpleModel := r.BestModel(), r.OneSEModel()
	fmt.Printf("best: lambda %.4f, %d coefficients, log loss %.3f ± %.3f\n",
		r.Lambdas[r.Best], bestModel.NonZeros(), r.Mean[r.Best], r.SE[r.Best])
	fmt.Printf("one standard error: lambda %.4f, %d coefficients\n", r.Lambdas[r.OneSE], simpleModel.NonZeros())
	// Output:
	// best: lambda 0.0138, 8 coefficients, log loss 0.351 ± 0.040
	// one standard error: lambda 0.0463, 4 coefficients
}

// This example saves a model and loads it again. The file keeps all bits of the coefficients.
func ExampleModel_Save() {
	x, y := exampleData()
	m, err := model.Fit(context.Background(), &model.Spec{Lambda: 0.05}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.json")
	if err := m.Save(path); err != nil {
		log.Fatal(err)
	}
	loaded, err := model.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Columns[0].Intercept == m.Columns[0].Intercept, loaded.Columns[0].Certificate == m.Columns[0].Certificate)
	// Output: true true
}

// This example is an HTTP handler that answers with a probability, or with an error if the row is
// not valid. Several requests may use one model at the same time.
func ExampleModel_Probability() {
	m := &model.Model{
		Columns: []model.Column{{Coefficients: []float64{1, -2, 0.5}}},
		Classes: sparse.Classes{Values: []float64{0, 1}},
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var row struct {
			Indices []int32
			Values  []float64
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&row); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p, err := m.Probability(row.Indices, row.Values)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%.4f\n", p)
	})
	for _, body := range []string{`{"indices": [0, 2], "values": [1, 3]}`, `{"indices": [500], "values": [1]}`} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		fmt.Print(answer.Code, " ", answer.Body)
	}
	// Output:
	// 200 0.9241
	// 400 model: position 0: index 500 is outside 0..2, the features of the model
}

// This example fits three classes, each against the rest.
func ExampleFit_classes() {
	x, err := sparse.FromDense(6, 2, []float64{5, 0, 4, 1, 0, 5, 1, 4, -4, -4, -5, -5})
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{1, 1, 2, 2, 3, 3}
	m, err := model.Fit(context.Background(), &model.Spec{Lambda: 0.01}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.RowProbabilities(nil, []int32{0, 1}, []float64{4, 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.2f\n", m.Classes.Values, p)
	// Output:
	// [1 2 3]: [0.97 0.01 0.02]
}

// This example computes LambdaMax, the first lambda of a path.
func ExampleLambdaMax() {
	x, y := exampleData()
	lambdaMax, err := model.LambdaMax(context.Background(), nil, x, y)
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Fit(context.Background(), &model.Spec{Lambda: lambdaMax}, x, y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NonZeros(), "coefficients at lambda max")
	// Output: 0 coefficients at lambda max
}

// This example writes a model for liblinear-predict.
func ExampleModel_WriteLiblinear() {
	m := &model.Model{
		Columns: []model.Column{{Coefficients: []float64{0.5, 0, -1}, Intercept: 0.25}}, HasIntercept: true,
		Classes: sparse.Classes{Values: []float64{-1, 1}},
	}
	if err := m.WriteLiblinear(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// solver_type L1R_LR
	// nr_class 2
	// label 1 -1
	// nr_feature 3
	// bias 1
	// w
	// 0.5
	// 0
	// -1
	// 0.25
}
